"""Whether designs go through kernels together, or are asked one after the other, and so how many make a chunk."""

from __future__ import annotations

from typing import Any

import numpy as np

from loadpath.cached import kept
from loadpath.states.reading import loads_of
from loadpath.studies.answers import JUDGED, OF_BLOCKS, ON_WHEELS, Answer, split_name
from loadpath.studies.checks import BlockChecks, OneByOneError
from loadpath.studies.on_ground import one_by_one_on
from loadpath.studies.problem import Problem
from loadpath.studies.rover_checks import Checks, RoverChecks
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
        elif answer.quantity != "mass" and not goes_in_blocks(problem, base, answer):
            return f"'{answer.name}': {why_single(problem, base, answer)}"
    return ""


def goes_in_blocks(problem: Problem, base: Any, answer: Answer) -> bool:
    """Whether an answer is a reduction of what a block has of all designs and states."""
    return (answer.of_states or answer.quantity in OF_BLOCKS) and not why_single(problem, base, answer)


def why_single(problem: Problem, base: Any, answer: Answer) -> str:
    """Why a quantity is asked of one design at a time; nothing where it is not."""
    if on_wheels(base):
        return _why_single_rover(problem, base, answer)
    if answer.of_states:
        return ""
    if answer.quantity != "deflection" or not base.is_elastic:
        return "asked of one robot at a time"
    return "robots with loops" if base.held_by_loops else "beams in guides" if base.placed_guides else ""


def _why_single_rover(problem: Problem, rover: Any, answer: Answer) -> str:
    assert isinstance(answer.quantity, str)
    if (not answer.of_states and answer.quantity not in (*OF_BLOCKS, "mass")) or answer.quantity == "deflection":
        return "asked of one rover at a time"
    if any(hasattr(problem.motion, part) for part in ("base_state", "motions")) or loads_of(problem.motion):
        return "the motion brings how the base moves, loads, or several motions"
    on_ground = split_name(answer.quantity)[1] in (*ON_WHEELS, *OF_BLOCKS)
    if problem.acting and not (on_ground and _constant(problem)):
        return f"'{next(iter(problem.acting))}' acts beside the motion"
    return one_by_one_on(rover) if on_ground or rover.base.on_links else ""


def _constant(problem: Problem) -> bool:
    """Whether what acts beside the motion is the same in all states."""
    for name, value in problem.acting.items():
        parts = [value] if name != "external" else [part for wrench in value.values() for part in (
            wrench.force, wrench.torque, wrench.point)]
        try:
            if any(np.ndim(part) > 1 for part in parts) or (name == "heading" and np.ndim(value)):
                return False
        except ValueError:  # components of several shapes
            return False
    return True


def row_of(answer: Answer) -> str:
    """The name of a row of the verdict, as rules have it: joint and check, or joint, part and check."""
    assert isinstance(answer.quantity, tuple)
    return ".".join(answer.quantity)


def checks_of(problem: Problem, base: Any, motion: Any) -> Checks:
    """The rules of a robot's checks over its motion, made once."""
    found = problem.kept("checks", (id(base), id(motion)), (base, motion), lambda: _checks_or_why(
        problem, base, motion))
    if isinstance(found, OneByOneError):
        raise found
    return found  # type: ignore[no-any-return]


def _checks_or_why(problem: Problem, base: Any, motion: Any) -> Checks | OneByOneError:
    try:
        return _new_checks(problem, base, motion)
    except OneByOneError as reason:
        return reason


def _new_checks(problem: Problem, base: Any, motion: Any) -> Checks:
    if problem.acting:
        raise OneByOneError(f"'{next(iter(problem.acting))}' acts beside the motion")
    if on_wheels(base):
        return _checks_of_rover(problem, base, motion)
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


def _checks_of_rover(problem: Problem, rover: Any, motion: Any) -> RoverChecks:
    if problem.names_of_states or is_function(problem.motion) or problem.motion is None:
        raise OneByOneError("each design has a motion of its own")
    if problem.discrete and rover.on_fixed_base.parts:
        raise OneByOneError(f"'{problem.discrete[0]}' changes what parts carry")
    if not problem.discrete or set(problem.discrete) - set(problem.of_wheels):
        return RoverChecks(rover, problem.motion if motion is None else motion, problem.hours)
    # Their robots are the same, without parts: what is found out about the first holds for all.
    first: RoverChecks = problem.kept("checks of rovers", None, rover, lambda: RoverChecks(
        rover, problem.motion, problem.hours))
    return first if first.rover is rover else first.on_other_wheels(rover)
