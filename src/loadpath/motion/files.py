"""Motions in files: text (`text_files`), NumPy's archives (`archives`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike

from loadpath.motion.archives import read_npz, write_npz
from loadpath.motion.column_names import columns
from loadpath.motion.text_files import has_columns, read_csv, write_csv

__all__ = ["columns", "has_columns", "named", "read_csv", "read_npz", "write_csv", "write_npz"]


@contextmanager
def named(path: str | PathLike[str]) -> Iterator[None]:
    """Puts the name of the file in front of what is wrong with its motion."""
    try:
        yield
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from None
