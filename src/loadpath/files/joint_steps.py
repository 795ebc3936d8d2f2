"""A joint as several simpler ones, in their order, for formats that have no word for it: a planar joint is two slides
and a hinge. A new joint needs its line here to be written to MJCF and SDF.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from loadpath.robot.joints import (
    Cylindrical,
    Free,
    Generalized,
    JointType,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
    Universal,
    X,
    Y,
    Z,
)
from loadpath.scalars import array


@dataclass(frozen=True)
class JointStep:
    """A joint that makes a joint of the robot, or a part of it."""

    motion: JointType
    label: str = ""
    """What is added to the name of the whole joint."""
    first: int = 0
    """The number of its first speed, and of its first coordinate, in the whole joint."""


def steps_of(motion: JointType, known: Collection[type]) -> tuple[JointStep, ...]:
    """The joints of the known classes that together move as a joint does; none if there is no way.

    >>> [type(step.motion).__name__ for step in steps_of(Planar(), {Prismatic, Revolute})]
    ['Prismatic', 'Prismatic', 'Revolute']
    """
    if type(motion) in known:
        return (JointStep(motion),)
    for kind in type(motion).__mro__:
        if kind in _PARTS:
            return tuple(JointStep(part, _label(motion, k, part), k) for k, part in enumerate(_PARTS[kind](motion)))
    return ()


def _label(motion: JointType, k: int, part: JointType) -> str:
    if isinstance(part, Spherical):
        return "ball"
    return "xyz"[k] if isinstance(motion, Free) else motion.labels[k]


def _on_points(motion: JointType) -> list[JointType]:
    """A point that slides along a line or in a plane, and a ball there."""
    columns = motion.subspace(array(list(motion.neutral())))
    along = [tuple(float(entry) for entry in linear) for _, linear in columns[: motion.dof - 3]]
    return [*(Prismatic((x, y, z)) for x, y, z in along), Spherical()]


_PARTS: Mapping[type, Callable[[Any], list[JointType]]] = {
    Cylindrical: lambda motion: [Revolute(motion.axis, motion.zero), Prismatic(motion.axis)],
    Universal: lambda motion: [Revolute(motion.first), Revolute(motion.second)],
    Planar: lambda motion: [Prismatic(X), Prismatic(Y), Revolute(Z)],
    Translational: lambda motion: [Prismatic(X), Prismatic(Y), Prismatic(Z)],
    Generalized: lambda motion: [*map(Revolute, motion.turns), *map(Prismatic, motion.slides)],
    Free: lambda motion: [Prismatic(X), Prismatic(Y), Prismatic(Z), Spherical()],
    PointOnLine: _on_points,
    PointOnPlane: _on_points,
}
