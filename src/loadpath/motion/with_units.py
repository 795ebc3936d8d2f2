"""Points and limits of a motion through them in SI units: text with units, of each joint those of what it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadpath.robot.measures import Measures
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import nearest
from loadpath.robot.units_of_text import has_unit, in_si

THROUGH: Mapping[str, Measures] = {
    "through": ("angle", "length"), "times": ("time",), "profile": (), "stop": (),
    "velocity": ("speed", "speed of a slide"), "acceleration": ("angular acceleration", "acceleration"),
    "rate": ("frequency",),
}
"""Of a motion through points: the options of `lp.Motion.through`, and what they measure."""


def slides_of(robot: RobotModel) -> dict[str, bool | None]:
    """Whether each joint, and each freedom, slides; None of joints of several kinds."""
    found: dict[str, bool | None] = {}
    for joint in robot.joints:
        each = list(zip(joint.motion.labels, joint.motion.angular, strict=True))
        found |= {f"{joint.name}.{freedom}": not turns for freedom, turns in each}
        kinds = {turns for _, turns in each}
        found[joint.name] = not kinds.pop() if len(kinds) == 1 else None
    return found


def through_in_si(robot: RobotModel, key: str, value: Any) -> Any:
    """An option of a motion through points (`THROUGH`; "through" are the points, lists or tables by coordinate), an
    error where a unit is none of what its joint does.

    >>> import loadpath as lp
    >>> through_in_si(lp.catalog.planar(2), "through", [[0, "90 deg"], {"joint1": "0.5 rad", "joint2": 0}])
    [[0, 1.5707963267948966], [0.5, 0]]
    """
    if key == "through":
        points = isinstance(value, (list, tuple))
        return [_of_joints(robot, key, row) for row in value] if points else in_si(value, THROUGH[key], key)
    return _of_joints(robot, key, value) if key in ("velocity", "acceleration") else in_si(value, THROUGH[key], key)


def with_units(robot: RobotModel, **options: Any) -> list[Any]:
    """Options of a motion through points in SI units; arrays as they are."""
    return [through_in_si(robot, key, value) if _has_words(value) else value for key, value in options.items()]


def _has_words(value: Any) -> bool:
    """Whether it is, or has, text, a quantity or a table."""
    return isinstance(value, Mapping) or has_unit(value) or (
        isinstance(value, (list, tuple)) and any(isinstance(entry, Mapping) for entry in value))


def _of_joints(robot: RobotModel, key: str, value: Any) -> Any:
    """One for each joint, by its place or its name."""
    slides = slides_of(robot)
    names = robot.coordinate_names if key == "through" else robot.dof_names
    if isinstance(value, Mapping):
        values = {name: in_si(entry, THROUGH[key], key, slides.get(name)) for name, entry in value.items()}
        if key != "through":
            return values
        if unknown := [name for name in values if name not in names]:
            raise ValueError(f"robot '{robot.name}' has no coordinate '{unknown[0]}'{nearest(str(unknown[0]), names)}")
        if missing := [name for name in names if name not in values]:
            raise ValueError(f"a point does not say where '{missing[0]}' is: {value!r}")
        return [values[name] for name in names]
    if isinstance(value, (list, tuple)) and len(value) == len(names):
        return [in_si(entry, THROUGH[key], key, slides.get(name)) for name, entry in zip(names, value, strict=True)]
    return in_si(value, THROUGH[key], key)
