"""Fastest motions on random paths: what is exceeded between points, durations against finer grids and other solvers."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import loadpath as lp
from benchmarks import fastest_brittle, fastest_closed_and_rolling
from benchmarks.peers import urdf_files
from benchmarks.report import Row
from loadpath.fastest.asked import asked_limits
from loadpath.fastest.controllable import solve
from loadpath.fastest.grid import Grid
from loadpath.fastest.loads import DRIVE, SPEED, Course
from loadpath.fastest.search import NODES, Problem, settled
from loadpath.loads.resultants import RESULTANTS, axes_of, resultants

URDF = ("ur_description/ur10_robot", "kinova_description/kinova", "xarm_description/xarm7", "z1_description/z1")
CATALOG = ("panda", "ur5", "puma560", "stanford_arm")
FINE, EACH = 4000, 97
RATIO = "the same: sets and motion by toppra (seidel, interpolation) / ours"
FLOOR = 20.0
"""N m (N): torque limits are the robot's own, or more than gravity and friction take."""


def load(path: Any) -> lp.Robot:
    """With its friction, and without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return lp.load(path)


def robots() -> Iterator[tuple[str, lp.Robot]]:
    """Eight robots without quaternions."""
    for name in CATALOG:
        yield name, getattr(lp.catalog, name)()
    for name in URDF:
        robot = load(urdf_files()[name])
        held = {joint.name: 0.0 for joint in robot.joints if joint.motion.coordinates != joint.motion.dof}
        held |= {joint.name: 0.0 for joint in robot.joints if "finger" in joint.name and joint.motion.dof}
        yield name.split("/")[1], robot.locked(held) if held else robot


def random_path(robot: lp.Robot, rng: np.random.Generator) -> np.ndarray:
    """Three to six configurations within the limits of position, and within a radian of the first."""
    limits = [joint.limits[k] for joint in robot.joints if joint.mimic is None for k in range(joint.motion.dof)]
    low = np.array([limit.lower if np.isfinite(limit.lower) else -2.0 for limit in limits])
    high = np.array([limit.upper if np.isfinite(limit.upper) else 2.0 for limit in limits])
    middle = low + (high - low) * rng.uniform(0.3, 0.7, robot.n)
    away = rng.uniform(-0.9, 0.9, (int(rng.integers(3, 7)), robot.n))
    return np.clip(middle + away, low + 0.1 * (high - low), high - 0.1 * (high - low))


def limits_for(robot: lp.Robot, points: np.ndarray) -> dict[str, Any]:
    """Torques above what gravity and dry friction take, speeds of the robot or 3."""
    still = np.abs(robot.inverse_dynamics(np.linspace(points[:-1], points[1:], 9), 1e-9 + 0 * points[0],
                                          0 * points[0])).max(axis=(0, 1))
    own = {limit.name: limit.capacity for group in asked_limits([robot], None, 1.0)[0] for limit in group.names
           if limit.kind == "torque"}
    torque = np.array([own.get(name, 0.0) for name in robot.dof_names])
    return {"torque": np.maximum(torque, 2.0 * still + FLOOR / 10), "speed": {
        name: 3.0 for name, joint in zip(robot.dof_names, robot.joints, strict=False) if joint.limits[0].velocity <= 0
    } if all(joint.motion.dof == 1 for joint in robot.joints[: robot.n]) else 3.0}


def exceeded(robot: lp.Robot, found: lp.Fastest) -> float:
    """By the robot's own quantities, at many instants of every interval."""
    q, qd, qdd = found.sampled(EACH)
    loads = {"torque": np.abs(np.asarray(robot.inverse_dynamics(q, qd, qdd))), "speed": np.abs(qd)}
    worst = 0.0
    for limit in found.limits:
        if limit.kind in loads:
            used = loads[limit.kind][:, robot.dof_names.index(limit.name)].max() / limit.capacity
        else:
            w = robot.joint_wrenches(q, qd, qdd)
            every = resultants(axes_of(robot), np.asarray(w.force), np.asarray(w.torque))
            column = every[:, robot.joint_names.index(limit.name), RESULTANTS.index("tilting_moment")]
            used = column.max() / limit.capacity
        worst = max(worst, float(used))
    return worst


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    return [*times_of_one_path(200 if quick else 1000), *on_random_paths(1 if quick else 25, fine=not quick),
            *on_random_paths(1 if quick else 5, cones=True, fine=False),
            *fastest_brittle.rows(quick), *fastest_closed_and_rolling.rows(1 if quick else 10)]


def on_random_paths(count: int, *, cones: bool = False, fine: bool = True) -> Iterator[Row]:
    """A row for each robot."""
    for name, robot in robots():
        rng = np.random.default_rng(len(name))
        seen, certificates, longer, sizes, seconds, none = [], [], [], [], [], 0
        while len(seen) < count:
            points = random_path(robot, rng)
            limits = limits_for(robot, points)
            try:
                if cones:
                    limits |= {"tilting_moment": _moments(robot, points, limits)}
                begin = time.process_time()
                found = robot.fastest(points, limits)
            except lp.NoMotionError:
                none += 1
                continue
            seconds.append(time.process_time() - begin)
            seen.append(exceeded(robot, found))
            certificates.append(found.certificate)
            sizes.append(len(found.s) - 1)
            if fine:
                longer.append(found.duration / robot.fastest(points, limits, intervals=FINE).duration - 1)
        more = f"longer than with {FINE} intervals by {100 * np.median(longer):.3f} %, {100 * max(longer):.3f} % at " \
            "most; " if fine else ""
        what = "torques, speeds and tilting moments" if cones else "torques and speeds"
        yield Row(f"{name}, {count} paths within {what}: most used - 1, {EACH}-fold", max(seen) - 1.0, at_most=1e-6,
                  remark=f"certificate - 1: {max(certificates) - 1.0:.1e}; {more}{min(sizes)} to {max(sizes)} "
                  f"intervals, {np.median(seconds):.2f} s each; {none} paths without a motion")


def _moments(robot: lp.Robot, points: np.ndarray, limits: dict[str, Any]) -> dict[str, float]:
    """Tilting moments that rule: 0.8 of those without them, or 1.1 of those at rest."""
    free = robot.fastest(points, limits).motion
    names = [joint.name for joint in robot.joints if joint.motion.dof and joint.motion.axis_direction() is not None]
    most = []
    for k in (0.8, 0.0):
        w = robot.joint_wrenches(free.q, free.qd * (k > 0), free.qdd * (k > 0))
        every = resultants(axes_of(robot), np.asarray(w.force), np.asarray(w.torque))
        most.append(every[..., RESULTANTS.index("tilting_moment")].max(axis=0) * (k or 1.15))
    both = np.maximum(*most)
    found = {name: float(both[robot.joint_names.index(name)]) for name in names}
    return {name: most for name, most in found.items() if most > 0}


def best(work: Callable[[], Any], times: int = 9) -> float:
    """Processor seconds, the least of several."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


def times_of_one_path(points: int) -> Iterator[Row]:
    """UR10, torques and speeds: rows, sets and motion of one path, and toppra's where it is installed."""
    robot = load(urdf_files()[URDF[0]])
    way = np.array([0, -1.2, 1.4, -0.3, 0.4, 0]) + np.random.default_rng(3).uniform(-0.8, 0.8, (5, 6))
    path = lp.Path.through(way)
    asked, _ = asked_limits([robot], None, 1.0)
    problem = Problem(path, asked)
    p = np.unique(np.concatenate([np.linspace(0, path.breaks[-1], points + 1), path.breaks]))
    grid = Grid.of(path, p, 2)
    tight = np.zeros((len(grid.h), len(problem.names)))
    kept = Course(grid)
    rows = problem.rows(kept, (), tight)

    def loads() -> None:
        fresh = Course(grid)
        for what in (DRIVE, SPEED):
            fresh.loads(asked[0].model, what)  # type: ignore[attr-defined]

    top = problem.top(grid)
    parts = {
        "geometry of the path": best(lambda: Grid.of(path, p, 2)), "loads": best(loads),
        "rows": best(lambda: problem.rows(kept, (), tight)),
        "sets and motion": best(lambda: solve(*rows, grid.h, 0.0, top)),
        "certified, from waypoints": best(lambda: robot.fastest(path), 3),
    }
    for what, seconds in parts.items():
        yield Row(f"UR10, one path of {points} intervals: {what}", 1e3 * seconds, "ms")
    yield Row("the same: loads, rows, sets and motion", 1e3 * sum(parts[each] for each in (
        "loads", "rows", "sets and motion")), "ms", at_most=1.0)
    moments = _moments(robot, way, {})
    robot.fastest(path, {"tilting_moment": moments})
    cones = best(lambda: robot.fastest(path, {"tilting_moment": moments}), 3)
    yield from _cones(robot, path, p, moments)
    yield Row("the same: certified with all tilting moments", 1e3 * cones, "ms")
    yield from _toppra(robot, way, path, p, parts)
    many = np.array([0, -1.2, 1.4, -0.3, 0.4, 0]) + np.random.default_rng(3).uniform(-0.8, 0.8, (10_000, 5, 6))
    yield Row("the same: durations of 10,000 paths of 100 intervals", best(lambda: robot.path_durations(many), 2), "s",
              at_most=3.0)


def _cones(robot: lp.Robot, path: lp.Path, p: np.ndarray, moments: dict[str, float]) -> Iterator[Row]:
    """With all tilting moments, at both ends of each interval and at all nodes: all passes, and the last of them."""
    problem = Problem(path, asked_limits([robot], {"tilting_moment": moments}, 1.0)[0])
    yield from (_with_cones(problem, Grid.of(path, p, nodes), where)
                for nodes, where in ((2, "at both ends of intervals"), (NODES, f"at {NODES} nodes of intervals")))


def _with_cones(problem: Problem, grid: Grid, where: str) -> Row:
    course = problem.course(grid)
    found = settled(problem, course, None)
    near, top = (*found.near, found.state), problem.top(grid)
    rows = problem.rows(course, near, found.tight)
    last = (best(lambda: problem.rows(course, near, found.tight)),
            best(lambda: solve(*rows, grid.h, 0.0, top)))
    every = best(lambda: settled(problem, problem.course(grid), None))
    return Row(f"the same: with all tilting moments {where}, loads and all passes", 1e3 * every, "ms",
               at_most=10.0 if grid.at.shape[1] == 2 else None,
               remark=f"last pass {1e3 * sum(last):.1f} ms: {rows.shape[2]} rows in {1e3 * last[0]:.1f} ms, sets and "
               f"motion in {1e3 * last[1]:.1f} ms; {found.duration:.5f} s")


def _toppra(robot: lp.Robot, way: np.ndarray, path: lp.Path, p: np.ndarray, parts: dict[str, float]) -> Iterator[Row]:
    try:
        import toppra
        from toppra import algorithm, constraint
    except ImportError:
        yield Row(RATIO, np.nan, remark="not measured: toppra is not installed (the extra `peers` has it)")
        return
    toppra.setup_logging("ERROR")
    spline = toppra.SplineInterpolator(path.breaks, way, bc_type="natural")
    limits = {kind: np.array([limit.capacity for group in asked_limits([robot], None, 1.0)[0] for limit in group.names
                              if limit.kind == kind]) for kind in ("torque", "speed")}

    def inverse_dynamics(q: Any, qd: Any, qdd: Any) -> Any:
        return np.asarray(robot.inverse_dynamics(q, qd, qdd))

    torque = constraint.JointTorqueConstraint(
        inverse_dynamics, np.stack([-limits["torque"], limits["torque"]], 1), np.zeros(robot.n),
        discretization_scheme=constraint.DiscretizationType.Interpolation,
    )
    speed = constraint.JointVelocityConstraint(np.stack([-limits["speed"], limits["speed"]], 1))

    def made() -> Any:
        return algorithm.TOPPRA([speed, torque], spline, gridpoints=p, solver_wrapper="seidel")

    ready = made()
    seconds = best(lambda: ready.compute_parameterization(0, 0), 5)
    rate = ready.compute_parameterization(0, 0)[1]
    duration = float((2 * np.diff(p) / (rate[1:] + rate[:-1])).sum())
    yield Row(RATIO, seconds / parts["sets and motion"], at_least=20.0,
              remark=f"set up {1e3 * best(made, 5):.2f} ms, solved in {1e3 * seconds:.2f} ms; {duration:.5f} s")
