"""Frames that follow a design, for fewer operations: where the turn between two axes is a parameter, the x axis of the
body in between stays on the common normal, so that the turn is one about x, as it is in a robot of numbers.

A turn R from a body's frame to the next joint's is a turn about z, one about x and one about z again. The first goes to
the body, whose frame is turned about its own axis, the last to the joint: both are constant parts of joint angles.
For parallel axes any first turn will do; there, and only there, derivatives by the turn do not see that it does not
matter, so programs of derivatives go without this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from loadpath.robot.joints import JointType, Revolute
from loadpath.robot.joints.base import Z
from loadpath.robot.mechanism import BASE, Body, Frame
from loadpath.scalars import IDENTITY, Array, AxisTurn, MatrixRotation, Rotation, Scalar, merged, sqrt

# Far below the rounding of a rotation's entries, and its square is a number in float32, too.
_TINY = 1e-18


@dataclass(frozen=True)
class TurnedRevolute(Revolute):
    """A revolute joint about z after which its child's axes are turned about z, by the angle with cosine c and sine s,
    any scalars.
    """

    c: Scalar = 1.0
    s: Scalar = 0.0

    def placement(self, q: Array) -> tuple[Rotation, Array]:
        turn, shift = super().placement(q)
        return merged(turn, AxisTurn(2, self.c, self.s)), shift


class Followed(NamedTuple):
    """Bodies and frames on them."""

    bodies: tuple[Body, ...]
    link_frames: Mapping[str, Frame]
    joint_frames: Mapping[str, Frame]


def followed(
    bodies: tuple[Body, ...], link_frames: Mapping[str, Frame], joint_frames: Mapping[str, Frame]
) -> Followed:
    """The same bodies in frames that follow the turns among them that are no numbers."""
    carrier = _carriers(bodies)
    first: dict[int, AxisTurn] = {}  # of a body: by how much its frame is turned about its z
    turns: dict[int, Rotation] = {}  # of a body: on its parent, instead of its own
    last: dict[int, AxisTurn] = {}  # of a body: what is left to its joint
    for i, body in enumerate(bodies):
        on = carrier[body.parent] if body.parent != BASE else BASE
        if on == BASE or on in first or not (_turns(bodies[on].motion) and _turns(body.motion)):
            continue
        if isinstance(body.turn, MatrixRotation) and not _plain(body.turn.entries):
            first[on], turns[i], last[i] = _parts(body.turn.entries)
    if not first:
        return Followed(bodies, link_frames, joint_frames)
    by = {i: first.get(carrier[i], IDENTITY) for i in range(len(bodies))}
    made = []
    for i, body in enumerate(bodies):
        parent = by[body.parent] if body.parent != BASE else IDENTITY
        turn = turns.get(i, merged(parent.T, body.turn)) if body.motion.dof else body.turn  # a weld turns along
        after = merged(last.get(i, IDENTITY), first.get(i, IDENTITY))
        motion = body.motion
        if isinstance(after, AxisTurn):
            assert isinstance(motion, Revolute)
            motion = TurnedRevolute(motion.axis, motion.zero, after.c, after.s)
        made.append(replace(
            body, turn=turn, arm=parent.T @ body.arm, motion=motion, moment=by[i].T @ body.moment,
            inertia=by[i].T.tensor(body.inertia),
        ))

    def on_turned(frame: Frame) -> Frame:
        turned = by.get(frame.body, IDENTITY)
        return frame if turned is IDENTITY else Frame(
            frame.body, merged(turned.T, frame.rotation), turned.T @ frame.origin)

    return Followed(
        tuple(made), {name: on_turned(frame) for name, frame in link_frames.items()},
        {name: on_turned(frame) for name, frame in joint_frames.items()},
    )


def _carriers(bodies: tuple[Body, ...]) -> dict[int, int]:
    """Of each body the moving one whose frame it has: itself, or of a weld that of its parent."""
    found: dict[int, int] = {BASE: BASE}
    for i, body in enumerate(bodies):
        found[i] = i if body.motion.dof else found[body.parent]
    return found


def _turns(motion: JointType) -> bool:
    return isinstance(motion, Revolute) and motion.axis == Z


def _plain(values: Array) -> bool:
    return all(isinstance(x, (int, float)) for x in values.flat)


def _parts(R: Array) -> tuple[AxisTurn, AxisTurn, AxisTurn]:
    """A rotation as turns about z, x and z."""
    x, y = _TINY - R[1, 2], R[0, 2]
    size = 1.0 / sqrt(x * x + y * y)
    c, s = x * size, y * size
    second = AxisTurn(0, R[2, 2], s * R[0, 2] - c * R[1, 2])
    third = AxisTurn(2, c * R[0, 0] + s * R[1, 0], -(c * R[0, 1] + s * R[1, 1]))
    return AxisTurn(2, c, s), second, third
