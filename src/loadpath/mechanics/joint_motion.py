"""What a joint does to the body that it moves: its turn, its slide and their rates, ready for a recursion."""

from __future__ import annotations

from typing import NamedTuple

from loadpath.robot.mechanism import Body
from loadpath.scalars import Array, Rotation, array, scale, zeros


class JointMotion(NamedTuple):
    """Motion of a body against its parent. `F` are the axes before the joint's motion, `G` the body's own."""

    Q: Rotation
    """[v]_F = Q [v]_G."""
    b: Array
    """Displacement of the body's origin, in F."""
    w: Array
    """Relative angular velocity, in G."""
    wdot: Array
    """Rate of its components in G."""
    u: Array
    """Relative velocity of the origin, in G."""
    udot: Array
    """Rate of its components in G."""


def _own(body: Body, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
    """The joint's own coordinates, speeds and accelerations; those of a mimicking joint follow another's."""
    q, qd, qdd = q[body.q], qd[body.v], qdd[body.v]
    if body.joint.mimic is None:
        return q, qd, qdd
    k = body.multiplier
    return array([k * q[0] + body.offset]), scale(k, qd), scale(k, qdd)


def own_coordinates(body: Body, q: Array) -> Array:
    """The joint's own coordinates; those of a mimicking joint follow another's."""
    return _own(body, q, zeros(body.v.stop), zeros(body.v.stop))[0]


def joint_motion(body: Body, q: Array, qd: Array, qdd: Array) -> JointMotion:
    """The motion that the joint of a body gives it, from the robot's q, qd and qdd."""
    q, qd, qdd = _own(body, q, qd, qdd)
    Q, b = body.motion.placement(q)
    w, wdot, u, udot = zeros(3), zeros(3), zeros(3), zeros(3)
    columns, rates = body.motion.subspace(q), body.motion.subspace_rate(q, qd)
    for k, ((angular, linear), (angular_rate, linear_rate)) in enumerate(zip(columns, rates, strict=True)):
        w = w + scale(qd[k], angular)
        u = u + scale(qd[k], linear)
        wdot = wdot + scale(qdd[k], angular) + scale(qd[k], angular_rate)
        udot = udot + scale(qdd[k], linear) + scale(qd[k], linear_rate)
    return JointMotion(Q, b, w, wdot, u, udot)


def joint_placement(body: Body, q: Array) -> tuple[Rotation, Array]:
    """Rotation and displacement of a joint alone."""
    own, _, _ = _own(body, q, zeros(body.v.stop), zeros(body.v.stop))
    return body.motion.placement(own)


def joint_columns(body: Body, q: Array) -> list[tuple[Array, Array]]:
    """Angular and linear velocity of a body against its parent, per unit of the *robot's* speeds, in body axes."""
    own, _, _ = _own(body, q, zeros(body.v.stop), zeros(body.v.stop))
    columns = body.motion.subspace(own)
    if body.joint.mimic is None:
        return columns
    return [(scale(body.multiplier, angular), scale(body.multiplier, linear)) for angular, linear in columns]


def joint_rates(body: Body, q: Array, qd: Array) -> list[tuple[Array, Array]]:
    """Time derivatives of the components of `joint_columns`."""
    own, speeds, _ = _own(body, q, qd, qd)
    k = body.multiplier
    return [(scale(k, angular), scale(k, linear)) for angular, linear in body.motion.subspace_rate(own, speeds)]
