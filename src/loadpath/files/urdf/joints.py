"""The types of `<joint>` and `<loop>`, for reading and writing: those of URDF, and those of this library.

URDF has fixed, revolute, continuous, prismatic, planar and floating joints. Of this library are

| type | what it takes |
|---|---|
| cylindrical | `<axis>` |
| helical | `<axis xyz= pitch=>`, meters per radian |
| universal | `<axis>`, then `<second_axis>` |
| spherical, translational | nothing |
| point_on_line, point_on_plane | `<axis>`: the line, the normal of the plane |
| generalized | `<freedom>`, see below |

What `<axis zero=>` says is the angle of a joint that turns about one axis at q = 0. In a `<joint>` it is part of the
turn of `<origin>`, so that readers who do not know the word place the links right.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields

from loadpath.files.urdf.words import placed, read_axis
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_reading import Node
from loadpath.robot.joints import (
    Continuous,
    Cylindrical,
    Fixed,
    Free,
    Generalized,
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
from loadpath.robot.joints.generalized import FreedomLike
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Limits

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


# Joints of chosen freedoms in a URDF: an extension of this library, for which URDF has no word.
#
#     <joint name="shoulder" type="generalized">
#       <parent link="turntable"/> <child link="rod"/> <origin xyz="0 0.3 0"/>
#       <freedom value="ry"> <limit lower="-1" upper="1" velocity="2" effort="50"/> </freedom>
#       <freedom value="-x"> <dynamics damping="5"/> </freedom>
#     </joint>
#
# Each `<freedom>` is a word of `lp.Generalized`, "rx", "ry", "rz", "x", "y", "z", with a minus sign for the opposite
# direction, or a kind with an axis in the joint frame, `<freedom type="turn" xyz="0 0.6 0.8"/>` or `type="slide"`. They
# stand in the order in which the joint moves: turns, then slides along the turned axes. `<limit>` and `<dynamics>` are
# those of the freedom. A `<loop>` of the type "generalized" has freedoms too, without these.


GENERALIZED = "generalized"
_KINDS = ("turn", "slide")


@dataclass(frozen=True)
class ReadFreedoms:
    """The motion that the `<freedom>` elements of a joint or loop make, and the elements."""

    motion: Generalized
    nodes: tuple[Node, ...]


def read_freedoms(node: Node, watch: Watch) -> ReadFreedoms:
    """The freedoms of a joint or loop of the type "generalized"."""
    if (axis := node.child("axis")) is not None:
        axis.fail('a generalized joint has no <axis>: its directions are those of <freedom value="rz"/> and the like')
    nodes = node.children("freedom")
    if not nodes:
        node.fail('a generalized joint needs a <freedom> for each way in which it moves, like <freedom value="rz"/>')
    for entry in nodes:
        watch.look(entry)
    given = tuple(_freedom(entry) for entry in nodes)
    for entry, freedom in zip(nodes, given, strict=True):
        with placed(entry):
            Generalized((freedom,))  # an error in one of them is reported at its line
    with placed(node):
        return ReadFreedoms(Generalized(given), tuple(nodes))


def _freedom(node: Node) -> FreedomLike:
    written = node.element.attributes
    if "value" in written:
        for other in ("type", "xyz"):
            if other in written:
                node.fail(f'<freedom> has both value and {other}: expected value="rz", or type="turn" and xyz="0 0 1"')
        return node.text("value").strip()
    kind = node.text("type") if "type" in written else None
    if kind not in _KINDS:
        said = "has neither value nor type" if kind is None else f"has the type '{kind}'"
        node.fail(f'<freedom> {said}: expected value="rz" and the like, or type="turn" or "slide" with xyz="0 0 1"')
    return kind, node.vector("xyz")


def refuse_freedoms(node: Node, kind: str, motion: JointType) -> None:
    """An error for `<freedom>` in a joint of another type, where it would not count; with a label it tells what belongs
    to one of several speeds (see below).
    """
    for entry in node.children("freedom"):
        if "label" in entry.element.attributes and motion.dof > 1:
            continue
        entry.fail(f"<freedom> belongs to a joint of the type '{GENERALIZED}', and this one is '{kind}'")


# What a URDF says of each speed of a joint: its limits, friction and drive.
#
# URDF has `<limit>` and `<dynamics>` of a joint as a whole. Of this library are `<drive ratio= rotor_inertia=>` (or
# `armature=`, felt at the joint), which others pass over, and, for a joint of several speeds, a `<freedom>` for each by
# its label, with all three inside:
#
#     <joint name="base" type="floating"> ...
#       <freedom label="vx"> <limit lower="-1" upper="1" velocity="2" effort="50"/> <dynamics damping="0.1"/> </freedom>


LARGEST_NUMBER = sys.float_info.max
"""What stands for an infinite limit, as readers in C++ do not know the word inf."""


@dataclass(frozen=True)
class Speeds:
    """For each speed of a joint what a file says of it."""

    limits: tuple[Limits, ...] = ()
    viscous: tuple[float, ...] = ()
    coulomb: tuple[float, ...] = ()
    ratio: tuple[float, ...] = ()
    rotor: tuple[float, ...] = ()
    armature: tuple[float, ...] = ()


def read_speeds(node: Node, watch: Watch, kind: str, motion: JointType) -> Speeds:
    """Limits, friction and drives of a joint that is not generalized."""
    labelled = node.children("freedom")
    dof = motion.dof
    if labelled and dof > 1:
        for tag in ("limit", "dynamics", "drive"):
            if (found := node.child(tag)) is not None:
                found.fail(f"<{tag}> beside <freedom label=...>: write it into the one for which it is")
        return speeds_of(_by_label(labelled, node, watch, motion), watch, kind)
    damping, friction = _dynamics(node, watch)
    limits = _limits(node, watch, kind)
    ratio, rotor, armature = _drive(node, watch)
    if dof > 1 and (damping or friction):
        watch.note(f"{node.owner}: damping {damping:g} and friction {friction:g} are taken for each of its "
                   f"{dof} speeds, as URDF does not say for which they are")
    if dof != 1 and (found := node.child("drive")) is not None:
        found.fail(f"<drive> of a {kind} joint does not say for which of its {dof} speeds it is: write it into a "
                   '<freedom label="...">')
    return Speeds(limits if dof == 1 else (), (damping,) * dof, (friction,) * dof, (ratio,) * dof, (rotor,) * dof,
                  (armature,) * dof)


def speeds_of(nodes: list[Node | None], watch: Watch, kind: str) -> Speeds:
    """What is written in the `<freedom>` of each speed; None where there is none."""
    limits, viscous, coulomb, drives = [], [], [], []
    for node in nodes:
        damping, friction = _dynamics(node, watch) if node is not None else (0.0, 0.0)
        found = _limits(node, watch, kind) if node is not None else ()
        limits.append(found[0] if found else Limits())
        viscous.append(damping)
        coulomb.append(friction)
        drives.append(_drive(node, watch) if node is not None else (1.0, 0.0, 0.0))
    return Speeds(tuple(limits), tuple(viscous), tuple(coulomb), *zip(*drives, strict=True))


def _by_label(nodes: list[Node], joint: Node, watch: Watch, motion: JointType) -> list[Node | None]:
    """The `<freedom>` of each speed, in the order of the speeds."""
    found: dict[str, Node] = {}
    for node in nodes:
        watch.look(node)
        label = node.text("label")
        if label not in motion.labels:
            node.fail(f"label of <freedom> is '{label}': the speeds of this joint are {', '.join(motion.labels)}")
        if label in found:
            node.fail(f"<freedom label=\"{label}\"> is there twice")
        found[label] = node
    return [found.get(label) for label in motion.labels]


def _dynamics(node: Node, watch: Watch) -> tuple[float, float]:
    """Damping and friction, zero if not given."""
    dynamics = node.child("dynamics")
    if dynamics is None:
        return 0.0, 0.0
    watch.look(dynamics)
    for part in ("damping", "friction"):
        if dynamics.number(part, 0.0) < 0:
            dynamics.fail(f"{part} is {dynamics.number(part, 0.0)}: expected zero or more")
    return dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)


def _drive(node: Node, watch: Watch) -> tuple[float, float, float]:
    """Gear ratio, inertia of the rotor and armature, one and zeros if not given."""
    drive = node.child("drive")
    if drive is None:
        return 1.0, 0.0, 0.0
    watch.look(drive)
    for part in ("rotor_inertia", "armature"):
        if drive.number(part, 0.0) < 0:
            drive.fail(f"{part} is {drive.number(part, 0.0)}: expected zero or more")
    return drive.number("ratio", 1.0), drive.number("rotor_inertia", 0.0), drive.number("armature", 0.0)


def _limits(node: Node, watch: Watch, kind: str) -> tuple[Limits, ...]:
    limit = node.child("limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            endless = "; one that turns without end is of the type 'continuous'" if kind == "revolute" else ""
            node.fail(f"a {kind} joint needs a <limit> with lower, upper, velocity and effort{endless}")
        return ()
    watch.look(limit)
    lower, upper = _bound(limit, "lower", 0.0), _bound(limit, "upper", 0.0)
    if kind == "continuous":
        lower, upper = -math.inf, math.inf
    elif kind not in ("fixed", "planar", "floating") and not {"lower", "upper"} & limit.element.attributes.keys():
        watch.note(f"{node.owner}: <limit> without lower and upper, which URDF takes for 0: it is not to move at all")
    velocity, effort = _bound(limit, "velocity"), _bound(limit, "effort")
    if kind == "fixed":
        return ()
    with placed(limit):
        return (Limits(lower, upper, velocity, effort),)


def _bound(limit: Node, part: str, default: float | None = None) -> float:
    """A limit, which may be infinite."""
    value = limit.number(part, default, infinite=True)
    return math.copysign(math.inf, value) if abs(value) >= LARGEST_NUMBER else value
