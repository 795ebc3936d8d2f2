"""Inverse kinematics: reachable targets are reached within limits, others are told, bad ones refused."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import loadpath as lp
from loadpath.algorithms.pose_steps import inverse_kinematics_step
from loadpath.closure.chain import Ranges
from loadpath.robot.mechanism import plain
from on_scalars import entries
from real_robots import REAL_ROBOTS

POSITION_ONLY = (1, 1, 1, 0, 0, 0)


def quietly_loaded(name: str) -> lp.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return lp.load(REAL_ROBOTS[name])


def somewhere(robot: lp.Robot, count: int, seed: int = 1) -> np.ndarray:
    """Random configurations within the limits."""
    ranges = Ranges(robot, 0.5)
    return ranges.anywhere(np.broadcast_to(ranges.middle(), (count, robot.nq)), np.random.default_rng(seed))


def pose_of(robot: lp.Robot, q: np.ndarray, link: str) -> np.ndarray:
    return robot.link_poses(q)[..., robot.link_names.index(link), :, :]


def off_by(pose: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    """Largest distance and angle between poses, by SciPy."""
    turns = Rotation.from_matrix(pose[..., :3, :3].reshape(-1, 3, 3)).inv() * Rotation.from_matrix(
        target[..., :3, :3].reshape(-1, 3, 3)
    )
    return float(np.linalg.norm(pose[..., :3, 3] - target[..., :3, 3], axis=-1).max()), float(turns.magnitude().max())


def check_answers(robot: lp.Robot, link: str, targets: np.ndarray, answer: lp.IKResult) -> None:
    """What counts as reached is, by forward kinematics, and all is within the limits."""
    reached = answer.reached
    distance, angle = off_by(pose_of(robot, answer.q[reached], link), targets[reached])
    assert distance <= 1.001e-6 and angle <= 1.001e-6
    ranges = Ranges(robot, 1.0)
    assert ((answer.q >= ranges.lower) & (answer.q <= ranges.upper)).all()


# Reaching


ARMS = {
    "panda": (lp.catalog.panda, "panda_link8", 0.999),
    "ur5": (lp.catalog.ur5, "link6", 0.998),
    "puma560": (lp.catalog.puma560, "link6", 0.995),
    "stanford_arm": (lp.catalog.stanford_arm, "tool", 0.998),
    "arm of talos": (lambda: quietly_loaded("talos_data/talos_reduced"), "gripper_left_base_link", 0.999),
}


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.filterwarnings("ignore::loadpath.UnreachedWarning")
def test_random_reachable_targets_are_reached(name: str) -> None:
    make, link, share = ARMS[name]
    robot = make()
    targets = pose_of(robot, somewhere(robot, 2000), link)
    answer = robot.inverse_kinematics(targets, link)
    assert answer.reached.mean() >= share
    check_answers(robot, link, targets, answer)


def test_a_start_near_the_answer_finds_the_answer_nearby() -> None:
    robot = lp.catalog.ur5()
    q = somewhere(robot, 200, seed=2)
    targets = pose_of(robot, q, "link6")
    answer = robot.inverse_kinematics(targets, q0=np.clip(q + 0.01, -6.2, 6.2), restarts=0)
    assert answer.reached.mean() > 0.98
    close = answer.reached & (np.abs(np.linalg.det(robot.jacobian(q, "link6"))) > 1e-2)
    assert np.abs(answer.q - q)[close].max() < 0.2
    assert answer.iterations[close].max() < 12


def test_a_start_at_the_answer_takes_no_step() -> None:
    robot = lp.catalog.panda()
    q = somewhere(robot, 5)
    answer = robot.inverse_kinematics(pose_of(robot, q, "panda_link8"), q0=q)
    assert answer.iterations.tolist() == [0] * 5
    assert answer.q.tolist() == q.tolist()


def test_shapes_broadcast() -> None:
    robot = lp.catalog.panda()
    targets = pose_of(robot, somewhere(robot, 6), "panda_link8").reshape(2, 3, 4, 4)
    single = robot.inverse_kinematics(targets[0, 0])
    assert single.q.shape == (7,) and single.reached.shape == () and bool(single.reached)
    grid = robot.inverse_kinematics(targets, q0=somewhere(robot, 3, seed=5))
    assert grid.q.shape == (2, 3, 7) and grid.reached.shape == grid.iterations.shape == (2, 3)
    again = robot.inverse_kinematics(targets, q0=somewhere(robot, 3, seed=5))
    assert again.q.tolist() == grid.q.tolist()
    nothing = robot.inverse_kinematics(np.empty((0, 4, 4)))
    assert nothing.q.shape == (0, 7)


def test_only_joints_on_the_way_move() -> None:
    robot = quietly_loaded("talos_data/talos_reduced")
    link = "gripper_left_base_link"
    q = somewhere(robot, 20)
    answer = robot.inverse_kinematics(pose_of(robot, q, link), link, q0=somewhere(robot, 20, seed=3))
    moved = np.abs(answer.q - Ranges(robot, 1.0).clipped(somewhere(robot, 20, seed=3))).max(axis=0)
    on_way = {name for name, at in robot.q_slices.items() if moved[at].max() > 0}
    assert on_way <= {name for name in robot.joint_names if "torso" in name or "arm_left" in name}
    assert answer.reached.all()


def test_a_floating_robot_reaches_everything() -> None:
    robot = lp.catalog.random_tree(5, 61, general=True).floating()
    link = robot.link_names[-1]
    rng = np.random.default_rng(4)
    targets = np.tile(np.eye(4), (50, 1, 1))
    targets[:, :3, :3] = Rotation.random(50, rng=rng).as_matrix()
    targets[:, :3, 3] = rng.uniform(-3, 3, (50, 3))
    answer = robot.inverse_kinematics(targets, link)
    assert answer.reached.all()
    check_answers(robot, link, targets, answer)
    assert np.linalg.norm(answer.q[:, 3:7], axis=1) == pytest.approx(1)


def test_joints_of_every_kind() -> None:
    robot = lp.catalog.random_chain(8, 63, "all", general=True)
    link = robot.link_names[-1]
    targets = pose_of(robot, somewhere(robot, 100), link)
    answer = robot.inverse_kinematics(targets, link)
    assert answer.reached.mean() > 0.98
    check_answers(robot, link, targets[answer.reached], robot.inverse_kinematics(targets[answer.reached], link))


def test_limits_of_a_mimicking_joint_hold_for_the_one_it_follows() -> None:
    arm = lp.catalog.planar(3)
    first, second, *rest = arm.joints
    follower = replace(second, mimic=lp.Mimic(first.name, 2.0, 0.1), limits=(lp.Limits(-0.5, 0.7),))
    robot = replace(arm, joints=(replace(first, limits=(lp.Limits(-1.0, 1.0),)), follower, *rest))
    ranges = Ranges(robot, 1.0)
    assert ranges.lower[0] == pytest.approx(-0.3) and ranges.upper[0] == pytest.approx(0.3)
    q = somewhere(robot, 30)
    answer = robot.inverse_kinematics(pose_of(robot, q, robot.link_names[-1]))
    assert answer.reached.all()
    assert (np.abs(answer.q[:, 0]) <= 0.3).all()


def test_a_target_half_a_turn_away_is_not_taken_for_reached() -> None:
    """At exactly half a turn the rotation has no direction; its angle still counts."""
    robot = lp.catalog.random_chain(1, 1, ("spherical",))
    target = pose_of(robot, np.array([0.0, 0.0, 0.0, 1.0]), robot.link_names[-1]).copy()
    for axis in range(3):
        turned = target.copy()
        turned[:3, :3] = target[:3, :3] @ np.diag([1.0 if k == axis else -1.0 for k in range(3)])
        with pytest.warns(lp.UnreachedWarning):
            stuck = robot.inverse_kinematics(turned, q0=[0, 0, 0, 1], weights=(0, 0, 0, 1, 1, 1), restarts=0)
        assert stuck.rotation_error == pytest.approx(np.pi)
        assert robot.inverse_kinematics(turned, q0=[0, 0, 0, 1], weights=(0, 0, 0, 1, 1, 1)).reached


def test_units_do_not_matter() -> None:
    """A robot ten times as large reaches targets ten times as far by the same steps."""
    small, large = lp.catalog.planar(3, length=0.3), lp.catalog.planar(3, length=3.0)
    q = somewhere(small, 20)
    for robot in (small, large):
        robot_targets = pose_of(robot, q, robot.link_names[-1])
        answer = robot.inverse_kinematics(robot_targets, tolerance_position=1e-6 * 10 * (robot is large) + 1e-7)
        assert answer.reached.all()


# Not reaching


def test_targets_out_of_reach_are_told() -> None:
    robot = lp.catalog.panda()
    targets = pose_of(robot, somewhere(robot, 4), "panda_link8").copy()
    targets[[1, 3], 0, 3] = 5.0
    with pytest.warns(lp.UnreachedWarning, match=r"does not reach 2 of 4 targets \(\[1\], \[3\]\).* off by \d") as told:
        answer = robot.inverse_kinematics(targets)
    assert told[0].filename == __file__
    assert answer.reached.tolist() == [True, False, True, False]
    assert (answer.position_error[[1, 3]] > 3).all()
    check_answers(robot, "panda_link8", targets, answer)
    with pytest.raises(ValueError, match="does not reach 2 of 4"):
        robot.inverse_kinematics(targets, strict=True)


@pytest.mark.filterwarnings("ignore::loadpath.UnreachedWarning")
def test_out_of_reach_it_stretches_towards_the_target() -> None:
    arm = lp.catalog.planar(3, length=0.5)
    target = np.eye(4)
    target[:3, 3] = pose_of(arm, np.zeros(3), arm.link_names[-1])[:3, 3] * 2
    answer = arm.inverse_kinematics(target, weights=POSITION_ONLY)
    assert not answer.reached
    assert answer.position_error == pytest.approx(1.5, abs=1e-4)


@pytest.mark.filterwarnings("ignore::loadpath.UnreachedWarning")
def test_with_fewer_than_six_joints_the_nearest_is_found() -> None:
    """A planar arm cannot tilt: positions in its plane are reached, poses out of it only as near as can be."""
    arm = lp.catalog.planar(3, length=0.5)
    tip = arm.link_names[-1]
    targets = pose_of(arm, somewhere(arm, 40), tip)
    assert arm.inverse_kinematics(targets).reached.all()
    normal = np.abs(arm.jacobian([0.1, 0.2, 0.3], tip)[:3]).sum(axis=1).argmin()
    lifted = targets.copy()
    lifted[:, normal, 3] += 0.2
    answer = arm.inverse_kinematics(lifted)
    assert not answer.reached.any()
    assert answer.position_error == pytest.approx(0.2, abs=0.02)


def test_weights_leave_out_what_does_not_count() -> None:
    robot = lp.catalog.ur5()
    target = pose_of(robot, somewhere(robot, 1)[0], "link6").copy()
    target[:3, :3] = Rotation.random(rng=np.random.default_rng(1)).as_matrix()
    position = robot.inverse_kinematics(target, weights=POSITION_ONLY)
    assert position.reached and position.rotation_error == 0
    assert pose_of(robot, position.q, "link6")[:3, 3] == pytest.approx(target[:3, 3], abs=1e-6)
    rotation = robot.inverse_kinematics(target, weights=(0, 0, 0, 1, 1, 1))
    assert rotation.reached and rotation.position_error == 0
    assert off_by(pose_of(robot, rotation.q, "link6"), target)[1] < 1e-6


def test_a_link_that_nothing_moves() -> None:
    robot = lp.catalog.panda()
    base = pose_of(robot, np.zeros(7), robot.link_names[0])
    assert robot.inverse_kinematics(base, robot.link_names[0]).reached
    with pytest.warns(lp.UnreachedWarning):
        assert not robot.inverse_kinematics(pose_of(robot, np.zeros(7), "panda_link8"), robot.link_names[0]).reached


def test_a_robot_that_cannot_move_at_all() -> None:
    weld = lp.Robot("weld", (lp.Link("base"), lp.Link("tip")), (lp.Joint("weld", "base", "tip", lp.Fixed()),))
    answer = weld.inverse_kinematics(np.tile(np.eye(4), (2, 1, 1)))
    assert answer.reached.all() and answer.q.shape == (2, 0)


# Faults


def bad(row: int, **change: float) -> np.ndarray:
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[row][tuple(int(c) for c in next(iter(change))[1:])] = next(iter(change.values()))
    return poses


@pytest.mark.parametrize(
    ("pose", "message"),
    [
        (np.eye(3), r"'pose' has the shape \(3, 3\): expected \(..., 4, 4\)"),
        ("here", "not an array of numbers"),
        (bad(1, r03=np.nan), r"pose \[1\] has entries that are not finite"),
        (bad(2, r00=-1.0), r"pose \[2\] is a reflection"),
        (bad(2, r00=1.1), r"pose \[2\] is not a rotation: .* \(off by 0.21\)"),
        (bad(0, r30=1.0), r"pose \[0\] has a last row"),
    ],
)
def test_bad_poses_are_refused_by_row(pose: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lp.catalog.panda().inverse_kinematics(pose)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"link": "hand"}, "no link 'hand'"),
        ({"q0": [0.0]}, "'q0' has the shape"),
        ({"q0": [np.nan] * 7}, "'q0' has entries"),
        ({"q0": np.zeros((2, 7))}, "do not go together"),
        ({"weights": (1, 1)}, "'weights' is"),
        ({"weights": np.zeros(6)}, "not all zero"),
        ({"tolerance_position": 0}, "'tolerance_position' is 0"),
        ({"iterations": 0}, "'iterations' is 0"),
    ],
)
def test_faults_of_inverse_kinematics_are_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lp.catalog.panda().inverse_kinematics(np.tile(np.eye(4), (3, 1, 1)), **change)


def test_the_compiled_step_of_inverse_kinematics_is_the_equations_on_floats() -> None:
    robot = lp.catalog.puma560()
    q, target = somewhere(robot, 2)
    pose, ones = pose_of(robot, target, "link6"), np.ones(6)
    rows = np.empty((4, 4), dtype=object)
    rows[:] = pose.tolist()
    following, sizes = inverse_kinematics_step(plain(robot), entries(q), rows, entries(ones), entries(ones), "link6")
    with pytest.warns(lp.UnreachedWarning):
        found = robot.inverse_kinematics(pose, q0=q, iterations=1, restarts=0)
    assert following.astype(float) == pytest.approx(np.clip(following.astype(float), -4.65, 4.65), abs=1e-12)
    distance, angle = off_by(pose_of(robot, q, "link6"), pose)
    assert sizes.astype(float)[:2] == pytest.approx([distance, angle])
    assert found.q.shape == (6,)


def test_targets_and_starts_in_other_units_are_asked_about() -> None:
    arm, q = lp.catalog.ur5(), np.array([0.3, -1.2, 1.2, -1.5, 0.5, 1.0])
    target = arm.link_poses(q)[-1]
    far = target.copy()
    far[:3, 3] *= 1000
    with pytest.warns(lp.UnreachedWarning, match=r"is off by \d+ m and .* rad: millimetres\?"):
        arm.inverse_kinematics(far, restarts=2)
    with pytest.warns(lp.ModelWarning, match=r"in 'q0' joint 'elbow_joint' is at 68.*: degrees\?"):
        arm.inverse_kinematics(target, q0=np.degrees(q))
    near = target.copy()
    near[:3, 3] *= 3  # out of reach, and in metres
    with pytest.warns(lp.UnreachedWarning) as said:
        arm.inverse_kinematics(near, restarts=2)
    assert not any("?" in str(one.message) for one in said)
