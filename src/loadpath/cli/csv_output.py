"""Tables in CSV files, written whole or not at all."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from loadpath.whole_file import write_whole


def write_table(path: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A header and rows; numbers with all their digits, as `repr` writes them."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[float(cell) if hasattr(cell, "dtype") else cell for cell in row] for row in rows])  # type: ignore[arg-type]
    write_whole(path, lambda file: file.write(text.getvalue().encode()))
