"""Logs in Parquet files, read by pyarrow, polars or pandas in a process of its own (see `loadpath.foreign`): a small
file can stand for more numbers than there is memory.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.files.reach import read_at_most
from loadpath.foreign.messages import Message, as_bytes
from loadpath.foreign.process import Parser
from loadpath.motion.logs.file_limits import MOST_NUMBERS
from loadpath.motion.logs.frames import FrameTable

LARGEST_FILE = 2**30
"""Bytes of a Parquet file that are read."""
_READER = Parser("loadpath.foreign.parquet_reader", "the reader of Parquet files")


@dataclass(frozen=True)
class _Columns:
    """Columns with names, in the form of a table of Arrow."""

    column_names: list[str]
    arrays: list[NDArray[Any]]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return (len(self.arrays[0]) if self.arrays else 0), len(self.arrays)

    def column(self, place: int) -> NDArray[Any]:
        """The values of a column."""
        return self.arrays[place]


def parquet_table(path: str | PathLike[str]) -> FrameTable:
    """A Parquet file as a log."""
    content = read_at_most(Path(path), LARGEST_FILE)
    if content is None:
        raise ValueError(f"{path}: the file is larger than {LARGEST_FILE >> 30} GiB: split the motion")
    if content[:4] != b"PAR1":
        raise ValueError(f"{path}: this is no Parquet file; a text file is read by from_csv")
    reply = _READER.run(Message({"most": MOST_NUMBERS}, {"content": as_bytes(content)}), str(path))
    try:
        return FrameTable(_columns(reply), str(path))
    except (KeyError, TypeError, IndexError, AttributeError, json.JSONDecodeError):
        raise ModelError(f"{path}: this Parquet file cannot be read: it has no columns of one length") from None


def _columns(reply: Message) -> _Columns:
    """What the reader's process sends, if it is columns."""
    names, kinds = reply.fields["names"], reply.fields["kinds"]
    arrays = []
    for place, kind in enumerate(kinds):
        values = reply.arrays[str(place)]
        if kind in ("M", "m"):
            values = values.view(f"{kind}8[ns]")
        elif kind == "O":
            texts = json.loads(reply.arrays[f"texts of {place}"].tobytes())
            values = np.array([None if text is None else str(text) for text in texts], dtype=object)[values]
        arrays.append(values)
    if len(names) != len(kinds) or len({array.shape for array in arrays}) > 1 or any(a.ndim != 1 for a in arrays):
        raise KeyError("columns")
    return _Columns([str(name) for name in names], arrays)
