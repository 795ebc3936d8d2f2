"""The cache among several users: nobody runs machine code that somebody else could have put there.

These tests change the user, which only root can do: elsewhere they are skipped, and `test_cache.py` has the same rules
with other means.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loadpath.engine import cache
from loadpath.errors import CacheWarning

pytestmark = pytest.mark.skipif(sys.platform == "win32" or os.getuid() != 0, reason="only root can change the user")

ALICE, BOB, SHARED = 51001, 51002, 51000


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that every user can reach, and none but root write to."""
    path = Path(tempfile.mkdtemp(prefix="loadpath-users-"))
    path.chmod(0o755)
    monkeypatch.setenv("LOADPATH_CACHE_DIR", str(path / "cache"))
    monkeypatch.setattr(cache, "_warned", set())
    yield path
    shutil.rmtree(path)


def as_user(uid: int, do: Callable[[], str], groups: tuple[int, ...] = ()) -> str:
    """What a function returns in a child process of another user."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.setgroups(groups)
            os.setgid(uid)
            os.setuid(uid)
            os.write(writing, do().encode())
            code = 0
        except BaseException as problem:
            os.write(writing, repr(problem).encode())
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode()
    assert os.waitpid(child, 0)[1] == 0, text
    return text


def read() -> str:
    """What is read under the key, and what is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = cache.read("key")
    assert all(issubclass(warning.category, CacheWarning) for warning in caught)
    return f"{found!r} {' '.join(str(warning.message) for warning in caught)}".strip()


def write(code: bytes = b"evil") -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cache.write("key", code)
    return ""


def make(path: Path, owner: int, mode: int, group: int = 0) -> None:
    path.mkdir()
    os.chown(path, owner, group)
    path.chmod(mode)


def test_a_user_has_a_cache_of_their_own(place: Path) -> None:
    place.chmod(0o777)
    as_user(ALICE, lambda: write(b"code"))
    assert as_user(ALICE, read) == "b'code'"
    status = (place / "cache").stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (ALICE, 0o700)


def test_nobody_reads_what_another_user_wrote(place: Path) -> None:
    make(place / "cache", ALICE, 0o755)
    as_user(ALICE, write)
    for user in (BOB, 0):
        found = as_user(user, read)
        assert found.startswith("None compiled code in") and "belongs to another user" in found
        as_user(user, lambda: write(b"own"))
    assert as_user(ALICE, read) == "b'evil'"  # her own is as it was
    assert len(list((place / "cache").iterdir())) == 1


def test_a_folder_of_a_group_is_not_used(place: Path) -> None:
    """As found in a review: with a folder of a group, a member replaced an entry, and another ran it."""
    make(place / "cache", BOB, 0o2775, SHARED)
    as_user(BOB, lambda: write(b"code"))
    entry = place / "cache" / cache._file_name("key")
    assert not entry.exists()  # it is not written into, either
    content = cache._head("key", b"evil") + b"evil"
    as_user(ALICE, lambda: str(entry.write_bytes(content)), groups=(SHARED,))
    assert entry.exists()
    for user in (BOB, 0):
        found = as_user(user, read, groups=(SHARED,))
        assert found.startswith("None") and ("can be written to by other users" in found or "another user" in found)


def test_root_does_not_run_what_a_user_put_into_its_folder(place: Path) -> None:
    make(place / "cache", 0, 0o1777)  # like /tmp
    entry = place / "cache" / cache._file_name("key")
    as_user(ALICE, lambda: str(entry.write_bytes(cache._head("key", b"evil") + b"evil")))
    assert "can be written to by other users" in read()
    (place / "cache").chmod(0o755)
    cache._warned.clear()
    found = read()  # the folder is sound now, the entry is still hers
    assert found.startswith("None") and "belongs to another user" in found


def test_what_root_installed_is_used_by_everybody_and_changed_by_nobody(place: Path) -> None:
    make(place / "cache", 0, 0o755)
    write(b"code")
    entry = place / "cache" / cache._file_name("key")
    entry.chmod(0o644)
    before = entry.stat()
    for user in (ALICE, BOB):
        assert as_user(user, read) == "b'code'"
        as_user(user, write)
    after = entry.stat()
    assert (before.st_ino, before.st_size, before.st_uid) == (after.st_ino, after.st_size, after.st_uid)
    assert read() == "b'code'"


def test_a_link_to_a_file_of_the_user_is_not_followed(place: Path) -> None:
    """Even if that file would be trusted in its own place."""
    make(place / "cache", ALICE, 0o755)
    own = place / "own"
    own.write_bytes(cache._head("key", b"evil") + b"evil")
    os.chown(own, ALICE, ALICE)
    (place / "cache" / cache._file_name("key")).symlink_to(own)
    assert as_user(ALICE, read) == "None"


def test_a_set_user_id_program_trusts_only_root(place: Path) -> None:
    make(place / "cache", ALICE, 0o755)
    as_user(ALICE, write)

    def started_by_alice() -> str:
        os.setresuid(ALICE, ALICE, 0)
        assert read() == "b'evil'"
        cache._warned.clear()
        os.setresuid(ALICE, 0, 0)  # started by her, with root's rights
        return read()

    assert "belongs to another user" in as_user(0, started_by_alice)


def test_a_folder_that_is_exchanged_all_the_time(place: Path) -> None:
    """Somebody swaps the folder between a sound one and their own: nothing of theirs is ever read."""
    sound, hostile, path = place / "sound", place / "hostile", place / "cache"
    for folder, owner, code in ((sound, 0, b"code"), (hostile, ALICE, b"evil")):
        make(folder, owner, 0o755)
        (folder / cache._file_name("key")).write_bytes(cache._head("key", code) + code)
    path.symlink_to(sound)
    done = threading.Event()

    def swap() -> None:
        spare = place / "spare"
        while not done.is_set():
            for folder in (hostile, sound):
                spare.symlink_to(folder)
                spare.replace(path)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seen = {cache.read("key") for _ in range(2000)}
    finally:
        done.set()
        swapping.join()
    assert seen <= {None, b"code"} and b"code" in seen


def test_a_disk_that_is_full(place: Path) -> None:
    """A real one: a file system of 64 KiB in memory."""
    import subprocess

    make(place / "cache", 0, 0o700)
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(place / "cache")],
                           capture_output=True, check=False)
    if mount.returncode:
        pytest.skip("file systems cannot be mounted here")
    try:
        write(bytes(10_000))
        assert read().startswith("b'\\x00")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cache.write("large", bytes(200_000))
            assert cache.read("large") is None
        assert [path.suffix for path in (place / "cache").iterdir()] == [".o"]
        assert read().startswith("b'\\x00")
    finally:
        subprocess.run(["umount", str(place / "cache")], check=True)
