"""The Coriolis and centrifugal matrix C with C qd = c(q, qd) and dM/dt - 2 C skew-symmetric, for joints of any kind.

As the natural orthogonal complement has it, C = T^T (M Tdot + B T), where for each body B + B^T is the rate of its
inertia and B v is its gyroscopic wrench (Echeandia and Wensing 2021). Everything is in world axes about one point,
the origin of the first body, so that the composite bodies beyond a joint are plain sums.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.algorithms.composite_body import RigidInertia
from loadpath.mechanics.joint_motion import joint_columns, joint_rates
from loadpath.mechanics.kinematics import Placement, placements
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, MatrixRotation, array, cross, dot, scale, skew, zeros


class Twist(NamedTuple):
    """Angular velocity, and the velocity of the point of the body at the origin."""

    angular: Array
    linear: Array

    def __add__(self, other: Twist) -> Twist:  # type: ignore[override]
        return Twist(self.angular + other.angular, self.linear + other.linear)


def carried_by(v: Twist, s: Twist) -> Twist:
    """Rate of a twist that is fixed on a body with twist v: v x s."""
    return Twist(cross(v.angular, s.angular), cross(v.angular, s.linear) + cross(v.linear, s.angular))


def in_world(at: Placement, origin: Array, angular: Array, linear: Array) -> Twist:
    """A twist in body axes at the body's origin, in world axes about `origin`."""
    omega = at.to_world(angular)
    return Twist(omega, at.to_world(linear) + cross(at.origin - origin, omega))


def six(v: Twist) -> Array:
    return array([*v.angular, *v.linear])


def spatial(inertia: RigidInertia) -> Array:
    """6 x 6 matrix from a twist to the momentum (angular above linear)."""
    c = skew(inertia.moment)
    result = zeros(6, 6)
    result[:3, :3], result[:3, 3:], result[3:, :3] = inertia.tensor, c, -c
    for k in range(3, 6):
        result[k, k] = inertia.mass
    return result


def gyroscopic(inertia: Array, v: Twist) -> Array:
    """B(I, v) = ((v x*) I - I (v x) + (I v) xx*) / 2: B v = v x* I v, and B + B^T = dI/dt."""
    motion = zeros(6, 6)  # v x
    motion[:3, :3], motion[3:, 3:], motion[3:, :3] = skew(v.angular), skew(v.angular), skew(v.linear)
    momentum = inertia @ six(v)
    n, f = skew(momentum[:3]), skew(momentum[3:])
    swapped = zeros(6, 6)
    swapped[:3, :3], swapped[:3, 3:], swapped[3:, :3] = -n, -f, -f
    half = inertia @ motion
    return scale(0.5, swapped - half - half.T)  # (v x*) I = -(v x)^T I = -(I (v x))^T


def coriolis_matrix(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """The matrix (n, n)."""
    bodies = mechanism.bodies
    at = placements(mechanism, q)
    origin = at[0].origin if at else zeros(3)
    S: list[list[Twist]] = []
    Sdot: list[list[Twist]] = []
    v: list[Twist] = []
    inertia: list[Array] = []
    gyro: list[Array] = []
    for i, body in enumerate(bodies):
        S.append([in_world(at[i], origin, *column) for column in joint_columns(body, q)])
        twist = Twist(zeros(3), zeros(3)) if body.parent == BASE else v[body.parent]
        for k, s in enumerate(S[i], start=body.v.start):
            twist = twist + Twist(scale(qd[k], s.angular), scale(qd[k], s.linear))
        v.append(twist)
        rates = [in_world(at[i], origin, *rate) for rate in joint_rates(body, q, qd)]
        Sdot.append([carried_by(twist, column) + rate for column, rate in zip(S[i], rates, strict=True)])
        turn = MatrixRotation(array([list(row) for row in at[i].rows]))
        rigid = RigidInertia(body.mass, body.moment, body.inertia).turned(turn).shifted(at[i].origin - origin)
        inertia.append(spatial(rigid))
        gyro.append(gyroscopic(inertia[i], twist))
    C = zeros(mechanism.n, mechanism.n)
    for j in reversed(range(len(bodies))):
        for column, (s, rate) in enumerate(zip(S[j], Sdot[j], strict=True), start=bodies[j].v.start):
            force = inertia[j] @ six(rate) + gyro[j] @ six(s)
            momentum, turned = inertia[j] @ six(s), gyro[j].T @ six(s)
            i = j
            while i != BASE:
                for row, (above, above_rate) in enumerate(zip(S[i], Sdot[i], strict=True), start=bodies[i].v.start):
                    C[row, column] = C[row, column] + dot(six(above), force)
                    if i != j:
                        C[column, row] = C[column, row] + dot(six(above_rate), momentum) + dot(six(above), turned)
                i = bodies[i].parent
        parent = bodies[j].parent
        if parent != BASE:
            inertia[parent], gyro[parent] = inertia[parent] + inertia[j], gyro[parent] + gyro[j]
    return C
