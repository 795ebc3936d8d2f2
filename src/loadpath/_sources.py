"""The source files of this library as they are on disk, and whether they still are what was imported.

Compiled code on disk is kept under a key that stands for these files. An upgrade under a running process changes the
files and not the modules in memory, so the files' times and sizes are recorded here, which the root package imports
first, and compared before such a key is made.
"""

from __future__ import annotations

import functools
import hashlib
import math
import os
import time
from pathlib import Path

PACKAGE = str(Path(__file__).parent)

Stamps = dict[str, tuple[int, int]]


def stamps() -> Stamps:
    """Time of the last change (ns) and size of every source file of the package."""
    found: Stamps = {}
    folders = [PACKAGE]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    found[entry.path] = status.st_mtime_ns, status.st_size
                elif "." not in entry.name and entry.name != "__pycache__":
                    folders.append(entry.path)
    return found


def _readable_stamps() -> Stamps:
    try:
        return stamps()
    except OSError:  # the package is in an archive, or in an unreadable place
        return {}


AT_IMPORT = _readable_stamps()


_seen_unchanged = -math.inf


def unchanged(within: float = 0.0) -> bool:
    """Whether all source files are there and none has changed since the import; an answer of so many seconds ago will
    do. (Looking at hundreds of files takes as long as tracing a small robot.)
    """
    global _seen_unchanged  # noqa: PLW0603
    now = time.monotonic()
    if within <= 0 or now - _seen_unchanged > within:
        _seen_unchanged = now if AT_IMPORT and _readable_stamps() == AT_IMPORT else -math.inf
    return _seen_unchanged > -math.inf


@functools.cache
def digest() -> str | None:
    """A hash of all source files; None if they are not those that were imported."""
    content = hashlib.sha256()
    try:
        for path in sorted(AT_IMPORT):
            source = _read(path, AT_IMPORT[path][1])
            name = path[len(PACKAGE) :].replace(os.sep, "/")
            content.update(f"{name} {len(source)}\n".encode() + source)
    except OSError:
        return None
    return content.hexdigest() if unchanged() else None  # compared after reading: what was hashed is what is there


def _read(path: str, size: int) -> bytes:
    """A whole file of known size. There are hundreds, and this takes half the time of `Path.read_bytes`."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return os.read(handle, size + 1)
    finally:
        os.close(handle)
