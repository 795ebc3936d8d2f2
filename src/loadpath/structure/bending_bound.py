"""How much the bending of a section can grow under compression, in microseconds: so that of a million states only those
that may be the worst are solved.

What the geometric stiffness does to b, the moment in a section per unit of the coordinates, is what the loads do when
that section gives way by an angle of 1 (`vibration.geometric_stiffness`): K b is

    -theta_i . (d b) of coordinates i before the section's piece,    -d_i . (theta b) of those beyond it,

and K of its piece times b. Each part is linear in the loads, with constants of the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import kept
from loadpath.scalars.types import Floats, Ints
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.response.generalized_loads import generalized_forces
from loadpath.structure.second_order import fibres_of, standing_map
from loadpath.structure.vibration.geometric_stiffness import loaded_coordinates

if TYPE_CHECKING:
    from loadpath.structure.vibration.model import VibrationModel


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
