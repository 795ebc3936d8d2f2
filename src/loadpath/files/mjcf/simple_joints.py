"""Joints as MJCF has them: hinges, slides, balls, free bodies. Others are several of these on one body, in their order,
wherever the motion is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loadpath.errors import ModelError
from loadpath.files.joint_steps import Step, steps_of
from loadpath.robot.joints import Fixed, Free, Helical, Prismatic, Revolute, Spherical, Z
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint


@dataclass(frozen=True)
class Simple:
    """A joint of MJCF: what it is, its axis in the joint's frame, and which speeds of the whole joint it has."""

    kind: Literal["hinge", "slide", "ball", "free"]
    axis: Vector3 = Z
    speeds: tuple[int, ...] = (0,)
    label: str = ""
    """What is added to the name of the whole joint."""
    ref: float = 0.0
    """The coordinate where the link is as it is written."""
    pitch: float | None = None
    """Of a slide that follows the joint before it: m per rad."""


def simple_joints(joint: Joint, *, in_world: bool) -> tuple[Simple, ...]:
    """The joints of MJCF that together move as a joint does; `in_world` says whether its parent is the world."""
    motion = joint.motion
    if isinstance(motion, Free) and in_world:  # MuJoCo has free bodies in the world alone
        return (Simple("free", speeds=(0, 1, 2, 3, 4, 5)),)
    if isinstance(motion, Helical):
        slide = Simple("slide", motion.axis, (), "slide", pitch=motion.pitch)
        return (Simple("hinge", motion.axis, ref=0.0 - motion.zero), slide)
    if isinstance(motion, (Fixed, Revolute, Prismatic, Spherical)):
        return _simple(Step(motion))
    steps = steps_of(motion, ())
    if not steps:
        raise ModelError(f"joint '{joint.name}': MJCF has no joint that moves as a {type(motion).__name__}: take a "
                         "joint of another kind, or several")
    return tuple(simple for step in steps for simple in _simple(step))


def _simple(step: Step) -> tuple[Simple, ...]:
    """A joint that MJCF has; none for one that does not move."""
    motion, k = step.motion, step.first
    if isinstance(motion, Revolute):
        return (Simple("hinge", motion.axis, (k,), step.label, 0.0 - motion.zero),)
    if isinstance(motion, Prismatic):
        return (Simple("slide", motion.axis, (k,), step.label),)
    return (Simple("ball", speeds=(k, k + 1, k + 2)),) if isinstance(motion, Spherical) else ()
