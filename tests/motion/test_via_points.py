"""Motions through points: limits kept, points met, durations by hand, all joints together."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import loadpath as lp
from loadpath.motion.via_points import fastest_trapezoid, timed_trapezoid

ARM = lp.catalog.planar(3)
SLACK = 1 + 1e-9


def numeric_check(motion: lp.Motion, kinks: int = 0) -> None:
    """Speeds and accelerations against differences; the acceleration may jump at some samples."""
    h = np.diff(motion.t)[:, None]
    middle = (motion.qd[1:] + motion.qd[:-1]) / 2
    assert np.abs(np.diff(motion.q, axis=0) / h - middle).max() < 0.02 * np.abs(motion.qd).max() + 1e-12
    numeric = np.diff(motion.qd, axis=0) / h
    between = (motion.qdd[1:] + motion.qdd[:-1]) / 2
    off = np.abs(numeric - between).max(axis=1) > 0.1 * np.abs(motion.qdd).max()
    assert off.sum() <= kinks


points_of = st.lists(st.lists(st.floats(-3, 3), min_size=3, max_size=3), min_size=2, max_size=5)
limits_of = st.lists(st.floats(0.1, 10), min_size=3, max_size=3)


@given(points_of, limits_of, limits_of, st.sampled_from(["quintic", "trapezoidal", "passing"]))
def test_limits_are_kept_and_reached(
    points: list[list[float]], velocity: list[float], acceleration: list[float], kind: str
) -> None:
    assume(all(np.abs(np.subtract(a, b)).max() > 1e-3 for a, b in pairwise(points)))
    options = {"stop": False} if kind == "passing" else {"profile": kind}
    motion = lp.Motion.through(ARM, points, velocity=velocity, acceleration=acceleration, rate=200, **options)
    speed = np.abs(motion.qd) / velocity
    force = np.abs(motion.qdd) / acceleration
    assert speed.max() <= SLACK
    assert force.max() <= SLACK
    assert max(speed.max(), force.max()) > 0.95  # not slower than it need be
    for point in points:
        assert np.abs(motion.q - point).max(axis=1).min() < 1e-9
    assert np.abs(motion.qd[[0, -1]]).max() < 1e-9
    fine = motion.resampled(2000) if kind == "quintic" and motion.duration < 20 else motion
    assert (np.abs(fine.qd) / velocity).max() <= 1 + 1e-6
    numeric_check(motion, kinks=0 if kind != "trapezoidal" else 4 * len(points))


@given(st.floats(0.01, 5), st.floats(0.05, 3), st.floats(0.05, 20))
def test_trapezoid_by_hand(distance: float, velocity: float, acceleration: float) -> None:
    slide = lp.Joint("x", "a", "b", lp.Prismatic(), limits=lp.Limits(velocity=velocity))
    robot = lp.Robot("slide", (lp.Link("a"), lp.Link("b", lp.Inertia(1.0))), (slide,))
    motion = lp.Motion.through(robot, [[0], [distance]], acceleration=acceleration, profile="trapezoidal")
    if velocity**2 / acceleration < distance:
        assert motion.duration == pytest.approx(distance / velocity + velocity / acceleration)
        assert np.abs(motion.qd).max() == pytest.approx(velocity)
    else:  # a triangle
        assert motion.duration == pytest.approx(2 * math.sqrt(distance / acceleration))
        assert np.abs(motion.qd).max() == pytest.approx(math.sqrt(distance * acceleration))
    # Energy by hand: all work of the drive is kinetic energy and goes back in.
    power = motion.qd[:, 0] * motion.qdd[:, 0]
    peak = 0.5 * np.abs(motion.qd).max() ** 2
    positive = np.trapezoid(np.maximum(power, 0), motion.t)
    assert positive == pytest.approx(peak, rel=0.1)


def test_joints_start_and_arrive_together_on_a_straight_line() -> None:
    for profile in ("quintic", "trapezoidal"):
        motion = lp.Motion.through(ARM, [[0, 0, 0], [1, -0.5, 0.25]], velocity=1.0, profile=profile)
        np.testing.assert_allclose(motion.q[:, 1], -0.5 * motion.q[:, 0], atol=1e-12)
        np.testing.assert_allclose(motion.qdd[:, 2], 0.25 * motion.qdd[:, 0], atol=1e-12)
        assert np.abs(motion.qd[:, 0]).max() == pytest.approx(1.0)


def test_quintic_by_hand() -> None:
    motion = lp.Motion.through(ARM, [[0, 0, 0], [2, 0, 0]], velocity=3.0, acceleration=1e9)
    assert motion.duration == pytest.approx(15 / 8 * 2 / 3)
    motion = lp.Motion.through(ARM, [[0, 0, 0], [2, 0, 0]], velocity=1e9, acceleration=3.0, rate=5000)
    assert motion.duration == pytest.approx(math.sqrt(10 / math.sqrt(3) * 2 / 3))
    assert np.abs(motion.qdd).max() == pytest.approx(3.0, rel=1e-5)


def test_given_times_are_kept_and_refused_when_too_short() -> None:
    points = [[0, 0, 0], [1, 0.2, 0], [0, 0.4, 0.1]]
    for options in ({"profile": "quintic"}, {"profile": "trapezoidal"}, {"stop": False}):
        motion = lp.Motion.through(ARM, points, [1.0, 2.0, 4.0], **options)
        assert (motion.t[0], motion.t[-1]) == (1.0, 4.0)
        (k,) = np.flatnonzero(motion.t == 2.0)
        np.testing.assert_allclose(motion.q[k], points[1], atol=1e-12)
        with pytest.raises(ValueError, match="need"):
            lp.Motion.through(ARM, points, [0, 1, 2], velocity={"joint1": 0.9}, **options)
    with pytest.raises(ValueError, match=r"from point 0 to 1 in 1 s, joint 'joint1' .*: 1\.875 s are needed"):
        lp.Motion.through(ARM, points, [0, 1, 2], velocity=1.0)
    with pytest.raises(ValueError, match=r"from point 1 to 2 in 1 s, joint 'joint2' .*: 2 s are needed"):
        lp.Motion.through(ARM, points, [0, 9, 10], velocity={"joint2": 0.1}, profile="trapezoidal")


@given(st.floats(0.2, 5), st.floats(0.2, 5), st.floats(0.2, 20))
def test_timed_trapezoids_keep_limits_or_are_refused(duration: float, speed: float, acceleration: float) -> None:
    shape = timed_trapezoid(duration, speed, acceleration)
    if shape is None:
        assert fastest_trapezoid(speed, acceleration).duration > duration * (1 - 1e-6)
        return
    assert shape.duration == duration
    assert 0 < shape.blend <= duration / 2
    assert shape.speed <= speed * (1 + 1e-6)
    assert shape.acceleration <= acceleration * (1 + 1e-6)
    t = np.linspace(0, duration, 1001)
    height, first, _ = shape.at(t)
    assert height[-1] == pytest.approx(1)
    np.testing.assert_allclose(np.gradient(height, t)[1:-1], first[1:-1], atol=0.02 * shape.speed)


def test_passing_is_smooth_and_does_not_stop() -> None:
    points = [[0, 0, 0], [1, 0.5, 0], [2, 0, 0.5], [3, 0, 0]]
    motion = lp.Motion.through(ARM, points, velocity=1.0, acceleration=2.0, stop=False)
    inner = (motion.t > 0.2 * motion.duration) & (motion.t < 0.8 * motion.duration)
    assert np.abs(motion.qd[inner, 0]).min() > 0.3
    assert np.abs(np.diff(motion.qdd, axis=0)).max() < 0.1  # continuous accelerations
    numeric_check(motion)
    stops = lp.Motion.through(ARM, points, velocity=1.0, acceleration=2.0)
    assert motion.duration < stops.duration


def test_turns_of_a_ball_joint_are_about_one_axis() -> None:
    body = lp.Inertia.from_moments(1.0, ixx=0.1, iyy=0.1, izz=0.1)
    robot = lp.Robot("b", (lp.Link("a"), lp.Link("b", body)), (lp.Joint("ball", "a", "b", lp.Spherical()),))
    half = math.sqrt(0.5)
    for points in ([[0, 0, 0, 1], [half, 0, 0, half]], [[0, 0, 0, 1], [-half, 0, 0, -half]]):
        motion = lp.Motion.through(robot, points, velocity=0.5, profile="trapezoidal", acceleration=10.0)
        assert motion.duration == pytest.approx(math.pi / 2 / 0.5 + 0.05)
        assert np.abs(motion.qd[:, 0]).max() == pytest.approx(0.5)
        assert not motion.qd[:, 1:].any()
        numeric = robot.difference(motion.q[:-1], motion.q[1:]) / np.diff(motion.t)[:, None]
        assert np.abs(numeric - (motion.qd[1:] + motion.qd[:-1]) / 2).max() < 1e-2
    third = [0, half, 0, half]
    motion = lp.Motion.through(robot, [points[0], points[1], third], velocity=0.5, acceleration=1.0, stop=False)
    assert np.abs(motion.qd).max() <= 0.5 * (1 + 1e-3)
    assert np.abs(motion.qdd).max() <= 1.0 * (1 + 1e-3)
    numeric = robot.difference(motion.q[:-1], motion.q[1:]) / np.diff(motion.t)[:, None]
    assert np.abs(numeric - (motion.qd[1:] + motion.qd[:-1]) / 2).max() < 1e-3
    rates = np.diff(motion.qd, axis=0) / np.diff(motion.t)[:, None]
    assert np.abs(rates - (motion.qdd[1:] + motion.qdd[:-1]) / 2).max() < 1e-2


def test_model_speed_limits_are_the_default() -> None:
    panda = lp.catalog.panda()
    start = np.array([0, -0.8, 0, -2, 0, 1.5, 0.8])
    motion = lp.Motion.through(panda, [start, start + 0.4])
    limits = np.array([joint.limits[0].velocity for joint in panda.joints if joint.motion.dof])
    assert (np.abs(motion.qd).max(axis=0) / limits).max() == pytest.approx(1.0, rel=1e-4)


def test_positions_outside_limits_are_told() -> None:
    panda = lp.catalog.panda()
    with pytest.warns(lp.ModelWarning, match="joint 'panda_joint4' is at 0.2 "):
        lp.Motion.through(panda, [[0.0] * 7, [0.2] * 7], times=[0, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"points": [[0, 0, 0]]}, "1 points"),
        ({"points": [[0, 0], [1, 1]]}, "expected .samples, 3."),
        ({"points": [[0, 0, 0], [0, 0, 0]], "velocity": 1}, "points 0 and 1 are the same"),
        ({"points": [[0, 0, 0], [0, 0, 0]], "velocity": 1, "stop": False}, "points 0 and 1 are the same"),
        ({}, "no limit of speed"),
        ({"stop": False}, "no limit of speed"),
        ({"velocity": 0}, "velocity limit of joint 'joint1' is 0"),
        ({"velocity": [1, 1]}, "expected one number or 3"),
        ({"velocity": {"elbow": 1}}, "velocity limit of 'elbow': there is no such joint"),
        ({"times": [0, 1, 2]}, "3 times for 2 points"),
        ({"times": [1, 0]}, "times does not rise"),
        ({"profile": "cubic", "velocity": 1}, "expected 'quintic' or 'trapezoidal'"),
        ({"profile": "trapezoidal", "stop": False, "velocity": 1}, "stops at every point"),
        ({"rate": 0, "velocity": 1}, "rate is 0"),
    ],
)
def test_calls_that_make_no_sense_here(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lp.Motion.through(ARM, **{"points": [[0, 0, 0], [1, 1, 1]], **options})


def test_limits_hold_where_bodies_turn_through_points() -> None:
    body = lp.Inertia.from_moments(1.0, ixx=0.1, iyy=0.2, izz=0.25)
    links = lp.Link("world"), lp.Link("body", body)
    free = lp.Robot("free", links, (lp.Joint("j", "world", "body", lp.Free()),))
    rng = np.random.default_rng(3)
    for _ in range(8):
        points = np.array([free.integrate(free.neutral(), rng.uniform(-0.5, 0.5, 6)) for _ in range(4)])
        motion = lp.Motion.through(free, points, velocity=1.3, acceleration=4.0, stop=False)
        share = max(np.abs(motion.qd).max() / 1.3, np.sqrt(np.abs(motion.qdd).max() / 4.0))
        assert 0.99 < share <= 1.0


def test_joints_that_mimic_keep_their_limits_too() -> None:
    """A finger that follows twice as fast, with limits of its own: they bound the joint that it follows."""
    body = lp.Inertia(1.0, (0.5, 0, 0), np.eye(3).tolist())
    own, follower = lp.Limits(-3, 3, velocity=1.0), lp.Limits(-0.5, 1.0, velocity=0.5)
    grip = lp.Joint("grip", "base", "a", lp.Revolute((0, 0, 1)), limits=own)
    finger = lp.Joint("finger", "a", "b", lp.Revolute((0, 0, 1)), mimic=lp.Mimic("grip", -2.0, 0.25), limits=follower)
    hand = lp.Robot("hand", (lp.Link("base"), lp.Link("a", body), lp.Link("b", body)), (grip, finger))
    swing = lp.Motion.swing(hand)
    assert swing.problems() == []
    assert np.ptp(swing.q) > 0.3
    for options in ({}, {"profile": "trapezoidal"}, {"stop": False}):
        quick = lp.Motion.through(hand, [[0.0], [0.2], [-0.2]], **options)
        assert quick.problems() == []
        assert 2 * np.abs(quick.qd).max() == pytest.approx(0.5, rel=1e-3)
