"""External wrenches: what the surroundings exert on links, brought to the bodies that carry them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from loadpath.mechanics.kinematics import Placement, placements
from loadpath.robot.mechanism import BASE, Body, Frame, Mechanism
from loadpath.scalars import Array, Rotation, array, cross, vector, zeros


class Applied(NamedTuple):
    """A wrench on a link, at the origin of the link's frame, in world axes or in those of the link's frame."""

    force: Array
    torque: Array
    in_world_axes: bool = True


External = Mapping[str, Applied]
"""External wrenches by the name of the link that they act on."""


class Wrench(NamedTuple):
    """A force and a torque about the origin of the axes that they are in."""

    force: Array
    torque: Array


def on_body(frame: Frame, force: Array, torque: Array) -> Wrench:
    """A wrench at a frame's origin and in its axes, moved to the origin and axes of the body that carries it."""
    f = frame.rotation @ force
    return Wrench(f, frame.rotation @ torque + cross(frame.origin, f))


def at_frame(frame: Frame, force: Array, torque: Array) -> Wrench:
    """A wrench at a body's origin and in its axes, moved to the origin and axes of a frame on the body."""
    return Wrench(frame.rotation.T @ force, frame.rotation.T @ (torque - cross(frame.origin, force)))


def towards_base(body: Body, Q: Rotation, b: Array, force: Array, torque: Array) -> Wrench:
    """A wrench (or momentum) at a body's origin, in its axes, seen from its parent's origin in the parent's axes.

    `Q` and `b` are the turn and the slide of the joint between them.
    """
    phi = Q @ force
    nu = Q @ torque + cross(b, phi)
    phi, nu = body.turn @ phi, body.turn @ nu
    return Wrench(phi, nu + cross(body.arm, phi))


def away_from_base(body: Body, Q: Rotation, b: Array, force: Array, torque: Array) -> Wrench:
    """A wrench at the origin of a body's parent, in its axes, seen from the body's origin in the body's axes: the
    inverse of `towards_base`.
    """
    phi = body.turn.T @ force
    nu = body.turn.T @ (torque - cross(body.arm, force))
    return Wrench(Q.T @ phi, Q.T @ (nu - cross(b, phi)))


def on_bodies(mechanism: Mechanism, q: Array, external: External | None) -> list[Wrench]:
    """For every body the sum of the external wrenches on it, in its axes, about its origin."""
    sums = [Wrench(zeros(3), zeros(3)) for _ in mechanism.bodies]
    external = external or {}
    bodies: list[Placement] = []
    if any(wrench.in_world_axes for wrench in external.values()):
        bodies = placements(mechanism, q)
    for link, (force, torque, in_world_axes) in external.items():
        frame = mechanism.link_frames[link]
        if frame.body == BASE:
            continue  # what holds the base takes it: `on_base`
        if in_world_axes:
            f = bodies[frame.body].from_world(force)
            n = bodies[frame.body].from_world(torque) + cross(frame.origin, f)
        else:
            f, n = on_body(frame, force, torque)
        before = sums[frame.body]
        sums[frame.body] = Wrench(before.force + f, before.torque + n)
    return sums


def on_base(mechanism: Mechanism, external: External | None) -> Wrench:
    """The external wrench on the root link, at the origin and in the axes of the base's frame.

    The root link's own axes and the world's are the same here: a base that moves is seen when they coincide.
    """
    sum_ = Wrench(zeros(3), zeros(3))
    for link, (force, torque, _) in (external or {}).items():
        frame = mechanism.link_frames[link]
        if frame.body == BASE:
            f, n = on_body(frame, force, torque)
            sum_ = Wrench(sum_.force + f, sum_.torque + n)
    return sum_


# What acts on a robot from outside: external wrenches, a base that moves, and gravity other than the robot's own.

BASE_MOTION = {"base_velocity": (6,), "base_acceleration": (6,)}
"""The arrays that give the motion of the base, with their core shapes: linear first, in the root link's axes."""
GRAVITY = {"gravity": (3,)}
"""Acceleration of gravity in world axes, in place of the robot's own."""
ON_BASE = {**BASE_MOTION, **GRAVITY}
"""All that may act on every link at once."""


def under_gravity(mechanism: Any, gravity: Array) -> Any:
    """The same mechanism, or what is made of one, under another gravity (world axes): the equations do not know whether
    it is a number of the robot or an argument.
    """
    own = getattr(mechanism, "under_gravity", None)
    return replace(mechanism, gravity=mechanism.base.rotation @ gravity) if own is None else own(gravity)


# The small formulas of a rigid body that the recursions share.

def angular_acceleration_matrix(omega: Array, omegadot: Array) -> Array:
    """W = [omegadot]x + [omega]x [omega]x, so that a point at rho accelerates by W rho against the origin.

    W rho is the omegadot x rho + omega x (omega x rho) of the book (7.33b).
    """
    x, y, z = omega
    ax, ay, az = omegadot
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return array(
        [
            [-(yy + zz), xy - az, xz + ay],
            [xy + az, -(xx + zz), yz - ax],
            [xz - ay, yz + ax, -(xx + yy)],
        ]
    )


def euler_torque(inertia: Array, W: Array, omega: Array, omegadot: Array) -> Array:
    """I omegadot + omega x (I omega), gathered by the entries of I so that the products in W serve again."""
    xx, yy, zz = inertia[0, 0], inertia[1, 1], inertia[2, 2]
    xy, xz, yz = inertia[0, 1], inertia[0, 2], inertia[1, 2]
    x, y, z = omega
    ax, ay, az = omegadot
    return vector(
        xx * ax + (zz - yy) * (y * z) + xz * W[1, 0] - xy * W[2, 0] + yz * (y * y - z * z),
        yy * ay + (xx - zz) * (x * z) + xy * W[2, 1] - yz * W[0, 1] + xz * (z * z - x * x),
        zz * az + (yy - xx) * (x * y) + yz * W[0, 2] - xz * W[1, 2] + xy * (x * x - y * y),
    )


def turned_matrix(Q: Rotation, of: Array) -> Array:
    """Q A Q^T of any 3 x 3 matrix A (`Rotation.tensor` is for symmetric ones)."""
    result = zeros(3, 3)
    for k in range(3):
        result[:, k] = Q @ of[:, k]
    for k in range(3):
        result[k] = Q @ result[k]
    return result
