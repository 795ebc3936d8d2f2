"""Extremes and means of many quantities at once, taken in block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats

# Weights of states sum to one but for rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Statistics:
    """Extremes and means over all states, each an array with an entry for each quantity.

    Means weigh each state by its share of the time (trapezoid rule), or all the same if there are no times.
    """

    maximum: Floats
    minimum: Floats
    maximum_at: NDArray[np.intp]
    """Number of the first state in which it is."""
    minimum_at: NDArray[np.intp]
    mean: Floats
    mean_magnitude: Floats
    rms: Floats
    """Root of the mean square."""
    cubic_mean: Floats
    """Cube root of the mean of the magnitude's cube."""
    travel_cubic_mean: Floats
    """The same, each state weighed by the joint's speed too: (sum |n| t |x|^3 / sum |n| t)^(1/3). NaN for what does not
    travel."""

    @property
    def magnitude(self) -> Floats:
        """Largest magnitude."""
        return np.maximum(np.abs(self.maximum), np.abs(self.minimum))

    @property
    def magnitude_at(self) -> NDArray[np.intp]:
        """Number of the state in which that is."""
        return np.where(np.abs(self.maximum) >= np.abs(self.minimum), self.maximum_at, self.minimum_at)


class Accumulator:
    """Takes in values (states, ...) of quantities, and gives their statistics."""

    def __init__(self, shape: tuple[int, ...], exponent: float = 3.0) -> None:
        self.exponent = exponent
        self.maximum, self.minimum = np.full(shape, -np.inf), np.full(shape, np.inf)
        self.maximum_at, self.minimum_at = np.zeros(shape, dtype=np.intp), np.zeros(shape, dtype=np.intp)
        self.sums = np.zeros((5, *shape))  # value, magnitude, square, cube, cube by travel
        self.travelled = np.zeros(shape)
        self.weight = 0.0

    def add(self, values: Floats, weight: Floats, first: int | NDArray[np.intp], travel: Floats | None = None) -> None:
        """Values of states, with their weights and how fast each travels (states, ...). The states are numbered from
        `first` on, or as it says.
        """
        if not len(values):
            return
        numbers = first + np.arange(len(values)) if isinstance(first, int) else first
        self.weight += float(weight.sum())
        size, square = np.abs(values), values * values
        cube = size * square if self.exponent == 3 else size**self.exponent  # a product is much quicker than a power
        for k, part in enumerate((values, size, square, cube)):
            self.sums[k] += np.tensordot(weight, part, axes=1)
        if travel is not None:
            cube *= travel
            self.sums[4] += np.tensordot(weight, cube, axes=1)
            self.travelled += np.tensordot(weight, travel, axes=1)
        high, low = values.max(axis=0), values.min(axis=0)
        for best, best_at, here, new in (
            (self.maximum, self.maximum_at, high, high > self.maximum),
            (self.minimum, self.minimum_at, low, low < self.minimum),
        ):
            best[new] = here[new]
            for place in np.argwhere(new):  # in most blocks there are few
                at = tuple(place)
                best_at[at] = numbers[int(np.argmax(values[(slice(None), *at)] == here[at]))]

    @property
    def _share(self) -> float:
        """Of the weights of all states what was taken in; exactly 1 if nothing is missing."""
        return 1.0 if abs(self.weight - 1.0) < _ROUNDING else self.weight

    def result(self) -> Statistics:
        """What all values together give."""
        with np.errstate(invalid="ignore", divide="ignore"):
            mean, magnitude, square, cube = self.sums[:4] / self._share
        by_travel = self.sums[4]
        unknown = np.isnan(mean)  # quantities that are not there
        with np.errstate(invalid="ignore", divide="ignore"):
            by_travel = np.where(self.travelled > 0, by_travel / self.travelled, np.nan)
        blank = [np.where(unknown, np.nan, extreme) for extreme in (self.maximum, self.minimum)]
        return Statistics(
            blank[0],
            blank[1],
            self.maximum_at,
            self.minimum_at,
            mean,
            magnitude,
            np.sqrt(square),
            cube ** (1 / self.exponent),
            by_travel ** (1 / self.exponent),
        )
