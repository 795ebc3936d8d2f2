"""Object code kept on disk, so that the second run of a program starts at once.

The cache can only save time. Whatever is wrong with it (no home directory, a full disk, a damaged or foreign
file) counts as "not there": `read` gives `None`, `write` does nothing, and neither raises.

`LOADPATH_CACHE_DIR` says where it is; set to nothing or to `off` there is none. Otherwise it is the folder
`loadpath` where the platform keeps caches. When it exceeds `SIZE_LIMIT`, what was used longest ago goes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path

SIZE_LIMIT = 256 * 2**20
"""Bytes that the cache may occupy."""

MAGIC = b"loadpath object 1\n"
STALE_SECONDS = 3600.0


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
        if not _trusted(folder):
            return None
        content = path.read_bytes()
    except OSError:
        return None
    start = len(MAGIC) + hashlib.sha256().digest_size
    code = content[start:]
    if content[:start] != MAGIC + hashlib.sha256(code).digest():
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # what is in use is the last to go
    return code


def write(key: str, code: bytes) -> None:
    """Keep object code under this key."""
    folder = directory()
    if folder is None:
        return
    temporary = None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _trusted(folder):
            return
        # Readers and other writers see the old file or the new one, never half of one.
        handle, temporary = tempfile.mkstemp(suffix=".tmp", dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + hashlib.sha256(code).digest() + code)
        os.replace(temporary, folder / _file_name(key))  # noqa: PTH105
        temporary = None
        _prune(folder)
    except OSError:
        pass
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


def _trusted(folder: Path) -> bool:
    """Whether nobody else can have put code there: a folder of ours or of root that not everybody writes to."""
    if sys.platform == "win32":
        return True
    status = folder.stat()
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & 0o002


def _prune(folder: Path) -> None:
    """Delete abandoned temporary files and, above the size limit, the files used longest ago."""
    files = []
    now = time.time()
    with os.scandir(folder) as entries:
        for entry in entries:
            status = entry.stat()
            if entry.name.endswith(".tmp") and now - status.st_mtime > STALE_SECONDS:
                Path(entry.path).unlink(missing_ok=True)
            elif entry.name.endswith(".o"):
                files.append((status.st_mtime, status.st_size, entry.path))
    excess = sum(size for _, size, _ in files) - SIZE_LIMIT
    for _, size, path in sorted(files):
        if excess <= 0:
            break
        Path(path).unlink(missing_ok=True)
        excess -= size
