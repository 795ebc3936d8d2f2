"""The joints of SDF, for reading and writing; those it has not are several of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from loadpath.errors import ModelError
from loadpath.files.joint_steps import Step
from loadpath.files.joint_steps import steps_of as steps_of_known
from loadpath.robot.joints import Continuous, Fixed, Helical, JointType, Prismatic, Revolute, Spherical, Universal
from loadpath.robot.numbers import Vector3

KINDS: dict[str, type[JointType]] = {
    "revolute": Revolute,
    "continuous": Continuous,
    "prismatic": Prismatic,
    "screw": Helical,
    "universal": Universal,
    "revolute2": Universal,
    "ball": Spherical,
    "fixed": Fixed,
}
WORDS: Mapping[type, str] = {kind: word for word, kind in reversed(KINDS.items())}
"""The word that is written for a class of joints."""


def axis_count(word: str) -> int:
    """How many axes a joint of SDF has.

    >>> [axis_count(word) for word in ("ball", "screw", "revolute2")]
    [0, 1, 2]
    """
    return sum(part.name in ("axis", "first", "second") for part in fields(KINDS[word]))


def motion_of(word: str, axes: Sequence[Vector3], pitch: float, *, reverse: bool = False) -> JointType:
    """How the child moves against the parent; reversed, the parent against the child: about the opposite axes, the last
    of which comes first, with the same coordinates.
    """
    if reverse:
        axes = [(0.0 - x, 0.0 - y, 0.0 - z) for x, y, z in reversed(axes)]
    others = {"pitch": pitch} if KINDS[word] is Helical else {}
    return KINDS[word](*axes, **others)


def steps_of(motion: JointType, owner: str) -> tuple[Step, ...]:
    """The joints of SDF that together move as a joint does."""
    steps = steps_of_known(motion, WORDS)
    if not steps:
        raise ModelError(f"{owner}: SDF has no joint that moves as a {type(motion).__name__}: take a joint of another "
                         "kind, or several")
    return steps
