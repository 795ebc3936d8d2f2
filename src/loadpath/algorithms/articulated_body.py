"""Forward dynamics by articulated bodies (Featherstone 1983; 2008, section 7.3): the cost grows linearly with joints.

The articulated inertia of a body is what one feels who pushes it with everything beyond it hanging on free joints:
torque = A alpha + B a, force = B^T alpha + C a, about the body's origin, in its axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from loadpath.formulations.newton_euler import link_wrenches, outward
from loadpath.mechanics.drives import drive_forces
from loadpath.mechanics.joint_motion import joint_columns, joint_placement
from loadpath.mechanics.wrenches import External, on_bodies, towards_base, turned_matrix
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.scalars import (
    LTDL,
    Array,
    Rotation,
    array,
    cross,
    dot,
    identity,
    is_zero,
    ltdl,
    outer,
    scale,
    skew,
    zeros,
)


class ArticulatedInertia(NamedTuple):
    """Blocks of the articulated inertia: A and C symmetric, B any."""

    A: Array
    B: Array
    C: Array

    def turned(self, Q: Rotation) -> ArticulatedInertia:
        """In the axes before a turn."""
        return ArticulatedInertia(Q.tensor(self.A), turned_matrix(Q, self.B), Q.tensor(self.C))

    def shifted(self, r: Array) -> ArticulatedInertia:
        """About another origin, from where the present one is at r."""
        if all(is_zero(x) for x in r):
            return self
        rx = skew(r)
        B = self.B + rx @ self.C
        return ArticulatedInertia(_symmetric(self.A - self.B @ rx + rx @ B.T), B, self.C)

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:  # type: ignore[override]
        return ArticulatedInertia(self.A + other.A, self.B + other.B, self.C + other.C)

    def wrench(self, angular: Array, linear: Array) -> tuple[Array, Array]:
        """Torque and force for an acceleration."""
        return self.A @ angular + self.B @ linear, self.B.T @ angular + self.C @ linear


def _symmetric(matrix: Array) -> Array:
    """A matrix known to be symmetric, its lower half a copy of the upper, so that it is computed once."""
    result = matrix.copy()
    for i in range(3):
        for j in range(i):
            result[i, j] = matrix[j, i]
    return result


class _JointResponse(NamedTuple):
    """What the way out needs of a joint."""

    speeds: list[int]
    """Its speeds whose accelerations are to be found."""
    S: list[tuple[Array, Array]]
    """Angular and linear acceleration of the body per unit of each acceleration of the joint."""
    U: list[tuple[Array, Array]]
    """Torque and force that such a unit takes: I_A S."""
    D: LTDL
    """S^T U, factored."""
    u: Array
    """Force that is left to accelerate the joint when its parent does not."""


def forward_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """Accelerations for given forces of the drives."""
    n = mechanism.n
    return accelerations(mechanism, q, qd, zeros(n), tau, [True] * n, external, base_velocity, base_acceleration)


def accelerations(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    prescribed: Array,
    tau: Array,
    free: Sequence[bool],
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """Accelerations of all speeds, where those that are `free` have the drive forces `tau`, and the others the
    accelerations `prescribed`, which must be zero for those that are free.

    Newton-Euler with the prescribed accelerations gives every link an acceleration; what the free ones add to it is
    found here. Joints must be independent: mimicking joints go through the mass matrix.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm, still = plain(catalog.two_link(gravity=0)), array([0.0, 0.0])
    >>> accelerations(arm, still, still, array([1.0, 0.0]), still, [False, True]).tolist()
    [1.0, -2.0]
    """
    bodies = mechanism.bodies
    motion = outward(mechanism, q, qd, prescribed, base_velocity, base_acceleration)
    bias = link_wrenches(mechanism, motion, on_bodies(mechanism, q, external))
    placement = [joint_placement(body, q) for body in bodies]
    inertia = [_of_body(body) for body in bodies]
    force, torque = [f for f, _ in bias], [n for _, n in bias]
    response: list[_JointResponse] = []
    # Inwards: the articulated inertia of each body and the wrench that its parent must supply.
    for i in reversed(range(len(bodies))):
        joint = _respond(bodies[i], q, qd, tau, free, inertia[i], force[i], torque[i])
        response.append(joint)
        if bodies[i].parent != BASE:
            given = _given_way(inertia[i], joint)
            for (n, f), x in zip(joint.U, joint.D.solve(joint.u), strict=True):
                torque[i], force[i] = torque[i] + scale(x, n), force[i] + scale(x, f)
            Q, b = placement[i]
            f, n = towards_base(bodies[i], Q, b, force[i], torque[i])
            p = bodies[i].parent
            force[p], torque[p] = force[p] + f, torque[p] + n
            inertia[p] = inertia[p] + given.turned(Q).shifted(b).turned(bodies[i].turn).shifted(bodies[i].arm)
    response.reverse()
    # Outwards: accelerations of the joints, and what they add to those of the links.
    qdd = prescribed.copy()
    alphas: list[Array] = []
    linears: list[Array] = []
    for i, body in enumerate(bodies):
        if body.parent == BASE:
            alpha, a = zeros(3), zeros(3)
        else:
            Q, b = placement[i]
            alpha = body.turn.T @ alphas[body.parent]
            a = body.turn.T @ (linears[body.parent] + cross(alphas[body.parent], body.arm))
            alpha, a = Q.T @ alpha, Q.T @ (a + cross(alpha, b))
        speeds, S, U, D, u = response[i]
        left = array([u[k] - dot(n, alpha) - dot(f, a) for k, (n, f) in enumerate(U)])
        for k, x, (angular, linear) in zip(speeds, D.solve(left), S, strict=True):
            qdd[k] = x
            alpha, a = alpha + scale(x, angular), a + scale(x, linear)
        alphas.append(alpha)
        linears.append(a)
    return qdd


def _of_body(body: Body) -> ArticulatedInertia:
    return ArticulatedInertia(body.inertia, skew(body.moment), scale(body.mass, identity(3)))


def _respond(
    body: Body,
    q: Array,
    qd: Array,
    tau: Array,
    free: Sequence[bool],
    inertia: ArticulatedInertia,
    force: Array,
    torque: Array,
) -> _JointResponse:
    chosen = [k for k in range(body.motion.dof) if free[body.v.start + k]]
    columns = joint_columns(body, q)
    S = [columns[k] for k in chosen]
    U = [inertia.wrench(angular, linear) for angular, linear in S]
    D = array([[dot(angular, n) + dot(linear, f) for n, f in U] for angular, linear in S]) if S else zeros(0, 0)
    inside = drive_forces(body, q, qd, zeros(len(qd)))
    u = zeros(len(chosen))
    for i, (k, (angular, linear)) in enumerate(zip(chosen, S, strict=True)):
        D[i, i] = D[i, i] + body.joint.reflected_inertia[k]
        u[i] = tau[body.v.start + k] - inside[k] - dot(angular, torque) - dot(linear, force)
    return _JointResponse([body.v.start + k for k in chosen], S, U, ltdl(D), u)


def _given_way(inertia: ArticulatedInertia, joint: _JointResponse) -> ArticulatedInertia:
    """What is left of an articulated inertia when its joint gives way: I_A - U D^-1 U^T."""
    A, B, C = inertia
    k = len(joint.U)
    for i in range(k):
        unit = array([1.0 if j == i else 0.0 for j in range(k)])
        n_i, f_i = joint.U[i]
        for x, (n, f) in zip(joint.D.solve(unit), joint.U, strict=True):
            A, B, C = A - outer(n_i, scale(x, n)), B - outer(n_i, scale(x, f)), C - outer(f_i, scale(x, f))
    return ArticulatedInertia(_symmetric(A), B, _symmetric(C))
