"""How the second link of a loop moves against the first: relative twist, and the rate of its components.

Both are at the origin and in the axes of the frame `on`, so a hinge's held directions are constants there.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.algorithms.loops.paths import path_of, relative_placement
from loadpath.mechanics.joint_motion import JointMotion, joint_motion
from loadpath.robot.mechanism import ClosedLoop, Frame, Mechanism
from loadpath.scalars import Array, Rotation, cross, zeros


class Twist(NamedTuple):
    """Angular velocity and velocity of the origin in some axes, and the rates of their components there."""

    omega: Array
    v: Array
    omega_rate: Array
    v_rate: Array


class RelativeMotion(NamedTuple):
    """The frame `on` against the frame `at`."""

    Q: Rotation
    """[v]_at = Q [v]_on."""
    b: Array
    """The origin of `on`, in the axes of `at`."""
    twist: Twist
    """In the axes of `on`."""


def relative_motion(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, loop: ClosedLoop) -> RelativeMotion:
    """The relative motion in a loop."""
    path = path_of(mechanism, loop)
    Q, b = relative_placement(mechanism, q, loop)
    first = _end(mechanism, q, qd, qdd, path.first, loop.at)
    second = _end(mechanism, q, qd, qdd, path.second, loop.on)
    # What a joint between the frames would add to the motion of `at` to give that of `on`: `_moved`, solved for it.
    omega_p, v_p = Q.T @ first.omega, Q.T @ (first.v + cross(first.omega, b))
    w, u = second.omega - omega_p, second.v - v_p
    carried = Q.T @ (first.v_rate + cross(first.omega_rate, b))
    w_rate = second.omega_rate - (Q.T @ first.omega_rate + cross(omega_p, w))
    u_rate = second.v_rate - (carried + cross(omega_p, u) - cross(w, v_p))
    return RelativeMotion(Q, b, Twist(w, u, w_rate, u_rate))


def _end(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, bodies: list[int], frame: Frame) -> Twist:
    """The motion of a frame at the end of a chain of bodies whose beginning is at rest."""
    twist = Twist(zeros(3), zeros(3), zeros(3), zeros(3))
    for number in bodies:
        body = mechanism.bodies[number]
        twist = _moved(_seen_from(twist, body.turn, body.arm), joint_motion(body, q, qd, qdd))
    return _seen_from(twist, frame.rotation, frame.origin)


def _seen_from(twist: Twist, turn: Rotation, arm: Array) -> Twist:
    """The same body's motion at another of its points, in other of its axes."""
    omega, v, omega_rate, v_rate = twist
    return Twist(
        turn.T @ omega,
        turn.T @ (v + cross(omega, arm)),
        turn.T @ omega_rate,
        turn.T @ (v_rate + cross(omega_rate, arm)),
    )


def _moved(parent: Twist, joint: JointMotion) -> Twist:
    """The motion beyond a joint, from that before it."""
    Q, b, w, wdot, u, udot = joint
    omega_p, v_p = Q.T @ parent.omega, Q.T @ (parent.v + cross(parent.omega, b))
    carried = Q.T @ (parent.v_rate + cross(parent.omega_rate, b))
    return Twist(
        omega_p + w,
        v_p + u,
        Q.T @ parent.omega_rate + cross(omega_p, w) + wdot,
        carried + cross(omega_p, u) - cross(w, v_p) + udot,
    )
