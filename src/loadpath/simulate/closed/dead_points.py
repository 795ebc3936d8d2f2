"""Dead points and bifurcations on the way: found between the ends of each step, and located within.

With one freedom the motion is along one direction in the space of the speeds. Where its component at a joint passes
zero, the joint is at its dead point: a slider at its end, a drive against a stretched linkage. With more freedoms and
as many drives, the drives are dead where their speeds do not determine the motion any more: a determinant passes zero.
A singular direction has no sign of its own; here it takes that of the direction just before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.simulate.closed.manifold import Manifold, Place
from loadpath.simulate.closed.result import DeadPoint

_TURNED = 0.7
"""Least cosine between directions that are compared; where they turn further, it is looked in between."""
_HALVINGS = 12
_STANDS = 1e-12
"""Components below this are none at all: joints that the motion leaves alone, not dead points."""


class Passage(NamedTuple):
    """What lies between two moments."""

    dead: list[DeadPoint]
    bifurcations: list[float]


class DeadPointWatch:
    """Looks for dead points along a path on the manifold."""

    def __init__(self, manifold: Manifold, names: tuple[str, ...], driven: tuple[int, ...]) -> None:
        self.manifold, self.names, self.driven = manifold, names, driven

    def between(self, begin: float, end: float, place_at: Callable[[float], Place]) -> Passage:
        """Dead points and bifurcations after `begin`, up to `end`."""
        found = Passage([], [])
        if self.manifold.freedoms and end > begin:
            self._search(begin, place_at(begin), end, place_at(end), place_at, found, _HALVINGS)
        found.dead.sort()
        return found

    def _search(
        self,
        begin: float,
        first: Place,
        end: float,
        last: Place,
        place_at: Callable[[float], Place],
        found: Passage,
        halvings: int,
    ) -> None:
        if halvings and _least_cosine(first.free, last.free) < _TURNED:
            middle = 0.5 * (begin + end)
            between = place_at(middle)
            self._search(begin, first, middle, between, place_at, found, halvings - 1)
            self._search(middle, between, end, last, place_at, found, halvings - 1)
            return

        def signs(place: Place) -> Floats:
            return self._signed(first, place)

        before, after = signs(first), signs(last)
        for k in np.flatnonzero((np.abs(before) > _STANDS) & (before * after <= 0) & (np.abs(before - after) > 1e-9)):
            time = _zero(lambda t, k=k: float(signs(place_at(t))[k]), begin, end)
            found.dead.append(self._dead_point(time, int(k)))
        if self.manifold.held and _branch(first, last) <= 0:
            found.bifurcations.append(_zero(lambda t: _branch(first, place_at(t)), begin, end))

    def _signed(self, reference: Place, place: Place) -> Floats:
        """What passes zero at a dead point, with the sign that the direction has before."""
        side = np.sign(np.linalg.det(reference.free.T @ place.free))
        if self.manifold.freedoms == 1:
            along: Floats = side * place.free[:, 0]
            return along
        if len(self.driven) != self.manifold.freedoms:
            return np.empty(0)
        return np.array([side * np.linalg.det(place.free[list(self.driven)])])

    def _dead_point(self, time: float, k: int) -> DeadPoint:
        if self.manifold.freedoms == 1:
            return DeadPoint(time, (self.names[k],), self.driven == (k,))
        return DeadPoint(time, tuple(self.names[k] for k in self.driven), True)


def _least_cosine(first: Floats, last: Floats) -> float:
    """Of the largest angle between two spaces."""
    return float(np.linalg.svd(first.T @ last, compute_uv=False)[-1])


def _branch(first: Place, last: Place) -> float:
    """Positive as long as the held directions have the orientation that they had first; zero at a bifurcation."""
    held = first.V.shape[1]
    sign = np.linalg.det(first.U.T @ last.U) * np.linalg.det(first.V.T @ last.V)
    return float(np.sign(sign) * last.sigma[held - 1])


def _zero(value: Callable[[float], float], begin: float, end: float) -> float:
    from scipy.optimize import brentq

    if value(end) == 0.0:
        return end
    return float(brentq(value, begin, end, xtol=1e-12, rtol=1e-12))
