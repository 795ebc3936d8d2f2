"""Motions in text files: one row a sample, columns named in the first line.

A file is read in blocks, so that what is held are numbers and not text; lines and numbers have a limit.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import IO, NamedTuple, TextIO

import numpy as np

from loadpath.motion.column_names import all_named, columns, places
from loadpath.motion.file_limits import MOST_NUMBERS, Parts, too_many_numbers
from loadpath.motion.layout import Layout
from loadpath.scalars.types import Floats
from loadpath.whole_file import refuse_ending, write_whole

LONGEST_LINE = 2**24
"""Characters of a line; a robot of 10,000 joints needs a million."""
BLOCK_LINES, BLOCK_CHARACTERS = 8192, 2**24
_DELIMITERS = ("\t", ";", ",")


def write_csv(path: str | PathLike[str], layout: Layout, parts: Sequence[Floats]) -> None:
    """All numbers to the last digit."""
    refuse_ending(path, (".npz", ".npy", ".zip", ".xlsx", ".xls", ".html"), "CSV")
    try:
        header = ",".join(map(_quoted, columns(layout))).encode()
    except UnicodeEncodeError as problem:
        raise ValueError(f"a name cannot be written as UTF-8: {problem.object!r}") from None

    def fill(file: IO[bytes]) -> None:
        file.write(header + b"\n")
        for begin in range(0, len(parts[0]), 4096):
            rows = slice(begin, begin + 4096)
            block = np.column_stack([part[rows] for part in parts])
            np.savetxt(file, block, fmt="%.17g", delimiter=",")

    write_whole(path, fill)


def _quoted(name: str) -> str:
    """A cell that a reader takes for one, whatever is in it."""
    if name.isprintable() and name == name.strip() and not set(name) & set('",;#'):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def read_csv(path: str | PathLike[str], layout: Layout) -> Parts:
    """Columns in any order, by name; those of speeds and accelerations may be left out together."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            return _read(path, file, layout)
    except UnicodeDecodeError:
        raise ValueError(f"{path}: this is not text in UTF-8; save it as CSV in UTF-8") from None


def has_columns(path: str | PathLike[str], names: Sequence[str]) -> bool:
    """Whether a file has a column for each of these coordinates."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = _lines(path, file)
            first = next(filter(_filled, lines), None)
            if first is None:
                return True  # whoever reads it says that it is empty
            return all_named(_header(path, first, lines, _delimiter(first.text)), names)
    except UnicodeDecodeError:
        return True


class _Line(NamedTuple):
    number: int
    text: str


def _read(path: object, file: TextIO, layout: Layout) -> Parts:
    lines = _lines(path, file)
    first = next(filter(_filled, lines), None)
    if first is None:
        raise ValueError(f"{path}: the file is empty")
    delimiter = _delimiter(first.text)
    header = _header(path, first, lines, delimiter)
    if all(_is_number(name) for name in header):
        raise ValueError(f"{path}: line {first.number} holds numbers where names of columns are expected, like "
                         f"{','.join(columns(layout)[:3])},...")  # fmt: skip
    where = places(path, header, layout)
    used = sorted(place for picked in where for place in picked)
    numbers = _numbers(path, filter(_filled, lines), header, used, delimiter)
    t, q, qd, qdd = (numbers[:, np.searchsorted(used, picked)] if picked else None for picked in where)
    assert t is not None
    return t[:, 0], (np.zeros((len(t), 0)) if q is None else q), qd, qdd


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


def _numbers(
    path: object, lines: Iterator[_Line], header: list[str], used: list[int], delimiter: str | None
) -> Floats:
    """The columns that are used; what is in others does not matter."""
    blocks: list[Floats] = []
    count = 0
    for block in _blocks(lines):
        rows = _quick(block, len(header), used, delimiter)
        blocks.append(_careful(path, block, header, used, delimiter) if rows is None else rows)
        count += blocks[-1].size
        if count > MOST_NUMBERS:
            raise too_many_numbers(path)
    if not blocks:
        raise ValueError(f"{path}: there are no rows of numbers")
    return np.concatenate(blocks)


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


def _quick(block: list[_Line], width: int, used: list[int], delimiter: str | None) -> Floats | None:
    """By NumPy's reader, if it understands them all."""
    texts = [line.text for line in block]
    if all((text.count(delimiter) + 1 if delimiter else len(text.split())) == width for text in texts):
        with suppress(ValueError):
            rows = np.loadtxt(texts, delimiter=delimiter, usecols=used, ndmin=2, dtype=float)
            return rows if len(rows) == len(texts) else None
    return None


def _careful(
    path: object, block: list[_Line], header: list[str], used: list[int], delimiter: str | None
) -> Floats:
    """Row by row: slow, but it says what is wrong."""
    rows = []
    for number, text in block:
        cells = _cells(text.partition("#")[0], delimiter)
        if len(cells) != len(header):
            raise ValueError(f"{path}: line {number} has {len(cells)} cells, expected {len(header)}")
        for k in used:
            if not _is_number(cells[k]):
                shown = repr(cells[k] if len(cells[k]) < 80 else f"{cells[k][:80]}...")
                comma = ": write a decimal point, not a comma" if _is_number(cells[k].replace(",", ".")) else ""
                raise ValueError(f"{path}: line {number}, column '{header[k]}': {shown} is not a number{comma}")
        rows.append([float(cells[k]) for k in used])
    return np.array(rows, dtype=float).reshape(len(rows), len(used))


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
