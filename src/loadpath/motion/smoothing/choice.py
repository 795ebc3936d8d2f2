"""How much to smooth: by generalized cross-validation, from the samples alone.

A cut-off is good if what it takes off looks like noise, for as little freedom as it leaves: it minimises
RSS / (n - INFLATION trace)^2, with the trace of the smoothing as a matrix (Craven and Wahba 1979). The trace for many
samples is estimated by what smoothing leaves of random signs (Hutchinson 1989).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from loadpath.motion.smoothing.operator import Smoother
from loadpath.scalars.types import Floats

INFLATION = 1.4
"""Of the trace: without it, one record in some dozens is hardly smoothed (Kim and Gu 2004)."""
STEP = 1.5
"""Between the cut-offs that are compared; between them a parabola is laid."""
FOR_RATES = 0.8
"""Part of the best cut-off for the samples that is taken where they are differentiated: noise weighs more there."""
RARE, WITHIN = 0.5, 0.75
"""Part of the samples that change on stairs, at most; how far from them, in steps, smooth samples may be."""
LEVELS = 5
"""Values that samples must have to be smoothed for their noise, and steps of stairs, at least."""
EXACT = 400
"""Up to so many samples the trace is computed, not estimated."""


def chosen_cutoffs(smoother: Smoother, values: Floats, groups: Sequence[Sequence[int]]) -> Floats:
    """The cut-off (Hz) of each group of columns that are smoothed alike.

    >>> t = np.arange(0.0, 4.0, 0.01)
    >>> y = np.sin(3 * t) + np.random.default_rng(0).normal(0, 1e-3, 400)
    >>> cutoff = chosen_cutoffs(Smoother(t), y[:, None], [[0]])[0]
    >>> bool(1.0 < cutoff < 8.0)
    True
    """
    count = 1 + math.ceil(math.log(smoother.highest / smoother.lowest, STEP))
    cutoffs = np.geomspace(smoother.lowest, smoother.highest, count)
    values = smoother.means(values)
    signs = _probes(len(values))
    scores = np.full((count, len(groups)), math.inf)
    lowest, largest = smoother.highest, np.full((count, values.shape[1]), math.inf)
    for k, cutoff in reversed(list(enumerate(cutoffs))):
        try:
            smooth = smoother.smoothed_means(np.column_stack([values, signs]), cutoff)
        except ValueError:  # times are too uneven for so low a cut-off, and all that are lower
            break
        lowest = float(cutoff)
        left = smooth[:, values.shape[1] :]
        share = float((signs * left).sum() / (signs * signs).sum())
        off = np.abs(values - smooth[:, : values.shape[1]])
        squares, largest[k] = np.square(off).sum(axis=0), off.max(axis=0)
        freedom = 1 - INFLATION * share
        scores[k] = [squares[list(group)].sum() / freedom**2 if freedom > 0 else math.inf for group in groups]
    best = np.array([FOR_RATES * _lowest(cutoffs, scores[:, k]) for k in range(len(groups))])
    for k, group in enumerate(groups):
        heights = [stairs(values[:, column]) for column in group]
        if all(heights):  # within a step of the rounding everything is as good
            within = (largest[:, list(group)] <= WITHIN * np.array(heights)).all(axis=1)
            best[k] = min(best[k], float(cutoffs[within].min(initial=math.inf)))
    clipped: Floats = np.maximum(best, lowest)
    return clipped


def stairs(values: Floats) -> float:
    """The height of the steps of samples that stay on one most of the time, as those of an encoder that turns slowly;
    zero if there are none. Their error is no noise that differs from sample to sample.

    >>> t = np.arange(0.0, 2.0, 0.01)
    >>> stairs(0.1 * np.round(np.sin(t) * 10)), stairs(np.sin(t))
    (0.1, 0.0)
    """
    steps = np.abs(np.diff(values))
    moves = steps[steps > 1e-12 * max(float(np.abs(values).max()), 1e-300)]
    if not LEVELS <= len(moves) <= RARE * len(steps) or len(np.unique(values)) < LEVELS:
        return 0.0  # a gripper that opens and closes has no stairs
    height = float(moves.min())
    return round(height, 15) if np.abs(moves / height - np.round(moves / height)).max() < 1e-3 else 0.0


def _probes(count: int) -> Floats:
    """Columns whose products with themselves smoothed tell the trace: unit vectors, or random signs."""
    if count <= EXACT:
        return np.eye(count)
    signs: Floats = np.random.default_rng(0).choice([-1.0, 1.0], (count, math.ceil(10 * EXACT / count)))
    return signs


def _lowest(cutoffs: Floats, scores: Floats) -> float:
    """Where the score is lowest, by the parabola through the lowest and its neighbours over the logarithms."""
    k = int(scores.argmin())
    if not 0 < k < len(scores) - 1 or not np.isfinite(scores[k - 1 : k + 2]).all() or scores[k] <= 0:
        return float(cutoffs[k])
    before, here, after = np.log(scores[k - 1 : k + 2])
    bend = before - 2 * here + after
    shift = 0.0 if bend <= 0 else float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5))
    return float(cutoffs[k] * (cutoffs[k + 1] / cutoffs[k]) ** shift)
