"""Second derivatives of the inverse dynamics of a tree, by recursion over composite bodies: what `co_moving` says of
one displaced joint, said once more of a second one (compare Singh, Russo and Wensing 2023).

Of two joints k and j, k nearer to the base or the same, all that is beyond j is carried by both, and

    D_k y_j = y_k x s_j,    D_k z_j = z_k x s_j + 2 y_k x y_j.

With u(r) the velocity of a point in a motion u, (u x s)(r) + s_ang x u(r) = u_ang x s(r). So the wrench on composite
body j changes by

    D_k D_j F_j = I_j (z_k x s_j) + B_j 2 (y_k x s_j) + B_j[y_j] 2 y_k,

where B_j[u] is B_j of a body that moves with u. On joint i beyond j, with p_i = I_i s_i, b_i . y = s_i . B_i y and
C_i u . y = s_i . B_i[u] y, that is

    d2tau_i/dq_k dq_j = z_k . (s_j x* p_i) + 2 y_k . (s_j x b_i + C_i y_j).

Joints between k and j see the changes of I_j and B_j with a displacement of j do work on z_k and 2 y_k; joints before k
see all of that carried along by k too. Speeds stand for displacements with s_k in place of y_k and w_k in place of z_k.

This holds for joints whose freedoms, seen from the child, are always the same. With others the first derivatives are
differentiated by dual numbers, and so is what external wrenches, friction and springs add.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from loadpath.algorithms.co_moving import (
    Carried,
    Equation,
    MovingInertia,
    OwnMotion,
    Twist,
    carried_bodies,
    composites,
    differentiated,
    has_constant_freedoms,
    turning_matrix,
)
from loadpath.algorithms.composite_body import RigidInertia
from loadpath.algorithms.inverse_dynamics_slopes import plus, slopes, towards_base
from loadpath.algorithms.state_space import coordinate_rate
from loadpath.cached import cached_property
from loadpath.mechanics.drives import drive_forces, project
from loadpath.mechanics.joint_motion import joint_placement
from loadpath.mechanics.wrenches import External, Wrench, on_bodies
from loadpath.mechanics.wrenches import towards_base as towards_parent
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.scalars import (
    Array,
    Scalar,
    array,
    cross,
    dot,
    identity,
    inertia_tensor,
    outer,
    scale,
    skew,
    symmetric_product,
    zeros,
)


class SecondSlopes(NamedTuple):
    """Second derivatives [i, j, k] of the force of drive i, (n, n, n): by the first argument's entry j, then by the
    second's entry k. Those by qd and qdd and by qdd twice are zero.
    """

    q_q: Array
    q_qd: Array
    qd_qd: Array
    q_qdd: Array


def second_slopes(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> SecondSlopes:
    """Second derivatives of the forces of the drives, by motions of q, by qd and by qdd."""
    n = mechanism.n
    into = SecondSlopes(*(zeros(n, n, n) for _ in range(4)))
    if not all(has_constant_freedoms(body.motion) for body in mechanism.bodies):
        return _of_any_joints(mechanism, q, qd, qdd, external, base_velocity, base_acceleration)
    bodies = carried_bodies(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    composite = composites(mechanism, q, bodies, {})
    freedoms = [
        [Freedom(body.v.start + k, at, whole, k) for k in range(len(at.s))]
        for body, at, whole in zip(mechanism.bodies, bodies, composite, strict=True)
    ]
    outward = _outward(mechanism)
    for j, own in enumerate(freedoms):
        beyond = [row for i in outward[j] for row in freedoms[i]]
        before = [(i, row) for i in towards_base(mechanism, j) for row in freedoms[i]]
        for second in own:
            for first in own:
                _same_joint(first, second, beyond, [row for _, row in before], into)
            for i, first in before:
                inner = [row for b in towards_base(mechanism, i) for row in freedoms[b]]
                middle = [row for _, row in before if row not in inner]
                _two_joints(first, second, (beyond, middle, inner), into)
    _add_drives(mechanism, q, qd, qdd, into)
    if external:
        _add_external(mechanism, q, external, into)
    return into


def _outward(mechanism: Mechanism) -> list[list[int]]:
    """For every body, it and all bodies beyond it."""
    found: list[list[int]] = [[] for _ in mechanism.bodies]
    for i in range(len(found)):
        for b in (i, *towards_base(mechanism, i)):
            found[b].append(i)
    return found


class Freedom:
    """A speed of a joint, with all that is beyond the joint."""

    def __init__(self, number: int, at: Carried, whole: MovingInertia, k: int) -> None:
        self.number, self.whole, self.joint, self.place = number, whole, at, k
        self.s, self.y, self.z, self.w = at.s[k], at.y[k], at.z[k], at.half_w[k].scaled(2.0)
        self.two_y, self.two_s = scale(2.0, self.y.angular), scale(2.0, self.s.angular)
        self._on: dict[Freedom, OnRow] = {}

    @cached_property
    def p(self) -> Wrench:
        """I s."""
        return self.whole.accelerated(self.s)

    @cached_property
    def sped_up(self) -> Wrench:
        """The change of F by its own speed."""
        return plus(self.whole.accelerated(self.w), self.whole.turned_by(self.two_s))

    @cached_property
    def moved_away(self) -> Wrench:
        """The change of F by its own displacement, seen from where nothing is displaced."""
        carried = self.s.crossed_with(self.whole.wrench)
        return plus(carried, self.whole.accelerated(self.z), self.whole.turned_by(self.two_y))

    @cached_property
    def in_s(self) -> Turning:
        """B[s] of its composite body."""
        return Turning.of(self.whole.inertia, self.s)

    @cached_property
    def displaced_inertia(self) -> RigidInertia:
        """The change of the composite body's inertia by its own displacement."""
        m, h, tensor = self.whole.inertia
        turned = skew(self.s.angular) @ tensor
        shifted = inertia_tensor(symmetric_product(self.s.linear, h))
        return RigidInertia(0.0, cross(self.s.angular, h) + scale(m, self.s.linear), turned + turned.T + shifted)

    @cached_property
    def displaced_turning(self) -> Turning:
        """The change of B by its own displacement."""
        P, N = self.whole.P, self.whole.N
        omega, v = self.s
        in_y, across = Turning.of(self.whole.inertia, self.y), skew(omega)
        carried = across @ N - N @ across + scale(dot(v, P), identity(3)) - outer(P, v)
        return Turning(cross(omega, P) + in_y.P, carried + in_y.N)

    def displaced(self, z: Twist, two_y: Array) -> Wrench:
        """The change of I z + B 2 y by its own displacement, seen from where nothing is displaced."""
        return plus(Wrench(*self.displaced_inertia.momentum(*z)), self.displaced_turning.by(two_y))

    def on(self, other: Freedom) -> OnRow:
        """What a joint that carries this one, displaced or at a speed, does to its force."""
        if other not in self._on:
            s, y = other.s, other.y
            b = self.whole.turned_by_on(self.s)
            self._on[other] = OnRow(s.crossed_with(self.p), cross(s.angular, b) + self._C(y), self._C(s))
        return self._on[other]

    def _C(self, u: Twist) -> Array:
        """C u . y = s . B[u] y."""
        result: Array = self._C_angular @ u.angular + cross(u.linear, self.p.force)
        return result

    @cached_property
    def _C_angular(self) -> Array:
        """(u x h) x s_lin + S (u x s_ang) as a matrix times u."""
        _, h, tensor = self.whole.inertia
        second = scale(0.5 * (tensor[0, 0] + tensor[1, 1] + tensor[2, 2]), identity(3)) - tensor
        result: Array = skew(self.s.linear) @ skew(h) - second @ skew(self.s.angular)
        return result


class OnRow(NamedTuple):
    """Of the force on a joint i that joint j carries: D_j (p_i . z + 2 b_i . y) = pi . z + 2 beta . y."""

    pi: Wrench
    beta: Array
    by_speed: Array
    """C_i s_j."""


class Turning(NamedTuple):
    """B of a body that moves in a given way."""

    P: Array
    N: Array

    @staticmethod
    def of(inertia: RigidInertia, u: Twist) -> Turning:
        """Of a body that moves with u."""
        P, _ = inertia.momentum(u.angular, u.linear)
        return Turning(P, turning_matrix(inertia, u))

    def by(self, y: Array) -> Wrench:
        """B y."""
        return Wrench(cross(y, self.P), self.N @ y)


def _add(tensor: Array, i: int, j: int, k: int, entry: Scalar) -> None:
    tensor[i, j, k] = tensor[i, j, k] + entry


def _add_both(tensor: Array, i: int, j: int, k: int, entry: Scalar) -> None:
    _add(tensor, i, j, k, entry)
    _add(tensor, i, k, j, entry)


def _two_joints(
    k: Freedom, j: Freedom, rows: tuple[list[Freedom], list[Freedom], list[Freedom]], into: SecondSlopes
) -> None:
    """All entries of a freedom j and one, k, of a joint nearer to the base: on rows beyond j (or at it), between the
    two (or at k's joint), and before k's.
    """
    beyond, middle, inner = rows
    a, b = k.number, j.number
    for i in beyond:
        pi, beta, by_speed = i.on(j)
        _add_both(into.q_q, i.number, b, a, k.z.work(pi) + dot(k.two_y, beta))
        _add(into.q_qd, i.number, a, b, dot(k.two_y, by_speed))
        _add(into.q_qd, i.number, b, a, k.w.work(pi) + dot(k.two_s, beta))
        _add_both(into.qd_qd, i.number, b, a, dot(k.two_s, by_speed))
        _add_inertia(into, i.number, b, a, k.s.work(pi))
    q_q, qd_q = j.displaced(k.z, k.two_y), j.displaced(k.w, k.two_s)
    q_qd, qd_qd = j.in_s.by(k.two_y), j.in_s.by(k.two_s)
    qdd_q = Wrench(*j.displaced_inertia.momentum(*k.s))
    away_q, away_qd = plus(q_q, k.s.crossed_with(j.moved_away)), plus(q_qd, k.s.crossed_with(j.sped_up))
    for i, before in [(i, False) for i in middle] + [(i, True) for i in inner]:
        r = i.s
        _add_both(into.q_q, i.number, b, a, r.work(away_q if before else q_q))
        _add(into.q_qd, i.number, a, b, r.work(away_qd if before else q_qd))
        _add(into.q_qd, i.number, b, a, r.work(qd_q))
        _add_both(into.qd_qd, i.number, b, a, r.work(qd_qd))
        if i is k:
            _add(into.q_qdd, i.number, b, a, r.work(qdd_q))
        elif before or (i.joint is k.joint and i.place < k.place):  # else when i is the first
            _add_inertia(into, i.number, b, a, r.work(qdd_q))


def _add_inertia(into: SecondSlopes, i: int, j: int, k: int, entry: Scalar) -> None:
    """The change of the mass matrix's entries (i, k) and (k, i) with a displacement j."""
    _add(into.q_qdd, i, j, k, entry)
    _add(into.q_qdd, k, j, i, entry)


def _same_joint(k: Freedom, j: Freedom, beyond: list[Freedom], before: list[Freedom], into: SecondSlopes) -> None:
    """All entries of two freedoms of one joint: displaced along j, then along k; displaced along k at the speed j. The
    mass matrix of what such a joint carries does not change with it.
    """
    a, b = k.number, j.number
    for i in beyond:
        pi, beta, by_speed = i.on(j)
        _add(into.q_q, i.number, b, a, k.z.work(pi) + dot(k.two_y, beta))
        _add(into.q_qd, i.number, a, b, dot(k.two_y, by_speed))
        _add(into.qd_qd, i.number, b, a, dot(k.s.angular, by_speed) + dot(j.s.angular, i.on(k).by_speed))
    if not before:
        return
    q_q = plus(j.displaced(k.z, k.two_y), k.s.crossed_with(j.moved_away))
    q_qd = plus(j.in_s.by(k.two_y), k.s.crossed_with(j.sped_up))
    qd_qd = plus(j.in_s.by(k.s.angular), k.in_s.by(j.s.angular))
    for i in before:
        _add(into.q_q, i.number, b, a, i.s.work(q_q))
        _add(into.q_qd, i.number, a, b, i.s.work(q_qd))
        _add(into.qd_qd, i.number, b, a, i.s.work(qd_qd))


# By dual numbers


def _add_drives(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, into: SecondSlopes) -> None:
    """What friction and springs add, which depend on their own joint alone."""
    for body in mechanism.bodies:
        joint, dof = body.joint, body.motion.dof
        if not dof or not (any(joint.springs) or any(joint.stribeck)):
            continue
        forces = partial(drive_forces, body)

        def by_q(*motion: Array, body: Body = body, forces: Equation = forces) -> Array:
            return OwnMotion(body, *motion).by_displacement(forces).ravel()

        def by_qd(*motion: Array, body: Body = body, forces: Equation = forces) -> Array:
            return OwnMotion(body, *motion).by_speed(forces).ravel()

        own = OwnMotion(body, q, qd, qdd)
        for tensor, slope in ((into.q_q, own.by_displacement(by_q)), (into.qd_qd, own.by_speed(by_qd))):
            tensor[body.v, body.v, body.v] = tensor[body.v, body.v, body.v] + slope.reshape(dof, dof, dof)


def _add_external(mechanism: Mechanism, q: Array, external: External, into: SecondSlopes) -> None:
    """What external wrenches add, which depends on q alone."""
    n, still = mechanism.n, zeros(mechanism.n)

    def taken(x: Array, xd: Array, xdd: Array) -> Array:
        joints = [Wrench(-f, -n) for f, n in on_bodies(mechanism, x, external)]
        tau = zeros(n)
        for i in reversed(range(len(joints))):
            body = mechanism.bodies[i]
            for k, along in enumerate(project(body, x, *joints[i]), start=body.v.start):
                tau[k] = tau[k] + along
            if body.parent != BASE:
                carried = towards_parent(body, *joint_placement(body, x), *joints[i])
                joints[body.parent] = plus(joints[body.parent], carried)
        return tau

    def by_q(x: Array, xd: Array, xdd: Array) -> Array:
        return _by_q(mechanism, taken, x, xd, xdd).ravel()

    into.q_q[...] = into.q_q + _by_q(mechanism, by_q, q, still, still).reshape(n, n, n)


def _of_any_joints(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None, *base: Array | None
) -> SecondSlopes:
    """The first derivatives, differentiated once more."""
    n = mechanism.n

    def first(x: Array, xd: Array, xdd: Array) -> list[Scalar]:
        return [entry for part in slopes(mechanism, x, xd, xdd, external, *base) for entry in part.ravel()]

    by_q, by_qd = _by_q(mechanism, first, q, qd, qdd), differentiated(first, (q, qd, qdd), 1, slice(0, n), identity(n))
    q_q, _, qdd_q = by_q.reshape(3, n, n, n)
    q_qd, qd_qd, _ = by_qd.reshape(3, n, n, n)
    return SecondSlopes(q_q, q_qd, qd_qd, qdd_q.transpose(0, 2, 1))


def _by_q(mechanism: Mechanism, of: Equation, q: Array, qd: Array, qdd: Array) -> Array:
    """(results, n): by a motion of q."""
    directions = array([list(coordinate_rate(mechanism, q, unit)) for unit in identity(mechanism.n)])
    return differentiated(of, (q, qd, qdd), 0, slice(0, mechanism.nq), directions)
