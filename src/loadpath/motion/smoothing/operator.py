"""Samples made smooth: those near the given ones whose third derivative is small, for times even or not.

Smooth samples f minimise sum (y - f)^2 + lam sum h (third divided difference of f)^2: a discrete smoothing spline of
degree five (Whittaker 1923; Reinsch 1967 for splines). Accelerations enter loads, so it is the jerk that is held down:
a penalty on the acceleration itself, as of cubic smoothing splines, flattens the peaks that are looked for. For even
times it is a filter without phase that lets 1 / (1 + (f / cutoff)^6) of a frequency f through.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from loadpath.scalars.types import Floats

ORDER = 3
"""Of the derivative that is held down."""
FEWEST_SMOOTHED = 12
"""Samples that can be smoothed."""
CLOSE_SAMPLES = 0.2
"""Part of the usual time step: samples that are closer are smoothed as one."""
LOWEST, HIGHEST = 1 / 600, 1 / 2.2
"""Cut-offs, as parts of the rate of the samples: below, the equations lose too many digits; above, nothing is left."""


class Smoother:
    """Makes samples at these rising times smooth.

    >>> t = np.arange(0.0, 2.0, 0.001)
    >>> smoother = Smoother(t)
    >>> tone = lambda f: np.cos(2 * np.pi * f * t)[:, None]
    >>> [round(float(smoother.smoothed(tone(f), 10.0)[1000, 0] / tone(f)[1000, 0]), 3) for f in (1, 5, 10, 20)]
    [1.0, 0.985, 0.5, 0.015]
    """

    def __init__(self, t: Floats) -> None:
        self.rate = (len(t) - 1) / float(t[-1] - t[0])
        self._times = t
        self._first = np.concatenate([[0], 1 + np.flatnonzero(np.diff(t) >= CLOSE_SAMPLES * np.median(np.diff(t)))])
        t = self.means(t[:, None])[:, 0]
        self._means_at = t
        rows = len(t) - ORDER
        ends = [t[k : k + rows] for k in range(ORDER + 1)]
        self._weights = np.empty((ORDER + 1, rows))
        length = np.sqrt((ends[-1] - ends[0]) / ORDER)  # of the time that a difference stands for
        for k in range(ORDER + 1):
            others = math.prod(ends[k] - ends[j] for j in range(ORDER + 1) if j != k)
            self._weights[k] = math.factorial(ORDER) * length / others
        self._band = np.zeros((ORDER + 1, rows))  # of the product of the differences with their transpose, lower half
        for below in range(ORDER + 1):
            for k in range(below, ORDER + 1):
                self._band[below, : rows - below] += self._weights[k - below, below:] * self._weights[k, : rows - below]

    @property
    def lowest(self) -> float:
        """The lowest cut-off (Hz)."""
        return self.rate * LOWEST

    @property
    def highest(self) -> float:
        """The highest cut-off (Hz)."""
        return self.rate * HIGHEST

    def smoothed(self, values: Floats, cutoff: float) -> Floats:
        """Samples (samples, columns) with one cut-off (Hz), the frequency of which one half is let through. Times that
        are too uneven for a cut-off that low are a ValueError.
        """
        if len(self._first) == len(self._times):
            return self.smoothed_means(values, cutoff)
        from scipy.interpolate import make_interp_spline

        found = self.smoothed_means(self.means(values), cutoff)
        result: Floats = make_interp_spline(self._means_at, found, k=5)(self._times)
        return result

    def means(self, values: Floats) -> Floats:
        """Means of samples that are close in time, where they are nearly one."""
        counts = np.diff(self._first, append=len(values))
        result: Floats = np.add.reduceat(values, self._first, axis=0) / counts[:, None]
        return result if len(counts) < len(values) else values

    def smoothed_means(self, values: Floats, cutoff: float) -> Floats:
        """What `means` returned, made smooth."""
        from scipy.linalg import LinAlgError, cho_solve_banded, cholesky_banded  # slow to import, not always needed

        penalty = self.rate / (2 * math.pi * cutoff) ** (2 * ORDER)
        band = self._band.copy()
        band[0] += 1 / penalty
        try:
            factor = cholesky_banded(band, lower=True, overwrite_ab=True, check_finite=False)
        except LinAlgError:
            raise ValueError(f"times are too uneven to smooth with a cut-off of {cutoff:.3g} Hz: resample them, or "
                             "take a higher one") from None
        rough = cho_solve_banded((factor, True), self._differences(values), check_finite=False)
        # What is taken off is computed, not what is left (Reinsch): it is rounded as noise is, not as the motion.
        result = values.copy()
        for k, weights in enumerate(self._weights):
            result[k : k + len(weights)] -= weights[:, None] * rough
        return result

    def _differences(self, values: Floats) -> Floats:
        rows = len(values) - ORDER
        found: Floats = np.zeros((rows, values.shape[1]))
        for k, weights in enumerate(self._weights):
            found += weights[:, None] * values[k : k + rows]
        return found


def noise_left(noise: Floats, cutoff: Floats, rate: float, derivative: int) -> Floats:
    """Standard deviation of a derivative of smoothed samples by white noise of this size: the integral over all
    frequencies of what is let through, in closed form.

    >>> float(noise_left(np.array([2e-4]), np.array([6.0]), 125.0, 2)[0].round(4))
    0.0368
    """
    power = (2 * derivative + 1) / (2 * ORDER)
    integral = math.gamma(power) * math.gamma(2 - power) / (2 * ORDER)  # of u^(2 derivative) / (1 + u^6)^2
    left: Floats = noise * (2 * math.pi) ** derivative * np.sqrt(2 / rate * cutoff ** (2 * derivative + 1) * integral)
    return left


# How much to smooth: by generalized cross-validation, from the samples alone.
#
# A cut-off is good if what it takes off looks like noise, for as little freedom as it leaves: it minimises
# RSS / (n - INFLATION trace)^2, with the trace of the smoothing as a matrix (Craven and Wahba 1979). The trace for many
# samples is estimated by what smoothing leaves of random signs (Hutchinson 1989).


INFLATION = 1.4
"""Of the trace: without it, one record in some dozens is hardly smoothed (Kim and Gu 2004)."""
CUTOFF_STEP = 1.5
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
    count = 1 + math.ceil(math.log(smoother.highest / smoother.lowest, CUTOFF_STEP))
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
