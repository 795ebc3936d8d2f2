"""Samples made smooth: those near the given ones whose third derivative is small, for times even or not.

Smooth samples f minimise sum (y - f)^2 + lam sum h (third divided difference of f)^2: a discrete smoothing spline of
degree five (Whittaker 1923; Reinsch 1967 for splines). Accelerations enter loads, so it is the jerk that is held down:
a penalty on the acceleration itself, as of cubic smoothing splines, flattens the peaks that are looked for. For even
times it is a filter without phase that lets 1 / (1 + (f / cutoff)^6) of a frequency f through.
"""

from __future__ import annotations

import math

import numpy as np

from loadpath.scalars.types import Floats

ORDER = 3
"""Of the derivative that is held down."""
FEWEST = 12
"""Samples that can be smoothed."""
CLOSE = 0.2
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
        self._first = np.concatenate([[0], 1 + np.flatnonzero(np.diff(t) >= CLOSE * np.median(np.diff(t)))])
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
