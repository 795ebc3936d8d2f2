"""Tables in CSV files, written whole or not at all.

A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula, and formulas can fetch and run. Names of
joints and links come from files of strangers: where one begins like that, an apostrophe is put before it, which
spreadsheets read as "text" and do not show. Numbers stay as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from loadpath.printable import storable
from loadpath.whole_file import write_whole

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
MARK = "'"


def text_cell(text: str) -> str:
    """A name as the text of a cell that is no formula.

    >>> text_cell("joint1"), text_cell("=1+1"), text_cell(" @SUM(1)"), text_cell("-0.5")
    ('joint1', "'=1+1", "' @SUM(1)", '-0.5')
    """
    # Some programs pass over spaces, and over apostrophes of ours, before they look.
    return MARK + text if text.lstrip(f" {MARK}").startswith(FORMULAS) and not _is_number(text) else text


def write_table(
    path: str | PathLike[str], columns: Sequence[str], rows: Iterable[Sequence[object] | Mapping[str, object]]
) -> Path:
    """A header and rows, as lists or by the names of the columns; numbers with all their digits, as `repr` writes
    them, and None as an empty cell.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([text_cell(column) for column in columns])
    for row in rows:
        cells = [row[name] for name in columns] if isinstance(row, Mapping) else row
        writer.writerow([_written(cell) for cell in cells])
    return write_whole(path, lambda file: file.write(storable(text.getvalue()).encode()))


def _written(cell: object) -> object:
    if isinstance(cell, str):
        return text_cell(cell)
    if cell is None:
        return ""
    return float(cell) if hasattr(cell, "dtype") else cell  # type: ignore[arg-type]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
