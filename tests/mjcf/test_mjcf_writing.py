"""Robots written to MJCF and read again: equal, or the same motion and loads in the same coordinates."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from mjcf_texts import ARM, FREE_BODIES, SEVERAL_JOINTS

import loadpath as lp
from loadpath.api.loading import closed_from
from loadpath.api.robot import as_robot
from loadpath.files.mjcf import mjcf_of, read_mjcf
from loadpath.files.urdf.reading import parse_urdf
from loadpath.formulations import newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.pose import Pose
from on_scalars import on_arrays
from real_robots import REAL_ROBOTS, REFUSED
from references.to_pinocchio import random_state


def again(robot: RobotModel) -> RobotModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return read_mjcf(mjcf_of(robot).text).tree


def assert_same(found: RobotModel, expected: RobotModel, tolerance: float = 1e-14) -> None:
    """All numbers equal to rounding, and everything else the same."""
    assert (found.name, found.link_names, found.joint_names) == (
        expected.name,
        expected.link_names,
        expected.joint_names,
    )
    assert found.gravity == expected.gravity
    for one, other in zip(found.links, expected.links, strict=True):
        size = np.abs(other.inertia.tensor).max()
        assert one.inertia.mass == other.inertia.mass
        np.testing.assert_allclose(one.inertia.tensor, other.inertia.tensor, rtol=0, atol=tolerance * size)
        np.testing.assert_allclose(one.inertia.center_of_mass, other.inertia.center_of_mass, rtol=0, atol=tolerance)
    for one, other in zip(found.joints, expected.joints, strict=True):
        np.testing.assert_allclose(one.origin.matrix, other.origin.matrix, rtol=0, atol=tolerance)
        np.testing.assert_allclose(one.link_offset.matrix, other.link_offset.matrix, rtol=0, atol=tolerance)
        assert type(one.motion) is type(other.motion), one.name
        np.testing.assert_allclose(one.motion.axis_direction() or 0, other.motion.axis_direction() or 0, atol=tolerance)
        for part in fields(other):
            if part.name not in ("origin", "link_offset", "motion", "rotor_inertia", "mimic"):
                assert getattr(one, part.name) == getattr(other, part.name), (one.name, part.name)
        np.testing.assert_allclose(one.rotor_inertia, other.rotor_inertia, rtol=1e-15)
        assert (one.mimic is None) == (other.mimic is None)
        if one.mimic and other.mimic:
            assert one.mimic.joint == other.mimic.joint and one.mimic.multiplier == other.mimic.multiplier
            assert one.mimic.offset == pytest.approx(other.mimic.offset, abs=1e-15)


@pytest.mark.parametrize("name", sorted(REAL_ROBOTS.keys() - REFUSED.keys()))
def test_urdf_to_mjcf_and_back_is_equal(name: str) -> None:
    """Names, order, numbers, limits, friction, mimics of all published robots."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        robot = parse_urdf(REAL_ROBOTS[name].read_text())
    assert_same(again(robot), robot)


@pytest.mark.parametrize(
    "text", [ARM, SEVERAL_JOINTS.replace('ref="0.4"', ""), FREE_BODIES.replace('armature="0.2" frictionloss="0.1"', "")]
)
def test_mjcf_to_mjcf(text: str) -> None:
    tree = read_mjcf(text).tree
    assert_same(again(tree), tree)


def test_rotors_gears_springs_and_limits() -> None:
    spring = lp.TorsionSpring(20.0, rest=0.3)
    arm = lp.catalog.panda().with_drives({"panda_joint2": lp.Drive(ratio=100, rotor_inertia=2e-4, spring=spring)})
    back = again(arm).joint("panda_joint2")
    assert back.gear_ratio == (100.0,) and back.rotor_inertia == pytest.approx((2e-4,), rel=1e-15)
    assert back.springs == ((spring,),)
    assert mujoco.MjModel.from_xml_string(arm.to_mjcf()).dof_armature[1] == pytest.approx(2.0)


@pytest.mark.parametrize("seed", range(4))
def test_joints_of_all_kinds_keep_coordinates_torques_and_loads(seed: int) -> None:
    kinds = ["revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "translational", "spherical",
             "point_on_line", "point_on_plane", "generalized", "fixed"]
    known = [kind for kind in kinds if _known(kind)]
    robot = lp.catalog.random_tree(10, seed, known, general=True)
    # Quaternions are in the axes of the link in MJCF: the same only where the joint has these axes.
    joints = (replace(joint, link_offset=Pose(translation=joint.link_offset.translation)) for joint in robot.joints)
    robot = replace(robot, joints=tuple(joints))
    back = again(robot)
    assert back.dof_names == robot.dof_names
    rng = np.random.default_rng(seed)
    q, qd, qdd = random_state(robot, rng)
    expected = on_arrays(newton_euler.inverse_dynamics, plain(robot), q, qd, qdd)
    found = on_arrays(newton_euler.inverse_dynamics, plain(back), q, qd, qdd)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def _known(kind: str) -> bool:
    try:
        lp.catalog.random_chain(1, 0, [kind])
    except ValueError:
        return False
    return True


def test_a_four_bar_with_its_loop() -> None:
    bar = lp.catalog.four_bar()
    read = read_mjcf(bar.to_mjcf())
    closed = closed_from(read, "text")
    assert closed.loop_names == bar.loop_names and closed.mobility == 1 and closed.driven == bar.driven
    assert closed.loops[0].motion == bar.loops[0].motion
    q = bar.home
    np.testing.assert_allclose(
        closed.inverse_dynamics(q, np.zeros(3), np.zeros(3)),
        bar.inverse_dynamics(q, np.zeros(3), np.zeros(3)),
        atol=1e-12,
    )


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")  # links that are lines
def test_couplings() -> None:
    robot = lp.catalog.planar(3).with_coupling({"joint1": 1.0, "joint2": -2.0, "joint3": 0.5}, offset=0.3, name="gears")
    read = read_mjcf(robot.to_mjcf())
    assert read.couplings == robot.couplings


@pytest.mark.parametrize("make", [lp.catalog.four_bar, lp.catalog.slider_crank, lp.catalog.delta])
def test_the_home_is_a_keyframe_at_which_mujoco_finds_the_loops_closed(make: Callable[[], lp.Robot]) -> None:
    """Without it the four-bar came back on its other branch."""
    robot = make()
    text = robot.to_mjcf()
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    assert data.ne and np.abs(data.efc_pos[: data.ne]).max() < 1e-12
    for link, pose in zip(robot.link_names, robot.link_poses(robot.home), strict=True):
        np.testing.assert_allclose(data.body(link).xpos, pose[:3, 3], atol=1e-12)
    np.testing.assert_allclose(closed_from(read_mjcf(text), "text").home, robot.home, atol=1e-12)


def test_the_home_of_a_tree_comes_back() -> None:
    """Also of joints that follow others, of screws and of quaternions; where coordinates are others it is said."""
    hand = lp.catalog.panda(hand=True)
    at_home = hand.with_home(np.linspace(0.01, 0.03, hand.nq))
    assert read_mjcf(at_home.to_mjcf()).near == at_home.near
    model = mujoco.MjModel.from_xml_string(at_home.to_mjcf())
    assert model.key_qpos[0, -1] == model.key_qpos[0, -2] == pytest.approx(0.03)  # both fingers
    links = (lp.Link("base"), lp.Link("nut", lp.Inertia(1.0, (0, 0, 0), np.eye(3).tolist())))
    turn = lp.Joint("turn", "base", "nut", lp.Helical((0, 0, 1), pitch=0.01))
    screw = lp.Robot("screw", links, (turn,)).with_home([2.0])
    assert mujoco.MjModel.from_xml_string(screw.to_mjcf()).key_qpos[0].tolist() == [2.0, 0.02]
    assert read_mjcf(hand.to_mjcf()).near == ()
    body = lp.Robot("body", links, (lp.Joint("free", "base", "nut", lp.Free(), Pose(translation=(0, 0, 1))),))
    with pytest.warns(lp.ModelWarning, match="home: coordinates of 'free' are others in MJCF"):
        body.with_home([0, 0, 2, 0, 0, 0, 1]).to_mjcf()


def test_passive_joints_of_a_tree_come_back() -> None:
    arm = lp.catalog.panda().with_driven("panda_joint1", "panda_joint3")
    read = read_mjcf(arm.to_mjcf())
    assert read.drives == arm.drives and not any("no actuator" in note for note in read.notes)
    assert read_mjcf(lp.catalog.panda().to_mjcf()).drives == ()


def test_motors_at_some_joints_of_a_tree_are_noted() -> None:
    arm = lp.catalog.panda().to_mjcf()
    start = arm.index('<motor name="panda_joint4"')
    assert not any("no actuator" in note for note in read_mjcf(arm).notes)
    note = read_mjcf(arm[:start] + arm[arm.index("/>", start) + 2 :]).notes[-1]
    assert note.startswith("no actuator acts on 'panda_joint4': read as driven")


def test_what_mjcf_cannot_say_is_reported() -> None:
    friction = lp.Friction(1.0, 2.0, static=3.0, stribeck_speed=0.1)
    arm = lp.catalog.panda().with_drives({"panda_joint2": lp.Drive(friction=friction)})
    with pytest.warns(lp.ModelWarning, match="robot 'panda' as MJCF: joint 'panda_joint2': static friction"):
        arm.to_mjcf()
    screw = lp.catalog.planar(2).with_loop("slot", "link2", "base", motion=lp.Prismatic((1, 0, 0)), at=(1, 0, 0))
    with pytest.raises(lp.ModelError, match="loop 'slot': MJCF closes loops with balls"):
        screw.to_mjcf()


def test_a_free_base_and_a_base_of_another_name() -> None:
    free = lp.catalog.panda().floating(world="ground")
    assert_same(again(free), free)


def test_written_files_are_whole_and_named_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    text = lp.catalog.panda().to_mjcf(path)
    assert path.read_text() == text
    assert mujoco.MjModel.from_xml_path(str(path)).nv == 7
    with pytest.raises(ValueError, match=r"ends in \.urdf"):
        lp.catalog.panda().to_mjcf(tmp_path / "arm.urdf")


def test_names_that_xml_and_mujoco_need_care_with() -> None:
    robot = lp.catalog.planar(2)
    names = {"link1": 'a "b" <c> & d', "link2": "world"}
    links = tuple(replace(link, name=names.get(link.name, link.name)) for link in robot.links)
    joints = tuple(
        replace(joint, parent=names.get(joint.parent, joint.parent), child=names.get(joint.child, joint.child))
        for joint in robot.joints
    )
    odd = as_robot(RobotModel("odd", links, joints))
    assert again(odd).link_names == odd.link_names


def test_shapes_come_back() -> None:
    shapes = (
        lp.BoxShape((0.1, 0.2, 0.3), pose=(1, 2, 3), color=(1, 0, 0, 1), name="box"),
        lp.SphereShape(0.2),
        lp.CylinderShape(0.1, 0.4, purpose="collision"),
        lp.CapsuleShape(0.1, 0.4),
        lp.EllipsoidShape((1, 2, 3)),
    )
    robot = lp.catalog.planar(1)
    robot = as_robot(replace(robot, links=tuple(replace(link, shapes=shapes) for link in robot.links)))
    found = again(robot).link("link1").shapes
    assert {(shape.kind, shape.purpose) for shape in found} == {(shape.kind, shape.purpose) for shape in shapes}
    box = next(shape for shape in found if isinstance(shape, lp.BoxShape))
    assert replace(box, name="box") == shapes[0]


def test_meshes_that_mujoco_reads_are_written_once_each(tmp_path: Path) -> None:
    """STL and OBJ by their files, with their scales; of others and of those that are nowhere it is said."""
    for name in ("a.STL", "b.obj", "c.dae"):
        (tmp_path / name).write_bytes(b"")
    files = {name: str(tmp_path / name) for name in ("a.STL", "b.obj", "c.dae", "gone.stl")}
    mm = (1e-3, 1e-3, 1e-3)
    shapes = (lp.MeshShape(files["a.STL"]), lp.MeshShape(files["a.STL"], mm), lp.MeshShape(files["a.STL"]),
              lp.MeshShape(files["b.obj"], mm), lp.MeshShape(files["c.dae"]), lp.MeshShape(files["gone.stl"]),
              lp.MeshShape("d.stl", content=b"x"))
    robot = lp.catalog.planar(1)
    links = tuple(replace(link, shapes=shapes if link.name == "link1" else ()) for link in robot.links)
    written = mjcf_of(as_robot(replace(robot, links=links)))
    root = ElementTree.fromstring(written.text)
    assert [(mesh.get("name"), mesh.get("file"), mesh.get("scale")) for mesh in root.iter("mesh")] == [
        ("a", files["a.STL"], None), ("a2", files["a.STL"], "0.001 0.001 0.001"),
        ("b", files["b.obj"], "0.001 0.001 0.001")]
    assert [geom.get("mesh") for geom in root.iter("geom")] == ["a", "a2", "a", "b"]
    assert [sentence.partition(": ")[2] for sentence in written.lost if "mesh" in sentence] == [
        "the mesh 'c.dae': MuJoCo reads STL and OBJ",
        "the mesh 'gone.stl' is not there: MuJoCo needs it in a file",
        "the mesh 'd.stl' is in an archive: MuJoCo needs it in a file",
    ]


def test_joints_written_as_several_are_reported() -> None:
    """Their speeds are other ones, and reactions are at more joints."""
    lost = mjcf_of(lp.catalog.generalized(3)).lost
    assert lost == ("'joint2', 'joint3': MJCF has no word for Free joints below other bodies: each is written as 4 "
                    "joints of one body, in the axes of its parent",)
    (legs,) = mjcf_of(lp.catalog.stewart_platform()).lost
    assert legs.startswith("'leg1_pivot', ") and "Universal joints: each is written as 2 joints" in legs


def test_drives_come_back_in_their_order(tmp_path: Path) -> None:
    """The palletizer's elbow is driven by a crank that comes after the gripper in the tree."""
    robot = lp.catalog.parallelogram_palletizer()
    robot.to_mjcf(tmp_path / "palletizer.xml")
    found = lp.load(tmp_path / "palletizer.xml")
    assert isinstance(found, lp.ClosedRobot) and found.drives == robot.drives


def test_a_frame_between_joints_that_moves_is_reported() -> None:
    """A link without mass between two joints has its frame where the next joint is, on the way back."""
    body = lp.Inertia(1.0, (0.1, 0, 0), ((0.02, 0, 0), (0, 0.02, 0), (0, 0, 0.02)))
    links = (lp.Link("base"), lp.Link("step"), lp.Link("arm", body))

    def arm(offset: float) -> lp.Robot:
        lift = lp.Joint("lift", "base", "step", lp.Prismatic((0, 0, 1)))
        return lp.Robot("arm", links, (lift, lp.Joint("turn", "step", "arm", lp.Continuous((0, 0, 1)), (offset, 0, 0))))

    assert mjcf_of(arm(0.0)).lost == ()
    (sentence,) = mjcf_of(arm(0.2)).lost
    assert sentence.startswith("frames of 'step': links without mass between two joints")
    moved, there = again(arm(0.2)), arm(0.2)
    state = random_state(there, np.random.default_rng(1))
    found = [on_arrays(newton_euler.inverse_dynamics, plain(robot), *state) for robot in (moved, there)]
    np.testing.assert_allclose(*found, atol=1e-13)


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
@pytest.mark.parametrize("mass", [0.0, 0.2])
@pytest.mark.parametrize("moments", [(1e-3, 1e-3, 1e-3), (1e-3, 1e-3, 5e-3), (1e-3, 2e-3, 3e-3),
                                     (1e-3, 2e-3, 3e-3 + 1e-15), (3e-3 + 1e-15, 1e-3, 2e-3)])
def test_what_mujoco_refuses_is_said_and_nothing_else(moments: tuple[float, float, float], mass: float) -> None:
    """A welded link with an inertia and no mass, as the feet of bolt have; plates, exact or rounded to either side."""
    x, y, z = moments
    foot = lp.Link("foot", lp.Inertia(mass, (0, 0, 0), ((x, 0, 0), (0, y, 0), (0, 0, z))))
    leg = lp.Link("leg", lp.Inertia(1.0, (0, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, 1))))
    joints = (lp.Joint("hip", "base", "leg", lp.Continuous()), lp.Joint("ankle", "leg", "foot", lp.Fixed()))
    written = mjcf_of(lp.Robot("bolt", (lp.Link("base"), leg, foot), joints))
    try:
        mujoco.MjModel.from_xml_string(written.text)
    except ValueError:
        assert written.lost == ("link 'foot': MuJoCo refuses its inertia, which no real body has: see loadpath check "
                                "--fix",)
    else:
        assert written.lost == ()
