"""The reaction at one joint or loop in one direction: its wrench (`loops/reactions`), projected.

The closed form of the same, by a virtual joint in that direction, is `generalized_coefficients.reaction_component`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from loadpath.algorithms.loops.reactions import Compliances, settled
from loadpath.mechanics.kinematics import frame_placement, placements
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Frame, Mechanism
from loadpath.scalars import Array, Scalar, cross, dot, scale, sqrt

Axes = Literal["joint", "world"]


def frame_of(frames: Mapping[str, Frame], joint: str | None, axes: Axes) -> Frame:
    """The frame of the joint that is named, or an error that says what is wrong with the choice."""
    if joint is None or joint not in frames:
        problem = "name the joint, joint=..." if joint is None else f"there is no joint {joint!r}"
        raise ValueError(f"{problem}; there are {', '.join(frames)}")
    if axes not in ("joint", "world"):
        raise ValueError(f"axes are {axes!r}: expected 'joint' or 'world'")
    return frames[joint]


def _wrench_in(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, joint: str | None, axes: Axes, *loads: Any
) -> tuple[Array, Array, Array]:
    """Force and torque at the origin of a joint or loop, in the child's joint frame or in world axes, and the status of
    the state; `loads` and what follows as in `loops.reactions.joint_wrenches`.
    """
    frames = {**mechanism.joint_frames, **{loop.name: loop.on for loop in mechanism.loops}}
    frame = frame_of(frames, joint, axes)
    wrench_at, _, trust = settled(mechanism, q, qd, qdd, *loads)
    force, torque = wrench_at(str(joint))
    if axes == "joint":
        return force, torque, trust
    at = frame_placement(mechanism, placements(mechanism, q), frame)
    return at.to_world(force), at.to_world(torque), trust


def component(direction: Array, v: Array) -> Scalar:
    """The part of a vector along a direction of any length."""
    length = sqrt(dot(direction, direction))
    return dot(scale(1.0 / length, direction), v)


def force_along(
    mechanism: Mechanism,
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
    """Force at a joint or loop along a direction, exerted by the parent on the child (the first link on the second),
    and the status of the state.
    """
    loads = external, base_velocity, base_acceleration, weights, preload, compliances
    force, _, trust = _wrench_in(mechanism, q, qd, qdd, joint, axes, *loads)
    return component(direction, force), trust


def torque_about(
    mechanism: Mechanism,
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
    """Torque at a joint or loop about a line, exerted by the parent on the child (the first link on the second); the
    line goes through `point`, counted from its origin, or through that origin. And the status of the state.
    """
    loads = external, base_velocity, base_acceleration, weights, preload, compliances
    force, torque, trust = _wrench_in(mechanism, q, qd, qdd, joint, axes, *loads)
    if point is not None:
        torque = torque - cross(point, force)
    return component(direction, torque), trust
