"""Motions in text files: one row a sample, columns named in the first line.

A file is read in blocks, so that what is held are numbers and not text; lines and numbers have a limit.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from loadpath.motion.logs.table import EXAMPLE, MOST_NUMBERS, Dates, is_unit, other_joint, read_date, too_many_numbers
from loadpath.scalars.types import Floats

LONGEST_LINE = 2**24
"""Characters of a line; a robot of 10,000 joints needs a million."""
BLOCK_LINES, BLOCK_CHARACTERS = 8192, 2**24
_DELIMITERS = ("\t", ";", ",")
UNNAMED = "column "
"""And a number, from 1: columns of files without names."""


def unnamed_columns(count: int) -> list[str]:
    """Names for columns that have none.

    >>> unnamed_columns(2)
    ['column 1', 'column 2']
    """
    return [f"{UNNAMED}{k + 1}" for k in range(count)]


@contextmanager
def text_table(
    path: str | PathLike[str], example: str = "t,q.joint1,...", unnamed: bool = False
) -> Iterator[TextTable]:
    """A text file as a log, while it is open; `example` is of a line of names, for a message. Columns that have no
    names are `column 1`, `column 2` and so on, where the caller is ready for that.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            yield TextTable(str(path), file, example, unnamed)
    except UnicodeDecodeError:
        raise ValueError(f"{path}: this is not text in UTF-8; save it as CSV in UTF-8") from None


class _Line(NamedTuple):
    number: int
    text: str


class TextTable:
    """Names of columns in the first line (or in a comment before numbers, as of NumPy), rows of numbers after."""

    def __init__(self, name: str, file: TextIO, example: str, unnamed: bool = False) -> None:
        self.name = name
        self._lines = _lines(name, file)
        comment: _Line | None = None
        first: _Line | None = None
        for line in self._lines:
            if _filled(line):
                first = line
                break
            comment = line if line.text.strip() else comment
        if first is None:
            raise ValueError(f"{name}: the file is empty")
        self._delimiter = _delimiter(first.text)
        self.header = _header(name, first, self._lines, self._delimiter)
        self._next: _Line | None
        if all(_is_number(cell.replace(",", ".")) for cell in self.header):
            count = len(self.header)
            self.header = _header_in_comment(comment, count, self._delimiter)
            if not self.header and unnamed:
                self.header = unnamed_columns(count)
            if not self.header:
                raise ValueError(f"{name}: line {first.number} holds numbers where names of columns are expected, like "
                                 f"{example}; columns={{'{UNNAMED}1': 't', ...}} says what a file without names holds")
            self._next = first
        else:
            self._next = next(filter(_filled, self._lines), None)
        self._units = self._units_in_a_row()
        self._line_numbers: list[int] = []
        self.decimal_commas = False
        self.dated: dict[int, str] = {}
        """Columns of dates, which are counted from the first, and that."""

    def _units_in_a_row(self) -> list[str]:
        """Units in a line of their own below the names."""
        if self._next is None:
            return []
        cells = [cell.strip().strip("[]()").strip() for cell in _cells(self._next.text, self._delimiter)]
        known = [cell for cell in cells if cell not in ("", "-")]
        if len(cells) != len(self.header) or not known or any(_is_number(cell.replace(",", ".")) for cell in known):
            return []
        if not any(is_unit(cell) for cell in known):
            return []
        self._next = next(filter(_filled, self._lines), None)
        return cells

    def units(self) -> Sequence[str]:
        """Those in a row of their own."""
        return self._units

    def first_text(self, column: int) -> str:
        """What stands in the first row."""
        cells = [] if self._next is None else _cells(self._next.text, self._delimiter)
        return cells[column] if column < len(cells) else ""

    def head(self, count: int) -> list[list[str]]:
        """The cells of the first rows, which are then read; of a table that is asked for nothing else."""
        lines = filter(_filled, self._lines)
        first = [] if self._next is None else [self._next]
        return [_cells(line.text, self._delimiter) for line in islice(chain(first, lines), count)]

    def row(self, sample: int) -> str:
        """The line of the file."""
        return f"line {self._line_numbers[sample]}"

    def numbers(self, used: Sequence[int], optional: Sequence[int], naming: Sequence[int] = ()) -> Floats:
        """The columns that are used, in one go through the file; what is in others does not matter."""
        lines = filter(_filled, self._lines)
        every = lines if self._next is None else chain([self._next], lines)
        reader = _Rows(self.name, self.header, list(used), list(optional), self._delimiter)
        reader.same = {column: self.first_text(column) for column in naming}
        reader.dates = {column: Dates(text) for column in used[:1] if read_date(text := self.first_text(column))}
        found = reader.read(every)
        self.dated = {column: dates.text for column, dates in reader.dates.items()}
        self._line_numbers, self.decimal_commas = reader.line_numbers, reader.comma is not None
        return found


def _header_in_comment(comment: _Line | None, count: int, delimiter: str | None) -> list[str]:
    """Names in the comment before the numbers, if there are as many."""
    if comment is None:
        return []
    text = comment.text.strip().lstrip("#").strip()
    for mark in dict.fromkeys((delimiter, ",", ";", "\t", None)):
        cells = [cell.strip() for cell in text.split(mark)]
        if len(cells) == count and all(cells):
            return cells
    return []


def _lines(path: object, file: TextIO) -> Iterator[_Line]:
    """The lines with their numbers and line ends."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise ValueError(f"{path}: line {number} has more than {LONGEST_LINE:,} characters: is this a table?")
        yield _Line(number, line)


def _filled(line: _Line) -> bool:
    """Whether a line is neither empty nor a comment."""
    text = line.text.lstrip()
    return bool(text) and not text.startswith("#")


# The first line


def _delimiter(line: str) -> str | None:
    """What stands between the cells of a line, outside of quotes; None if it is spaces."""
    outside, quoted, at_start, just_closed = [], False, True, False
    for mark in line:
        if mark == '"' and (quoted or at_start or just_closed):  # just closed: a quote of the name, written twice
            quoted, just_closed = not quoted, quoted
        else:
            just_closed = False
            if not quoted:
                outside.append(mark)
        at_start = mark in _DELIMITERS or (at_start and mark in ' "')
    return next((mark for mark in _DELIMITERS if mark in outside), None)


def _header(path: object, first: _Line, lines: Iterator[_Line], delimiter: str | None) -> list[str]:
    """The cells of the first line; a name in quotes may go on in the next line."""
    if delimiter is None:
        return first.text.split()

    def texts() -> Iterator[str]:
        yield first.text
        for line in lines:
            yield line.text

    try:
        return next(csv.reader(texts(), delimiter=delimiter, skipinitialspace=True))
    except csv.Error as problem:
        raise ValueError(f"{path}: line {first.number}: the names of the columns cannot be read: {problem}") from None


# The rows


def _blocks(lines: Iterator[_Line]) -> Iterator[list[_Line]]:
    block: list[_Line] = []
    characters = 0
    for line in lines:
        block.append(line)
        characters += len(line.text)
        if len(block) >= BLOCK_LINES or characters >= BLOCK_CHARACTERS:
            yield block
            block, characters = [], 0
    if block:
        yield block


class _Rows:
    """Reads rows of numbers, quickly where NumPy's reader understands them, else with care."""

    def __init__(
        self, name: str, header: Sequence[str], used: list[int], optional: list[int], delimiter: str | None
    ) -> None:
        self.name, self.header, self.used, self.optional, self.delimiter = name, header, used, optional, delimiter
        self.line_numbers: list[int] = []
        self.comma: int | None = None
        self.point: int | None = None
        """Lines with the first decimal comma and the first decimal point."""
        self.same: dict[int, str] = {}
        """Texts that columns have in every row."""
        self.dates: dict[int, Dates] = {}
        """Columns of dates."""

    def read(self, lines: Iterator[_Line]) -> Floats:
        blocks: list[Floats] = []
        count = 0
        for block in _blocks(lines):
            rows = self._quick(block)
            blocks.append(self._careful(block) if rows is None else rows)
            self._refuse_other_texts(block)
            self.line_numbers += [line.number for line in block]
            count += blocks[-1].size
            if count > MOST_NUMBERS:
                raise too_many_numbers(self.name)
        if not blocks:
            raise ValueError(f"{self.name}: there are no rows of numbers")
        return np.concatenate(blocks)

    def _refuse_other_texts(self, block: list[_Line]) -> None:
        for line in block if self.same else ():
            cells = _cells(line.text, self.delimiter)
            for column, text in self.same.items():
                if cells[column] != text:
                    raise other_joint(self.name, f"line {line.number}", self.header[column], cells[column], text)

    def _quick(self, block: list[_Line]) -> Floats | None:
        """By NumPy's reader, if it understands them all."""
        texts, mark = [line.text for line in block], self.delimiter
        if mark != "," and any("," in text for text in texts):
            if self.point is not None or any("." in text for text in texts):
                return None  # both marks, maybe in cells that are not used
            texts = [text.replace(",", ".") for text in texts]
            commas = True
        else:
            commas = False
            if mark != "," and self.comma is not None and any("." in text for text in texts):
                return None
        width, every = len(self.header), [*self.used, *self.optional]
        if all((text.count(mark) + 1 if mark else len(text.split())) == width for text in texts):
            with suppress(ValueError):
                read: Any = {column: dates.seconds for column, dates in self.dates.items()} or None
                rows: Floats = np.loadtxt(texts, delimiter=mark, usecols=every, ndmin=2, dtype=float, converters=read)
                if len(rows) == len(texts):
                    if commas:
                        self.comma = self.comma or block[0].number
                    elif self.point is None:
                        self.point = next((line.number for line in block if "." in line.text), None)
                    return rows
        return None

    def _careful(self, block: list[_Line]) -> Floats:
        """Row by row: slow, but it says what is wrong."""
        rows = []
        for number, text in block:
            cells = _cells(text.partition("#")[0], self.delimiter)
            if len(cells) != len(self.header):
                commas = self.delimiter == "," and len(cells) in (2 * len(self.header), 2 * len(self.header) - 1)
                hint = ": are there decimal commas? Then columns must be separated by ';' or tabs" if commas else ""
                raise ValueError(f"{self.name}: line {number} has {len(cells)} cells, expected "
                                 f"{len(self.header)}{hint}")
            row = [self._number(number, k, cells[k]) for k in self.used]
            rows.append(row + [_number_or_nan(cells[k], self.delimiter) for k in self.optional])
        return np.array(rows, dtype=float).reshape(len(rows), len(self.used) + len(self.optional))

    def _number(self, line: int, column: int, cell: str) -> float:
        where = f"{self.name}: line {line}, column '{self.header[column]}'"
        if column in self.dates:
            try:
                return self.dates[column].seconds(cell)
            except ValueError as problem:
                raise ValueError(f"{where}: {problem}") from None
        if self.delimiter != "," and "," in cell and _is_number(cell.replace(",", ".", 1)):
            self.comma = self.comma or line
            if self.point is not None:
                raise ValueError(f"{where}: {cell!r} has a comma where line {self.point} has decimal points: which of "
                                 "them is the decimal mark?")
            return float(cell.replace(",", ".", 1))
        if not _is_number(cell):
            shown = repr(cell if len(cell) <= 80 else f"{cell[:80]}...")
            thousands = ": write it without separators of thousands" if cell.count(",") + cell.count(".") > 1 else ""
            hint = ": write a decimal point, not a comma" if _is_number(cell.replace(",", ".")) else thousands
            hint = f": dates are read like {EXAMPLE}" if ":" in cell and column == self.used[0] else hint
            raise ValueError(f"{where}: {shown} is not a number{hint}")
        if "." in cell:
            self.point = self.point or line
            if self.comma is not None:
                raise ValueError(f"{where}: {cell!r} has a point where line {self.comma} has decimal commas: which of "
                                 "them is the decimal mark?")
        return float(cell)


def _number_or_nan(cell: str, delimiter: str | None) -> float:
    text = cell if delimiter == "," else cell.replace(",", ".", 1)
    return float(text) if _is_number(text) else np.nan


def _cells(line: str, delimiter: str | None) -> list[str]:
    """The cells of a line; without a delimiter between spaces."""
    if delimiter is None:
        return line.split()
    try:
        return [cell.strip() for cell in next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])]
    except csv.Error:
        return line.split(delimiter)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # Python reads 1_0 as ten
