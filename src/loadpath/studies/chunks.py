"""Answers of a chunk of designs: of groups that share robots and states, through kernels where there are some."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.scalars.types import Floats, Ints
from loadpath.studies.answers import JUDGED, Answer
from loadpath.studies.checks import OneByOneError
from loadpath.studies.grouping import Group, groups_of
from loadpath.studies.passes import Column, run
from loadpath.studies.per_design import answers_one, reason_of
from loadpath.studies.problem import Problem, hashed
from loadpath.studies.rover_checks import Checks
from loadpath.studies.signals import Case
from loadpath.studies.space import Space
from loadpath.studies.states import DURATION, SPEED, DesignStates, limits_of, of_space, one_each, paces
from loadpath.studies.subjects import is_function, on_wheels, robots_of
from loadpath.studies.together import checks_of, goes_in_blocks, row_of
from loadpath.studies.values import Columns

COMPUTED, FAILED, LEFT_OUT = 1, 2, 3
"""What became of a design; 0 while nothing did."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """The answers of some designs."""

    first: int
    values: dict[str, Floats]
    """(designs, entries...) each, NaN where there is none."""
    status: np.ndarray[Any, np.dtype[np.uint8]]
    reasons: dict[int, str]
    """Why designs failed, by their number."""


def compute(problem: Problem, first: int, last: int, pool: Executor | None = None) -> Chunk:
    """All answers of the designs from `first` to `last`."""
    columns = problem.space.columns(slice(first, last))
    feasible = problem.space.feasible(columns)
    work = Work(problem, first, last - first, pool)
    work.status[~feasible] = LEFT_OUT
    work.go(columns, np.flatnonzero(feasible))
    return Chunk(first, work.values, work.status, work.reasons)


class Work:
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
        for group in groups_of(self.problem, columns, rows, self.fail):
            self._compute(columns, group)
        shapes = self.problem.bound.get("shapes", {})
        for answer in self.problem.answers:
            if answer.name not in self.values:
                self.values[answer.name] = np.full((self.count, *shapes.get(answer.name, ())), np.nan)
        done = self.status == 0
        self.status[done] = COMPUTED
        failed = self.status == FAILED
        for values in self.values.values():
            values[failed] = np.nan

    def _compute(self, columns: Columns, group: Group) -> None:
        problem, base = self.problem, group.base
        blocks = [answer for answer in problem.answers if goes_in_blocks(problem, base, answer)]
        judged = [answer for answer in problem.answers
                  if answer.quantity in JUDGED or isinstance(answer.quantity, tuple)]
        masses = [answer for answer in problem.answers if answer.quantity == "mass"]
        single = [answer for answer in problem.answers if answer not in (*blocks, *judged, *masses)]
        for answer in masses:
            self.put(answer.name, group.rows, group.masses())
        if single:
            self._one_by_one(columns, single, group)
        if not (blocks or judged):
            return
        for part, states, motion in self.states(columns, group):
            some = group.some(part)
            checks = self.checks_of(judged, base, motion) if judged else None
            if judged and checks is None:
                self._one_by_one(columns, judged, some)
            if blocks or checks is not None:
                rover = base if on_wheels(base) else None
                case = Case(robots_of(base), group.family, some.numbers, states, len(some.rows), rover, problem.acting)
                self._blocks(case, blocks, [] if checks is None else judged, checks, some.rows)

    def checks_of(self, judged: Sequence[Answer], base: Any, motion: Any) -> Checks | None:
        """The rules of these answers, where they have some."""
        own = is_function(self.problem.motion) and base.parts
        try:
            checks = checks_of(self.problem, base, motion if own else None)
        except OneByOneError:
            return None
        rows = [row_of(answer) for answer in judged if isinstance(answer.quantity, tuple)]
        return checks if all(row in checks.names for row in rows) else None

    def _blocks(self, case: Case, blocks: Sequence[Answer], judged: Sequence[Answer], checks: Checks | None,
                rows: Ints) -> None:
        try:
            columns = {answer.name: Column(answer, case.rover or case.robot) for answer in blocks}
            found = run(case, columns, checks, self.pool)
        except Exception as problem:  # whatever goes wrong with a design is its answer
            if len(rows) == 1:
                self.fail(int(rows[0]), reason_of(problem))
                return
            for k in range(len(rows)):
                self._blocks(case.some(slice(k, k + 1)), blocks, judged, checks, rows[k:k + 1])
            return
        for answer in judged:
            name = answer.quantity if isinstance(answer.quantity, str) else f"row {row_of(answer)}"
            found[answer.name] = found[str(name)]
            if answer.quantity in JUDGED and np.isnan(found[answer.name]).all():
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

    def _one_by_one(self, columns: Columns, answers: Sequence[Answer], group: Group) -> None:
        problem = self.problem
        found = {answer.name: np.full(len(group.rows), np.nan) for answer in answers}
        for k, row in enumerate(group.rows.tolist()):
            try:
                robot = group.robot(k)
                motion = None if problem.motion is None and not problem.names_of_states else \
                    problem.motion_at(columns, row, robot)
            except Exception as error:  # this design has no motion, or no robot
                self.fail(row, reason_of(error))
                continue
            values, reason = answers_one(answers, robot, motion, problem.hours, problem.acting)
            if reason:
                self.fail(row, reason)
            for name, value in values.items():
                found[name][k] = value
        for name, column in found.items():
            self.put(name, group.rows, column)

    def states(self, columns: Columns, group: Group) -> list[tuple[Any, DesignStates, Any]]:
        """Designs with states of as many samples: their places in the group, the states, and a motion where it is one.
        """
        problem, base = self.problem, group.base
        every = slice(0, len(group.rows))
        mine = {name: column[group.rows] for name, column in columns.items()}
        if problem.names_of_states:
            values = {name: mine[name] for name in problem.names_of_states}
            return [(every, one_each(base, values, problem.acting, problem.start(base)), None)]
        if isinstance(problem.motion, Space):
            space = problem.motion.measuring({}, {name: limits_of(base, name) for name in problem.motion.names})
            return [(every, of_space(base, space, problem.acting), None)]
        paced = {name: mine[name] for name in (SPEED, DURATION) if name in mine}
        if not is_function(problem.motion):
            found: DesignStates = problem.kept("states", id(base), base, lambda: problem.states_of(
                base, problem.motion))
            pace = paces(problem.motion, paced)
            if found.loaded and (pace is not None):
                return self._apart(columns, group)
            return [(every, DesignStates(found.count, found.arrays, found.weights, pace, None, found.batch),
                     problem.motion)]
        return self._apart(columns, group)

    def _apart(self, columns: Columns, group: Group) -> list[tuple[Any, DesignStates, Any]]:
        """Each design with its own motion; those of the same parameters share one."""
        problem, base, rows = self.problem, group.base, group.rows
        names = [name for name in problem.motion_takes if name != "robot"]
        names += [name for name in (SPEED, DURATION) if name in columns]
        own = group.robots if "robot" in problem.motion_takes else None
        groups: dict[Any, list[int]] = {}
        for k, row in enumerate(rows.tolist()):
            key = (k,) if own is not None else tuple(hashed(columns[name][row]) for name in names)
            groups.setdefault(key, []).append(k)
        motions: list[tuple[list[int], DesignStates, Any]] = []
        for places in groups.values():
            try:
                robot = base if own is None else own[places[0]]
                motion = problem.motion_at(columns, int(rows[places[0]]), robot)
                motions.append((places, problem.states_of(base, motion), motion))
            except Exception as error:  # these designs have no motion
                for k in places:
                    self.fail(int(rows[k]), reason_of(error))
        return [(np.array(places), states, motion) for places, states, motion in motions]
