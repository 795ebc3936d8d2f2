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
        self.count, self.rate = len(t), (len(t) - 1) / float(t[-1] - t[0])
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
        """Samples (samples, columns) with one cut-off (Hz), the frequency of which one half is let through."""
        from scipy.linalg import cho_solve_banded, cholesky_banded  # slow to import, and not everyone needs it

        penalty = self.rate / (2 * math.pi * cutoff) ** (2 * ORDER)
        band = self._band.copy()
        band[0] += 1 / penalty
        factor = cholesky_banded(band, lower=True, overwrite_ab=True, check_finite=False)
        rough = cho_solve_banded((factor, True), self._differences(values), check_finite=False)
        # What is taken off is computed, not what is left (Reinsch): it is rounded as noise is, not as the motion.
        result = values.copy()
        for k, weights in enumerate(self._weights):
            result[k : k + len(weights)] -= weights[:, None] * rough
        return result

    def _differences(self, values: Floats) -> Floats:
        rows = self.count - ORDER
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
