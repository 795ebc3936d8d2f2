"""Files that are written whole or not at all: to a temporary file in the same folder, which then replaces them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import IO


def check_writable(path: str | PathLike[str]) -> Path:
    """The path, if a file of that name can be there: for those who want to know before long work."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"'{path}' is a folder: expected the name of a file to write")
    if not target.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder '{target.parent}' to write '{target.name}' into")
    return target


def write_whole(path: str | PathLike[str], fill: Callable[[IO[bytes]], object]) -> Path:
    """Lets `fill` write a file, which appears under its name when all of it is there."""
    target = check_writable(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".part")
    except OSError as problem:  # with the user's name, not that of the temporary file
        raise type(problem)(problem.errno, problem.strerror, str(path)) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # as an ordinary file; mkstemp makes private ones
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return target
