"""Motions in files: text (`text_files`), NumPy's archives (`archives`), Parquet (`parquet`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike

from loadpath.motion.logs.archives import read_npz, write_npz
from loadpath.motion.logs.frames import FrameTable
from loadpath.motion.logs.parquet import parquet_table
from loadpath.motion.logs.text_files import text_table
from loadpath.motion.logs.writing import write_csv

__all__ = ["FrameTable", "named", "parquet_table", "read_npz", "text_table", "write_csv", "write_npz"]


@contextmanager
def named(path: str | PathLike[str]) -> Iterator[None]:
    """Puts the name of the file in front of what is wrong with its motion."""
    try:
        yield
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from None
