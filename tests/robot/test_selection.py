"""Every joint given six freedoms, and the selection of those that a robot has: chapters 3 and 4 of Lau's thesis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms.composite_body import mass_matrix
from loadpath.formulations import newton_euler
from loadpath.robot.mechanism import plain
from loadpath.scalars import array
from on_scalars import on_arrays
from references.to_pinocchio import random_state

LAU = {"theta1": "rz", "theta2": "ry", "d2": "-x"}
PUMA = {f"joint{k}": "rz" for k in range(1, 7)}


def states(robot: lp.Robot, seed: int = 1, count: int = 5) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    return [random_state(robot, rng) for _ in range(count)]


def assert_same_dynamics(found: lp.Robot, wanted: lp.Robot) -> None:
    """Forces, wrenches at every joint, mass matrix: to 1e-12."""
    for q, qd, qdd in states(wanted):
        for function, state in (
            (newton_euler.inverse_dynamics, (q, qd, qdd)),
            (newton_euler.joint_wrenches, (q, qd, qdd)),
            (newton_euler.gravity_forces, (q,)),
            (mass_matrix, (q,)),
        ):
            ours, theirs = (on_arrays(function, plain(robot), *state) for robot in (found, wanted))
            size = max(np.abs(np.asarray(theirs)).max(), 1.0)
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * size)


# The robots of chapter 4


def test_laus_arm_comes_out_of_a_generalized_manipulator() -> None:
    wide = lp.catalog.lau_arm().generalized()
    assert wide.n == 18
    assert wide.reduced(LAU) == lp.catalog.lau_arm()
    assert wide.reduced(list(LAU.values())) == lp.catalog.lau_arm()


def test_the_puma_comes_out_of_a_generalized_manipulator() -> None:
    arm = lp.catalog.puma560()
    found = arm.generalized().reduced(PUMA)
    assert found.n == 6
    assert_same_dynamics(found, arm)
    for ours, theirs in zip(found.joints, arm.joints, strict=True):
        assert ours == replace(theirs, limits=ours.limits)  # all but the limits of position: six freedoms have none


def test_other_robots_come_back() -> None:
    """Axes of any direction, zeros of angles, welds, several freedoms."""
    robot = lp.catalog.random_tree(9, 3, ["revolute", "prismatic", "fixed", "generalized", "cylindrical"], general=True)
    turned = [replace(j, motion=replace(j.motion, zero=0.4)) if isinstance(j.motion, lp.Cylindrical) else j
              for j in robot.joints]
    robot = replace(robot, joints=tuple(turned))
    selection: dict[str, object] = {}
    for joint in robot.joints:
        motion = joint.motion
        if isinstance(motion, lp.Generalized):
            selection[joint.name] = motion.freedoms
        elif isinstance(motion, lp.Cylindrical):
            selection[joint.name] = [("turn", motion.axis), ("slide", motion.axis)]
        elif motion.dof:
            selection[joint.name] = ("turn" if motion.angular[0] else "slide", motion.axis)
    wide = robot.generalized()
    assert wide.n == 6 * sum(joint.motion.dof > 0 for joint in robot.joints)
    assert_same_dynamics(wide.reduced(selection), robot)


def test_the_two_link_arm_of_chapter_3_is_the_three_link_one_of_chapter_4() -> None:
    two, three = lp.catalog.lau_arm(joints=2), lp.catalog.lau_arm()
    assert two.dof_names == ("theta1", "joint2.ry", "joint2.x")
    for state in states(three):
        tau = three.inverse_dynamics(*state)
        np.testing.assert_allclose(two.inverse_dynamics(*state), tau, atol=1e-12 * np.abs(tau).max())
        force, torque = on_arrays(newton_euler.joint_wrenches, plain(three), *state)
        found = on_arrays(newton_euler.joint_wrenches, plain(two), *state)
        size = max(np.abs(force).max(), np.abs(torque).max())
        np.testing.assert_allclose(found[0], force[[0, 2]], atol=1e-12 * size)
        np.testing.assert_allclose(found[1], torque[[0, 2]], atol=1e-12 * size)
    assert lp.verify(two).worst < 1e-12
    wide = two.generalized()
    assert wide.reduced(["rz", ("ry", "-x")]) == two


def test_a_generalized_manipulator_of_the_catalog_reduced_to_a_plane_arm() -> None:
    """Bars on hinges about -y are the rods of `planar`, but for what they have about their own axes."""
    bars = lp.catalog.generalized(2, length=1.0, mass=1.0, radius=1e-6).reduced(["-ry", "-ry"])
    rods = lp.catalog.planar(2)
    for q, qd, qdd in states(rods):
        wanted = on_arrays(newton_euler.inverse_dynamics, plain(rods), q, qd, qdd)
        found = on_arrays(newton_euler.inverse_dynamics, plain(bars), q, qd, qdd)
        np.testing.assert_allclose(found, wanted, atol=1e-11 * np.abs(wanted).max())


# What the removed freedoms carry


def as_free(robot: lp.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list[np.ndarray]:
    """The motion of a robot as that of its generalized manipulator: pose, twist and its rate for every joint."""
    found: list[list[float]] = [[], [], []]
    for joint in robot.joints:
        if not joint.motion.dof:
            continue
        at, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        own, speeds = array(q[at].tolist()), array(qd[v].tolist())
        turn, shift = joint.motion.placement(own)
        found[0] += lp.Free().coordinates_at(turn.matrix().astype(float), shift.astype(float)).tolist()
        S, rate = (np.array([[*linear, *angular] for angular, linear in columns], dtype=float)
                   for columns in (joint.motion.subspace(own), joint.motion.subspace_rate(own, speeds)))
        found[1] += (S.T @ qd[v]).tolist()
        found[2] += (S.T @ qdd[v] + rate.T @ qd[v]).tolist()
    return [np.array(part) for part in found]


@pytest.mark.parametrize("make", [lp.catalog.lau_arm, lambda: lp.catalog.lau_arm(joints=2), lp.catalog.puma560])
def test_forces_of_the_generalized_manipulator_are_the_joint_wrenches(make: object) -> None:
    """At the motion of the robot: in the directions that were removed, the reactions of the joints."""
    robot = make().without_friction().without_rotors()
    wide = robot.generalized()
    for state in states(robot, count=3):
        tau = on_arrays(newton_euler.inverse_dynamics, plain(wide), *as_free(robot, *state))
        force, torque = on_arrays(newton_euler.joint_wrenches, plain(robot), *state)
        size = np.abs(tau).max()
        moving = [k for k, joint in enumerate(robot.joints) if joint.motion.dof]
        np.testing.assert_allclose(tau.reshape(-1, 6)[:, :3], force[moving], atol=1e-12 * size)
        np.testing.assert_allclose(tau.reshape(-1, 6)[:, 3:], torque[moving], atol=1e-12 * size)


# Where the others are held


def test_what_is_removed_is_held_where_it_is_said() -> None:
    wide = lp.catalog.generalized(1)
    held = wide.reduced({"joint1": "rz"}, at={"joint1": (0.1, 0.2, 0.3, 0.0, np.sin(0.2), 0.0, np.cos(0.2))})
    pose = np.eye(4)
    pose[:3, 3] = 0.1, 0.2, 0.3
    pose[:3, :3] = lp.Pose.from_xyz_rpy((0, 0, 0), (0, 0.4, 0)).R
    np.testing.assert_allclose(held.joints[0].origin.matrix, pose, atol=1e-15)
    weld = wide.reduced({"joint1": ()})
    assert weld.n == 0
    assert weld.joint("joint1").motion == lp.Fixed()


def test_drives_and_limits_stay_with_their_freedom() -> None:
    limits = tuple(lp.Limits(-k, k + 1.0, k, 10.0 * k) for k in (1.0, 2.0, 3.0))
    links = (lp.Link("base"), lp.Link("a", lp.Inertia.from_moments(1.0, ixx=0.1, iyy=0.1, izz=0.1)))
    joint = lp.Joint("j", "base", "a", lp.Generalized("rz y x"), viscous_friction=(1, 2, 3), coulomb_friction=(4, 5, 6),
                     rotor_inertia=(1e-3, 2e-3, 3e-3), gear_ratio=(7, 8, 9), limits=limits)
    robot = lp.Robot("r", links, (joint,))
    made = robot.reduced({"j": ("rz", "-x")}).joint("j")
    assert made.motion == lp.Generalized(("rz", "-x"))
    assert (made.viscous_friction, made.coulomb_friction) == ((1.0, 3.0), (4.0, 6.0))
    assert (made.rotor_inertia, made.gear_ratio) == ((1e-3, 3e-3), (7.0, 9.0))
    assert made.limits == (limits[0], lp.Limits(-4.0, 3.0, 3.0, 30.0))
    moved = robot.reduced({"j": "rz"}, at={"j": (0.5, 0.1, 0.2)}).joint("j")
    assert moved.motion == lp.Revolute()
    assert moved.limits[0] == lp.Limits(-1.5, 1.5, 1.0, 10.0)


def test_what_keeps_all_stays_as_it_is() -> None:
    robot = lp.catalog.random_chain(3, 1, ["spherical", "universal", "free"], general=False)
    assert robot.reduced(["rx ry rz", "rx ry", None]) == robot
    assert robot.reduced({}) == robot
    assert robot.reduced({"joint3": "all"}) == robot
    assert robot.reduced({"joint1": "ry rz"}).joint("joint1").motion == lp.Generalized("ry rz")


# What is refused


def mimicking() -> lp.Robot:
    arm = lp.catalog.planar(3)
    follower = replace(arm.joints[2], mimic=lp.Mimic("joint1"))
    return replace(arm, joints=(*arm.joints[:2], follower, *arm.joints[3:]))


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: lp.catalog.planar(2).reduced({"joint1": "rx"}), "does not move as 'rx' alone"),
        (lambda: lp.catalog.planar(2).reduced({"joint1": "rz x"}), "robot.generalized() gives the joints all six"),
        (lambda: lp.catalog.planar(2).reduced({"joint9": "rz"}), "no joint 'joint9'"),
        (lambda: lp.catalog.planar(2).reduced({"tip_joint": "rz"}), "joint 'tip_joint' is fixed"),
        (lambda: lp.catalog.planar(2).reduced(["rz"]), "selection has 1 entries"),
        (lambda: lp.catalog.planar(2).reduced("rz"), "selection is 'rz'"),
        (lambda: lp.catalog.generalized(1).reduced(["rz rz"]), "selection of joint 'joint1'"),
        (lambda: lp.catalog.generalized(1).reduced(["roll"]), "'roll' is not one"),
        (lambda: lp.catalog.generalized(1).reduced({}, at={"joint1": [0] * 7}), "leaves as it is"),
        (lambda: lp.catalog.generalized(1).reduced(["rz"], at={"joint1": [0] * 7}), "quaternion"),
        (lambda: lp.catalog.generalized(1).reduced(["rz"], at={"joint1": [0] * 3}), "joint 'joint1'"),
        (lambda: lp.catalog.generalized(1).reduced(["rz"], at=[0.0]), "at is [0.0]"),
        (lambda: mimicking().reduced({"joint3": "rz"}), "follows 'joint1'"),
        (lambda: mimicking().reduced({"joint1": "-rz"}), "followed by a mimicking joint"),
        (lambda: mimicking().generalized(), "which only joints with one freedom do"),
        (lambda: lp.catalog.planar(2).generalized(["joint7"]), "no joint 'joint7'"),
        (lambda: lp.catalog.planar(2).generalized(3), "expected names like ['joint1', 'joint2']"),
        (lambda: lp.catalog.four_bar().reduced({}), "change those of robot.tree"),
        (lambda: lp.catalog.four_bar().generalized(), "change those of robot.tree"),
        (lambda: lp.catalog.lau_arm(joints=4), "expected 3, or 2"),
    ],
)
def test_what_is_refused(ask: object, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        ask()
    assert words in str(caught.value)


def test_mimics_are_held_with_the_joint_that_they_follow() -> None:
    robot = mimicking()
    assert robot.reduced({"joint1": (), "joint2": None}) == robot.locked({"joint1": 0.0})
    assert robot.generalized(["joint2"]).n == 7
    assert robot.reduced({"joint1": "rz"}) == robot


def test_a_drive_on_a_slanted_axis_finds_no_place_among_the_six() -> None:
    robot = lp.catalog.random_chain(1, 1, "revolute", general=True, drives=True)
    with pytest.raises(lp.ModelError, match="its axis is none of x, y, z"):
        robot.generalized()
    assert robot.without_friction().without_rotors().generalized().n == 6


def test_beams_are_for_afterwards() -> None:
    beam = lp.Beam(lp.Tube(outer_radius=0.04, wall=0.003), lp.ALUMINIUM, end="joint2")
    arm = lp.catalog.planar(2, mass=3.0).with_beams({"link1": beam})
    for ask in (arm.generalized, lambda: arm.reduced({})):
        with pytest.raises(lp.ModelError, match=r"robot.without_beams\(\)"):
            ask()
    assert arm.without_beams().reduced({"joint2": ()}).n == 1
