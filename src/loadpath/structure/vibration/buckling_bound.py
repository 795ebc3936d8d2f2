"""What the largest eigenvalue of -K_G cannot exceed, in microseconds: so that of a million states only those that may
be the worst are solved.

The bound is the root of the sum of the squares of all entries of K_G (Frobenius's norm). Where an arm is near to
buckling it is often a few per cent above the eigenvalue: one shape takes nearly all. It needs none of the entries:
what couples the pieces p and q is (rotation by p) . (d of q), whose squares sum up to tr(C_p E_q), two 3 x 3 matrices;
C_p, the flexibility of the piece, is constant, and E_q is quadratic in the piece's loads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadpath.cached import kept
from loadpath.scalars.types import Floats
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.vibration.geometric_stiffness import loaded_coordinates
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
