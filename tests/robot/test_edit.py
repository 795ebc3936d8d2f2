"""Robots made from robots: payloads, gravity, locked joints, floating bases, drives; the given robot stays as it is."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.errors import ModelError, ModelWarning
from loadpath.robot import edit
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, Free, Revolute
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Limits, Link, Mimic
from loadpath.robot.pose import Pose
from references.to_pinocchio import random_state, to_pinocchio

BOX = Inertia.from_moments(2.5, (0.05, -0.02, 0.1), ixx=0.02, iyy=0.03, izz=0.025, ixy=0.004)


def with_box(robot, **options):
    return edit.with_payload(robot, BOX.mass, BOX.center_of_mass, BOX.tensor, **options)


# Payloads


def test_a_payload_loads_the_robot_like_mass_added_to_its_link():
    robot = lp.catalog.panda()
    merged = replace(
        robot, links=tuple(Link(k.name, k.inertia + BOX) if k.name == "panda_link5" else k for k in robot.links)
    )
    q, qd, qdd = random_state(robot, np.random.default_rng(1))
    loaded = with_box(robot, link="panda_link5")
    np.testing.assert_allclose(
        loaded.inverse_dynamics(q, qd, qdd), merged.inverse_dynamics(q, qd, qdd), rtol=0, atol=1e-12
    )


def test_the_weld_of_a_payload_carries_its_weight():
    robot = lp.catalog.panda()
    q = np.array([0.3, -0.5, 0.2, -1.5, 0.4, 1.2, 0.1])
    loaded = robot.with_payload(mass=2.0, center_of_mass=(0, 0, 0.1))
    weld = loaded.joint_wrenches(q, np.zeros(7), np.zeros(7))["payload_joint"]
    up = robot.link_poses(q)[-1, :3, :3].T @ [0, 0, 2.0 * 9.81]
    np.testing.assert_allclose(weld.force, up, atol=1e-12)
    np.testing.assert_allclose(weld.torque, np.cross([0, 0, 0.1], up), atol=1e-12)


def test_payloads_come_off_again():
    robot = lp.catalog.panda(hand=True)
    one = with_box(robot, link="panda_hand_tcp")
    two = with_box(one, link="panda_link3", name="cable")
    assert two.joint("cable_joint").parent == "panda_link3"
    assert edit.without_payload(two, "cable") == one
    assert edit.without_payload(edit.without_payload(two), "cable") == robot
    assert "payload" not in robot.link_names


def test_inertias_of_some_links_are_exchanged():
    robot = lp.catalog.panda()
    changed = robot.with_inertias({"panda_link5": BOX, "panda_link8": BOX})
    assert changed.link("panda_link5").inertia == changed.link("panda_link8").inertia == BOX
    assert changed.with_inertias({k: robot.link(k).inertia for k in ("panda_link5", "panda_link8")}) == robot
    assert type(changed) is lp.Robot
    with pytest.raises(ValueError, match="no link 'panda_link55'; did you mean 'panda_link5'"):
        robot.with_inertias({"panda_link55": BOX})
    with pytest.raises(ModelError, match=r"'panda_link5': inertia is 3\.0, expected an Inertia"):
        robot.with_inertias({"panda_link5": 3.0})
    with pytest.raises(ValueError, match="expected a dict from link names to Inertia"):
        robot.with_inertias([BOX])


def test_the_class_of_the_robot_survives():
    assert type(with_box(lp.catalog.planar(2))) is lp.Robot
    assert type(edit.locked(lp.catalog.planar(2), {"joint1": 0.0})) is lp.Robot
    model = RobotModel("stick", (Link("base", BOX), Link("stick", BOX)), (Joint("hinge", "base", "stick", Revolute()),))
    assert type(edit.floating(model)) is RobotModel


def test_a_payload_needs_to_know_which_end():
    with pytest.warns(lp.ModelWarning, match=r"the payload is on 'panda_hand_tcp'.*like 'panda_leftfinger'"):
        assert with_box(lp.catalog.panda(hand=True)).joint("payload_joint").parent == "panda_hand_tcp"
    assert with_box(lp.catalog.planar(3)).joint("payload_joint").parent == "tip"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mass": -1.0}, r"payload 'payload': mass is -1.0: expected zero or more"),
        ({"mass": "2kN"}, r"mass is '2kN', a force: expected a mass, in kg, g or t"),
        ({"mass": 1, "center_of_mass": (0, 0)}, r"payload 'payload': center of mass has 2 numbers"),
        ({"mass": 1, "center_of_mass": (0, 0, float("nan"))}, r"payload 'payload': center of mass is nan"),
        ({"mass": 1, "inertia": [1, 2, 3]}, r"payload 'payload': inertia has the shape \(3,\): expected 3 x 3"),
        ({"mass": 1, "inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, r"payload 'payload': .* is not symmetric"),
        ({"mass": 1, "link": "panda_link9"}, r"no link 'panda_link9'; did you mean 'panda_link"),
        ({"mass": 1, "name": "panda_link3"}, r"has a link 'panda_link3' already"),
        ({"mass": 1, "name": " "}, r"name of a link is ' '"),
    ],
)
def test_bad_payloads_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        edit.with_payload(lp.catalog.panda(), **options)


def test_a_payload_that_is_not_there_cannot_come_off():
    with pytest.raises(ValueError, match=r"no payload 'payload'; it carries none"):
        edit.without_payload(lp.catalog.panda())
    with pytest.raises(ValueError, match=r"no payload 'box'; payloads it carries: payload"):
        edit.without_payload(with_box(lp.catalog.panda()), "box")
    with pytest.raises(ValueError, match=r"no payload 'panda_link8'"):
        edit.without_payload(lp.catalog.panda(), "panda_link8")


def test_an_impossible_payload_warns():
    with pytest.warns(ModelWarning, match="link 'payload': triangle inequality"):
        edit.with_payload(lp.catalog.panda(), 1.0, inertia=np.diag([1.0, 1.0, 3.0]))


# Gravity


def test_gravity_is_a_vector_or_a_strength():
    robot = lp.catalog.planar(1)
    assert edit.with_gravity(robot, (1, 2, 3)).gravity == (1.0, 2.0, 3.0)
    assert edit.with_gravity(robot, np.array([0, 0, -1.0])).gravity == (0.0, 0.0, -1.0)
    assert edit.with_gravity(robot, 1.62).gravity == (0.0, 0.0, -1.62)
    assert repr(edit.with_gravity(robot, 0).gravity) == "(0.0, 0.0, 0.0)"
    assert robot.gravity == (0.0, 0.0, -9.81)


@pytest.mark.parametrize("g", [-9.81, "9.81", (0, 9.81), None, float("nan"), (0, 0, float("inf"))])
def test_bad_gravity_is_refused(g):
    with pytest.raises(ValueError, match="gravity"):
        edit.with_gravity(lp.catalog.planar(1), g)


# Locked joints


@pytest.mark.parametrize("seed", range(4))
def test_a_locked_joint_of_any_type_stays_where_it_is(seed):
    robot = lp.catalog.random_tree(12, seed, joints="all", general=True)
    q, qd, qdd = random_state(robot, np.random.default_rng(seed))
    moving = [joint for joint in robot.joints if joint.motion.dof]
    frozen = {j.name: q[robot.q_slices[j.name]] for j in moving[1::2]}
    locked = edit.locked(robot, frozen)

    kept = [j.name for j in moving if j.name not in frozen]
    where_q = np.concatenate([np.arange(robot.nq)[robot.q_slices[name]] for name in kept])
    where_v = np.concatenate([np.arange(robot.n)[robot.v_slices[name]] for name in kept])
    assert (locked.nq, locked.n) == (len(where_q), len(where_v))
    before, after = to_pinocchio(robot), to_pinocchio(locked)
    np.testing.assert_allclose(after.link_poses(q[where_q]), before.link_poses(q), atol=1e-12)

    held_qd, held_qdd = np.zeros(robot.n), np.zeros(robot.n)
    held_qd[where_v], held_qdd[where_v] = qd[where_v], qdd[where_v]
    expected = before.inverse_dynamics(q, held_qd, held_qdd)[where_v]
    forces = after.inverse_dynamics(q[where_q], qd[where_v], qdd[where_v])
    np.testing.assert_allclose(forces, expected, atol=1e-12 * abs(expected).max())


def test_a_locked_joint_becomes_a_weld_without_drive():
    weld = edit.locked(lp.catalog.puma560(), {"joint3": 0.4}).joint("joint3")
    assert weld.motion == Fixed()
    assert (weld.viscous_friction, weld.rotor_inertia, weld.limits) == ((), (), ())
    assert weld.link_offset == lp.catalog.puma560().joint("joint3").link_offset


def test_followers_of_a_locked_joint_are_locked_with_it():
    robot = lp.catalog.panda(hand=True)
    locked = edit.locked(robot, {"panda_finger_joint1": 0.03})
    assert locked.n == 7
    assert locked.joint("panda_finger_joint2").motion == Fixed()
    assert locked.joint("panda_finger_joint2").mimic is None
    q = [0.1, -0.4, 0.3, -1.2, 0.5, 1.0, 0.2]
    expected = to_pinocchio(robot).link_poses([*q, 0.03])
    np.testing.assert_allclose(to_pinocchio(locked).link_poses(q), expected, atol=1e-14)


def test_followers_of_followers_are_locked_too():
    chain = lp.catalog.planar(3)
    followers = {"joint2": Mimic("joint1", 2.0, 0.1), "joint3": Mimic("joint2", -1.0, 0.3)}
    robot = replace(chain, joints=tuple(replace(j, mimic=followers.get(j.name)) for j in chain.joints))
    assert robot.n == 1
    locked = edit.locked(robot, {"joint1": 0.2})
    assert locked.n == 0
    expected = to_pinocchio(chain).link_poses([0.2, 0.5, -0.2])
    np.testing.assert_allclose(to_pinocchio(locked).link_poses([]), expected, atol=1e-14)


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ({"panda_joint9": 0.0}, r"no joint 'panda_joint9'; did you mean"),
        ({"panda_finger_joint2": 0.0}, r"follows joint 'panda_finger_joint1' and cannot be locked by itself"),
        ({"panda_joint8": 0.0}, r"joint 'panda_joint8' is fixed: there is nothing to lock"),
        ({"panda_joint1": (0.0, 1.0)}, r"joint 'panda_joint1' at has 2 numbers, \[0.0, 1.0\]: expected 1"),
        ({"panda_joint1": float("nan")}, r"joint 'panda_joint1' at is nan: expected a finite number"),
        ({"panda_joint1": "90deg"}, r"joint 'panda_joint1' at is '90deg': expected a number"),
        (["panda_joint1"], r"expected a dict"),
    ],
)
def test_bad_positions_to_lock_are_refused(positions, message):
    with pytest.raises(ValueError, match=message):
        edit.locked(lp.catalog.panda(hand=True), positions)


def test_several_coordinates_must_be_given_all():
    robot = lp.catalog.random_chain(1, 0, joints="spherical")
    with pytest.raises(ValueError, match=r"'joint1' at is 0.5: expected 4 numbers"):
        edit.locked(robot, {"joint1": 0.5})
    with pytest.raises(ValueError, match=r"quaternion \[0.0, 0.0, 0.0, 0.0\]"):
        edit.locked(robot, {"joint1": (0, 0, 0, 0)})


def test_locking_outside_the_limits_warns_of_degrees():
    with pytest.warns(ModelWarning, match=r"'joint2' is locked at 90.0 \(degrees\?\), outside its limits"):
        edit.locked(lp.catalog.puma560(), {"joint2": 90})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        edit.locked(lp.catalog.puma560(), {"joint2": 1.0})


# Floating bases


def test_a_floating_robot_stands_where_it_stood_and_is_held_by_the_same_forces():
    robot = lp.catalog.panda()
    free = edit.floating(robot)
    assert (free.n, free.nq, free.link_names[0], free.base.inertia.is_zero) == (13, 14, "world", True)
    assert free.dof_names[:6] == tuple(f"floating_base.{v}" for v in ("vx", "vy", "vz", "wx", "wy", "wz"))
    q, qd, qdd = random_state(robot, np.random.default_rng(3))
    still = np.zeros(6)
    at_home = np.concatenate([free.neutral()[:7], q])
    fixed = to_pinocchio(robot)
    np.testing.assert_allclose(to_pinocchio(free).link_poses(at_home)[1:], fixed.link_poses(q), atol=1e-14)
    forces = free.inverse_dynamics(at_home, np.r_[still, qd], np.r_[still, qdd])
    np.testing.assert_allclose(forces[6:], fixed.inverse_dynamics(q, qd, qdd), atol=1e-12)
    weight = to_pinocchio(free).gravity_forces(at_home)[:3]
    np.testing.assert_allclose(weight, [0, 0, 9.81 * sum(k.inertia.mass for k in robot.links)], atol=1e-12)


def test_a_floating_robot_agrees_with_pinocchio_in_any_state():
    free = edit.floating(lp.catalog.panda(), name="boat")
    q, qd, qdd = random_state(free, np.random.default_rng(4))
    expected = to_pinocchio(free).inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(free.inverse_dynamics(q, qd, qdd), expected, atol=1e-12 * abs(expected).max())


def test_a_robot_floats_only_once():
    with pytest.raises(ValueError, match=r"floats already, by its joint 'floating_base'"):
        edit.floating(edit.floating(lp.catalog.panda()), name="again")
    with pytest.raises(ValueError, match=r"has a joint 'panda_joint1' already"):
        edit.floating(lp.catalog.panda(), name="panda_joint1")


def mounted_on_world(mass=0.0, motion=None):
    world = Link("world", Inertia(mass))
    mount = Joint("mount", "world", "base", motion or Fixed(), Pose.from_xyz_rpy((0, 0, 1), (0.3, 0, 0)))
    hinge = Joint("hinge", "base", "arm", Revolute())
    return RobotModel("mounted", (world, Link("base", BOX), Link("arm", BOX)), (mount, hinge))


def test_the_weld_of_a_robot_to_a_link_called_world_is_set_free():
    robot = mounted_on_world()
    free = edit.floating(robot)
    assert free.joint_names == ("floating_base", "hinge")
    assert (free.joints[0].motion, free.joints[0].origin) == (Free(), robot.joint("mount").origin)
    assert free.link_names == robot.link_names


@pytest.mark.parametrize("robot", [mounted_on_world(mass=5.0), mounted_on_world(motion=Revolute())])
def test_another_link_called_world_is_in_the_way(robot):
    with pytest.raises(ValueError, match=r"has a link 'world' that is not a bare mount"):
        edit.floating(robot)


def test_the_new_base_may_have_another_name():
    assert edit.floating(mounted_on_world(mass=5.0), world="ground").link_names[:2] == ("ground", "world")


def test_a_massless_base_set_free_warns():
    with pytest.warns(ModelWarning, match="'base': no mass, though joint 'floating_base' moves it"):
        edit.floating(lp.catalog.planar(2))


# Drives


def test_drives_come_off():
    robot = lp.catalog.random_chain(4, 2, drives=True)
    smooth, light = edit.without_friction(robot), edit.without_rotors(robot)
    for before, after in zip(robot.joints, smooth.joints, strict=True):
        assert after.viscous_friction == after.coulomb_friction == (0.0,)
        assert after.reflected_inertia == before.reflected_inertia > (0.0,)
    for before, after in zip(robot.joints, light.joints, strict=True):
        assert (after.rotor_inertia, after.gear_ratio) == ((0.0,), (1.0,))
        assert after.viscous_friction == before.viscous_friction > (0.0,)
    assert edit.without_rotors(smooth) == edit.without_friction(light) == lp.catalog.random_chain(4, 2)


def test_limits_stay_when_drives_come_off():
    assert edit.without_friction(lp.catalog.panda()) == lp.catalog.panda()
    assert edit.without_rotors(lp.catalog.panda()).joint("panda_joint1").limits == (
        Limits(-2.8973, 2.8973, 2.175, 87.0),
    )


def test_errors_of_the_robot_are_model_errors():
    with pytest.raises(ModelError):
        edit.with_payload(lp.catalog.panda(), mass=float("nan"))


def test_a_warning_names_the_line_that_made_it() -> None:
    with pytest.warns(lp.ModelWarning, match="no mass") as told:
        lp.catalog.stanford_arm().floating()
    assert told[0].filename == __file__
