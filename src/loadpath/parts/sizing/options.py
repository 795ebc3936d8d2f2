"""What can be chosen at a joint: rows of tables, one of each, and the robot with them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from loadpath.errors import ModelError, warn
from loadpath.parts.gears.gear import Gear
from loadpath.parts.listed import ListedPart, PartTable
from loadpath.parts.motors.brake import Brake
from loadpath.parts.motors.motor import Motor
from loadpath.parts.part import Part
from loadpath.quantities.table import RobotQuantities
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.drive_train.of_joint import takes_data
from loadpath.robot.numbers import nearest
from loadpath.robot.units import tried_loads

R = TypeVar("R", bound=RobotQuantities)
Tables: TypeAlias = "PartTable | Iterable[ListedPart] | Iterable[PartTable]"
MOST_OPTIONS = 5000
"""At one joint."""


@dataclass(frozen=True, eq=False)
class Option:
    """Rows that are chosen together at a joint, one of each table."""

    joint: str
    rows: tuple[ListedPart, ...]
    mass: float
    """kg, of all rows."""
    aims: tuple[float, ...]
    """What is to be small, summed over the rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of its parts."""
        return tuple(row.label for row in self.rows)

    @property
    def label(self) -> str:
        """Of its parts, in one text."""
        return " + ".join(self.names)


def options_of(robot: RobotQuantities, given: object, aims: Sequence[str]) -> dict[str, tuple[Option, ...]]:
    """By the names of joints, all that can be chosen there."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f"size: what can be chosen is {given!r}: expected a table for each joint, as "
                         "{'joint2': lp.parts.read('gears.csv')}, or several, [gears, motors]")
    found = {}
    for joint, tables in given.items():
        if joint not in robot.joint_names:
            raise ModelError(f"size: robot '{robot.name}' has no joint '{joint}'"
                             f"{nearest(str(joint), robot.joint_names)}")
        if not takes_data(robot.joint(joint)):
            raise ModelError(f"size: joint '{joint}' has no drive of its own: it does not turn or slide by itself")
        several = _tables(joint, tables)
        count = math.prod(map(len, several))
        if count > MOST_OPTIONS:
            raise ModelError(f"size: there are {count:,} choices at joint '{joint}' alone: expected at most "
                             f"{MOST_OPTIONS:,}; table.where(...) leaves out what is known not to do")
        found[str(joint)] = tuple(_option(joint, rows, aims) for rows in itertools.product(*several))
    return found


def _tables(joint: str, given: object) -> list[tuple[ListedPart, ...]]:
    if isinstance(given, PartTable):
        given = [given]
    several = isinstance(given, Iterable) and not isinstance(given, (str, Mapping))
    entries: list[Any] = list(given) if several else [given]  # type: ignore[call-overload]
    if entries and all(isinstance(entry, ListedPart) for entry in entries):
        entries = [PartTable(entries)]
    for entry in entries:
        if not isinstance(entry, PartTable):
            raise ModelError(f"size: at joint '{joint}' there is {entry!r}: expected a table of parts, as of "
                             "lp.parts.read('gears.csv') or lp.parts.table([...], mass=[...])")
        if not len(entry):
            raise ModelError(f"size: a table of joint '{joint}' is empty")
    if not entries:
        raise ModelError(f"size: nothing can be chosen at joint '{joint}'")
    kinds = [kind_at_joint(table[0].part) for table in entries]
    if len(set(kinds)) < len(kinds):
        raise ModelError(f"size: joint '{joint}' has two tables of {kinds[0].__name__.lower()}s: join them into one")
    return [tuple(table) for table in entries]


def _option(joint: str, rows: tuple[ListedPart, ...], aims: Sequence[str]) -> Option:
    values = []
    for aim in aims:
        numbers = [row.number(aim) for row in rows]
        if any(math.isnan(value) for value in numbers):
            row = rows[next(k for k, value in enumerate(numbers) if math.isnan(value))]
            raise ModelError(f"size: {row.part.kind} '{row.label}' at joint '{joint}' has no number '{aim}', which is "
                             f"to be small: give its table a column {aim}, or minimise another")
        values.append(sum(numbers))
    return Option(joint, rows, sum(row.mass or 0.0 for row in rows), tuple(values))


def kind_at_joint(part: Part) -> type[Part]:
    """What takes the place of what: any gear that of a gear."""
    return next((kind for kind in (Gear, Motor, Brake) if isinstance(part, kind)), type(part))


def with_option(robot: R, option: Option) -> R:
    """The robot with the parts of an option at its joint, in the place of parts of their kinds; what they say of the
    drive train takes the place of what it has, and what they do not say stays.
    """
    joint = option.joint
    kinds = tuple({kind_at_joint(row.part) for row in option.rows})
    there = [part for name, part in robot.parts if name == joint]
    if there:
        robot = robot.without_parts(joint)  # type: ignore[attr-defined]
    if Motor in kinds:
        robot = _without_constants(robot, joint)
    kept = [part for part in there if not isinstance(part, kinds)]
    said: dict[str, Any] = {}
    for row in option.rows:
        of_row = {} if row.drive is None else vars(row.drive)
        given = {key: value for key, value in of_row.items() if value is not None}
        for key, value in {**row.part.drive_data(), **given}.items():
            if key in said and said[key] != value:
                raise ModelError(f"size: at joint '{joint}' {option.label} say two things of {key}: {said[key]!r} and "
                                 f"{value!r}")
            said[key] = value
    try:
        if said:
            robot = robot.with_drives({joint: Drive(**said)})  # type: ignore[attr-defined]
        return robot.with_parts({joint: [*kept, *(row.part for row in option.rows)]})  # type: ignore[attr-defined,no-any-return]
    except ModelError as problem:
        raise ModelError(f"size: {option.label} at joint '{joint}': {problem}") from None


def _without_constants(robot: R, name: str) -> R:
    """The robot without what the drive train of a joint says of a motor that goes."""
    joint = robot.joint(name)
    drive = joint.drives[0]
    if drive is None:
        return robot
    made = replace(joint, drives=(replace(drive, torque_constant=None, resistance=None),))
    return replace(robot, joints=tuple(made if one.name == name else one for one in robot.joints))


def with_masses(robot: R, masses: Mapping[str, float]) -> R:
    """The robot with a point mass at each of these joints, on the link before it: motor and gear sit there."""
    with tried_loads():
        for name, mass in masses.items():
            joint = robot.joint(name)
            robot = robot.with_payload(mass, joint.origin.translation, link=joint.parent, name=carried_name(name))  # type: ignore[attr-defined]
    return robot


def carried_name(joint: str) -> str:
    """What the mass of the parts of a joint is called in tables of causes.

    >>> carried_name("joint2")
    'drive of joint2'
    """
    return f"drive of {joint}"


def ask_of_masses(options: Mapping[str, Sequence[Option]]) -> None:
    """Warn of rows without mass, which weigh nothing in the loads."""
    lost = [(joint, row) for joint, several in options.items() for option in several for row in option.rows
            if row.mass is None]
    if lost:
        joint, row = lost[0]
        more = len({(name, id(one)) for name, one in lost}) - 1
        others = f" and {more} more" if more else ""
        warn(f"size: {row.part.kind} '{row.label}' at joint '{joint}'{others} has no mass, and weighs "
             "nothing on the joints before: give the table a column mass")
