"""The reaction at one joint or loop of a closed chain in one direction: its wrench, projected."""

from __future__ import annotations

from loadpath.algorithms.loops.reactions import Compliances, joint_wrenches
from loadpath.loads.reaction import Axes, component
from loadpath.mechanics.kinematics import frame_placement, placements
from loadpath.mechanics.wrenches import External
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.scalars import Array, Scalar, cross


def _wrench_in(
    mechanism: ClosedMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    joint: str | None,
    axes: Axes,
    external: External | None,
    base_velocity: Array | None,
    base_acceleration: Array | None,
    weights: Array | None,
    preload: Array | None,
    compliances: Compliances,
) -> tuple[Array, Array, Array]:
    """Force and torque at a joint's origin, in the child's joint frame (of a loop: in its frame `on`) or in world axes,
    and the status of the state.
    """
    frames = {**mechanism.joint_frames, **{loop.name: loop.on for loop in mechanism.loops}}
    if joint is None or joint not in frames:
        problem = "name the joint, joint=..." if joint is None else f"there is no joint {joint!r}"
        raise ValueError(f"{problem}; there are {', '.join(frames)}")
    if axes not in ("joint", "world"):
        raise ValueError(f"axes are {axes!r}: expected 'joint' or 'world'")
    forces, torques, status = joint_wrenches(
        mechanism, q, qd, qdd, external, base_velocity, base_acceleration, weights, preload, compliances
    )
    k = list(frames).index(joint)
    force, torque = forces[k], torques[k]
    if axes == "world":
        at = frame_placement(mechanism, placements(mechanism, q), frames[joint])
        force, torque = at.to_world(force), at.to_world(torque)
    return force, torque, status


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
    """Force at a joint or loop along a direction, exerted by the parent on the child (the first link on the second)."""
    moving = base_velocity, base_acceleration
    force, _, status = _wrench_in(
        mechanism, q, qd, qdd, joint, axes, external, *moving, weights, preload, compliances
    )  # fmt: skip
    return component(direction, force), status


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
    """Torque at a joint or loop about a line; the line goes through `point`, counted from the joint's origin, or through
    that origin.
    """
    moving = base_velocity, base_acceleration
    force, torque, status = _wrench_in(
        mechanism, q, qd, qdd, joint, axes, external, *moving, weights, preload, compliances
    )  # fmt: skip
    if point is not None:
        torque = torque - cross(point, force)
    return component(direction, torque), status
