"""Files that are written whole or not at all: into a file without a name, which then takes the place of the old one.

Only a regular file is ever replaced, and it keeps its permissions. A link is followed. A pipe, a terminal or another
character device is written into; a disk is refused. Nothing here changes the umask, which all threads share.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import IO

_OPEN_FILES = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}


def check_writable(path: str | PathLike[str]) -> Path:
    """The path, if a file of that name can be written: for those who want to know before long work."""
    target, place = Path(path), _place(path)
    if not os.fspath(path):
        raise ValueError("the name of the file to write is empty")
    if _open_file(path) is not None:
        return target
    status = _status(path)
    if status is None:
        if not place.parent.is_dir():
            raise FileNotFoundError(f"there is no folder '{target.parent}' to write '{target.name}' into")
    elif stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(f"'{path}' is a folder: expected the name of a file to write")
    elif stat.S_ISBLK(status.st_mode):
        raise ValueError(f"'{path}' is a disk (a block device): expected the name of a file to write")
    elif stat.S_ISSOCK(status.st_mode):
        raise ValueError(f"'{path}' is a socket: expected the name of a file to write")
    elif not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return target


def check_ending(path: str | PathLike[str], endings: tuple[str, ...], content: str) -> None:
    """Refuse a name that promises another format; one without an ending, or of a pipe or device, promises nothing.

    >>> check_ending("report.pdf", (".html", ".htm"), "a report")
    Traceback (most recent call last):
    ValueError: 'report.pdf' ends in .pdf, but a report is written as HTML: expected a name that ends in .html
    """
    suffix = Path(path).suffix
    if suffix.lower() in ("", *endings) or writes_through(path):
        return
    named = [ending for ending in endings if ending != ".htm"]
    kinds = " or ".join(ending[1:].upper() for ending in named)
    raise ValueError(f"'{path}' ends in {suffix}, but {content} is written as {kinds}: expected a name that ends in "
                     f"{' or '.join(named)}")


def refuse_ending(path: str | PathLike[str], others: tuple[str, ...], kind: str) -> None:
    """Refuse a name that promises one of some other formats.

    >>> refuse_ending("log.npz", (".npz", ".xlsx"), "CSV")
    Traceback (most recent call last):
    ValueError: 'log.npz' ends in .npz, but a motion is written as CSV here: expected a name that ends in .csv
    """
    suffix = Path(path).suffix
    if suffix.lower() in others and not writes_through(path):
        raise ValueError(f"'{path}' ends in {suffix}, but a motion is written as {kind} here: expected a name that "
                         f"ends in .{kind.lower()}")


def writes_through(path: str | PathLike[str]) -> bool:
    """Whether this is no file to be replaced but something to write into: a pipe, a terminal, a device."""
    if _open_file(path) is not None:
        return True
    status = _status(path)
    return status is not None and not stat.S_ISREG(status.st_mode)


def write_whole(path: str | PathLike[str], fill: Callable[[IO[bytes]], object]) -> Path:
    """Lets `fill` write a file, which appears under its name when all of it is there."""
    target = check_writable(path)
    try:
        if writes_through(path):
            with os.fdopen(_opened(path), "wb") as stream:
                fill(stream)
        else:
            _replace(_place(path), fill)
    except OSError as problem:
        if problem.errno is None:
            raise
        raise type(problem)(problem.errno, problem.strerror, str(path)) from None  # not that of the temporary file
    return target


def _status(path: str | PathLike[str]) -> os.stat_result | None:
    """What is there, at the end of all links; None if nothing is."""
    try:
        return os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return None


def _place(path: str | PathLike[str]) -> Path:
    """The file at the end of all links, which need not be there. Other names stay as given: from inside a folder, files
    can be written though a folder above it is closed.
    """
    given = Path(path)
    return Path(os.path.realpath(given)) if given.is_symlink() else given


def _open_file(path: str | PathLike[str]) -> int | None:
    """The number of the open file that a name like /dev/stdout stands for."""
    if os.name != "posix":
        return None
    text = os.fspath(path)
    numbered = _OPEN_FILES.fullmatch(text)
    return int(numbered[1]) if numbered else _STANDARD.get(text)


def _opened(path: str | PathLike[str]) -> int:
    """A pipe or device for writing; a pipe waits for its reader."""
    number = _open_file(path)
    if number is not None:
        return os.dup(number)  # opened anew, a file would be written over from its beginning
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0))
    if stat.S_ISREG(os.fstat(handle).st_mode) or stat.S_ISBLK(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EBUSY, "it changed while it was being opened", str(path))
    return handle


# Replacing a file


def _replace(target: Path, fill: Callable[[IO[bytes]], object]) -> None:
    if target.is_symlink():  # which links lead in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    handle, temporary = _temporary(target)
    try:
        with os.fdopen(handle, "wb") as file:
            fill(file)
            file.flush()
            _like_the_old(file.fileno(), target)
            os.fsync(file.fileno())
            if temporary is None:
                temporary = _named(file.fileno(), target)
        temporary.replace(target)
    except BaseException:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise


def _temporary(target: Path) -> tuple[int, Path | None]:
    """A new file in the folder of the target. Where the system can, it has no name and goes with this process."""
    if hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").is_dir():
        with contextlib.suppress(OSError):  # a file system without them
            return os.open(target.parent, os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, 0o666), None
    path = _free_name(target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"))
    return os.open(path, flags, 0o600 if target.exists() else 0o666), path


def _named(handle: int, target: Path) -> Path:
    """Gives a file without a name one in the folder of the target."""
    path = _free_name(target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:  # with a folder, Python calls linkat, which alone can do this
        os.link(f"/proc/self/fd/{handle}", path.name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)
    return path


def _free_name(target: Path) -> Path:
    return target.parent / f".{target.name[:50]}.{secrets.token_hex(8)}.part"


def _like_the_old(handle: int, target: Path) -> None:
    """The permissions and the owner of the file that is replaced; a new one has those the umask leaves it."""
    status = _status(target)
    if status is None or not hasattr(os, "fchmod"):
        return
    with contextlib.suppress(OSError):  # only root can give files away
        if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(handle, status.st_uid, status.st_gid)
    with contextlib.suppress(OSError):
        os.fchmod(handle, stat.S_IMODE(status.st_mode) & 0o777)
