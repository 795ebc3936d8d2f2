"""What the page needs of a verdict: rows of checks, as `robot.verdict(motion)` has them, or any object that has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class JudgedInstant(Protocol):
    """When a check is decided."""

    @property
    def sample(self) -> int:
        """Number of the sample."""

    @property
    def time(self) -> float:
        """s."""


class JudgedRow(Protocol):
    """A demand against a capacity."""

    @property
    def part(self) -> str:
        """Name of the part."""

    @property
    def joint(self) -> str:
        """Where it sits."""

    @property
    def check(self) -> str:
        """What was checked."""

    @property
    def demand(self) -> float:
        """In `unit`."""

    @property
    def capacity(self) -> float:
        """In `unit`."""

    @property
    def unit(self) -> str:
        """Of both."""

    @property
    def utilisation(self) -> float:
        """1 where the part just holds; NaN if it was not checked."""

    @property
    def life_hours(self) -> float | None:
        """Of a life, hours."""

    @property
    def at(self) -> JudgedInstant | None:
        """The instant that decides."""

    @property
    def note(self) -> str:
        """Why it was not checked, and what to give."""

    def top(self, count: int = 3) -> Sequence[Any]:
        """The causes that add most."""


OWN_LIMITS = "limits"
"""What stands in the place of a part where the robot's own limits are checked."""


def row_words(row: JudgedRow) -> str:
    """What was checked, and where, in words."""
    if row.part == OWN_LIMITS:
        return f"the {row.check} limit of '{row.joint}'"
    return f"{row.check} of {row.part} at '{row.joint}'"


def is_load(row: JudgedRow) -> bool:
    """Whether a row is about a load: a speed or a position that is near its limit loads nothing."""
    return row.part != OWN_LIMITS or row.check not in ("speed", "position")


class Judged(Protocol):
    """A verdict."""

    @property
    def checks(self) -> Sequence[Any]:
        """Its rows, each a `JudgedRow`."""

    @property
    def holds(self) -> bool:
        """Whether everything was checked and holds."""
