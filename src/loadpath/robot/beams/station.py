"""A place along a beam that may move with a joint: linear in its coordinate."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from loadpath.scalars import Scalar
from loadpath.scalars.types import Floats


class Station(NamedTuple):
    """A place `constant + slope q[coordinate]` (m from a beam's start); one with slope zero stays where it is."""

    constant: float
    slope: float = 0.0
    coordinate: int = 0

    @property
    def moves(self) -> bool:
        """Whether it depends on q."""
        return self.slope != 0.0

    def at(self, q: Scalar) -> Scalar:
        """The place for coordinates q, an array of scalars of any kind.

        >>> Station(1.0, -2.0, 1).at([5.0, 0.25])
        0.5
        """
        return self.constant + self.slope * q[self.coordinate] if self.moves else self.constant

    def of_states(self, q: Floats) -> Floats:
        """The places (...) for states (..., nq)."""
        result: Floats = self.constant + self.slope * q[..., self.coordinate]
        return result

    def scaled(self, factor: float, shift: float) -> Station:
        """`shift + factor` times the place."""
        return Station(shift + factor * self.constant, factor * self.slope, self.coordinate)

    def less(self, other: Station, allowed: Mapping[int, tuple[float, float]]) -> tuple[float, float]:
        """Smallest and largest of this place less another, in the coordinates that are allowed (by their numbers)."""
        low = high = self.constant - other.constant
        slopes = {self.coordinate: self.slope}
        slopes[other.coordinate] = slopes.get(other.coordinate, 0.0) - other.slope
        for coordinate, slope in slopes.items():
            if slope != 0.0:
                ends = sorted(slope * q for q in allowed.get(coordinate, (-inf, inf)))
                low, high = low + ends[0], high + ends[1]
        return low, high

    def range(self, low: float, high: float) -> tuple[float, float]:
        """Smallest and largest place for a coordinate from `low` to `high`."""
        if not self.moves:
            return self.constant, self.constant
        ends = self.constant + self.slope * low, self.constant + self.slope * high
        return min(ends), max(ends)
