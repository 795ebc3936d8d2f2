"""Springs at joints: what they take from the drives, what they put on the links, and what they store."""

from __future__ import annotations

from loadpath.mechanics.joint_motion import joint_placement, own_coordinates
from loadpath.mechanics.wrenches import Wrench
from loadpath.robot.drive_train.drive import TorsionSpring
from loadpath.robot.mechanism import Body, Mechanism, PlacedSpring
from loadpath.scalars import Array, Scalar, cross, dot, scale, sqrt, zeros


def torsion_forces(body: Body, q: Array) -> list[Scalar]:
    """What springs in parallel with the drives take from them, per speed of the joint's own: k (q - rest) - preload."""
    forces: list[Scalar] = [0.0] * len(body.joint.springs)
    for k, springs in enumerate(body.joint.springs):
        for spring in springs:
            if isinstance(spring, TorsionSpring):
                own = own_coordinates(body, q)[k]
                forces[k] = forces[k] + spring.stiffness * (own - spring.rest) - spring.preload
    return forces


def line_wrench(body: Body, q: Array) -> Wrench | None:
    """What springs between parent and child exert on the child, at its origin in its axes; None where there are none.

    The bearing and the drive together carry the wrench that the child needs less this one. Parent and child hold the
    two ends, so what goes on to the parent is the same with and without them.
    """
    if not body.line_springs:
        return None
    force, torque = zeros(3), zeros(3)
    for placed in body.line_springs:
        d, length = _line(body, placed, q)
        f = scale(_per_length(placed, length), d)
        force, torque = force + f, torque + cross(placed.on_child, f)
    return Wrench(force, torque)


def energy(body: Body, q: Array) -> Scalar:
    """What the springs of a joint store (J): zero at rest without a preload, and at the free length."""
    stored: Scalar = 0.0
    for k, springs in enumerate(body.joint.springs):
        for spring in springs:
            if isinstance(spring, TorsionSpring):
                way = own_coordinates(body, q)[k] - spring.rest
                stored = stored + 0.5 * spring.stiffness * (way * way) - spring.preload * way
    for placed in body.line_springs:
        spring_ = placed.spring
        d, length = _line(body, placed, q)
        if length is None:
            stored = stored + 0.5 * spring_.stiffness * dot(d, d)
        else:
            way = length - spring_.free_length
            stored = stored + 0.5 * spring_.stiffness * (way * way) + spring_.preload * way
    return stored


def has_springs(mechanism: Mechanism) -> bool:
    """Whether any joint has a spring."""
    return any(any(body.joint.springs) for body in mechanism.bodies)


def _line(body: Body, placed: PlacedSpring, q: Array) -> tuple[Array, Scalar | None]:
    """From the child's end to the parent's, in the child's axes, and its length, where that is needed."""
    Q, b = joint_placement(body, q)
    end = Q.T @ (body.turn.T @ (placed.on_parent - body.arm) - b)
    d: Array = end - placed.on_child
    spring = placed.spring
    ideal = spring.preload == spring.stiffness * spring.free_length  # its force is stiffness times d: no length needed
    return d, None if ideal else sqrt(dot(d, d))


def _per_length(placed: PlacedSpring, length: Scalar | None) -> Scalar:
    """Its pull divided by its length."""
    spring = placed.spring
    if length is None:
        return spring.stiffness
    return spring.stiffness + (spring.preload - spring.stiffness * spring.free_length) / length
