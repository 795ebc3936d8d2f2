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

from collections.abc import Mapping
from dataclasses import dataclass, fields

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


JOINT_TYPES: Mapping[str, type[JointType]] = {
    "fixed": Fixed,
    "revolute": Revolute,
    "continuous": Continuous,
    "prismatic": Prismatic,
    "planar": Planar,
    "floating": Free,
    "cylindrical": Cylindrical,
    "helical": Helical,
    "universal": Universal,
    "spherical": Spherical,
    "translational": Translational,
    "point_on_line": PointOnLine,
    "point_on_plane": PointOnPlane,
}
_OF_AXES = {"first": "axis"}
"""What the fields of a joint are called in `Axes`, where that is not their own name."""


def _parts(word: str) -> dict[str, str]:
    """Fields of a joint of a type, and which part of its axes each is."""
    return {part.name: _OF_AXES.get(part.name, part.name) for part in fields(JOINT_TYPES[word])}


def takes(word: str) -> set[str]:
    """What a joint of a type takes of `<axis>` and `<second_axis>`; a planar one lies across an axis.

    >>> sorted(takes("helical")), sorted(takes("universal")), sorted(takes("planar"))
    (['axis', 'pitch', 'zero'], ['axis', 'second'], ['axis'])
    """
    return {*_parts(word).values(), *(("axis",) if JOINT_TYPES[word] is Planar else ())}


def motion_of(word: str, axes: Axes) -> JointType:
    """The motion that axes make of a joint of a type."""
    return JOINT_TYPES[word](**{name: getattr(axes, part) for name, part in _parts(word).items()})


def word_of(motion: JointType) -> str | None:
    """The type of a joint of that class; None for a class of one's own, and a generalized one.

    >>> word_of(Free()), word_of(Universal())
    ('floating', 'universal')
    """
    return next((word for word, kind in JOINT_TYPES.items() if kind is type(motion)), None)


def read_axes(node: Node, watch: Watch, word: str) -> Axes:
    """The axes of a joint or loop of a type, each checked for what the type takes."""
    taken = takes(word)
    axis = read_axis(node, watch, used="axis" in taken)
    written = node.child("axis")
    second = node.child("second_axis")
    if second is not None and "second" not in taken:
        second.fail(f"<second_axis> is of a universal joint, and this one is '{word}'")
    if "second" in taken and second is None:
        node.fail("a universal joint has two axes: expected <second_axis> beside <axis>, or a <constraint> with "
                  "<parent_axis> and <child_axis>")
    numbers = {"zero": 0.0, "pitch": 0.0}
    for part in numbers:
        if written is not None and part in written.element.attributes:
            if part not in taken:
                written.fail(f"{part} of <axis> has no meaning for a {word} joint: take it out")
            numbers[part] = written.number(part)
    return Axes(axis, read_axis(node, watch, "second_axis") if second is not None else (0.0, 1.0, 0.0), **numbers)
