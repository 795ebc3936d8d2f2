"""The loads of a rigid motion as generalized forces on the elastic coordinates of the vibrating arm.

What loads a piece is the wrench P, Q at its end and the acceleration A + B x of its own mass: all of them are in its 18
numbers of `beams.dead_loads`. A unit of a coordinate c moves the sections of the piece by shape_c(x), so that the
generalized force is

    f_c = shape_c(end) . (P, Q) - Int shape_c(x) mu(x) (A + B x) dx,

linear in them with constants of the piece. The stiffness matrix is the identity: at rest eta = f.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.structure.beams.dead_loads import LOADS
from loadpath.structure.kept import kept
from loadpath.structure.vibration.basis import shapes
from loadpath.structure.vibration.mass import arm_parts

if TYPE_CHECKING:
    from loadpath.structure.vibration.model import VibrationModel

# Q = sum r x f, of G = sum r f^T by rows.
_MOMENT = np.zeros((3, 9))
for _axis in range(3):
    _MOMENT[_axis, 3 * ((_axis + 1) % 3) + (_axis + 2) % 3] = 1.0
    _MOMENT[_axis, 3 * ((_axis + 2) % 3) + (_axis + 1) % 3] = -1.0


@kept
def generalized_load_map(model: VibrationModel) -> Floats:
    """(size, 18 pieces): takes the loads of all pieces, one after the other, to the forces on the coordinates."""
    shares = arm_parts(model.arm).shares
    result = np.zeros((model.size, LOADS * len(model.pieces)))
    for k, piece in enumerate(model.pieces):
        block = result[piece.columns, LOADS * k : LOADS * (k + 1)]
        if piece.stretch is None:
            end = piece.twists  # a joint's start is the origin of its axes
        else:
            end = shapes(piece.stretch, np.array([piece.stretch.length]), piece.order, model.effects).values[0]
            x, weights = piece.stretch.nodes()
            mass = shares[k] * weights * piece.stretch.properties(x).mass
            moved = shapes(piece.stretch, x, piece.order, model.effects).values[:, :3]
            block[:, 12:15] = -np.einsum("x,xic->ci", mass, moved)
            block[:, 15:] = -np.einsum("x,xic->ci", mass * x, moved)
        block[:, :3] = end[:3].T
        block[:, 3:12] = end[3:].T @ _MOMENT
    return result
