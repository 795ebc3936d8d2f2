"""First derivatives of the inverse dynamics of a tree, by recursion over composite bodies: `co_moving` has how.

With F_j the wrench through joint j and tau_i = s_i . F_i, for joint i beyond j (or j itself, where the change of its
own freedoms adds to it)

    dtau_i/dq_j = D_j tau_i = s_i . (I_i z_j + B_i 2 y_j),

and for joint i on the way from j to the base, where only what is beyond j changes,

    dtau_i/dq_j = s_i . (s_j x* F_j + I_j z_j + B_j 2 y_j).

Each pair of joints costs a few products of six numbers, whatever is between them. What drives take in addition depends
on their own joint alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from loadpath.algorithms.co_moving import Carried, MovingInertia, OwnMotion, carried_bodies, composites
from loadpath.mechanics.drives import drive_forces, inside_drives, with_rotors
from loadpath.mechanics.wrenches import External, Wrench
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.scalars import Array, Scalar, dot, is_zero, scale, zeros


class Slopes(NamedTuple):
    """Derivatives (n, n) of the forces of the drives."""

    q: Array
    qd: Array
    qdd: Array


def towards_base(mechanism: Mechanism, body: int) -> Iterator[int]:
    """The bodies on the way to the base, from the body's parent on."""
    at = mechanism.bodies[body].parent
    while at != BASE:
        yield at
        at = mechanism.bodies[at].parent


def plus(*wrenches: Wrench) -> Wrench:
    """The sum of wrenches."""
    first, *others = wrenches
    force, torque = first
    for other in others:
        force, torque = force + other.force, torque + other.torque
    return Wrench(force, torque)


def slopes(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Slopes:
    """Derivatives of the forces of the drives by a motion of q, by qd and by qdd."""
    bodies = carried_bodies(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    composite = composites(mechanism, q, bodies, external)
    n = mechanism.n
    result = Slopes(zeros(n, n), zeros(n, n), zeros(n, n))
    for j in range(len(bodies)):
        _add_joint(mechanism, bodies, composite[j], j, result)
    for body in mechanism.bodies:
        _add_drive(body, q, qd, qdd, result)
    return Slopes(result.q, result.qd, with_rotors(mechanism, result.qdd))


def mass_matrix_and_bias(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """The mass matrix and the forces of the drives without accelerations, of what `slopes` is made of as well."""
    n = mechanism.n
    bodies = carried_bodies(mechanism, q, qd, zeros(n), base_velocity, base_acceleration)
    composite = composites(mechanism, q, bodies, external)
    M, bias = zeros(n, n), inside_drives(mechanism, q, qd, zeros(n))
    for j, (body, own) in enumerate(zip(mechanism.bodies, bodies, strict=True)):
        for k, s in enumerate(own.s, start=body.v.start):
            bias[k] = bias[k] + s.work(composite[j].wrench)
            _add_inertia(mechanism, bodies, composite[j].accelerated(s), j, k, M)
    return with_rotors(mechanism, M), bias


def _add_inertia(mechanism: Mechanism, bodies: list[Carried], p: Wrench, j: int, k: int, M: Array) -> None:
    """Entries of speed k of joint j, with the momentum p that it gives, and of all before it on the way to the base."""
    for i in (j, *towards_base(mechanism, j)):
        for row, r in enumerate(bodies[i].s, start=mechanism.bodies[i].v.start):
            if i == j and row > k:
                break  # this corner of the joint's own block comes from its other speeds
            entry = r.work(p)
            _add(M, row, k, entry)
            if i != j or row != k:
                _add(M, k, row, entry)


def _add(matrix: Array, row: int, column: int, entry: Scalar) -> None:
    matrix[row, column] = matrix[row, column] + entry


def _add_joint(mechanism: Mechanism, bodies: list[Carried], composite: MovingInertia, j: int, into: Slopes) -> None:
    """All entries of joint j with itself and with the joints between it and the base."""
    own, start = bodies[j], mechanism.bodies[j].v.start
    inner = [(bodies[i], m, mechanism.bodies[i].v.start + m)
             for i in towards_base(mechanism, j) for m in range(len(bodies[i].s))]
    for k, s in enumerate(own.s):
        p = composite.accelerated(s)
        _add_inertia(mechanism, bodies, p, j, start + k, into.qdd)
        by_q = plus(composite.accelerated(own.z[k]), composite.turned_by(scale(2.0, own.y[k].angular)),
                    composite.left_behind(s))
        half_by_qd = plus(composite.accelerated(own.half_w[k]), composite.turned_by(s.angular))
        for m, other in enumerate(own.s):
            change = own.changes[k][m].work(composite.wrench) if own.changes else 0.0
            _add(into.q, start + m, start + k, other.work(by_q) + change)
            _add(into.qd, start + m, start + k, 2.0 * other.work(half_by_qd))
        if not inner:
            continue
        by_q = plus(by_q, s.crossed_with(composite.wrench))
        by_qd = Wrench(scale(2.0, half_by_qd.force), scale(2.0, half_by_qd.torque))
        b, e = composite.turned_by_on(s), composite.left_behind_on(s)
        for on, m, row in inner:
            r = on.s[m]
            _add(into.q, row, start + k, r.work(by_q))
            _add(into.qd, row, start + k, r.work(by_qd))
            outer = on.z[m].work(p) + dot(b, scale(2.0, on.y[m].angular)) + dot(e, r.angular)
            _add(into.q, start + k, row, outer)
            _add(into.qd, start + k, row, 2.0 * (on.half_w[m].work(p) + dot(b, r.angular)))


def _add_drive(body: Body, q: Array, qd: Array, qdd: Array, into: Slopes) -> None:
    """What friction and springs of a joint add, which depend on its own coordinates and speeds."""
    joint, dof = body.joint, body.motion.dof
    if not dof or not (any(joint.springs) or not all(map(is_zero, joint.viscous_friction)) or any(joint.stribeck)):
        return
    own, forces = OwnMotion(body, q, qd, qdd), partial(drive_forces, body)
    for slope, matrix in ((own.by_displacement(forces), into.q), (own.by_speed(forces), into.qd)):
        matrix[body.v, body.v] = matrix[body.v, body.v] + slope
