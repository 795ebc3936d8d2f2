"""First derivatives of the joint wrenches of a tree, by the recursion of `inverse_dynamics_slopes`.

The change of the wrench F_i through joint i, in the axes of body i, is D_j F_i = I_i z_j + B_i 2 y_j where a joint j
between it and the base (or i itself) is displaced, because these axes go along. For a joint j beyond i they stay where
they are, and the change is what j brings, s_j x* F_j + I_j z_j + B_j 2 y_j, seen from body i.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from loadpath.algorithms.co_moving import Carried, MovingInertia, OwnMotion, carried_bodies, composites
from loadpath.algorithms.inverse_dynamics_slopes import plus, towards_base
from loadpath.mechanics.springs import line_wrench
from loadpath.mechanics.wrenches import External, Wrench, at_frame
from loadpath.robot.mechanism import Body, Mechanism
from loadpath.scalars import Array, Scalar, array, cross, scale, zeros


class Changes(NamedTuple):
    """How the wrench that accelerates what is beyond a joint changes with one of a joint's speeds."""

    q: Wrench
    qd: Wrench
    qdd: Wrench


def joint_wrench_slopes(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, ...]:
    """Derivatives (joints, 3, n) of the forces and of the torques at every joint: of both by a motion of q, of both by
    qd, of both by qdd. Joint frames are those of `joint_wrenches`, and go along with their links.
    """
    bodies = carried_bodies(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    composite = composites(mechanism, q, bodies, external)
    frames: dict[int, list[int]] = {}
    for row, frame in enumerate(mechanism.joint_frames.values()):
        frames.setdefault(frame.body, []).append(row)
    placed = list(mechanism.joint_frames.values())
    result = tuple(zeros(len(placed), 3, mechanism.n) for _ in range(6))

    def add(i: int, column: int, changes: tuple[Wrench, ...], to_body: Callable[[Wrench], Wrench]) -> None:
        for part, change in enumerate(changes):
            seen = to_body(change)
            for row in frames.get(i, ()):
                f, n = at_frame(placed[row], *seen)
                force, torque = result[2 * part], result[2 * part + 1]
                force[row, :, column], torque[row, :, column] = force[row, :, column] + f, torque[row, :, column] + n

    for i, body in enumerate(mechanism.bodies):
        own = _into(bodies[i])
        for j in (i, *towards_base(mechanism, i)):
            for k in range(len(bodies[j].s)):
                add(i, mechanism.bodies[j].v.start + k, _changes(composite[i], bodies[j], k), own)
        for k, s in enumerate(bodies[i].s):
            q_, qd_, qdd_ = _changes(composite[i], bodies[i], k)
            outer = Changes(plus(q_, s.crossed_with(composite[i].wrench)), qd_, qdd_)
            for inner in towards_base(mechanism, i):
                add(inner, body.v.start + k, outer, _into(bodies[inner]))
        for k, pulled in enumerate(_line_slopes(body, q, qd, qdd)):
            add(i, body.v.start + k, (pulled,), lambda wrench: wrench)
    return result


def _changes(composite: MovingInertia, joint: Carried, k: int) -> Changes:
    """Of the wrench on a composite body, seen by it, with speed k of a joint that carries it."""
    s = joint.s[k]
    return Changes(
        plus(composite.accelerated(joint.z[k]), composite.turned_by(scale(2.0, joint.y[k].angular)),
             composite.left_behind(s)),
        plus(composite.accelerated(joint.half_w[k].scaled(2.0)), composite.turned_by(scale(2.0, s.angular))),
        composite.accelerated(s),
    )


def _into(body: Carried) -> Callable[[Wrench], Wrench]:
    """To the body's axes and origin."""

    def seen(wrench: Wrench) -> Wrench:
        back = body.turn.T
        return Wrench(back @ wrench.force, back @ (wrench.torque - cross(body.origin, wrench.force)))

    return seen


def _line_slopes(body: Body, q: Array, qd: Array, qdd: Array) -> list[Wrench]:
    """What line springs take past the joint, by its own displacements: minus the change of their wrench."""
    if not body.line_springs:
        return []

    def pulled(x: Array, xd: Array, xdd: Array) -> list[Scalar]:
        wrench = line_wrench(body, x)
        return [] if wrench is None else [*wrench.force, *wrench.torque]

    found = OwnMotion(body, q, qd, qdd).by_displacement(pulled)
    return [Wrench(array([-x for x in column[:3]]), array([-x for x in column[3:]])) for column in found.T]
