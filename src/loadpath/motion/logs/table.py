"""A log as a table, whatever it was read from: names of columns, numbers on demand, and what a row is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from loadpath.scalars.types import Floats


def other_joint(name: str, row: str, column: str, text: str, first: str) -> ValueError:
    """The error about a row in which other joints are named than in the first."""
    return ValueError(f"{name}: {row}, column '{column}': the joint is '{text}', and '{first}' in the first row: "
                      "joints must keep their places; write a column for each joint, or cut the log there")


class Table(Protocol):
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
