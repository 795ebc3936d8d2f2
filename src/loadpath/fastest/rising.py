"""Motions whose s'' has no jumps, for limits of rates: along an interval it goes evenly with s from one value to
another.

On an interval of length h, with u = s'' and x = s'^2 at its ends and k = (u_1 - u_0) / h,

    u(d) = u_0 + k d,    x(d) = x_0 + 2 u_0 d + k d^2,

so that x_1 = x_0 + h (u_0 + u_1), and the time it takes is exactly

    T = 2 c F(k c^2),    c = h / (sqrt(x_0) + sqrt(x_1)),    F(z) = atanh(sqrt(z)) / sqrt(z)

(arctan for z < 0), since y = s' obeys y'' = k y. From rest no such motion begins: with s'' = 0 and s' = 0 it would
stay. There s''' is constant over time, s = h (t / T)^3: with r = d / h

    u = (2/3) (x_1 / h) r^(1/3),    x = x_1 r^(4/3),    T = 3 h / sqrt(x_1),    s''' = (2/9) x_1^(3/2) / h^2,

and the same backward where it comes to rest. All but T is linear in u and x at the ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadpath.fastest.grid import Grid
from loadpath.fastest.jets import ROUNDING, Jet
from loadpath.fastest.loads import Course, State
from loadpath.scalars.types import Bools, Floats

NEARLY = 1e-4
"""|k| c^2 below it: a series in place of the functions."""
UNEVEN = 1.1
"""Nodes are even in the path's parameter, so not quite along the arc; on the short intervals at rests by far less."""
ENDS = 4
"""Of an interval: u_0, u_1, x_0, x_1."""


class Law(NamedTuple):
    """What u and x at nodes are of those at the ends of intervals: (intervals, nodes, 4) each."""

    u: Floats
    x: Floats
    reference: Floats
    """The square of a speed y by which rates of change go: x there, but next to a rest x at the other
    end.
    """
    slope: Floats
    """(s' / y) du/ds."""
    share: Floats
    """(intervals, nodes): s' / y."""


def law_of(d: Floats, begins: Bools, stops: Bools) -> Law:
    """At distances (intervals, nodes) from the beginnings of intervals, the last of them their ends; `begins` and
    `stops` (intervals,) are those from rest and to rest.
    """
    h = d[:, -1:]
    u, x, slope = np.zeros((3, *d.shape, ENDS))
    u[..., 0], u[..., 1] = 1 - d / h, d / h
    x[..., 0], x[..., 1], x[..., 2] = 2 * d - d**2 / h, d**2 / h, 1.0
    slope[..., 0], slope[..., 1] = -1 / h, 1 / h
    reference, share = x.copy(), np.ones_like(d)
    for which, end, sign in ((begins, 3, 1.0), (stops, 2, -1.0)):
        r = (d / h if sign > 0 else 1 - d / h)[which]
        wide = h[which]
        for part in (u, x, slope, reference):
            part[which] = 0.0
        u[which, :, end] = sign * 2 / 3 * np.cbrt(r) / wide
        x[which, :, end] = np.cbrt(r) ** 4
        slope[which, :, end] = 2 / 9 / wide**2
        reference[which, :, end] = 1.0
        share[which] = np.cbrt(r) ** 2
    return Law(u, x, reference, slope, share)


def spread(values: Floats, of: Floats) -> Floats:
    """(intervals, nodes): linear combinations of what is at the ends, (intervals, 4)."""
    found: Floats = np.einsum("ijk,ik->ij", of, values)
    return found


def time_factor(z: Floats) -> tuple[Floats, Floats]:
    """F(z) and F'(z) of the time that an interval takes.

    >>> F, slope = time_factor(np.array([0.0, 0.25, -1.0]))
    >>> F.round(6).tolist(), slope.round(6).tolist()
    ([1.0, 1.098612, 0.785398], [0.333333, 0.469442, 0.142699])
    """
    root = np.sqrt(np.abs(z))
    near = np.abs(z) < NEARLY
    safe = np.where(near, 0.5, root)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(z > 0, np.arctanh(np.minimum(safe, 1.0)), np.arctan(safe)) / safe
        slope = (1 / (1 - np.where(near, 0.25, z)) - value) / (2 * np.where(near, 0.25, z))
    return (np.where(near, 1 + z / 3 + z**2 / 5, value),
            np.where(near, 1 / 3 + 2 * z / 5 + 3 * z**2 / 7, slope))


@dataclass(frozen=True, eq=False)
class Speeds:
    """u and x at the points of a grid (intervals + 1,), and which intervals begin or end at rest."""

    u: Floats
    x: Floats
    begins: Bools
    stops: Bools

    def ends(self) -> Floats:
        """(intervals, 4)"""
        return np.stack([self.u[:-1], self.u[1:], self.x[:-1], self.x[1:]], axis=-1)

    def durations(self, h: Floats) -> tuple[Floats, Floats]:
        """(intervals,), s; and what they change with u_0, u_1, x_0 and x_1, (intervals, 4)."""
        y0, y1 = np.sqrt(np.maximum(self.x[:-1], 0.0)), np.sqrt(np.maximum(self.x[1:], 0.0))
        slope = np.zeros((len(h), ENDS))
        with np.errstate(divide="ignore", invalid="ignore"):
            c = h / (y0 + y1)
            z = np.diff(self.u) / h * c**2
            F, steep = time_factor(z)
            duration = 2 * c * F
            of_c = 2 * F + 4 * z * steep
            of_k = 2 * c**3 * steep
            for column, y in ((2, y0), (3, y1)):
                slope[:, column] = -of_c * c / (y0 + y1) / (2 * y)
            slope[:, 0], slope[:, 1] = -of_k / h, of_k / h
            for which, y, column in ((self.begins, y1, 3), (self.stops, y0, 2)):
                duration[which] = 3 * h[which] / y[which]
                slope[which] = 0.0
                slope[which, column] = -1.5 * h[which] / y[which] ** 3
        return duration, slope

    def between(self, other: Speeds, share: float) -> Speeds:
        """Part of the way to another."""
        return Speeds(self.u + share * (other.u - self.u), self.x + share * (other.x - self.x), self.begins, self.stops)


@dataclass(frozen=True, eq=False)
class Rising(State):
    """u and x at the nodes, both (intervals, nodes)."""

    speeds: Speeds
    rise: Floats
    """(intervals,): du/ds where it is constant."""

    @property
    def at_rest(self) -> Bools:
        """(intervals,): whether it begins or ends at rest."""
        return self.speeds.begins | self.speeds.stops

    def jets(self, course: Course) -> tuple[Jet, Jet]:
        """Ranges of u and x over intervals, by the path's parameter; next to a rest u has no derivatives."""
        arc, k = course.geometry.arc, self.rise
        u0, u1 = self.u[:, 0], self.u[:, -1]
        u = Jet(np.stack([(u0 + u1) / 2, k * arc.middle[0], k * arc.middle[1] / 2]),
                np.stack([np.abs(u1 - u0) / 2, np.abs(k) * arc.radius[0], np.abs(k) * arc.radius[1] / 2]))
        along = u * arc
        low, high = self.x.min(axis=1), self.x.max(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = np.where(u0 * u1 < 0, self.x[:, 0] - u0**2 / k, low)
        low, high = np.minimum(low, turn), np.maximum(high, turn)
        x = Jet(np.stack([(low + high) / 2, 2 * along.middle[0], along.middle[1]]),
                np.stack([(high - low) / 2, 2 * along.radius[0], along.radius[1]]))
        return u, x

    def bends(self, entries: Sequence[tuple[Jet, Jet, Jet]], course: Course) -> Floats:
        """See `State`. Next to a rest, where u has no second derivative by s, nodes are taken by r^(1/3)."""
        u, x = self.jets(course)
        found = np.stack([(a * u + b * x + c).largest[2] for a, b, c in entries], axis=-1)
        if self.at_rest.any():
            found[self.at_rest] = self._bends_at_rest(entries, course)[self.at_rest]
        return found * (1 + ROUNDING)

    def _bends_at_rest(self, entries: Sequence[tuple[Jet, Jet, Jet]], course: Course) -> Floats:
        """By v = r^(1/3) u is straight, x a fourth power and s a third; as if the first step of v were one of p."""
        h = course.grid.h
        u, x = np.abs(self.u).max(axis=1), self.x.max(axis=1)
        slowness = course.geometry.arc.inverse().largest[0]
        turning = course.geometry.arc.largest[1] * slowness**3
        found = []
        for of_u, of_x, alone in entries:
            (_, a1, a2), (b0, b1, b2), (_, c1, c2) = (
                (part.largest[0], part.largest[1] * slowness,
                 part.largest[2] * slowness**2 + part.largest[1] * turning) for part in (of_u, of_x, alone))
            found.append(u * (9 * h**2 * a2 + 12 * h * a1) + x * (9 * h**2 * b2 + 30 * h * b1 + 12 * b0)
                         + 9 * h**2 * c2 + 6 * h * c1)
        first = np.cbrt(UNEVEN / (self.x.shape[1] - 1))
        step: Floats = first / course.steps
        return np.stack(found, axis=-1) * step[:, None] ** 2

    def bends_of_x(self, course: Course) -> Floats:
        """See `State`."""
        arc = course.geometry.arc.largest
        found = 2 * np.abs(self.rise) * arc[0] ** 2 + 2 * np.abs(self.u).max(axis=1) * arc[1]
        return np.where(self.at_rest, np.inf, found)


def rising(speeds: Speeds, law: Law, grid: Grid) -> Rising:
    """At the nodes of a grid."""
    ends = speeds.ends()
    return Rising(spread(ends, law.u), np.maximum(spread(ends, law.x), 0.0), speeds, np.diff(speeds.u) / grid.h)
