"""The search for the fastest motion within limits of rates, which is no longer one point of a path after the other.

A sequence of linear programmes over u and x at all points: rows of the limits at the nodes, those of rates along their
tangents at the motion before, the time by its gradient there. Every motion on the way keeps the limits of rates, since
tangents are on the safe side. The first tangents are at a motion slow enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.fastest.cones import PLANES
from loadpath.fastest.controllable import FASTEST, Solution
from loadpath.fastest.grid import Grid, first_grid, turning_back, without_near
from loadpath.fastest.infeasible import NoMotionError, exceeded_at_rest
from loadpath.fastest.limits import Rows
from loadpath.fastest.loads import Course, State
from loadpath.fastest.rates import Rates
from loadpath.fastest.rising import ENDS, NEARLY, Law, Speeds, law_of, rising
from loadpath.fastest.search import COARSE, EXCEEDED, HALVINGS, NODES, Found, Problem, settled
from loadpath.scalars.types import Bools, Floats, Ints

INTERVALS = 300
SLOWER = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-8)
"""Squares of shares of the speed without limits of rates, at which the first tangents are."""
PROGRAMMES = 30
MOST_INTERVALS = 3000
RATES_COARSE = 9e-4
"""Where a rate may be exceeded by more between nodes, an interval is halved; by less it is made smaller."""
SETTLED = 1e-7
"""Relative change of the duration in a programme that is none."""
PRECISE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-9}
"""Of the linear programmes: s'' is a small difference of x over a short way."""
NEAR = 0.6
"""Rows of which less is used are looked at when the others have been kept."""
FAR = 2.0
"""x changes by no more than so many times itself in a programme; and less where that was too far."""
LEAST = 0.02
ROUND_RESTS = 0.05
"""Of a path: so near to a rest the first tangents are slower still, as motions without jumps of s'' begin."""
FROM_REST, LEAST_FROM_REST, TO_ROUND_RESTS = 1e-3, 1e-7, 50
"""Of a path between rests, its first interval, at most and at least; and how many there are from there to
`ROUND_RESTS`.
"""
RAMP = 0.9
CORNER, IN_CORNERS = 6, 16
"""A piece of this degree or a higher one is a corner, with so many intervals at least: its curvature comes and goes."""
FIRST = 1e-3
"""Of the x of the first tangents: the first motion is no slower."""
TIGHTER = 8
BENT = 1e-4
"""By so much the curvature of a path may jump, over its largest."""


class Block(NamedTuple):
    """Rows steep @ (u_0, u_1, x_0, x_1) <= most of intervals: (rows, 4), (rows,), and of which interval (rows,)."""

    steep: Floats
    most: Floats
    interval: Floats


@dataclass(frozen=True, eq=False)
class Programme:
    """What stays the same in all programmes on one grid."""

    problem: Problem
    course: Course
    begins: Bools
    stops: Bools
    law: Law
    top: Floats
    """(intervals + 1,): the largest x."""

    @classmethod
    def of(cls, problem: Problem, course: Course) -> Programme:
        """On a grid."""
        grid = course.grid
        at_rest = grid.at_rest.copy()
        at_rest[0] |= problem.start == 0.0
        at_rest[-1] |= problem.end == 0.0
        begins, stops = at_rest[:-1], at_rest[1:]
        return cls(problem, course, begins, stops, law_of(grid.d, begins, stops),
                   np.minimum(problem.top(grid), FASTEST))

    def rows(self, near: Sequence[State], at: Speeds, tight: Floats) -> Block:
        """Of all limits."""
        steep, most, interval = [], [], []
        count = len(tight)
        for limits, own in zip(self.problem.limits, self.problem.split(tight), strict=True):
            if isinstance(limits, Rates):
                pairs = limits.rows_near(self.course, at, own)
            else:
                pairs = [self._unfolded(rows) for rows in limits.rows(self.course, near, own)]
            for one, other in pairs:
                steep.append(one.reshape(-1, ENDS))
                most.append(other.ravel())
                interval.append(np.repeat(np.arange(count), other[0].size))
        every = np.concatenate(steep)
        right = np.concatenate(most)
        some = (np.abs(every).max(axis=1) > 0) | (right < 0)  # the latter leave nothing: what is held at rest
        return Block(every[some], right[some], np.concatenate(interval)[some])

    def _unfolded(self, rows: Rows) -> tuple[Floats, Floats]:
        """Rows of u and the x at the beginning, u constant, by those of u and x at the nodes where they come from."""
        shape = (*self.course.grid.d.shape, -1)
        alpha, beta, gamma = (part.reshape(shape) for part in rows[:3])
        alone = alpha - 2 * self.course.grid.d[..., None] * beta
        return alone[..., None] * self.law.u[:, :, None] + beta[..., None] * self.law.x[:, :, None], gamma

    def solved(self, block: Block, at: Speeds, far: float | None, used: Floats | None) -> Speeds | None:
        """The best motion within rows by the time's gradient at a motion, x no farther from it than so many times."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        grid, count = self.course.grid, len(self.begins)
        size, h = count + 1, grid.h
        unit_u = max(float(np.abs(at.u).max()), float(at.x.max()) / float(grid.s[-1]))
        unit = np.concatenate([np.full(size, unit_u), np.maximum(at.x, 1e-300)])
        columns = np.arange(count)[:, None] + np.array([0, 1, size, size + 1])
        cost = np.zeros(2 * size)
        np.add.at(cost, columns, at.durations(h)[1])
        inner = np.flatnonzero(~(self.begins | self.stops))
        equal = np.zeros((count, ENDS))
        equal[inner] = np.stack([h[inner], h[inner], 1 + 0 * h[inner], -1 + 0 * h[inner]], axis=1)
        equal[self.begins, 1], equal[self.begins, 3] = 1.0, -2 / 3 / h[self.begins]
        equal[self.stops, 0], equal[self.stops, 2] = 1.0, 2 / 3 / h[self.stops]
        equal *= unit[columns]
        equal /= np.abs(equal).max(axis=1, keepdims=True)
        starts = np.arange(count + 1) * ENDS
        equality = csr_array((equal.ravel(), columns.ravel(), starts), shape=(count, 2 * size))
        low, high = np.zeros(2 * size), np.full(2 * size, np.inf)
        low[:size] = -np.inf
        high[size:] = self.top
        if far is None:
            low[size:] = FIRST * np.minimum(at.x, self.top)
        else:
            low[size:], high[size:] = at.x / (1 + far), np.minimum(self.top, at.x * (1 + far))
        if np.isfinite(self.problem.start):
            low[size] = high[size] = min(self.problem.start**2, float(self.top[0]))
        rest = np.append(self.begins, False) | np.append(False, self.stops)
        for part in (low, high):
            part[:size][rest] = part[size:][rest] = 0.0
        taken = np.ones(len(block.most), dtype=bool) if used is None else used > NEAR
        for _ in range(20):
            rows = np.flatnonzero(taken)
            places = columns[block.interval[rows].astype(int)]
            steep = block.steep[rows] * unit[places]
            matrix = csr_array((steep.ravel(), places.ravel(), np.arange(len(rows) + 1) * ENDS),
                               shape=(len(rows), 2 * size))
            found = linprog(cost * unit, matrix, block.most[rows], equality, np.zeros(count),
                            np.stack([low / unit, high / unit], axis=1), method="highs", options=PRECISE)
            if found.status != 0:
                return None
            value = found.x * unit
            over = (block.steep * value[columns[block.interval.astype(int)]]).sum(axis=1) - block.most
            missed = (over > EXCEEDED / 10) & ~taken
            if not missed.any():
                break
            taken |= over > -0.05
        return Speeds(value[:size], value[size:], self.begins, self.stops)

    def found(self, speeds: Speeds, tight: Floats, near: Sequence[State]) -> Gradual:
        """As a motion."""
        none = np.full(len(speeds.x), np.nan)
        solution = Solution(speeds.u, speeds.x, none, none, np.asarray(-1))
        return Gradual(self.problem, self.course, solution, tight,
                       tuple(near), speeds)

    def better(self, at: Speeds, tight: Floats, near: Sequence[State]) -> Gradual:
        """From a motion on, programme after programme, until the time no longer changes."""
        h, far = self.course.grid.h, FAR
        duration = float(at.durations(h)[0].sum())
        for _ in range(PROGRAMMES):
            block = self.rows(near, at, tight)
            used = (block.steep * at.ends()[block.interval.astype(int)]).sum(axis=1) - block.most + 1
            other = self.solved(block, at, far, used)
            if other is None:
                break
            if used.max() <= 1 + EXCEEDED:
                share, best = _share(at, other, h)
            else:  # limits that became smaller
                share, best = 1.0, float(other.durations(h)[0].sum())
                if not np.isfinite(best):  # it would stand still between nodes
                    share, best = _share(at, other, h)
            change = abs(best - duration)
            at = at.between(other, share)
            near = (*near, rising(at, self.law, self.course.grid))[-PLANES:]
            if share < 1:
                far = max(far / 2, LEAST)
            duration = best
            if change <= SETTLED * best:
                break
        return self.found(at, tight, near)


@dataclass(frozen=True, eq=False)
class Gradual(Found):
    """A motion on a grid without jumps of s''. Of its `solution`, `u` is (intervals + 1,), too."""

    speeds: Speeds

    @cached_property
    def law(self) -> Law:
        """Between points of its grid."""
        return law_of(self.grid.d, self.speeds.begins, self.speeds.stops)

    @cached_property
    def state(self) -> State:
        """u and x at the nodes."""
        return rising(self.speeds, self.law, self.grid)

    @cached_property
    def durations(self) -> Floats:
        """(intervals,), s."""
        return self.speeds.durations(self.grid.h)[0]

    def within(self, tight: Floats) -> Found:
        """See `Found`."""
        return Programme.of(self.problem, self.course).better(self.speeds, tight, self.near)

    def gone(self, i: Ints, after: Floats) -> tuple[Floats, Floats, Floats]:
        """See `Found`."""
        h, lasts, speeds = self.grid.h[i], self.durations[i], self.speeds
        u0, k, y0 = speeds.u[i], np.diff(speeds.u)[i] / h, np.sqrt(speeds.x[i])
        size = np.sqrt(np.abs(k))
        angle = size * after
        with np.errstate(divide="ignore", invalid="ignore"):
            sine = np.where(angle < NEARLY, after * (1 + k * after**2 / 6),
                            np.where(k > 0, np.sinh(angle), np.sin(angle)) / size)
            half = np.where(angle < NEARLY, after / 2 * (1 + k * after**2 / 24),
                            np.where(k > 0, np.sinh(angle / 2), np.sin(angle / 2)) / size)
        d = y0 * sine + 2 * u0 * half**2
        u, x = u0 + k * d, speeds.x[i] + 2 * u0 * d + k * d**2
        for which, end, sign in ((speeds.begins[i], 1, 1.0), (speeds.stops[i], 0, -1.0)):
            v = (after / lasts if sign > 0 else 1 - after / lasts)[which]
            wide, most = h[which], speeds.x[i + end][which]
            d[which] = wide * v**3 if sign > 0 else wide * (1 - v**3)
            x[which], u[which] = most * v**4, sign * 2 / 3 * most / wide * v
        return d, x, u


def _share(at: Speeds, other: Speeds, h: Floats) -> tuple[float, float]:
    """How far to go towards another motion, and the duration there: of a convex function, by golden sections."""
    def duration(share: float) -> float:
        value = float(at.between(other, share).durations(h)[0].sum())
        return value if np.isfinite(value) else np.inf

    low, high, ratio = 0.0, 1.0, (np.sqrt(5) - 1) / 2
    if np.isfinite(duration(1.0)) and duration(1.0) <= duration(1.0 - 1e-3):
        return 1.0, duration(1.0)
    for _ in range(30):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if duration(a) <= duration(b) else (a, high)
    return low, duration(low)


def gradual(problem: Problem, intervals: int | None = None) -> Found:
    """The fastest motion without jumps of s'' that keeps all limits, those of rates too; or what is found without
    these, if there is no motion without them either.
    """
    refuse_bends(problem)
    count = intervals or INTERVALS
    without = settled(problem, problem.course(Grid.of(problem.path, graded(problem, count), NODES)), None)
    if not without.possible:
        return without
    from_rest = _from_rest(problem, without)
    course = problem.course(Grid.of(problem.path, graded(problem, count, from_rest), NODES))
    without = settled(problem, course, None)
    if not without.possible:
        return without
    programme = Programme.of(problem, course)
    tight = np.zeros((len(course.grid.h), len(problem.names)))
    start = _first(programme, without, tight)
    if start is None:
        raise _none(without)
    found = programme.better(start, tight, (without.state,))
    allowed = np.array([RATES_COARSE if isinstance(limits, Rates) else COARSE
                        for limits in problem.limits for _ in limits.names])
    for _ in range(HALVINGS):
        coarse: Bools = (found.bound - 1 > allowed).any(axis=1) & ~(programme.begins | programme.stops)
        if not coarse.any() or len(coarse) + coarse.sum() > MOST_INTERVALS:
            break
        programme, speeds = _halved(programme, found, coarse)
        tight = np.zeros((len(programme.begins), len(problem.names)))
        found = programme.better(speeds, tight, (rising(speeds, programme.law, programme.course.grid),))
    for _ in range(TIGHTER):
        excess = found.bound - 1
        if excess.max() <= EXCEEDED:
            break
        needed = found.bound - found.used + np.maximum(found.used - (1 - found.tight), 0.0)
        tight = np.where(excess > 0, np.maximum(found.tight, needed * (1 + 1e-3)), found.tight)
        found = programme.better(found.speeds, tight, found.near)
    return found


def _halved(programme: Programme, found: Gradual, which: Bools) -> tuple[Programme, Speeds]:
    """The same motion on a grid with some intervals made two."""
    old = found.grid
    finer = Programme.of(programme.problem, programme.problem.course(old.divided(which)))
    grid = finer.course.grid
    i = np.clip(np.searchsorted(old.p, grid.p, side="right") - 1, 0, len(old.h) - 1)
    d, rise = grid.s - old.s[i], np.diff(found.speeds.u)[i] / old.h[i]
    u, x = found.speeds.u[i] + rise * d, found.speeds.x[i] + 2 * found.speeds.u[i] * d + rise * d**2
    kept = np.isin(grid.p, old.p)
    u[kept], x[kept] = found.speeds.u, found.speeds.x
    return finer, Speeds(u, np.maximum(x, 0.0), finer.begins, finer.stops)


def _none(without: Found) -> NoMotionError:
    """Why there is no motion, though there is one with jumps of torques."""
    at_rest = exceeded_at_rest(without)
    over = "; ".join(f"{each.limit} is exceeded at rest from s = {each.begin:.4g} to {each.end:.4g}, "
                     f"{each.utilisation:.4g} of it" for each in at_rest)
    return NoMotionError("no motion was found that keeps the limits of torque_rate and jerk, though there is one with "
                         f"jumps of torques: {over or 'raise them, or take off payload'}", at_rest)


def _from_rest(problem: Problem, without: Found) -> list[float]:
    """Of the whole path, the first interval at each rest: most of the way on which the rates let loads grow to what
    they are without limits of rates.
    """
    grid, u = without.grid, without.solution.u
    at_rest = grid.at_rest.copy()
    at_rest[0] |= problem.start == 0.0
    at_rest[-1] |= problem.end == 0.0
    which = np.flatnonzero(at_rest[:-1] | at_rest[1:])
    seconds = np.zeros(len(which))
    for limits in problem.limits:
        if isinstance(limits, Rates):
            a = limits.own(without.course.loads(limits.model, limits.load).a)[which].max(axis=(1, 2), initial=0.0)
            b = -limits.own(without.course.loads(limits.model, limits.load).a)[which].min(axis=(1, 2), initial=0.0)
            seconds = np.maximum(seconds, np.maximum(a, b) * np.abs(u[which]))
    way = np.abs(u[which]) * seconds**2 / 6 / float(grid.s[-1])
    return [float(each) for each in np.clip(RAMP * way, LEAST_FROM_REST, FROM_REST)]


def graded(problem: Problem, intervals: int, from_rest: Sequence[float] = ()) -> Floats:
    """Parameters of a grid: as for motions with jumps, but at rests a first interval that is not short, since its law
    is what begins there, and then each longer than the one before by a share.
    """
    path = problem.path
    p, stops = first_grid(path, intervals), sorted({0, *path.stops, path.pieces})
    moving = {0} if problem.start > 0 and 0 not in path.stops else set()
    moving |= {path.pieces} if problem.end > 0 and path.pieces not in path.stops else set()
    each, whole = iter(from_rest), float(path.breaks[-1] - path.breaks[0])
    kept = np.concatenate([path.breaks, *turning_back(path)])
    for first, last in pairwise(stops):
        one, other = float(path.breaks[first]), float(path.breaks[last])
        count = max(4, round(TO_ROUND_RESTS * intervals / INTERVALS))
        for rest, sign in ((one, 1.0), (other, -1.0)):
            if (first if sign > 0 else last) in moving:
                continue
            least = next(each, FROM_REST) * whole / (other - one)
            steps = np.geomspace(min(least, FROM_REST), ROUND_RESTS, count)
            near = sign * (p - rest) / (other - one)
            p = p[~((near > 0) & (near <= ROUND_RESTS)) | np.isin(p, kept)]
            p = np.concatenate([p, rest + sign * (other - one) * steps])
    bent = np.flatnonzero(np.abs(path.coefficients[:-CORNER]).max(axis=(0, 2), initial=0.0) > 0)
    corners = path.breaks[bent, None] + np.diff(path.breaks)[bent, None] * np.linspace(0, 1, IN_CORNERS + 1)
    return without_near(np.unique(np.concatenate([p, corners.ravel()])), kept)


def _first(programme: Programme, without: Found, tight: Floats) -> Speeds | None:
    """A motion slow enough to begin with."""
    grid, x = programme.course.grid, without.solution.x
    rests = np.flatnonzero(np.append(programme.begins, False) | np.append(False, programme.stops))
    away = np.abs(grid.s[:, None] - grid.s[rests]).min(axis=1, initial=np.inf)
    x = x * np.minimum(1.0, np.cbrt(away / (ROUND_RESTS * grid.s[-1])))
    least = 1e-6 * float(x.max())
    for slower in SLOWER:
        at = Speeds(np.zeros_like(x), slower * np.maximum(x, least), programme.begins, programme.stops)
        state = State(slower * without.state.u, slower * without.state.x)
        at.x[np.append(programme.begins, False) | np.append(False, programme.stops)] = 0.0
        found = programme.solved(programme.rows((*without.near, state), at, tight), at, None, None)
        if found is not None and np.isfinite(found.durations(grid.h)[0]).all():
            return found
    return None


def refuse_bends(problem: Problem) -> None:
    """An error where the curvature of a path jumps: torques and accelerations jump there with it, at any speed."""
    path = problem.path
    inner = np.array([k for k in range(1, path.pieces) if k not in path.stops], dtype=int)
    sides = []
    for piece in (inner - 1, inner):
        _, first, second = path.at(path.breaks[inner], piece)
        rate = np.linalg.norm(first, axis=1, keepdims=True)
        unit = first / rate
        sides.append((second - unit * (unit * second).sum(axis=1, keepdims=True)) / rate**2)
    jump = np.abs(sides[1] - sides[0]).max(axis=1, initial=0.0)
    size = max(1.0, np.abs(sides).max(initial=0.0))
    if (jump > BENT * size).any():
        p = float(path.breaks[inner][jump.argmax()])
        raise ModelError(f"torque_rate and jerk: the curvature of the path jumps by {jump.max():.3g} at p = {p:.4g}, "
                         "and so do torques and accelerations; use Path.through(points), or lines with a "
                         "blend, or stop there with dwell=")
