"""Base parameters from measured forces by weighted least squares, the noise of each joint estimated from its residual.

The joints of a robot differ in noise by orders of magnitude (a shoulder drive and a wrist drive), so each counts by
the inverse of its own variance, which is found by fitting and weighting in turn (Gautier 1997).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy

from loadpath.identification.base import BaseParameters
from loadpath.identification.measurements import Compressed, Measurements, compressed, filtered, filtered_rows, fitted
from loadpath.scalars.types import Bools, Floats

_FIT_ROUNDS = 10
# Noise of a joint beneath this part of its forces is rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Fit:
    """Estimates in the units that were given, and what is known of their errors."""

    values: Floats
    factor: Floats
    """Triangular; its inverse times its transposed inverse is the covariance of the values."""
    noise: Floats
    """Standard deviation of the forces of each speed about the fit."""

    @property
    def covariance(self) -> Floats:
        """Of the values."""
        inverse = scipy.linalg.solve_triangular(self.factor, np.eye(len(self.factor)))
        covariance: Floats = inverse @ inverse.T
        return covariance


def least_squares(data: Compressed, units: Floats, weights: Literal["by noise", "equal"] | Floats) -> Fit:
    """The fit, in `units` of the base parameters. Weights are the given noise of each speed, or that which is found:
    each joint's own, or one for all.

    Noise that is found is that about the fit: squares divided by samples less the parameters that they determine, for
    a single joint its share of them (of the trace of the projection).
    """
    scaled = [np.column_stack([R[:, :-1] * units, R[:, -1]]) for R in data.rows]
    if not isinstance(weights, str):
        return Fit(*_solve(scaled, weights), weights)
    least = rounding(data)
    noise = np.ones(len(scaled))
    for _ in range(_FIT_ROUNDS):
        values, factor = _solve(scaled, noise)
        found = _noise(scaled, values, factor, noise, data.samples - data.spent, weights)
        before, noise = noise, np.maximum(found, least)
        if np.allclose(noise, before, rtol=1e-6):
            break
    return Fit(*_solve(scaled, noise), noise)


def rounding(data: Compressed) -> Floats:
    """The noise of each speed beneath which there is nothing but rounding."""
    sizes = np.sqrt(data.forces() / data.samples)
    least: Floats = _ROUNDING * np.maximum(sizes, 1e-3 * sizes.max(initial=0.0))
    return np.where(least == 0, _ROUNDING, least)


def _noise(factors: list[Floats], values: Floats, factor: Floats, noise: Floats, samples: int, weights: str) -> Floats:
    squares = np.array([np.sum((R[:, :-1] @ values - R[:, -1]) ** 2) for R in factors])
    if weights == "equal":
        return np.full(len(factors), np.sqrt(squares.sum() / (samples * len(factors) - len(values))))
    inverse = scipy.linalg.solve_triangular(factor, np.eye(len(factor)))
    spent = np.array([np.sum((R[:, :-1] @ inverse / s) ** 2) for R, s in zip(factors, noise, strict=True)])
    found: Floats = np.sqrt(squares / np.maximum(samples - spent, 1.0))
    return found


def _solve(factors: list[Floats], noise: Floats) -> tuple[Floats, Floats]:
    rows = np.vstack([R / s for R, s in zip(factors, noise, strict=True)])
    stacked = np.asarray(np.linalg.qr(rows, mode="r"))
    size = stacked.shape[1] - 1
    values: Floats = scipy.linalg.solve_triangular(stacked[:size, :size], stacked[:size, size])
    return values, stacked[:size, :size]


# Noise of the forces that depends on the samples before it, or on the state: what it does to a fit, and the cure.
#
# Least squares takes the noise of each row as independent and equally strong. Noise of real drives is neither: it
# passed through filters (a sample resembles the one before), and it grows with speed or load. The values are still
# right in the mean, but their standard deviations are too small, by a factor of four with a correlation of 0.9 from
# row to row.
#
# - A process x_t = a_1 x_(t-1) + a_2 x_(t-2) + ... + u_t is fitted to the residual of each joint (Yule and Walker, its
#   order by the Bayesian information criterion), and all rows of the joint are filtered by it: what remains, u, is
#   white, and least squares on the filtered rows is the best linear estimate (Cochrane and Orcutt 1949; Aitken).
# - What is left is tested for a strength that changes with speed or force, and for one that joints share (Breusch and
#   Pagan 1979). Where it does, the covariance is that of White (1980), which needs neither to be constant:
#   (A'A)^-1 (sum of a_t a_t' over states) (A'A)^-1, with a_t the sum over joints of row times residual.

LAGS = 20
"""Rows back to which dependence is tested."""
MOST_COEFFICIENTS = 12
FEWEST_ROWS = 100
"""Fewer states say nothing about dependence from row to row."""
CHANCE = 1e-4
"""A test counts where chance alone would do it so rarely."""
WEAK = 0.05
"""Correlations smaller than this change standard deviations by less than 5 %."""
LONG_RUN = 2.0
"""How much more a mean over many rows may vary than one of independent rows before standard deviations are doubted."""
_FILTER_ROUNDS = 4


@dataclass(frozen=True, eq=False)
class Noise:
    """What is known of the noise of each speed."""

    filters: list[Floats]
    """Coefficients of the process that it follows; none where it is white."""
    correlation: Floats
    """Of the residual with that of the row before."""
    still_coloured: Bools
    """Where the process leaves so much dependence from row to row that standard deviations are too small."""
    changing: Bools
    """Where the strength of the noise depends on speed or force, or follows that of another joint."""


def fit_with_noise(
    base: BaseParameters,
    data: Measurements,
    motion: Compressed,
    units: Floats,
    weights: Literal["by noise", "equal"] | Floats,
) -> tuple[Fit, Compressed, Noise]:
    """Least squares with standard deviations that hold for noise as it is; also the rows that were fitted, and the
    noise.

    The fit is the plain one where the noise is white and equally strong, or no more than rounding.
    """
    n = base.robot.n
    kept = list(base.grouping.kept)
    fit, rows = least_squares(motion, units[kept], weights), motion
    plain = Noise([np.zeros(0)] * n, np.zeros(n), np.zeros(n, dtype=bool), np.zeros(n, dtype=bool))
    left = _residual(base, data, motion, fit.values * units[kept])
    noisy = np.std(left, axis=0) > 100 * rounding(motion)
    if len(data) < FEWEST_ROWS or not noisy.any():
        return fit, rows, plain
    correlation = _correlations(left, 1)[1]
    filters = [np.zeros(0)] * n
    for _ in range(_FILTER_ROUNDS):
        before, filters = filters, [autoregressive(left[:, k]) if noisy[k] else np.zeros(0) for k in range(n)]
        if _alike(before, filters):
            break
        rows = compressed(base, data, offsets=motion.offsets, filters=filters)
        fit = least_squares(rows, units[kept], _of_innovations(weights, left, filters))
        left = _residual(base, data, motion, fit.values * units[kept])
    white = _whitened(left, filters)
    coloured = noisy & (1 + 2 * _correlations(white, min(LAGS, len(white) // 5))[1:].sum(axis=0) > LONG_RUN)
    changing = noisy & _changes_with_state(white, base, data, fit.values * units[kept])
    if changing.any():
        fit = replace(fit, factor=_factor(_white_covariance(base, data, rows, filters, fit, units[kept])))
    return fit, rows, Noise(filters, np.where(noisy, correlation, 0.0), coloured, changing)


def noise_of_forces(
    motion: Compressed, fit: Fit, noise: Noise, units: Floats, weights: Literal["by noise", "equal"] | Floats
) -> Floats:
    """Standard deviation of each force about the fit, or that which was given."""
    if not isinstance(weights, str):
        return weights
    if not any(len(a) for a in noise.filters):
        return fit.noise
    n = len(noise.filters)
    free = motion.samples - motion.spent - motion.base.number / n
    squares = motion.squares(fit.values * units) / max(free, 1.0)
    return np.full(n, np.sqrt(squares.mean())) if weights == "equal" else np.sqrt(squares)


def autoregressive(residual: Floats) -> Floats:
    """Coefficients of the process that a residual follows; none if it is white.

    >>> rng = np.random.default_rng(0)
    >>> autoregressive(rng.normal(size=2000)).tolist()
    []
    >>> from scipy.signal import lfilter
    >>> autoregressive(lfilter([1], [1, -0.9], rng.normal(size=2000))).round(1).tolist()
    [0.9]
    """
    if _is_white(residual):
        return np.zeros(0)
    count = len(residual)
    centred = residual - residual.mean()
    most = min(MOST_COEFFICIENTS, count // 20)
    covariances = np.array([centred[lag:] @ centred[: count - lag] for lag in range(most + 1)]) / count
    best, coefficients = np.inf, np.zeros(0)
    for order in range(most + 1):
        trial = scipy.linalg.solve_toeplitz(covariances[:order], covariances[1 : order + 1]) if order else np.zeros(0)
        variance = max(float(covariances[0] - trial @ covariances[1 : order + 1]), 1e-12 * float(covariances[0]))
        criterion = count * np.log(variance) + order * np.log(count)
        if criterion < best:
            best, coefficients = criterion, trial
    return coefficients


def _is_white(residual: Floats) -> bool:
    """Whether chance may have made what a residual has in common with the rows before (Ljung and Box 1978)."""
    from scipy.stats import chi2

    count = len(residual)
    correlations = _correlations(residual[:, None], min(LAGS, count // 5))[1:, 0]
    if np.abs(correlations).max(initial=0.0) < WEAK:
        return True
    lags = np.arange(1, len(correlations) + 1)
    statistic = count * (count + 2) * np.sum(correlations**2 / (count - lags))
    return bool(chi2.sf(statistic, len(lags)) > CHANCE)


def _correlations(values: Floats, lags: int) -> Floats:
    """(lags + 1, columns): of each column with itself so many rows before."""
    centred = values - values.mean(axis=0)
    square = np.maximum(np.sum(centred**2, axis=0), 1e-300)
    return np.array([np.sum(centred[lag:] * centred[: len(values) - lag], axis=0) / square for lag in range(lags + 1)])


def _residual(base: BaseParameters, data: Measurements, motion: Compressed, values: Floats) -> Floats:
    """(states, n): measured less fitted force, offsets taken off."""
    left: Floats = np.asarray(data.tau) - fitted(base, values, data) - motion.best_offsets(values)
    return left


def _whitened(left: Floats, filters: Sequence[Floats]) -> Floats:
    longest = max(len(a) for a in filters)
    return np.stack([filtered(column, a, longest) for column, a in zip(left.T, filters, strict=True)], axis=1)


def _of_innovations(
    weights: Literal["by noise", "equal"] | Floats, left: Floats, filters: Sequence[Floats]
) -> Literal["by noise", "equal"] | Floats:
    """Weights of the filtered rows: noise that was given is as much smaller there as the residual is."""
    if isinstance(weights, str):
        return weights
    ratio: Floats = np.std(_whitened(left, filters), axis=0) / np.maximum(np.std(left, axis=0), 1e-300)
    return weights * ratio


def _alike(before: Sequence[Floats], after: Sequence[Floats]) -> bool:
    return all(len(a) == len(b) and np.allclose(a, b, atol=0.005) for a, b in zip(before, after, strict=True))


def _changes_with_state(white: Floats, base: BaseParameters, data: Measurements, values: Floats) -> Bools:
    """For each speed whether the square of its noise follows its speed or its force, or its noise another joint's."""
    from scipy.stats import chi2

    count, n = white.shape
    speed = np.abs(data.qd[-count:])
    force = np.square(fitted(base, values, data)[-count:])
    result = np.zeros(n, dtype=bool)
    for k in range(n):
        squares = white[:, k] ** 2
        A = np.column_stack([np.ones(count), speed[:, k], force[:, k]])
        A /= np.maximum(np.linalg.norm(A, axis=0), 1e-300)
        explained = A @ np.linalg.lstsq(A, squares, rcond=1e-9)[0]
        share = np.var(explained) / max(float(np.var(squares)), 1e-300)
        result[k] = chi2.sf(count * share, 2) < CHANCE / n and share > WEAK**2
    sizes = np.maximum(np.std(white, axis=0), 1e-300)
    shared = np.abs((white / sizes).T @ (white / sizes) / count) - np.eye(n)
    result |= (shared > max(2 * WEAK, 5 / np.sqrt(count))).any(axis=1)
    return result


def _white_covariance(
    base: BaseParameters, data: Measurements, rows: Compressed, filters: Sequence[Floats], fit: Fit, units: Floats
) -> Floats:
    """Covariance of the fit, in its units, whatever the strength of the noise in each state is."""
    inverse = scipy.linalg.solve_triangular(fit.factor, np.eye(len(fit.factor)))
    bread = inverse @ inverse.T
    values = fit.values * units
    offsets = rows.best_offsets(values)
    means = [R[0, 1:-1] / R[0, 0] if rows.offsets else np.zeros(len(values)) for R in rows.factors]
    meat = np.zeros_like(bread)
    for chunk in filtered_rows(base, data, filters):
        scores = np.zeros((len(chunk[0]), len(values)))
        for k, part in enumerate(chunk):
            ones, Y, tau = part[:, 0], part[:, 1:-1], part[:, -1]
            A = (Y - np.outer(ones, means[k])) * units / fit.noise[k]
            left = (tau - Y @ values - ones * offsets[k]) / fit.noise[k]
            reach = np.einsum("tp,pq,tq->t", A, bread, A)
            scores += A * (left / np.maximum(1 - reach, 0.1))[:, None]
        meat += scores.T @ scores
    covariance: Floats = bread @ meat @ bread
    return covariance


def _factor(covariance: Floats) -> Floats:
    """Upper triangular R with (R'R)^-1 the covariance."""
    lower = np.linalg.cholesky(covariance)
    inverse = scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
    return np.asarray(np.linalg.qr(inverse, mode="r"))
