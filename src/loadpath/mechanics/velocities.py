"""Velocities of all bodies from the base outwards, each in its own axes."""

from __future__ import annotations

from typing import NamedTuple

from loadpath.mechanics.joint_motion import joint_motion
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, cross, zeros


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
