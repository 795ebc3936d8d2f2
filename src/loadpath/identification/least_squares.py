"""Base parameters from measured forces by weighted least squares, the noise of each joint estimated from its residual.

The joints of a robot differ in noise by orders of magnitude (a shoulder drive and a wrist drive), so each counts by
the inverse of its own variance, which is found by fitting and weighting in turn (Gautier 1997).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy  # its parts are imported where they are first used

from loadpath.identification.compression import Compressed
from loadpath.scalars.types import Floats

_ROUNDS = 10
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
    for _ in range(_ROUNDS):
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
