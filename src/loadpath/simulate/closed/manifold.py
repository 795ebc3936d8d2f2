"""The closed configurations as a manifold: which motions it allows, and the nearest state on it.

How many freedoms f there are is known beforehand, so no rank is decided here. The rows J of the loops, in which some
may depend on others, are taken apart by singular values; the n - f largest belong to directions that are held, and the
last f right singular vectors span the motions that are free. That needs no choice of independent joints, so nothing
happens where such a choice fails, at dead points. Where a further singular value vanishes the mechanism can go on in
more than one way: a bifurcation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats

_NEWTON_STEPS = 20
_CLOSED = 1e-14
"""Closure in parts of the robot's size at which nothing is left to correct."""
_NEARBY, _NOTHING = 1e-3, 1e-12
_SAME_FREEDOM = 1e-9
"""Share of a direction below which joints that stick do not hold it."""


class Place(NamedTuple):
    """A configuration, and what the loops hold there. All in scaled units: angles times the size of the robot, m."""

    q: Floats
    off: Floats
    """(m,): closure."""
    U: Floats
    """(m, n - f): combinations of rows, orthonormal."""
    sigma: Floats
    """(min(m, n),): singular values, falling."""
    V: Floats
    """(n, n - f): directions that are held, orthonormal."""
    free: Floats
    """(n, f): directions that are free, orthonormal."""


class Directions(NamedTuple):
    """Directions in the space of the joints' speeds: first those that the loops leave free, then those that they hold.
    All may have batch axes in front.
    """

    speeds: Floats
    """(..., n, n): speeds of the joints per unit along each direction, as columns."""
    along: Floats
    """(..., n, n): the inverse: components along the directions per unit of each speed."""
    held: Floats
    """(..., n): accelerations along the directions that loops hold, as speeds and closed loops ask for them; zero along
    the free ones."""
    distinct: Floats
    """(...): least singular value of what is held, relative to the largest; 0 at a bifurcation."""


class Cluster(NamedTuple):
    """Speeds that loops tie to each other."""

    speeds: NDArray[np.intp]
    freedoms: int

    def free(self, place: Place) -> Floats:
        """(speeds, freedoms): its free directions, orthonormal, in scaled units."""
        vectors, _, _ = np.linalg.svd(place.free[self.speeds], full_matrices=False)
        result: Floats = vectors[:, : self.freedoms]
        return result


class Manifold:
    """The closed configurations of a robot with n speeds and f freedoms.

    `loops` returns closure (m,) and rows J (m, n) at q, `row_rates` Jdot qd (m,), `mass_matrix` the matrix (n, n),
    `move` the configuration after a small motion. `scale` is the size of the robot (m), `sizes` (n,) the distances (m)
    that a unit of each speed moves things by, roughly: the scale, or 1 of a slide. `row_sizes` (m,) make lengths of the
    closures in the same way.
    """

    def __init__(
        self,
        loops: Callable[[Floats], tuple[Floats, Floats]],
        row_rates: Callable[[Floats, Floats], Floats],
        mass_matrix: Callable[[Floats], Floats],
        move: Callable[[Floats, Floats], Floats],
        freedoms: int,
        scale: float,
        sizes: Floats,
        row_sizes: Floats,
    ) -> None:
        self.loops, self.row_rates, self.mass_matrix, self.move = loops, row_rates, mass_matrix, move
        self.freedoms, self.scale, self.sizes, self.row_sizes = freedoms, scale, sizes, row_sizes
        self.held = len(sizes) - freedoms
        self._last: Place | None = None

    def at(self, q: Floats) -> Place:
        """What the loops hold at a configuration."""
        last = self._last
        if last is not None and np.array_equal(last.q, q):
            return last
        off, rows = self.loops(q)
        U, sigma, Vt = np.linalg.svd(self._scaled(rows), full_matrices=True)
        held = self.held
        self._last = place = Place(q.copy(), self.row_sizes * off, U[:, :held], sigma, Vt[:held].T, Vt[held:].T)
        return place

    def _scaled(self, rows: Floats) -> Floats:
        result: Floats = self.row_sizes[:, None] * rows / self.sizes
        return result

    def clusters(self, q: Floats) -> list[Cluster]:
        """The speeds that loops tie to each other, apart from the others; at q and near it."""
        touched = self._touched(q) | self._touched(self.nearby(q))
        tied = touched.T.astype(int) @ touched.astype(int) > 0
        together = np.linalg.matrix_power(tied.astype(float), max(len(tied), 1)) > 0
        free, found = self.at(q).free, []
        for k in range(len(tied)):
            speeds = np.flatnonzero(together[k])
            if len(speeds) and speeds[0] == k:
                freedoms = int((np.linalg.svd(free[speeds], compute_uv=False) > 0.5).sum())
                found.append(Cluster(speeds, freedoms))
        return found

    def _touched(self, q: Floats) -> NDArray[np.bool_]:
        rows = np.abs(self._scaled(self.loops(q)[1]))
        result: NDArray[np.bool_] = rows > _NOTHING * rows.max(initial=0.0)
        return result

    def directions(self, q: Floats, qd: Floats) -> Directions:
        """The directions in states, one or many."""
        rows, rates = self._scaled(self.loops(q)[1]), self.row_rates(q, qd)
        few = rows.shape[-2] < rows.shape[-1]
        U, sigma, Vt = np.linalg.svd(rows, full_matrices=few)
        held = np.zeros((*np.broadcast_shapes(rows.shape[:-2], rates.shape[:-1]), len(self.sizes)))
        with np.errstate(divide="ignore", invalid="ignore"):
            demand = (np.swapaxes(U[..., : self.held], -1, -2) @ (self.row_sizes * rates)[..., None])[..., 0]
            held[..., self.freedoms :] = -demand / sigma[..., : self.held]
            distinct = sigma[..., self.held - 1] / sigma[..., 0] if self.held else np.ones(sigma.shape[:-1])
        order = [*range(self.held, len(self.sizes)), *range(self.held)]
        along = Vt[..., order, :]
        return Directions(np.swapaxes(along, -1, -2) / self.sizes[:, None], along * self.sizes, held, distinct)

    def nearby(self, q: Floats) -> Floats:
        """A configuration near q, in no special direction."""
        step = np.cos(1.0 + 2.0 * np.arange(len(self.sizes)))
        return self.move(q, _NEARBY * self.scale * step / self.sizes)

    def closed(self, q: Floats) -> Floats:
        """The closed configuration near q, by Newton's method with the least change."""
        before = np.inf
        for _ in range(_NEWTON_STEPS):
            place = self.at(q)
            size = float(np.abs(place.off).max(initial=0.0))
            if size <= _CLOSED * self.scale or not size < 0.5 * before:
                return q
            before = size
            change = place.V @ ((place.U.T @ place.off) / place.sigma[: self.held])
            q = self.move(q, -self._least(place, change) / self.sizes)
        return q

    def consistent(self, q: Floats, qd: Floats, stuck: NDArray[np.intp] | None = None) -> Floats:
        """The speeds nearest to qd, by kinetic energy, with which the loops stay closed and stuck joints stand."""
        free = self.free_motions(q, stuck)
        if not free.shape[1]:
            return np.zeros(len(qd))
        M = self.mass_matrix(q)
        result: Floats = free @ np.linalg.solve(free.T @ M @ free, free.T @ (M @ qd))
        if stuck is not None:
            result[stuck] = 0.0
        return result

    def free_motions(self, q: Floats, stuck: NDArray[np.intp] | None = None) -> Floats:
        """(n, f): speeds that keep the loops closed, as columns; with joints that stick, those at which they stand."""
        free = self.at(q).free
        if stuck is not None and len(stuck):
            _, sigma, Vt = np.linalg.svd(free[stuck], full_matrices=True)
            free = free @ Vt[int((sigma > _SAME_FREEDOM).sum()) :].T
        result: Floats = free / self.sizes[:, None]
        return result

    def accelerations(self, q: Floats) -> Floats:
        """(f, n): B, of which B'B has the accelerations of the joints per unit of force along them."""
        free = self.free_motions(q)
        root = np.linalg.cholesky(free.T @ self.mass_matrix(q) @ free)
        B: Floats = np.linalg.solve(root, free.T)
        return B

    def _least(self, place: Place, change: Floats) -> Floats:
        """The change that closes the loops as well and moves the least mass."""
        M = self.mass_matrix(place.q) / np.outer(self.sizes, self.sizes)
        free = place.free
        if not free.shape[1]:
            return change
        least: Floats = change - free @ np.linalg.solve(free.T @ M @ free, free.T @ (M @ change))
        return least

    def distinct(self, place: Place) -> float:
        """How far from a bifurcation: the least singular value of what is held, relative to the largest; 0 at one."""
        if not self.held:
            return 1.0
        return float(place.sigma[self.held - 1] / place.sigma[0]) if place.sigma[0] > 0 else 0.0
