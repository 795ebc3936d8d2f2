"""Forces of the contacts by cause: linear where each contact is within its friction and none lifts.

Normal forces go with F_z, N_x, N_y of each cause. What resists rolling goes with the normal force of each cause, in the
sense that the motion has; what spins wheels up goes with the base's acceleration; what is left of F_x, F_y, N_z of each
cause is shared by the contacts' compliances (`loadpath.mobile.contacts.sharing`). Where wheels are on links, the
passive joints have one balance more each (`loadpath.mobile.contacts.linked`), and friction gives those a part that
normal forces hold: both are settled in turns, as the loads are. Contacts at their limit of friction share what all
causes do together: the sums then are not the loads, which is how such states are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from loadpath.mobile.arrangement import Rows
from loadpath.mobile.contacts.linked import TURNS, motions_at, rows_on_links
from loadpath.mobile.contacts.plane import AtContact, Known, carrying, contact_model, known_forces, sum_of
from loadpath.mobile.contacts.sharing import SOFT, elastic
from loadpath.mobile.contacts.uneven import contact_axes
from loadpath.mobile.loads import WheelLoads
from loadpath.mobile.normals import on_rows, on_springs
from loadpath.mobile.on_patches import each_patch
from loadpath.mobile.state import State
from loadpath.mobile.wrench_by_cause import SPIN
from loadpath.quantities.load_index import Cause
from loadpath.scalars import Scalar, array
from loadpath.scalars.types import Bools, Floats

PLANE, VERTICAL = [0, 1, 5], [2, 3, 4]
"""Of force and torque, what friction carries: F_x, F_y, N_z; and what normal forces do: F_z, N_x, N_y."""
_ROUNDING = 1e-12
"""Of what the contacts carry, what is no difference of a force."""
_SETTLED = 1e-15
"""Of the largest load, a change of forces that is rounding."""


class ForcesByCause(NamedTuple):
    """(..., causes, contacts) each, in the axes of `WheelLoads`."""

    normal: Floats
    longitudinal: Floats
    lateral: Floats
    drive_torque: Floats


def forces_by_cause(loads: WheelLoads, causes: tuple[Cause, ...], wrench: Floats) -> tuple[ForcesByCause, Floats]:
    """Forces of each cause, from its wrench (..., causes, 6), or (..., causes, 6 + m) with what it takes of passive
    joints, and how far the sums along the ground are from the loads (..., contacts), N.

    Wheels at rest resist rolling only where grip cannot hold: of both shares, the one that the loads have.
    """
    share = linear_share(loads.state, causes, wrench)
    off = _off(share, loads)
    if not (off > _ROUNDING * np.abs(loads.normal).sum(axis=-1, keepdims=True)).any():
        return share, off
    others = linear_share(loads.state, causes, wrench, resting=True)
    worse = _off(others, loads)
    better: Bools = np.asarray(worse.max(axis=-1) < off.max(axis=-1))
    if not better.any():
        return share, off
    chosen = [np.where(better[..., None, None], b, a) for a, b in zip(share, others, strict=True)]
    return ForcesByCause(*chosen), np.where(better[..., None], worse, off)


def _off(share: ForcesByCause, loads: WheelLoads) -> Floats:
    """(..., contacts): N."""
    along, across = share.longitudinal.sum(axis=-2), share.lateral.sum(axis=-2)
    return np.asarray(np.hypot(along - loads.longitudinal, across - loads.lateral))


class _OnBase:
    """Contacts on the base: normal forces do not depend on those along the ground."""

    passes = 1

    def __init__(self, state: State, wrench: Floats) -> None:
        self.model, self.wheels, self.placed = contact_model(state.rover), state.rover.arrangement, state.placed
        self.plane = wrench[..., PLANE]
        points, stiffness = self.placed.points, 1.0 / self.wheels.compliance
        unit = on_springs(points[..., None, :, :], stiffness, np.eye(3)).normal
        count = *state.batch, wrench.shape[-2], len(self.model.wheels)
        self._normal = np.broadcast_to(wrench[..., VERTICAL] @ unit, count)
        forward = self.placed.forward
        self._forward = forward[..., None, :, :] if forward.ndim > 2 else forward
        self.angle = [(self._forward[..., k, 0], self._forward[..., k, 1]) for k in range(len(self.model.wheels))]
        self._motion = [array([part[..., None, k] for k in range(3)]) for part in (state.velocity, state.acceleration)]

    def known(self, pressed: float) -> Known:
        """What resists rolling and spins wheels up, (..., 1) each, for the same normal force on all of them."""
        velocity, acceleration = self._motion
        return known_forces(self.model, self.angle, [np.array(pressed)] * len(self.model.wheels), velocity,
                            acceleration)

    def normal(self, along: Floats, across: Floats) -> Floats:
        """(..., causes, contacts)."""
        return self._normal

    def given(self, normal: Floats, along: Floats, across: Floats) -> Floats:
        """(..., causes, r): what forces give of the balances along the ground."""
        columns = [list(np.moveaxis(part, -1, 0)) for part in (along, across)]
        return np.stack(np.broadcast_arrays(*sum_of(self.model, self.angle, *columns)), axis=-1)

    def rows(self, part: Rows) -> Floats:
        """(..., k, r): of forces that are open."""
        return self.wheels.in_base(part, self.placed)


class _OnLinks:
    """Contacts of which some are on links, of states in a row."""

    passes = TURNS

    def __init__(self, state: State, wrench: Floats) -> None:
        self.model, self.wheels, self.placed = contact_model(state.rover), state.rover.arrangement, state.placed
        linked = state.linked
        assert linked is not None
        self.hung, k = linked.hung, linked.lifting
        self.plane = np.concatenate([wrench[..., PLANE], wrench[..., 6 + k :]], axis=-1)
        self._vertical = np.concatenate([wrench[..., VERTICAL], wrench[..., 6 : 6 + k]], axis=-1)
        shape = linked.points.shape
        axes = self.hung.normals, *(np.broadcast_to(axis, shape) for axis in contact_axes(self.placed,
                                                                                        self.hung.normals))
        self._gives = [[part[:, None] for part in self.hung.wrench(axis)] for axis in axes]
        at = [np.broadcast_to(part, (len(wrench), part.shape[-1])) for part in (state.velocity, state.acceleration)]
        speeds, rates = (np.concatenate([part, joints], axis=-1)
                         for part, joints in zip(at, (linked.qd, linked.qdd), strict=True))
        self._motions = [[AtContact(*(np.asarray(part)[..., None] for part in one)) for one in each]
                         for each in motions_at(self.wheels, self.placed, speeds, rates, linked.bias)]
        self.angle = [(self.placed.forward[..., k, 0, None], self.placed.forward[..., k, 1, None])
                      for k in range(len(self.model.wheels))]

    def known(self, pressed: float) -> Known:
        """As of contacts on the base."""
        still = array([np.zeros(1)] * 3)
        return known_forces(self.model, self.angle, [np.array(pressed)] * len(self.model.wheels), still, still,
                            motions=(self._motions[0], self._motions[1]))

    def normal(self, along: Floats, across: Floats) -> Floats:
        """As of contacts on the base."""
        _, forward, left = self._gives
        load = self._vertical - _summed(along, forward[1]) - _summed(across, left[1])
        return on_rows(self.hung.normal_rows[:, None], 1.0 / self.wheels.compliance, load).normal

    def given(self, normal: Floats, along: Floats, across: Floats) -> Floats:
        """As of contacts on the base."""
        pushes, forward, left = self._gives
        return _summed(normal, pushes[0]) + _summed(along, forward[0]) + _summed(across, left[0])

    def rows(self, part: Rows) -> Floats:
        """As of contacts on the base."""
        return rows_on_links(part, self.placed, self.hung)


def _summed(forces: Floats, gives: Floats) -> Floats:
    """(s, causes, r): of forces (s, causes, contacts), each of which gives (s, 1, contacts, r)."""
    result: Floats = (forces[..., None, :] @ gives)[..., 0, :]
    return result


def linear_share(
    state: State, causes: tuple[Cause, ...], wrench: Floats, *, resting: bool = False
) -> ForcesByCause:
    """Forces of each cause without limits, wheels at rest resisting to roll or not."""
    if state.pose is not None:
        return _on_patches(state, causes, wrench, resting)
    if state.linked is None:
        return _shared(_OnBase(state, wrench), causes, wrench, resting)
    flat = np.broadcast_to(wrench, (*state.batch, *wrench.shape[-2:])).reshape(state.count, *wrench.shape[-2:])
    found = _shared(_OnLinks(state.rows(slice(None)), flat), causes, flat, resting)
    return ForcesByCause(*(part.reshape(*state.batch, *part.shape[1:]) for part in found))


def _on_patches(state: State, causes: tuple[Cause, ...], wrench: Floats, resting: bool) -> ForcesByCause:
    """The same, states in groups of those whose contacts stand on the same patches of friction."""
    flat = np.broadcast_to(wrench, (*state.batch, *wrench.shape[-2:])).reshape(state.count, *wrench.shape[-2:])
    parts = [np.empty((state.count, len(causes), len(state.rover.contact_names))) for _ in ForcesByCause._fields]
    for at, those in each_patch(state):
        for whole, part in zip(parts, linear_share(those, causes, flat[at], resting=resting), strict=True):
            whole[at] = part
    return ForcesByCause(*(part.reshape(*state.batch, *part.shape[1:]) for part in parts))


def _shared(contacts: _OnBase | _OnLinks, causes: tuple[Cause, ...], wrench: Floats, resting: bool) -> ForcesByCause:
    wheels = contacts.wheels
    # What spins wheels up, and what resists per unit of each contact's normal force.
    spin, unit = contacts.known(0.0), contacts.known(1.0)
    of_spin = np.array([cause == SPIN for cause in causes], dtype=float)[:, None]
    rows = carrying(contacts.model)
    parts, spins = [rows.grip], [rows.grip.spin]
    weights = [1.0 / wheels.grip_compliance[rows.grip.contact]]
    if resting and len(rows.resting.contact):
        parts.append(rows.resting)
        spins.append(np.array(rows.spin))
        still = [1.0 - np.asarray(unit.moving[k][g]) for k, g in rows.group]
        weights.append(_stacked(still) / (SOFT * wheels.grip_compliance[rows.resting.contact]))
    matrix = np.concatenate(_alike([contacts.rows(part) for part in parts], 2), axis=-2)
    matrix = matrix[..., None, :, :] if matrix.ndim > 2 else matrix
    weight = np.concatenate(_alike(weights, 1), axis=-1)
    per_load = elastic(matrix, weight, np.eye(contacts.plane.shape[-1]), wheels.size)

    def each(normal: Floats, of_unit: Sequence[Scalar], of_none: Sequence[Scalar]) -> Floats:
        per, none = (_stacked(part) for part in (of_unit, of_none))
        return np.asarray((per - none) * normal + none * of_spin)

    along = across = np.zeros((*contacts.plane.shape[:-1], len(contacts.model.wheels)))
    for _ in range(contacts.passes):
        before = along, across
        normal = contacts.normal(along, across)
        along, across, turning = (each(normal, getattr(unit, part), getattr(spin, part))
                                  for part in ("along", "across", "torque"))
        forces = (contacts.plane - contacts.given(normal, along, across)) @ per_load
        first = 0
        for part, spun in zip(parts, spins, strict=True):
            for j, k in enumerate(part.contact):
                f = forces[..., first + j]
                along[..., k] += part.local[j, 0] * f
                across[..., k] += part.local[j, 1] * f
                turning[..., k] -= spun[j] * f
            first += len(part.contact)
        change = max(float(np.nanmax(np.abs(new - old), initial=0.0)) for new, old in zip((along, across), before,
                                                                                         strict=True))
        if not change > _SETTLED * float(np.nanmax(np.abs(wrench), initial=0.0)):
            break
    return ForcesByCause(normal, along, across, np.where(wheels.driven, turning, 0.0))


def _stacked(parts: Sequence[Scalar]) -> Floats:
    """Columns (..., 1) of the contacts as an array (..., 1, contacts)."""
    each = np.broadcast_arrays(*(np.asarray(part, dtype=float) for part in parts))
    return np.stack(each, axis=-1)


def _alike(parts: Sequence[Floats], core: int) -> list[Floats]:
    """Arrays with the same batch axes in front of the last `core`."""
    shape = np.broadcast_shapes(*(part.shape[: part.ndim - core] for part in parts))
    return [np.broadcast_to(part, (*shape, *part.shape[part.ndim - core :])) for part in parts]
