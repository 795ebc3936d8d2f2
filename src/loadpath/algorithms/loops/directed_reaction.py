"""The reaction at one joint or loop of a closed robot in one direction: its wrench, projected."""

from __future__ import annotations

from loadpath.algorithms.directed_reaction import Axes, component, frame_of
from loadpath.algorithms.loops.reactions import Compliances, joint_wrenches
from loadpath.mechanics.kinematics import frame_placement, placements
from loadpath.mechanics.wrenches import External
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.scalars import Array, Scalar, cross


def _wrench_in(
    mechanism: ClosedMechanism, q: Array, joint: str | None, axes: Axes, force: Array, torque: Array
) -> tuple[Array, Array]:
    """Force and torque at one joint or loop, in its joint frame or in world axes, from those of all."""
    frames = {**mechanism.joint_frames, **{loop.name: loop.on for loop in mechanism.loops}}
    frame = frame_of(frames, joint, axes)
    row = [*frames.values()].index(frame)
    if axes == "joint":
        return force[row], torque[row]
    at = frame_placement(mechanism, placements(mechanism, q), frame)
    return at.to_world(force[row]), at.to_world(torque[row])


def force_along(
    mechanism: ClosedMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    direction: Array,
    joint: str | None = None,
    axes: Axes = "joint",
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
    compliances: Compliances = (),
) -> tuple[Scalar, Array]:
    """Force at a joint or loop along a direction, and the status of the state."""
    force, torque, trust = joint_wrenches(
        mechanism, q, qd, qdd, external, base_velocity, base_acceleration, weights, preload, compliances
    )
    force, _ = _wrench_in(mechanism, q, joint, axes, force, torque)
    return component(direction, force), trust


def torque_about(
    mechanism: ClosedMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    direction: Array,
    joint: str | None = None,
    axes: Axes = "joint",
    point: Array | None = None,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
    compliances: Compliances = (),
) -> tuple[Scalar, Array]:
    """Torque at a joint or loop about a line along a direction through its origin, or through a point seen from there;
    and the status of the state.
    """
    force, torque, trust = joint_wrenches(
        mechanism, q, qd, qdd, external, base_velocity, base_acceleration, weights, preload, compliances
    )
    force, torque = _wrench_in(mechanism, q, joint, axes, force, torque)
    if point is not None:
        torque = torque - cross(point, force)
    return component(direction, torque), trust
