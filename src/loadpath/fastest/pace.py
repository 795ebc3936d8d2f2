"""Points of a path that are passed no earlier than at a time, without a stop: the way to each is gone at a lower pace.

A cap of s' = ds/dt on the stretch before a point is a row as those of speeds are, so what is found is certified as any
motion. The lower the cap the later the point is passed, and what follows a point may only delay it: so stretches are
slowed one after the other, each until its point is passed at the time, or by so little later as does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from loadpath.fastest.limits import Limits, Name, Rows
from loadpath.fastest.loads import Course, State
from loadpath.fastest.path import Path
from loadpath.fastest.result import Fastest
from loadpath.scalars.types import Bools, Floats

KIND = "pace"
LATE = 2e-5
"""Of a time, by which a point may be passed later."""
TRIES = 24


@dataclass(frozen=True, eq=False)
class Pace:
    """s' <= capacity between two parameters of a path, which are breaks of it."""

    name: Name
    begin: float
    end: float

    @property
    def names(self) -> Sequence[Name]:
        """See `Limits`."""
        return (self.name,)

    @property
    def straight(self) -> bool:
        """See `Limits`."""
        return True

    def _here(self, course: Course) -> Bools:
        p = course.grid.p
        found: Bools = (p[:-1] >= self.begin) & (p[1:] <= self.end)
        return found

    def rows(self, course: Course, near: Sequence[State], tight: Floats) -> list[Rows]:
        """See `Limits`."""
        d = course.grid.d
        beta = np.where(self._here(course)[:, None], 1.0, 0.0) / (self.name.capacity * (1 - tight)) ** 2 + 0 * d
        return [Rows(2 * d * beta, beta, np.ones_like(beta))]

    def used(self, course: Course, state: State) -> Floats:
        """See `Limits`."""
        found: Floats = np.sqrt(np.maximum(state.x, 0.0)) / self.name.capacity * self._here(course)[:, None]
        return found[..., None]

    def between(self, course: Course, state: State) -> Floats:
        """See `Limits`: s'^2 is straight between nodes, and with rates as good as that; nothing breaks by a pace."""
        return np.zeros((len(course.grid.h), 1))


def in_time(path: Path, find: Callable[[Sequence[Limits]], Fastest]) -> Fastest:
    """The motion that `find` finds with stretches slowed so that no point in `path.passes` is passed too early."""
    paces: list[Limits] = []
    found, before = find([]), 0
    for k, seconds in path.passes.items():
        begin, end = float(path.breaks[before]), float(path.breaks[k])

        def at(pace: float, k: int = k, begin: float = begin, end: float = end) -> Pace:
            return Pace(Name(KIND, f"the way to point {k}", pace, "rad/s, m/s"), begin, end)

        if arrival(found, k) < seconds:
            grid, y = found.found.grid, found.speed
            way = grid.s[np.searchsorted(grid.p, end)] - grid.s[np.searchsorted(grid.p, begin)]
            low = float(way) / (seconds - (arrival(found, before) if before else 0.0))
            high = float(y[(grid.p >= begin) & (grid.p <= end)].max())
            found, pace = _slowed(lambda pace, at=at: find([*paces, at(pace)]),  # type: ignore[misc]
                                  k, seconds, low, high, seconds - arrival(found, k))
            paces.append(at(pace))
        before = k
    return found


def _slowed(
    find: Callable[[float], Fastest], k: int, seconds: float, low: float, high: float, early: float
) -> tuple[Fastest, float]:
    """The motion with the highest pace at which point k is not passed too early, and that pace: at `low` it is not, at
    `high` it is, by `early` seconds. Times go like the inverse of the pace: false position in that, where an end that
    stays counts half.
    """
    found, pace = find(low), low
    slow, quick, stayed = 1 / low, 1 / high, 0
    late = arrival(found, k) - seconds
    for _ in range(TRIES):
        if arrival(found, k) - seconds <= LATE * seconds:
            break
        trial = quick + (slow - quick) * early / (early + late)
        now = find(1 / trial)
        off = arrival(now, k) - seconds * (1 + LATE / 2)
        if off >= -LATE / 2 * seconds:
            found, pace, slow, late = now, 1 / trial, trial, max(off, 0.0)
            early, stayed = (early / 2, 1) if stayed == 1 else (early, 1)
        else:
            quick, early = trial, -off
            late, stayed = (late / 2, -1) if stayed == -1 else (late, -1)
    return found, pace


def arrival(found: Fastest, k: int) -> float:
    """s: when a motion comes to a break of its path."""
    at = int(np.searchsorted(found.found.grid.p, found.path.breaks[k]))
    return float(found.timing.arrives[at])
