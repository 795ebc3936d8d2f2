"""What acts on a robot from outside: external wrenches, a base that moves, and gravity other than the robot's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from loadpath.scalars import Array

BASE_MOTION = {"base_velocity": (6,), "base_acceleration": (6,)}
"""The arrays that give the motion of the base, with their core shapes: linear first, in the root link's axes."""
GRAVITY = {"gravity": (3,)}
"""Acceleration of gravity in world axes, in place of the robot's own."""
ON_BASE = {**BASE_MOTION, **GRAVITY}
"""All that may act on every link at once."""


def under_gravity(mechanism: Any, gravity: Array) -> Any:
    """The same mechanism, or what is made of one, under another gravity (world axes): the equations do not know whether
    it is a number of the robot or an argument.
    """
    own = getattr(mechanism, "under_gravity", None)
    return replace(mechanism, gravity=mechanism.base.rotation @ gravity) if own is None else own(gravity)
