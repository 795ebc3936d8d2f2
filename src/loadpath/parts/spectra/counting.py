"""Cycles and time at level of one series: `lp.rainflow`, `lp.time_at_level`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from loadpath.scalars.types import Floats
from loadpath.states.batch import time_weights
from loadpath.structure.fatigue.counting import TurningPoints


class RainflowCycles(NamedTuple):
    """Cycles of a series: (cycles,) each, ranges from the largest to the smallest.

    >>> rainflow([0.0, 2.0, 1.0, 3.0, 0.0]).ranges.tolist()
    [3.0, 1.0]
    """

    ranges: Floats
    """From valley to peak."""
    means: Floats
    counts: Floats
    """1 for closed cycles, 0.5 for half cycles."""


def rainflow(series: ArrayLike) -> RainflowCycles:
    """Cycles of a series that happens once, counted by ASTM E1049-85, section 5.4.4: closed ones count 1, the ranges of
    what is left count 0.5. Equal cycles stand in one row.

    >>> found = rainflow([-2, 1, -3, 5, -1, 3, -4, 4, -2])                       # the example of the standard, figure 6
    >>> [(float(r), float(n)) for r, n in zip(found.ranges, found.counts)]
    [(9.0, 0.5), (8.0, 0.5), (8.0, 0.5), (6.0, 0.5), (4.0, 1.0), (4.0, 0.5), (3.0, 0.5)]
    """
    values = np.asarray(series, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"rainflow counts one series, (samples,), and this has the shape {values.shape}")
    if not np.isfinite(values).all():
        bad = np.flatnonzero(~np.isfinite(values))
        raise ValueError(f"rainflow: {len(bad)} of {len(values)} samples are not numbers, the first is sample {bad[0]}")
    return _gathered(list(cycles_of(turning_points_of(values))))


def turning_points_of(values: Floats) -> list[float]:
    """The first sample, all peaks and valleys, the last sample."""
    seen = TurningPoints()
    seen.add(values[None])
    found = seen.histories()
    points = [] if not found else [float(x) for x in found[0]]
    return points if len(points) < 2 or points[-1] != points[-2] else points[:-1]


def cycles_of(points: Sequence[float]) -> Iterator[tuple[float, float, float]]:
    """Ranges, means and counts by the three-point rule: ASTM E1049-85, 5.4.4, steps (1) to (6)."""
    stack: list[float] = []
    for point in points:
        stack.append(point)
        while len(stack) >= 3:
            X, Y = abs(stack[-1] - stack[-2]), abs(stack[-2] - stack[-3])
            if X < Y:
                break
            if len(stack) == 3:  # Y contains the starting point: half a cycle
                yield Y, 0.5 * (stack[0] + stack[1]), 0.5
                stack.pop(0)
            else:
                yield Y, 0.5 * (stack[-3] + stack[-2]), 1.0
                del stack[-3:-1]
    for first, second in pairwise(stack):
        if first != second:
            yield abs(second - first), 0.5 * (first + second), 0.5


def _gathered(cycles: Sequence[tuple[float, float, float]]) -> RainflowCycles:
    """Equal cycles in one row, the largest first."""
    found: dict[tuple[float, float, bool], float] = {}
    for size, mean, count in cycles:
        found[size, mean, count == 1.0] = found.get((size, mean, count == 1.0), 0.0) + count
    ordered = sorted(found.items(), key=lambda pair: (-pair[0][0], not pair[0][2], pair[0][1]))
    rows = np.array([(size, mean, count) for (size, mean, _), count in ordered], dtype=float).reshape(-1, 3)
    return RainflowCycles(rows[:, 0], rows[:, 1], rows[:, 2])


def time_at_level(series: ArrayLike, t: ArrayLike | None, levels: ArrayLike) -> Floats:
    """(levels - 1,): time (s) that a series spends between each level and the next, of samples at the times `t` (s),
    each of which counts for half of the steps beside it; without times, shares of the samples. A level belongs to the
    class above it, the last one to the class below it. Values beyond the levels count nowhere.

    >>> time_at_level([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0], [0, 1.5, 3]).tolist()
    [1.5, 1.5]
    """
    values, edges = np.asarray(series, dtype=float), np.asarray(levels, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"time_at_level takes one series, (samples,), and this has the shape {values.shape}")
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise ValueError(f"levels are {levels!r}: expected two or more rising numbers")
    if not np.isfinite(values).all():
        raise ValueError(f"time_at_level: {np.count_nonzero(~np.isfinite(values))} samples are not numbers")
    if t is None:
        weights = np.full(len(values), 1 / max(len(values), 1))
    else:
        times = np.asarray(t, dtype=float)
        if times.shape != values.shape:
            raise ValueError(f"t has the shape {times.shape}: expected {values.shape}, a time for each sample")
        if not (np.diff(times) > 0).all():
            raise ValueError("t does not rise everywhere: expected rising times in s")
        span = float(times[-1] - times[0]) if len(times) > 1 else 1.0
        weights = time_weights(times) * span
    return np.histogram(values, edges, weights=weights)[0]
