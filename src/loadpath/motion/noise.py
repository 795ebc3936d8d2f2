"""Noise of samples, seen from their differences: what remains of a smooth motion gets smaller from difference to
difference, noise does not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Bools, Floats

LOW, HIGH = 4, 6
"""Orders of the differences that are compared."""
LASTING = 0.6
"""Share of the estimate by the lower differences that remains by the higher ones if it is noise."""

SMOOTHING = "{0} = np.column_stack([scipy.interpolate.make_smoothing_spline(t, x)(t) for x in {0}.T])"
"""What takes noise off samples; how much is smoothed is chosen by cross-validation."""


class Noise(NamedTuple):
    """Standard deviation of the noise of each column, and whether it is noise at all."""

    size: Floats
    there: Bools


def noise_of(t: Floats, values: Floats) -> Noise:
    """Noise of samples (samples, columns).

    >>> t = np.linspace(0, 1, 200)
    >>> dirty = np.sin(3 * t) + np.random.default_rng(0).normal(0, 1e-3, 200)
    >>> found = noise_of(t, np.column_stack([dirty, np.sin(3 * t)]))
    >>> found.size[0].round(4), found.there.tolist()
    (np.float64(0.001), [True, False])
    """
    columns = values.shape[1]
    if len(t) < 4 * HIGH:
        return Noise(np.zeros(columns), np.zeros(columns, dtype=bool))
    low, high = (_by_differences(t, values, order) for order in (LOW, HIGH))
    rounding = 1e-14 * np.abs(values).max(axis=0)
    return Noise(high, (high > LASTING * low) & (high > rounding))


def _by_differences(t: Floats, values: Floats, order: int) -> Floats:
    """Standard deviation of white noise with divided differences of that size; time steps may be uneven."""
    windows = np.lib.stride_tricks.sliding_window_view(t, order + 1)
    apart = windows[:, :, None] - windows[:, None, :]
    apart = apart / np.abs(apart).max(axis=(1, 2), keepdims=True) + np.eye(order + 1)
    shares = 1 / apart.prod(axis=2)
    shares /= np.linalg.norm(shares, axis=1, keepdims=True)
    differences = sum(shares[:, k, None] * values[k : k + len(windows)] for k in range(order + 1))
    size: Floats = np.sqrt(np.mean(np.square(differences), axis=0))
    return size
