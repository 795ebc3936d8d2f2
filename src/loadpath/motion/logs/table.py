"""A log as a table, whatever it was read from: names of columns, numbers on demand, and what a row is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from loadpath.scalars.types import Floats


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

    def numbers(self, used: Sequence[int], optional: Sequence[int]) -> Floats:
        """The columns `used`, then those that are `optional`, which may have NaN where there is no number."""

    def row(self, sample: int) -> str:
        """Where a sample stands: "line 17"."""
