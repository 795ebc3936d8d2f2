"""Loads that a function does not take: words that name both, and what to do instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from loadpath.errors import ModelError
from loadpath.robot.model import RobotModel

LOADS = ("external", "base_velocity", "base_acceleration", "gravity", "under")
"""Keywords of a load case."""
BASE_STANDS = "its base stands still; robot.floating() moves with its base, and base.carrying(robot) on wheels"
BY_HAND = "robot.with_gravity(...) has another gravity, external= takes wrenches, and simulate the whole load case"
STEPPED = {"external": BASE_STANDS, "base": BASE_STANDS, "gravity": BY_HAND, "under": BY_HAND}
"""Of motions in time, in steps of fixed length."""
MOVES_BY = {
    "base": "the base of a rover moves by velocity= (and acceleration=, where it is given), (v, w) in base axes",
    "gravity": "that of a rover is that of its ground, at its heading=; rover.on(lp.Ground(gravity=, slope=)) gives it "
               "another",
    "under": "what acts on a rover as a whole is given by velocity=, acceleration=, heading= and external=",
}
"""Why a rover does not take the loads of a robot, and what to do."""


def refuse_keywords(
    caller: str, given: Mapping[str, object], instead: str | Mapping[str, str], has: str | None = None
) -> None:
    """Refuse keywords that a function does not have. For loads, `instead` says why and what to do: one text for all of
    them, or one for wrenches (`external`) and one for the motion of the base (`base`), and for others by their names.
    For keywords that are no loads `has` says what there is.

    >>> refuse_keywords("stiffness", {}, "")
    >>> refuse_keywords("stiffness", {"external": 1}, "it is the same under all loads")
    Traceback (most recent call last):
    TypeError: stiffness takes no 'external': it is the same under all loads
    """
    for name in given:
        if name not in LOADS:
            there_is = f": {has}" if has else ""
            raise TypeError(f"{caller}() got an unexpected keyword argument '{name}'{there_is}")
        text = instead if isinstance(instead, str) else instead.get(name) or instead["base"]
        raise TypeError(f"{caller} takes no '{name}': {text}")


# Whose states they are: a robot, where a function knows robots alone.

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
