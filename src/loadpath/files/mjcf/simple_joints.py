"""Joints as MJCF has them: hinges, slides, balls, free bodies. Others are several of these on one body, in their order,
wherever the motion is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

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
from loadpath.robot.parts import Joint
from loadpath.scalars import array


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
    for kind in type(joint.motion).__mro__:
        if kind in _TABLE:
            found = _TABLE[kind](joint.motion)
            if isinstance(joint.motion, Free) and not in_world:  # MuJoCo has free bodies in the world alone
                slides = tuple(Simple("slide", axis, (k,), "xyz"[k]) for k, axis in enumerate((X, Y, Z)))
                return (*slides, Simple("ball", speeds=(3, 4, 5)))
            return found
    raise ModelError(f"joint '{joint.name}': MJCF has no joint that moves as a {type(joint.motion).__name__}: take a "
                     "joint of another kind, or several")  # fmt: skip


def _chain(motion: JointType, kinds: str, axes: tuple[Vector3, ...], ref: float = 0.0) -> tuple[Simple, ...]:
    names: Mapping[str, Literal["hinge", "slide"]] = {"h": "hinge", "s": "slide"}
    return tuple(
        Simple(names[kind], axis, (k,), motion.labels[k], ref if kind == "h" else 0.0)
        for k, (kind, axis) in enumerate(zip(kinds, axes, strict=True))
    )


def _on_points(motion: JointType) -> tuple[Simple, ...]:
    """A point that slides along a line or in a plane, and a ball there."""
    count = motion.dof - 3
    columns = motion.subspace(array(list(motion.neutral())))
    ways = [tuple(float(entry) for entry in linear) for _, linear in columns[:count]]
    slides = [Simple("slide", (x, y, z), (k,), motion.labels[k]) for k, (x, y, z) in enumerate(ways)]
    return (*slides, Simple("ball", speeds=(count, count + 1, count + 2)))


def _generalized(motion: Generalized) -> tuple[Simple, ...]:
    return _chain(motion, "h" * len(motion.turns) + "s" * len(motion.slides), (*motion.turns, *motion.slides))


_TABLE: Mapping[type, Callable[[Any], tuple[Simple, ...]]] = {
    Fixed: lambda motion: (),
    Revolute: lambda motion: (Simple("hinge", motion.axis, ref=0.0 - motion.zero),),
    Continuous: lambda motion: (Simple("hinge", motion.axis, ref=0.0 - motion.zero),),
    Prismatic: lambda motion: (Simple("slide", motion.axis),),
    Helical: lambda motion: (
        Simple("hinge", motion.axis, ref=0.0 - motion.zero),
        Simple("slide", motion.axis, (), "slide", pitch=motion.pitch),
    ),
    Cylindrical: lambda motion: _chain(motion, "hs", (motion.axis, motion.axis), 0.0 - motion.zero),
    Universal: lambda motion: _chain(motion, "hh", (motion.first, motion.second)),
    Planar: lambda motion: _chain(motion, "ssh", (X, Y, Z)),
    Translational: lambda motion: _chain(motion, "sss", (X, Y, Z)),
    Generalized: _generalized,
    Spherical: lambda motion: (Simple("ball", speeds=(0, 1, 2)),),
    Free: lambda motion: (Simple("free", speeds=(0, 1, 2, 3, 4, 5)),),
    PointOnLine: _on_points,
    PointOnPlane: _on_points,
}
