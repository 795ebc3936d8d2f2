"""Many stops of single joints by their drives at once: each joint moves alone, all others are held.

The quickest stop has s'' as low as the limits of drives and parts leave it, all the way: those are the rows of
`robot.fastest` (`fastest/limits.py`) on paths along which one joint goes, all stops side by side. Rows that hold near a
motion are made again near the one found, until the times stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.datasheet.without_power import Stopped
from loadpath.fastest.asked import asked_limits
from loadpath.fastest.cones import PLANES
from loadpath.fastest.controllable import NO_SLOPE
from loadpath.fastest.grid import Grid
from loadpath.fastest.limits import Limits
from loadpath.fastest.loads import Course, State
from loadpath.fastest.path import Path
from loadpath.fastest.power import Power
from loadpath.fastest.rates import Rates
from loadpath.fastest.search import Problem
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

COARSE, FINE, NODES = 40, 320, 2
"""Intervals of a path while its length is looked for, and then; s'' is constant on each, as both of its ends let it.
"""
PASSES, SETTLED = 25, 1e-5
"""Until times change by less, relatively."""
LONGER, DOUBLED = 1.3, 14
"""A path is so much longer than the way that was needed on it; how often it is doubled while the joint still moves."""
EXCEEDED = 1e-2
"""By so much a limit may be exceeded between rows; more is no stop within the limits."""


def braking_limits(robot: RobotQuantities) -> list[Limits]:
    """What a robot's drives and parts can take, but for speeds, which only fall."""
    found, _ = asked_limits([robot], {"speed": False}, 1.0)
    return [each for each in found if not isinstance(each, Power | Rates)]


def stops_by_drives(
    robot: RobotQuantities, limits: list[Limits], column: int, q: Floats, speed: Floats
) -> Stopped:
    """From configurations (stops, n) at speeds (stops,) of one joint: how long and how far; NaN where the limits leave
    no stop, or do not slow the joint down all the way.
    """
    length = np.maximum(0.05 * np.abs(speed), 1e-6)
    time, way = np.full(len(q), np.nan), np.full(len(q), np.nan)
    todo = np.arange(len(q))
    for _ in range(DOUBLED):
        found = _on_paths(robot, limits, q[todo], column, speed[todo], length[todo])
        done = np.isfinite(found.way)
        time[todo[done]], way[todo[done]] = found.time[done], found.way[done]
        todo = todo[~done]
        if not len(todo):
            break
        length[todo] *= 2
    some = np.flatnonzero(np.isfinite(way) & (way > 0))
    if len(some):  # again, on paths of which most is gone
        found = _on_paths(robot, limits, q[some], column, speed[some], LONGER * way[some], final=True)
        time[some], way[some] = found.time, found.way
    return Stopped(time, way)


def _on_paths(
    robot: RobotQuantities, limits: list[Limits], q: Floats, column: int, speed: Floats, length: Floats,
    final: bool = False,
) -> Stopped:
    """The stops on paths of these lengths; not found where the path is too short."""
    count, intervals = len(q), FINE if final else COARSE
    breaks = np.concatenate([[0.0], np.cumsum(length)])
    slope = np.zeros_like(q)
    slope[:, column] = np.sign(speed)
    path = Path(breaks, np.stack([slope, q]), {})
    p = (breaks[:-1, None] + length[:, None] * np.arange(intervals) / intervals).ravel()
    course = Course(Grid.of(path, np.append(p, breaks[-1]), NODES))
    problem = Problem(path, limits)
    tight = np.zeros((len(course.grid.h), len(problem.names)))
    h, d = course.grid.h.reshape(count, intervals), course.grid.d
    near: list[State] = []
    before = np.full(count, np.inf)
    found = Stopped(before, before)
    u = x = np.zeros((count, intervals))
    for _ in range(PASSES if final else 4):
        rows = problem.rows(course, near, tight)
        u, x = _slowest([part.reshape(count, intervals, -1) for part in rows[:3]], h, speed**2)
        found = _ended(u, x, h)
        flat = u.reshape(-1)
        near = [*near, State(flat, np.maximum(x.reshape(-1, 1) + 2 * flat[:, None] * d, 0.0))][-PLANES:]
        if problem.straight or np.allclose(found.time, before, rtol=SETTLED, atol=0.0, equal_nan=True):
            break
        before = found.time
    used = problem.used(course, near[-1]).max(axis=(1, 2)).reshape(count, intervals)
    moves = x > 0
    over = (np.where(moves, used, 0.0).max(axis=1) > 1 + EXCEEDED) | (moves & (u >= 0)).any(axis=1)
    return Stopped(np.where(over, np.nan, found.time), np.where(over, np.nan, found.way)) if final else found


def _slowest(rows: list[Floats], h: Floats, start: Floats) -> tuple[Floats, Floats]:
    """s'' (stops, intervals) as low as rows leave it, and s'^2 at the beginnings of the intervals; zero after rest."""
    alpha, beta, gamma = rows
    x, u = np.zeros(h.shape), np.zeros(h.shape)
    now = np.array(start, dtype=float)
    for k in range(h.shape[1]):
        x[:, k] = now
        left = gamma[:, k] - beta[:, k] * now[:, None]
        a = alpha[:, k]
        with np.errstate(divide="ignore", invalid="ignore"):
            least = np.where(a < -NO_SLOPE, left / a, -np.inf).max(axis=1)
        u[:, k] = np.where(now > 0, least, 0.0)
        now = np.where(now > 0, np.maximum(now + 2 * u[:, k] * h[:, k], 0.0), 0.0)
        now[~np.isfinite(now)] = 0.0
    return u, x


def _ended(u: Floats, x: Floats, h: Floats) -> Stopped:
    """How long and how far until rest; not a number where a path ends before."""
    after = x + 2 * u * h
    ends = (x > 0) & (after <= 0)
    last = ends.argmax(axis=1)
    rows = np.arange(len(x))
    inside = np.arange(x.shape[1]) < last[:, None]
    y = np.sqrt(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = 2 * h / (y + np.sqrt(np.maximum(after, 0.0)))
        time = np.where(inside, each, 0.0).sum(axis=1) - y[rows, last] / u[rows, last]
        way = np.where(inside, h, 0.0).sum(axis=1) - x[rows, last] / (2 * u[rows, last])
    there = ends.any(axis=1) & np.isfinite(time) & np.isfinite(u).all(axis=1)
    return Stopped(np.where(there, time, np.nan), np.where(there, way, np.nan))
