"""Rows of a table of parts as files have them: CSV (commas, semicolons or tabs), TOML, Parquet."""

from __future__ import annotations

import csv
import json
import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from loadpath.errors import ModelError
from loadpath.files.assets import read_at_most
from loadpath.motion.logs.files import parquet_table
from loadpath.motion.logs.table import split_unit
from loadpath.printable import clipped

LONGEST_FILE = 10_000_000
"""Bytes; a catalogue of 10,000 parts has two million."""
LARGEST_CELL = 10_000
_DELIMITERS = (";", "\t", ",")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?")
_REMARK = re.compile(r"#\s*(\w+)\s*[:=]\s*(.*)")


@dataclass(frozen=True)
class Row:
    """Cells of a row by the names of their columns, with units as text, and where it stands."""

    cells: dict[str, Any]
    place: str
    """As "gears.csv, line 3"."""


@dataclass(frozen=True)
class Rows:
    """All rows of a file, and what it says of all of them: kind, source, edition, ..."""

    rows: tuple[Row, ...]
    common: dict[str, Any]


def rows_of_file(path: str | PathLike[str]) -> Rows:
    """The rows of a file, by its ending."""
    file = Path(path)
    readers = {".csv": _csv, ".tsv": _csv, ".txt": _csv, ".toml": _toml, ".parquet": _parquet}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise ModelError(f"{path}: a table of parts is a file that ends in .csv, .toml or .parquet")
    if not file.is_file():
        raise ModelError(f"{path}: there is no such file")
    return reader(file)


def _text(path: Path) -> str:
    content = read_at_most(path, LONGEST_FILE)
    if content is None:
        raise ModelError(f"{path}: longer than {LONGEST_FILE // 1_000_000} MB, which no table of parts is")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ModelError(f"{path}: not UTF-8 text: {problem.reason} at byte {problem.start}") from None


def _csv(path: Path) -> Rows:
    """Columns are named in the first line, with units in brackets; lines "# source: ..." are of all rows."""
    lines = _text(path).splitlines()
    remarks = [found for line in lines if (found := _REMARK.match(line)) is not None]
    common: dict[str, Any] = {found[1].lower(): found[2].strip() for found in remarks}
    blank = ["" if line.lstrip().startswith("#") else line for line in lines]
    first = next((line for line in blank if line.strip()), None)
    if first is None:
        raise ModelError(f"{path}: the table is empty: expected names like kind,name,ratio,rated_torque [N m]")
    delimiter = max(_DELIMITERS, key=first.count)
    rows: list[Row] = []
    header: list[tuple[str, str]] = []
    for line, cells in _cells(path, blank, delimiter):
        if not any(cell.strip() for cell in cells):
            continue
        if not header:
            header = _header(path, cells)
            continue
        if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header):]):
            raise ModelError(f"{path}, line {line}: {len(cells)} cells, where the first line names {len(header)} "
                             "columns (a cell with a comma in it stands in quotes)")
        named = {name: _cell(cell.strip(), unit, delimiter != ",")
                 for (name, unit), cell in zip(header, cells, strict=False) if cell.strip()}
        rows.append(Row(named, f"{path}, line {line}"))
    return Rows(tuple(rows), common)


def _cells(path: Path, lines: list[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as problem:
        raise ModelError(f"{path}, line {reader.line_num}: {problem}") from None


def _header(path: Path, cells: list[str]) -> list[tuple[str, str]]:
    header = [split_unit(cell) for cell in cells]
    names = [name for name, _ in header if name]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ModelError(f"{path}: two columns are called '{twice}'")
    return header


def _cell(text: str, unit: str, comma: bool) -> Any:
    """A number, with the unit of its column, a list in brackets, true or false, or text."""
    if text[:1] in "[{" and len(text) <= LARGEST_CELL:
        try:
            return _with_unit(json.loads(text), unit)
        except (ValueError, RecursionError):
            return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _NUMBER.fullmatch(text) and ("," not in text or comma):
        return _with_unit(_number(text.replace(",", ".")), unit)
    return text


def _number(text: str) -> float | int:
    return int(text) if re.fullmatch(r"[-+]?\d{1,15}", text) else float(text)


def _with_unit(value: Any, unit: str) -> Any:
    """With the unit of a column, as text that is converted with what the column measures."""
    if isinstance(value, list):
        return [_with_unit(entry, unit) for entry in value]
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{value} {unit}" if unit and plain and math.isfinite(value) else value


def _toml(path: Path) -> Rows:
    """Tables [[part]]; keys above them are of all."""
    try:
        content = tomllib.loads(_text(path))
    except (ValueError, RecursionError) as problem:
        raise ModelError(f"{path}: no TOML: {problem}") from None
    rows = content.pop("part", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ModelError(f"{path}: 'part' is {clipped(repr(rows))}: expected tables [[part]]")
    tables = [key for key, value in content.items() if isinstance(value, (dict, list))]
    if tables:
        raise ModelError(f"{path}: '{tables[0]}' is not known: expected tables [[part]], and above them what all have, "
                         "like source = \"...\"")
    return Rows(tuple(Row(row, f"{path}, part {k}") for k, row in enumerate(rows, start=1)), content)


def _parquet(path: Path) -> Rows:
    table = parquet_table(path)
    header = _header(path, table.header)
    columns = [table.column(k).tolist() for k in range(len(header))]
    rows = []
    for k, values in enumerate(zip(*columns, strict=True)):
        cells: dict[str, Any] = {}
        for (name, unit), value in zip(header, values, strict=True):
            if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
                continue
            whole = int(value) if isinstance(value, float) and value.is_integer() and not unit else value
            cells[name] = _cell(whole, unit, False) if isinstance(whole, str) else _with_unit(whole, unit)
        rows.append(Row(cells, f"{path}, row {k + 1}"))
    return Rows(tuple(rows), {})
