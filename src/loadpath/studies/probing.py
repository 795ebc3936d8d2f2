"""What is found out before anything is computed, on a few designs: whatever is wrong with a study is an error here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from loadpath.engine.quantity import quantities_of
from loadpath.errors import ModelError
from loadpath.families.of_robots import differing
from loadpath.loads.resultants import OF_DRIVES, RESULTANTS, axes_of
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.conditions import Condition
from loadpath.robot.numbers import nearest
from loadpath.simulate.base_state import BaseState
from loadpath.states import LoadCase
from loadpath.studies.answers import MARGIN, OF_BLOCKS, ON_WHEELS, WRENCHES, Answer, split_name, unknown_quantity
from loadpath.studies.binding import bound_to_robot, refuse_unused
from loadpath.studies.passes import Column, takes_states
from loadpath.studies.per_design import reason_of
from loadpath.studies.problem import SEARCHED, Problem
from loadpath.studies.space import Space
from loadpath.studies.states import DURATION, SPEED, limits_of, of_space, one_each
from loadpath.studies.subjects import alike, is_function, is_robot, on_wheels, robots_of
from loadpath.studies.together import goes_in_blocks, why_single
from loadpath.studies.values import Columns

_TRIED = 4
"""Designs that are looked at."""


def prepared(problem: Problem) -> Problem:
    """The problem with the space as the robot knows it, groups of robots, and axes of answers."""
    names = problem.space.names
    if problem.makes:
        if not callable(problem.subject):
            raise ValueError(f"study of {problem.subject!r}: expected a robot, a rover, or a function that makes one")
        used = {*problem.takes, *problem.motion_takes, *(n for n in names if n in (SPEED, DURATION))}
        refuse_unused(problem, used, problem.takes)
        space = problem.space
    else:
        space = bound_to_robot(problem)
    motion = problem.motion
    if motion is None and not problem.makes and on_wheels(problem.subject) and not problem.subject.n:
        motion = (np.zeros((1, 0)),) * 3  # a base without robots has one state
    made = Problem(problem.subject, space, motion, problem.answers, problem.hours, problem.acting)
    _find_first(made)
    return made


def _find_first(problem: Problem) -> None:
    """Designs that are feasible, their robots, and what the answers look like."""
    size = len(problem.space)
    first, columns, feasible = 0, problem.space.columns(slice(0, 0)), np.zeros(0, dtype=bool)
    while first < size:
        last = min(first + SEARCHED, size)
        columns = problem.space.columns(slice(first, last))
        feasible = problem.space.feasible(columns)
        if feasible.any():
            break
        first = last
    if not feasible.any():
        said = ", ".join(c.text if isinstance(c, Condition) else "a function" for c in problem.space.conditions)
        raise ValueError(f"none of the {size} designs of this space fulfils its conditions ({said})")
    few = np.flatnonzero(feasible)
    few = few[np.unique(np.linspace(0, len(few) - 1, _TRIED).round().astype(int))]
    tried = {name: column[few] for name, column in columns.items()}
    problem.bound = {"bases": (), "axes": {}}
    robots: list[Any] = []
    problems: list[str] = []
    for k in range(len(few)):
        try:
            robots.append(problem.robot_at(tried, k))
        except Exception as error:  # tried again, and noted, when its chunk is computed
            problems.append(reason_of(error))
    if not robots:
        raise ValueError(f"none of the designs that were tried gives a robot: {problems[0]}")
    for robot in robots:
        if not is_robot(robot):
            raise ValueError(f"the function that makes a robot gave {robot!r}: expected a robot or rover")
    bases: list[Any] = []
    for robot in robots:
        if not any(alike(base, robot) for base in bases):
            bases.append(robot)
    keys = {}
    for k, base in enumerate(bases):
        mine = [robot for robot in robots if alike(base, robot)]
        keys[k] = _keys_of(base, mine) if problem.makes else ()
    problem.bound = {"bases": tuple(bases), "keys": keys, "axes": {}}
    _check_acting(problem, bases[0])
    _check_answers(problem, bases[0])
    _try(problem, tried, bases[0])


def _check_acting(problem: Problem, robot: Any) -> None:
    """What acts beside the motion, by names that its verdict takes."""
    known = list(BaseState.__annotations__) if on_wheels(robot) else [part.name for part in fields(LoadCase)]
    for name in problem.acting:
        if name not in known:
            raise TypeError(f"study takes no '{name}' of this robot{nearest(name, known)}; there are "
                            f"{', '.join(known)}")
    if not on_wheels(robot):
        LoadCase.of(dict(problem.acting), "study")


def _check_answers(problem: Problem, robot: Any) -> None:
    axes: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {}
    for answer in problem.answers:
        if answer.of_states:
            _check_quantity(answer, robot)
        if answer.of_states and goes_in_blocks(problem, robot, answer):
            axes[answer.name] = Column(answer, robot).dims
        elif answer.of_states and (answer.quantity == WRENCHES or str(answer.quantity).startswith("*.")):
            raise ValueError(f"answer '{answer.name}' has several entries, and is asked of one design at a time: "
                             f"{why_single(problem, robot, answer)}; ask for one joint or wheel")
    problem.bound["axes"] = axes
    clash = [name for name in (answer.name for answer in problem.answers) if name in problem.space.names]
    if clash:
        raise ValueError(f"'{clash[0]}' is the name of a parameter and of an answer: give the answer another, "
                         f"lp.Answer('{clash[0]}', name='...')")
    if isinstance(problem.motion, Space):
        more = [answer.name for answer in problem.answers
                if not answer.of_states and answer.quantity not in ("mass", *OF_BLOCKS)]
        if more:
            raise ValueError(f"answer '{more[0]}' needs a motion, and a space of states is given: ask for "
                             "quantities of joints, like 'joint2.tilting_moment', or give a motion")


def _check_quantity(answer: Answer, robot: Any) -> None:
    quantity = answer.quantity
    assert isinstance(quantity, str)
    joint, last = split_name(quantity)
    wheels = on_wheels(robot)
    compiled = [] if wheels else list(quantities_of(robot))
    if quantity == WRENCHES:
        return
    if not joint:
        if wheels or not takes_states(robot, last):
            raise unknown_quantity(quantity, compiled)
        return
    if last == MARGIN and joint == robot.name and wheels:
        return
    if last in ON_WHEELS and wheels:
        if joint not in (*robot.contact_names, "*"):
            raise ValueError(f"answer '{quantity}': rover '{robot.name}' has no contact '{joint}'"
                             f"{nearest(joint, list(robot.contact_names))}")
        return
    if last not in (*COMPONENTS, *RESULTANTS, *OF_DRIVES):
        raise unknown_quantity(quantity, compiled)
    names = robot.dof_names if last in OF_DRIVES else robot.closed_joint_names
    if joint == "*":
        return
    if joint not in names:
        what = "degree of freedom" if last in OF_DRIVES else "joint"
        raise ValueError(f"answer '{quantity}': robot '{robot.name}' has no {what} '{joint}'"
                         f"{nearest(joint, list(names))}")
    needs_axis = last in RESULTANTS and last not in ("force", "torque")
    if needs_axis and np.isnan(axes_of(robots_of(robot))[list(names).index(joint)]).any():
        raise ValueError(f"answer '{quantity}': joint '{joint}' has no single axis, so it has no "
                         f"{last.replace('_', ' ')}")


def _try(problem: Problem, columns: Columns, robot: Any) -> None:
    """One design through everything, so that what is wrong with the motion is an error now."""
    if problem.names_of_states:
        one_each(robot, {name: columns[name][:1] for name in problem.names_of_states}, problem.acting,
                 problem.start(robot))
        return
    if isinstance(problem.motion, Space):
        of_space(robot, problem.motion.measuring(
            {}, {name: limits_of(robot, name) for name in problem.motion.names}), problem.acting)
        return
    if problem.motion is None:
        needed = [answer.name for answer in problem.answers
                  if answer.of_states or (isinstance(answer.quantity, str) and answer.quantity != "mass")
                  or isinstance(answer.quantity, tuple)]
        if needed:
            raise ValueError(f"study: no motion is given, and answer '{needed[0]}' needs one: expected an "
                             "lp.Motion, a tuple (q, qd, qdd), or a function of parameters that makes a motion")
        return
    try:
        motion = problem.motion_at(columns, 0, robot)
    except Exception as error:
        if not is_function(problem.motion):
            raise
        raise ValueError(f"the function that makes a motion failed: {reason_of(error)}") from error
    problem.states_of(robot, motion)
    rows = [answer.quantity for answer in problem.answers if isinstance(answer.quantity, tuple)]
    if rows:
        verdict = robot.verdict(motion, hours=problem.hours, **problem.acting)
        for row in rows:
            verdict[row]  # which says what rows there are


def _keys_of(base: Any, robots: Sequence[Any]) -> tuple[str, ...]:
    """Numbers in which robots differ."""
    if len(robots) < 2:
        return ()
    try:
        _, parameters, _ = differing([robots_of(base), *(robots_of(robot) for robot in robots)], None)
    except (ValueError, ModelError):
        return ()
    return tuple(parameter.key for parameter in parameters)
