"""What MJCF has no word for, kept in a `<custom><text name="loadpath" data="...">` that MuJoCo passes over: names of
welds, of the base and of links between several joints of one body; limits of speed; gear ratios; which joints of a tree
nothing drives, as actuators alone do not tell.

Numbers that MJCF can say are never there: an edited file means what it says.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.joints.base import quaternions_of
from loadpath.robot.pose import Pose
from loadpath.scalars import array
from loadpath.scalars.quaternion import rotation_matrix

NAME = "loadpath"
"""The name of the custom text."""


@dataclass
class Remembered:
    """What one robot has beyond MJCF."""

    base: str = ""
    """The body in the world that is the robot's base."""
    order: list[str] = field(default_factory=list)
    """Names of all joints in the robot's order, where it is not that of the bodies."""
    links: dict[str, str] = field(default_factory=dict)
    """Names of links, by that of the body, or of the joint that moves it if it is between the joints of a body."""
    welds: dict[str, str] = field(default_factory=dict)
    """Names of welds, by that of the body that they hold."""
    revolute: dict[str, bool] = field(default_factory=dict)
    """Hinges without limits that are revolute, not continuous."""
    velocity: dict[str, float] = field(default_factory=dict)
    """Limits of speed, by hinge or slide."""
    position: dict[str, float] = field(default_factory=dict)
    """Coordinates of joints whose lower and upper limit are the same, which MuJoCo refuses."""
    effort: dict[str, float] = field(default_factory=dict)
    """Limits of effort of zero, which MuJoCo refuses."""
    ratio: dict[str, float] = field(default_factory=dict)
    """Gear ratios, by hinge or slide: the armature is the rotor's inertia times the ratio squared."""
    passive: list[str] = field(default_factory=list)
    """Speeds of a tree that have no drive."""
    home: bool = False
    """Whether the first keyframe is the home of a tree; that of a robot with loops always is."""

    def text(self) -> str:
        """As it is written; empty if there is nothing."""
        kept = {name: value for name, value in vars(self).items() if value}
        return json.dumps(kept, ensure_ascii=False) if kept else ""


_KINDS: Mapping[str, type] = {
    "links": str,
    "welds": str,
    "revolute": bool,
    "velocity": float,
    "position": float,
    "effort": float,
    "ratio": float,
}


def remembered_in(text: str, source: str) -> Remembered:
    """Read from a custom text.

    >>> remembered_in('{"velocity": {"elbow": 2.0}}', "arm.xml").velocity
    {'elbow': 2.0}
    """
    try:
        given = json.loads(text) if text else {}
        return Remembered(**{name: _checked(name, value) for name, value in given.items()})
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise ModelError(f"{source}: the custom text '{NAME}' is not as Loadpath writes it: take it out, and names of "
                         "welds, limits of speed and gear ratios with it") from None


def _checked(name: str, value: Any) -> Any:
    if name == "base" and isinstance(value, str):
        return value
    if name in ("order", "passive") and isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return value
    if name == "home" and isinstance(value, bool):
        return value
    kind = _KINDS.get(name)
    if kind is None or not isinstance(value, dict):
        raise TypeError(name)
    if kind is float:
        value = {key: float(entry) for key, entry in value.items()}
        if not all(math.isfinite(entry) and (entry or name != "ratio") for entry in value.values()):
            raise ValueError(name)
    if not all(isinstance(entry, kind) for entry in value.values()):
        raise TypeError(name)
    return value


# Poses from MuJoCo's positions and quaternions (w first), and back.


def unit_quaternion(quaternion: Sequence[float]) -> tuple[float, float, float, float]:
    """A quaternion w, x, y, z of length one, as MuJoCo makes it: none is no rotation. It is scaled before it is
    squared, so that its numbers may be as large or small as they like.

    >>> unit_quaternion((0, 0, 3e200, 4e200)), unit_quaternion((0, 0, 0, 0))
    ((0.0, 0.0, 0.6, 0.8), (1.0, 0.0, 0.0, 0.0))
    """
    largest = max(abs(entry) for entry in quaternion)
    if not largest:
        return 1.0, 0.0, 0.0, 0.0
    scaled = [entry / largest for entry in quaternion]
    length = math.hypot(*scaled)
    w, x, y, z = (entry / length for entry in scaled)
    return w, x, y, z


def pose_at(position: Sequence[float], quaternion: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> Pose:
    """A pose from a position and a quaternion w, x, y, z.

    >>> pose_at((1, 2, 3)).translation
    (1.0, 2.0, 3.0)
    """
    w, x, y, z = (float(entry) for entry in quaternion)
    turn = rotation_matrix(array([x, y, z, w]))
    return Pose(turn.tolist(), tuple(float(entry) for entry in position))


def quaternion_of(pose: Pose) -> tuple[float, float, float, float]:
    """The quaternion w, x, y, z of a pose.

    >>> quaternion_of(Pose())
    (1.0, 0.0, 0.0, 0.0)
    """
    x, y, z, w = (float(entry) for entry in quaternions_of(np.array(pose.rotation)))
    return w, x, y, z
