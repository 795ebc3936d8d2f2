"""A function of time that is followed at a limited rate, as a steering drive follows the angle that is asked of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

_CELLS = 4000
"""Pieces of the time in which a change that is too quick is looked for."""
_HALVINGS = 60
_STEP = 1e-5
"""s, of difference quotients."""
_CLOSE = 1e-9


class Ramp(NamedTuple):
    """A piece of time in which the limit is the rate."""

    begin: float
    end: float
    value: float
    rate: float

    def at(self, t: float) -> float:
        """The value at a time."""
        return self.value + self.rate * (t - self.begin)


class RateLimited:
    """The function itself where it changes no faster than the limit; where it does, a straight line at the limit until
    it has been caught up with. Ends of these lines are found by bisection, to rounding; what is shorter than 1/4000 of
    the time is not seen.

    >>> step = RateLimited(lambda t: 0.0 if t < 0.5 else 1.0, 2.0, 0.0, 2.0)
    >>> [round(float(step.at(t)[0]), 6) for t in (0.4, 0.75, 1.0, 1.5)], [round(float(t), 6) for t in step.breaks]
    ([0.0, 0.5, 1.0, 1.0], [0.5, 1.0])
    """

    def __init__(self, function: Callable[[float], float], limit: float, begin: float, end: float) -> None:
        self.function, self.limit = function, limit
        self.ramps: list[Ramp] = []
        self._grid: list[float] = np.linspace(begin, end, _CELLS + 1).tolist()
        self._values = [float(function(t)) for t in self._grid]
        t, value = begin, self._values[0]
        while t < end:
            t, value = self._next(t, value)
        self._begins = [ramp.begin for ramp in self.ramps]

    @property
    def breaks(self) -> list[float]:
        """Where it has corners."""
        return [t for ramp in self.ramps for t in (ramp.begin, ramp.end)]

    def at(self, t: float) -> tuple[float, float]:
        """Value and rate at a time."""
        k = bisect_right(self._begins, t) - 1
        if k >= 0 and t <= self.ramps[k].end:
            return self.ramps[k].at(t), self.ramps[k].rate
        slope = (self.function(t + _STEP) - self.function(t - _STEP)) / (2 * _STEP)
        return float(self.function(t)), float(np.clip(slope, -self.limit, self.limit))

    def _next(self, t: float, value: float) -> tuple[float, float]:
        """From a time at which it has a value to the end of the next ramp."""
        if abs(self.function(t) - value) <= _CLOSE:
            found = self._leaves(t)
            if found is None:
                return self._grid[-1], self._values[-1]
            t, value = found, float(self.function(found))
            rising = self.function(self._grid[min(bisect_right(self._grid, t), _CELLS)]) > value
        else:
            rising = self.function(t) > value
        line = Ramp(t, self._grid[-1], value, self.limit if rising else -self.limit)
        line = line._replace(end=self._caught_up(line))
        self.ramps.append(line)
        return line.end, line.at(line.end)

    def _leaves(self, t: float) -> float | None:
        """When the function begins to change too fast; None if it never does."""
        for k in range(bisect_right(self._grid, t), len(self._grid)):
            before = max(t, self._grid[k - 1])
            if before < self._grid[k] and self._too_fast(before, self._grid[k]):
                return self._first(t, before, self._grid[k])
        return None

    def _too_fast(self, a: float, b: float) -> bool:
        return bool(abs(self.function(b) - self.function(a)) > self.limit * (b - a) * (1 + 1e-9) + 1e-12)

    def _first(self, t: float, a: float, b: float) -> float:
        """When the slope reaches the limit near a cell in which it is too large; of a jump, just before it."""

        def slope(at: float, step: float = _STEP) -> float:
            return float(self.function(at + step) - self.function(at - step)) / (2 * step)

        low = max(t, a - (b - a))
        jumps = abs(slope(b, 0.1 * _STEP) - slope(b)) > 0.1 * abs(slope(b))
        if not jumps and abs(slope(low)) <= self.limit < abs(slope(b)):
            return _bisected(lambda at: abs(slope(at)) > self.limit, low, b)
        for _ in range(_HALVINGS):
            middle = 0.5 * (a + b)
            a, b = (a, middle) if self._too_fast(a, middle) else (middle, b)
        return a

    def _caught_up(self, line: Ramp) -> float:
        sign = 1.0 if line.rate > 0 else -1.0

        def past(t: float) -> bool:
            return bool(sign * (self.function(t) - line.at(t)) <= 0)

        before = line.begin
        for k in range(bisect_right(self._grid, line.begin), len(self._grid)):
            if past(self._grid[k]):
                return _bisected(past, before, self._grid[k])
            before = self._grid[k]
        return self._grid[-1]


def _bisected(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where a condition that holds at the upper end begins to hold."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
