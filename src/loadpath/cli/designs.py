"""A design that a user names: a robot or rover, or a cell file with a robot, its motion and what is asked of it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import loadpath as lp
from loadpath.cli.motions import LogOptions
from loadpath.cli.motions import motion as motion_of
from loadpath.cli.options import SWING
from loadpath.cli.robots import find

SAMPLES = 2001


class Design(NamedTuple):
    """A robot with what its cell says of it."""

    robot: lp.Robot
    motion: Any
    hours: float | None
    external: Any
    warnings: list[str]
    rover: lp.Rover | None = None


def design(name: str, payload: float, link: str | None) -> Design:
    """A robot by its name or file, or what a cell file describes."""
    if Path(name).suffix.lower() != ".toml":
        named = find(name).with_payload(payload, link)
        return Design(named.robot, None, None, None, named.warnings, named.rover)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", lp.ModelWarning)
        cell = lp.load_cell(name)
        robot = cell.robot.with_payload(payload, link=link) if payload or link else cell.robot
    return Design(robot, cell.motion, cell.hours, cell.external, [str(warning.message) for warning in caught])


def motion_for(one: Design, motion: str | None, duration: float | None, log: LogOptions | None = None) -> Any:
    """The motion that is asked for, its log read as the user says; else that of the cell, else a swing."""
    if motion is None and duration is None and one.motion is not None:
        if not isinstance(one.motion, lp.Motion):
            raise ValueError("a cell with several cycles has no single motion to show: give --motion")
        return one.motion
    return motion_of(one.robot, SWING if motion is None else motion, SAMPLES, duration, log)
