"""Where every link is, and how it moves per unit of each speed."""

from __future__ import annotations

from typing import NamedTuple

from loadpath.mechanics.joint_motion import joint_columns, joint_motion, joint_placement
from loadpath.robot.mechanism import BASE, Frame, Mechanism
from loadpath.scalars import Array, Rotation, array, cross, dot, vector, zeros


class Placement(NamedTuple):
    """Where a body is in the world."""

    rows: tuple[Array, Array, Array]
    """Rows of the rotation matrix: the world's x, y and z directions in the body's axes."""
    origin: Array

    def to_world(self, v: Array) -> Array:
        """World components of a vector in body axes."""
        return vector(*(dot(row, v) for row in self.rows))

    def from_world(self, v: Array) -> Array:
        """Body components of a vector in world axes."""
        matrix = array([list(row) for row in self.rows])
        result: Array = matrix.T @ v
        return result


def base_placement(mechanism: Mechanism) -> Placement:
    """Where the base's frame is in the world; at the world's own frame, unless frames were chosen otherwise."""
    world = mechanism.base
    axes = tuple(world.rotation @ vector(*(1.0 if k == axis else 0.0 for k in range(3))) for axis in range(3))
    rows = (axes[0], axes[1], axes[2])
    return Placement(rows, vector(*(-dot(row, world.origin) for row in rows)))


def placements(mechanism: Mechanism, q: Array) -> list[Placement]:
    """Where every body is in the world, by the product of the placements from the base outwards."""
    base = base_placement(mechanism)
    bodies: list[Placement] = []
    for body in mechanism.bodies:
        rows, origin = parent = base if body.parent == BASE else bodies[body.parent]
        Q, b = joint_placement(body, q)
        before = Placement(_turned(body.turn, rows), origin + parent.to_world(body.arm))
        bodies.append(Placement(_turned(Q, before.rows), before.origin + before.to_world(b)))
    return bodies


def _turned(turn: Rotation, rows: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
    x, y, z = rows
    return turn.T @ x, turn.T @ y, turn.T @ z


def frame_placement(mechanism: Mechanism, bodies: list[Placement], frame: Frame) -> Placement:
    """Where a frame on a body is in the world."""
    carrier = base_placement(mechanism) if frame.body == BASE else bodies[frame.body]
    return Placement(_turned(frame.rotation, carrier.rows), carrier.origin + carrier.to_world(frame.origin))


def point_on(mechanism: Mechanism, bodies: list[Placement], frame: Frame, point: Array | None) -> Array:
    """Where a point given in a frame on a body is in the world; the frame's origin where none is given."""
    placed = frame_placement(mechanism, bodies, frame)
    return placed.origin if point is None else placed.origin + placed.to_world(point)


def link_poses(mechanism: Mechanism, q: Array) -> Array:
    """Homogeneous matrices (links, 4, 4) of the link frames in the world."""
    bodies = placements(mechanism, q)
    poses = zeros(len(mechanism.link_frames), 4, 4)
    for k, frame in enumerate(mechanism.link_frames.values()):
        rows, origin = frame_placement(mechanism, bodies, frame)
        for i in range(3):
            poses[k, i, :3], poses[k, i, 3] = rows[i], origin[i]
        poses[k, 3, 3] = 1.0
    return poses


def jacobian(mechanism: Mechanism, q: Array, link: str, point: Array | None = None) -> Array:
    """Jacobian (6, n) of a link: velocity of its origin, or of a point in its frame, above its angular velocity, in
    world axes, per unit speed.
    """
    bodies = placements(mechanism, q)
    frame = mechanism.link_frames[link]
    tip = point_on(mechanism, bodies, frame, point)
    columns = zeros(6, mechanism.n)
    i = frame.body
    while i != BASE:
        body, at = mechanism.bodies[i], bodies[i]
        for k, (angular, linear) in enumerate(joint_columns(body, q), start=body.v.start):
            omega = at.to_world(angular)
            columns[:3, k] = columns[:3, k] + at.to_world(linear) + cross(omega, tip - at.origin)
            columns[3:, k] = columns[3:, k] + omega
        i = body.parent
    return columns


def moving_bodies(mechanism: Mechanism) -> list[bool]:
    """For every body whether it can move against the base."""
    moves: list[bool] = []
    for body in mechanism.bodies:
        moves.append(body.motion.dof > 0 or (body.parent != BASE and moves[body.parent]))
    return moves


# Velocities of all bodies from the base outwards, each in its own axes.

class Velocity(NamedTuple):
    """Angular velocity of a body and velocity of its origin."""

    omega: Array
    v: Array


def body_velocities(mechanism: Mechanism, q: Array, qd: Array, base: Velocity | None = None) -> list[Velocity]:
    """The velocity of every body, on a base at rest or with the given velocity (of its frame, in its axes)."""
    no_acceleration = zeros(mechanism.n)
    base = base or Velocity(zeros(3), zeros(3))
    found: list[Velocity] = []
    for body in mechanism.bodies:
        omega, v = base if body.parent == BASE else found[body.parent]
        move = joint_motion(body, q, qd, no_acceleration)
        omega_f = body.turn.T @ omega
        v_f = body.turn.T @ (v + cross(omega, body.arm))
        omega_i = move.Q.T @ omega_f + move.w  # (7.26a)
        v_i = move.Q.T @ (v_f + cross(omega_f, move.b)) + move.u  # (7.33a), (7.34e), at the origin
        found.append(Velocity(omega_i, v_i))
    return found
