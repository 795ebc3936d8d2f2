"""The same as `loadpath.fastest.controllable` row by row in NumPy: what the compiled loop is compared with.

Controllable sets: from which speeds at a point of a path the rest of it can be gone, and the fastest way.

Backward, K_i is the interval of x = s'^2 at point i from which some u within the rows leads into K_{i+1}; forward, the
largest u that stays in them. For a given x the rows leave u in an interval [low(x), high(x)], low convex and high
concave, both made of straight lines. So the ends of K_i are the roots of low - high, which Newton's method from outside
finds exactly in a few steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadpath.fastest.controllable import FASTEST, MOST_STEPS, NO_SLOPE, TOUCHING, Solution
from loadpath.scalars.types import Bools, Floats


@dataclass(frozen=True, eq=False)
class Lines:
    """Rows solved for u: u <= value - slope x, or u >= it; and what rows without u leave of x. (intervals, rows)."""

    value: Floats
    slope: Floats
    above: Bools
    below: Bools
    least: Floats
    most: Floats

    @staticmethod
    def of(alpha: Floats, beta: Floats, gamma: Floats) -> Lines:
        """From alpha u + beta x <= gamma."""
        scale = np.abs(alpha).max(axis=1, keepdims=True, initial=1e-300)
        has = np.abs(alpha) > NO_SLOPE * scale
        safe = np.where(has, alpha, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            alone = gamma / beta
        most = np.where(~has & (beta > 0), alone, np.inf).min(axis=1, initial=np.inf)
        least = np.where(~has & (beta < 0), alone, 0.0).max(axis=1, initial=0.0)
        most = np.where((~has & (beta == 0) & (gamma < 0)).any(axis=1), -np.inf, most)
        return Lines(gamma / safe, beta / safe, has & (alpha > 0), has & (alpha < 0), least, most)


def solve(alpha: Floats, beta: Floats, gamma: Floats, h: Floats, start: float, top: Floats) -> Solution:
    """The fastest motion over intervals of lengths h (intervals,) with rows (intervals, rows): from x = `start` (or the
    largest there is, if that is infinite) with x at most `top` (intervals + 1,).
    """
    lines = Lines.of(alpha, beta, gamma)
    count = len(h)
    low, high = np.full(count + 1, np.nan), np.full(count + 1, np.nan)
    u, x = np.full(count, np.nan), np.full(count + 1, np.nan)
    low[-1], high[-1] = 0.0, min(float(top[-1]), FASTEST)
    for i in range(count - 1, -1, -1):
        ends = _set(lines, i, h[i], (low[i + 1], high[i + 1]), float(top[i]))
        if ends is None:
            return Solution(u, x, low, high, np.array(i))
        low[i], high[i] = ends
    x[0] = high[0] if np.isinf(start) else start
    if not low[0] - 1e-12 <= x[0] <= high[0] * (1 + 1e-9) + 1e-300:
        return Solution(u, x, low, high, np.array(0))
    for i in range(count):
        _, most = _left(lines, i, x[i], h[i], (low[i + 1], high[i + 1]))
        u[i] = most[0] - most[1] * x[i]
        x[i + 1] = min(max(x[i] + 2 * h[i] * u[i], low[i + 1]), high[i + 1])
        u[i] = (x[i + 1] - x[i]) / (2 * h[i])
    return Solution(u, x, low, high, np.array(-1))


def _left(
    lines: Lines, i: int, x: float, h: float, after: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The lines (value, slope) that leave least of u at x: it is value - slope x at least, and at most."""
    line = lines.value[i] - lines.slope[i] * x
    most, least = (after[1] / (2 * h), 1 / (2 * h)), (after[0] / (2 * h), 1 / (2 * h))
    above = np.where(lines.above[i], line, np.inf)
    below = np.where(lines.below[i], line, -np.inf)
    k, j = int(np.argmin(above)), int(np.argmax(below))
    if above[k] < most[0] - most[1] * x:
        most = lines.value[i, k], lines.slope[i, k]
    if below[j] > least[0] - least[1] * x:
        least = lines.value[i, j], lines.slope[i, j]
    return least, most


def _set(lines: Lines, i: int, h: float, after: tuple[float, float], top: float) -> tuple[float, float] | None:
    """The ends of a set; None of an empty one."""
    begin, end = lines.least[i], min(lines.most[i], top, FASTEST)
    if not begin <= end:
        return None
    high = _root(lines, i, h, after, (begin, end), -1.0)
    if high is None:
        return None
    low = _root(lines, i, h, after, (begin, high), 1.0)
    return (high if low is None else low), high


def _root(
    lines: Lines, i: int, h: float, after: tuple[float, float], within: tuple[float, float], sense: float
) -> float | None:
    """From the left end (sense 1) or from the right one the first x at which something is left of u."""
    x = within[0] if sense > 0 else within[1]
    for _ in range(MOST_STEPS):
        least, most = _left(lines, i, x, h, after)
        low, high = least[0] - least[1] * x, most[0] - most[1] * x
        if low - high <= TOUCHING * (abs(low) + abs(high)):
            return x
        closing = most[1] - least[1]  # of low - high, by x
        if closing * sense >= 0:
            return None
        new = (most[0] - least[0]) / closing  # where the two lines meet: without what is far away in it
        if (sense > 0 and new > within[1]) or (sense < 0 and new < within[0]):
            return None
        if (new - x) * sense <= 0:
            return x
        x = new
    return x
