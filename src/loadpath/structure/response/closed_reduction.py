"""The vibrating arm with loops, in few coordinates: what its loops move follows from them in another way in every pose.

The elastic coordinates are combinations eta = Y a that stay, as of a tree (`reduction`). The loops restrict them and
turn the free joints, y = T(q) eta (`vibration.closing`), so that all coordinates of the tree with its loops cut are

    y = F a,        F = T(q) Y,

and F changes as the robot moves. With the matrices M, N and L of that tree in all its coordinates (`moving_frame`) its
acceleration is that of y'' = F a'' + 2 F' a' + F'' a, and there come

    F^T M F,        F^T (N F + M F'),        F^T (L F + 2 N F' + M F'').

F' and F'' are differences of F along the motion. The rotors of free joints are coordinates of their own in all of that.
Combinations that the loops do not allow in a pose have no mass there and no load, and the stiffness of all others.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import cached_property
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.structure.loop_forces import per_multiplier, solved, squares
from loadpath.structure.response.damping import joint_damping
from loadpath.structure.response.generalized_loads import generalized_forces
from loadpath.structure.response.kinetics import Kinetics, kinetics_at, momenta_beyond
from loadpath.structure.response.march import Matrices
from loadpath.structure.response.moving_frame import moving_terms
from loadpath.structure.response.reduction import States, heavy_enough
from loadpath.structure.response.section_forces import section_map
from loadpath.structure.vibration.model import BLOCK_BYTES, VibrationModel
from loadpath.structure.vibration.placed import PlacedModel

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

NEARBY = 3e-4
"""rad or m that the joints go, at most, to the poses with which F is differentiated: errors of 1e-7 of it."""


@dataclass(frozen=True, eq=False)
class ClosedReduction:
    """A vibration model with loops in `size` combinations of its elastic coordinates: see `Reduced`."""

    model: VibrationModel
    basis: Floats
    """(model's size, size), orthonormal columns."""
    kinetics: Kinetics
    """Of the tree with its loops cut, in all its coordinates."""
    frozen: PlacedModel
    """The model in a pose in which its guides stand as in all others."""
    least_mass: float = 0.0

    @property
    def size(self) -> int:
        """Number of combinations."""
        return int(self.basis.shape[1])

    @property
    def arm(self) -> ElasticQuantities:
        """The arm."""
        return self.model.arm

    @cached_property
    def _dampers(self) -> Floats:
        return joint_damping(self.model)

    def masses(self, q: Floats) -> Floats:
        """Mass matrices (poses, size, size) of poses (poses, nq)."""
        still = np.zeros((len(q), self.arm.n))
        return self.matrices((q, still, still), LoadCase(), loaded=False).mass

    def matrices(self, states: States, case: LoadCase, *, loaded: bool, coarse: bool = False) -> Matrices:
        """See `Reduced`."""
        blocks = self._blocks(states[0], self.model.floats_per_state)
        parts = [self._matrices(*self._rows(states, case, rows), loaded, coarse) for rows in blocks]
        return Matrices(*(np.concatenate(each) for each in zip(*parts, strict=True)))

    def _blocks(self, q: Floats, floats: int | None = None) -> list[slice]:
        """The states in blocks whose arrays stay small, with so many floats each, or those of the loops' rows."""
        closing = self.model.closing
        assert closing is not None
        floats = floats or self.model.total * (60 + 2 * closing.count)
        length = max(1, int(BLOCK_BYTES / 8 / floats))
        return [slice(first, min(first + length, len(q))) for first in range(0, len(q), length)]

    def _rows(self, states: States, case: LoadCase, rows: slice) -> tuple[States, LoadCase]:
        count = len(states[0])
        q, qd, qdd = (part[rows] for part in states)
        return (q, qd, qdd), case.of_states(np.arange(count)[rows], (count,))

    def _matrices(self, states: States, case: LoadCase, loaded: bool, coarse: bool) -> Matrices:
        (q, qd, qdd), size = states, self.model.size
        placed, at = self.model.at(q), self.kinetics.placed(q)
        F, R = self._followed(placed), self._rotors(placed)
        M = _with_rotors(self.kinetics.mass(at), R)
        back = np.swapaxes(F, -1, -2)
        mass = heavy_enough(back @ M @ F, self.least_mass)
        K = np.broadcast_to(np.eye(self.size), mass.shape)
        dampers, elastic = np.swapaxes(F[:, :size], -1, -2) @ self._dampers, F[:, :size]
        gyroscopic, softening = np.zeros_like(mass), np.zeros_like(mass)
        if not coarse and (np.any(qd) or case.base_motion):
            N, L = (_with_rotors(part, 0.0 * R) for part in moving_terms(self.kinetics, at, states, case))
            F1, F2 = self._rates(q, qd, qdd, F)
            gyroscopic = back @ (N @ F + M @ F1)
            softening = back @ (L @ F + 2 * N @ F1 + M @ F2)
            K = K + dampers @ F1[:, :size]
        if loaded:
            K = K + softening + self.basis.T @ placed.loaded(states, case)[0] @ self.basis
        return Matrices(mass, 2 * gyroscopic, K, dampers @ elastic)

    def _followed(self, placed: PlacedModel) -> Floats:
        """F (poses, all coordinates and the free speeds, size)."""
        assert placed.closed is not None
        combinations = np.broadcast_to(self.basis.T, (placed.count, *self.basis.T.shape))
        turned = placed.closed.turned @ np.swapaxes(placed.allowed(combinations), -1, -2)
        return np.concatenate([np.swapaxes(placed.spread(combinations), -1, -2), turned], axis=1)

    def _rotors(self, placed: PlacedModel) -> Floats:
        assert placed.closed is not None
        return placed.closed.rotors

    def _rates(self, q: Floats, qd: Floats, qdd: Floats, F: Floats) -> tuple[Floats, Floats]:
        """F' and F''."""
        speed = np.maximum(np.abs(qd).max(axis=1), np.sqrt(np.abs(qdd).max(axis=1)))
        h = (NEARBY / np.maximum(speed, 1e-9))[:, None]
        after, before = (self._followed(self.model.at(self.arm.integrate(q, sign * h * qd + 0.5 * h**2 * qdd)))
                         for sign in (1.0, -1.0))
        h = h[..., None]
        return (after - before) / (2 * h), (after - 2 * F + before) / h**2

    def forces(self, states: States, case: LoadCase) -> Floats:
        """Generalized forces (states, size)."""
        result = np.empty((len(states[0]), self.size))
        for rows in self._blocks(states[0]):
            here, loads = self._rows(states, case, rows)
            placed = self.model.at(here[0])
            result[rows] = generalized_forces(placed, *placed.dead_loads(here, loads)) @ self.basis
        return result

    def frames_in(self, q: Floats) -> Floats:
        """(poses, links, 6, size): displacement and rotation of the link frames."""
        shapes = np.broadcast_to(self.basis.T, (len(q), *self.basis.T.shape))
        return np.moveaxis(np.concatenate(self.model.at(q).frame_motions(shapes), axis=-1), 1, -1)

    def ends_moved_by(self, link: int) -> Hashable:
        """Each by itself: what moves one frame of a loop moves others otherwise."""
        return link

    def section_loads(self, sections: int, q: Floats, values: Floats) -> Floats:
        """(poses, sections, 6): see `Reduced`."""
        per_coordinate = section_map(self.frozen, sections)
        result = np.empty((len(q), *per_coordinate.shape[:2]))
        for rows in self._blocks(q):
            eta = self.model.at(q[rows]).allowed((values[rows] @ self.basis.T)[:, None])[:, 0]
            result[rows] = np.einsum("sic,tc->tsi", per_coordinate, eta)
        return result

    def joint_momenta(self, q: Floats) -> Floats:
        """(poses, joints and loops, 6, size): see `Reduced`. What the masses beyond a joint of the cut tree need, and
        what the loops exert while these are accelerated.
        """
        placed, at = self.model.at(q), self.kinetics.placed(q)
        rows, size = placed.closed, self.model.size
        assert rows is not None
        F = self._followed(placed)
        M = self.kinetics.mass(at)
        # (poses, size, coordinates): what resists a unit of each combination's acceleration.
        inertial = placed.without_slides(-np.swapaxes(M @ F[:, : self.model.total], -1, -2))
        free = inertial[..., size:] @ rows.B - np.swapaxes(rows.rotors[:, None] * F[:, self.model.total :], -1, -2)
        opened, missing = (np.moveaxis(part, 1, 0) for part in (inertial[..., :size] @ np.swapaxes(rows.A, -1, -2),
                                                                -free))
        beyond = momenta_beyond(self.kinetics, at) @ F[:, None, : self.model.total]
        of_tree = beyond[:, : len(self.arm.joints)]
        still = np.zeros((len(q), self.arm.n))
        per_unit = per_multiplier(rows, (q, still, still), LoadCase())[0]

        def rule() -> tuple[Floats, Floats]:
            flat = per_unit.reshape(len(q), -1, len(rows.unit))
            return squares(rows, per_unit), np.einsum("sim,sic->csm", flat, of_tree.reshape(len(q), -1, self.size))

        lam = solved(rows, opened, missing, rule)[0]  # (size, poses, rows)
        six = of_tree + np.einsum("sjim,csm->sjic", per_unit, lam)
        back = np.swapaxes(rows.axes, -1, -2)
        loops = [np.einsum("slij,cslj->slic", back, part) for part in rows.wrenches(lam * rows.unit)]
        return np.concatenate([six, np.concatenate(loops, axis=2)], axis=1)


def _with_rotors(M: Floats, rotors: Floats) -> Floats:
    """Matrices (poses, coordinates, coordinates) with those of the rotors after them."""
    count, own = M.shape[-1], len(rotors)
    result = np.zeros((len(M), count + own, count + own))
    result[:, :count, :count] = M
    result[:, range(count, count + own), range(count, count + own)] = rotors
    return result


def closed_reduction(model: VibrationModel, basis: Floats, pose: Floats) -> ClosedReduction:
    """A model in the combinations of a basis (model's size, size), with guides at the extension of a pose (1, nq)."""
    frozen = model.at(pose)
    return ClosedReduction(model, basis, kinetics_at(frozen, np.eye(model.total)), frozen)
