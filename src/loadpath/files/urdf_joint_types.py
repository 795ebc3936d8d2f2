"""The types of `<joint>` and `<loop>`, for reading and writing: those of URDF, and those of this library.

URDF has fixed, revolute, continuous, prismatic, planar and floating joints. Of this library are

| type | what it takes |
|---|---|
| cylindrical | `<axis>` |
| helical | `<axis xyz= pitch=>`, meters per radian |
| universal | `<axis>`, then `<second_axis>` |
| spherical, translational | nothing |
| point_on_line, point_on_plane | `<axis>`: the line, the normal of the plane |
| generalized | `<freedom>`, see `urdf_freedoms` |

What `<axis zero=>` says is the angle of a joint that turns about one axis at q = 0. In a `<joint>` it is part of the
turn of `<origin>`, so that readers who do not know the word place the links right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loadpath.files.urdf_places import read_axis
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.robot.joints import (
    Continuous,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    JointType,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
    Universal,
)
from loadpath.robot.numbers import Vector3

OF_URDF = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")
"""What every reader of URDF knows."""


@dataclass(frozen=True)
class Axes:
    """What the axes of a joint say."""

    axis: Vector3
    second: Vector3 = (0.0, 1.0, 0.0)
    zero: float = 0.0
    pitch: float = 0.0


@dataclass(frozen=True)
class JointWord:
    """A type of joint: its class, which motion its axes make, and what it takes of `<axis>` and `<second_axis>`."""

    kind: type[JointType]
    motion: Callable[[Axes], JointType]
    takes: frozenset[str] = frozenset()


def _takes(*parts: str) -> frozenset[str]:
    return frozenset(parts)


JOINT_TYPES: dict[str, JointWord] = {
    "fixed": JointWord(Fixed, lambda axes: Fixed()),
    "revolute": JointWord(Revolute, lambda axes: Revolute(axes.axis, axes.zero), _takes("axis", "zero")),
    "continuous": JointWord(Continuous, lambda axes: Continuous(axes.axis, axes.zero), _takes("axis", "zero")),
    "prismatic": JointWord(Prismatic, lambda axes: Prismatic(axes.axis), _takes("axis")),
    "planar": JointWord(Planar, lambda axes: Planar(), _takes("axis")),
    "floating": JointWord(Free, lambda axes: Free()),
    "cylindrical": JointWord(Cylindrical, lambda axes: Cylindrical(axes.axis, axes.zero), _takes("axis", "zero")),
    "helical": JointWord(
        Helical, lambda axes: Helical(axes.axis, axes.zero, axes.pitch), _takes("axis", "zero", "pitch")
    ),
    "universal": JointWord(Universal, lambda axes: Universal(axes.axis, axes.second), _takes("axis", "second")),
    "spherical": JointWord(Spherical, lambda axes: Spherical()),
    "translational": JointWord(Translational, lambda axes: Translational()),
    "point_on_line": JointWord(PointOnLine, lambda axes: PointOnLine(axes.axis), _takes("axis")),
    "point_on_plane": JointWord(PointOnPlane, lambda axes: PointOnPlane(axes.axis), _takes("axis")),
}


def word_of(motion: JointType) -> str | None:
    """The type of a joint of that class; None for a class of one's own, and a generalized one.

    >>> word_of(Free()), word_of(Universal())
    ('floating', 'universal')
    """
    return next((word for word, row in JOINT_TYPES.items() if row.kind is type(motion)), None)


def read_axes(node: Node, watch: Watch, word: str) -> Axes:
    """The axes of a joint or loop of a type, each checked for what the type takes."""
    takes = JOINT_TYPES[word].takes
    axis = read_axis(node, watch, used="axis" in takes)
    written = node.child("axis")
    second = node.child("second_axis")
    if second is not None and "second" not in takes:
        second.fail(f"<second_axis> is of a universal joint, and this one is '{word}'")
    if "second" in takes and second is None:
        node.fail("a universal joint has two axes: expected <second_axis> beside <axis>, or a <constraint> with "
                  "<parent_axis> and <child_axis>")  # fmt: skip
    numbers = {"zero": 0.0, "pitch": 0.0}
    for part in numbers:
        if written is not None and part in written.element.attributes:
            if part not in takes:
                written.fail(f"{part} of <axis> has no meaning for a {word} joint: take it out")
            numbers[part] = written.number(part)
    return Axes(axis, read_axis(node, watch, "second_axis") if second is not None else (0.0, 1.0, 0.0), **numbers)
