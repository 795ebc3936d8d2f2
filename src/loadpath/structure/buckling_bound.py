"""What the largest eigenvalue of -K_G, and the bending that compression adds, cannot exceed, in microseconds: so
that of a million states only those that may be the worst are solved.

The bound of the eigenvalue is the root of the sum of the squares of all entries of K_G (Frobenius's norm). Where an arm
is near to buckling it is often a few per cent above the eigenvalue: one shape takes nearly all. It needs none of the
entries: what couples the pieces p and q is (rotation by p) . (d of q), whose squares sum up to tr(C_p E_q), two 3 x 3
matrices; C_p, the flexibility of the piece, is constant, and E_q is quadratic in the piece's loads.

What the geometric stiffness does to b, the moment in a section per unit of the coordinates, is what the loads do when
that section turns by an angle of 1 (`vibration.geometric_stiffness`): K b is

    -theta_i . (d b) of coordinates i before the section's piece,    -d_i . (theta b) of those beyond it,

and K of its piece times b. Each part is linear in the loads, with constants of the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import kept
from loadpath.scalars.types import Floats, Ints
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.response.generalized_loads import generalized_forces
from loadpath.structure.second_order import fibres_of, standing_map
from loadpath.structure.vibration.geometric_stiffness import loaded_coordinates
from loadpath.structure.vibration.model import VibrationModel

if TYPE_CHECKING:
    from loadpath.structure.vibration.model import VibrationModel


@dataclass(frozen=True, eq=False)
class BucklingBound:
    """The constants of a model's pieces."""

    pieces: tuple[int, ...]
    links: tuple[int, ...]
    flexibility: tuple[Floats, ...]
    """C of each piece, in the axes of its link."""
    own: tuple[Floats, ...]
    """(18, k): its loads times this have the norm of K_G among its own coordinates."""
    along: tuple[Floats, ...]
    """(18, 3 k): the same for d, in link axes."""
    carries: Floats
    """(pieces, pieces): one where the row lies between the base and the column."""

    def quick(self, loads: Floats) -> Floats:
        """(states,): a bound for the pieces' loads (states, pieces, 18) in any pose."""
        total = np.zeros(len(loads))
        stiff = np.array([np.linalg.norm(C, 2) for C in self.flexibility])
        for k, piece in enumerate(self.pieces):
            load, before = loads[:, piece], float(self.carries[:, k] @ stiff)
            total += _squares(load @ self.own[k]) + 2 * before * _squares(load @ self.along[k])
        result: Floats = np.sqrt(total)
        return result

    def close(self, R: Floats, loads: Floats) -> Floats:
        """(states,): Frobenius's norm of K_G, for the links' rotations (states, links, 3, 3) and the loads."""
        total = np.zeros(len(loads))
        before: dict[int, Floats] = {}  # flexibility of all up to a piece, in world axes
        world: list[Floats] = []
        for k, (piece, link) in enumerate(zip(self.pieces, self.links, strict=True)):
            turn = R[:, link]
            load = loads[:, piece]
            total += _squares(load @ self.own[k])
            world.append(turn @ self.flexibility[k] @ np.swapaxes(turn, -1, -2))
            rows = np.flatnonzero(self.carries[:, k])
            if not len(rows):
                continue
            last = int(rows[-1])
            if last not in before:
                before[last] = sum((world[j] for j in rows), np.zeros((3, 3)))
            C = np.swapaxes(turn, -1, -2) @ before[last] @ turn
            d = (load @ self.along[k]).reshape(len(load), 3, -1)
            total += 2 * np.einsum("sac,sac->s", d, C @ d)
        result: Floats = np.sqrt(total)
        return result


def _squares(values: Floats) -> Floats:
    result: Floats = np.einsum("sk,sk->s", values, values)
    return result


@kept()
def buckling_bound(model: VibrationModel) -> BucklingBound:
    """The constants of the bound of a model without guides."""
    all_ = loaded_coordinates(model)
    flexibility, own, along = [], [], []
    for k, (_, _, place) in enumerate(all_.parts):
        turns = all_.turns[:, place]
        flexibility.append(turns @ turns.T)
        own.append(2.0 * np.linalg.qr(all_.own[k].T)[1].T)
        along.append(_compressed(all_.along[k].reshape(LOADS, 3, -1)))
    pieces, links, _ = zip(*all_.parts, strict=True)
    return BucklingBound(pieces, links, tuple(flexibility), tuple(own), tuple(along), all_.part_carries)


def _compressed(along: Floats) -> Floats:
    """(18, 3 k) for (18, 3, coordinates): the same sums of squares over the coordinates from fewer columns."""
    rows = along.reshape(LOADS * 3, -1)
    left, sizes, _ = np.linalg.svd(rows, full_matrices=False)
    kept = max(1, int((sizes > 1e-12 * sizes[0]).sum()))
    result: Floats = (left[:, :kept] * sizes[:kept]).reshape(LOADS, -1)
    return result


class _PieceGrowth(NamedTuple):
    """The sections of a piece, two moments each."""

    piece: int
    sections: Ints
    along: Floats
    """(18, 3 moments of sections): d b per unit of the piece's loads, times the root of what is soft before it."""
    own: Floats
    """(18, k moments of sections): K b within the piece, of the same norm."""
    turns: Floats
    """(sections, 2): |theta b|^2."""
    beyond: tuple[tuple[int, Floats], ...]
    """Pieces beyond it, and (18, k): their loads times this have the norm of d."""


def most_growth(model: VibrationModel, loads: Floats, sections: int) -> Floats:
    """(states, sections): what |K b| |g| cannot exceed, as a share of the yield strength, from the rows (states,
    pieces, 18) of the dead loads of an arm without guides.
    """
    squares = np.zeros((len(loads), len(standing_map(model, sections)[0]), 2))
    for of in _constants(model, sections):
        load, shape = loads[:, of.piece], (len(loads), len(of.sections), 2)
        d = sum((((loads[:, k] @ each) ** 2).sum(axis=-1) for k, each in of.beyond), np.zeros(len(loads)))
        total = of.turns * d[:, None, None]
        for part in (of.along, of.own):
            total = total + ((load @ part).reshape(*shape, -1) ** 2).sum(axis=-1)
        squares[:, of.sections] = total
    size = np.linalg.norm(generalized_forces(model.at(np.zeros((1, model.arm.nq))), loads), axis=-1)
    result: Floats = fibres_of(model.arm, sections).use(np.sqrt(squares)) * size[:, None]
    return result


@kept(maximum=2)
def _constants(model: VibrationModel, sections: int) -> tuple[_PieceGrowth, ...]:
    maps, all_ = standing_map(model, sections)[0], loaded_coordinates(model)
    softness = [float(np.linalg.norm(all_.turns[:, place] @ all_.turns[:, place].T, 2)) for _, _, place in all_.parts]
    norms = [np.linalg.qr(along.T)[1].T for along in all_.along]
    found = []
    for k, (piece, _, place) in enumerate(all_.parts):
        rows = np.flatnonzero(np.abs(maps[..., place]).any(axis=(1, 2)))
        if not len(rows):
            continue
        b = maps[rows][..., place]  # (sections, 2, coordinates)
        before = np.sqrt(all_.part_carries[:, k] @ softness)
        along = before * np.einsum("lic,stc->lsti", all_.along[k].reshape(LOADS, 3, -1), b)
        K = np.einsum("lic,stc->stli", 2.0 * all_.own[k].reshape(LOADS, b.shape[-1], -1), b)
        own = np.moveaxis(np.swapaxes(np.linalg.qr(np.swapaxes(K, -1, -2))[1], -1, -2), 2, 0)
        turns = (np.einsum("ic,stc->sti", all_.turns[:, place], b) ** 2).sum(axis=-1)
        beyond = tuple((all_.parts[j][0], norms[j]) for j in np.flatnonzero(all_.part_carries[k]))
        found.append(_PieceGrowth(piece, rows, along.reshape(LOADS, -1), own.reshape(LOADS, -1), turns, beyond))
    return tuple(found)
