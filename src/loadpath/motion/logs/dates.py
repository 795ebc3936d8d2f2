"""Dates and times of day as text, by ISO 8601 and near it: "2026-05-04T12:30:00.25Z", "2026-05-04 12:30:00,25+02:00",
"12:30:00.25". They become seconds from the first, exact to the nanosecond.
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

_STAMP = re.compile(
    r"\s*(?:(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)[T\s]\s*)?"
    r"(?P<hour>\d\d?):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<part>\d{1,12}))?"
    r"\s*(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?\s*",
    re.IGNORECASE,
)
_BASIC = re.compile(r"\s*(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(.*)", re.IGNORECASE)
DAY = 86400.0
LONGEST = 64
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
    if len(text) > LONGEST:  # which no date has: patterns take long over long rows of spaces
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
