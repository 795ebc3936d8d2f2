"""Dead points and bifurcations on the way: found between the ends of each step, and located within.

Joints that loops tie to each other are looked at together, apart from all others. With one freedom their motion is
along one direction in the space of their speeds. Where its component at a joint passes zero, the joint is at its dead
point: a slider at its end, a drive against a stretched linkage. With more freedoms and as many drives, the drives are
dead where their speeds do not determine the motion any more: a determinant passes zero. A singular direction has no
sign of its own; here it takes that of the direction just before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.simulate.closed.manifold import Cluster, Manifold, Place
from loadpath.simulate.events import DeadPoint

_TURNED = 0.7
"""Least cosine between directions that are compared; where they turn further, it is looked in between."""
_MOVED = 0.5
"""rad, or part of the robot's size: largest motion of a joint between places that are compared."""
_HALVINGS = 12
_STANDS = 1e-12
"""Components below this are none at all: joints that the motion leaves alone, not dead points."""


class Passage(NamedTuple):
    """What lies between two moments."""

    dead: list[DeadPoint]
    bifurcations: list[float]


class DeadPointWatch:
    """Looks for dead points along a path on the manifold."""

    def __init__(self, manifold: Manifold, robot: RobotModel, q: Floats, driven: tuple[int, ...]) -> None:
        self.manifold = manifold
        self.clusters: list[tuple[Cluster, list[int]]] = []
        self.signs: list[tuple[tuple[str, ...], bool]] = []
        """For every number that may pass zero, the names of the joints that are dead there, and whether as drives."""
        names = robot.dof_names
        for cluster in manifold.clusters(q):
            drives = [place for place, k in enumerate(cluster.speeds) if k in driven]
            if cluster.freedoms == 1:
                alone = len(drives) == 1
                self.signs += [((names[k],), alone and place in drives) for place, k in enumerate(cluster.speeds)]
            elif cluster.freedoms and cluster.freedoms == len(drives):
                self.signs.append((tuple(names[cluster.speeds[place]] for place in drives), True))
            else:
                continue
            self.clusters.append((cluster, drives))
        self.coordinate_sizes = np.ones(robot.nq)
        for name, at in robot.q_slices.items():
            motion = robot.joint(name).motion
            size = manifold.sizes[robot.v_slices[name]] / manifold.scale
            lengths = motion.dof if motion.coordinates == motion.dof else motion.coordinates - 4
            self.coordinate_sizes[at.start : at.start + lengths] = size[:lengths]

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
        if halvings and self._far_apart(first, last):
            middle = 0.5 * (begin + end)
            between = place_at(middle)
            self._search(begin, first, middle, between, place_at, found, halvings - 1)
            self._search(middle, between, end, last, place_at, found, halvings - 1)
            return

        def signs(place: Place) -> Floats:
            return self._signed(first, place)

        def sign(k: int, t: float) -> float:
            return float(signs(place_at(t))[k])

        before, after = signs(first), signs(last)
        for k in np.flatnonzero((np.abs(before) > _STANDS) & (before * after <= 0) & (np.abs(before - after) > 1e-9)):
            time = _zero(partial(sign, int(k)), begin, end)
            found.dead.append(DeadPoint(time, *self.signs[k]))
        if self.manifold.held and _branch(first, last) <= 0:
            found.bifurcations.append(_zero(lambda t: _branch(first, place_at(t)), begin, end))

    def _far_apart(self, first: Place, last: Place) -> bool:
        """Whether too much may have turned between two places to say which way."""
        moved = float((np.abs(last.q - first.q) * self.coordinate_sizes).max())
        return moved > _MOVED or min(_least_cosine(first.free, last.free), _least_cosine(first.U, last.U)) < _TURNED

    def _signed(self, reference: Place, place: Place) -> Floats:
        """What passes zero at a dead point, with the sign that the direction has before."""
        parts = []
        for cluster, drives in self.clusters:
            before, free = cluster.free(reference), cluster.free(place)
            side = np.sign(np.linalg.det(before.T @ free))
            parts.append(side * (free[:, 0] if cluster.freedoms == 1 else _signed_least(free[drives])))
        return np.concatenate(parts) if parts else np.empty(0)


def _signed_least(square: Floats) -> Floats:
    """(1,): the least singular value of a matrix, with the sign of its determinant: of the size of its entries."""
    left, sigma, right = np.linalg.svd(square)
    return np.array([np.sign(np.linalg.det(left) * np.linalg.det(right)) * sigma[-1]])


def _least_cosine(first: Floats, last: Floats) -> float:
    """Of the largest angle between two spaces."""
    return 1.0 if not first.shape[1] else float(np.linalg.svd(first.T @ last, compute_uv=False)[-1])


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
