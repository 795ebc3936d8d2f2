"""How a robot is moved by hand: an open one joint by joint, one with loops by its drives, and the loops are closed."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.kinematics import UnreachedWarning
from loadpath.viewer.controls import Control, controls_of, within

if TYPE_CHECKING:
    from loadpath.api.kinds import ClosedRobot
    from loadpath.api.robot import Robot
    from loadpath.scalars.types import Floats

POSITION_ONLY = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
STEPS = 40
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
            found = self.robot.inverse_kinematics(pose, link, q, weights=weights, iterations=STEPS, restarts=0)
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
