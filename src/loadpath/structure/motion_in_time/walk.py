"""From the base of a moving flexible arm outwards: where all bodies and steps are, and how they move."""

from __future__ import annotations

from typing import NamedTuple

from loadpath.mechanics.joint_motion import joint_columns, joint_motion, joint_placement
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import BASE, Body, Frame
from loadpath.scalars import Array, Scalar, array, cross, dot, skew, zeros
from loadpath.structure.motion_in_time.chain import ON_BODY, Chain
from loadpath.structure.motion_in_time.mass_point import STANDING, Moving


class _Walk(NamedTuple):
    bodies: list[Moving]
    starts: list[Moving]
    """At the start of every step, in beam axes."""
    ends: list[Moving]
    joint_columns: Array
    """(columns, 6): twist per unit of a joint's speed, linear part first, world axes, about the world's origin."""


def _walk(chain: Chain, q: Array, qd: Array, turns: Array, motions: Array) -> _Walk:
    bodies: list[Moving] = []
    starts: list[Moving] = []
    ends: list[Moving] = []
    of_joints = zeros(len(chain.joint_columns), 6)
    number = 0
    for i, body in enumerate(chain.mechanism.bodies):
        parent = STANDING if body.parent == BASE else bodies[body.parent]
        if i in chain.steps_of:
            element, numbers = chain.steps_of[i]
            at = parent.at(element.start).turned(element.axes.matrix())
            for k in numbers:
                starts.append(at)
                at = at.moved(turns[k], tuple(motions[k, :3]), tuple(motions[k, 3:]))
                ends.append(at)
            bodies.append(at.turned(element.axes.matrix().T))
            continue
        at = _joint(body, parent.at(body.arm).turned(body.turn.matrix()), q, qd)
        for angular, linear in joint_columns(body, q):
            w = at.R @ angular
            of_joints[number] = array([*(at.R @ linear + cross(at.x, w)), *w])
            number += 1
        bodies.append(at)
    return _Walk(bodies, starts, ends, of_joints)


def _joint(body: Body, before: Moving, q: Array, qd: Array) -> Moving:
    if body.motion.dof == 0:
        Q, b = joint_placement(body, q)
        return before.at(b).turned(Q.matrix())
    Q, b, w, wdot, u, udot = joint_motion(body, q, qd, zeros(len(qd)))
    # w and u have components in the child's axes; their derivatives are brought to the axes before the joint.
    spin, speed = Q @ w, Q @ u
    return before.moved(Q.matrix(), (b, speed, cross(spin, speed) + Q @ udot), (spin, Q @ wdot))


def chain_motion(
    chain: Chain, q: Array, qd: Array, turns: Array, motions: Array, external: External | None = None
) -> tuple[Array, Array, Array, Array, Scalar]:
    """From the joints and from what `rod_step` says of every step: the joints' columns (columns, 6); for every step the
    matrix (6, 6) that takes a twist about its start to the world; of every mass point its motion (8, 3) and the
    external wrench on it (6); and the power of the external wrenches.
    """
    found = _walk(chain, q, qd, turns, motions)
    carries = zeros(len(chain.steps), 6, 6)
    for k, at in enumerate(found.starts):
        carries[k, :3, :3] = carries[k, 3:, 3:] = at.R
        carries[k, :3, 3:] = skew(at.x) @ at.R
    points, applied = zeros(len(chain.points), 8, 3), zeros(len(chain.points), 6)
    row_of = {}
    for k, point in enumerate(chain.points):
        at = found.bodies[point.body] if point.step == ON_BODY else found.ends[point.step]
        points[k] = at.packed()
        if point.step == ON_BODY:
            row_of[point.body] = k
    power: Scalar = 0.0
    for link, (force, torque, in_world_axes) in (external or {}).items():
        frame = chain.mechanism.link_frames[link]
        if frame.body == BASE:
            continue  # the ground takes it
        at = _at_frame(found, frame)
        f, n = (force, torque) if in_world_axes else (at.R @ force, at.R @ torque)
        power = power + dot(f, at.v) + dot(n, at.w)
        row = row_of[frame.body]
        applied[row] = applied[row] + array([*f, *(n + cross(at.x, f))])
    return found.joint_columns, carries, points, applied, power


def _at_frame(found: _Walk, frame: Frame) -> Moving:
    carrier = STANDING if frame.body == BASE else found.bodies[frame.body]
    return carrier.at(frame.origin).turned(frame.rotation.matrix())
