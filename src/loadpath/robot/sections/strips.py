"""Thin walls as strips along their middle lines: how shear flows through them.

In an open section the shear flow of a force V along z is V Q / I_y, Q the integral of z t from a free edge to there.
Its energy gives the shear factor, k = I^2 / (A int Q^2 / t ds); Cowper's of 1966, where there is one, differs by the
effect of Poisson's ratio. The force is taken to act through the shear centre, so that it does not twist the section.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Point = tuple[float, float]
"""y and z."""

GAUSS = ((0.5 - math.sqrt(0.15), 5 / 18), (0.5, 8 / 18), (0.5 + math.sqrt(0.15), 5 / 18))
"""Exact for the square of a parabola."""


class Strip(NamedTuple):
    """A straight wall, from where the shear flow comes to where it goes on."""

    start: Point
    end: Point
    thickness: float

    @property
    def length(self) -> float:
        """m."""
        return math.dist(self.start, self.end)

    def at(self, share: float) -> Point:
        """A point of its middle line."""
        (a, b), (c, d) = self.start, self.end
        return a + (c - a) * share, b + (d - b) * share


class Flow(NamedTuple):
    """Shear by a force along one axis, in all strips."""

    strips: tuple[Strip, ...]
    before: tuple[float, ...]
    """Q where each strip starts."""
    axis: int
    """Of the force: 0 for y, 1 for z."""

    def first_moment(self, number: int, share: float) -> float:
        """Q at a place of a strip."""
        strip = self.strips[number]
        u, v = strip.start[self.axis], strip.end[self.axis]
        return self.before[number] + strip.thickness * strip.length * share * (u + (v - u) * share / 2)

    @property
    def second_moment(self) -> float:
        """Integral of the squared distance, of the middle lines."""
        return sum(strip.thickness * strip.length * weight * strip.at(share)[self.axis] ** 2
                   for strip in self.strips for share, weight in GAUSS)

    @property
    def factor(self) -> float:
        """Share of the area that counts against shear."""
        energy = sum(strip.length / strip.thickness * weight * self.first_moment(k, share) ** 2
                     for k, strip in enumerate(self.strips) for share, weight in GAUSS)
        area = sum(strip.length * strip.thickness for strip in self.strips)
        return self.second_moment**2 / (area * energy)

    def stress(self, number: int, share: float) -> float:
        """Size of Q / t at a place of a strip."""
        return abs(self.first_moment(number, share)) / self.strips[number].thickness

    def peaks(self, number: int) -> list[float]:
        """Places of a strip, as shares of it, where the flow may be largest: its ends, and where it meets the axis."""
        u, v = self.strips[number].start[self.axis], self.strips[number].end[self.axis]
        return [0.0, 1.0] if u * v >= 0 else [0.0, u / (u - v), 1.0]

    @property
    def largest(self) -> float:
        """Largest Q / t."""
        return max(self.stress(k, share) for k in range(len(self.strips)) for share in self.peaks(k))


def flow(strips: Sequence[Strip], axis: int) -> Flow:
    """Shear flow through strips that come in the order of the flow: those that end where one starts come before it.

    >>> bar = [Strip((0.0, 0.5), (0.0, -0.5), 0.01)]
    >>> round(flow(bar, 1).factor, 12), round(flow(bar, 1).largest, 12)                  # 5/6, and h^2 / 8
    (0.833333333333, 0.125)
    """
    before: list[float] = []
    for k, strip in enumerate(strips):
        arriving = [j for j in range(k) if math.dist(strips[j].end, strip.start) < 1e-9 * strip.length]
        made = Flow(tuple(strips), tuple(before), axis)
        before.append(sum(made.first_moment(j, 1.0) for j in arriving))
    return Flow(tuple(strips), tuple(before), axis)
