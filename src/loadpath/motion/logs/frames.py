"""Logs in memory, as frames of pandas and polars or tables of Arrow. None of these libraries is needed: frames are
known by what they offer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

import numpy as np

from loadpath.motion.logs.dates import Dates, read_date
from loadpath.motion.logs.file_limits import MOST_NUMBERS, too_many_numbers
from loadpath.motion.logs.table import other_joint
from loadpath.scalars.types import Floats


class Frame(Protocol):
    """A frame of pandas or polars, or a table of Arrow: something with a shape and names of columns."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""


class FrameTable:
    """A frame as a log. Times as dates become seconds."""

    def __init__(self, frame: Frame, name: str) -> None:
        self.name = name
        self._frame: Any = frame
        names = getattr(frame, "column_names", None)  # of Arrow; `columns` are its arrays
        names = getattr(frame, "columns", None) if names is None else names
        if names is None or callable(names) or not hasattr(frame, "shape"):
            raise ValueError(f"{name} is a {type(frame).__name__}: expected a frame of pandas or polars, or a table of "
                             "Arrow")
        self.header = [str(label) for label in names]
        self._labels = list(names)
        self._times = -1
        self.dated: dict[int, str] = {}
        """Columns of dates as text, which are counted from the first, and that."""

    def units(self) -> Sequence[str]:
        """None: frames have no row of units."""
        return ()

    def first_text(self, column: int) -> str:
        """What stands in the first row."""
        return str(self._column(column)[0]) if self._frame.shape[0] else ""

    def row(self, sample: int) -> str:
        """Rows are counted from zero, as frames do."""
        return f"row {sample}"

    def numbers(self, used: Sequence[int], optional: Sequence[int], naming: Sequence[int] = ()) -> Floats:
        """All columns as numbers."""
        for column in naming:
            first = self.first_text(column)
            for k, text in enumerate(self._column(column)):
                if str(text) != first:
                    raise other_joint(self.name, self.row(k), self.header[column], str(text), first)
        count = int(self._frame.shape[0])
        if count * (len(used) + len(optional)) > MOST_NUMBERS:
            raise too_many_numbers(self.name)
        if not count:
            raise ValueError(f"{self.name}: there are no rows of numbers")
        found = np.empty((count, len(used) + len(optional)))
        self._times = used[0] if used else -1
        for k, place in enumerate((*used, *optional)):
            found[:, k] = self._as_floats(place, k >= len(used))
        return found

    def _column(self, place: int) -> Any:
        frame = self._frame
        if hasattr(frame, "column_names"):
            return np.asarray(frame.column(place))
        series = frame.iloc[:, place] if hasattr(frame, "iloc") else frame[self._labels[place]]
        return np.asarray(series)

    def _dates(self, place: int, values: Any) -> Floats:
        """Texts of dates as seconds from the first."""
        dates = Dates(values[0])
        found = np.empty(len(values))
        for sample, text in enumerate(values):
            try:
                found[sample] = dates.seconds(str(text))
            except ValueError as problem:
                raise ValueError(f"{self.name}: {self.row(sample)}, column '{self.header[place]}': {problem}") from None
        self.dated = {place: dates.text}
        return found

    def _as_floats(self, place: int, optional: bool) -> Floats:
        values = self._column(place)
        if values.dtype.kind in "Mm":  # dates and spans of time: exact until the first is taken off
            lost = np.isnat(values)
            if lost.any():
                where = int(np.argmax(lost))
                raise ValueError(f"{self.name}: {self.row(where)}, column '{self.header[place]}': there is no time")
            spans = values - values[0] if values.dtype.kind == "M" else values
            return np.asarray(spans / np.timedelta64(1, "ns") * 1e-9, dtype=float)
        if values.dtype.kind in "biuf":
            plain: Floats = values.astype(float)
            return plain
        if values.dtype.kind == "O" and isinstance(values[0], datetime):  # with a time zone
            values = np.array([value.isoformat() for value in values], dtype=object)
        if place == self._times and isinstance(values[0], str) and read_date(values[0]) is not None:
            return self._dates(place, values)
        for sample, value in enumerate(values):
            if value is not None and not isinstance(value, (int, float, np.number)) and not optional:
                raise ValueError(f"{self.name}: {self.row(sample)}, column '{self.header[place]}': {str(value)[:80]!r} "
                                 "is not a number")
        return np.array([float(x) if isinstance(x, (int, float, np.number)) else np.nan for x in values], dtype=float)
