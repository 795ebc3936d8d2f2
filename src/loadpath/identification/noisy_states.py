"""Noise in the measured speeds and accelerations, which least squares takes as exact.

Positions are measured, speeds and accelerations differentiated from them, and what noise the positions had is
magnified. In the regressor it makes the values too small and their standard deviations meaningless. How much of a
signal is noise is seen against a smooth curve through its neighbours, whatever the noise's colour. Whether it matters
is seen by trial: all signals are smoothed alike, which leaves a right fit as it is, and the values must not move.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loadpath.identification.base import BaseParameters
from loadpath.identification.compression import compressed
from loadpath.identification.least_squares import Fit, least_squares
from loadpath.identification.measurements import Measurements
from loadpath.scalars.types import Floats

NOISY = 0.3
"""Share of noise in speeds or accelerations that spoils any fit."""
SOME_NOISE = 0.01
"""Share of noise from which on it is tried whether the values depend on it."""
MOVED = 4.0
"""Standard deviations by which smoothing may move a value."""
WINDOW, DEGREE = 11, 5
"""Rows and degree of the smooth curve, which is within 0.3 % of a sine of 15 rows or more."""
CAUGHT = 0.88
"""Share of noise that differs from the curve: 0.82 of white noise, 0.96 of noise that was differentiated twice."""


def questions_of_noise(
    base: BaseParameters, data: Measurements, offsets: bool, units: Floats, fit: Fit
) -> Iterator[str]:
    """What is to be asked about speeds and accelerations whose rows follow each other in time."""
    if len(data) < 2 * WINDOW:
        return
    names = base.robot.dof_names
    some = False
    for what, values in (("speeds (qd)", data.qd), ("accelerations (qdd)", data.qdd)):
        noise, size = noise_in(values), np.sqrt(np.mean(values**2, axis=0))
        share = np.divide(noise, size, out=np.zeros_like(size), where=size > 0)
        k = int(np.argmax(share))
        some |= bool(share[k] > SOME_NOISE)
        if share[k] > NOISY:
            yield (
                f"the {what} are noisy: of '{names[k]}' {noise[k]:.3g} of {size[k]:.3g} rms differ from row to row "
                "like noise; least squares takes them as exact, which makes its values too small and its standard "
                "deviations wrong: filter q before it is differentiated, and tau alike"
            )
            return
    if some and (moved := _moved(base, data, offsets, units, fit)):
        group, before, after, deviations = moved
        yield (
            f"noise in the speeds and accelerations moves the values: {group} is {before:.4g}, and {after:.4g} if all "
            f"signals are smoothed over {WINDOW} rows, {deviations:.1f} standard deviations away; least squares takes "
            "qd and qdd as exact: filter q before it is differentiated, and tau alike"
        )


def noise_in(values: Floats) -> Floats:
    """Standard deviation of the noise in each column, about a smooth curve through its rows. Single jumps do not count.

    Noise is found whatever its colour: white, or differentiated once or twice.

    >>> noise = np.random.default_rng(0).normal(0, 0.1, (5000, 1))
    >>> smooth = np.sin(np.linspace(0, 60, 5000))[:, None]
    >>> [float(noise_in(smooth + part)[0].round(1)) for part in (noise, np.gradient(noise, axis=0) * 2**0.5)]
    [0.1, 0.1]
    """
    from scipy.signal import savgol_filter

    left = values - savgol_filter(values, WINDOW, DEGREE, axis=0)
    found: Floats = 1.4826 * np.median(np.abs(left), axis=0) / CAUGHT
    return found


def _moved(
    base: BaseParameters, data: Measurements, offsets: bool, units: Floats, fit: Fit
) -> tuple[str, float, float, float] | None:
    """The base parameter that smoothing moves most, if it moves one: its name, value, value then, and how far in
    standard deviations.
    """
    from scipy.signal import savgol_filter

    if base.robot.nq != base.robot.n:
        return None  # unit quaternions are not smoothed number by number
    signals = (data.q, data.qd, data.qdd, np.asarray(data.tau))
    smooth = Measurements(*(savgol_filter(values, WINDOW, DEGREE, axis=0) for values in signals))
    rows = compressed(base, smooth, offsets=offsets)
    again = least_squares(rows, units, "by noise")
    deviation = np.sqrt(np.diag(fit.covariance))
    moved = np.abs(again.values - fit.values) / deviation
    k = int(np.argmax(moved))
    if moved[k] <= MOVED:
        return None
    return base.groups[k], float(fit.values[k] * units[k]), float(again.values[k] * units[k]), float(moved[k])
