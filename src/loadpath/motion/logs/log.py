"""From a table to the parts of a motion: columns found, units converted, time stamps put right, the rest kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from loadpath.motion.interpolation import same_side
from loadpath.motion.layout import Channel, Layout, units_of
from loadpath.motion.logs.placing import PlacedColumns, nothing_found, place_columns
from loadpath.motion.logs.stamps import held_rows, merged, outliers, read_stamps
from loadpath.motion.logs.table import (
    DAY,
    NUMBER,
    OTHERS,
    SECONDS,
    LogTable,
    Quantity,
    factor,
    listed,
    quantity,
    read_date,
)
from loadpath.motion.noise import without_turns
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

DEGREES = {0: "deg", 1: "deg/s", 2: "deg/s^2"}
KINDS = ("t", "q", "qd", "qdd", "tau", "current")


@dataclass(frozen=True)
class HowToRead:
    """What a user says of a log: angles in degrees, units by kind (`t`, `q`, `qd`, `qdd`, `tau`) or column, columns."""

    degrees: bool = False
    units: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str | None] | None = None


class Log(NamedTuple):
    """The parts of a motion, what else was logged, what was done to it, and what of that deserves a warning."""

    t: Floats
    q: Floats
    qd: Floats | None
    qdd: Floats | None
    extra: dict[str, Channel]
    notes: list[str]
    problems: list[str]
    unused: list[str]
    """Columns that are not used."""


def read_log(
    table: LogTable, robot: RobotModel, layout: Layout, how: HowToRead, drives: Layout | None
) -> tuple[Log, bool]:
    """A log of a robot, and whether it is of its drives alone (`drives`: their layout, for a robot with loops)."""
    if not isinstance(how.units, Mapping):
        raise ValueError(f"units is {how.units!r}: expected units by kind or column, like {{'t': 'ms', 'q': 'deg'}}")
    placed = place_columns(table.name, table.header, layout, how.columns, table.first_text)
    of_drives = False
    if drives is not None and any(label.startswith("q.") for label in placed.missing):
        layout, of_drives = drives, True
        placed = place_columns(table.name, table.header, drives, how.columns, table.first_text)
    if placed.missing:
        raise nothing_found(table.name, placed, table.header)
    _refuse_unknown_units(table, how.units, robot)
    labels = sorted(placed.columns, key=lambda label: label != "t")  # times first
    extra = list(placed.extra)
    found = table.numbers([placed.columns[label] for label in labels], [placed.extra[label] for label in extra],
                          placed.naming)
    _refuse_gaps(table, found[:, : len(labels)], [placed.columns[label] for label in labels])
    found, place, problems = _without_held_rows(table, labels, found)
    values = dict(zip((*labels, *extra), found.T, strict=True))
    notes = list(placed.notes)
    if getattr(table, "decimal_commas", False):
        notes.append("decimal commas were read as decimal points")
    scales, units, converted = _scales(table, placed, robot, how)
    notes += converted
    for dated, first in table.dated.items():
        if scales.get("t", 1.0) != 1.0:
            raise ValueError(f"{table.name}: column '{table.header[dated]}' has dates, like {first!r}, and a unit of "
                             "time: leave the unit out")
        start = read_date(first)
        if start is not None and not start.dated:  # times of day alone, which may pass midnight
            values["t"] = np.unwrap(values["t"], period=DAY)
        notes.append(f"column '{table.header[dated]}': times were counted from the first, {first}")
    for label, scale in scales.items():
        if label != "t" and scale != 1.0:
            values[label] = values[label] * scale
    q = _stacked(values, "q", layout.coordinate_names)
    q, turned = without_turns(values["t"], q, robot, layout, place)
    problems += outliers(q, [table.header[placed.columns[f"q.{name}"]] for name in layout.coordinate_names], place)
    column = table.header[placed.columns["t"]]
    try:
        stamps = read_stamps(values["t"], scales.get("t"), q, place, column)
    except ValueError as problem:
        raise ValueError(f"{table.name}: {problem}") from None
    for joint in layout.turning:
        four = slice(joint.q.stop - 4, joint.q.stop)
        if stamps.sample is not None:
            q[:, four] = same_side(q[:, four])
    rates = [
        merged(_stacked(values, kind, layout.dof_names), stamps.sample)
        if any(label.startswith(f"{kind}.") for label in labels)
        else None
        for kind in ("qd", "qdd")
    ]
    channels = {
        label: Channel(merged(values[label][:, None], stamps.sample)[:, 0], units[label])
        for label in extra
        if not np.isnan(values[label]).all()
    }
    unused = placed.unused + [table.header[placed.extra[label]] for label in extra if label not in channels]
    problems += [*turned, *stamps.problems]
    notes += [*stamps.notes, *problems]
    q = merged(q, stamps.sample)
    return Log(stamps.t, q, rates[0], rates[1], channels, notes, problems, unused), of_drives


def _without_held_rows(
    table: LogTable, labels: list[str], found: Floats
) -> tuple[Floats, Callable[[int], str], list[str]]:
    """Rows without those that only repeat the one before, in a rhythm; where a sample stands; and a sentence."""
    held = held_rows(found[:, [k for k, label in enumerate(labels) if label != "t"]])
    if held is None:
        return found, table.row, []
    count, first = held
    said = (f"{table.row(first)}: from here on {count} rows at a time have the same states, those of a robot that is "
            f"asked {count} times as often as it answers: only the first of them was taken")
    return found[first::count], lambda sample: table.row(first + count * sample), [said]


def _stacked(values: Mapping[str, Floats], kind: str, names: tuple[str, ...]) -> Floats:
    columns = [values[f"{kind}.{name}"] for name in names]
    return np.stack(columns, axis=1) if columns else np.zeros((len(values["t"]), 0))


def _refuse_gaps(table: LogTable, found: Floats, places: list[int]) -> None:
    """Numbers that are none, by line and column."""
    bad = np.argwhere(~np.isfinite(found))
    if bad.size:
        row, column = (int(k) for k in bad[0])
        more = f" (and so in {len(bad) - 1} other places)" if len(bad) > 1 else ""
        raise ValueError(f"{table.name}: {table.row(row)}, column '{table.header[places[column]]}': "
                         f"{found[row, column]} is not a finite number{more}: fill it, or cut the row out")


def _refuse_unknown_units(table: LogTable, units: Mapping[str, str], robot: RobotModel) -> None:
    """Keys of `units=` that are neither kinds nor columns."""
    for key, unit in units.items():
        if not isinstance(unit, str):
            raise ValueError(f"{table.name}: units= has {unit!r} for {key!r}: expected a unit like 'deg' or 'ms'")
        if key not in KINDS and key not in table.header:
            raise ValueError(f"{table.name}: units= has {key!r}: expected one of {', '.join(KINDS)}, or a column, of "
                             f"which there are {listed(table.header)}")


def _scales(
    table: LogTable, placed: PlacedColumns, robot: RobotModel, how: HowToRead
) -> tuple[dict[str, float], dict[str, str], list[str]]:
    """What the columns are multiplied by (of the time only if its unit is known), their units then, and sentences."""
    natural, of_rows = units_of(robot), table.units()
    scales: dict[str, float] = {}
    units: dict[str, str] = {}
    converted: dict[tuple[str, str], list[str]] = {}
    for label, place in (*placed.columns.items(), *placed.extra.items()):
        name = label.partition(".")[2]
        of = _quantity(label, natural)
        cell = table.header[place]
        unit = _unit_of_column(table, placed, how, label, place, of, of_rows)
        units[label] = of.si if of is not NUMBER else unit
        if not unit:
            if label != "t":
                scales[label] = 1.0
            continue
        scale = factor(unit, of) if of is not NUMBER else (1.0 if label in placed.extra else None)
        if scale is None:
            if label in placed.extra:  # kept as it is
                units[label], scale = unit, 1.0
            else:
                raise ValueError(f"{table.name}: column '{cell}' is in {unit}: expected {of.examples} for "
                                 f"{name or 'times'}")
        scales[label] = scale
        if scale != 1.0:
            converted.setdefault((unit, of.si), []).append(cell)
    notes = [f"{_few(cells)} converted from {old} to {new}" for (old, new), cells in converted.items()]
    return scales, units, notes


def _unit_of_column(
    table: LogTable, placed: PlacedColumns, how: HowToRead, label: str, place: int, of: Quantity,
    of_rows: Sequence[str],
) -> str:
    """As the log or the user says it; none if nobody does."""
    kind, cell = label.partition(".")[0], table.header[place]
    written = placed.units.get(place, "") or (of_rows[place] if of_rows else "")
    said = how.units.get(cell, "")
    if not said and kind in how.units:  # degrees for all q are meant for those that turn
        said = how.units[kind]
        said = "" if factor(said, of) is None and _fits_another(said, kind) else said
    if written and said and written != said:
        raise ValueError(f"{table.name}: column '{cell}' is in {written} by its name and in {said} by units=")
    unit = written or said
    return DEGREES[of.per_time] if not unit and how.degrees and of.si.startswith("rad") else unit


def stated_units(table: LogTable, placed: PlacedColumns, robot: RobotModel, how: HowToRead) -> dict[str, str]:
    """By label the unit of each column of a motion, as the log or the user says it, else as it is read."""
    natural, of_rows = units_of(robot), table.units()
    kinds = {label: _quantity(label, natural) for label in placed.columns}
    return {label: _unit_of_column(table, placed, how, label, place, kinds[label], of_rows) or kinds[label].si
            for label, place in placed.columns.items()}


def _few(cells: list[str]) -> str:
    """Some columns in a sentence."""
    if len(cells) == 1:
        return f"column {listed(cells)} was"
    more = f" and {len(cells) - 2} more" if len(cells) > 2 else ""
    return f"columns {listed(cells[:2])}{more} were"


def _fits_another(unit: str, kind: str) -> bool:
    per_time = {"q": 0, "qd": 1, "qdd": 2}.get(kind)
    return per_time is not None and any(factor(unit, quantity(base, per_time)) is not None for base in ("rad", "m"))


def _quantity(label: str, natural: Mapping[str, str]) -> Quantity:
    kind, _, name = label.partition(".")
    if label == "t":
        return SECONDS
    if kind in ("q", "qd", "qdd"):
        return quantity(natural.get(name, ""), {"q": 0, "qd": 1, "qdd": 2}[kind])
    if kind == "tau":
        return OTHERS["N m" if natural.get(name) == "rad" else "N"]
    if kind == "current":
        return OTHERS["A"]
    if label == "payload.mass":
        return OTHERS["kg"]
    return OTHERS["m"] if label.startswith("payload.center_of_mass") else NUMBER
