"""The robot or rover that a user names: in a project file, a robot's file, the catalog, or made by a Python file."""

from __future__ import annotations

import runpy
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import loadpath as lp
from loadpath.cli.options import Carried, is_trusted, xacro_options
from loadpath.errors import ModelError, ModelWarning, PluginWarning
from loadpath.files.opening import is_description
from loadpath.mobile.motions import BaseState, loads_on_robot
from loadpath.project.sources import from_catalog
from loadpath.quantities.carriers import carrier

FILES = ", and files ending in .urdf or .toml"


class Named(NamedTuple):
    """A robot, and the warnings that came with it; of a rover, the robots on its standing base, and itself; of a
    project file, all that it says.
    """

    robot: lp.Robot
    warnings: list[str]
    rover: lp.Rover | None = None
    project: lp.Project | None = None

    @property
    def name(self) -> str:
        """Of the robot, or of the rover that carries it."""
        return self.robot.name if self.rover is None else self.rover.name

    @property
    def hours(self) -> float | None:
        """Life that the project asks for."""
        return None if self.project is None else self.project.hours

    @property
    def external(self) -> Mapping[str, lp.Wrench] | None:
        """Wrenches from outside, by links."""
        return None if self.project is None else self.project.external

    @property
    def standards(self) -> list[lp.StandardTest]:
        """Tests of standards that the project asks for, of the rover as it is named here."""
        return [] if self.project is None else self.project.standards(self.rover)

    @property
    def exceptions(self) -> tuple[lp.ExceptionalCase, ...]:
        """Exceptional cases of the project."""
        return () if self.project is None else self.project.exceptions

    @property
    def base_state(self) -> BaseState:
        """How the base of a rover moves in the project, with the wrenches from outside: keywords of its functions."""
        return BaseState() if self.project is None else self.project.base_state

    @property
    def load_case(self) -> dict[str, Any]:
        """What acts on the robot beside its own motion, as keywords of its functions: wrenches from outside, and the
        motion of the base of a rover.
        """
        if self.rover is None:
            return {"external": self.external}
        return loads_on_robot(self.rover, self.base_state, gravity=self.robot.gravity)

    def with_payload(self, carried: Carried) -> Named:
        """The same with a payload, if there is one."""
        if not carried.payload and carried.link is None:
            return self
        if self.rover is not None:
            rover = self.rover.with_payload(carried.payload, link=carried.link)
            return self._replace(robot=_carried(rover, self.heading), rover=rover)
        return self._replace(robot=self.robot.with_payload(carried.payload, link=carried.link))

    @property
    def heading(self) -> float:
        """How the base of a rover stands on its slope."""
        return float(np.ravel(self.base_state.get("heading") or 0.0)[0])

    def carried_on(self, carried: Carried) -> str | None:
        """A line that says where the payload is, if no link was named."""
        if self.project is not None:  # the file says where
            return None
        on = next((joint.parent for joint in self.robot.joints if joint.name == "payload_joint"), None)
        return None if on is None or carried.link is not None else f"payload on '{on}'; --link takes another link"

    def on_standing_base(self, what: str) -> str | None:
        """A line that says what a command for robots is about if it is given a rover."""
        if self.rover is None:
            return None
        return (
            f"'{self.rover.name}' is a rover: {what} those of its robots on the standing base"
            f"{uphill(self.rover, self.heading)}, of {self.robot.n} degrees of freedom"
        )

    def flexible(self, what: str) -> str | None:
        """A line that says that a flexible arm is taken as rigid."""
        if not isinstance(self.robot, (lp.FlexibleRobot, lp.ClosedFlexibleRobot)):
            return None
        return f"'{self.robot.name}' has beams or compliant joints: {what} those of the rigid arm"


def find(text: str) -> Named:
    """The robot of a name like `panda`, `planar:3`, `arm.urdf`, `project.toml` or `arm.py`.

    Whole numbers after colons are the arguments of the catalog's function. A Python file is run; the robot is the one
    that it makes, or the one whose name in it comes after a colon, as in `arm.py:long_arm`.

    >>> find("planar:3").robot.n
    3
    >>> find("pnda")
    Traceback (most recent call last):
    loadpath.errors.ModelError: no robot 'pnda' in the catalog; did you mean 'panda'?
    """
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", ModelWarning)
            warnings.simplefilter("always", PluginWarning)
            found = _made(text)
    except Exception:
        for warning in caught:  # why a name is not known
            if issubclass(warning.category, PluginWarning):
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        raise
    lines = [line for warning in caught for line in lines_of(str(warning.message))]
    if isinstance(found, lp.Project):
        named = Named(found.robot, lines, found.rover, found)
        return named if found.rover is None else named._replace(robot=_carried(found.rover, named.heading))
    if isinstance(found, lp.Rover):
        return Named(_carried(found), lines, found)
    if isinstance(found, lp.Robot):
        return Named(found, lines)
    raise ModelError(f"'{text}' is a {type(found).__name__}: expected a robot or a rover")


def joint_of(robot: lp.Robot, text: str) -> str:
    """The joint that a user names, by its name or by its number among those that move, from the base.

    >>> joint_of(lp.catalog.ur5(), "2")
    'shoulder_lift_joint'
    """
    moving = [joint.name for joint in robot.joints if joint.motion.dof]
    if text.isdecimal() and text not in robot.closed_joint_names:
        if not 1 <= int(text) <= len(moving):
            raise ModelError(f"no joint {text}: '{robot.name}' has {len(moving)} joints that move, {', '.join(moving)}")
        return moving[int(text) - 1]
    return carrier(robot, text).name


def uphill(rover: lp.Rover, heading: float = 0.0) -> str:
    """Words for how a rover stands on a slope."""
    if not rover.ground.slope:
        return rover.ground.words
    facing = f", {heading:.4g} rad from" if heading else ", facing"
    return f"{facing} up its slope of {rover.ground.slope:.4g} rad{replace(rover.ground, slope=0.0).words}"


def _carried(rover: lp.Rover, heading: float = 0.0) -> lp.Robot:
    """The robots of a rover on its standing base, which faces uphill where there is a slope unless it is turned."""
    return rover.facing(heading)


def _made(text: str) -> object:
    asked = xacro_options()
    if asked and not is_robot_file(text):
        raise ModelError(f"--xacro is for a robot's file, and '{text}' is none: leave it out")
    if text.split(":", maxsplit=1)[0] in lp.catalog.__all__:
        return from_catalog(text, FILES)
    file, _, name = text.rpartition(":") if ".py:" in text else (text, "", "")
    if Path(file).suffix.lower() == ".py":
        return _from_python(Path(file), name)
    if Path(file).suffix.lower() == ".toml":
        return lp.load_project(file, trust=is_trusted())
    return lp.load(text, **asked) if _is_file(text) else from_catalog(text, FILES)


def is_robot_file(text: str) -> bool:
    """Whether a name is that of a robot's file, not of the catalog, a project or a Python file."""
    made_otherwise = text.split(":", maxsplit=1)[0] in lp.catalog.__all__ or ".py:" in text
    return not made_otherwise and Path(text).suffix.lower() not in (".py", ".toml") and _is_file(text)


def _is_file(text: str) -> bool:
    path = Path(text)
    try:
        return bool(path.suffix) or len(path.parts) > 1 or path.is_file() or is_description(text)
    except OSError:  # a name too long to be one
        return False


def lines_of(message: str) -> list[str]:
    """A warning of several lines is a heading and one warning a line."""
    heading, *lines = message.splitlines()
    return [line.strip() for line in lines] or [heading]


# From a Python file


def _from_python(path: Path, name: str) -> object:
    """The robot or rover that a file makes under a name, or the only one."""
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such Python file", str(path))
    try:
        made = runpy.run_path(str(path), run_name="loadpath_robot")
    except (ValueError, OSError):
        raise
    except Exception as problem:
        raise ModelError(f"{path}: it stops with {type(problem).__name__}: {problem}") from None
    except SystemExit as problem:
        raise ModelError(f"{path}: it ends the program (exit code {problem.code})") from None
    robots = {key: value for key, value in made.items() if isinstance(value, lp.Robot) and key[0] != "_"}
    listed = ", ".join(f"{path}:{key}" for key in robots)
    if name:
        if name in robots:
            return robots[name]
        there = f"there are {listed}" if robots else "it makes none"
        raise ModelError(f"{path} makes no robot or rover '{name}'; {there}")
    if len({id(robot) for robot in robots.values()}) == 1:
        return next(iter(robots.values()))
    if not robots:
        raise ModelError(f"{path} makes no robot or rover: expected one, as in arm = lp.load('arm.urdf')")
    raise ModelError(f"{path} makes several robots: write one of {listed}")
