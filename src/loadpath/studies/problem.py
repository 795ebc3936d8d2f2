"""What a study computes: for every design a robot and its states, for groups of designs the kernels that they share.

All of it is data, so that it goes to other processes; what is compiled is made again where it arrives.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.engine.family import Member, become_member
from loadpath.engine.quantity import quantities_of
from loadpath.errors import ModelError
from loadpath.families.family import Family
from loadpath.families.of_robots import check_alike, differing
from loadpath.families.values import rows_of
from loadpath.loads.resultants import OF_DRIVES, RESULTANTS, axes_of
from loadpath.parts.part import Part
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import nearest
from loadpath.robot.parameters import Parameter, every_parameter
from loadpath.robot.units_of_text import kinds_of_si_unit
from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.studies.answers import OF_DESIGNS, ON_WHEELS, WRENCHES, Answer, split_name, unknown_quantity
from loadpath.studies.checks import BlockChecks, OneByOneError
from loadpath.studies.conditions import Condition, Kinds
from loadpath.studies.passes import Column, run, takes_states
from loadpath.studies.per_design import answers_one, mass_of, reason_of
from loadpath.studies.signals import Case
from loadpath.studies.space import Columns, Dependent, Space, argument_of
from loadpath.studies.states import (
    DURATION,
    OF_STATES,
    SPEED,
    DesignStates,
    at_pace,
    limits_of,
    of_motion,
    of_space,
    one_each,
    paces,
)

COMPUTED, FAILED, LEFT_OUT = 1, 2, 3
"""What became of a design; 0 while nothing did."""
TRIED = 4
"""Designs that are looked at before anything is computed."""
_SEARCHED = 4096
_JUDGED = ("utilisation", "life")
_IN_BLOCKS = 20_000
"""Designs of a chunk at most, where they go through kernels together."""
_PAIRS_OF_CHUNK = 1 << 20
_ONE_BY_ONE = 32


@dataclass(frozen=True, eq=False)
class Chunk:
    """The answers of some designs."""

    first: int
    values: dict[str, Floats]
    """(designs, entries...) each, NaN where there is none."""
    status: np.ndarray[Any, np.dtype[np.uint8]]
    reasons: dict[int, str]
    """Why designs failed, by their number."""


@dataclass(eq=False)
class Problem:
    """What is computed of every design."""

    subject: Any
    """A robot or rover, or a function that makes one of parameters."""
    space: Space
    motion: Any
    answers: tuple[Answer, ...]
    hours: float | None = None
    bound: dict[str, Any] = field(default_factory=dict)
    """What was found out about it: names of parameters by what they change, groups of robots, axes of answers."""

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # What it is about

    @property
    def makes(self) -> bool:
        """Whether robots come from a function."""
        return not _is_robot(self.subject)

    @cached_property
    def _takes(self) -> tuple[str, ...]:
        """Parameters that the function takes."""
        return _arguments(self.subject, self.space.names, "the function that makes a robot")

    @cached_property
    def _motion_takes(self) -> tuple[str, ...]:
        return _arguments(self.motion, ("robot", *self.space.names), "the function that makes a motion") \
            if _is_function(self.motion) else ()

    def prepare(self) -> Problem:
        """What is found out before anything is computed: a Problem of the space as the robot knows it. Whatever is
        wrong with the call is an error here.
        """
        names = self.space.names
        if self.makes:
            if not callable(self.subject):
                raise ValueError(f"study of {self.subject!r}: expected a robot, a rover, or a function that makes one")
            used = {*self._takes, *self._motion_takes, *(n for n in names if n in (SPEED, DURATION))}
            self._refuse_unused(used, self._takes)
            space = self.space
        else:
            space = self._bound_to_robot()
        made = Problem(self.subject, space, self.motion, self.answers, self.hours)
        made._find_first()
        return made

    def _refuse_unused(self, used: set[str], takes: Sequence[str]) -> None:
        """Parameters that change nothing."""
        for axis in self.space._axes.values():
            if isinstance(axis, Dependent):
                used |= set(axis.names)
        for condition in self.space.conditions:
            used |= set(condition.names)
        for name in self.space.names:
            if name in used:
                continue
            if self.makes:
                raise ValueError(f"'{name}' is no argument of the function that makes a robot"
                                 f"{nearest(argument_of(name), list(takes))}")
            known = [*every_parameter(self.subject), SPEED, DURATION]
            raise ValueError(f"robot '{self.subject.name}' has no parameter '{name}'{nearest(name, known)}")

    def _bound_to_robot(self) -> Space:
        robot = self.subject
        kinds: dict[str, Kinds] = {}
        limits: dict[str, tuple[float, float]] = {}
        used: set[str] = set(self._motion_takes)
        known: Mapping[str, Parameter] = {} if _on_wheels(robot) else every_parameter(robot)
        for name in self.space.names:
            if name in known:
                kinds[name] = kinds_of_si_unit(known[name].unit)
            elif name == SPEED:
                kinds[name] = ("plain number", "share")
            elif name == DURATION:
                kinds[name] = ("time",)
            elif name.rpartition(".")[2] in OF_STATES and name.rpartition(".")[0] in getattr(robot, "dof_names", ()):
                kinds[name] = self._kinds_of_state(name)
                limits[name] = limits_of(robot, name)
            elif name.removesuffix(".part").removesuffix(".gear.ratio") not in robot.joint_names or \
                    not name.endswith((".part", ".gear.ratio")):
                continue
            used.add(name)
        self._refuse_unused(used, ())
        states = [name for name in self.space.names if name in limits]
        if states and self.motion is not None and (_is_function(self.motion) or isinstance(self.motion, Space)):
            raise ValueError(f"'{states[0]}' is a state of each design, and a motion is given too: leave one of the two"
                             )
        for name in (SPEED, DURATION):
            if name in self.space.names and (self.motion is None or isinstance(self.motion, Space) or states):
                raise ValueError(f"'{name}' is a parameter, and no motion is given that it could change")
        if SPEED in self.space.names and DURATION in self.space.names:
            raise ValueError(f"'{SPEED}' and '{DURATION}' both say how fast the motion is: leave one of the two")
        return self.space.measuring(kinds, limits)

    def _kinds_of_state(self, name: str) -> Kinds:
        joint, _, what = name.rpartition(".")
        robot = self.subject
        angular = [a for each in robot.joints if each.mimic is None for a in each.motion.angular]
        turns = angular[robot.dof_names.index(joint)]
        return {"position": ("angle",) if turns else ("length",),
                "speed": ("speed",) if turns else ("speed of a slide",),
                "acceleration": ("angular acceleration",) if turns else ("acceleration",)}[what]

    def _find_first(self) -> None:
        """Designs that are feasible, their robots, and what the answers look like."""
        size = len(self.space)
        first, columns, feasible = 0, self.space.columns(slice(0, 0)), np.zeros(0, dtype=bool)
        while first < size:
            last = min(first + _SEARCHED, size)
            columns = self.space.columns(slice(first, last))
            feasible = self.space.feasible(columns)
            if feasible.any():
                break
            first = last
        if not feasible.any():
            said = ", ".join(c.text if isinstance(c, Condition) else "a function" for c in self.space.conditions)
            raise ValueError(f"none of the {size} designs of this space fulfils its conditions ({said})")
        few = np.flatnonzero(feasible)
        few = few[np.unique(np.linspace(0, len(few) - 1, TRIED).round().astype(int))]
        tried = {name: column[few] for name, column in columns.items()}
        self.bound = {"bases": (), "axes": {}}
        robots: list[Any] = []
        problems: list[str] = []
        for k in range(len(few)):
            try:
                robots.append(self._robot_at(tried, k))
            except Exception as problem:  # tried again, and noted, when its chunk is computed
                problems.append(reason_of(problem))
        if not robots:
            raise ValueError(f"none of the designs that were tried gives a robot: {problems[0]}")
        for robot in robots:
            if not _is_robot(robot):
                raise ValueError(f"the function that makes a robot gave {robot!r}: expected a robot or rover")
        bases: list[Any] = []
        for robot in robots:
            if not any(_alike(base, robot) for base in bases):
                bases.append(robot)
        keys = {}
        for k, base in enumerate(bases):
            mine = [robot for robot in robots if _alike(base, robot)]
            keys[k] = _keys_of(base, mine) if self.makes else ()
        self.bound = {"bases": tuple(bases), "keys": keys, "axes": {}}
        self._check_answers(bases[0])
        self._try(tried, bases[0])

    def _check_answers(self, robot: Any) -> None:
        axes: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {}
        for answer in self.answers:
            if answer.of_states:
                self._check_quantity(answer, robot)
            if answer.of_states and not _on_wheels(robot):
                axes[answer.name] = Column(answer, robot).dims
        self.bound["axes"] = axes
        clash = [name for name in (answer.name for answer in self.answers) if name in self.space.names]
        if clash:
            raise ValueError(f"'{clash[0]}' is the name of a parameter and of an answer: give the answer another, "
                             f"lp.Answer('{clash[0]}', name='...')")
        if isinstance(self.motion, Space):
            more = [answer.name for answer in self.answers if not answer.of_states and answer.quantity != "mass"]
            if more:
                raise ValueError(f"answer '{more[0]}' needs a motion, and a space of states is given: ask for "
                                 "quantities of joints, like 'joint2.tilting_moment', or give a motion")

    def _check_quantity(self, answer: Answer, robot: Any) -> None:
        quantity = answer.quantity
        assert isinstance(quantity, str)
        joint, last = split_name(quantity)
        wheels = _on_wheels(robot)
        compiled = [] if wheels else list(quantities_of(robot))
        if quantity == WRENCHES and not wheels:
            return
        if not joint:
            if wheels or not takes_states(robot, last):
                raise unknown_quantity(quantity, compiled)
            return
        if last in ON_WHEELS and wheels:
            return
        if last not in (*COMPONENTS, *RESULTANTS, *OF_DRIVES):
            raise unknown_quantity(quantity, compiled)
        names = robot.dof_names if last in OF_DRIVES else robot.closed_joint_names
        if joint == "*" and not wheels:
            return
        if joint not in names:
            what = "degree of freedom" if last in OF_DRIVES else "joint"
            raise ValueError(f"answer '{quantity}': robot '{robot.name}' has no {what} '{joint}'"
                             f"{nearest(joint, list(names))}")
        needs_axis = last in RESULTANTS and last not in ("force", "torque")
        if not wheels and needs_axis and np.isnan(axes_of(robot)[list(names).index(joint)]).any():
            raise ValueError(f"answer '{quantity}': joint '{joint}' has no single axis, so it has no "
                             f"{last.replace('_', ' ')}")

    def _try(self, columns: Columns, robot: Any) -> None:
        """One design through everything, so that what is wrong with the motion is an error now."""
        if self._states_names:
            one_each(robot, {name: columns[name][:1] for name in self._states_names}, self._start(robot))
            return
        if isinstance(self.motion, Space):
            of_space(robot, self.motion.measuring(
                {}, {name: limits_of(robot, name) for name in self.motion.names}))
            return
        if self.motion is None:
            needed = [answer.name for answer in self.answers
                      if answer.of_states or (isinstance(answer.quantity, str) and answer.quantity != "mass")
                      or isinstance(answer.quantity, tuple)]
            if needed:
                raise ValueError(f"study: no motion is given, and answer '{needed[0]}' needs one: expected an "
                                 "lp.Motion, a tuple (q, qd, qdd), or a function of parameters that makes a motion")
            return
        try:
            motion = self._motion_at(columns, 0, robot)
        except Exception as problem:
            if not _is_function(self.motion):
                raise
            raise ValueError(f"the function that makes a motion failed: {reason_of(problem)}") from problem
        if not _on_wheels(robot):
            of_motion(robot, motion)
        rows = [answer.quantity for answer in self.answers if isinstance(answer.quantity, tuple)]
        if rows:
            verdict = robot.verdict(motion, hours=self.hours)
            for row in rows:
                verdict[row]  # which says what rows there are

    # Designs

    @cached_property
    def _states_names(self) -> tuple[str, ...]:
        if self.makes:
            return ()
        return tuple(name for name in self.space.names
                     if name.rpartition(".")[2] in OF_STATES and name.rpartition(".")[0] in self.subject.dof_names)

    def _robot_at(self, columns: Columns, k: int) -> Any:
        """The robot of one design."""
        if self.makes:
            return self.subject(**{argument: columns[name][k] for argument, name in
                                   ((argument_of(name), name) for name in self._takes)})
        robot = self._edited(tuple((name, columns[name][k]) for name in self._discrete))
        keys = self._named
        if not keys:
            return robot
        values = {key: _value_of(columns[key][k]) for key in keys}
        return robot.family(values).robot_of(())

    def _motion_at(self, columns: Columns, k: int, robot: Any) -> Any:
        """The motion of one design, at its pace."""
        motion = self.motion
        if _is_function(motion):
            given = {argument_of(name): robot if name == "robot" else columns[name][k] for name in self._motion_takes}
            motion = motion(**given)
        if self._states_names:
            states = one_each(robot, {name: columns[name][k:k + 1] for name in self._states_names}, self._start(robot))
            q, qd, qdd = states.of(slice(0, 1), slice(0, 1))
            return q[0], qd[0], qdd[0]
        pace = paces(motion, {name: columns[name][k:k + 1] for name in (SPEED, DURATION) if name in columns})
        return at_pace(motion, None if pace is None else float(pace[0]))

    def _start(self, robot: Any) -> Any:
        """The state that designs have but for what they name."""
        if self.motion is None:
            return None
        batch = of_motion(robot, self.motion)
        assert batch.arrays is not None
        if batch.count != 1:
            raise ValueError("study: positions are parameters of the space, so each design has one state: give one "
                             "state (q, qd, qdd) as the motion, for the rest of it, or none")
        return tuple(array[0] for array in batch.arrays)

    @cached_property
    def _discrete(self) -> tuple[str, ...]:
        """Parameters that change what a robot has: parts, gear ratios of drive trains."""
        return tuple(name for name in self.space.names if name.endswith((".part", ".gear.ratio")))

    @cached_property
    def _named(self) -> tuple[str, ...]:
        """Parameters that are numbers of the robot."""
        if self.makes or _on_wheels(self.subject):
            return ()
        known = every_parameter(self.subject)
        return tuple(name for name in self.space.names if name in known)

    def _edited(self, edits: tuple[tuple[str, Any], ...]) -> Any:
        """The robot with other parts and drives."""
        robot = self.subject
        for name, value in edits:
            joint = name.removesuffix(".part").removesuffix(".gear.ratio")
            if name.endswith(".part"):
                if value is None or (isinstance(value, str) and value == ""):
                    continue
                parts = value if isinstance(value, (list, tuple)) else [value]
                for part in parts:
                    if not isinstance(part, Part):
                        raise ValueError(f"'{name}' is {part!r}: expected parts, like lp.StrainWaveGear(...)")
                robot = robot.with_parts({joint: list(parts)})
            else:
                robot = robot.with_drives({joint: Drive(ratio=float(value))})
        return robot

    # Chunks

    def size_of_chunk(self) -> int:
        """Designs of a chunk: a rule, not a measurement, so that the same study has the same chunks anywhere."""
        if self.one_by_one:
            return _ONE_BY_ONE
        states = 1 if self._states_names or self.motion is None else self.count_of_states
        return max(1, min(_IN_BLOCKS, _PAIRS_OF_CHUNK // max(states, 1)))

    @cached_property
    def count_of_states(self) -> int:
        """Of the first design."""
        if self._states_names or self.motion is None:
            return 1
        if isinstance(self.motion, Space):
            return len(self.motion)
        motion = self.motion
        if _is_function(motion):
            size = min(len(self.space), _SEARCHED)
            columns = self.space.columns(slice(0, size))
            k = int(np.argmax(self.space.feasible(columns)))
            motion = self._motion_at(columns, k, self.bound["bases"][0])
        if isinstance(motion, tuple):
            return int(np.prod(np.broadcast_shapes(*(np.shape(array)[:-1] for array in motion)), dtype=int))
        if hasattr(motion, "motions"):
            return sum(len(each.t) for each in motion.motions)
        return len(motion.t)

    @cached_property
    def one_by_one(self) -> str:
        """Why designs are computed one after the other; nothing where they go through kernels together."""
        base = self.bound["bases"][0]
        if _on_wheels(base):
            return "rovers have no kernels for many designs"
        for answer in self.answers:
            if answer.quantity in _JUDGED:
                try:
                    self._checks_of(base, None)
                except OneByOneError as problem:
                    return f"'{answer.name}': {problem}"
            elif isinstance(answer.quantity, tuple):
                try:
                    if self._row_of(answer) not in self._checks_of(base, None).names:
                        return f"'{answer.name}' is no row that has a rule"
                except OneByOneError as problem:
                    return f"'{answer.name}': {problem}"
            elif not answer.of_states and answer.quantity != "mass":
                return f"'{answer.name}' is asked of one robot at a time"
        return ""

    @staticmethod
    def _row_of(answer: Answer) -> str:
        return f"{answer.quantity[0]}.{answer.quantity[-1]}"  # type: ignore[index]

    def _checks_of(self, base: Any, motion: Any) -> BlockChecks:
        """The rules of a robot's checks over its motion, made once."""
        made: dict[Any, Any] = self.__dict__.setdefault("_checks", {})
        key = id(base), id(motion)
        if key not in made:
            try:
                made[key] = (base, motion, self._new_checks(base, motion))
            except OneByOneError as problem:
                made[key] = (base, motion, problem)
        found = made[key][2]
        if isinstance(found, OneByOneError):
            raise found
        return found  # type: ignore[no-any-return]

    def _new_checks(self, base: Any, motion: Any) -> BlockChecks:
        changed = [name for name in self._named if name.endswith((".gear_ratio", ".rotor_inertia", ".armature"))]
        if changed and base.parts:
            raise OneByOneError(f"'{changed[0]}' changes what motors and gears carry")
        if self._states_names:
            if base.parts:
                raise OneByOneError("each design has a state of its own, and the robot has parts")
            columns = self.space.columns(slice(0, 1))
            return BlockChecks(base, self._motion_at(columns, 0, base), self.hours)
        if _is_function(self.motion) and motion is None:
            if base.parts:
                raise OneByOneError("each design has a motion of its own, and the robot has parts")
            size = min(len(self.space), _SEARCHED)
            columns = self.space.columns(slice(0, size))
            k = int(np.argmax(self.space.feasible(columns)))
            return BlockChecks(base, self._motion_at(columns, k, base), self.hours)
        return BlockChecks(base, self.motion if motion is None else motion, self.hours)

    def compute(self, first: int, last: int, pool: Executor | None = None) -> Chunk:
        """All answers of the designs from `first` to `last`."""
        columns = self.space.columns(slice(first, last))
        count = last - first
        feasible = self.space.feasible(columns)
        work = _Work(self, first, count, pool)
        work.status[~feasible] = LEFT_OUT
        work.go(columns, np.flatnonzero(feasible))
        return Chunk(first, work.values, work.status, work.reasons)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of each answer: its entries, but for those of reductions and quantities that are known with the first."""
        axes = self.bound["axes"]
        return {answer.name: tuple(len(labels) for _, labels in axes.get(answer.name, ())) for answer in self.answers}


class _Work:
    """A chunk while it is computed."""

    def __init__(self, problem: Problem, first: int, count: int, pool: Executor | None) -> None:
        self.problem, self.first, self.count, self.pool = problem, first, count, pool
        self.values: dict[str, Floats] = {}
        self.status = np.zeros(count, dtype=np.uint8)
        self.reasons: dict[int, str] = {}

    def fail(self, row: int, reason: str) -> None:
        self.status[row] = FAILED
        self.reasons[self.first + int(row)] = reason

    def put(self, name: str, rows: Ints, found: Floats) -> None:
        if name not in self.values:
            shape = self.problem.bound.get("shapes", {}).get(name, found.shape[1:])
            self.values[name] = np.full((self.count, *shape), np.nan)
        mine = self.values[name]
        if mine.shape[1:] != found.shape[1:]:
            for row in rows.tolist():
                self.fail(row, f"'{name}' has the shape {found.shape[1:]}, of other designs {mine.shape[1:]}")
            return
        mine[rows] = found

    def go(self, columns: Columns, rows: Ints) -> None:
        for group in self._groups(columns, rows) if len(rows) else ():
            self._compute(columns, *group)
        shapes = self.problem.bound.get("shapes", {})
        for answer in self.problem.answers:
            if answer.name not in self.values:
                self.values[answer.name] = np.full((self.count, *shapes.get(answer.name, ())), np.nan)
        done = self.status == 0
        self.status[done] = COMPUTED
        failed = self.status == FAILED
        for values in self.values.values():
            values[failed] = np.nan

    # Groups: a base robot, a family of it, rows of numbers, robots

    def _groups(self, columns: Columns, rows: Ints) -> list[tuple[Any, Any, Floats | None, list[Any] | None, Ints]]:
        return self._of_function(columns, rows) if self.problem.makes else self._of_names(columns, rows)

    def _of_names(self, columns: Columns, rows: Ints) -> list[Any]:
        problem = self.problem
        found: list[Any] = []
        for edits, mine in _combinations(columns, problem._discrete, rows):
            try:
                made = problem.__dict__.setdefault("_edited_robots", {})  # of this process, by its objects
                if _key(edits) not in made:
                    made[_key(edits)] = (edits, problem._edited(edits))
                base = made[_key(edits)][1]
            except Exception as error:  # these designs have no robot
                for row in mine.tolist():
                    self.fail(row, reason_of(error))
                continue
            if not problem._named:
                found.append((base, None, None, None, mine))
                continue
            family = self._family(base)
            numbers, good = self._numbers(family, columns, mine)
            if good.any():
                found.append((base, family, numbers[good], None, mine[good]))
        return found

    def _family(self, base: Any) -> Any:
        made: dict[int, Any] = self.problem.__dict__.setdefault("_families", {})
        if id(base) not in made:
            made[id(base)] = (base, base.family(list(self.problem._named)))
        return made[id(base)][1]

    def _numbers(self, family: Any, columns: Columns, rows: Ints) -> tuple[Floats, Bools]:
        given = {key: _stacked(columns[key][rows]) for key in family.names}
        good: Bools = np.ones(len(rows), dtype=bool)
        try:
            return rows_of(family.parameters, given, None), good
        except ValueError:
            pass
        numbers = np.full((len(rows), sum(parameter.size for parameter in family.parameters)), np.nan)
        for k, row in enumerate(rows.tolist()):
            try:
                numbers[k] = rows_of(family.parameters, {key: values[k] for key, values in given.items()}, None)
            except ValueError as problem:
                self.fail(row, reason_of(problem))
                good[k] = False
        return numbers, good

    def _of_function(self, columns: Columns, rows: Ints) -> list[Any]:
        problem = self.problem
        bases = list(problem.bound["bases"])
        members: list[list[Any]] = [[] for _ in bases]
        places: list[list[int]] = [[] for _ in bases]
        made: dict[Any, Any] = {}
        for row in rows.tolist():
            key = tuple(_hashed(columns[name][row]) for name in problem._takes)
            if key not in made:
                try:
                    made[key] = problem._robot_at(columns, row)
                    if not _is_robot(made[key]):
                        raise ValueError(f"the function that makes a robot gave {made[key]!r}")
                except Exception as error:  # this design has no robot
                    made[key] = reason_of(error)
            robot = made[key]
            if isinstance(robot, str):
                self.fail(row, robot)
                continue
            k = next((k for k, base in enumerate(bases) if _alike(base, robot)), len(bases))
            if k == len(bases):
                bases.append(robot)
                members.append([])
                places.append([])
            members[k].append(robot)
            places[k].append(row)
        groups: list[Any] = []
        for k, (base, robots, mine) in enumerate(zip(bases, members, places, strict=True)):
            if not robots:
                continue
            if _on_wheels(base):
                groups.append((base, None, None, robots, np.array(mine)))
                continue
            keys = problem.bound["keys"].get(k, ())
            try:
                first, parameters, numbers = _rows_of_robots(base, robots, keys)
            except ValueError:  # they differ in more than numbers that are known
                groups += [(robot, None, None, [robot], np.array([row])) for robot, row in zip(robots, mine,
                                                                                              strict=True)]
                continue
            families = problem.__dict__.setdefault("_families", {})
            named = (id(base), tuple(parameter.key for parameter in parameters))
            if named not in families:
                families[named] = (base, Family._made(first, parameters, numbers[:1], paired=False))
            groups.append((base, families[named][1], numbers, robots, np.array(mine)))
        return groups

    # Answers of a group

    def _compute(self, columns: Columns, base: Any, family: Any, numbers: Floats | None, robots: Any, rows: Ints
                 ) -> None:
        problem = self.problem
        blocks = [] if _on_wheels(base) else [answer for answer in problem.answers if answer.of_states]
        judged = [answer for answer in problem.answers
                  if answer.quantity in _JUDGED or isinstance(answer.quantity, tuple)]
        single = [answer for answer in problem.answers if answer not in blocks and answer not in judged]
        masses = [answer for answer in single if answer.quantity == "mass"]
        single = [answer for answer in single if answer not in masses]
        for answer in masses:
            self.put(answer.name, rows, self._masses(base, family, numbers, robots, len(rows)))
        if single or (judged and _on_wheels(base)):
            self._one_by_one(columns, [*single, *judged], base, family, numbers, robots, rows)
            judged = []
        elif _on_wheels(base):
            self._one_by_one(columns, [answer for answer in problem.answers if answer.of_states], base, family,
                             numbers, robots, rows)
        if not (blocks or judged):
            return
        for part, states, motion in self._states(columns, base, robots, rows):
            mine, some = rows[part], None if numbers is None else numbers[part]
            alone = None if robots is None else [robots[k] for k in np.arange(len(rows))[part].tolist()]
            left = judged
            checks = None
            if judged:
                try:
                    checks = problem._checks_of(base, motion if _is_function(problem.motion) and base.parts else None)
                    if any(isinstance(answer.quantity, tuple) and problem._row_of(answer) not in checks.names
                           for answer in judged):
                        raise OneByOneError("a row")
                    left = []
                except OneByOneError:
                    checks = None
            if left:
                self._one_by_one(columns, left, base, family, some, alone, mine)
            if not blocks and checks is None:
                continue
            case = Case(base, family, some, states, len(mine))
            self._blocks(case, blocks, judged if checks is not None else [], checks, mine)

    def _blocks(self, case: Case, blocks: Sequence[Answer], judged: Sequence[Answer], checks: BlockChecks | None,
                rows: Ints) -> None:
        try:
            columns = {answer.name: Column(answer, case.robot) for answer in blocks}
            found = run(case, columns, checks, self.pool)
        except Exception as problem:  # whatever goes wrong with a design is its answer
            if len(rows) == 1:
                self.fail(int(rows[0]), reason_of(problem))
                return
            for k in range(len(rows)):
                self._blocks(case.some(slice(k, k + 1)), blocks, judged, checks, rows[k:k + 1])
            return
        for answer in judged:
            name = answer.quantity if isinstance(answer.quantity, str) else f"row {self.problem._row_of(answer)}"
            found[answer.name] = found[str(name)]
            if answer.quantity in _JUDGED and np.isnan(found[answer.name]).all():
                what = "nothing could be checked" if answer.quantity == "utilisation" else "no part has one"
                found[answer.name] = np.full(len(rows), np.nan)
                for row in rows.tolist():
                    self.fail(row, f"{answer.name}: {what}")
        for answer in (*blocks, *judged):
            values = found[answer.name]
            self.put(answer.name, rows, values.reshape(len(rows), *self._shape_of(answer, values)))
            bad = np.isnan(values.reshape(len(rows), -1)).any(axis=1)
            for row in rows[bad].tolist():
                if self.status[row] != FAILED:
                    self.fail(row, f"{answer.name} is not a number: in some state the motion or the robot is not")

    def _shape_of(self, answer: Answer, values: Floats) -> tuple[int, ...]:
        axes = self.problem.bound["axes"].get(answer.name, ())
        labelled = tuple(len(labels) for _, labels in axes)
        return labelled if math.prod(labelled) == math.prod(values.shape[1:]) and labelled else values.shape[1:]

    def _masses(self, base: Any, family: Any, numbers: Floats | None, robots: Any, count: int) -> Floats:
        if robots is not None:
            return np.array([mass_of(robot) for robot in robots])
        if family is None or numbers is None:
            return np.full(count, mass_of(base))
        total = np.zeros(count)
        start, places = 0, {}
        for parameter in family.parameters:
            places[parameter.key] = start
            start += parameter.size
        for link in base.links:
            key = f"{link.name}.mass"
            total = total + (numbers[:, places[key]] if key in places else link.inertia.mass)
        return total

    def _robot_of(self, base: Any, family: Any, numbers: Floats | None, robots: Any, k: int) -> Any:
        if robots is not None:
            robot = robots[k]
            if family is not None and numbers is not None:
                become_member(robot, Member(family.robot, family.parameters, numbers[k].copy()))
            return robot
        if family is None or numbers is None:
            return base
        return Family._made(family.robot, family.parameters, numbers, paired=False).robot_of(k)

    def _one_by_one(self, columns: Columns, answers: Sequence[Answer], base: Any, family: Any, numbers: Floats | None,
                    robots: Any, rows: Ints) -> None:
        problem = self.problem
        found = {answer.name: np.full(len(rows), np.nan) for answer in answers}
        for k, row in enumerate(rows.tolist()):
            try:
                robot = self._robot_of(base, family, numbers, robots, k)
                motion = None if problem.motion is None and not problem._states_names else \
                    problem._motion_at(columns, row, robot)
            except Exception as error:  # this design has no motion, or no robot
                self.fail(row, reason_of(error))
                continue
            values, reason = answers_one(answers, robot, motion, problem.hours)
            if reason:
                self.fail(row, reason)
            for name, value in values.items():
                found[name][k] = value
        for name, column in found.items():
            self.put(name, rows, column)

    def _states(self, columns: Columns, base: Any, robots: Any, rows: Ints) -> list[tuple[Any, DesignStates, Any]]:
        """Designs with states of as many samples: their places among the rows, the states, and a motion where it is
        one.
        """
        problem = self.problem
        every = slice(0, len(rows))
        mine = {name: column[rows] for name, column in columns.items()}
        if problem._states_names:
            values = {name: mine[name] for name in problem._states_names}
            return [(every, one_each(base, values, problem._start(base)), None)]
        if isinstance(problem.motion, Space):
            space = problem.motion.measuring({}, {name: limits_of(base, name) for name in problem.motion.names})
            return [(every, of_space(base, space), None)]
        paced = {name: mine[name] for name in (SPEED, DURATION) if name in mine}
        if not _is_function(problem.motion):
            states = problem.__dict__.setdefault("_states_of", {})
            if id(base) not in states:
                states[id(base)] = (base, of_motion(base, problem.motion))
            found: DesignStates = states[id(base)][1]
            pace = paces(problem.motion, paced)
            if found.loaded and (pace is not None):
                return self._apart(columns, base, robots, rows)
            return [(every, DesignStates(found.count, found.arrays, found.weights, pace, None, found.batch),
                     problem.motion)]
        return self._apart(columns, base, robots, rows)

    def _apart(self, columns: Columns, base: Any, robots: Any, rows: Ints) -> list[tuple[Any, DesignStates, Any]]:
        """Each design with its own motion; those of the same parameters share one."""
        problem = self.problem
        names = [name for name in problem._motion_takes if name != "robot"]
        names += [name for name in (SPEED, DURATION) if name in columns]
        own = "robot" in problem._motion_takes and robots is not None
        groups: dict[Any, list[int]] = {}
        for k, row in enumerate(rows.tolist()):
            key = (k,) if own else tuple(_hashed(columns[name][row]) for name in names)
            groups.setdefault(key, []).append(k)
        motions: list[tuple[list[int], DesignStates, Any]] = []
        for places in groups.values():
            try:
                robot = robots[places[0]] if own else base
                motion = problem._motion_at(columns, int(rows[places[0]]), robot)
                motions.append((places, of_motion(base, motion), motion))
            except Exception as error:  # these designs have no motion
                for k in places:
                    self.fail(int(rows[k]), reason_of(error))
        return [(np.array(places), states, motion) for places, states, motion in motions]


# Small things


def _on_wheels(robot: Any) -> bool:
    return bool(robot.on_wheels)


def _is_robot(robot: object) -> bool:
    """Whether it is a robot, or a rover."""
    return isinstance(robot, RobotModel)


def _is_function(motion: object) -> bool:
    return inspect.isroutine(motion) or (callable(motion) and not hasattr(motion, "q") and not isinstance(
        motion, (tuple, Space)) and not hasattr(motion, "motions"))


def _arguments(function: Callable[..., Any], names: Sequence[str], what: str) -> tuple[str, ...]:
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


def _value_of(value: Any) -> Any:
    return np.asarray(value, dtype=float) if isinstance(value, (list, tuple, np.ndarray)) else value


def _stacked(column: Any) -> Any:
    """Values of a parameter of several numbers as one array."""
    return np.stack([np.asarray(value, dtype=float) for value in column]) if column.dtype == object else column


def _hashed(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value


def _key(edits: Sequence[tuple[str, Any]]) -> tuple[Any, ...]:
    return tuple((name, value if isinstance(value, float) else id(value)) for name, value in edits)


def _combinations(columns: Columns, names: Sequence[str], rows: Ints) -> list[tuple[tuple[tuple[str, Any], ...], Ints]]:
    """Designs by what their robots have, in the order in which it first comes."""
    if not names:
        return [((), rows)]
    groups: dict[Any, tuple[tuple[tuple[str, Any], ...], list[int]]] = {}
    for row in rows.tolist():
        edits = tuple((name, columns[name][row]) for name in names)
        groups.setdefault(_key(edits), (edits, []))[1].append(row)
    return [(edits, np.array(mine)) for edits, mine in groups.values()]


def _alike(base: Any, robot: Any) -> bool:
    """Whether two robots differ in numbers alone that a family has as arguments."""
    if base is robot:
        return True
    if type(base) is not type(robot) or _on_wheels(base) or _on_wheels(robot):
        return False
    try:
        check_alike(base, robot)
    except ValueError:
        return False
    for mine, other in zip(base.joints, robot.joints, strict=True):
        if mine.limits != other.limits or mine.drives != other.drives:
            return False
    return all(getattr(base, part) == getattr(robot, part) for part in ("parts", "ratings"))


def _keys_of(base: Any, robots: Sequence[Any]) -> tuple[str, ...]:
    """Numbers in which robots differ."""
    if _on_wheels(base) or len(robots) < 2:
        return ()
    try:
        _, parameters, _ = differing([base, *robots], None)
    except (ValueError, ModelError):
        return ()
    return tuple(parameter.key for parameter in parameters)


def _rows_of_robots(base: Any, robots: Sequence[Any], keys: Sequence[str]) -> tuple[Any, Any, Floats]:
    """A family of robots with some parameters, and others in which they differ as well."""
    if keys:
        try:
            first, parameters, numbers = differing([base, *robots], keys)
            return first, parameters, numbers[1:]
        except ValueError:
            pass
    first, parameters, numbers = differing([base, *robots], None)
    more = [parameter.key for parameter in parameters if parameter.key not in keys]
    if keys:
        first, parameters, numbers = differing([base, *robots], [*keys, *more])
    return first, parameters, numbers[1:]


__all__ = ["COMPUTED", "FAILED", "LEFT_OUT", "OF_DESIGNS", "Chunk", "Problem"]
