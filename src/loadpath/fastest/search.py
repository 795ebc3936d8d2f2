"""The search for the fastest motion on a path: rows, sets, a better linearisation, a finer grid where it is needed,
and limits made smaller by what they may be exceeded between nodes, until nothing may be exceeded anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadpath.cached import cached_property
from loadpath.fastest.closing import Closing
from loadpath.fastest.cones import PLANES, Cone
from loadpath.fastest.controllable import Solution, solve
from loadpath.fastest.grid import Grid, first_grid
from loadpath.fastest.limits import Limits, Name, Rows
from loadpath.fastest.loads import Course, State
from loadpath.fastest.means import Means
from loadpath.fastest.path import Path
from loadpath.fastest.within_means import within_means
from loadpath.progress import part_of_rest
from loadpath.scalars.types import Bools, Floats, Ints

NODES = 5
"""In an interval, both ends among them: rows hold at each."""
INTERVALS, WITH_CONES = 1600, 400
"""Of a grid to begin with, where the path has no more pieces; fewer with cones, which take many passes."""
MOST_INTERVALS = 20_000
COARSE = 3e-4
"""Where a limit may be exceeded by more between nodes, an interval is halved..."""
HALVINGS = 8
"""... up to so many times."""
SWITCHINGS, INTO, SHORTEST = 4, 4, 1e-5
"""Intervals in which one limit goes over to another are divided so often, each into so many, unless they are shorter,
of the whole path.
"""
LOST = 1e-3
"""Of the duration, in all intervals: those that lose more than their share are halved."""
SLOWER = 20
PASSES = 30
SETTLED, ROUGHLY = 1e-7, 1e-5
"""Relative change of the duration in a pass that is no change; and while the grid still changes."""
COARSER, LEAST_INTERVALS = 8, 50
"""A first motion is that of so many times fewer intervals, if they are no fewer than this."""
EXCEEDED = 1e-6
"""By so much a certificate may be above 1 and the search end."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A path, and what limits a motion along it."""

    path: Path
    limits: Sequence[Limits]
    start: float = 0.0
    """ds/dt at the beginning; infinite: any."""
    end: float = 0.0
    closing: Closing | None = None
    """Of a robot with loops."""

    def course(self, grid: Grid) -> Course:
        """The path on a grid."""
        return Course(grid, self.closing)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Of all limits, in the order of rows and utilisations."""
        return tuple(name for limits in self.limits for name in limits.names)

    @cached_property
    def means(self) -> list[Means]:
        """Limits of the whole motion."""
        return [limits for limits in self.limits if isinstance(limits, Means)]

    @cached_property
    def straight(self) -> bool:
        """Whether one pass is enough."""
        return all(limits.straight for limits in self.limits)

    @cached_property
    def outside(self) -> bool:
        """Whether rows near any motion leave out none that keeps all limits: then one that keeps them is the best."""
        return all(limits.straight or isinstance(limits, Cone) for limits in self.limits)

    def split(self, of_all: Floats) -> list[Floats]:
        """What is (..., limits), by kinds of limits."""
        ends = np.cumsum([len(limits.names) for limits in self.limits])[:-1]
        return np.split(of_all, ends, axis=-1)

    def parts(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """Those of all limits, one part after the other."""
        found: list[Rows] = []
        first = 0
        for limits, own in zip(self.limits, self.split(tight), strict=True):
            found += [rows._replace(owner=rows.owner + first) for rows in limits.rows(course, near, own)]
            first += len(limits.names)
        return found

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> Floats:
        """(3, intervals, rows): alpha, beta and gamma of all of them, until the next rows of this course."""
        found = self.parts(course, near, tight)
        ends = np.cumsum([0, *(part.alpha.shape[1] for part in found)])
        shape = 3, len(tight), int(ends[-1])
        every = course.once(("room", shape), lambda: np.empty(shape))  # new memory takes longer to get than to fill
        for part, begin, end in zip(found, ends[:-1], ends[1:], strict=True):
            for whole, piece in zip(every, part[:3], strict=True):
                whole[:, begin:end] = piece
        return every

    def used(self, course: Course, state: State) -> Floats:
        """(intervals, nodes, limits)"""
        return np.concatenate([limits.used(course, state) for limits in self.limits], axis=-1)

    def between(self, course: Course, state: State) -> Floats:
        """(intervals, limits); infinite where an interval is too coarse for a bound."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.concatenate([limits.between(course, state) for limits in self.limits], axis=-1)
        return np.where(np.isnan(found), np.inf, found)

    def top(self, grid: Grid) -> Floats:
        """(intervals + 1,): the largest x at each point."""
        found = np.where(grid.at_rest, 0.0, np.inf)
        found[0], found[-1] = min(found[0], self.start**2), min(found[-1], self.end**2)
        return found


@dataclass(frozen=True, eq=False)
class Found:
    """A motion on a grid, or where there is none."""

    problem: Problem
    course: Course
    solution: Solution
    tight: Floats
    near: Sequence[State]
    """Motions of earlier passes, near which the rows are."""

    @property
    def grid(self) -> Grid:
        """Of the motion."""
        return self.course.grid

    @property
    def possible(self) -> bool:
        """Whether there is a motion."""
        return self.solution.possible

    @cached_property
    def rows(self) -> Rows:
        """Within which it was found, with their owners (intervals, rows)."""
        parts = self.problem.parts(self.course, self.near, self.tight)
        every = [Rows(*part[:3], np.broadcast_to(part.owner, part.alpha.shape)) for part in parts]
        return Rows(*(np.concatenate(each, axis=1) for each in zip(*every, strict=True)))

    @cached_property
    def state(self) -> State:
        """u and x at the nodes."""
        u = self.solution.u
        return State(u, np.maximum(self.solution.x[:-1, None] + 2 * u[:, None] * self.grid.d, 0.0))

    @cached_property
    def durations(self) -> Floats:
        """(intervals,), s."""
        y = np.sqrt(self.solution.x)
        with np.errstate(divide="ignore"):
            found: Floats = 2 * self.grid.h / (y[1:] + y[:-1])
        return found

    @property
    def duration(self) -> float:
        """s, without rests."""
        return float(self.durations.sum())

    def within(self, tight: Floats) -> Found:
        """The motion on the same grid with limits smaller by so much, (intervals, limits)."""
        return settled(self.problem, self.course, tight, (*self.near, self.state))

    def gone(self, i: Ints, after: Floats) -> tuple[Floats, Floats, Floats]:
        """How far it is on intervals (times,) so many seconds after their beginnings, x and u there."""
        y, u = np.sqrt(self.solution.x[i]), self.solution.u[i]
        d = np.clip(y * after + u * after**2 / 2, 0.0, self.grid.h[i])
        return d, y**2 + 2 * u * d, u

    @cached_property
    def used(self) -> Floats:
        """(intervals, limits): the largest utilisation at the nodes."""
        return np.asarray(self.problem.used(self.course, self.state).max(axis=1))

    @cached_property
    def bound(self) -> Floats:
        """(intervals, limits): what the utilisation exceeds nowhere on the interval."""
        return self.used + self.problem.between(self.course, self.state)


def attempt(problem: Problem, course: Course, near: Sequence[State], tight: Floats) -> Found:
    """One pass: rows and sets."""
    grid = course.grid
    with part_of_rest(0.15):  # most searches take about ten passes
        rows = problem.rows(course, near, tight)
        start = problem.start**2
        if 0 in grid.stops:
            start = 0.0
        top = problem.top(grid)
    solution = solve(rows[0], rows[1], rows[2], grid.h, start, top)
    if problem.means and solution.possible:
        means = [each for limits, own in zip(problem.limits, problem.split(tight), strict=True)
                 if isinstance(limits, Means) for each in limits.means(course, near, own)]
        fixed = (top == 0) | ((np.arange(len(top)) == 0) & (start == 0))
        solution = within_means(rows, grid.h, solution, fixed, means)
    return Found(problem, course, solution, tight, tuple(near))


def search(problem: Problem, intervals: int | None = None) -> Found:
    """The fastest motion that exceeds nothing between points either, or the first pass that finds none."""
    if intervals is None:
        many = any(isinstance(limits, Cone | Means) for limits in problem.limits)
        intervals = WITH_CONES if many else INTERVALS
    course = problem.course(Grid.of(problem.path, first_grid(problem.path, intervals), NODES))
    found = resolved(settled(problem, course, None, settling=ROUGHLY))
    for _ in range(HALVINGS):
        if not found.possible:
            return found
        coarse: Bools = np.any(found.bound - 1 > COARSE, axis=1)
        if not coarse.any() or len(coarse) + coarse.sum() > MOST_INTERVALS:
            break
        found = resolved(divided(found, coarse, ROUGHLY))
    return tightened(again(found))


def resolved(found: Found) -> Found:
    """The motion with intervals divided on which no limit is reached: there it goes over from one to another, which can
    be anywhere in an interval and costs time where s'' is constant on it. And those on which much time is lost
    otherwise: a limit that changes along an interval leaves less of s'' than it would anywhere but at one end.
    """
    least = SHORTEST * float(found.grid.s[-1])
    for _ in range(SWITCHINGS):
        if not found.possible:
            break
        idle = (found.used.max(axis=1) < 1 - EXCEEDED) & (found.grid.h > least)
        which = idle | (lost(found) > LOST * found.duration / len(idle))
        if not which.any():
            break
        found = divided(found, which, ROUGHLY, INTO)
    return found


def lost(found: Found) -> Floats:
    """(intervals,), s: the time that is lost if s'' is less than it might be by half of what it changes from an
    interval to the next.
    """
    u, x = found.solution.u, found.solution.x
    change = np.abs(np.diff(u))
    change = np.maximum(np.append(change, 0.0), np.append(0.0, change)) / 2
    change[found.used.max(axis=1) < 1 - EXCEEDED] = 0.0  # a switch
    spent: Floats = found.durations * change * found.grid.h / (2 * (x[1:] + x[:-1]))
    return spent


def divided(found: Found, which: Bools, settling: float = SETTLED, into: int = 2) -> Found:
    """The motion on a grid with some intervals made several."""
    course = found.problem.course(found.grid.divided(which, into))
    near = () if found.problem.straight else (on_grid(found, course.grid),)
    return settled(found.problem, course, None, near, settling, found.duration if settling > SETTLED else 0.0)


def on_grid(found: Found, grid: Grid) -> State:
    """A motion at the nodes of a finer grid."""
    old, middle = found.grid, (grid.p[:-1] + grid.p[1:]) / 2
    i = np.searchsorted(old.p, middle) - 1
    s = grid.s[:-1, None] + grid.d - old.s[i, None]
    u, x = found.state.u[i], found.state.x[i, :1]
    return State(u, np.maximum(x + 2 * u[:, None] * s, 0.0))


def settled(
    problem: Problem, course: Course, tight: Floats | None, near: Sequence[State] = (), settling: float = SETTLED,
    before: float = 0.0,
) -> Found:
    """Passes until what is linearised no longer changes, the first of them from a duration `before`; without a motion
    `near`, from that of a coarser grid.
    """
    count = len(course.grid.h)
    if not near and problem.outside and not problem.straight and count >= COARSER * LEAST_INTERVALS:
        rough = settled(problem, problem.course(course.grid.coarser(COARSER)), None, settling=ROUGHLY)
        if rough.possible:
            near, before = (on_grid(rough, course.grid),), rough.duration
    tight = np.zeros((count, len(problem.names))) if tight is None else tight
    found = attempt(problem, course, near, tight)
    if not near and found.possible and not problem.straight:
        found = cautious(found)
    return again(found, settling, before)


def again(found: Found, settling: float = SETTLED, before: float = 0.0) -> Found:
    """Further passes on the same grid, near the motions found."""
    if found.problem.straight:
        return found
    for _ in range(PASSES):
        if not found.possible or (found.problem.outside and kept(found)):
            break
        if abs(found.duration - before) <= settling * before and (settling > SETTLED or kept(found)):
            break
        before = found.duration
        found = attempt(found.problem, found.course, (*found.near, found.state)[-PLANES:], found.tight)
    return found


def kept(found: Found) -> bool:
    """Whether nothing is exceeded at nodes, which rows near another motion may do."""
    for limits, tight in zip(found.problem.limits, found.problem.split(found.tight), strict=True):
        if not limits.straight:
            left = 1 + EXCEEDED / 4 - tight[:, None]
            if not (limits.used(found.course, found.state) <= left).all():
                return False
    return True


def cautious(found: Found) -> Found:
    """A motion within rows that hold near the motion found without them, or near a slower one: far from a motion that
    is possible, tangents of what goes with its speed may leave nothing.
    """
    state, share, other = found.state, 1.0, found
    for _ in range(SLOWER):
        near = (State(share * state.u, share * state.x),)
        other = attempt(found.problem, found.course, near, found.tight)
        if other.possible:
            break
        share /= 4
    return other


def tightened(found: Found) -> Found:
    """The motion within limits that are smaller by what might be exceeded between nodes."""
    for _ in range(PASSES):
        excess = found.bound - 1
        if not found.possible or excess.max() <= EXCEEDED:
            break
        needed = found.bound - found.used + np.maximum(found.used - (1 - found.tight), 0.0)
        tight = np.where(excess > 0, np.maximum(found.tight, needed * (1 + 1e-3)), found.tight)
        tighter = settled(found.problem, found.course, tight, (*found.near, found.state))
        if not tighter.possible:
            return finer(found)
        found = tighter
    return found


def finer(found: Found) -> Found:
    """Where limits leave no room to be made smaller: intervals where they might be exceeded are halved."""
    for _ in range(HALVINGS):
        coarse: Bools = np.any(found.bound - 1 > EXCEEDED, axis=1)
        if not coarse.any() or len(coarse) + coarse.sum() > MOST_INTERVALS:
            break
        other = divided(found, coarse)
        if not other.possible:
            break
        found = other
    return found
