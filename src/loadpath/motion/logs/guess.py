"""What a log may mean that does not say it: which column is the time, which a joint's, and in which units.

`placing` takes what is certain: names of joints, names of known loggers, units that are written. Here is what a person
would guess beside that, each with the reason for it, to be shown and confirmed. Nothing is read by a guess that nobody
has agreed to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from loadpath.motion import checks
from loadpath.motion.closed import drive_layout, driven_robot
from loadpath.motion.layout import Layout, layout_of
from loadpath.motion.logs.files import UNNAMED, parquet_table, text_table
from loadpath.motion.logs.log import HowToRead, stated_units
from loadpath.motion.logs.placing import PlacedColumns, numbered, place_columns
from loadpath.motion.logs.table import LogTable, read_date, split_unit
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

ROWS = 50
"""Rows that are looked at."""
SHOWN = 3
EVEN = 0.05
"""Part of a step by which times that rise evenly may be off."""
IN_ORDER, BY_NAME_PART, BY_RISING, BY_TIME_WORD, BY_DATE = (
    "order of the joints", "part of its name", "rises evenly", "named like a time", "has dates",
)
FROM_LIMITS, FROM_SPEED = "by the limits of the joints", "by how quick the robot can be"

_TIME_WORDS = {
    "t", "ts", "time", "times", "timestamp", "stamp", "clock", "elapsed", "sec", "secs", "second", "seconds", "ms",
    "msec", "date", "datetime", "zeit", "zeitstempel", "uhrzeit", "temps", "tiempo", "tempo", "cycle", "tick",
}
_KIND_WORDS = {
    "q": {"q", "pos", "position", "positions", "angle", "angles", "ang", "theta", "winkel", "value"},
    "qd": {"qd", "dq", "vel", "velocity", "velocities", "speed", "speeds", "omega"},
    "qdd": {"qdd", "ddq", "acc", "accel", "acceleration", "accelerations"},
    "": {"tau", "torque", "torques", "effort", "force", "moment", "current", "currents", "temperature", "temp", "error",
         "voltage", "status", "state", "mode"},
}
"""Words that say what a column is of; those of "" are of no motion."""
_MEASURED = {"actual", "act", "measured", "meas", "ist", "real", "feedback", "fbk"}
_COMMANDED = {"target", "cmd", "command", "commanded", "desired", "des", "ref", "reference", "setpoint", "soll", "goal"}


class Meaning(NamedTuple):
    """What a column is taken for."""

    column: str
    label: str
    """`t`, `q.elbow`, `qd.elbow`."""
    unit: str
    """As the log or the user says it, else as it is read."""
    first: list[str]
    """What stands in its first rows."""


class HeadedTable(LogTable, Protocol):
    """A log that can show its first rows."""

    def head(self, count: int) -> list[list[str]]:
        """The cells of the first rows."""


@contextmanager
def opened(path: str | PathLike[str]) -> Any:
    """A log as a table, for its names and first rows; columns without names are numbered."""
    if Path(path).suffix.lower() == ".parquet":
        yield parquet_table(path)
        return
    with text_table(path, unnamed=True) as table:
        yield table


def guessed_columns(path: str | PathLike[str], robot: RobotModel) -> dict[str, tuple[str, str]] | None:
    """Columns that are missing, as they may be meant: what each is, and why; None where nothing fits.

    >>> import loadpath as lp, pathlib, tempfile
    >>> log = pathlib.Path(tempfile.mkdtemp(), "cycle.csv")
    >>> _ = log.write_text("Zeit,A,B\\n0,0.1,0.2\\n0.1,0.1,0.2\\n0.2,0.1,0.2\\n")
    >>> guessed_columns(log, lp.catalog.planar(2))          # doctest: +NORMALIZE_WHITESPACE
    {'Zeit': ('t', 'named like a time'), 'A': ('q.joint1', 'order of the joints'),
     'B': ('q.joint2', 'order of the joints')}
    """
    with opened(path) as table:
        first = list(table.header)
        rows = [row for row in table.head(ROWS) if len(row) == len(first)]
    if not rows or len(set(first)) < len(first):
        return None
    for layout in _layouts(robot):
        if layout.nq != layout.n:
            continue
        placed = place_columns(str(path), first, layout, None, lambda column: rows[0][column])
        if not placed.missing:
            return None
        found = _completed(first, rows, layout, placed)
        if found is not None:
            return found
    return None


def meanings(path: str | PathLike[str], robot: RobotModel, how: HowToRead) -> list[Meaning]:
    """Every column that a motion is made of, as it is read, in the order of times, positions and rates."""
    with opened(path) as table:
        placed = None
        for layout in _layouts(robot):
            placed = place_columns(str(path), table.header, layout, how.columns, table.first_text)
            if not placed.missing:
                break
        assert placed is not None
        units = stated_units(table, placed, robot, how)
        rows = table.head(SHOWN)
    order = [label for kind in ("t", "q", "qd", "qdd") for label in placed.columns if label.partition(".")[0] == kind]
    return [
        Meaning(table.header[place], label, units[label], [row[place] for row in rows if place < len(row)])
        for label in order if (place := placed.columns[label]) is not None
    ]


def guessed_units(robot: RobotModel, t: Floats, q: Floats, qd: Floats) -> dict[str, tuple[str, str]]:
    """Units by kind that a motion of plain numbers may be in, where they can hardly be s, rad and m; and why.

    >>> import numpy as np, loadpath as lp
    >>> t = np.linspace(0, 2, 21)
    >>> turned = np.outer(40 * t, [1, 1, 0, 0, 0, 0])
    >>> guessed_units(lp.catalog.ur5(), t, turned, np.gradient(turned, t, axis=0))
    {'q': ('deg', 'by the limits of the joints')}
    """
    questions = checks.in_other_units(robot, q, qd)
    found = {}
    for word, unit in (("degrees?", "deg"), ("millimetres?", "mm")):
        if any(text.endswith(word) for text in questions):
            found["q" if unit == "deg" else "q (m)"] = (unit, FROM_LIMITS)
    for text in checks.times_in_other_units(robot, layout_of(robot), t, qd):
        for word, unit in (("milliseconds", "ms"), ("microseconds", "us"), ("nanoseconds", "ns")):
            if text.endswith(f"is t in {word}?"):
                found["t"] = (unit, FROM_SPEED)
    return found


def _layouts(robot: RobotModel) -> list[Layout]:
    """Of the robot; of its drives alone where the others follow."""
    closed = driven_robot(robot)
    return [layout_of(robot), *([] if closed is None else [drive_layout(closed)])]


def _completed(
    header: Sequence[str], rows: Sequence[Sequence[str]], layout: Layout, placed: PlacedColumns
) -> dict[str, tuple[str, str]] | None:
    """What is missing, guessed; None if something stays open."""
    used = set(placed.columns.values()) | set(placed.extra.values()) | set(placed.naming)
    free = [k for k in range(len(header)) if k not in used and _numbers(rows, k)]
    found: dict[str, tuple[str, str]] = {}
    if "t" in placed.missing:
        time = _time_column(header, rows, [k for k in range(len(header)) if k not in used])
        if time is None:
            return None
        found[header[time[0]]] = ("t", time[1])
        free = [k for k in free if k != time[0]]
    wanted = [label for label in placed.missing if label != "t"]
    if wanted:
        if placed.hint or any(label.startswith("q.") for label in placed.columns) or not wanted[0].startswith("q."):
            return None  # where some are known by name, or ROS has an order of its own, ours says nothing
        joints = _joint_columns(header, free, layout)
        if joints is None:
            return None
        found |= joints
    return found


def _numbers(rows: Sequence[Sequence[str]], k: int) -> bool:
    return all(_number(row[k]) is not None for row in rows)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def _tokens(text: str) -> list[str]:
    """Words and numbers of a name, in small letters: `ShoulderPan_1` is shoulder, pan, 1.

    >>> _tokens("left/ShoulderPan_1 [deg]")
    ['left', 'shoulder', 'pan', '1']
    """
    plain = re.sub(r"([a-z])([A-Z])", r"\1 \2", split_unit(text)[0])
    return re.findall(r"[^\W\d_]+|\d+", plain.lower())


def _time_column(header: Sequence[str], rows: Sequence[Sequence[str]], free: Sequence[int]) -> tuple[int, str] | None:
    """The column of times among those that are free."""
    for k in free:
        if read_date(rows[0][k]) is not None:
            return k, BY_DATE
    rising = [k for k in free if _rises(rows, k)]
    named = [k for k in rising if _TIME_WORDS & set(_tokens(header[k]))]
    if named:
        return (named[0], BY_TIME_WORD) if len(named) == 1 or named[0] == 0 else None
    return (0, BY_RISING) if rising[:1] == [0] and _rises(rows, 0, evenly=True) else None


def _rises(rows: Sequence[Sequence[str]], k: int, evenly: bool = False) -> bool:
    values = [_number(row[k]) for row in rows]
    steps = [b - a for a, b in pairwise(values) if a is not None and b is not None]
    if len(steps) != len(rows) - 1 or not steps or min(steps) < 0 or max(steps) <= 0:
        return False
    usual = sorted(steps)[len(steps) // 2]
    return not evenly or all(abs(step - usual) <= EVEN * usual for step in steps)


def _kind_of(tokens: Iterable[str]) -> str | None:
    """`q`, `qd`, `qdd`; "" of what is of no motion; None if no word says it."""
    return next((kind for kind in ("qdd", "qd", "", "q") if _KIND_WORDS[kind] & set(tokens)), None)


def _joint_columns(header: Sequence[str], free: Sequence[int], layout: Layout) -> dict[str, tuple[str, str]] | None:
    """Columns of positions, and of rates where they are all there, by parts of names or in the order of joints."""
    tokens = {k: _tokens(header[k]) for k in free}
    measured = [k for k in free if not _COMMANDED & set(tokens[k])]
    if not any(_MEASURED & set(tokens[k]) for k in measured) and len(measured) < layout.n:
        measured = list(free)  # only what was asked for is there
    by_kind: dict[str, list[int]] = {}
    whole, rest = divmod(len(measured), layout.n or 1)
    if not rest and whole in (2, 3) and all(header[k].startswith(UNNAMED) for k in measured):
        kinds = ("q", "qd", "qdd")[:whole]  # as NumPy's savetxt writes [t, q, qd]
        labels = [f"{kind}.{name}" for kind in kinds for name in layout.dof_names]
        return {header[k]: (label, IN_ORDER) for k, label in zip(measured, labels, strict=True)}
    for k in measured:
        kind = _kind_of(tokens[k])
        by_kind.setdefault("q" if kind is None else kind, []).append(k)
    found: dict[str, tuple[str, str]] = {}
    for kind, names in (("q", layout.coordinate_names), ("qd", layout.dof_names), ("qdd", layout.dof_names)):
        some = by_kind.get(kind, [])
        placed = _by_part_of_name(header, {k: tokens[k] for k in some}, names) or _in_order(header, some, names)
        if placed is None:
            if kind == "q":
                return None
            break  # accelerations without speeds are of no use
        why, order = placed
        found |= {header[k]: (f"{kind}.{name}", why) for k, name in zip(order, names, strict=True)}
    return found


def _by_part_of_name(
    header: Sequence[str], tokens: Mapping[int, Sequence[str]], names: Sequence[str]
) -> tuple[str, list[int]] | None:
    """Columns whose names have in them what tells the joints apart, each once."""
    every = set().union(*_KIND_WORDS.values()) | _MEASURED | _COMMANDED
    joints = [[word for word in _tokens(name) if word not in every] for name in names]
    shared = set(joints[0]).intersection(*joints[1:]) if len(joints) > 1 else set()
    own = [[word for word in words if word not in shared] for words in joints]
    if not all(own) or len({tuple(words) for words in own}) < len(own):
        return None
    if all(word.isdigit() for words in own for word in words):
        return None  # numbers alone are an order, not a name
    order = []
    for words in own:
        fitting = [k for k, text in tokens.items() if _inside(words, text)]
        others = [other for other in own if other != words and len(other) > len(words) and _inside(words, other)]
        fitting = [k for k in fitting if not any(_inside(other, tokens[k]) for other in others)]
        if len(fitting) != 1:
            return None
        order += fitting
    return (BY_NAME_PART, order) if len(set(order)) == len(names) else None


def _inside(words: Sequence[str], text: Sequence[str]) -> bool:
    """Whether the words stand in a text one after the other."""
    count = len(words)
    return any(list(text[k : k + count]) == list(words) for k in range(len(text) - count + 1))


def _in_order(header: Sequence[str], free: Sequence[int], names: Sequence[str]) -> tuple[str, list[int]] | None:
    """Numbered columns of one stem, as many as there are joints; else all columns, if they are as many."""
    families = [family.in_order for family in numbered({k: split_unit(header[k])[0] for k in free}).values()]
    whole = [order for order in families if order is not None and len(order) == len(names)]
    if len(whole) == 1:
        return IN_ORDER, whole[0]
    return (IN_ORDER, list(free)) if len(free) == len(names) and not whole else None
