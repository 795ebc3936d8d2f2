"""Velocities and accelerations of all links, on a base at rest or moving."""

from __future__ import annotations

from loadpath.formulations.newton_euler import base_motion, outward
from loadpath.mechanics.kinematics import Placement, Velocity, base_placement, body_velocities, placements
from loadpath.robot.mechanism import BASE, Frame, Mechanism
from loadpath.scalars import Array, cross, zeros


def link_velocities(
    mechanism: Mechanism, q: Array, qd: Array, base_velocity: Array | None = None
) -> tuple[Array, Array]:
    """Velocity of every link's origin and its angular velocity, each (links, 3), in world axes."""
    root = mechanism.base
    base = Velocity(zeros(3), zeros(3))
    if base_velocity is not None:
        omega_0 = root.rotation @ base_velocity[3:]
        base = Velocity(omega_0, root.rotation @ base_velocity[:3] - cross(omega_0, root.origin))
    bodies = body_velocities(mechanism, q, qd, base)
    linear, angular = zeros(len(mechanism.link_frames), 3), zeros(len(mechanism.link_frames), 3)
    for k, (at, frame) in enumerate(_carriers(mechanism, q)):
        omega, v = base if frame.body == BASE else bodies[frame.body]
        linear[k], angular[k] = at.to_world(v + cross(omega, frame.origin)), at.to_world(omega)
    return linear, angular


def link_accelerations(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Acceleration of every link's origin (gravity is none) and its angular acceleration, (links, 3), world axes."""
    base = base_motion(mechanism, base_velocity, base_acceleration)
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    gravity = base_placement(mechanism).to_world(mechanism.gravity)
    linear, angular = zeros(len(mechanism.link_frames), 3), zeros(len(mechanism.link_frames), 3)
    for k, (at, frame) in enumerate(_carriers(mechanism, q)):
        _, omegadot, W, oddot = base if frame.body == BASE else links[frame.body][1:]
        linear[k] = at.to_world(oddot + W @ frame.origin) + gravity
        angular[k] = at.to_world(omegadot)
    return linear, angular


def _carriers(mechanism: Mechanism, q: Array) -> list[tuple[Placement, Frame]]:
    """For every link where the body that carries it is, and its frame there."""
    bodies, base = placements(mechanism, q), base_placement(mechanism)
    frames = mechanism.link_frames.values()
    return [(base if frame.body == BASE else bodies[frame.body], frame) for frame in frames]
