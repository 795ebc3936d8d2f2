"""The disk cache saves time or does nothing: whatever happens to its files, no call fails."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loadpath.engine import cache
from loadpath.errors import CacheWarning

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "some" / "cache"
    monkeypatch.setenv("LOADPATH_CACHE_DIR", str(path))
    return path


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_what_was_written_is_read() -> None:
    assert cache.read("key") is None
    cache.write("key", b"code")
    cache.write("other key", b"")
    assert cache.read("key") == b"code"
    assert cache.read("other key") == b""
    cache.write("key", b"new code")
    assert cache.read("key") == b"new code"


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_only_the_user_can_enter(folder: Path) -> None:
    cache.write("key", b"code")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


POSIX = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes of POSIX")


@pytest.fixture(autouse=True)
def unwarned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_warned", set())


@POSIX
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o720, 0o702])
def test_a_folder_that_others_write_to_is_not_used(folder: Path, mode: int) -> None:
    cache.write("key", b"code")
    folder.chmod(mode)
    with pytest.warns(CacheWarning, match=f"can be written to by other users .its mode is {mode:o}"):
        assert cache.read("key") is None
    cache.write("key 2", b"code")
    assert only_file(folder)
    folder.chmod(0o755)  # that others read it does no harm
    assert cache.read("key") == b"code"


@POSIX
@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602])
def test_a_file_that_others_write_to_is_not_used(folder: Path, mode: int) -> None:
    cache.write("key", b"code")
    only_file(folder).chmod(mode)
    with pytest.warns(CacheWarning, match="can be written to by other users"):
        assert cache.read("key") is None
    cache.write("key", b"code")  # which replaces it
    assert cache.read("key") == b"code"


@POSIX
@pytest.mark.parametrize("what", ["folder", "file"])
@pytest.mark.parametrize("owner", [1, 1000, 65534])
def test_what_belongs_to_somebody_else_is_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch, what: str, owner: int
) -> None:
    """As root by giving it away; otherwise by being somebody else."""
    cache.write("key", b"code")
    path = folder if what == "folder" else only_file(folder)
    if os.getuid() == 0:
        os.chown(path, owner, -1)
    else:
        if what == "file":
            pytest.skip("only root can give away a single file")
        me = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: me + owner)
    with pytest.warns(CacheWarning, match="belongs to another user"):
        assert cache.read("key") is None
    if what == "folder":
        cache.write("other key", b"code")
        assert len(list(folder.iterdir())) == 1


@POSIX
@pytest.mark.parametrize("uid", [1, 1000])
def test_what_belongs_to_root_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch, uid: int) -> None:
    if os.getuid() != 0:
        pytest.skip("needs a cache of root's")
    cache.write("key", b"code")
    monkeypatch.setattr(os, "getuid", lambda: uid)
    assert cache.read("key") == b"code"


@POSIX
def test_the_warning_comes_once(folder: Path) -> None:
    cache.write("key", b"code")
    folder.chmod(0o777)
    with pytest.warns(CacheWarning) as warned:
        for _ in range(3):
            cache.read("key")
            cache.write("key", b"code")
    assert len(warned) == 1


def test_code_that_was_moved_to_another_key_is_not_used(folder: Path) -> None:
    cache.write("key", b"code")
    only_file(folder).rename(folder / cache._file_name("other key"))
    assert cache.read("other key") is None
    cache.write("other key", b"other code")
    assert cache.read("other key") == b"other code"


@POSIX
def test_a_link_in_place_of_a_file_is_not_followed(folder: Path, tmp_path: Path) -> None:
    cache.write("key", b"code")
    only_file(folder).rename(tmp_path / "elsewhere")
    (folder / cache._file_name("key")).symlink_to(tmp_path / "elsewhere")
    assert cache.read("key") is None


@POSIX
def test_a_pipe_or_folder_in_place_of_a_file_keeps_nobody_waiting(folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o700)
    os.mkfifo(folder / cache._file_name("key"))
    (folder / cache._file_name("folder")).mkdir()
    before = len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0
    for key in ("key", "folder"):
        assert cache.read(key) is None
    assert not before or len(list(Path("/proc/self/fd").iterdir())) == before
    cache.write("key", b"code")
    assert cache.read("key") == b"code"


@POSIX
def test_a_pipe_is_not_taken_for_a_file_whatever_it_gives(folder: Path) -> None:
    cache.write("key", b"code")
    path = only_file(folder)
    content = path.read_bytes()
    path.unlink()
    os.mkfifo(path, 0o600)
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(pipe, content)
        assert cache.read("key") is None
    finally:
        os.close(pipe)


@pytest.mark.parametrize("length", [0, 5, 20, 40, 52, -1])
def test_a_truncated_file_counts_as_none(folder: Path, length: int) -> None:
    cache.write("key", b"code of some length")
    path = only_file(folder)
    path.write_bytes(path.read_bytes()[:length])
    assert cache.read("key") is None
    cache.write("key", b"code")
    assert cache.read("key") == b"code"


def test_a_changed_byte_counts_as_none(folder: Path) -> None:
    cache.write("key", b"code of some length")
    path = only_file(folder)
    content = path.read_bytes()
    for position in range(len(content)):
        changed = bytearray(content)
        changed[position] ^= 1
        path.write_bytes(changed)
        assert cache.read("key") is None


@pytest.mark.parametrize("value", ["", "off", "OFF", " "])
def test_switched_off(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("LOADPATH_CACHE_DIR", value)
    assert cache.directory() is None
    cache.write("key", b"code")
    assert cache.read("key") is None


def test_the_platforms_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LOADPATH_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    for platform, place in {"linux": "loadpath", "darwin": "home/Library/Caches/loadpath", "win32": "loadpath"}.items():
        monkeypatch.setattr(sys, "platform", platform)
        assert cache.directory() == tmp_path / place
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache.directory() == tmp_path / "home/.cache/loadpath"


def test_no_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("LOADPATH_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", fail)
    cache.write("key", b"code")
    assert cache.read("key") is None


def test_the_folder_is_a_file(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("not a folder")
    cache.write("key", b"code")
    assert cache.read("key") is None


def test_a_file_stands_in_the_way_of_the_folder(folder: Path) -> None:
    folder.parent.write_text("not a folder")
    cache.write("key", b"code")
    assert cache.read("key") is None


@pytest.mark.parametrize("call", ["mkdir", "mkstemp", "fdopen", "replace"])
def test_failing_system_calls(folder: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """A full disk, a read-only folder, too many open files."""

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    owner = {"mkdir": Path, "mkstemp": cache.tempfile, "fdopen": os, "replace": os}[call]
    with monkeypatch.context() as patch:
        patch.setattr(owner, call, fail)
        cache.write("key", b"code")
        assert cache.read("key") is None
    assert not folder.exists() or not [p for p in folder.iterdir() if p.suffix == ".o"]
    if call == "replace":
        assert not list(folder.iterdir())


def test_disk_full_while_writing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FullFile:
        def __init__(self, handle: int) -> None:
            self.handle = handle

        def __enter__(self) -> FullFile:
            return self

        def __exit__(self, *_: object) -> None:
            os.close(self.handle)

        def write(self, content: bytes) -> None:
            os.write(self.handle, content[:10])
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", lambda handle, mode: FullFile(handle))
        cache.write("key", b"code")
    assert not list(folder.iterdir())
    assert cache.read("key") is None


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="needs a user whom modes stop")
def test_read_only_folder(folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o500)
    cache.write("key", b"code")
    assert cache.read("key") is None


def test_what_was_used_longest_ago_goes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "SIZE_LIMIT", 4 * 1100)
    for number in range(4):
        cache.write(str(number), bytes(1000))
        age = 1000 - 100 * number
        for path in folder.iterdir():
            if path.name == cache._file_name(str(number)):
                os.utime(path, (path.stat().st_atime - age, path.stat().st_mtime - age))
    assert cache.read("0") is not None  # used just now
    cache.write("4", bytes(1000))
    assert [cache.read(str(n)) is not None for n in range(5)] == [True, False, True, True, True]


def test_a_folder_of_many_files_stays_below_its_limit_and_is_seldom_looked_through(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "SIZE_LIMIT", 400_000)
    looks = []
    prune = cache._prune
    monkeypatch.setattr(cache, "_prune", lambda *arguments: looks.append(1) or prune(*arguments))
    for number in range(600):
        cache.write(str(number), bytes(1000))
        if number % 20 == 0:
            assert sum(path.stat().st_size for path in folder.iterdir()) <= 400_000
    assert 600 * 1050 / (400_000 / cache.LOOKS) - 10 < len(looks) < 600 * 1050 / (400_000 / cache.LOOKS) + 10
    assert cache.read("0") is None and cache.read("599") is not None


def test_abandoned_temporary_files_go(folder: Path) -> None:
    folder.mkdir(parents=True)
    old, new = folder / "old.tmp", folder / "new.tmp"
    old.write_text("")
    new.write_text("")
    os.utime(old, (0, 0))
    cache.write("key", b"code")
    assert not old.exists()
    assert new.exists()


def test_processes_that_race(folder: Path) -> None:
    """Many processes write and read the same key; nobody sees anything but a whole file."""
    script = """
from loadpath.engine import cache
for _ in range(200):
    cache.write("key", bytes(100_000))
    found = cache.read("key")
    assert found is None or found == bytes(100_000)
"""
    processes = [subprocess.Popen([sys.executable, "-c", script], env=os.environ.copy()) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert cache.read("key") == bytes(100_000)
    assert not [p for p in folder.iterdir() if p.suffix == ".tmp"]
