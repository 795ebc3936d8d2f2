"""Friction forces of the contacts by cause: linear where each contact is within its friction and none lifts.

What resists rolling goes with the normal force of each cause, in the sense that the motion has; what spins wheels up
goes with the base's acceleration; what is left of F_x, F_y, N_z of each cause is shared by the contacts' compliances
(`loadpath.mobile.contacts.sharing`). Contacts at their limit of friction share what all causes do together: the sums
then are not the loads, which is how such states are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from loadpath.mobile.contacts.plane import Known, carrying, contact_model, known_forces, sum_of
from loadpath.mobile.contacts.sharing import SOFT, elastic
from loadpath.mobile.loads import WheelLoads
from loadpath.mobile.wrench_by_cause import SPIN
from loadpath.quantities.load_index import Cause
from loadpath.scalars import Scalar, array
from loadpath.scalars.types import Bools, Floats

PLANE = [0, 1, 5]
"""Of force and torque, what friction carries: F_x, F_y, N_z."""
_ROUNDING = 1e-12
"""Of what the contacts carry, what is no difference of a force."""


class FrictionByCause(NamedTuple):
    """(..., causes, contacts) each, in the axes of `WheelLoads`."""

    longitudinal: Floats
    lateral: Floats
    drive_torque: Floats


def friction_by_cause(
    loads: WheelLoads, causes: tuple[Cause, ...], wrench: Floats, normal: Floats
) -> tuple[FrictionByCause, Floats]:
    """Forces of each cause, from its wrench (..., causes, 6) and normal forces (..., causes, contacts), and how far
    their sums are from the loads (..., contacts), N.

    Wheels at rest resist rolling only where grip cannot hold: of both shares, the one that the loads have.
    """
    share = _shared(loads, causes, wrench, normal, resting=False)
    off = _off(share, loads)
    if not (off > _ROUNDING * np.abs(loads.normal).sum(axis=-1, keepdims=True)).any():
        return share, off
    others = _shared(loads, causes, wrench, normal, resting=True)
    worse = _off(others, loads)
    better: Bools = np.asarray(worse.max(axis=-1) < off.max(axis=-1))
    if not better.any():
        return share, off
    chosen = [np.where(better[..., None, None], b, a) for a, b in zip(share, others, strict=True)]
    return FrictionByCause(*chosen), np.where(better[..., None], worse, off)


def _off(share: FrictionByCause, loads: WheelLoads) -> Floats:
    """(..., contacts): N."""
    along, across = share.longitudinal.sum(axis=-2), share.lateral.sum(axis=-2)
    return np.asarray(np.hypot(along - loads.longitudinal, across - loads.lateral))


def _shared(
    loads: WheelLoads, causes: tuple[Cause, ...], wrench: Floats, normal: Floats, *, resting: bool
) -> FrictionByCause:
    state = loads.state
    model, wheels, placed = contact_model(state.rover), state.rover.arrangement, state.placed
    velocity, acceleration = (array([part[..., None, k] for k in range(3)])
                              for part in (state.velocity, state.acceleration))
    forward = placed.forward[..., None, :, :] if placed.forward.ndim > 2 else placed.forward
    angle = [(forward[..., k, 0], forward[..., k, 1]) for k in range(len(model.wheels))]

    def known(pressed: float) -> Known:
        return known_forces(model, angle, [np.array(pressed)] * len(model.wheels), velocity, acceleration)

    # What spins wheels up, and what resists per unit of each contact's normal force.
    spin, unit = known(0.0), known(1.0)
    of_spin = np.array([cause == SPIN for cause in causes], dtype=float)[:, None]

    def each(of_unit: Sequence[Scalar], of_none: Sequence[Scalar]) -> Floats:
        per, none = (_stacked(part) for part in (of_unit, of_none))
        return np.asarray((per - none) * normal + none * of_spin)

    along, across, turning = (each(getattr(unit, part), getattr(spin, part)) for part in ("along", "across", "torque"))
    columns = [list(np.moveaxis(part, -1, 0)) for part in (along, across)]
    taken = np.stack(np.broadcast_arrays(*sum_of(model, angle, *columns)), axis=-1)
    left = wrench[..., PLANE] - taken
    rows = carrying(model)
    parts, spins = [rows.grip], [rows.grip.spin]
    weights = [1.0 / wheels.grip_compliance[rows.grip.contact]]
    if resting and len(rows.resting.contact):
        parts.append(rows.resting)
        spins.append(np.array(rows.spin))
        still = [1.0 - np.asarray(unit.moving[k][g]) for k, g in rows.group]
        weights.append(_stacked(still) / (SOFT * wheels.grip_compliance[rows.resting.contact]))
    matrix = np.concatenate(_alike([wheels.in_base(part, placed) for part in parts], 2), axis=-2)
    matrix = matrix[..., None, :, :] if matrix.ndim > 2 else matrix
    weight = np.concatenate(_alike(weights, 1), axis=-1)
    forces = left @ elastic(matrix, weight, np.eye(3), wheels.size)  # per unit of F_x, F_y, N_z
    first = 0
    for part, spun in zip(parts, spins, strict=True):
        for j, k in enumerate(part.contact):
            f = forces[..., first + j]
            along[..., k] += part.local[j, 0] * f
            across[..., k] += part.local[j, 1] * f
            turning[..., k] -= spun[j] * f
        first += len(part.contact)
    return FrictionByCause(along, across, np.where(wheels.driven, turning, 0.0))


def _stacked(parts: Sequence[Scalar]) -> Floats:
    """Columns (..., 1) of the contacts as an array (..., 1, contacts)."""
    each = np.broadcast_arrays(*(np.asarray(part, dtype=float) for part in parts))
    return np.stack(each, axis=-1)


def _alike(parts: Sequence[Floats], core: int) -> list[Floats]:
    """Arrays with the same batch axes in front of the last `core`."""
    shape = np.broadcast_shapes(*(part.shape[: part.ndim - core] for part in parts))
    return [np.broadcast_to(part, (*shape, *part.shape[part.ndim - core :])) for part in parts]
