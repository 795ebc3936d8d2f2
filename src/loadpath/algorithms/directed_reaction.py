"""The reaction at one joint in one direction: the joint wrench of Newton and Euler, projected.

The closed form of the same, by a virtual joint in that direction, is `generalized_coefficients.reaction_component`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from loadpath.formulations.newton_euler import inward, outward
from loadpath.mechanics.drives import carried
from loadpath.mechanics.kinematics import frame_placement, placements
from loadpath.mechanics.wrenches import External, at_frame, on_bodies
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
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    joint: str | None,
    axes: Axes,
    external: External | None,
    base_velocity: Array | None,
    base_acceleration: Array | None,
) -> tuple[Array, Array]:
    """Force and torque at a joint's origin, in the child's joint frame or in world axes."""
    frame = frame_of(mechanism.joint_frames, joint, axes)
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    joints = carried(mechanism, q, inward(mechanism, links, on_bodies(mechanism, q, external)))
    force, torque = at_frame(frame, *joints[frame.body])
    if axes == "world":
        at = frame_placement(mechanism, placements(mechanism, q), frame)
        force, torque = at.to_world(force), at.to_world(torque)
    return force, torque


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
) -> Scalar:
    """Force at a joint along a direction, exerted by the parent on the child."""
    force, _ = _wrench_in(mechanism, q, qd, qdd, joint, axes, external, base_velocity, base_acceleration)
    return component(direction, force)


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
) -> Scalar:
    """Torque at a joint about a line, exerted by the parent on the child; the line goes through `point`, counted from
    the joint's origin, or through that origin.
    """
    force, torque = _wrench_in(mechanism, q, qd, qdd, joint, axes, external, base_velocity, base_acceleration)
    if point is not None:
        torque = torque - cross(point, force)
    return component(direction, torque)
