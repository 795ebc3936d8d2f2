"""What is written as URDF is read again as an equal robot, and read by Pinocchio and MuJoCo as the same one."""

from __future__ import annotations

import inspect
import itertools
import math
import warnings
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import loadpath as lp
from loadpath.files.assets import Assets
from loadpath.files.contract import ReadRobot
from loadpath.files.urdf.reading import read_urdf
from loadpath.files.urdf.writing import urdf_of
from loadpath.files.xml_writing import axis_numbers, roll_pitch_yaw
from loadpath.robot.numbers import unit_vector
from real_robots import REAL_ROBOTS, REFUSED

pytestmark = pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")


def difference(a: Any, b: Any, path: str) -> tuple[float, str]:
    """The largest difference between numbers of two robots, against 1 or the number; infinite where they are built
    otherwise.
    """
    if isinstance(a, float) and isinstance(b, float):
        return (0.0 if a == b else abs(a - b) / max(1.0, abs(a), abs(b))), path
    if type(a) is not type(b):
        return math.inf, f"{path}: {type(a).__name__}, {type(b).__name__}"
    if is_dataclass(a):
        pairs = [(getattr(a, part.name), getattr(b, part.name), part.name) for part in fields(a) if part.compare]
    elif isinstance(a, (tuple, list)):
        if len(a) != len(b):
            return math.inf, f"{path}: {len(a)}, {len(b)}"
        pairs = [(x, y, str(k)) for k, (x, y) in enumerate(zip(a, b, strict=True))]
    else:
        return (0.0 if a == b else math.inf), f"{path}: {a!r}, {b!r}"
    return max((difference(x, y, f"{path}.{name}") for x, y, name in pairs), default=(0.0, path))


def read_again(robot: lp.Robot, assets: Assets | None = None) -> tuple[float, str]:
    """How far the robot is from what is read of what is written of it."""
    before, after = ReadRobot.of(robot), read_urdf(urdf_of(robot).text, "again.urdf", assets=assets)
    pairs = [(robot.name, after.tree.name, "name"), (robot.links, after.tree.links, "links")]
    pairs += [(robot.joints, after.tree.joints, "joints")]
    pairs += [([link.shapes for link in robot.links], [link.shapes for link in after.tree.links], "shapes")]
    pairs += [(getattr(before, part), getattr(after, part), part) for part in ("loops", "couplings", "drives", "near")]
    return max(difference(*pair) for pair in pairs)


def catalog() -> dict[str, lp.Robot]:
    found = {}
    for name in lp.catalog.__all__:
        make = getattr(lp.catalog, name)
        needed = [entry for entry in inspect.signature(make).parameters.values() if entry.default is entry.empty]
        made = make(*(4 if entry.name in ("n", "joints", "links") else 1 for entry in needed))
        if isinstance(made, lp.Robot):
            found[name] = made
    return found


CATALOG = catalog()


@pytest.mark.parametrize("name", CATALOG)
def test_robots_of_the_catalog(name: str) -> None:
    far, where = read_again(CATALOG[name])
    assert far < 1e-15, where


REAL = sorted(REAL_ROBOTS.keys() - REFUSED.keys())


@pytest.mark.parametrize("names", [REAL[::6], pytest.param(REAL, marks=pytest.mark.slow)], ids=["some", "all"])
def test_real_robots(names: list[str]) -> None:
    """Nearly all of them are met in every bit."""
    exact = 0
    for name in names:
        robot = lp.load(REAL_ROBOTS[name])
        far, where = read_again(robot, Assets.beside(REAL_ROBOTS[name]))
        assert far < 1e-15, (name, where)
        exact += far == 0.0
    assert exact > 0.7 * len(names)


@pytest.mark.parametrize("seed", range(12))
def test_random_robots_of_all_joints(seed: int) -> None:
    make = lp.catalog.random_tree if seed % 2 else lp.catalog.random_chain
    robot = make(9, seed, "all")
    rng = np.random.default_rng(seed)
    joints = []
    for joint in robot.joints:
        dof = joint.motion.dof
        pose = lp.Pose.from_xyz_rpy(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
        joints.append(replace(
            joint,
            link_offset=pose if rng.random() < 0.4 else joint.link_offset,
            viscous_friction=tuple(rng.random(dof)), coulomb_friction=tuple(rng.random(dof)),
            rotor_inertia=tuple(rng.random(dof)), gear_ratio=tuple(rng.uniform(-90, 90, dof)),
            limits=tuple(lp.Limits(*sorted(rng.normal(size=2)), *rng.random(2))
                         if rng.random() < 0.5 and not isinstance(joint.motion, lp.Continuous) else lp.Limits()
                         for _ in range(dof)),
        ))
    far, where = read_again(replace(robot, joints=tuple(joints)))
    assert far < 4e-15, where  # products of rotations


def one_joint(motion: lp.JointType, **parts: Any) -> lp.Robot:
    rod = lp.Link("rod", lp.Inertia(2.0, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.25])))
    return lp.Robot("r", (lp.Link("base"), rod), (lp.Joint("j", "base", "rod", motion, **parts),))


MOTIONS = [
    lp.Fixed(), lp.Revolute((1, 2, 3), 0.4), lp.Continuous((0, 1, 1), -2.0), lp.Prismatic((3, 1, 2)), lp.Planar(),
    lp.Helical((1, 0, 2), 0.3, pitch=0.01), lp.Cylindrical((1, 1, 1), 0.7), lp.Universal((1, 0, 0), (0.6, 0.8, 0)),
    lp.Spherical(), lp.Free(), lp.Translational(), lp.Generalized(("rz", "-x")),
    lp.Generalized((("turn", (1, 2, 2)), ("slide", (2, 3, 6)))), lp.Generalized("all"),
]


@pytest.mark.parametrize("motion", MOTIONS, ids=lambda motion: type(motion).__name__)
def test_each_joint_moves_as_before(motion: lp.JointType) -> None:
    """Not only the numbers: where the link is."""
    robot = one_joint(motion, origin=lp.Pose.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3)), link_offset=(0.1, 0.2, 0.3))
    far, where = read_again(robot)
    assert far < 1e-15, where
    (joint,), (again,) = robot.joints, read_urdf(urdf_of(robot).text).tree.joints
    q = np.array(motion.neutral()) + (0.3 if motion.coordinates == motion.dof else 0.0)
    assert np.abs(placed(joint, q) - placed(again, q)).max() < 1e-14


def placed(joint: lp.Joint, q: np.ndarray) -> np.ndarray:
    """The pose of the child in the parent."""
    turn, shift = joint.motion.placement(q)
    moved = np.eye(4)
    moved[:3, :3], moved[:3, 3] = turn.matrix(), shift
    return joint.origin.matrix @ moved @ joint.link_offset.matrix


def test_planar_joints_across_any_axis() -> None:
    text = '<joint name="j" type="planar"><parent link="a"/><child link="b"/><axis xyz="1 2 3"/></joint>'
    robot = read_urdf(f"<robot name='r'><link name='a'/>{LINK_B}{text}</robot>").tree
    written = urdf_of(robot).text
    assert 'type="planar"' in written and "link_offset" not in written
    far, where = difference(robot.joints, read_urdf(written).tree.joints, "joints")
    assert far < 1e-15, where


LINK_B = ("<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
          "</inertial></link>")


def test_limits_without_end_and_mimics() -> None:
    robot = one_joint(lp.Revolute(), limits=(lp.Limits(-math.inf, 2.0, math.inf, 5.0),))
    assert "inf" not in urdf_of(robot).text  # which readers in C++ do not know
    assert read_urdf(urdf_of(robot).text).tree.joints == robot.joints
    hand = lp.catalog.panda(hand=True)
    assert read_urdf(urdf_of(hand).text).tree.joint("panda_finger_joint2").mimic is not None
    assert read_again(hand)[0] < 1e-15


NAMES = ['a&b <c> "d"', "tab\tand\nline", "Grüße 机器人", "  spaced  ", "it's", "a;b//c"]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_xml_escapes_and_that_are_shared(name: str) -> None:
    rod = lp.Link(name, lp.Inertia(1.0, (0, 0, 0.1), np.eye(3)))
    joint = lp.Joint(name, "base", name, lp.Revolute(), link_offset=(1, 0, 0))
    robot = lp.Robot(name, (lp.Link("base"), rod), (joint,))
    again = read_urdf(urdf_of(robot).text).tree
    assert (again.name, again.link_names, again.joint_names) == (name, ("base", name), (name,))


@pytest.mark.parametrize("name", ["a\x01b", "a${b}", "a$(find b)"])
def test_names_that_no_urdf_can_have(name: str) -> None:
    robot = lp.Robot(name, (lp.Link("base"),), ())
    with pytest.raises(lp.ModelError, match="give it another name"):
        robot.to_urdf()


def test_shapes() -> None:
    shapes = (
        lp.BoxShape((1, 2, 3), pose=lp.Pose.from_xyz_rpy((1, 0, 0), (0.1, 0.2, 0.3)), color=(1, 0.5, 0, 1), name="lid"),
        lp.SphereShape(0.1),
        lp.CapsuleShape(0.1, 0.2),
        lp.MeshShape("/no/such/arm.stl", (0.001, 0.001, -0.001), uri="package://arms/arm.stl"),
        lp.CylinderShape(0.1, 0.2, purpose="collision"),
    )
    robot = lp.Robot("r", (lp.Link("base", shapes=shapes),), ())
    (link,) = read_urdf(urdf_of(robot).text).tree.links
    assert link.shapes[:3] == shapes[:3] and link.shapes[4:] == shapes[4:]
    mesh = link.shapes[3]
    assert isinstance(mesh, lp.MeshShape) and mesh.uri == "package://arms/arm.stl" and mesh.scale[2] == -0.001
    odd = lp.Robot("r", (lp.Link("base", shapes=(lp.EllipsoidShape((1, 2, 3)),)),), ())
    assert urdf_of(odd).lost == ("ellipsoid of link 'base': URDF has no such shape",)


def test_what_is_lost_is_said() -> None:
    arm = lp.catalog.puma560().with_gravity((0, 0, -1.62))
    arm = arm.with_drives({"joint1": lp.Drive(friction=lp.Friction(0.1, 0.2, static=0.4, stribeck_speed=0.1),
                                              brake=3.0)})
    lost = "\n".join(urdf_of(arm).lost)
    for words in ("gravity (0.0, 0.0, -1.62)", "Stribeck", "motor data of 'joint1'", "<drive>"):
        assert words in lost
    with pytest.warns(lp.ModelWarning, match="robot 'puma560' as URDF"):
        arm.to_urdf()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lp.catalog.panda().to_urdf()  # nothing is lost, nothing is said


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    robot = lp.catalog.ur5()
    text = robot.to_urdf(tmp_path / "ur5.urdf")
    assert (tmp_path / "ur5.urdf").read_text(encoding="utf-8") == text
    assert difference(lp.load(tmp_path / "ur5.urdf").joints, robot.joints, "")[0] < 1e-15
    with pytest.raises(ValueError, match=r"ends in \.xml, but a robot in URDF is written as URDF"):
        robot.to_urdf(tmp_path / "ur5.xml")


def test_a_joint_class_of_ones_own_has_no_word() -> None:
    class Odd(lp.Revolute):
        """A joint of one's own."""

    with pytest.raises(lp.ModelError, match=r"joint 'j': URDF has no word for a joint of the class Odd"):
        one_joint(Odd()).to_urdf()


def test_angles_are_met_exactly() -> None:
    for angles in itertools.product((0.0, 1.5708, -math.pi / 2, 3.14159265359, 0.3), repeat=3):
        pose = lp.Pose.from_xyz_rpy(rpy=angles)
        again = lp.Pose.from_xyz_rpy(rpy=roll_pitch_yaw(pose))
        assert np.abs(pose.R - again.R).max() < 1.2e-16, angles


def test_angles_of_any_rotation() -> None:
    rng = np.random.default_rng(3)
    for size in (1.0, 1e-5, 1e-9, 1e-16):
        for _ in range(20):  # near a pitch of a quarter turn too, where roll and yaw are about one axis
            start = lp.Pose.from_xyz_rpy(rpy=(rng.uniform(-3, 3), math.pi / 2, rng.uniform(-3, 3)))
            pose = start @ lp.Pose.from_xyz_rpy(rpy=size * rng.normal(size=3))
            again = lp.Pose.from_xyz_rpy(rpy=roll_pitch_yaw(pose))
            assert np.abs(pose.R - again.R).max() < 1e-15
    for _ in range(50):
        axis = unit_vector(rng.normal(size=3), "axis")
        assert np.abs(np.array(unit_vector(axis_numbers(axis), "axis")) - axis).max() < 2e-16


# By other readers

PLAIN = (lp.Fixed, lp.Revolute, lp.Continuous, lp.Prismatic)
PEERS = {name: robot for name, robot in CATALOG.items()
         if not robot.held_by_loops and all(type(joint.motion) in PLAIN for joint in robot.joints)}
OFTEN = ("panda", "random_dh_arm", "stanford_arm")
CASES = [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in PEERS]
# MuJoCo takes no rods and points: moments of inertia of zero.
NOT_FOR_MUJOCO = {"lau_arm", "lau_rover", "planar", "puma560", "two_link"}


def states(robot: lp.Robot) -> tuple[lp.Robot, np.ndarray, np.ndarray]:
    """The robot as URDF has it, without friction and rotors; states, and their torques."""
    bare = tuple(lp.Joint(j.name, j.parent, j.child, j.motion, j.origin, j.link_offset, mimic=j.mimic)
                 for j in robot.joints)
    robot = lp.Robot(robot.name, robot.links, bare)
    x = np.random.default_rng(1).uniform(-1, 1, (3, 4, robot.n))
    return robot, x, robot.inverse_dynamics(*x)


@pytest.mark.parametrize("name", CASES)
def test_torques_by_pinocchio(name: str) -> None:
    robot, x, expected = states(PEERS[name])
    model = pin.buildModelFromXML(urdf_of(PEERS[name]).text)
    joints = [model.joints[model.getJointId(dof)] for dof in robot.dof_names]
    for k in range(x.shape[1]):
        q, v, a = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for joint, angle, speed, rate in zip(joints, *x[:, k], strict=True):
            q[joint.idx_q : joint.idx_q + joint.nq] = [angle] if joint.nq == 1 else [math.cos(angle), math.sin(angle)]
            v[joint.idx_v], a[joint.idx_v] = speed, rate
        torques = pin.rnea(model, model.createData(), q, v, a)[[joint.idx_v for joint in joints]]
        assert np.abs(torques - expected[k]).max() < 1e-12 * max(1.0, np.abs(expected[k]).max())


@pytest.mark.parametrize("name", CASES)
def test_torques_by_mujoco(name: str) -> None:
    if name in NOT_FOR_MUJOCO:
        with pytest.raises(ValueError, match=r"must have positive eigenvalues|mass and inertia of moving bodies"):
            mujoco.MjModel.from_xml_string(urdf_of(PEERS[name]).text)
        return
    robot, x, expected = states(PEERS[name])
    model = mujoco.MjModel.from_xml_string(urdf_of(PEERS[name]).text)
    model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    joints = [model.joint(dof) for dof in robot.dof_names]
    data = mujoco.MjData(model)
    for k in range(x.shape[1]):
        for joint, angle, speed, rate in zip(joints, *x[:, k], strict=True):
            data.qpos[joint.qposadr], data.qvel[joint.dofadr], data.qacc[joint.dofadr] = angle, speed, rate
        mujoco.mj_inverse(model, data)
        torques = data.qfrc_inverse[[int(joint.dofadr[0]) for joint in joints]]
        assert np.abs(torques - expected[k]).max() < 1e-12 * max(1.0, np.abs(expected[k]).max())
