"""Designs by the robots that they share: those of one topology go through the kernels of one family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from loadpath.engine.family import Member, become_member
from loadpath.families.family import Family
from loadpath.families.masses import masses_of_designs
from loadpath.families.of_robots import differing
from loadpath.families.values import rows_of
from loadpath.mobile.families import RoverOfDesigns
from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.studies.per_design import mass_of, reason_of
from loadpath.studies.problem import Problem, hashed
from loadpath.studies.subjects import alike, is_robot, on_wheels, robots_of
from loadpath.studies.values import Columns

Fail = Callable[[int, str], None]
"""Notes that a design has no robot, by its row and the reason."""


@dataclass(frozen=True, eq=False)
class Group:
    """Designs whose robots are alike but for numbers."""

    base: Any
    """A robot of their topology; theirs, where they do not differ."""
    family: Any
    """Of the base; None where they do not differ, or have no kernels for many designs."""
    numbers: Floats | None
    """(designs, numbers): rows of the family."""
    robots: list[Any] | None
    """Of each design, where a function made them."""
    rows: Ints
    """Their places in the chunk."""

    def some(self, part: Any) -> Group:
        """Some of the designs."""
        numbers = None if self.numbers is None else self.numbers[part]
        robots = None if self.robots is None else [self.robots[k] for k in np.arange(len(self.rows))[part].tolist()]
        return Group(self.base, self.family, numbers, robots, self.rows[part])

    def masses(self) -> Floats:
        """(designs,) kg."""
        base, family, numbers = self.base, self.family, self.numbers
        if self.robots is not None:
            return np.array([mass_of(robot) for robot in self.robots])
        if family is None or numbers is None:
            return np.full(len(self.rows), mass_of(base))
        return masses_of_designs(family.with_rows(numbers))

    def robot(self, k: int) -> Any:
        """Of a design, as its own object."""
        base, family, numbers = self.base, self.family, self.numbers
        if self.robots is not None:
            robot = self.robots[k]
            if family is not None and numbers is not None:
                member = Member(family.robot, family.parameters, numbers[k].copy())
                become_member(robots_of(robot), member)
                if on_wheels(robot) and not robot.base.on_links:
                    become_member(robot, member._replace(robot=base))
            return robot
        return base if family is None or numbers is None else family.with_rows(numbers).robot_of(k)


def groups_of(problem: Problem, columns: Columns, rows: Ints, fail: Fail) -> list[Group]:
    """The designs of a chunk by their robots; those that have none are failures."""
    return (_of_function if problem.makes else _of_names)(problem, columns, rows, fail) if len(rows) else []


def _of_names(problem: Problem, columns: Columns, rows: Ints, fail: Fail) -> list[Group]:
    found: list[Group] = []
    for edits, mine in _combinations(columns, problem.discrete, rows):
        try:
            base = problem.kept("edited robots", _key(edits), edits, partial(problem.edited, edits))
        except Exception as error:  # these designs have no robot
            for row in mine.tolist():
                fail(row, reason_of(error))
            continue
        if not problem.named:
            found.append(Group(base, None, None, None, mine))
            continue
        family = _family(problem, base)
        numbers, good = _numbers(family, columns, mine, fail)
        if good.any():
            found.append(Group(base, family, numbers[good], None, mine[good]))
    return found


def _family(problem: Problem, base: Any) -> Any:
    return problem.kept("families", id(base), base, lambda: base.family(list(problem.named)))


def _numbers(family: Any, columns: Columns, rows: Ints, fail: Fail) -> tuple[Floats, Bools]:
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
            fail(row, reason_of(problem))
            good[k] = False
    return numbers, good


def _of_function(problem: Problem, columns: Columns, rows: Ints, fail: Fail) -> list[Group]:
    bases = list(problem.bound["bases"])
    members: list[list[Any]] = [[] for _ in bases]
    places: list[list[int]] = [[] for _ in bases]
    made: dict[Any, Any] = {}
    for row in rows.tolist():
        key = tuple(hashed(columns[name][row]) for name in problem.takes)
        if key not in made:
            try:
                made[key] = problem.robot_at(columns, row)
                if not is_robot(made[key]):
                    raise ValueError(f"the function that makes a robot gave {made[key]!r}")
            except Exception as error:  # this design has no robot
                made[key] = reason_of(error)
        robot = made[key]
        if isinstance(robot, str):
            fail(row, robot)
            continue
        k = next((k for k, base in enumerate(bases) if alike(base, robot)), len(bases))
        if k == len(bases):
            bases.append(robot)
            members.append([])
            places.append([])
        members[k].append(robot)
        places[k].append(row)
    groups: list[Group] = []
    for k, (base, robots, mine) in enumerate(zip(bases, members, places, strict=True)):
        if not robots:
            continue
        keys = problem.bound["keys"].get(k, ())
        try:
            first, parameters, numbers = _rows_of_robots(robots_of(base), [robots_of(one) for one in robots], keys)
        except ValueError:  # they differ in more than numbers that are known
            groups += [Group(robot, None, None, [robot], np.array([row])) for robot, row in zip(robots, mine,
                                                                                          strict=True)]
            continue
        named = (id(base), tuple(parameter.key for parameter in parameters))
        family = problem.kept("families", named, base, partial(_new_family, base, first, parameters, numbers))
        groups.append(Group(base, family, numbers, robots, np.array(mine)))
    return groups


def _new_family(base: Any, robot: Any, parameters: Any, numbers: Floats) -> Any:
    made: Any = Family._made(robot, parameters, numbers[:1], paired=False)
    return made.carried_by(RoverOfDesigns(base, ())) if on_wheels(base) else made


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


def _combinations(columns: Columns, names: Sequence[str], rows: Ints) -> list[tuple[tuple[tuple[str, Any], ...], Ints]]:
    """Designs by what their robots have, in the order in which it first comes."""
    if not names:
        return [((), rows)]
    groups: dict[Any, tuple[tuple[tuple[str, Any], ...], list[int]]] = {}
    for row in rows.tolist():
        edits = tuple((name, columns[name][row]) for name in names)
        groups.setdefault(_key(edits), (edits, []))[1].append(row)
    return [(edits, np.array(mine)) for edits, mine in groups.values()]


def _key(edits: Sequence[tuple[str, Any]]) -> tuple[Any, ...]:
    return tuple((name, _identity(value)) for name, value in edits)


def _identity(value: Any) -> Any:
    """Equal for equal numbers; parts and other objects are known by themselves."""
    if isinstance(value, (tuple, list, np.ndarray)) and all(isinstance(x, (int, float)) for x in value):
        return tuple(float(x) for x in value)
    return float(value) if isinstance(value, (int, float)) else id(value)


def _stacked(column: Any) -> Any:
    """Values of a parameter of several numbers as one array."""
    return np.stack([np.asarray(value, dtype=float) for value in column]) if column.dtype == object else column
