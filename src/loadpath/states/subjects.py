"""Whose states they are: a robot, where a function knows robots alone."""

from __future__ import annotations

from typing import TypeVar

from loadpath.errors import ModelError
from loadpath.robot.model import RobotModel

T = TypeVar("T", bound=RobotModel)


def refuse_loops(robot: RobotModel, caller: str, instead: str) -> None:
    """Refuse a robot with loops where a function knows trees alone."""
    if robot.closing_names:
        raise ModelError(f"{caller} is for open chains, and robot '{robot.name}' is closed by "
                         f"{', '.join(robot.closing_names)}: {instead}")


def needs_robot(subject: T, caller: str) -> T:
    """The robot, of a rover the robots that it carries, on its base at rest; or an error that says what it is instead
    and what to give.

    >>> needs_robot("puma560", "verify")
    Traceback (most recent call last):
    loadpath.errors.ModelError: verify takes a robot, not a str: lp.load(...), lp.from_dh(...) or one of lp.catalog
    """
    if isinstance(subject, RobotModel):
        return subject.on_fixed_base  # which is itself but for rovers
    raise ModelError(f"{caller} takes a robot, not a {type(subject).__name__}: lp.load(...), lp.from_dh(...) or one of "
                     "lp.catalog")
