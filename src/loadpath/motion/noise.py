"""Noise of samples, seen from their differences: what remains of a smooth motion gets smaller from difference to
difference, noise does not. Nor do the jumps of a rate, as in a trapezoidal profile; but these are larger between
samples that are further apart, and noise is not. Where there are both, jumps are in few of the differences, and noise
is in all: medians tell.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Bools, Floats

LOW, HIGH = 4, 6
"""Orders of the differences that are compared."""
LASTING = 0.6
"""Share of the estimate by the lower differences that remains by the higher ones if it is noise."""

SCATTER = 8.0
"""Over the root of the number of samples: by how much, relatively, noise may seem larger in every other sample."""
FAR_GROWTH = 2.5
"""How many times as large jumps are at least in every fourth sample; noise that was rounded may grow a little too."""
MEDIAN = 1.4826
"""Standard deviations of a normal distribution in the median of its absolute values."""


class Noise(NamedTuple):
    """Standard deviation of the noise of each column, whether there is noise, and whether its rates jump."""

    size: Floats
    there: Bools
    jumps: Bools


def noise_of(t: Floats, values: Floats) -> Noise:
    """Noise of samples (samples, columns).

    >>> t = np.linspace(0, 1, 200)
    >>> dirty = np.sin(3 * t) + np.random.default_rng(0).normal(0, 1e-3, 200)
    >>> found = noise_of(t, np.column_stack([dirty, np.sin(3 * t)]))
    >>> found.size[0].round(4), found.there.tolist()
    (np.float64(0.001), [True, False])
    >>> bends = np.column_stack([np.abs(t - 0.5) * (t - 0.5)])         # its second rate jumps
    >>> noise_of(t, bends).there.tolist(), noise_of(t, bends).jumps.tolist()
    ([False], [True])
    """
    columns = values.shape[1]
    if len(t) < 4 * HIGH:
        return Noise(np.zeros(columns), np.zeros(columns, dtype=bool), np.zeros(columns, dtype=bool))
    low, high = (_by_differences(t, values, order) for order in (LOW, HIGH))
    rounding = 1e-14 * np.abs(values).max(axis=0)
    lasting = (high > LASTING * low) & (high > rounding)
    growing = _in_every(2, t, values) > (1 + SCATTER / math.sqrt(len(t))) * high
    if len(t) >= 16 * HIGH:
        growing &= _in_every(4, t, values) > FAR_GROWTH * high
    jumps, there = lasting & growing, lasting & ~growing
    if jumps.any():
        low, between = (_by_differences(t, values[:, jumps], order, typical=True) for order in (LOW, HIGH))
        there[jumps] = (between > LASTING * low) & (between > rounding[jumps])
        high[jumps] = np.where(there[jumps], between, high[jumps])
    return Noise(high, there, jumps)


def _in_every(stride: int, t: Floats, values: Floats) -> Floats:
    """What the noise would be by the differences of samples that are further apart."""
    parts = [_by_differences(t[k::stride], values[k::stride], HIGH) for k in range(stride)]
    size: Floats = np.sqrt(np.mean(np.square(parts), axis=0))
    return size


def _by_differences(t: Floats, values: Floats, order: int, typical: bool = False) -> Floats:
    """Standard deviation of white noise with divided differences of that size; time steps may be uneven. A `typical`
    one is by the median of those that are not zero, as rounded samples of a robot at rest are.
    """
    rows = len(t) - order
    ends = [t[k : k + rows] for k in range(order + 1)]
    span = ends[-1] - ends[0]
    shares = np.empty((order + 1, rows))
    for k in range(order + 1):
        apart = np.ones(rows)
        for j in range(order + 1):
            if j != k:
                apart *= (ends[k] - ends[j]) / span
        shares[k] = 1 / apart
    shares /= np.sqrt(np.square(shares).sum(axis=0))
    differences = sum(shares[k, :, None] * values[k : k + rows] for k in range(order + 1))
    if typical:
        return np.array([MEDIAN * float(np.median(d[d > 0])) if d.any() else 0.0 for d in np.abs(differences).T])
    size: Floats = np.sqrt(np.mean(np.square(differences), axis=0))
    return size
