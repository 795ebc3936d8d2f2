"""What the names of a space's parameters are of the robot: its numbers, its parts, its motion, its states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loadpath.robot.conditions import Kinds
from loadpath.robot.numbers import nearest
from loadpath.robot.units_of_text import kinds_of_si_unit
from loadpath.studies.dependent import argument_of
from loadpath.studies.problem import Problem
from loadpath.studies.space import Space
from loadpath.studies.states import DURATION, OF_STATES, SPEED, limits_of
from loadpath.studies.subjects import is_function, parameters_of_subject


def bound_to_robot(problem: Problem) -> Space:
    """The space as the robot knows it: what its parameters measure, and between which limits they are."""
    robot = problem.subject
    kinds: dict[str, Kinds] = {}
    limits: dict[str, tuple[float, float]] = {}
    used: set[str] = set(problem.motion_takes)
    known = parameters_of_subject(robot)
    for name in problem.space.names:
        if name in known:
            kinds[name] = kinds_of_si_unit(known[name].unit)
        elif name == SPEED:
            kinds[name] = ("plain number", "share")
        elif name == DURATION:
            kinds[name] = ("time",)
        elif name.rpartition(".")[2] in OF_STATES and name.rpartition(".")[0] in getattr(robot, "dof_names", ()):
            kinds[name] = _kinds_of_state(robot, name)
            limits[name] = limits_of(robot, name)
        elif name.removesuffix(".part").removesuffix(".gear.ratio") not in robot.joint_names or \
                not name.endswith((".part", ".gear.ratio")):
            continue
        used.add(name)
    refuse_unused(problem, used, ())
    states = [name for name in problem.space.names if name in limits]
    if states and problem.motion is not None and (is_function(problem.motion) or isinstance(problem.motion, Space)):
        raise ValueError(f"'{states[0]}' is a state of each design, and a motion is given too: leave one of the two")
    for name in (SPEED, DURATION):
        if name in problem.space.names and (problem.motion is None or isinstance(problem.motion, Space) or states):
            raise ValueError(f"'{name}' is a parameter, and no motion is given that it could change")
    if SPEED in problem.space.names and DURATION in problem.space.names:
        raise ValueError(f"'{SPEED}' and '{DURATION}' both say how fast the motion is: leave one of the two")
    return problem.space.measuring(kinds, limits)


def refuse_unused(problem: Problem, used: set[str], takes: Sequence[str]) -> None:
    """Parameters that change nothing."""
    for dependent in problem.space.dependent.values():
        used |= set(dependent.names)
    for condition in problem.space.conditions:
        used |= set(condition.names)
    for name in problem.space.names:
        if name in used:
            continue
        if problem.makes:
            raise ValueError(f"'{name}' is no argument of the function that makes a robot"
                             f"{nearest(argument_of(name), list(takes))}")
        known = [*parameters_of_subject(problem.subject), SPEED, DURATION]
        raise ValueError(f"robot '{problem.subject.name}' has no parameter '{name}'{nearest(name, known)}")


def _kinds_of_state(robot: Any, name: str) -> Kinds:
    joint, _, what = name.rpartition(".")
    angular = [a for each in robot.joints if each.mimic is None for a in each.motion.angular]
    turns = angular[robot.dof_names.index(joint)]
    return {"position": ("angle",) if turns else ("length",),
            "speed": ("speed",) if turns else ("speed of a slide",),
            "acceleration": ("angular acceleration",) if turns else ("acceleration",)}[what]
