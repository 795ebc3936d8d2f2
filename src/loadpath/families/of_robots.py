"""Several robots as designs of one: what they must have in common, and in which numbers they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from loadpath.robot.beams.in_scalars import beams_with, compliances_with
from loadpath.robot.model import RobotModel
from loadpath.robot.parameters import Parameter, every_parameter, parameters_of
from loadpath.scalars.types import Floats

_OF_JOINTS = ("parent", "child", "motion", "mimic", "stribeck")
_OF_ROBOTS = ("loops", "couplings", "drives", "beams", "joint_compliances", "guides", "wheeled_base", "ground")


def differing(
    robots: Sequence[Any], keys: Sequence[str] | str | None
) -> tuple[Any, tuple[Parameter, ...], Floats]:
    """The first robot, the parameters in which they differ (or those asked for), and a row of numbers of each."""
    if not robots:
        raise ValueError("lp.Family of no robots: expected one at least")
    for robot in robots:
        if not isinstance(robot, RobotModel):
            raise ValueError(f"lp.Family: {robot!r} is no robot")
        if robot.on_wheels:
            raise ValueError(f"lp.Family: robot '{robot.name}' stands on wheels, and a family is of robots on a base "
                             "at rest: lp.Family([rover.on_fixed_base for rover in rovers])")
    first = robots[0]
    for robot in robots[1:]:
        check_alike(first, robot)
    tables = [every_parameter(robot) for robot in robots]
    varying = [key for key, parameter in tables[0].items() if not key.endswith(".length")  # as the origins say
               and any(table[key].nominal != parameter.nominal for table in tables)]
    varying = _with_inertias(tables[0], varying)
    if keys is None:
        chosen = varying or [next(iter(tables[0]))]
    else:
        chosen = [parameter.key for parameter in parameters_of(first, keys)]
        left = [key for key in varying if key not in chosen]
        if left:
            raise ValueError(f"lp.Family: the robots differ in '{left[0]}', which is none of the parameters named")
    found = parameters_of(first, chosen)
    rows = np.array([[x for key in chosen for x in table[key].nominal] for table in tables])
    return first, found, rows


def _with_inertias(table: Mapping[str, Parameter], varying: Sequence[str]) -> list[str]:
    """The same, and the inertia of each link whose mass alone differs: it would go in proportion to the mass."""
    found = list(varying)
    for key in varying:
        link = key.removesuffix(".mass")
        inertia = f"{link}.inertia"
        if link != key and inertia not in found and any(table[inertia].nominal):
            found.append(inertia)
    return [key for key in table if key in found]


def check_alike(first: RobotModel, robot: RobotModel) -> None:
    """Refuse a robot that differs in more than numbers."""
    title = f"lp.Family: robots '{first.name}' and '{robot.name}' are no designs of one family"
    if first.link_names != robot.link_names:
        raise ValueError(f"{title}: their links are {_difference(first.link_names, robot.link_names)}")
    if first.joint_names != robot.joint_names:
        raise ValueError(f"{title}: their joints are {_difference(first.joint_names, robot.joint_names)}")
    for mine, other in zip(first.joints, robot.joints, strict=True):
        for part in _OF_JOINTS:
            if getattr(mine, part) != getattr(other, part):
                raise ValueError(f"{title}: {part} of joint '{mine.name}' is {getattr(mine, part)!r} and "
                                 f"{getattr(other, part)!r}")
        kinds = [[[type(spring) for spring in of] for of in joint.springs] for joint in (mine, other)]
        if kinds[0] != kinds[1]:
            raise ValueError(f"{title}: joint '{mine.name}' has other springs in one than in the other")
    elastic: dict[str, Callable[..., object]] = {"beams": beams_with, "joint_compliances": compliances_with}
    of_first = {key: parameter.nominal for key, parameter in every_parameter(first).items()} if first.is_elastic else {}
    for part in _OF_ROBOTS:
        value = getattr(robot, part, None)
        if part in elastic and robot.is_elastic and every_parameter(robot).keys() == of_first.keys():
            value = elastic[part](robot, of_first)  # with the numbers of the first
        if part in {field.name for field in fields(first)} and getattr(first, part) != value:
            raise ValueError(f"{title}: their {part.replace('_', ' ')} differ")


def _difference(first: Sequence[str], other: Sequence[str]) -> str:
    mine, theirs = [x for x in first if x not in other], [x for x in other if x not in first]
    if not mine and not theirs:
        return "in another order"
    own, others = (", ".join(map(repr, names)) or "none more" for names in (mine, theirs))
    return f"{own} in the one, {others} in the other"
