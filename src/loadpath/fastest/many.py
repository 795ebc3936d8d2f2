"""How long the fastest motions on many paths take, for choosing among them: all intervals of some are one grid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.asked import Given, asked_limits
from loadpath.fastest.cones import PLANES
from loadpath.fastest.controllable import solve
from loadpath.fastest.grid import Grid
from loadpath.fastest.loads import Course, State
from loadpath.fastest.path import Path, refuse_quaternions
from loadpath.fastest.pieces import SAME
from loadpath.fastest.power import Power
from loadpath.fastest.rates import Rates
from loadpath.fastest.search import Problem
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.keywords import refuse_loops

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

NODES, PASSES = 2, 40
SETTLED = 1e-4
"""Share by which durations still change from pass to pass where none is made any more: two or three mostly, a dozen
where friction takes most of a limit.
"""
INTERVALS_AT_ONCE = 20_000
"""Of several paths: rows of them stay near."""


def path_durations(
    robot: RobotQuantities,
    paths: ArrayLike,
    limits: Given | None = None,
    *,
    factor: float | Mapping[str, float] = 1.0,
    intervals: int = 100,
) -> Floats:
    """(paths,): seconds that the fastest motions take from rest to rest on splines through configurations
    (paths, points, n), for choosing among them; NaN where there is no motion. Limits hold at both ends of every
    interval, with the same s'': between them they may be exceeded by about a hundredth. `robot.fastest` of the path
    that is chosen has the certificate; `limits` and `factor` are told there.

    >>> import loadpath as lp
    >>> rod = lp.catalog.planar(1, gravity=0)
    >>> rod.path_durations([[[0.0], [1.0]], [[0.0], [4.0]]], limits={"acceleration": 4.0}).round(3).tolist()
    [1.0, 2.0]
    """
    refuse_loops(robot, "path_durations", "ask a robot without them")
    refuse_quaternions(robot)
    points = np.asarray(paths, dtype=float)
    if points.ndim != 3 or points.shape[1] < 2 or points.shape[2] != robot.n:
        raise ValueError(f"paths have the shape {points.shape}: expected (paths, points, {robot.n}), two points or "
                         "more")
    if not np.isfinite(points).all():
        raise ValueError("paths go through points that are not finite numbers")
    still = np.linalg.norm(np.diff(points, axis=1), axis=2) <= SAME
    if still.any():
        path, k = (int(part[0]) for part in np.nonzero(still))
        raise ValueError(f"points {k} and {k + 1} of path {path} are the same: leave one out")
    if intervals < 1:
        raise ValueError(f"intervals is {intervals}: expected one or more")
    asked, _ = asked_limits([robot], limits, factor)
    if asked and all(isinstance(each, Power) for each in asked):
        raise ValueError("power limits motions beside torques, speeds or accelerations: give one of these, too")
    if any(isinstance(each, Rates) for each in asked):
        raise ValueError("path_durations has no limits of torque_rate and jerk: give them to robot.fastest")
    if not asked:
        raise ModelError(f"nothing limits a motion of robot '{robot.name}': give limits={{'torque': ..., ...}}")
    found = np.empty(len(points))
    step = max(1, INTERVALS_AT_ONCE // (intervals + points.shape[1]))
    for first in range(0, len(points), step):
        rows = slice(first, first + step)
        found[rows] = _durations(Problem(_joined(points[rows]), asked), points[rows], intervals)
    return found


def _durations(problem: Problem, points: Floats, intervals: int) -> Floats:
    """Of some paths, whose pieces are one after the other."""
    count, knots = points.shape[:2]
    breaks = problem.path.breaks
    inner = breaks[:-1].reshape(count, knots - 1)
    begin, end = inner[:, :1], np.append(inner[1:, 0], breaks[-1])[:, None]
    share = (1 - np.cos(np.pi * np.arange(intervals) / intervals)) / 2
    least = 1e-9 * (end - begin)
    p = np.sort(np.concatenate([begin + (end - begin) * share, inner[:, 1:]], axis=1), axis=1)
    p = np.maximum.accumulate(p + least * np.arange(p.shape[1]) * (np.diff(p, axis=1, prepend=-1) < least), axis=1)
    p[:, 0] = begin[:, 0]
    grid = Grid.of(problem.path, np.append(p.ravel(), breaks[-1]), NODES)
    course, each = Course(grid), p.shape[1]
    top = np.full((count, each + 1), np.inf)
    top[:, [0, -1]] = 0.0
    h = grid.h.reshape(count, each)
    tight = np.zeros((len(grid.h), len(problem.names)))
    near: list[State] = []
    duration = np.full(count, np.nan)
    for _ in range(1 if problem.straight else PASSES):
        rows = [part.reshape(count, each, -1) for part in problem.rows(course, near, tight)[:3]]
        found = solve(rows[0], rows[1], rows[2], h, 0.0, top)
        y = np.sqrt(np.where(found.failed[:, None] < 0, found.x, np.nan))
        before, duration = duration, (2 * h / (y[:, 1:] + y[:, :-1])).sum(axis=1)
        if near and np.allclose(duration, before, rtol=SETTLED, atol=0.0, equal_nan=True):
            break
        u = np.nan_to_num(found.u).reshape(-1)
        start = np.nan_to_num(found.x[:, :-1]).reshape(-1, 1)
        near = [*near, State(u, np.maximum(start + 2 * u[:, None] * grid.d, 0.0))][-PLANES:]
    return duration


def _joined(points: Floats) -> Path:
    """Natural cubic splines by chord length through all points of all paths, as pieces one after the other."""
    h = np.linalg.norm(np.diff(points, axis=1), axis=2)
    slope = np.diff(points, axis=1) / h[..., None]
    count, pieces, n = slope.shape
    bend = np.zeros((count, pieces + 1, n))  # second derivatives at the points
    if pieces > 1:
        k = np.arange(pieces - 1)
        matrix = np.zeros((count, pieces - 1, pieces - 1))
        matrix[:, k, k] = 2 * (h[:, :-1] + h[:, 1:])
        matrix[:, k[:-1], k[1:]] = matrix[:, k[1:], k[:-1]] = h[:, 1:-1]
        bend[:, 1:-1] = np.linalg.solve(matrix, 6 * np.diff(slope, axis=1))
    wide = h[..., None]
    cubic = np.diff(bend, axis=1) / (6 * wide)
    linear = slope - wide * (2 * bend[:, :-1] + bend[:, 1:]) / 6
    c = np.stack([cubic, bend[:, :-1] / 2, linear, points[:, :-1]]).reshape(4, -1, n)
    return Path(np.concatenate([[0.0], np.cumsum(h.ravel())]), c, {})
