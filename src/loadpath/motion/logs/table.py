"""A log as a table, whatever it was read from: names of columns, numbers on demand, and what a row is called."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple, Protocol, TypeAlias

from loadpath.motion.layout import Layout
from loadpath.scalars.types import Floats


def other_joint(name: str, row: str, column: str, text: str, first: str) -> ValueError:
    """The error about a row in which other joints are named than in the first."""
    return ValueError(f"{name}: {row}, column '{column}': the joint is '{text}', and '{first}' in the first row: "
                      "joints must keep their places; write a column for each joint, or cut the log there")


class LogTable(Protocol):
    """What readers offer: `numbers` is asked once."""

    @property
    def name(self) -> str:
        """Of the file, for messages."""

    @property
    def header(self) -> Sequence[str]:
        """Names of the columns."""

    def units(self) -> Sequence[str]:
        """A unit for each column, where they stand in a row of their own; else none at all."""

    def first_text(self, column: int) -> str:
        """What stands in the first row, as text."""

    def numbers(self, used: Sequence[int], optional: Sequence[int], naming: Sequence[int] = ()) -> Floats:
        """The columns `used`, then those that are `optional`, which may have NaN where there is no number. Names of
        joints in the columns `naming` must be the same in all rows.
        """

    @property
    def dated(self) -> Mapping[int, str]:
        """The column of times, which comes first among those that are used, if it has dates as text: these are counted
        from the first, which is said.
        """

    def row(self, sample: int) -> str:
        """Where a sample stands: "line 17"."""


# Units of columns, as logs write them, and what numbers in them are multiplied by to be in s, rad, m, N m, N, A, kg.


TIME = {
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3,
    "milliseconds": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "usec": 1e-6, "microsecond": 1e-6, "microseconds": 1e-6,
    "ns": 1e-9, "nsec": 1e-9, "nanosecond": 1e-9, "nanoseconds": 1e-9, "min": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0,
}
ANGLE = {
    "rad": 1.0, "radian": 1.0, "radians": 1.0, "mrad": 1e-3, "deg": math.pi / 180, "degs": math.pi / 180,
    "degree": math.pi / 180, "degrees": math.pi / 180, "°": math.pi / 180, "grad": math.pi / 200, "rev": 2 * math.pi,
    "revs": 2 * math.pi, "turn": 2 * math.pi, "turns": 2 * math.pi,
    "arcmin": math.pi / 10800, "arcsec": math.pi / 648000,
}
LENGTH = {
    "m": 1.0, "meter": 1.0, "metre": 1.0, "meters": 1.0, "metres": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6,
    "μm": 1e-6, "in": 0.0254, "inch": 0.0254,
}
TORQUE = {"nm": 1.0, "mnm": 1e-3, "ncm": 1e-2, "nmm": 1e-3, "knm": 1e3}
FORCE = {"n": 1.0, "kn": 1e3, "mn": 1e-3}
CURRENT = {"a": 1.0, "ma": 1e-3}
MASS = {"kg": 1.0, "g": 1e-3}
SPOKEN = {("rpm", 1): 2 * math.pi / 60, ("dps", 1): math.pi / 180, ("rps", 1): 2 * math.pi, ("1/min", 1): math.pi / 30}
"""Rates of angles with names of their own, and how often they are per time."""


class Quantity(NamedTuple):
    """What a column measures: its units by name, how often they are per time, and words for messages."""

    units: dict[str, float]
    per_time: int
    si: str
    examples: str


_ANGLES = [Quantity(ANGLE, k, f"rad{rate}", f"rad{rate}, deg{rate}") for k, rate in enumerate(("", "/s", "/s^2"))]
_LENGTHS = [Quantity(LENGTH, k, f"m{rate}", f"m{rate}, mm{rate}") for k, rate in enumerate(("", "/s", "/s^2"))]
SECONDS = Quantity(TIME, 0, "s", "s, ms, us, ns")
NUMBER = Quantity({}, 0, "", "no unit")
OTHERS = {
    "N m": Quantity(TORQUE, 0, "N m", "N m"), "N": Quantity(FORCE, 0, "N", "N"), "A": Quantity(CURRENT, 0, "A", "A"),
    "kg": Quantity(MASS, 0, "kg", "kg, g"), "m": _LENGTHS[0],
}


def quantity(unit: str, per_time: int = 0) -> Quantity:
    """Of a coordinate ("rad", "m" or ""), its speed (1) or acceleration (2)."""
    return {"rad": _ANGLES, "m": _LENGTHS}.get(unit, [NUMBER] * 3)[per_time]


def factor(unit: str, of: Quantity) -> float | None:
    """What numbers in a unit are multiplied by; None if it is not one of that quantity.

    >>> factor("deg", quantity("rad")), factor("mm/s", quantity("m", 1)), factor("deg", quantity("m"))
    (0.017453292519943295, 0.001, None)
    >>> [factor(text, quantity("rad", 2)) for text in ("rad/s²", "rad/s/s", "rad s^-2", "rpm")]
    [1.0, 1.0, 1.0, None]
    """
    text = unit.strip().lower()
    if of.units is ANGLE and (text, of.per_time) in SPOKEN:
        return SPOKEN[text, of.per_time]
    if not of.per_time:
        return of.units.get(re.sub(r"[\s·*.⋅-]", "", text))
    # numerator / time, with the power of the time as s^2, s2, s², s/s or s^-2
    top, mark, bottom = text.replace("²", "2").replace("^", "").replace("-", "").replace("*", "").partition("/")
    if not mark:
        top, _, bottom = text.replace("²", "2").replace("^", "").replace("-", "").partition(" ")
        bottom = bottom if bottom[-1:].isdigit() else ""
    bottom = re.sub(r"[\s()]", "", bottom)
    halves = bottom.split("/")
    if len(halves) == 2 and halves[0] == halves[1]:
        bottom = f"{halves[0]}2"
    power = 2 if bottom.endswith("2") else 1
    time = TIME.get(bottom.rstrip("12"))
    scale = of.units.get(top.strip())
    if time is None or scale is None or power != of.per_time:
        return None
    return scale / time**power


def is_unit(text: str) -> bool:
    """Whether it is a unit of anything that logs have.

    >>> is_unit("deg/s"), is_unit("[deg]"), is_unit("seven")
    (True, False, False)
    """
    every = (SECONDS, *_ANGLES, *_LENGTHS, *OTHERS.values())
    return any(factor(text, one) is not None for one in every)


# Names of columns: as they are written, the spellings that are understood, and units that stand behind them.


KINDS = {
    "q": ("q", "pos", "position"),
    "qd": ("qd", "dq", "vel", "velocity"),
    "qdd": ("qdd", "ddq", "acc", "acceleration"),
    "tau": ("tau", "torque", "effort"),
    "current": ("current",),
}
TIME_COLUMNS = ("t", "time", "timestamp")
_SEPARATORS = "._:/ "
_MOST_LISTED = 30
_LONGEST_LISTED = 80


def columns(layout: Layout) -> list[str]:
    """Names of the columns as they are written."""
    names = {"q": layout.coordinate_names, "qd": layout.dof_names, "qdd": layout.dof_names}
    found = ["t", *(f"{kind}.{name}" for kind, each in names.items() for name in each)]
    seen: set[str] = set()
    for label in found:
        if label in seen:
            raise ValueError(f"two columns would have the name {label!r}: give one of the joints another name")
        seen.add(label)
    return found


def listed(names: Iterable[str]) -> str:
    """Names in a message, not too many."""
    given = list(names)
    more = f" and {len(given) - _MOST_LISTED} more" if len(given) > _MOST_LISTED else ""
    short = (name if len(name) <= _LONGEST_LISTED else f"{name[:_LONGEST_LISTED]}..." for name in given[:_MOST_LISTED])
    return ", ".join(repr(name) for name in short) + more


def split_unit(cell: str) -> tuple[str, str]:
    """The name of a column, and the unit in brackets after it; a number in brackets is part of the name.

    >>> split_unit(" turn [deg]"), split_unit("turn"), split_unit("position[0]")
    (('turn', 'deg'), ('turn', ''), ('position[0]', ''))
    """
    text = cell.strip()
    if not text.endswith(("]", ")")):
        return text, ""
    closed = max(text.rfind(mark, 0, -1) for mark in "])")
    start = min((k for k in (text.find(mark, closed + 1) for mark in "[(") if k >= 0), default=-1)
    if start < 0 or text[start + 1 : -1].strip().isdigit():
        return text, ""
    return text[:start].strip(), text[start + 1 : -1].strip()


def spellings(kind: str, name: str = "") -> list[str]:
    """The names that a column may have."""
    if kind == "t":
        return list(TIME_COLUMNS)
    spelled = [f"{prefix}{mark}{name}" for prefix in KINDS[kind] for mark in _SEPARATORS]
    spelled += [f"{name}{mark}{suffix}" for suffix in KINDS[kind] for mark in _SEPARATORS]
    return [*spelled, name] if kind == "q" else spelled


# Dates and times of day as text, by ISO 8601 and near it: "2026-05-04T12:30:00.25Z", "2026-05-04 12:30:00,25+02:00",
# "12:30:00.25". They become seconds from the first, exact to the nanosecond.


_STAMP = re.compile(
    r"\s*(?:(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)[T\s]\s*)?"
    r"(?P<hour>\d\d?):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<part>\d{1,12}))?"
    r"\s*(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?\s*",
    re.IGNORECASE,
)
_BASIC = re.compile(r"\s*(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(.*)", re.IGNORECASE)
DAY = 86400.0
LONGEST_DATE = 64
EXAMPLE = "2026-05-04T12:30:00.25"


class Date(NamedTuple):
    """An instant in ns, from the year 1 or from midnight; whether it has a date and a zone."""

    nanoseconds: int
    dated: bool
    zoned: bool


def read_date(text: str) -> Date | None:
    """A date with a time of day, or a time of day alone; None if it is neither.

    >>> first, second = read_date("2026-05-04T12:30:00Z"), read_date("2026-05-04 14:30:00.25+02:00")
    >>> (second.nanoseconds - first.nanoseconds) / 1e9
    0.25
    >>> read_date("12.5"), read_date("2026-13-04T12:30:00")
    (None, None)
    """
    if len(text) > LONGEST_DATE:  # which no date has: patterns take long over long rows of spaces
        return None
    if basic := _BASIC.fullmatch(text):  # "20260504T123000Z"
        text = "{}-{}-{}T{}:{}:{}{}".format(*basic.groups())
    found = _STAMP.fullmatch(text)
    if found is None:
        return None
    hour, minute, second = (int(found[part]) for part in ("hour", "minute", "second"))
    days = 0
    if found["year"] is not None:
        try:
            days = date(int(found["year"]), int(found["month"]), int(found["day"])).toordinal()
        except ValueError:
            return None
    zone = found["zone"] or ""
    if hour > 24 or minute > 59 or second > 60:  # 24:00:00 is midnight, second 60 a leap second
        return None
    offset = 0
    if zone[:1] in "+-" and zone:
        offset = (1 if zone[0] == "+" else -1) * (60 * int(zone[1:3]) + int(zone[3:].lstrip(":") or 0))
    seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    part = int((found["part"] or "0").ljust(12, "0")) // 1000
    return Date(seconds * 10**9 + part, found["year"] is not None, bool(zone))


class Dates:
    """Reads the dates of one column, all alike, as seconds from the first."""

    def __init__(self, first: str) -> None:
        self.text = first.strip()
        start = read_date(first)
        assert start is not None
        self.first = start

    def seconds(self, text: str) -> float:
        """From the first one; ValueError where a text is none, or is not like the first."""
        here = read_date(text)
        if here is None:
            raise ValueError(f"{text.strip()[:80]!r} is not a date with a time of day, as {self.text!r} before it")
        if (here.dated, here.zoned) != (self.first.dated, self.first.zoned):
            what = "a date" if here.dated != self.first.dated else "a time zone"
            has, had = ("has", "had none") if (here.dated, here.zoned) > (self.first.dated, self.first.zoned) else (
                "has not", "had one")
            raise ValueError(f"{text.strip()[:80]!r} {has} {what}, where {self.text!r} before it {had}")
        return (here.nanoseconds - self.first.nanoseconds) / 1e9


# How large a motion may be, read or made: a file that somebody else made must not fill the memory.


Parts: TypeAlias = tuple[Floats, Floats, Floats | None, Floats | None]
"""t, q, and qd and qdd where they are there."""

MOST_NUMBERS = 2**28
"""Numbers of a motion: 2 GiB. Seven joints with speeds and accelerations at 1 kHz fill it in three hours."""
MOST_NAMES = 2**20
"""Characters of all names of an archive together."""


def check_samples(count: float, width: int, what: str) -> None:
    """Refuse so many samples of so many numbers, before they are made.

    >>> check_samples(1e12, 7, "rate is 1e+12")
    Traceback (most recent call last):
    ValueError: rate is 1e+12: 1e+12 samples of 7 numbers are more than 268,435,456 numbers (2 GiB): take fewer
    """
    if count * width > MOST_NUMBERS:
        raise ValueError(f"{what}: {count:.6g} samples of {width} numbers are more than {MOST_NUMBERS:,} numbers "
                         "(2 GiB): take fewer")


def too_many_numbers(path: object) -> ValueError:
    return ValueError(f"{path}: there are more than {MOST_NUMBERS:,} numbers (2 GiB): split the motion, or take fewer "
                      "samples a second")
