"""The fastest motion on a path: limits between points, paths of all kinds, what rules, why there is none."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sets_in_numpy import solve as solve_in_numpy

import loadpath as lp
from loadpath.fastest.asked import asked_limits
from loadpath.fastest.controllable import solve
from loadpath.fastest.grid import Grid, first_grid
from loadpath.fastest.loads import DRIVE, WRENCH, Course, Model
from loadpath.fastest.search import Problem, settled

LIMITS = {"torque": 0.7}


def random_path(robot: lp.Robot, rng: np.random.Generator, count: int = 4) -> np.ndarray:
    return robot.neutral() + rng.uniform(-0.8, 0.8, (count, robot.n))


def exceeded(robot: lp.Robot, found: lp.Fastest, each: int = 97) -> float:
    """The largest utilisation at so many instants of each interval, by the robot's own quantities."""
    q, qd, qdd = found.sampled(each)
    loads = {"torque": robot.inverse_dynamics(q, qd, qdd), "speed": qd, "acceleration": qdd}
    return max(float(np.abs(loads[limit.kind][:, robot.dof_names.index(limit.name)]).max() / limit.capacity)
               for limit in found.limits if limit.kind in loads)


@pytest.mark.parametrize("name", ["panda", "ur5", "puma560", "stanford_arm"])
def test_nothing_is_exceeded_between_points(name: str) -> None:
    """Joints that slide and turn, with friction and without."""
    robot = getattr(lp.catalog, name)()
    rng = np.random.default_rng(len(name))
    points = random_path(robot, rng)
    still = np.abs(robot.inverse_dynamics(np.linspace(points[:-1], points[1:], 9), 0 * points[0], 0 * points[0]))
    torque = 2.0 * still.max(axis=(0, 1)) + 40.0 * (name == "puma560") + 5.0
    found = robot.fastest(points, limits={"torque": torque, "speed": 3.0})
    seen = exceeded(robot, found)
    assert 0.999 < seen <= found.certificate + 1e-9
    assert found.certificate <= 1 + 2e-6


def test_ranges_hold_every_value_and_its_second_derivative() -> None:
    """Jets of loads over intervals against loads computed at many points of each, and their differences."""
    robot = lp.catalog.puma560().with_payload(mass=2.0, center_of_mass=(0.1, 0, 0.05))
    model = Model(robot)
    path = lp.Path.through(random_path(robot, np.random.default_rng(1)))
    p = first_grid(path, 120)
    course, fine = Course(Grid.of(path, p, 2)), Course(Grid.of(path, p, 41))
    for what in (DRIVE, WRENCH):
        values = fine.loads(model, what)
        step = np.diff(fine.grid.at, axis=1)[:, :1, None]
        for k, part in enumerate(values):
            low, high = (np.stack([entry[k].middle[0] + sign * entry[k].radius[0]
                                   for entry in course.ranges(model, what)], axis=-1)[:, None] for sign in (-1, 1))
            size = np.abs(part).max()
            assert (low - part).max() <= 1e-12 * size
            assert (part - high).max() <= 1e-12 * size
            second = np.abs(part[:, 2:] - 2 * part[:, 1:-1] + part[:, :-2]) / step**2
            most = np.stack([entry[k].largest[2] for entry in course.ranges(model, what)], axis=-1)[:, None]
            noise = 1e-13 * size / step**2
            assert (second - most - noise).max() <= 1e-9 * most.max()
            seen = second.max(axis=1, keepdims=True)
            assert what == WRENCH or np.median((most / seen)[seen > 0.01 * seen.max()]) < 8  # and no idle bounds


def test_what_is_exceeded_on_coarse_grids_is_below_the_bound() -> None:
    """Without anything done about it: limits are exceeded between nodes, by less than is said."""
    rub = lp.Drive(friction=lp.Friction(viscous=8.0, coulomb=3.0, static=6.0, stribeck_speed=0.3))
    for robot in (lp.catalog.ur5(), lp.catalog.ur5().with_drives({"shoulder_lift_joint": rub, "elbow_joint": rub})):
        asked, _ = asked_limits([robot], {"tilting_moment": {"wrist_1_joint": 15.0}}, {"torque": 0.6})
        for seed in range(3):
            points = np.array([0, -1.2, 1.4, -0.3, 0.4, 0]) + np.random.default_rng(seed).uniform(-0.6, 0.6, (4, 6))
            problem = Problem(lp.Path.through(points), asked)
            coarse = settled(problem, Course(Grid.of(problem.path, first_grid(problem.path, 120), 2)), None)
            found = lp.Fastest(robot, coarse)
            seen = exceeded(robot, found)
            assert 1 + 1e-5 < seen <= found.certificate


def test_loads_are_those_of_the_motion() -> None:
    """a u + b x + c against inverse dynamics and joint wrenches of the motion that goes so."""
    robot = lp.catalog.panda()
    rng = np.random.default_rng(2)
    path = lp.Path.through(random_path(robot, rng))
    grid = Grid.of(path, first_grid(path, 20), 3)
    course, model = Course(grid), Model(robot)
    u, x = rng.normal(size=len(grid.h)), rng.uniform(0, 4, grid.d.shape)
    qd, qdd = grid.first * np.sqrt(x)[..., None], grid.first * u[:, None, None] + grid.second * x[..., None]
    smooth = robot.without_friction()
    assert course.loads(model, DRIVE).at(u, x) == pytest.approx(smooth.inverse_dynamics(grid.q, qd, qdd), abs=1e-11)
    wrenches = robot.joint_wrenches(grid.q, qd, qdd)
    six = np.concatenate([wrenches.force, wrenches.torque], axis=-1).reshape(*x.shape, -1)
    assert course.loads(model, WRENCH).at(u, x) == pytest.approx(six, abs=1e-10)


def test_compiled_sets_are_those_of_numpy() -> None:
    """The same numbers, path by path and as a batch, also where a set is empty."""
    rng = np.random.default_rng(0)
    shape, paths = (6, 9), 60
    alpha, beta = rng.normal(size=(2, paths, *shape))
    alpha *= rng.random(alpha.shape) > 0.15
    gamma, h = rng.uniform(-0.05, 1.5, alpha.shape), rng.uniform(0.1, 1, (paths, 6))
    top = np.concatenate([rng.uniform(0.5, 4, (paths, 6)), rng.choice([0.0, 3.0], (paths, 1))], axis=1)
    start = rng.choice([np.inf, 0.0, 0.3], paths)
    batch = solve(alpha, beta, gamma, h, start, top)
    assert 5 < (batch.failed >= 0).sum() < 55
    for k in range(paths):
        one = solve_in_numpy(alpha[k], beta[k], gamma[k], h[k], start[k], top[k])
        assert batch.failed[k] == one.failed
        for part in ("u", "x", "low", "high"):
            assert getattr(batch, part)[k] == pytest.approx(getattr(one, part), rel=1e-12, nan_ok=True)


# Paths


def test_the_path_of_a_motion_keeps_its_geometry() -> None:
    arm = lp.catalog.ur5()
    slow = lp.Motion.through(arm, [[0, -1, 1, 0, 0, 0], [1, -0.5, 0.5, 0.3, 0.2, 0.1], [1.5, -1, 1, 0, 0, 1]],
                             stop=False, times=[0, 3, 5])
    path = lp.Path.of(slow)
    assert path.deviation < 1e-5
    assert not path.stops
    found = arm.fastest(slow)
    assert found.duration < slow.duration
    q = found.motion.q
    away = np.array([np.linalg.norm(slow.q - each, axis=1).min() for each in q[::10]])
    assert away.max() < 0.01  # samples of the slow motion are that far apart
    assert q[[0, -1]] == pytest.approx(slow.q[[0, -1]])


def test_a_motion_that_waits_waits() -> None:
    """Corners are stops, and rests last as long as they did; without a corner it does not stop."""
    arm = lp.catalog.planar(2, gravity=0)
    limits = {"torque": 10.0, "speed": 2.0}
    corner = lp.Motion.through(arm, [[0, 0], [1, 0.5], [1, 1.5]], times=[0, 2, 4])
    straight = lp.Motion.through(arm, [[0, 0], [1, 0.5], [2, 1.0]], times=[0, 2, 4])
    at_once = arm.fastest(corner, limits=limits)
    assert list(lp.Path.of(corner).stops.values()) == [0.0]
    assert not lp.Path.of(straight).stops
    waits = arm.fastest(corner.dwell(0.75), limits=limits)
    assert waits.duration == pytest.approx(at_once.duration + 0.75, rel=1e-4)
    middle = lp.Motion.through(arm, [[0, 0], [1, 0.5]], times=[0, 2]).dwell(0.3).followed_by(
        lp.Motion.through(arm, [[1, 0.5], [2, 1.0]], times=[0, 2]))
    found = arm.fastest(middle, limits=limits)
    parts = [arm.fastest(each, limits=limits).duration for each in ([[0, 0], [1, 0.5]], [[1, 0.5], [2, 1.0]])]
    assert found.duration == pytest.approx(sum(parts) + 0.3, rel=1e-3)
    rests = found.motion.at(np.linspace(parts[0] + 0.05, parts[0] + 0.25, 9))
    assert np.abs(rests.qd).max() < 1e-9
    assert rests.q == pytest.approx(np.tile([1, 0.5], (9, 1)))


def test_rounded_corners_are_quicker_than_stops() -> None:
    arm = lp.catalog.planar(2, gravity=0)
    square, limits = [[0, 0], [1, 0], [1, 1]], {"torque": 10.0, "speed": 2.0}
    times = [arm.fastest(lp.Path.lines(square, blend=blend), limits=limits) for blend in (None, 0.002, 0.2)]
    assert times[0].duration > times[1].duration > times[2].duration
    for each in times:
        assert each.certificate <= 1 + 2e-6
        assert exceeded(arm, each, 33) <= 1 + 2e-6
    assert times[0].path.stops == {1: 0.0}


def test_a_line_of_the_tool() -> None:
    arm = lp.catalog.planar(2)
    ends = [(1.2, 0.0, 0.4), (0.8, 0.0, 1.0)]
    path = lp.Path.tool(arm, ends, near=[0.3, 0.8], orientation="free")
    found = arm.fastest(path, limits={"torque": 40.0, "speed": 5.0})
    tip = arm.link_poses(found.motion.q)[:, -1, [0, 2], 3]
    way = (np.array(ends[1]) - ends[0])[[0, 2]]
    off = np.cross(np.pad(tip - np.array(ends[0])[[0, 2]], ((0, 0), (0, 1))), np.append(way / np.linalg.norm(way), 0))
    assert np.abs(off).max() < 1e-6
    assert exceeded(arm, found, 33) <= 1 + 2e-6


def test_a_point_that_is_not_left_before() -> None:
    """It rests until then, and no longer than it must; raising a limit that only shortens a wait saves nothing."""
    arm = lp.catalog.planar(2, gravity=0)
    limits, points = {"torque": 10.0, "speed": 2.0}, [[0, 0], [1, 0.5], [1, 1.5]]
    parts = [arm.fastest(points[k : k + 2], limits).duration for k in (0, 1)]
    for make in (lp.Path.lines, lp.Path.through):
        for until in (0.1, 2.5):
            found = arm.fastest(make(points, not_before={1: until}), limits)
            if make == lp.Path.lines:
                assert found.duration == pytest.approx(max(parts[0], until) + parts[1], rel=1e-3)
            if until == 2.5:
                assert np.abs(found.at(until - 1e-6)[1]).max() < 1e-9
                assert np.abs(found.at(until + 0.01)[1]).max() > 0
    waits = arm.fastest(lp.Path.lines([[0, 0], [1, 0.5]], not_before={1: 5.0}), limits)
    assert waits.duration == pytest.approx(5.0)
    assert max(map(abs, waits.costs.values())) < 1e-9
    with pytest.raises(ValueError, match="not_before at point 7"):
        lp.Path.through(points, not_before={7: 1.0})


def test_an_arc_of_the_tool() -> None:
    """The tip stays on the circle through three points, and turns with it; the shorter and the longer way round."""
    arm = lp.catalog.ur5()
    middle, radius = np.array([0.45, 0.1, 0.3]), 0.12
    around = [middle + radius * np.array([np.cos(a), np.sin(a), 0]) for a in (0.3, 1.4, 2.2)]
    start = np.array(arm.link_poses([0.2, -1.2, 1.6, -0.4, 0.3, 0]))[-1]
    turn = np.array([[np.cos(0.4), -np.sin(0.4), 0], [np.sin(0.4), np.cos(0.4), 0], [0, 0, 1]])
    poses = [np.block([[R @ start[:3, :3], p[:, None]], [np.zeros(3), 1]]) for R, p in
             ((np.eye(3), around[0]), (turn, around[2]))]
    for by, angle in ((around[1], 1.9), (2 * middle - around[1], 2 * np.pi - 1.9)):
        path = lp.Path.arc(arm, poses[0], by, poses[1], near=[0.2, -1.2, 1.6, -0.4, 0.3, 0])
        found = arm.fastest(path, intervals=300)
        assert found.certificate <= 1 + 2e-6
        tip = np.asarray(arm.link_poses(found.motion.q))[:, -1]
        away = tip[:, :3, 3] - middle
        assert np.abs(np.linalg.norm(away, axis=1) - radius).max() < 1e-5
        assert np.abs(away[:, 2]).max() < 1e-5
        gone = np.linalg.norm(np.diff(tip[:, :3, 3], axis=0), axis=1).sum()
        assert gone == pytest.approx(radius * angle, rel=1e-3)
        assert tip[-1] == pytest.approx(poses[1], abs=1e-5)
        assert np.linalg.norm(tip[:, :3, 3] - by, axis=1).min() < 2e-3
    with pytest.raises(ValueError, match="on one line"):
        lp.Path.arc(arm, poses[0], (around[0] + around[2]) / 2, poses[1], near=[0.2, -1.2, 1.6, -0.4, 0.3, 0])


# What rules, and what it costs


def test_one_model_of_several_rules() -> None:
    """Robust over payloads: no slower than the heaviest alone, within the limits of each."""
    arm = lp.catalog.ur5()
    heavy = arm.with_payload(mass=4.0, center_of_mass=(0, 0, 0.1))
    points = random_path(arm, np.random.default_rng(4))
    both = arm.fastest(points, also=[heavy])
    alone = heavy.fastest(points)
    assert both.duration >= alone.duration * (1 - 1e-4)
    effort = np.array([limit.capacity for limit in both.limits if limit.kind == "torque"])
    loads = [np.abs(robot.inverse_dynamics(*both.sampled(33))) for robot in (arm, heavy)]
    assert max((load / effort[k * 6 : k * 6 + 6]).max() for k, load in enumerate(loads)) <= 1 + 2e-6


def test_costs_are_those_of_higher_limits() -> None:
    arm = lp.catalog.ur5()
    points = random_path(arm, np.random.default_rng(4))
    found = arm.fastest(points)
    name, saved = next(iter(found.costs.items()))
    limit = next(each for each in found.limits if str(each) == name)
    other = arm.fastest(points, limits={limit.kind: {limit.name: 1.1 * limit.capacity}})
    assert found.duration - other.duration == pytest.approx(saved, rel=0.02)
    assert name in found.to_table()
    assert sum(each.end - each.begin for each in found.rules) == pytest.approx(found.duration)


# None


def test_no_motion_says_what_gravity_exceeds_and_which_two_meet() -> None:
    """At 1.0001 of the largest torque at rest there is a motion, at 0.999 there is none."""
    arm = lp.catalog.planar(2)
    path = lp.Path.lines([[0.4, 0.0], [0.0, 0.0]])  # to where both rods are level: 2 m g l
    assert arm.fastest(path, limits={"torque": [2 * 9.81 * 1.0001, 100.0]}).certificate <= 1 + 2e-6
    with pytest.raises(lp.NoMotionError, match="exceeded at rest") as caught:
        arm.fastest(path, limits={"torque": [2 * 9.81 * 0.999, 100.0]})
    (over,) = caught.value.at_rest
    assert over.limit == "torque of 'joint1'"
    assert over.begin > 0.3
    assert over.end == pytest.approx(0.4)
    assert over.utilisation == pytest.approx(1 / 0.999, rel=1e-5)
    assert [claim.limit for claim in caught.value.pair] == ["torque of 'joint1'", "the stop"]


def test_a_path_that_goes_back_as_it_came_stops_there() -> None:
    arm = lp.catalog.planar(2)
    limits = {"torque": 60.0, "speed": 2.0}
    there = arm.fastest([[0, 0], [0.8, 0.5]], limits, intervals=100).duration
    back = arm.fastest([[0.8, 0.5], [0, 0]], limits, intervals=100).duration
    for path in ([[0, 0], [0.8, 0.5], [0, 0]], lp.Path.lines([[0, 0], [0.8, 0.5], [0, 0]], blend=0.1)):
        found = arm.fastest(path, limits, intervals=200)
        assert list(found.path.stops.values()) == [0.0]
        assert found.duration == pytest.approx(there + back, rel=2e-3)


@pytest.mark.parametrize(("options", "words"), [
    ({"path": "path.csv"}, "from_csv"),
    ({"path": lp.Motion.from_checked(np.array([0.0, 1.0]), *np.zeros((3, 2, 2)), None)}, "does not move"),
    ({"limits": {"torqe": 1.0}}, "torque"),
    ({"limits": {"torque": -1.0}}, "more than zero"),
    ({"limits": {"torque": False, "speed": False}}, "nothing limits"),
    ({"factor": 0.0}, "more than zero"),
    ({"start": -1.0}, "zero or more"),
    ({"start": "fast"}, "start"),
    ({"also": [lp.catalog.panda()]}, "other degrees of freedom"),
    ({"path": [[0, 0]]}, "two or more"),
    ({"path": [[0, 0], [0, 0]]}, "are the same"),
    ({"path": [[0, 0], [1, np.nan]]}, "finite"),
    ({"path": [[0, 0, 0], [1, 1, 1]]}, "3 coordinates"),
])
def test_wrong_input_is_named(options: dict[str, object], words: str) -> None:
    path = options.pop("path", [[0.0, 0.0], [1.0, 0.5]])
    with pytest.raises((ValueError, lp.ModelError), match=words):
        lp.catalog.planar(2).fastest(path, **({"limits": {"torque": 30.0, "speed": 2.0}} | options))


def test_results_pickle() -> None:
    found = lp.catalog.planar(2).fastest([[0, 0], [0.5, 0.2]], limits={"torque": 60.0, "speed": 2.0})
    again = pickle.loads(pickle.dumps(found))
    assert again.duration == found.duration
    assert again.certificate == found.certificate


def test_along_a_simulation() -> None:
    """Of one joint, which goes on from rest to rest: half of the way with each acceleration."""
    rod = lp.catalog.planar(1, gravity=0)
    swing = rod.simulate([0.2], [1.0], [0.5], duration=0.3)
    found = rod.fastest(swing, {"acceleration": 4.0, "speed": False, "torque": False})
    assert found.duration == pytest.approx(2 * np.sqrt((swing.q[-1, 0] - 0.2) / 4.0), rel=1e-6)
    rolling = lp.catalog.lau_rover(driven=True).simulate(
        [0, 0, 0.5], [0, 0.1, 0], [0, 0, 0], duration=0.01, velocity=(0.4, 0))
    with pytest.raises(ValueError, match=r"the simulation moves the base.*simulation\.motion"):
        lp.catalog.lau_rover(driven=True).fastest(rolling)
