"""How a robot is moved by hand: an open one joint by joint, one with loops by its drives, and the loops are closed."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.kinematics import UnreachedWarning
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.api.kinds import ClosedRobot
    from loadpath.api.robot import Robot


# What a slider moves: one coordinate, or one angle of a joint with a quaternion, in degrees or millimetres.


DEGREES, MILLIMETRES = 180.0 / math.pi, 1000.0
TURNS = ("roll", "pitch", "yaw")
SLIDER_STEPS = 1000
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
        size = (self.high - self.low) / SLIDER_STEPS
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


POSITION_ONLY = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
IK_STEPS = 40
"""Of inverse kinematics for one picture: the next one goes on from there."""


class Moved(NamedTuple):
    """Coordinates, and whether they are where they were to be."""

    q: Floats
    reached: bool


class Moving(ABC):
    """Where a robot can be put."""

    controls: list[Control]
    """Sliders."""
    home: Floats
    """(nq,): within the limits."""

    @abstractmethod
    def put(self, q: Floats, control: Control, value: float) -> Moved:
        """The robot with one slider moved."""

    @abstractmethod
    def random(self, q: Floats, draw: np.random.Generator) -> Moved:
        """Somewhere within the limits."""

    @abstractmethod
    def reach(self, q: Floats, link: str, pose: Floats, *, turn: bool) -> Moved:
        """A link at a pose, or its origin there only; else as near as it comes."""


class OpenMoving(Moving):
    """Every joint by itself."""

    def __init__(self, robot: Robot, size: float) -> None:
        self.robot = robot
        self.controls = controls_of(robot, size)
        self.home = within(self.controls, robot.neutral())

    def put(self, q: Floats, control: Control, value: float) -> Moved:
        return Moved(control.put(q, value), True)

    def random(self, q: Floats, draw: np.random.Generator) -> Moved:
        for control in self.controls:
            q = control.put(q, float(draw.uniform(control.low, control.high)))
        return Moved(q, True)

    def reach(self, q: Floats, link: str, pose: Floats, *, turn: bool) -> Moved:
        weights = None if turn else POSITION_ONLY
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnreachedWarning)
            found = self.robot.inverse_kinematics(pose, link, q, weights=weights, iterations=IK_STEPS, restarts=0)
        return Moved(found.q, bool(found.reached))


class ClosedMoving(Moving):
    """By the drives; all other joints follow."""

    def __init__(self, robot: ClosedRobot, size: float) -> None:
        self.robot = robot
        self.home = robot.home
        drives = set(robot.independent)
        self.controls = [control for control in controls_of(robot, size) if control.name in drives]

    def put(self, q: Floats, control: Control, value: float) -> Moved:
        wanted = control.put(q, value)
        return self._assembled({control.name: wanted[self.robot.coordinate_names.index(control.name)]}, q)

    def random(self, q: Floats, draw: np.random.Generator) -> Moved:
        """The drives somewhere near where they are, nearer where that cannot be assembled."""
        aim = np.array([draw.uniform(control.low, control.high) for control in self.controls])
        here = np.array([control.of(q) for control in self.controls])
        for share in (1.0, 0.5, 0.25, 0.1):
            wanted = q
            for control, value in zip(self.controls, here + share * (aim - here), strict=True):
                wanted = control.put(wanted, float(value))
            names = self.robot.coordinate_names
            found = self._assembled({c.name: wanted[names.index(c.name)] for c in self.controls}, q)
            if found.reached:
                return found
        return Moved(q, False)

    def reach(self, q: Floats, link: str, pose: Floats, *, turn: bool) -> Moved:
        weights = None if turn else POSITION_ONLY
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self.robot.inverse_kinematics(pose, link, q, weights=weights, restarts=0)
        return Moved(found.q, True) if found.reached else Moved(q, False)

    def _assembled(self, drives: dict[str, float], q: Floats) -> Moved:
        """Closed, with the other drives where they are; where that cannot be, as it was."""
        names = self.robot.coordinate_names
        held = {c.name: q[names.index(c.name)] for c in self.controls} | drives
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self.robot.assemble(held, near=q, restarts=0, strict=False)
        return Moved(found.q, True) if found.reached else Moved(q, False)
