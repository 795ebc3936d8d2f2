"""Reading files that may be longer than they should be, or never end, as a device or a pipe."""

from __future__ import annotations

from pathlib import Path

LARGEST_FILE = 64 * 2**20
"""Bytes of a robot's file that are read. The largest published robots have 1 MB."""


def read_at_most(path: Path, limit: int) -> bytes | None:
    """The content of a file, or None if it is longer than so many bytes; no more than these are read.

    >>> read_at_most(Path(__file__), 10) is None
    True
    """
    with path.open("rb") as file:
        data = file.read(limit + 1)
    return data if len(data) <= limit else None
