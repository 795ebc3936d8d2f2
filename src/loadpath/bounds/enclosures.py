"""What bounds a load over boxes of states: as a sum of cosines, by ranges of its equations, or not at all."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import numpy as np

from loadpath.bounds.asked import Asked
from loadpath.bounds.branch_and_bound import Bounded
from loadpath.bounds.expansion import Expansion, along_direction, merged_modes
from loadpath.bounds.harmonics import Harmonics, harmonics
from loadpath.bounds.intervals import UnboundedOperationError
from loadpath.bounds.mean_value import MeanValue
from loadpath.scalars.recording import Recorded
from loadpath.scalars.types import Floats

MOST_COSINES, COARSE = 1000, 50.0
"""With more cosines, so many times as much is left out of the sum: a hundredth of the value at a tolerance of 0.001."""


class BySeries:
    """The function that is asked for as a sum of cosines, over boxes of the variables that it has."""

    def __init__(self, asked: Asked, expansion: Expansion, low: Floats, high: Floats, leave_out: float) -> None:
        self.asked, self.low, self.high = asked, low, high
        speed = asked.speed
        self.speed = speed if asked.coulomb and (low[speed] != 0.0 or high[speed] != 0.0) else -1
        self.size = len(low)  # of a state; the sign of that speed is one more variable
        low, high = np.append(low, -1.0), np.append(high, 1.0)
        if self.speed >= 0:
            expansion = expansion.with_variable(self.size, asked.coulomb)
        if asked.sense == "min":
            expansion = replace(expansion, amplitudes=-expansion.amplitudes)
        self.sum: Harmonics
        self.sum, others, self.taken = harmonics(
            expansion,
            *merged_modes(*along_direction(expansion.amplitudes, expansion.multiples,
                                           both_signs=asked.sense == "magnitude")),
            low, high, leave_out, in_boxes={self.size},
        )
        self.angles, self.others = list(expansion.angles), list(others)
        self.fixed = np.append(np.clip(0.0, self.low, self.high), 0.0)

    def boxes(self) -> tuple[Floats, Floats]:
        """The boxes that the search begins with, (b, size)."""
        signs = [(-1.0, 1.0)]
        if self.speed >= 0:
            low, high = self.low[self.speed], self.high[self.speed]
            signs = [(s, s) for s in (1.0, -1.0) if (high if s > 0 else -low) > 0]
        ends = []
        for of_direction in self.asked.direction_boxes():
            for sign in signs:
                box = [np.append(self.low, sign[0]), np.append(self.high, sign[1])]
                if self.speed >= 0:
                    box[0 if sign[0] > 0 else 1][self.speed] *= box[0 if sign[0] > 0 else 1][self.speed] * sign[0] > 0
                ends.append([np.concatenate([end[self.angles], direction, end[self.others]])
                             for end, direction in zip(box, of_direction, strict=True)])
        found = np.array(ends)
        return found[:, 0], found[:, 1]

    def bounds(self, low: Floats, high: Floats) -> Bounded:
        return self.sum.bounds(low, high)

    def values(self, points: Floats) -> Floats:
        return self.asked.value(self.states(points))

    def states(self, points: Floats) -> Floats:
        """(b, entries), with the best of what is taken at once."""
        states = np.tile(self.fixed, (len(points), 1))
        states[:, self.angles] = points[:, : len(self.angles)]
        states[:, self.others] = points[:, self.sum.angles :]
        factors = self.sum.factors(points)
        for p, k in enumerate(self.taken):
            if k >= 0:
                states[:, k] = np.where(factors[:, p] >= 0, self.high[k], self.low[k])
        found: Floats = states[:, : self.size]
        return found

    def points(self, states: Floats) -> Floats:
        """(b, size) at states."""
        sign = np.sign(states[:, [self.speed]]) if self.speed >= 0 else np.zeros((len(states), 1))
        whole = np.hstack([states, sign])
        return np.concatenate([whole[:, self.angles], self.asked.direction(states), whole[:, self.others]], axis=1)

    def climb(self, point: Floats) -> Floats:
        """The point after a local search in the box where it is."""
        from scipy.optimize import minimize

        if not len(point):  # all is taken at once
            return point
        low, high = _box_of(point, *self.boxes())

        def downhill(x: Floats) -> tuple[float, Floats]:
            here = self.sum.bounds(x[None], x[None])
            return -float(here.plane[0]), -here.slope[0]

        result = minimize(downhill, np.clip(point, low, high), jac=True, method="L-BFGS-B",
                          bounds=list(zip(low, high, strict=True)),
                          options={"maxiter": 200, "ftol": 1e-15, "gtol": 1e-12})
        climbed: Floats = np.clip(result.x, low, high)
        return climbed


class ByRanges:
    """The function that is asked for as its equations give it, over boxes of states, and of directions."""

    def __init__(self, asked: Asked, low: Floats, high: Floats) -> None:
        self.asked, self.low, self.high = asked, low, high
        equations = asked.equations
        assert equations is not None

        def function(x: list[Recorded]) -> Any:
            return asked.along(equations(x[: len(low)]), x[len(low) :])

        self.mean_value = MeanValue(len(low) + asked.directions, function, self.values)
        self.bounds = self.mean_value.bounds

    def boxes(self) -> tuple[Floats, Floats]:
        """The boxes that the search begins with, (b, size)."""
        low, high = zip(*self.asked.direction_boxes(), strict=True)
        return (np.array([np.concatenate([self.low, end]) for end in low]),
                np.array([np.concatenate([self.high, end]) for end in high]))

    def values(self, points: Floats) -> Floats:
        return self.asked.value(self.states(points))

    def states(self, points: Floats) -> Floats:
        """(b, entries)"""
        return points[:, : len(self.low)]

    def points(self, states: Floats) -> Floats:
        """(b, size) at states."""
        return np.concatenate([states, self.asked.direction(states)], axis=1)

    def climb(self, point: Floats) -> Floats:
        """The point after a local search in the box where it is."""
        return self.mean_value.climb(point, *_box_of(point, *self.boxes()))


class Unbounded(ByRanges):
    """The function that is asked for where nothing bounds it: there is the local search alone, without derivatives."""

    def __init__(self, asked: Asked, low: Floats, high: Floats) -> None:
        self.asked, self.low, self.high = asked, low, high

    def boxes(self) -> tuple[Floats, Floats]:
        return self.low[None], self.high[None]

    def points(self, states: Floats) -> Floats:
        return states

    def bounds(self, low: Floats, high: Floats) -> Bounded:
        """None."""
        unknown, none = np.full(len(low), np.inf), np.zeros_like(low)
        return Bounded(unknown, unknown, none, none, np.full_like(low, np.inf), high - low)

    def climb(self, point: Floats) -> Floats:
        """The point after a local search in the box."""
        from scipy.optimize import minimize

        result = minimize(lambda x: -float(self.values(x[None])[0]), point, method="L-BFGS-B",
                          bounds=list(zip(self.low, self.high, strict=True)))
        climbed: Floats = np.clip(result.x, self.low, self.high)
        return climbed


Enclosing = BySeries | ByRanges


def enclosure(
    asked: Asked, expansion: Expansion | None, low: Floats, high: Floats, leave_out: float
) -> Enclosing:
    """What bounds the function that is asked for, the sharpest that holds."""
    if expansion is not None:
        whole = BySeries(asked, expansion, low, high, leave_out)
        if len(whole.sum.multiples) <= MOST_COSINES:
            return whole
        # It will not be certified in any time: fewer cosines bound more boxes.
        return BySeries(asked, expansion, low, high, COARSE * leave_out)
    if asked.equations is not None:
        with contextlib.suppress(UnboundedOperationError):
            return ByRanges(asked, low, high)
    return Unbounded(asked, low, high)


def _box_of(point: Floats, lows: Floats, highs: Floats) -> tuple[Floats, Floats]:
    """The box in which a point is."""
    outside = np.maximum(lows - point, 0.0) + np.maximum(point - highs, 0.0)
    box = int(np.argmin(outside.sum(axis=1)))
    return lows[box], highs[box]
