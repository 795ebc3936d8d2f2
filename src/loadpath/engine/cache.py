"""Object code kept on disk, so that the second run of a program starts at once.

The cache can only save time. Whatever is wrong with it (no home directory, a full disk, a damaged or foreign
file) counts as "not there": `read` gives `None`, `write` does nothing, and neither raises.

What is read here is run as machine code. So nobody else may have written it: folder and file must belong to the user,
or to root, and be writable by nobody else. If not, they are not used, and a `CacheWarning` says so.

`LOADPATH_CACHE_DIR` says where it is; set to nothing or to `off` there is none. Otherwise it is the folder
`loadpath` where the platform keeps caches. When it exceeds `SIZE_LIMIT`, what was used longest ago goes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import time
from pathlib import Path

from loadpath.errors import CacheWarning, warn

SIZE_LIMIT = 256 * 2**20
"""Bytes that the cache may occupy."""

LOOKS = 64
"""A process looks through the folder when it first writes, and whenever it has written this part of the size limit: of
ten thousand files that takes as long as compiling.
"""

MAGIC = b"loadpath object 2\n"
STALE_SECONDS = 3600.0

# A link is not followed, and a pipe or device in place of a file does not make anybody wait.
_OPEN = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))

_warned: set[str] = set()
"""Folders that a warning was given for."""
_written: dict[Path, int] = {}
"""Bytes that this process has written to a folder since it last looked through it."""


def directory() -> Path | None:
    """Where the cache is, or `None` if there is none."""
    chosen = os.environ.get("LOADPATH_CACHE_DIR")
    if chosen is not None:
        return None if chosen.strip().lower() in ("", "off") else Path(chosen)
    try:
        return _platform_caches() / "loadpath"
    except RuntimeError:  # there is no home directory
        return None


def read(key: str) -> bytes | None:
    """The object code written under this key, if it is there and undamaged."""
    folder = directory()
    if folder is None:
        return None
    path = folder / _file_name(key)
    try:
        content = _content(path)
    except OSError:
        return None
    if content is None:
        return None
    start = len(MAGIC) + hashlib.sha256().digest_size
    code = content[start:]
    if content[:start] != _head(key, code):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # what is in use is the last to go
    return code


def write(key: str, code: bytes) -> bool:
    """Keep object code under this key; whether that was possible."""
    folder = directory()
    if folder is None:
        return False
    temporary = None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _trusted(folder.stat(), folder):
            return False
        # Readers and other writers see the old file or the new one, never half of one.
        handle, temporary = tempfile.mkstemp(suffix=".tmp", dir=folder)
        content = _head(key, code) + code
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, folder / _file_name(key))  # noqa: PTH105
        temporary = None
        _keep_small(folder, len(content))
        return True
    except OSError:
        return False
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()


def _file_name(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest() + ".o"


def _platform_caches() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification says to ignore relative paths.
    return Path(chosen) if Path(chosen).is_absolute() else Path.home() / ".cache"


def _head(key: str, code: bytes) -> bytes:
    """The beginning of a file: damage to the code shows, and so does code that was written under another key."""
    return MAGIC + hashlib.sha256(hashlib.sha256(key.encode()).digest() + code).digest()


def _content(path: Path) -> bytes | None:
    """The content of a file that nobody else can have written.

    The folder and the file are opened first and judged then, so that neither can be exchanged in between.
    """
    if os.open not in os.supports_dir_fd:
        return _judged(os.open(path, _OPEN), path) if _trusted(path.parent.stat(), path.parent) else None
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not _trusted(os.fstat(folder), path.parent):
            return None
        return _judged(os.open(path.name, _OPEN, dir_fd=folder), path)
    finally:
        os.close(folder)


def _judged(handle: int, path: Path) -> bytes | None:
    """The content of an open file, which is closed, if it is one and to be trusted."""
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > SIZE_LIMIT or not _trusted(status, path):
            return None
        with open(handle, "rb", closefd=False) as file:
            return file.read(SIZE_LIMIT)
    finally:
        os.close(handle)


def _trusted(status: os.stat_result, path: Path) -> bool:
    """Whether a folder or file is the user's own, or root's, and nobody else can write to it."""
    if sys.platform == "win32":
        return True
    own = {0, os.getuid()} if os.getuid() == os.geteuid() else {0}  # in a set-user-ID program, whose folder is it?
    if status.st_uid not in own:
        reason = f"belongs to another user (number {status.st_uid})"
    elif status.st_mode & 0o022:
        reason = f"can be written to by other users (its mode is {stat.S_IMODE(status.st_mode):o})"
    else:
        return True
    folder = str(path if stat.S_ISDIR(status.st_mode) else path.parent)
    if folder not in _warned:
        _warned.add(folder)
        warn(f"compiled code in {path} is not used, since somebody else may have put it there: it {reason}. Make it "
             "your own, or choose another folder by LOADPATH_CACHE_DIR", CacheWarning)
    return False


def _keep_small(folder: Path, written: int) -> None:
    """After so many bytes were written, see to it that the folder stays below the limit until the next look."""
    share = SIZE_LIMIT // LOOKS
    since = _written.get(folder, share) + written
    if since >= share:
        since = 0
        _prune(folder, SIZE_LIMIT - share)
    _written[folder] = since


def _prune(folder: Path, limit: int) -> None:
    """Delete abandoned temporary files and, above the limit, the files used longest ago."""
    files = []
    now = time.time()
    with os.scandir(folder) as entries:
        for entry in entries:
            status = entry.stat()
            if entry.name.endswith(".tmp") and now - status.st_mtime > STALE_SECONDS:
                Path(entry.path).unlink(missing_ok=True)
            elif entry.name.endswith(".o"):
                files.append((status.st_mtime, status.st_size, entry.path))
    excess = sum(size for _, size, _ in files) - limit
    for _, size, path in sorted(files):
        if excess <= 0:
            break
        Path(path).unlink(missing_ok=True)
        excess -= size
