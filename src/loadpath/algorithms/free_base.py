"""A robot whose base nobody holds, in space: how the base answers the motion of the arm.

Momentum of the whole is that of everything locked together and moving with the base, plus that of the arm moving
on the base (Umetani and Yoshida 1989, eq. 5 and 6):

    p = m v_c,      h_c = I_c omega + (what the joints add to both).

So with given momentum, mostly none, the base's velocity follows from that of the joints, and the velocity of any link
from the joints' alone, by the generalized Jacobian. The base's acceleration is the one for which nothing has to hold
the base: the wrench on it is zero.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.algorithms.composite_body import RigidInertia, composites
from loadpath.algorithms.momentum import momentum_at_base
from loadpath.formulations.newton_euler import base_wrench
from loadpath.mechanics.joint_motion import joint_placement
from loadpath.mechanics.kinematics import jacobian, placements, point_on
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import LTDL, Array, Scalar, array, cross, inertia_tensor, ltdl, outer, scale, zeros


class Locked(NamedTuple):
    """Base and arm as one rigid body, in the axes of the base's frame."""

    mass: Scalar
    center: Array
    """Mass center, from the origin of the base's frame."""
    tensor: LTDL
    """Factors of the inertia tensor about the mass center."""

    def motion_for(self, p: Array, h_c: Array) -> tuple[Array, Array]:
        """Velocity of the frame's origin and angular velocity at which it has a momentum p, and h_c about its center.

        As well the acceleration under a force p and a torque h_c.
        """
        omega = self.tensor.solve(h_c)
        return scale(1.0 / self.mass, p) - cross(omega, self.center), omega


def whole(mechanism: Mechanism, q: Array) -> RigidInertia:
    """Mass, moment and tensor of base and arm, about the origin of the base's frame, in its axes."""
    own = mechanism.base_inertia
    total = RigidInertia(own.mass, own.moment, own.inertia)
    placement = [joint_placement(body, q) for body in mechanism.bodies]
    for body, (Q, b), part in zip(mechanism.bodies, placement, composites(mechanism, placement), strict=True):
        if body.parent == BASE:
            total = total + part.turned(Q).shifted(b).turned(body.turn).shifted(body.arm)
    return total


def locked(mechanism: Mechanism, q: Array) -> Locked:
    """Base and arm as one rigid body."""
    mass, moment, tensor = whole(mechanism, q)
    center = scale(1.0 / mass, moment)
    return Locked(mass, center, ltdl(tensor - inertia_tensor(outer(center, moment))))


def _root_velocity(mechanism: Mechanism, v: Array, omega: Array) -> Array:
    """Velocity of the root link's origin and angular velocity, in its axes, from those of the base's frame."""
    root = mechanism.base
    return array([*(root.rotation.T @ (v + cross(omega, root.origin))), *(root.rotation.T @ omega)])


def base_per_speed(mechanism: Mechanism, q: Array) -> Array:
    """Matrix (6, n): velocity of the root link's origin, and its angular velocity, in its axes, per unit of each speed
    of the joints, without momentum.
    """
    body, joints = locked(mechanism, q), momentum_at_base(mechanism, q)
    columns = zeros(6, mechanism.n)
    for k in range(mechanism.n):
        p, h = joints[:3, k], joints[3:, k]
        columns[:, k] = _root_velocity(mechanism, *body.motion_for(-p, cross(body.center, p) - h))
    return columns


def free_base_velocity(mechanism: Mechanism, q: Array, qd: Array, momentum: Array | None = None) -> Array:
    """Velocity (6) of the root link, linear first, in its axes, for given speeds of the joints and given momentum:
    linear, and angular about the mass center of the whole, in the root link's axes.
    """
    body = locked(mechanism, q)
    joints = momentum_at_base(mechanism, q) @ qd
    p, h = -joints[:3], -joints[3:]
    h_c = h - cross(body.center, p)
    if momentum is not None:
        to_base = mechanism.base.rotation
        p, h_c = p + to_base @ momentum[:3], h_c + to_base @ momentum[3:]
    return _root_velocity(mechanism, *body.motion_for(p, h_c))


def free_base_motion(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    momentum: Array | None = None,
    external: External | None = None,
) -> tuple[Array, Array]:
    """Velocity and acceleration (6 each, linear first, in its axes) of the root link of a robot that nothing holds."""
    velocity = free_base_velocity(mechanism, q, qd, momentum)
    # Held at zero acceleration it would take this wrench; without it, it accelerates the other way.
    force, torque = base_wrench(mechanism, q, qd, qdd, external, velocity, zeros(6))
    root = mechanism.base
    f = root.rotation @ force
    n = root.rotation @ torque + cross(root.origin, f)
    body = locked(mechanism, q)
    acceleration = _root_velocity(mechanism, *body.motion_for(-f, cross(body.center, f) - n))
    return velocity, acceleration


def generalized_jacobian(mechanism: Mechanism, q: Array, link: str, point: Array | None = None) -> Array:
    """Jacobian (6, n) of a link of a robot that floats without momentum: velocity of its origin (or of a point in its
    frame) above its angular velocity, in the root link's axes, per unit speed of the joints, with the base's answer.
    """
    base = base_per_speed(mechanism, q)
    result = jacobian(mechanism, q, link, point)
    arm = point_on(mechanism, placements(mechanism, q), mechanism.link_frames[link], point)
    for k in range(mechanism.n):
        v, omega = base[:3, k], base[3:, k]
        result[:, k] = result[:, k] + array([*(v + cross(omega, arm)), *omega])
    return result
