"""Motions written as text: a line of names, then a row a sample, every number to the last digit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import IO

import numpy as np

from loadpath.csv_tables import text_cell
from loadpath.motion.extra import Channel
from loadpath.motion.layout import Layout
from loadpath.motion.logs.column_names import columns
from loadpath.scalars.types import Floats
from loadpath.whole_file import refuse_ending, write_whole


def write_csv(
    path: str | PathLike[str], layout: Layout, parts: Sequence[Floats], extra: Mapping[str, Channel] | None = None
) -> None:
    """All numbers to the last digit."""
    refuse_ending(path, (".npz", ".npy", ".zip", ".xlsx", ".xls", ".html"), "CSV")
    more = {f"{name} [{one.unit}]" if one.unit else name: one.values for name, one in (extra or {}).items()}
    parts = [*parts, *more.values()]
    try:
        header = ",".join(map(_quoted, [*columns(layout), *more])).encode()
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
    name = text_cell(name)
    if name.isprintable() and name == name.strip() and not set(name) & set('",;#'):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
