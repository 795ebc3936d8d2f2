"""The loads of a rigid motion as generalized forces on the elastic coordinates of the vibrating arm.

What loads a piece is the wrench P, Q at its end and the acceleration A + B x of its own mass: all of them are in its 18
numbers of `beams.dead_loads`. A unit of a coordinate c moves the sections of the piece by shape_c(x), so that the
generalized force is

    f_c = shape_c(end) . (P, Q) - Int shape_c(x) mu(x) (A + B x) dx,

linear in them with constants of the piece. The stiffness matrix is the identity: at rest eta = f. A link that slides is
in equilibrium with the forces of its pads, and its coordinates have no force; the drive that gives way has the pads'.
So are joints that loops move, with what the loops exert; the joint of a loop that gives way has that of its loop.
"""

from __future__ import annotations

import numpy as np

from loadpath.cached import kept
from loadpath.robot.beams.beam import CONTACTS
from loadpath.scalars.types import Floats
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.vibration.basis import shapes
from loadpath.structure.vibration.model import VibrationModel
from loadpath.structure.vibration.piece_loads import piece_loads, rows_of
from loadpath.structure.vibration.placed import PlacedModel

# Q = sum r x f, of G = sum r f^T by rows.
_MOMENT = np.zeros((3, 9))
for _axis in range(3):
    _MOMENT[_axis, 3 * ((_axis + 1) % 3) + (_axis + 2) % 3] = 1.0
    _MOMENT[_axis, 3 * ((_axis + 2) % 3) + (_axis + 1) % 3] = -1.0


def generalized_forces(placed: PlacedModel, rows: Floats, exerted: Floats | None = None) -> Floats:
    """(states, size): the forces of loads on the elastic coordinates, from the rows (states, rows, 18) of `dead_loads`;
    the states of the model are as many, or one. `exerted` (states, loops, 6) is what loops exert.
    """
    model, of = placed.model, placed.extension
    loads = piece_loads(model, rows, of)
    f = np.zeros((len(rows), model.total))
    for k, per_load in _staying(model).items():
        f[:, model.pieces[k].columns] = loads[:, k] @ per_load
    for group, numbers in zip(model.stretching, of.numbers, strict=True):
        own = loads[:, group.numbers]
        at_end = np.concatenate([own[..., :3], own[..., 3:12] @ _MOMENT.T], axis=-1)
        force = at_end[..., None, :] @ numbers.end
        force = force - own[..., None, 12:15] @ numbers.linear - own[..., None, 15:] @ numbers.first
        f[:, group.columns] = force[..., 0, :]
    for slide, pads in zip(model.slides, rows_of(model).pads, strict=True):
        if slide.drive is not None:
            pad = 0 if slide.of.guide.guide.clamps else CONTACTS.index(slide.of.guide.guide.along)
            f[:, slide.drive] = -np.sqrt(slide.of.along) * rows[:, pads[pad], 0]
    if placed.closed is not None and exerted is not None:
        closing = placed.closed.closing
        for number, piece in enumerate(closing.own):
            if piece is not None:  # it is displaced as by a load on its second link, the other way
                force, torque = exerted[:, number, :3], exerted[:, number, 3:]
                about = torque + np.cross(placed.p[:, closing.markers[number][1]], force)
                wrench = np.concatenate([force, about], axis=-1)
                f[:, piece.columns] = -np.einsum("sic,si->sc", placed.twists[..., piece.columns], wrench)
    return placed.reduced(f[:, None])[:, 0]


@kept()
def _staying(model: VibrationModel) -> dict[int, Floats]:
    """For each piece that stays (18, coordinates): forces on its coordinates per unit of its loads."""
    result = {}
    for k, piece in enumerate(model.pieces[: model.line_pieces[1]]):  # drives and slides have none
        if piece.moves:
            continue
        block = result[k] = np.zeros((LOADS, piece.size))
        end = piece.twists  # a joint's start is the origin of its axes
        if piece.stretch is not None:
            end = shapes(piece.stretch, np.array([piece.stretch.length]), piece.order, model.effects).values[0]
            x, weights = piece.stretch.nodes()
            mass = piece.share * weights * piece.stretch.properties(x).mass
            moved = shapes(piece.stretch, x, piece.order, model.effects).values[:, :3]
            block[12:15] = -np.einsum("x,xic->ic", mass, moved)
            block[15:] = -np.einsum("x,xic->ic", mass * x, moved)
        block[:3], block[3:12] = end[:3], _MOMENT.T @ end[3:]
    return result
