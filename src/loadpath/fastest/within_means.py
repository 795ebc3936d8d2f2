"""The fastest motion within rows and within means over the whole motion, by an interior-point method.

A mean couples all points of a path, so the sets of `loadpath.fastest.controllable` do not know it. But the problem is
convex: with x = s'^2 at the points of a grid and u = (x_1 - x_0) / 2h on its intervals,

    time      sum of 2h / (sqrt(x_0) + sqrt(x_1))                          is convex,
    rows      alpha u + beta x <= gamma                                    are straight,
    means     sum of w |T|^3 <= 1, T straight in x                         are convex,

and every term knows neighbours alone. So Newton's matrix of the barrier method (S. Boyd, L. Vandenberghe, Convex
Optimization, section 11.3) is tridiagonal, with one vector besides for the multiplier of each mean, which is kept to
first order in each step: a step costs as much as a look at all rows. The barrier says how far the result is from the
best: no motion on this grid is shorter by more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from loadpath.fastest.controllable import Solution
from loadpath.scalars.types import Bools, Floats, Ints

GAP = 1e-8
"""Of the duration: what may be missing to the best."""
BARRIERS, STEPS, HALVINGS, SLOWER = 30, 40, 40, 40
CENTRAL, ROUGHLY = 1e-5, 0.3
"""Newton's method has converged where nothing changes by more, relatively; and where the barrier becomes less."""
FASTER = 8.0
"""By so much a barrier is less than the one before."""
ROUND = 0.3
"""Of a mean: torques that are less have the curvature of this."""
NEAR = 1e-9
EXCEEDED = 1e-8
"""Relatively: of the third power of a mean."""


class MeansTooHighError(Exception):
    """No motion keeps the means, or none is far from all rows: what gravity exceeds at rest leaves none."""


class Mean(NamedTuple):
    """sum of weight |alpha u + beta x_i + value|^3 <= most: (intervals, nodes) each."""

    alpha: Floats
    beta: Floats
    value: Floats
    weight: Floats
    most: float

    def sum(self, u: Floats, x: Floats) -> float:
        """The left side, for (intervals,) each."""
        return float((self.weight * np.abs(self.alpha * u[:, None] + self.beta * x[:, None] + self.value) ** 3).sum())


def within_means(rows: Floats, h: Floats, fast: Solution, fixed: Bools, means: Sequence[Mean]) -> Solution:
    """The fastest motion within rows (3, intervals, rows) and means, where `fast` is that within rows alone and
    `fixed` (intervals + 1,) are points at rest; an error where no motion keeps the means.
    """
    if all(mean.sum(fast.u, fast.x[:-1]) <= mean.most for mean in means):
        return fast
    problem = _Rows.of(rows, h, fast, fixed, means)
    share = 0.5
    for _ in range(SLOWER):
        if problem.inside(share * fast.x):
            break
        share /= 2
    else:
        raise MeansTooHighError
    x = problem.best(share * fast.x)
    if any(room < -EXCEEDED * mean.most for mean, (room, _) in zip(means, problem.sums(x), strict=True)):
        raise MeansTooHighError
    return replace(fast, u=np.diff(x) / (2 * h), x=x)


def _summed(which: Ints, values: Floats, count: int) -> Floats:
    """(count,): of values with the same number the sum."""
    found: Floats = np.bincount(which, values, count).astype(float)
    return found


class _Rows(NamedTuple):
    """The problem by x at both ends of intervals."""

    h: Floats
    interval: Ints
    """(rows,): which of them."""
    first: Floats
    second: Floats
    most: Floats
    free: Bools
    """(points,)"""
    means: list[tuple[Floats, Floats, Floats, Floats, float]]
    """By x at both ends: first, second, value and weight, (intervals, nodes) each, and the most."""

    @classmethod
    def of(cls, rows: Floats, h: Floats, fast: Solution, fixed: Bools, means: Sequence[Mean]) -> _Rows:
        """Of rows those that can be reached from the sets."""
        alpha, beta, gamma = rows
        second = alpha / (2 * h[:, None])
        first = beta - second
        high = fast.high
        reach = np.maximum(first, 0.0) * high[:-1, None] + np.maximum(second, 0.0) * high[1:, None]
        kept = reach > gamma - NEAR * np.abs(gamma)
        interval, _ = np.nonzero(kept)
        every = []
        for mean in means:
            of_second = mean.alpha / (2 * h[:, None])
            every.append((mean.beta - of_second, of_second, mean.value, mean.weight, mean.most))
        return cls(h, interval, first[kept], second[kept], gamma[kept], ~fixed, every)

    def slack(self, x: Floats) -> Floats:
        """(rows,)"""
        found: Floats = self.most - self.first * x[self.interval] - self.second * x[self.interval + 1]
        return found

    def sums(self, x: Floats) -> list[tuple[float, Floats]]:
        """What is left of each mean, and its torques."""
        found = []
        for first, second, value, weight, most in self.means:
            torque = first * x[:-1, None] + second * x[1:, None] + value
            found.append((most - float((weight * np.abs(torque) ** 3).sum()), torque))
        return found

    def inside(self, x: Floats) -> bool:
        """Whether it keeps all rows with something left."""
        return bool(np.isfinite(self.value(x, 1.0)))

    def duration(self, x: Floats) -> float:
        """s"""
        y = np.sqrt(x)
        return float((2 * self.h / (y[1:] + y[:-1])).sum())

    def onto(self, of_first: Floats, of_second: Floats) -> Floats:
        """(points,): of what is (intervals,) at their beginnings and ends, the sum."""
        found = np.zeros(len(self.h) + 1)
        found[:-1] += of_first
        found[1:] += of_second
        return found

    def best(self, x: Floats) -> Floats:
        """From a motion inside, that of the least duration, the barrier less and less: the duration is above the best
        by no more than the barrier times the number of rows.
        """
        count = len(self.most) + int(self.free.sum())
        barrier, of = self.duration(x) / count, np.zeros(len(self.means))
        for _ in range(BARRIERS):
            last = barrier * count <= GAP * self.duration(x)
            for _ in range(STEPS):
                step = self.step(x, of, barrier)
                other, of = self.searched(x, step, barrier), step.multipliers
                if other is None:
                    break
                x = other
                if step.size <= (CENTRAL if last else ROUGHLY):
                    break
            if last:
                break
            barrier /= FASTER
        return x

    def value(self, x: Floats, barrier: float) -> float:
        """The duration less the barrier's logarithms; infinite outside of rows."""
        left, inner = self.slack(x), x[self.free]
        if not (inner.min() > 0 and left.min(initial=1.0) > 0):
            return np.inf
        return self.duration(x) - barrier * float(np.log(left).sum() + np.log(inner).sum())

    def gradients(self, x: Floats) -> list[Floats]:
        """(points,) of each mean's sum."""
        found = []
        for (first, second, _, weight, _), (_, torque) in zip(self.means, self.sums(x), strict=True):
            steep = 3 * weight * np.abs(torque) * torque
            found.append(self.onto((steep * first).sum(axis=1), (steep * second).sum(axis=1)) * self.free)
        return found

    def of_time(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Gradient (points,), and diagonal (points,) and off-diagonal (intervals,) of the second derivative."""
        y = np.sqrt(x)
        a, b = y[:-1], y[1:]
        both = a + b
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = self.onto(-self.h / (a * both**2), -self.h / (b * both**2))
            bend = self.onto(self.h / (2 * a**3 * both**2) + self.h / (a**2 * both**3),
                             self.h / (2 * b**3 * both**2) + self.h / (b**2 * both**3))
            beside = self.h / (a * b * both**3)
        inner = self.free[:-1] & self.free[1:]
        return np.where(self.free, slope, 0.0), np.where(self.free, bend, 1.0), np.where(inner, beside, 0.0)

    def of_rows(self, weights: Floats) -> Floats:
        """(points,): the sum of all rows, each times a weight."""
        count = len(self.h)
        return self.onto(_summed(self.interval, weights * self.first, count),
                         _summed(self.interval, weights * self.second, count)) * self.free

    def step(self, x: Floats, of: Floats, barrier: float) -> _Step:
        """Of Newton's method for the best motion and the multipliers of the means, which are kept to first order."""
        from scipy.linalg import solveh_banded

        count, left, sums = len(self.h), self.slack(x), self.sums(x)
        slope, bend, beside = self.of_time(x)
        both = self.free[:-1] & self.free[1:]
        weights = barrier / left**2
        bend = bend + self.onto(_summed(self.interval, weights * self.first**2, count),
                                _summed(self.interval, weights * self.second**2, count)) * self.free
        beside = beside + _summed(self.interval, weights * self.first * self.second, count) * both
        safe = np.where(self.free, x, 1.0)
        bend = bend + self.free * barrier / safe**2
        slope = slope + self.of_rows(barrier / left) - self.free * barrier / safe
        for k, (first, second, _, weight, most) in enumerate(self.means):
            # Cubes have no curvature where a torque changes its sign: there a step would go too far.
            curve = of[k] * 6 * weight * np.maximum(np.abs(sums[k][1]), ROUND * np.cbrt(most / weight.sum()))
            bend = bend + self.onto((curve * first**2).sum(axis=1), (curve * second**2).sum(axis=1)) * self.free
            beside = beside + (curve * first * second).sum(axis=1) * both
        banded = np.zeros((2, count + 1))
        banded[0, 1:], banded[1] = beside, bend
        across, rooms = np.stack(self.gradients(x), axis=1), np.array([room for room, _ in sums])
        found = solveh_banded(banded, np.column_stack([slope, across]), check_finite=False)
        plain, columns = found[:, 0], found[:, 1:]
        rules = np.ones(len(rooms), dtype=bool)
        multipliers = np.zeros(len(rooms))
        for _ in range(len(rooms) + 1):  # those that would be held from below do not rule
            inner = across[:, rules].T @ columns[:, rules]
            multipliers[:] = 0.0
            multipliers[rules] = np.linalg.solve(inner, -rooms[rules] - across[:, rules].T @ plain)
            if (multipliers >= 0).all():
                break
            rules &= multipliers > 0
        dx = np.where(self.free, -plain - columns @ multipliers, 0.0)
        along = self.first * dx[self.interval] + self.second * dx[self.interval + 1]
        size = max(float(np.abs(dx / safe).max()), float(np.abs(along / left).max(initial=0.0)))
        return _Step(dx, multipliers, size)

    def searched(self, x: Floats, step: _Step, barrier: float) -> Floats | None:
        """As far along a step as the value falls, with what means are exceeded by at twice the price."""
        price = 2 * step.multipliers + 1e-300

        def merit(at: Floats) -> float:
            over = np.array([max(-room, 0.0) for room, _ in self.sums(at)])
            return self.value(at, barrier) + float(price @ over)

        before, share = merit(x), 1.0
        for _ in range(HALVINGS):
            other = x + share * step.dx
            if merit(other) < before:
                return other
            share /= 2
        return None


class _Step(NamedTuple):
    """A change of x, the multipliers of the means there, and the largest share that any x, or what a row leaves,
    changes by.
    """

    dx: Floats
    multipliers: Floats
    size: float
