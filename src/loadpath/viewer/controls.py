"""What a slider moves: one coordinate, or one angle of a joint with a quaternion, in degrees or millimetres."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.scalars.types import Floats

DEGREES, MILLIMETRES = 180.0 / math.pi, 1000.0
TURNS = ("roll", "pitch", "yaw")
STEPS = 1000
"""Of a slider from end to end."""


@dataclass(frozen=True)
class Control(ABC):
    """A slider: its name, its unit, and its ends in that unit."""

    name: str
    joint: str
    unit: str
    low: float
    high: float

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.name} ({self.unit})"

    @property
    def step(self) -> float:
        """About a thousandth of the range, a power of ten."""
        size = (self.high - self.low) / STEPS
        return 10.0 ** math.floor(math.log10(size)) if size > 0 else 1.0

    @property
    def ends(self) -> tuple[float, float]:
        """The ends as they are shown: whole steps, within the limits."""
        step = self.step
        low, high = math.ceil(self.low / step - 1e-9) * step, math.floor(self.high / step + 1e-9) * step
        return (self._rounded(low), self._rounded(high)) if low < high else (self.low, self.high)

    def _rounded(self, value: float) -> float:
        return round(value, max(0, -round(math.log10(self.step))))

    @abstractmethod
    def of(self, q: Floats) -> float:
        """Where the slider stands."""

    @abstractmethod
    def put(self, q: Floats, value: float) -> Floats:
        """The coordinates with the slider moved."""

    def shown(self, q: Floats) -> float:
        """Where the slider stands, in whole steps within its ends."""
        low, high = self.ends
        return min(max(self._rounded(self.of(q)), low), high)


@dataclass(frozen=True)
class CoordinateControl(Control):
    """One entry of q."""

    number: int
    scale: float

    def of(self, q: Floats) -> float:
        return float(q[self.number]) * self.scale

    def put(self, q: Floats, value: float) -> Floats:
        moved = np.array(q, dtype=float)
        moved[self.number] = value / self.scale
        return moved


@dataclass(frozen=True)
class TurnControl(Control):
    """Roll, pitch or yaw of a quaternion, which are turns about the fixed axes x, y and z, in this order."""

    first: int
    """Where the quaternion stands in q: x, y, z, w."""
    axis: int

    def of(self, q: Floats) -> float:
        return float(self._angles(q)[self.axis])

    def put(self, q: Floats, value: float) -> Floats:
        from scipy.spatial.transform import Rotation

        angles = self._angles(q)
        angles[self.axis] = value
        moved = np.array(q, dtype=float)
        moved[self.first : self.first + 4] = Rotation.from_euler("xyz", angles, degrees=True).as_quat()
        return moved

    def _angles(self, q: Floats) -> Floats:
        from scipy.spatial.transform import Rotation

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # at a pitch of 90 degrees roll and yaw are not unique: one pair is taken
            found = Rotation.from_quat(q[self.first : self.first + 4]).as_euler("xyz", degrees=True)
        return np.array(found, dtype=float)


def controls_of(robot: RobotModel, size: float) -> list[Control]:
    """A control for every freedom that a robot has by itself; `size` (m) is how far slides without limits go.

    >>> import loadpath as lp
    >>> [control.label for control in controls_of(lp.catalog.lau_arm(), 1.0)]
    ['theta1 (deg)', 'theta2 (deg)', 'd2 (mm)']
    """
    return [control for joint in robot.joints for control in _of_joint(robot, joint, size)]


def _of_joint(robot: RobotModel, joint: Joint, size: float) -> Iterator[Control]:
    if joint.mimic is not None or not joint.motion.dof:
        return
    first = robot.q_slices[joint.name].start
    plain = joint.motion.coordinates == joint.motion.dof
    count = joint.motion.dof if plain else joint.motion.coordinates - 4
    for k in range(count):
        turns = joint.motion.angular[k] if plain else False
        low, high = _range(joint, k, turns, size) if plain else (-size, size)
        scale = DEGREES if turns else MILLIMETRES
        name = robot.coordinate_names[first + k]
        yield CoordinateControl(name, joint.name, "deg" if turns else "mm", low * scale, high * scale, first + k, scale)
    if not plain:
        for axis, word in enumerate(TURNS):
            ends = 90.0 if word == "pitch" else 180.0
            yield TurnControl(f"{joint.name}.{word}", joint.name, "deg", -ends, ends, first + count, axis)


def _range(joint: Joint, k: int, turns: bool, size: float) -> tuple[float, float]:
    """The limits of a freedom; where there is none, half a turn or the robot's size."""
    reach = math.pi if turns else size
    limits = joint.limits[k] if k < len(joint.limits) else None
    low, high = (-math.inf, math.inf) if limits is None else (limits.lower, limits.upper)
    if not math.isfinite(low):
        low = -reach if not math.isfinite(high) else min(-reach, high - 2 * reach)
    if not math.isfinite(high):
        high = max(reach, low + 2 * reach)
    return low, high


def within(controls: list[Control], q: Floats) -> Floats:
    """The coordinates with each control within its ends."""
    for control in controls:
        if not control.low <= control.of(q) <= control.high:
            q = control.put(q, min(max(control.of(q), control.low), control.high))
    return q
