"""What can be mended, as data: another inertia of a link, another axis of a joint.

A fix has a kind, by which it is asked for. Safe ones change nothing that a real robot could mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from loadpath.robot.inertia import Inertia
from loadpath.robot.numbers import Vector3


@dataclass(frozen=True)
class InertiaFix:
    """Another inertia of a link, in the frame of the link."""

    link: str
    inertia: Inertia
    kind: str


@dataclass(frozen=True)
class AxisFix:
    """Another axis of a joint, in its frame."""

    joint: str
    axis: Vector3
    kind: str = "axis"


Fix: TypeAlias = InertiaFix | AxisFix

KINDS: dict[str, str] = {
    "inertia": "the nearest tensor that a body can have, in place of one that none has",
    "axis": "axes of joints scaled to the length 1",
    "massless": "a billionth of the robot's mass for moving frames without any, which MuJoCo asks for",
    "symmetry": "the mirror image of the other side, where the two differ and one is impossible or far from its shape",
    "estimate": "inertias from shapes, for moving links that have a shape and no inertia: needs a density",
}
"""Kinds of fixes by name, and what each does."""
SAFE: tuple[str, ...] = ("inertia", "axis")
"""Those that are applied unless others are named."""
