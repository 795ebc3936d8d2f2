"""What a study is of: robots, rovers, functions that make them, and whether two of them differ in numbers alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from loadpath.families.of_robots import check_alike
from loadpath.mobile.families import wheel_parameters
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import nearest
from loadpath.robot.parameters import GRAVITY, Parameter, every_parameter
from loadpath.studies.dependent import argument_of
from loadpath.studies.space import Space


def on_wheels(robot: Any) -> bool:
    """Whether it is a rover."""
    return bool(robot.on_wheels)


def is_robot(robot: object) -> bool:
    """Whether it is a robot, or a rover."""
    return isinstance(robot, RobotModel)


def is_function(motion: object) -> bool:
    """Whether it makes a motion, and is none."""
    return inspect.isroutine(motion) or (callable(motion) and not hasattr(motion, "q") and not isinstance(
        motion, (tuple, Space)) and not hasattr(motion, "motions"))


def arguments_of(function: Callable[..., Any], names: Sequence[str], what: str) -> tuple[str, ...]:
    """The parameters that a function takes, by the names of its arguments."""
    known = {argument_of(name): name for name in names}
    found: list[str] = []
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise ValueError(f"{what} has arguments that are not known: expected a function written in Python") from None
    for argument in arguments:
        if argument.kind is argument.VAR_KEYWORD:
            found += [name for name in names if name not in found and name != "robot"]
        elif argument.name in known:
            found.append(known[argument.name])
        elif argument.default is argument.empty and argument.kind is not argument.VAR_POSITIONAL:
            raise ValueError(f"{what} has the argument '{argument.name}', which is no parameter of the space"
                             f"{nearest(argument.name, list(known))}")
    return tuple(found)


def parameters_of_subject(robot: Any) -> dict[str, Parameter]:
    """Everything that has a name and numbers: of a rover that of its robots and base, and of wheels and ground."""
    if not on_wheels(robot):
        return dict(every_parameter(robot))
    known = {key: one for key, one in every_parameter(robot.on_fixed_base).items() if key != GRAVITY}
    return known | wheel_parameters(robot)


def robots_of(robot: Any) -> Any:
    """The robot, or the robots of a rover on its base at rest: what families are of."""
    return robot.on_fixed_base if on_wheels(robot) else robot


def stands_alike(base: Any, rover: Any) -> bool:
    """Whether two rovers stand on the same wheels and ground; their bodies are links of their robots."""
    wheels = [{part.name: getattr(each.base, part.name) for part in fields(each.base)
               if part.name not in ("mass", "center_of_mass", "inertia")} for each in (base, rover)]
    return bool(wheels[0] == wheels[1] and base.ground == rover.ground and base.ratings == rover.ratings)


def alike(base: Any, robot: Any) -> bool:
    """Whether two robots, or rovers, differ in numbers alone that a family has as arguments."""
    if base is robot:
        return True
    if type(base) is not type(robot) or on_wheels(base) != on_wheels(robot):
        return False
    if on_wheels(base):
        return stands_alike(base, robot) and alike(base.on_fixed_base, robot.on_fixed_base)
    try:
        check_alike(base, robot)
    except ValueError:
        return False
    for mine, other in zip(base.joints, robot.joints, strict=True):
        if mine.limits != other.limits or mine.drives != other.drives:
            return False
    return all(getattr(base, part) == getattr(robot, part) for part in ("parts", "ratings"))
