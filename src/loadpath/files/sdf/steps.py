"""Joints as SDF has them, and those it has not as several of them: a planar joint is two slides and a hinge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from loadpath.errors import ModelError
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
    X,
    Y,
    Z,
)
from loadpath.robot.numbers import Vector3
from loadpath.scalars import array

WORDS: Mapping[type, str] = {
    Fixed: "fixed",
    Continuous: "continuous",
    Revolute: "revolute",
    Prismatic: "prismatic",
    Helical: "screw",
    Universal: "universal",
    Spherical: "ball",
}
"""The joints of SDF."""


@dataclass(frozen=True)
class Step:
    """A joint of SDF that makes a joint of the robot, or a part of it."""

    motion: JointType
    label: str = ""
    """What is added to the name of the whole joint."""
    first: int = 0
    """The number of its first speed, and of its first coordinate, in the whole joint."""

    @property
    def word(self) -> str:
        """Its type in SDF."""
        return WORDS[type(self.motion)]


def steps_of(motion: JointType, owner: str) -> tuple[Step, ...]:
    """The joints of SDF that together move as a joint does.

    >>> [step.word for step in steps_of(Planar(), "joint 'slide'")]
    ['prismatic', 'prismatic', 'revolute']
    """
    if type(motion) in WORDS:
        return (Step(motion),)
    for kind in type(motion).__mro__:
        if kind in _CHAINS:
            return _CHAINS[kind](motion)
    raise ModelError(f"{owner}: SDF has no joint that moves as a {type(motion).__name__}: take a joint of another "
                     "kind, or several")  # fmt: skip


def _chain(motion: JointType, *parts: JointType) -> tuple[Step, ...]:
    return tuple(Step(part, motion.labels[k], k) for k, part in enumerate(parts))


def _on_points(motion: JointType) -> tuple[Step, ...]:
    """A point that slides along a line or in a plane, and a ball there."""
    columns = motion.subspace(array(list(motion.neutral())))
    ways: list[Vector3] = []
    for _, linear in columns[: motion.dof - 3]:
        x, y, z = (float(entry) for entry in linear)
        ways.append((x, y, z))
    return (*_chain(motion, *(Prismatic(way) for way in ways)), Step(Spherical(), "ball", len(ways)))


def _generalized(motion: Generalized) -> tuple[Step, ...]:
    return _chain(motion, *(Revolute(axis) for axis in motion.turns), *(Prismatic(axis) for axis in motion.slides))


_CHAINS: Mapping[type, Callable[[Any], tuple[Step, ...]]] = {
    Cylindrical: lambda motion: _chain(motion, Revolute(motion.axis, motion.zero), Prismatic(motion.axis)),
    Planar: lambda motion: _chain(motion, Prismatic(X), Prismatic(Y), Revolute(Z)),
    Translational: lambda motion: _chain(motion, Prismatic(X), Prismatic(Y), Prismatic(Z)),
    Generalized: _generalized,
    Free: lambda motion: (*(Step(Prismatic(axis), "xyz"[k], k) for k, axis in enumerate((X, Y, Z))),
                          Step(Spherical(), "ball", 3)),
    PointOnLine: _on_points,
    PointOnPlane: _on_points,
}  # fmt: skip
