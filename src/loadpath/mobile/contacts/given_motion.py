"""The contact solver asked with the motion given: what every contact carries for arm and base to move as they do.

The ground's wrench is known. The normal forces carry its part F_z, N_x, N_y (`loadpath.mobile.normals`), friction its
part F_x, F_y, N_z: rolling resistance and what spins up wheels follow from the motion (`plane`), what is left is shared
among the rows that hold and the tractions of drives (`sharing`).

For most states that is straight-line arithmetic: no contact lifts, and the share by compliances is within all friction
limits. `contact_loads` has it over scalars, to be compiled, and says where more is needed; `settle` does the
remainder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from loadpath.mobile.arrangement import Arrangement, Placed
from loadpath.mobile.contacts.plane import (
    Carrying,
    ContactModel,
    Pair,
    carrying,
    headings,
    known_forces,
    points,
    sum_of,
)
from loadpath.mobile.contacts.sharing import SOFT, elastic, groups_of, shared
from loadpath.mobile.kinematics import scrub
from loadpath.mobile.normals import share_normals, sinkages
from loadpath.mobile.support import Edges, edges_of
from loadpath.scalars import Array, Scalar, array, is_zero, sign
from loadpath.scalars.types import Bools, Floats

_SCRUBS = 1e-9
"""Share of the base's speed from which on a contact slides."""


# Straight-line: over scalars


def contact_loads(
    model: ContactModel,
    force: Array,
    torque: Array,
    velocity: Array,
    acceleration: Array,
    steering: Array,
    aligned: bool = True,
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Normal, longitudinal and lateral forces and drive torques of the contacts, what no contact can give, and a number
    that is zero where this is the answer: no contact would pull, none is asked for more than its friction.
    """
    angles = None if aligned else steering
    *loads, pulls, slips = loads_on(model, force, torque, velocity, acceleration, angles)
    normal, along, across, drive, missing = loads
    return normal, along, across, drive, missing, pulls + slips


def loads_on(
    model: ContactModel,
    force: Array,
    torque: Array,
    velocity: Array,
    acceleration: Array,
    steering: Array | None,
    carries: Array | None = None,
) -> tuple[Array, ...]:
    """`contact_loads` with the last number in two parts: whether a contact would pull, and whether friction has a say.
    `carries` is 0 for contacts that are in the air; without it none is.
    """
    angle = headings(model, velocity, steering)
    on = [1.0] * len(model.wheels) if carries is None else list(carries)
    stiffness = [k / wheel.yielding for k, wheel in zip(on, model.wheels, strict=True)]
    sunk = sinkages(points(model, angle), stiffness, force[2], torque[0], torque[1])
    normal = [k * depth for k, depth in zip(stiffness, sunk, strict=True)]
    known = known_forces(model, angle, normal, velocity, acceleration, carries=None if carries is None else on)
    load = array([force[0], force[1], torque[2]])
    left = load - sum_of(model, angle, known.along, known.across)
    open_ = carrying(model)
    shares, check = _elastic(model, open_, angle, left, None if carries is None else on)
    along, across, turning = list(known.along), list(known.across), list(known.torque)
    for k, (a, b), spin, f in zip(open_.grip.contact, open_.grip.local, open_.grip.spin, shares, strict=True):
        along[k], across[k] = along[k] + float(a) * f, across[k] + float(b) * f
        turning[k] = turning[k] - float(spin) * f
    missing = load - sum_of(model, angle, along, across)
    pulls: Scalar = 0.0
    for k, N in enumerate(normal):
        pulls = pulls + on[k] * (1.0 - sign(N))
        coefficient = min(model.static[k], model.sliding[k])
        if coefficient < float("inf"):
            beyond = along[k] * along[k] + across[k] * across[k] - coefficient**2 * (1.0 - 1e-12) * (N * N)
            check = check + _is_positive(beyond)
    if len(open_.resting.contact) and not _holds_all(model, open_):
        waiting: Scalar = 0.0
        for groups in known.moving:
            for moves in groups:
                waiting = waiting + (1.0 - moves)
        lacks = _square(missing) - 1e-24 * _square(load)
        check = check + _is_positive(lacks) * waiting
    drive = [turning[k] if wheel.driven else 0.0 * normal[k] for k, wheel in enumerate(model.wheels)]
    return array(normal), array(along), array(across), array(drive), missing, array([pulls]), array([check])


def _is_positive(x: Scalar) -> Scalar:
    """1 or 0; NaN for NaN."""
    return sign(x + sign(x) * x)


def _square(vector: Array) -> Scalar:
    return vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]


def _elastic(
    model: ContactModel, open_: Carrying, angle: Sequence[Pair], load: Array, carries: Sequence[Scalar] | None
) -> tuple[list[Scalar], Scalar]:
    """Forces of the rows by their compliances, and a number that is not zero where the rows are nearly dependent."""
    contacts = [int(k) for k in open_.grip.contact]
    weights = [(1.0 if carries is None else carries[k]) / model.wheels[k].grip_yielding for k in contacts]
    size = model.size
    rows = [_row(model, k, angle[k], local) for k, local in zip(contacts, open_.grip.local, strict=True)]
    if carries is None and not any(model.wheels[k].steerable for k in contacts):
        # Rows that stay where they are: forces per unit of load, once.
        constant = np.array(rows, dtype=float).reshape(-1, 3)
        per_load = elastic(constant, np.array(weights), np.eye(3), size).T if rows else np.zeros((0, 3))
        return [sum((float(per) * load[i] for i, per in enumerate(each) if per), 0.0) for each in per_load], 0.0
    scaled = [(x, y, z * (1.0 / size)) for x, y, z in rows]
    right = (load[0], load[1], load[2] * (1.0 / size))
    kept = [i for i in range(3) if any(not is_zero(row[i]) for row in scaled)]  # wheels that roll freely pull no way
    S = [[sum(w * r[i] * r[j] for w, r in zip(weights, scaled, strict=True)) for j in kept] for i in kept]
    x, singular = _solved(S, [right[i] for i in kept])
    return [w * sum((r[i] * each for i, each in zip(kept, x, strict=True)), 0.0)
            for w, r in zip(weights, scaled, strict=True)], singular


def _solved(S: list[list[Scalar]], right: Sequence[Scalar]) -> tuple[list[Scalar], Scalar]:
    """The solution of a symmetric system of up to three equations, and a number that is not zero where it is nearly
    singular.
    """
    n = len(S)
    if n == 3:
        minors = [[S[(i + 1) % 3][(j + 1) % 3] * S[(i + 2) % 3][(j + 2) % 3] - S[(i + 1) % 3][(j + 2) % 3]
                   * S[(i + 2) % 3][(j + 1) % 3] for j in range(3)] for i in range(3)]
    else:
        minors = [[S[1][1], -S[0][1]], [-S[0][1], S[0][0]]] if n == 2 else [[1.0]] * n
    determinant = sum((S[0][j] * minors[0][j] for j in range(n)), 0.0) if n else 1.0
    trace = sum((S[i][i] for i in range(n)), 0.0)
    scale = trace * trace * trace if n == 3 else trace * trace if n == 2 else trace
    singular = 1.0 - _is_positive(determinant - 1e-7 * scale)
    inverse = 1.0 / determinant
    return [sum(minors[i][j] * right[i] for i in range(n)) * inverse for j in range(n)], singular


def _row(model: ContactModel, k: int, angle: Pair, local: Floats) -> tuple[Scalar, Scalar, Scalar]:
    (x, y), (c, s), (a, b) = model.wheels[k].position, angle, (float(part) for part in local)
    dx, dy = a * c - b * s, a * s + b * c
    return dx, dy, x * dy - y * dx


def _holds_all(model: ContactModel, open_: Carrying) -> bool:
    """Whether the rows that are always there hold the base whatever the steering angles are."""
    fixed = [i for i, k in enumerate(open_.grip.contact) if not model.wheels[k].steerable]
    if len(fixed) < 3:
        return False
    rows = [_row(model, int(open_.grip.contact[i]), model.wheels[open_.grip.contact[i]].aligned(0.0, 0.0),
                 open_.grip.local[i]) for i in fixed]
    matrix = np.array(rows, dtype=float) / (1.0, 1.0, model.size)
    return int(np.linalg.matrix_rank(matrix, tol=1e-6)) == 3


# Where contacts lift, or friction has a say


class Loads(NamedTuple):
    """Forces at the contacts, (s, contacts) each, of states in a row."""

    normal: Floats
    longitudinal: Floats
    lateral: Floats
    drive_torque: Floats
    missing: Floats
    """(s, 3)."""
    tips: Bools
    """(s,)."""


def settle(
    model: ContactModel,
    wheels: Arrangement,
    placed: Placed,
    edges: Edges | None,
    force: Floats,
    torque: Floats,
    velocity: Floats,
    acceleration: Floats,
    *,
    by_load: bool = False,
    torques: Floats | None = None,
    normal: Floats | None = None,
    from_rest: bool = True,
) -> Loads:
    """Forces in states (s, ...), of any kind. `by_load` makes the stiffness of every contact proportional to its normal
    force. With `torques` (s, contacts) those are the torques of the drives, and `normal` forces may be given.
    """
    count = len(force)
    vertical = np.stack([force[:, 2], torque[:, 0], torque[:, 1]], axis=-1)
    known_edges = edges if edges is not None else edges_of(placed.points)
    tips: Bools = np.asarray((known_edges.moments(vertical).min(axis=-1) < 0) | (vertical[:, 0] <= 0))
    if normal is None:
        normal = share_normals(placed.points, wheels.compliance, vertical, tips)
    pressed = np.maximum(normal, 0.0)
    carries = (normal != 0.0).astype(float)
    forward = np.broadcast_to(placed.forward, (count, *placed.forward.shape[-2:]))
    angle = [(forward[:, k, 0], forward[:, k, 1]) for k in range(len(model.wheels))]
    open_ = carrying(model, drives=torques is None)
    known = known_forces(
        model, angle, list(normal.T), _columns(velocity), _columns(acceleration), carries=list(carries.T),
        torques=None if torques is None else list(torques.T), from_rest=from_rest,
    )

    def stack(parts: Sequence[Scalar]) -> Floats:
        return np.stack([np.broadcast_to(np.asarray(part, dtype=float), (count,)) for part in parts], axis=-1)

    along, across, turning = stack(known.along), stack(known.across), stack(known.torque)
    asked = np.stack([force[:, 0], force[:, 1], torque[:, 2]], axis=-1)
    left: Floats = np.asarray(asked - stack(list(sum_of(model, angle, list(along.T), list(across.T)))))
    # Groups: the grip of every contact, then every wheel's resistance at rest.
    resting = list(dict.fromkeys(open_.group)) if from_rest else []
    number = {key: len(model.wheels) + i for i, key in enumerate(resting)}
    rows = [wheels.in_base(open_.grip, placed)]
    of_row = [open_.grip.contact]
    stiffness = pressed if by_load else carries / wheels.grip_compliance
    limits = friction_limits(model, wheels, placed, velocity, pressed)
    limits = np.sqrt(np.maximum(limits**2 - (along**2 + across**2), 0.0))
    weight, limit = [stiffness], [limits]
    if resting:
        rows.append(wheels.in_base(open_.resting, placed))
        of_row.append(np.array([number[key] for key in open_.group], dtype=np.intp))
        still = stack([1.0 - known.moving[k][g] for k, g in resting])
        at = [k for k, _ in resting]
        weight.append(still * stiffness[:, at] / SOFT)
        limit.append(np.array(model.rolling)[at] * pressed[:, at])
    groups = groups_of(np.concatenate(of_row), len(model.wheels) + len(resting))
    firm = np.arange(groups.member.shape[1]) >= len(model.wheels)
    every = rows[0] if len(rows) == 1 else np.concatenate(_same(*rows), axis=-2)
    result = shared(every, groups, np.concatenate(weight, axis=-1), np.concatenate(limit, axis=-1), left, wheels.size,
                    firm=firm)
    grips = len(open_.grip.contact)
    for part, forces, spins in (
        (open_.grip, result.forces[:, :grips], open_.grip.spin),
        (open_.resting, result.forces[:, grips:], np.array(open_.spin)),
    ):
        for j, k in enumerate(part.contact[: forces.shape[1]]):
            f = forces[:, j]
            along[:, k] += part.local[j, 0] * f
            across[:, k] += part.local[j, 1] * f
            turning[:, k] -= spins[j] * f
    return Loads(normal, along, across, np.where(wheels.driven, turning, 0.0), result.missing, tips)


def friction_limits(
    model: ContactModel, wheels: Arrangement, placed: Placed, velocity: Floats, pressed: Floats
) -> Floats:
    """Friction (..., contacts) that there is: static, or sliding where the motion of the base drags a contact."""
    slides = scrubs(wheels, placed, velocity)
    coefficient = np.where(slides, np.array(model.sliding), np.array(model.static))
    with np.errstate(invalid="ignore"):
        result = coefficient * pressed
    return np.where(np.isinf(coefficient), np.inf, result)


def scrubs(wheels: Arrangement, placed: Placed, velocity: Floats) -> Bools:
    """Which contacts (..., contacts) the motion of the base drags over the ground."""
    speed = np.abs(velocity).max(axis=-1, keepdims=True)
    result: Bools = np.asarray(np.abs(scrub(wheels, placed, velocity)) > _SCRUBS * speed)
    return result


def _columns(values: Floats) -> Array:
    return array([values[..., k] for k in range(values.shape[-1])])


def _same(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Rows with the same batch axes."""
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return np.broadcast_to(a, (*shape, *a.shape[-2:])), np.broadcast_to(b, (*shape, *b.shape[-2:]))
