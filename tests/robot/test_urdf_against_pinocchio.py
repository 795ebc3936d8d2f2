"""Every real robot, read here and by Pinocchio: poses of all links, inertias, limits and friction must agree."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pinocchio as pin
import pytest

from loadpath.errors import ModelWarning
from loadpath.files.opening import open_robot
from loadpath.robot.inertia import Inertia
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from real_robots import REAL_ROBOTS, REFUSED

READABLE = sorted(REAL_ROBOTS.keys() - REFUSED.keys())
# Pinocchio cannot do with mimics what it cannot find above them in the tree.
NO_MIMICS_IN_PINOCCHIO = {
    "romeo_description/romeo",
    "talos_data/talos_full_v2",
    "talos_data/talos_full_v2_box",
}


@cache
def load(name: str) -> RobotModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return open_robot(REAL_ROBOTS[name]).tree


@cache
def read_by_pinocchio(name: str) -> pin.Model:
    return pin.buildModelFromUrdf(str(REAL_ROBOTS[name]))


def joint_positions(robot: RobotModel, seed: int = 1) -> dict[str, float]:
    """A position for each moving joint, mimics obeyed."""
    random = np.random.default_rng(seed)
    free = {joint.name: float(random.uniform(-1, 1)) for joint in robot.joints if joint.motion.dof}
    follow = {joint.name: robot.mimic_of(joint) for joint in robot.joints if joint.motion.dof}
    return {name: mimic.multiplier * free[mimic.joint] + mimic.offset for name, mimic in follow.items()}


def joint_pose(joint: Joint, position: float) -> Pose:
    """Pose of the child link in the parent link."""
    turn, displacement = joint.motion.placement(np.array([position] * joint.motion.dof))
    columns = [turn @ np.eye(3)[:, i] for i in range(3)]
    motion = Pose(np.array(columns, dtype=float).T.tolist(), np.array(displacement, dtype=float).tolist())
    return joint.origin @ motion @ joint.link_offset


def link_poses(robot: RobotModel, positions: dict[str, float]) -> dict[str, Pose]:
    poses = {robot.base.name: Pose()}
    for joint in robot.joints:
        poses[joint.child] = poses[joint.parent] @ joint_pose(joint, positions.get(joint.name, 0.0))
    return poses


def pinocchio_poses(model: pin.Model, positions: dict[str, float]) -> dict[str, np.ndarray]:
    q = pin.neutral(model)
    for joint, name in zip(model.joints, model.names, strict=True):
        if name in positions and joint.nq == 1:
            q[joint.idx_q] = positions[name]
        elif name in positions and joint.nq == 2:  # continuous: cosine and sine
            q[joint.idx_q : joint.idx_q + 2] = np.cos(positions[name]), np.sin(positions[name])
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    frames = zip(model.frames, data.oMf, strict=True)
    return {frame.name: pose.homogeneous.copy() for frame, pose in frames if frame.type == pin.FrameType.BODY}


def merged_inertias(robot: RobotModel) -> dict[str, Inertia]:
    """Links welded together as one body, by the joint that moves them ("universe": none), in that joint's link."""
    home = {robot.base.name: ("universe", Pose())}
    bodies = {"universe": robot.base.inertia}
    for joint in robot.joints:
        inertia = robot.link(joint.child).inertia
        if joint.motion.dof:
            home[joint.child] = (joint.name, Pose())
            bodies[joint.name] = inertia
        else:
            body, pose = home[joint.parent]
            home[joint.child] = (body, pose @ joint_pose(joint, 0.0))
            bodies[body] += inertia.seen_from(home[joint.child][1])
    return bodies


def test_there_are_robots_to_compare() -> None:
    assert len(READABLE) >= 60


@pytest.mark.parametrize("name", READABLE)
def test_every_link_stands_where_pinocchio_puts_it(name: str) -> None:
    robot = load(name)
    model = read_by_pinocchio(name)
    positions = joint_positions(robot)
    expected = pinocchio_poses(model, positions)
    ours = link_poses(robot, positions)
    assert ours.keys() == expected.keys()
    for link, pose in ours.items():
        np.testing.assert_allclose(pose.matrix, expected[link], atol=1e-12, err_msg=link)


@pytest.mark.parametrize("name", READABLE)
def test_every_body_weighs_what_pinocchio_finds(name: str) -> None:
    robot = load(name)
    model = read_by_pinocchio(name)
    bodies = merged_inertias(robot)
    assert bodies.keys() == set(model.names)
    for joint, theirs in zip(model.names, model.inertias, strict=True):
        ours = bodies[joint]
        assert ours.mass == pytest.approx(theirs.mass, rel=1e-13)
        np.testing.assert_allclose(ours.first_moment, theirs.mass * theirs.lever, atol=1e-13 * (1 + ours.mass))
        size = max(np.abs(theirs.inertia).max(), ours.mass)
        np.testing.assert_allclose(ours.tensor, theirs.inertia, atol=1e-13 * size, err_msg=joint)
    assert sum(link.inertia.mass for link in robot.links) == pytest.approx(sum(i.mass for i in model.inertias))


@pytest.mark.parametrize("name", READABLE)
def test_limits_and_friction_are_those_of_pinocchio(name: str) -> None:
    robot = load(name)
    model = read_by_pinocchio(name)
    for index, (joint, joint_name) in enumerate(zip(model.joints, model.names, strict=True)):
        if index == 0:
            continue
        ours = robot.joint(joint_name)
        (limits,) = ours.limits
        assert limits.velocity == pytest.approx(model.velocityLimit[joint.idx_v]), joint_name
        assert limits.effort == pytest.approx(model.effortLimit[joint.idx_v]), joint_name
        if joint.nq == 1:
            assert limits.lower == model.lowerPositionLimit[joint.idx_q], joint_name
            assert limits.upper == model.upperPositionLimit[joint.idx_q], joint_name
        else:
            assert (limits.lower, limits.upper) == (-np.inf, np.inf)
        assert ours.viscous_friction == (model.damping[joint.idx_v],), joint_name
        assert ours.coulomb_friction == (model.friction[joint.idx_v],), joint_name


MIMICKING = [name for name in READABLE if b"<mimic" in REAL_ROBOTS[name].read_bytes()]


@pytest.mark.parametrize("name", [name for name in MIMICKING if name not in NO_MIMICS_IN_PINOCCHIO])
def test_mimics_follow_as_in_pinocchio(name: str) -> None:
    robot = load(name)
    model = pin.buildModelFromUrdf(str(REAL_ROBOTS[name]), mimic=True)
    # A continuous joint has two coordinates there and one here; speeds are counted alike.
    assert robot.n == model.nv
    positions = joint_positions(robot)
    expected = pinocchio_poses(model, positions)
    for link, pose in link_poses(robot, positions).items():
        np.testing.assert_allclose(pose.matrix, expected[link], atol=1e-12, err_msg=link)
