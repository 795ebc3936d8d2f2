"""What the arm does once its motion is over: free vibration about the last pose, exact at any time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats

Complexes = NDArray[np.complex128]

FINE = 32
"""Instants in a period of the highest mode that counts, where the largest displacement is looked for."""
MOST = 2_000_000
"""Instants that are looked at, at most."""
NOTHING = 1e-4
"""Modes with less than this share of the displacement do not count for the distance of instants."""


@dataclass(frozen=True, eq=False)
class RingDown:
    """A point's displacement from its final place, the sum over k of shapes_k e^(rates_k t), t from the end on."""

    rates: Complexes
    """(vibrations,), 1/s."""
    shapes: Complexes
    """(3, vibrations), m."""

    def at(self, times: Floats) -> Floats:
        """(times, 3)."""
        result = np.empty((len(times), 3))
        for first in range(0, len(times), 65536):
            rows = slice(first, first + 65536)
            result[rows] = (np.exp(np.multiply.outer(times[rows], self.rates)) @ self.shapes.T).real
        return result

    @property
    def sizes(self) -> Floats:
        """(vibrations,): how large each can be by itself, at the end of the motion."""
        result: Floats = np.linalg.norm(np.abs(self.shapes), axis=0)
        return result

    def bound(self, time: float) -> float:
        """What the displacement cannot exceed from this time on."""
        return float((self.sizes * np.exp(np.minimum(self.rates.real, 0.0) * time)).sum())

    def spacing(self) -> float:
        """s between instants that catch its course; infinite where nothing vibrates."""
        sizes = self.sizes
        counting = sizes > NOTHING * sizes.sum() if sizes.sum() > 0 else np.zeros(len(sizes), dtype=bool)
        highest = np.abs(self.rates[counting]).max(initial=0.0)
        return 2 * math.pi / (FINE * highest) if highest > 0 else math.inf

    def amplitude(self, within: float) -> float:
        """The largest displacement (m) within so many seconds from the end on."""
        step = self.spacing()
        if math.isinf(step):
            return float(np.linalg.norm(self.at(np.zeros(1))))
        times = np.linspace(0.0, within, min(MOST, max(2, math.ceil(within / step))) + 1)
        return _refined(np.linalg.norm(self.at(times), axis=1))

    def settled_after(self, tolerance: float) -> float:
        """s from the end on after which the displacement stays within the tolerance (m); infinite if it never does."""
        if self.bound(0.0) <= tolerance:
            return 0.0
        decaying = self.rates.real < 0
        if self.sizes[~decaying].sum() > tolerance:  # undamped vibrations return again and again
            return math.inf if self._undamped_peak(~decaying) > tolerance else self._last_beyond(tolerance, 1e4)
        latest = 1.0 / float(np.abs(self.rates.real[decaying]).max())
        while self.bound(latest) > tolerance:
            latest *= 2
        return self._last_beyond(tolerance, latest)

    def _undamped_peak(self, which: NDArray[np.bool_]) -> float:
        lowest = float(np.abs(self.rates[which]).min())
        return RingDown(self.rates[which], self.shapes[:, which]).amplitude(50 * 2 * math.pi / lowest)

    def _last_beyond(self, tolerance: float, latest: float) -> float:
        step = max(self.spacing(), latest / MOST)
        count = math.ceil(latest / step)
        # From the latest time backwards, block by block: mostly it is found in the last one.
        size = 65536
        for stop in range(count, -1, -size):
            times: Floats = step * np.arange(max(0, stop - size), stop + 1, dtype=float)
            out = np.flatnonzero(np.linalg.norm(self.at(times), axis=1) > tolerance)
            if out.size:
                return self._crossing(tolerance, float(times[out[-1]]), float(times[out[-1]] + step))
        return 0.0

    def _crossing(self, tolerance: float, outside: float, inside: float) -> float:
        for _ in range(40):
            middle = 0.5 * (outside + inside)
            if float(np.linalg.norm(self.at(np.array([middle])))) > tolerance:
                outside = middle
            else:
                inside = middle
        return inside


def _refined(sizes: Floats) -> float:
    """The largest of values at even instants, with a parabola through its neighbours."""
    largest = float(sizes.max())
    inside = np.flatnonzero((sizes[1:-1] >= sizes[:-2]) & (sizes[1:-1] >= sizes[2:])) + 1
    if inside.size:  # an end may be larger than all instants and smaller than a peak between them
        k = int(inside[sizes[inside].argmax()])
        a, b, c = (float(value) ** 2 for value in sizes[k - 1 : k + 2])
        bend = a - 2 * b + c
        if bend < 0:
            return max(largest, math.sqrt(b - (a - c) ** 2 / (8 * bend)))
    return largest


def ring_down(
    mass: Floats, damping: Floats, stiffness: Floats, state: tuple[Floats, Floats], shape: Floats
) -> RingDown:
    """Free vibration from coordinates and rates (size,), of a point with the shape (3, size)."""
    size = len(mass)
    scale = math.sqrt(float(np.trace(stiffness)) / float(np.trace(mass)))
    inverse = np.linalg.inv(mass)
    A = np.zeros((2 * size, 2 * size))
    A[:size, size:] = scale * np.eye(size)
    A[size:, :size] = -inverse @ stiffness / scale
    A[size:, size:] = -inverse @ damping
    rates, vectors = np.linalg.eig(A)
    amounts = np.linalg.solve(vectors, np.concatenate([state[0], state[1] / scale]).astype(complex))
    return RingDown(rates.astype(complex), (shape @ vectors[:size]) * amounts)
