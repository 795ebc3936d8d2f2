"""The loads of a rigid motion as generalized forces on the elastic coordinates of the vibrating arm.

What loads a piece is the wrench P, Q at its end and the acceleration A + B x of its own mass (`element_loads`). A unit
of a coordinate c moves the sections of the piece by shape_c(x), so that the generalized force is

    f_c = shape_c(end) . (P, Q) - Int shape_c(x) mu(x) (A + B x) dx,

linear in the twelve numbers with constants of the piece. The stiffness matrix is the identity: at rest eta = f.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.mechanics.wrenches import External
from loadpath.scalars import Array, zeros
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import ElasticMechanism
from loadpath.structure.beams.element_loads import element_loads
from loadpath.structure.vibration.basis import shapes
from loadpath.structure.vibration.mass import arm_parts

if TYPE_CHECKING:
    from loadpath.structure.vibration.model import VibrationModel

NUMBERS = 12
"""Of a piece's load: P, Q, A and B."""


def piece_loads(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """(pieces, 12): P, Q, A and B of every piece, in its axes."""
    loads, _ = element_loads(elastic, q, qd, qdd, external, base_velocity, base_acceleration)
    result = zeros(len(loads), NUMBERS)
    for k, load in enumerate(loads):
        for part, values in enumerate(load):
            result[k, 3 * part : 3 * part + 3] = values
    return result


def generalized_load_map(model: VibrationModel) -> Floats:
    """(size, 12 pieces): takes the loads of all pieces, one after the other, to the forces on the coordinates."""
    shares = arm_parts(model.arm).shares
    result = np.zeros((model.size, NUMBERS * len(model.pieces)))
    for k, piece in enumerate(model.pieces):
        block = result[piece.columns, NUMBERS * k : NUMBERS * (k + 1)]
        if piece.stretch is None:
            block[:, :6] = piece.twists.T  # a joint's start is the origin of its axes
            continue
        end = shapes(piece.stretch, np.array([piece.stretch.length]), piece.order, model.effects).values[0]
        x, weights = piece.stretch.nodes()
        mass = shares[k] * weights * piece.stretch.properties(x).mass
        moved = shapes(piece.stretch, x, piece.order, model.effects).values[:, :3]
        block[:, :6] = end.T
        block[:, 6:9] = -np.einsum("x,xic->ci", mass, moved)
        block[:, 9:] = -np.einsum("x,xic->ci", mass * x, moved)
    return result
