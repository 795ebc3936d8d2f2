"""The bodies between the two links of a loop: from their common ancestor out to each.

What the loop's joint sees, the motion of its second link against its first, depends on the joints of this path alone.
Everything of a loop is computed along it with the ancestor at rest, so that a plane linkage keeps its zeros wherever in
a robot it sits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from loadpath.mechanics.joint_motion import joint_placement
from loadpath.robot.mechanism import BASE, ClosedLoop, Frame, Mechanism
from loadpath.scalars import Array, Rotation, compose, merged


class Path(NamedTuple):
    """Numbers of the bodies from the common ancestor, which is left out, to the two links of a loop."""

    ancestor: int
    first: list[int]
    second: list[int]


def path_of(mechanism: Mechanism, loop: ClosedLoop) -> Path:
    """The path of a loop."""
    first, second = _from_base(mechanism, loop.at.body), _from_base(mechanism, loop.on.body)
    shared = 0
    while shared < min(len(first), len(second)) and first[shared] == second[shared]:
        shared += 1
    return Path(first[shared - 1] if shared else BASE, first[shared:], second[shared:])


def length_of(mechanism: Mechanism, loop: ClosedLoop) -> float:
    """Length of a loop, m: from joint to joint around it, so that a small linkage at the tip of a crane is small; with
    joints that slide, whose length is any, through the frame of the common ancestor. 1 for one without length, or of
    symbols.
    """
    path = path_of(mechanism, loop)
    sides = [[*(mechanism.bodies[k].arm for k in bodies), frame.origin]
             for bodies, frame in ((path.first, loop.at), (path.second, loop.on))]
    if not all(isinstance(x, (int, float)) for side in sides for arm in side for x in arm):
        return 1.0
    arms = [[[float(x) for x in arm] for arm in side] for side in sides]
    if all(all(mechanism.bodies[k].motion.angular) for k in (*path.first, *path.second)):
        (start, *first), (other, *second) = arms
        arms = [[[x - y for x, y in zip(start, other, strict=True)]], [*first, *second]]
    return sum(math.hypot(*arm) for side in arms for arm in side) or 1.0


def _from_base(mechanism: Mechanism, body: int) -> list[int]:
    found: list[int] = []
    while body != BASE:
        found.insert(0, body)
        body = mechanism.bodies[body].parent
    return found


def relative_placement(mechanism: Mechanism, q: Array, loop: ClosedLoop) -> tuple[Rotation, Array]:
    """The frame `on` seen from the frame `at`: rotation from its axes, and its origin in the axes of `at`."""
    path = path_of(mechanism, loop)
    turn_first, origin_first = chain_end(mechanism, q, path.first, loop.at)
    turn_second, origin_second = chain_end(mechanism, q, path.second, loop.on)
    return merged(turn_first.T, turn_second), merged(turn_first).T @ (origin_second - origin_first)


def chain_end(mechanism: Mechanism, q: Array, bodies: list[int], frame: Frame) -> tuple[Rotation, Array]:
    """A frame at the end of a chain of bodies: its turn and origin in the axes of the body before the chain."""
    turn, origin = frame.rotation, frame.origin
    for number in reversed(bodies):
        body = mechanism.bodies[number]
        Q, b = joint_placement(body, q)
        origin = body.arm + body.turn @ (b + Q @ origin)
        turn = compose(body.turn, Q, turn)
    return turn, origin
