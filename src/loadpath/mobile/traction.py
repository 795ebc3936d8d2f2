"""How contacts share the forces in the plane: what drives, what holds sideways, what resists rolling.

The ground gives F_x, F_y and N_z. Every contact can carry along certain directions: a foot along two, a fixed or
steered wheel across its rolling direction and, if driven, along it, an omni wheel along its roller's axis if driven.
Freely rolling wheels give their rolling resistance against their motion and the force that spins them up; at rest they
hold what no other contact can, as far as their rolling resistance goes. What is left is shared among the directions
that carry, in proportion to stiffness (equal unless stated): of all shares in balance, those with the least sum
c_k x_k^2. That is an assumption, since these forces are statically indeterminate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.arrangement import Arrangement, Placed
from loadpath.mobile.kinematics import dot2, rows_along
from loadpath.mobile.motions import velocity_at

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_SINGULAR = 1e-10


class Directions(NamedTuple):
    """Directions in the plane along which contacts carry, or roll against resistance."""

    contact: NDArray[np.intp]
    """(k,): number of the contact."""
    vector: Floats
    """(..., k, 2): unit vectors."""
    rows: Floats
    """(..., k, 3): F_x, F_y, N_z of a unit force."""
    own: Bools
    """(k,): whether it is the wheel's own direction of rolling, not that of its rollers."""


def carrying(wheels: Arrangement, placed: Placed) -> Directions:
    """Directions that carry whatever is asked of them."""
    if not wheels.steered.any():
        placed = wheels.at_rest  # casters carry nothing in the plane, so that nothing here moves
    pushes = wheels.driven | wheels.supports
    parts = [(np.flatnonzero(pushes), wheels.grip(placed)), (np.flatnonzero(wheels.holds_across), placed.left)]
    return _directions(parts, placed)


def rolling(wheels: Arrangement, placed: Placed) -> Directions:
    """Directions in which contacts roll: free wheels along theirs, wheels with rollers across the roller's axis."""
    free = ~wheels.driven & ~wheels.supports
    grip = wheels.grip(placed)
    across = np.stack([-grip[..., 1], grip[..., 0]], axis=-1)
    return _directions([(np.flatnonzero(free), grip), (np.flatnonzero(wheels.omni), across)], placed)


def _directions(parts: list[tuple[NDArray[np.intp], Floats]], placed: Placed) -> Directions:
    contact = np.concatenate([numbers for numbers, _ in parts])
    vector = np.concatenate([vectors[..., numbers, :] for numbers, vectors in parts], axis=-2)
    own = np.arange(len(contact)) < len(parts[0][0])
    return Directions(contact, vector, rows_along(vector, placed.points[..., contact, :]), own)


class Traction(NamedTuple):
    """Forces in the plane."""

    longitudinal: Floats
    lateral: Floats
    unsupplied: Floats
    """(..., 3): F_x, F_y, N_z that no contact can give."""


def share_traction(
    wheels: Arrangement,
    placed: Placed,
    normal: Floats,
    load: Floats,
    *,
    friction: Floats,
    velocity: Floats,
    acceleration: Floats,
    by_load: bool,
) -> Traction:
    """Longitudinal and lateral forces (..., contacts) for loads (..., 3), F_x, F_y, N_z; `friction` is that of rolling.

    `by_load` makes the stiffness of every contact proportional to its normal force.
    """
    carry = carrying(wheels, placed)
    pressed = np.maximum(normal, 0.0)
    weight = pressed if by_load else np.where(normal == 0.0, 0.0, 1.0 / wheels.grip_compliance)
    left, parts = load, []
    if friction.any() or wheels.spin_inertia.any():
        roll = rolling(wheels, placed)
        slant = np.where(roll.own, wheels.roller_angle[roll.contact], 0.0)
        # R f cos(slant) = mu N R: along a roller's axis it takes more to turn the wheel.
        most = (friction * pressed)[..., roll.contact] / np.cos(slant)
        sense = _sense(wheels, placed, roll, velocity, acceleration)
        # Nothing spins up a wheel in the air.
        spinning_up = np.where(normal == 0.0, 0.0, _spin_force(wheels, placed, acceleration))
        resisting = _with_rollers(roll, slant, -most * sense - spinning_up[..., roll.contact] * roll.own)
        left = load - _sum(resisting, roll.rows)
        at_rest = (sense == 0) & (most > 0)
        if at_rest.any():
            held = _held(carry, roll, weight, left, wheels.size, at_rest, most)
            resisting = resisting + held
            left = left - _sum(held, roll.rows)
        parts.append((roll, resisting))
    given = _share(carry.rows, weight[..., carry.contact], left, wheels.size)
    parts.append((carry, given))
    unsupplied = left - _sum(given, carry.rows)
    shape = np.broadcast_shapes(normal.shape, *((*forces.shape[:-1], 1) for _, forces in parts))
    along, across = (sum_at_contacts(parts, axes, shape) for axes in (placed.forward, placed.left))
    return Traction(along, across, unsupplied)


def _with_rollers(roll: Directions, slant: Floats, forces: Floats) -> Floats:
    """The force on a slanting roller across its axis also turns the wheel: one without a drive bears against it."""
    for i in np.flatnonzero(roll.own & (slant != 0)):
        (j,) = np.flatnonzero(~roll.own & (roll.contact == roll.contact[i]))
        forces[..., i] += np.tan(slant[i]) * forces[..., j]
    return forces


def _held(
    carry: Directions, roll: Directions, weight: Floats, load: Floats, size: float, at_rest: Bools, most: Floats
) -> Floats:
    """Forces (..., k) with which wheels at rest hold against rolling what no other contact can: they share it with the
    others, none beyond its rolling resistance; where one has reached that, the rest goes to those that have not.
    """
    alone = _share(carry.rows, weight[..., carry.contact], load, size)
    lacking = np.abs((load - _sum(alone, carry.rows)) / (1.0, 1.0, size)).max(axis=-1)
    free = at_rest & (lacking > 1e-12 * np.abs(load / (1.0, 1.0, size)).max(axis=-1))[..., None]
    reached = np.zeros(free.shape)
    rows = np.concatenate(_same(carry.rows, roll.rows), axis=-2)
    held = reached
    for _ in range(len(roll.contact) + 1):
        if not free.any():
            return reached
        carrying_on = np.broadcast_to(weight[..., carry.contact], (*free.shape[:-1], len(carry.contact)))
        weights = np.concatenate([carrying_on, weight[..., roll.contact] * free], axis=-1)
        forces = _share(rows, weights, load - _sum(reached, roll.rows), size)[..., len(carry.contact) :]
        held = reached + np.where(free, forces, 0.0)
        over = free & (np.abs(forces) > most * (1 + 1e-12))
        if not over.any():
            break
        reached = np.where(over, np.copysign(most, forces), reached)
        free = free & ~over
    return held


def _sense(wheels: Arrangement, placed: Placed, roll: Directions, velocity: Floats, acceleration: Floats) -> Floats:
    """-1, 0, 1 (..., k): which way contacts roll along the directions; from rest, the way that they start."""
    senses = []
    for motion in (velocity, acceleration):
        at = velocity_at(motion, wheels.pivots)
        grip = wheels.grip(placed)
        turning = dot2(at, grip) / dot2(grip, placed.forward)
        # Rollers turn with what the rim does not do; a wheel's own direction has no rim in it.
        rim = np.where(wheels.omni, turning, 0.0)[..., None] * placed.forward
        seen = np.where(roll.own[:, None], at[..., roll.contact, :], (at - rim)[..., roll.contact, :])
        speed = dot2(seen, roll.vector)
        size = np.abs(at).max(axis=(-2, -1), initial=0.0)[..., None]
        senses.append(np.where(np.abs(speed) > 1e-12 * size, np.sign(speed), 0.0))
    return np.where(senses[0] != 0, senses[0], senses[1])


def spin_rates(wheels: Arrangement, placed: Placed, motion: Floats) -> Floats:
    """Rates (..., contacts) of the wheels for base speeds, or their rates of change for accelerations."""
    grip = wheels.grip(placed)
    rate = dot2(velocity_at(motion, wheels.pivots), grip) / (wheels.radius * dot2(grip, placed.forward))
    return np.where(wheels.supports, 0.0, rate)


def _spin_force(wheels: Arrangement, placed: Placed, acceleration: Floats) -> Floats:
    """Force backwards that it takes at the contact to spin up a wheel without a drive."""
    if not wheels.spin_inertia.any():
        return np.zeros(len(wheels.radius))
    rates = spin_rates(wheels, placed, acceleration)
    force: Floats = wheels.spin_inertia * rates / (wheels.radius * np.cos(wheels.roller_angle))
    return force


def _same(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Rows with the same batch axes."""
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return np.broadcast_to(a, (*shape, *a.shape[-2:])), np.broadcast_to(b, (*shape, *b.shape[-2:]))


def _sum(forces: Floats, rows: Floats) -> Floats:
    """F_x, F_y, N_z (..., 3) of forces (..., k) along directions."""
    if rows.ndim == 2:
        result: Floats = forces @ rows
        return result
    result = np.einsum("...k,...kc->...c", forces, rows)
    return result


def sum_at_contacts(parts: list[tuple[Directions, Floats]], axes: Floats, shape: tuple[int, ...]) -> Floats:
    """Forces along directions as their parts (..., contacts) along one axis of each contact."""
    result = np.zeros(shape)
    for directions, forces in parts:
        share = dot2(directions.vector, axes[..., directions.contact, :])
        for k, contact in enumerate(directions.contact):
            if share.ndim > 1 or abs(share[k]) > 1e-15:
                result[..., contact] += forces[..., k] * share[..., k]
    return result


def _share(rows: Floats, weights: Floats, load: Floats, size: float) -> Floats:
    """Forces (..., k) along directions, in proportion to their weights, that come nearest to a load (..., 3): with the
    least sum x^2/weight of all that do. Moments count against forces by the size of the base.
    """
    scaled = rows / (1.0, 1.0, size)
    right = load / (1.0, 1.0, size)
    if rows.shape[-2] == 0:
        return np.zeros((*np.broadcast_shapes(rows.shape[:-2], load.shape[:-1]), 0))
    if rows.ndim > 2:
        return _share_each(scaled, weights, right)
    flat = weights.reshape(-1, weights.shape[-1])
    if (flat == flat[:1]).all():
        return _apply(_solver(scaled, flat[0]), right) if len(flat) else np.zeros(weights.shape)
    # Few patterns of weights (which contacts carry), many rows.
    if ((flat == 0) | (flat == flat.max(axis=0))).all():
        return _share_by_pattern(scaled, weights, right)
    return _share_each(np.broadcast_to(scaled, (*weights.shape[:-1], *scaled.shape)), weights, right)


def _solver(rows: Floats, weights: Floats) -> Floats:
    """(k, 3): forces per unit of load."""
    system = np.einsum("ki,k,kj->ij", rows, weights, rows)
    result: Floats = weights[:, None] * (rows @ np.linalg.pinv(system, rcond=_SINGULAR, hermitian=True))
    return result


def _apply(solver: Floats, load: Floats) -> Floats:
    result: Floats = load @ solver.T
    return result


def _share_by_pattern(rows: Floats, weights: Floats, load: Floats) -> Floats:
    shape = np.broadcast_shapes(weights.shape[:-1], load.shape[:-1])
    flat = np.broadcast_to(weights, (*shape, weights.shape[-1])).reshape(-1, weights.shape[-1])
    loads = np.broadcast_to(load, (*shape, 3)).reshape(-1, 3)
    result = np.empty(flat.shape)
    bits = np.zeros(len(flat), dtype=np.int64)
    for k in range(flat.shape[1]):
        bits = bits * 2 + (flat[:, k] > 0)
    for pattern in np.unique(bits):
        those = bits == pattern
        result[those] = _apply(_solver(rows, flat[those.argmax()]), loads[those])
    return result.reshape(*shape, -1)


def _share_each(rows: Floats, weights: Floats, load: Floats) -> Floats:
    """Every row with its own directions and weights."""
    weighted = rows * weights[..., None]
    system = np.swapaxes(weighted, -1, -2) @ rows
    shape = np.broadcast_shapes(system.shape[:-2], load.shape[:-1])
    system = np.broadcast_to(system, (*shape, 3, 3))
    good = np.isfinite(system).all(axis=(-2, -1), keepdims=True)  # a bad row stays the only bad one
    inverse = np.linalg.pinv(np.where(good, system, np.eye(3)), rcond=_SINGULAR, hermitian=True)
    inverse = np.where(good, inverse, np.nan)
    result: Floats = (weighted @ (inverse @ np.broadcast_to(load, (*shape, 3))[..., None]))[..., 0]
    return result
