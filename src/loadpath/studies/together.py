"""Whether designs go through kernels together, or are asked one after the other, and so how many make a chunk."""

from __future__ import annotations

from typing import Any

from loadpath.cached import kept
from loadpath.studies.answers import JUDGED, Answer
from loadpath.studies.checks import BlockChecks, OneByOneError
from loadpath.studies.problem import Problem
from loadpath.studies.subjects import is_function, on_wheels

_IN_BLOCKS = 20_000
"""Designs of a chunk at most, where they go through kernels together."""
_PAIRS_OF_CHUNK = 1 << 20
_ONE_BY_ONE = 32


def size_of_chunk(problem: Problem) -> int:
    """Designs of a chunk: a rule, not a measurement, so that the same study has the same chunks anywhere."""
    if one_by_one(problem):
        return _ONE_BY_ONE
    states = 1 if problem.names_of_states or problem.motion is None else problem.count_of_states
    return max(1, min(_IN_BLOCKS, _PAIRS_OF_CHUNK // max(states, 1)))


@kept()
def one_by_one(problem: Problem) -> str:
    """Why designs are computed one after the other; nothing where they go through kernels together."""
    base = problem.bound["bases"][0]
    if on_wheels(base):
        return "rovers have no kernels for many designs"
    for answer in problem.answers:
        if answer.quantity in JUDGED:
            try:
                checks_of(problem, base, None)
            except OneByOneError as reason:
                return f"'{answer.name}': {reason}"
        elif isinstance(answer.quantity, tuple):
            try:
                if row_of(answer) not in checks_of(problem, base, None).names:
                    return f"'{answer.name}' is no row that has a rule"
            except OneByOneError as reason:
                return f"'{answer.name}': {reason}"
        elif not answer.of_states and answer.quantity != "mass":
            return f"'{answer.name}' is asked of one robot at a time"
    return ""


def row_of(answer: Answer) -> str:
    """The name of a row of the verdict, as rules have it."""
    return f"{answer.quantity[0]}.{answer.quantity[-1]}"  # type: ignore[index]


def checks_of(problem: Problem, base: Any, motion: Any) -> BlockChecks:
    """The rules of a robot's checks over its motion, made once."""
    made = problem.made("checks")
    key = id(base), id(motion)
    if key not in made:
        try:
            made[key] = (base, motion, _new_checks(problem, base, motion))
        except OneByOneError as reason:
            made[key] = (base, motion, reason)
    found = made[key][2]
    if isinstance(found, OneByOneError):
        raise found
    return found  # type: ignore[no-any-return]


def _new_checks(problem: Problem, base: Any, motion: Any) -> BlockChecks:
    if problem.acting:
        raise OneByOneError(f"'{next(iter(problem.acting))}' acts beside the motion")
    changed = [name for name in problem.named if name.endswith((".gear_ratio", ".rotor_inertia", ".armature"))]
    if changed and base.parts:
        raise OneByOneError(f"'{changed[0]}' changes what motors and gears carry")
    if problem.names_of_states:
        if base.parts:
            raise OneByOneError("each design has a state of its own, and the robot has parts")
        columns = problem.space.columns(slice(0, 1))
        return BlockChecks(base, problem.motion_at(columns, 0, base), problem.hours)
    if is_function(problem.motion) and motion is None:
        if base.parts:
            raise OneByOneError("each design has a motion of its own, and the robot has parts")
        return BlockChecks(base, problem.first_motion(base), problem.hours)
    return BlockChecks(base, problem.motion if motion is None else motion, problem.hours)
