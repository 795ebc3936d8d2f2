"""`Motion.line`: the tool on straight lines, its speed, and joint rates that are those of the Jacobian."""

import numpy as np
import pytest

import loadpath as lp

PANDA = lp.catalog.panda()
HOME = np.array([0, -0.5, 0, -2.2, 0, 1.7, 0.8])
START = PANDA.link_poses(HOME)[-1]
PLANAR = lp.catalog.planar(2)


def moved(pose, by, turn=0.0):
    """A pose that is moved in the world and turned about its own z."""
    c, s = np.cos(turn), np.sin(turn)
    found = pose.copy()
    found[:3, :3] = found[:3, :3] @ [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    found[:3, 3] += by
    return found


SECOND = moved(START, [0.1, 0.3, -0.15])
THIRD = moved(SECOND, [0, -0.3, 0.2], 0.7)


def off_line(points, begin, end):
    along = (end - begin) / np.linalg.norm(end - begin)
    arm = points - begin
    return np.abs(arm - np.outer(arm @ along, along)).max()


def tool(motion, robot=PANDA):
    poses = robot.link_poses(motion.q)[:, -1]
    rates = robot.link_velocities(motion.q, motion.qd)
    changes = robot.link_accelerations(motion.q, motion.qd, motion.qdd)
    return poses, rates.linear[:, -1], rates.angular[:, -1], changes.linear[:, -1], changes.angular[:, -1]


@pytest.mark.parametrize("profile", ["trapezoidal", "quintic"])
def test_a_redundant_arm_goes_straight_with_the_speed_asked_for(profile):
    motion = lp.Motion.line(PANDA, [START, lp.Pose.from_matrix(SECOND), THIRD], speed=0.4, acceleration=2.0, near=HOME,
                            profile=profile, rate=100)
    poses, velocity, turning, acceleration, _ = tool(motion)
    corner = int(np.argmin(np.linalg.norm(poses[:, :3, 3] - SECOND[:3, 3], axis=1)))
    assert off_line(poses[: corner + 1, :3, 3], START[:3, 3], SECOND[:3, 3]) < 1e-12
    assert off_line(poses[corner:, :3, 3], SECOND[:3, 3], THIRD[:3, 3]) < 1e-12
    assert np.abs(poses[[0, corner, -1]] - [START, SECOND, THIRD]).max() < 1e-12
    speed = np.linalg.norm(velocity, axis=1)
    assert speed.max() == pytest.approx(0.4, rel=1e-9) and np.allclose(speed[[0, corner, -1]], 0, atol=1e-12)
    assert np.linalg.norm(acceleration, axis=1).max() <= 2.0 * (1 + 1e-9)
    # The tool turns in proportion to the way on the second line, about its own z.
    way = 0.7 / np.linalg.norm([0, -0.3, 0.2])
    assert np.allclose(turning[corner:], way * speed[corner:, None] * poses[corner:, :3, 2], atol=1e-9)
    if profile == "trapezoidal":
        lengths = [np.linalg.norm(b[:3, 3] - a[:3, 3]) for a, b in ((START, SECOND), (SECOND, THIRD))]
        assert motion.duration == pytest.approx(sum(length / 0.4 + 0.4 / 2.0 for length in lengths))
    assert not motion.problems()


def test_joint_speeds_are_the_smallest_and_accelerations_their_rates():
    motion = lp.Motion.line(PANDA, [START, SECOND], speed=0.4, acceleration=2.0, near=HOME, profile="quintic", rate=200)
    J = PANDA.jacobian(motion.q, "panda_link8")
    least = np.einsum("sij,sj->si", np.linalg.pinv(J), np.einsum("sij,sj->si", J, motion.qd))
    assert np.abs(least - motion.qd).max() < 1e-12                       # no motion within itself
    derived = lp.Motion(motion.t, motion.q)                              # by splines through the positions alone
    inner = slice(10, -10)
    assert np.abs(derived.qd - motion.qd)[inner].max() < 1e-6
    assert np.abs(derived.qdd - motion.qdd)[inner].max() < 1e-4 * np.abs(motion.qdd).max()


def test_corners_are_rounded_without_stopping():
    motion = lp.Motion.line(PANDA, [START, SECOND, THIRD], speed=0.3, acceleration=2.0, near=HOME, blend=0.08,
                            profile="quintic", rate=200)
    poses, velocity, _, acceleration, _ = tool(motion)
    speed = np.linalg.norm(velocity, axis=1)
    third = len(speed) // 3
    assert (speed[third:-third] > 0.02).all() and speed.max() <= 0.3 * (1 + 1e-9)
    assert np.linalg.norm(acceleration, axis=1).max() <= 2.0 * (1 + 1e-9)
    away = np.linalg.norm(poses[:, :3, 3] - SECOND[:3, 3], axis=1)
    corner = int(away.argmin())
    assert 0 < away[corner] < 0.08
    before = (away > 0.08) & (np.arange(len(away)) < corner)
    assert off_line(poses[before, :3, 3], START[:3, 3], SECOND[:3, 3]) < 1e-12
    derived = lp.Motion(motion.t, motion.q)
    assert np.abs(derived.qdd - motion.qdd).max() < 1e-3 * np.abs(motion.qdd).max()      # also in the corner


def test_six_joints_keep_the_orientation_of_positions():
    arm, near = lp.catalog.ur5(), np.array([0, -1.2, 1.5, -1.8, -1.57, 0.0])
    first = arm.link_poses(near)[-1]
    motion = lp.Motion.line(arm, [first[:3, 3], first[:3, 3] + [0, 0.2, 0.1]], speed=0.5, acceleration=3.0, near=near,
                            rate=50)
    poses = arm.link_poses(motion.q)[:, -1]
    assert np.abs(poses[:, :3, :3] - first[:3, :3]).max() < 1e-11
    assert off_line(poses[:, :3, 3], first[:3, 3], first[:3, 3] + [0, 0.2, 0.1]) < 1e-12
    turn = lp.Motion.line(arm, [first, moved(first, 0, 0.7)], speed=0.5, acceleration=3.0, angular_speed=1.0,
                          angular_acceleration=4.0, near=near, rate=50)
    assert turn.duration == pytest.approx(0.7 / 1.0 + 1.0 / 4.0)
    assert np.abs(arm.link_poses(turn.q)[:, -1, :3, 3] - first[:3, 3]).max() < 1e-12


def test_a_planar_arm_follows_positions():
    ends = [(1.5, 0, 0), (0.5, 0, 1.0)]
    motion = lp.Motion.line(PLANAR, ends, speed=0.5, acceleration=2.0, near=[-0.5, 1.0], rate=50)
    tip = PLANAR.link_poses(motion.q)[:, -1, :3, 3]
    assert off_line(tip, np.array([1.5, 0, 0]), np.array([0.5, 0, 1.0])) < 1e-12
    assert (motion.q[:, 1] > 0).all()                                    # the elbow stays on the side of near
    other = lp.Motion.line(PLANAR, ends, speed=0.5, acceleration=2.0, near=[0.5, -1.0], rate=50)
    assert (other.q[:, 1] < 0).all()


def test_a_slow_joint_makes_the_line_slower_and_says_so():
    with pytest.warns(lp.ModelWarning, match="from pose 0 to pose 1: joint 'joint2' would have to move with .*, more "
                      "than its limit 0.2: the line takes .* times as long"):
        motion = lp.Motion.line(PLANAR, [(1.5, 0, 0), (0.5, 0, 1.0)], speed=0.5, acceleration=2.0, near=[-0.5, 1.0],
                                rate=50, velocity={"joint2": 0.2})
    assert np.abs(motion.qd[:, 1]).max() == pytest.approx(0.2, rel=1e-6)
    assert not motion.problems()


@pytest.mark.parametrize("poses, near, message", [
    ([(1.5, 0, 0), (2.5, 0, 1)], [-0.5, 1.0], r"'tip' of robot 'planar2' cannot follow .* pose 1, 4\d\.?\d* "
     "% along .*pose 1 is out of reach"),
    ([(1.5, 0, 0), (-1.5, 0, 0)], [-0.5, 1.0], "50 % along .0, 0, 0.: the arm is singular there .*pose 1 is reached in "
     "another configuration, to which the joints would have to jump"),
    ([(1.5, 0, 0), (0.5, 0.2, 1)], [-0.5, 1.0], "0 % along .*cannot move the tool that way"),
    ([(5, 0, 0), (0.5, 0, 1)], None, "pose 0: .*does not reach the target"),
    ([(1.5, 0, 0), (1.5, 0, 0)], [-0.5, 1.0], "poses 0 and 1 are the same"),
    ([(1.5, 0, 0)], [-0.5, 1.0], "two or more poses"),
    ([(1.5, 0, 0), (1, 2)], [-0.5, 1.0], r"pose 1 has the shape \(2,\)"),
    ([(1.5, 0, 0), (0.5, 0, np.nan)], [-0.5, 1.0], "pose 1 has entries that are not finite"),
    ([(1.5, 0, 0), (0.5, 0, 1)], [0.0], r"'near' has the shape \(1,\)"),
])
def test_lines_that_cannot_be_followed(poses, near, message):
    with pytest.raises(ValueError, match=message):
        lp.Motion.line(PLANAR, poses, speed=0.5, acceleration=2.0, near=near, rate=50)


def test_a_joint_at_its_limit_is_named():
    with pytest.raises(ValueError, match=r"joint 'panda_joint.' is at .* there, outside its limits"):
        lp.Motion.line(PANDA, [START, moved(START, [0, 0, 0], 2.5)], speed=1.0, acceleration=5.0, near=HOME, rate=20,
                       angular_speed=1.0, angular_acceleration=2.0)


def test_bad_calls():
    line = [START, SECOND]
    with pytest.raises(ValueError, match="speed is 0: expected more than zero"):
        lp.Motion.line(PANDA, line, speed=0.0, acceleration=1.0)
    with pytest.raises(ValueError, match="profile is 'cubic'"):
        lp.Motion.line(PANDA, line, speed=0.1, acceleration=1.0, profile="cubic")
    with pytest.raises(ValueError, match="orientation is 'kept'"):
        lp.Motion.line(PANDA, line, speed=0.1, acceleration=1.0, orientation="kept")
    with pytest.raises(ValueError, match=r"blend is 0.4 m, too much for the line from pose 0 to 1, which is 0.35 m"):
        lp.Motion.line(PANDA, [START, SECOND, THIRD], speed=0.1, acceleration=1.0, blend=0.4)
    with pytest.raises(ValueError, match="the tool only turns there: give angular_speed="):
        lp.Motion.line(PANDA, [START, moved(START, 0, 0.1)], speed=0.1, acceleration=1.0, near=HOME)
    with pytest.raises(ValueError, match="positions keep the orientation that the link has in 'near'"):
        lp.Motion.line(PANDA, [(0.5, 0, 0.5), (0.5, 0.1, 0.5)], speed=0.1, acceleration=1.0)
    with pytest.raises(lp.ModelError, match=r"Motion.line is for open chains, and robot 'four_bar' is closed"):
        lp.Motion.line(lp.catalog.four_bar(), line, speed=0.1, acceleration=1.0)
    with pytest.raises(lp.ModelError, match="joint 'floating_base' of robot 'panda' has a quaternion"):
        lp.Motion.line(PANDA.floating(), line, speed=0.1, acceleration=1.0)
