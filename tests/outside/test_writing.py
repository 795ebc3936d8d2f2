"""Writing files: whole or not at all, over regular files only, through links, into pipes and devices."""

from __future__ import annotations

import errno
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

import pytest

import loadpath as lp
from loadpath.whole_file import check_writable, write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and devices of POSIX")
ROOT = pytest.mark.skipif(sys.platform == "win32" or os.getuid() != 0, reason="only root makes devices")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def motion() -> lp.Motion:
    return lp.Motion.swing(lp.catalog.planar(1), 5)


def write(path: str, content: bytes = b"new") -> None:
    write_whole(path, lambda file: file.write(content))


def there() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


# Regular files and links


def test_a_new_file_has_the_permissions_that_the_umask_leaves() -> None:
    script = """
import os
from loadpath.whole_file import write_whole
os.umask(0o027)
write_whole("a", lambda file: file.write(b"x"))
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    assert stat.S_IMODE(Path("a").stat().st_mode) == 0o640


def test_the_umask_is_never_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("other threads would see it"))
    write("a")
    write("a")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_that_is_replaced_keeps_its_permissions(mode: int) -> None:
    Path("a").write_text("old")
    Path("a").chmod(mode)
    write("a")
    assert (Path("a").read_bytes(), stat.S_IMODE(Path("a").stat().st_mode)) == (b"new", mode)


@ROOT
def test_a_file_that_root_replaces_keeps_its_owner() -> None:
    Path("a").write_text("old")
    os.chown("a", 1234, 5678)
    write("a")
    status = Path("a").stat()
    assert (status.st_uid, status.st_gid) == (1234, 5678)


def test_links_are_followed_and_stay() -> None:
    Path("folder").mkdir()
    Path("folder/real").write_text("old")
    Path("link").symlink_to("folder/real")
    Path("second").symlink_to("link")
    write("second")
    assert Path("second").is_symlink() and Path("link").is_symlink()
    assert Path("folder/real").read_bytes() == b"new"
    assert [path.name for path in Path("folder").iterdir()] == ["real"]


def test_a_link_to_nothing_makes_its_target() -> None:
    Path("link").symlink_to("new file")
    write("link")
    assert Path("link").is_symlink() and Path("new file").read_bytes() == b"new"
    Path("lost").symlink_to("no folder/file")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write("lost")


def test_links_in_a_circle_are_refused() -> None:
    Path("a").symlink_to("b")
    Path("b").symlink_to("a")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        write("a")
    assert there() == ["a", "b"]


@pytest.mark.parametrize("without", [False, True], ids=["unnamed", "named"])
def test_what_goes_wrong_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch, without: bool) -> None:
    """Also on file systems that know no files without names."""
    if without:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    Path("a").write_text("old")

    def fill(file: IO[bytes]) -> None:
        file.write(bytes(100_000))
        file.flush()
        assert len(there()) == (2 if without or not hasattr(os, "O_TMPFILE") else 1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole("a", fill)
    assert there() == ["a"]
    assert Path("a").read_text() == "old"
    write("a")
    assert Path("a").read_bytes() == b"new" and there() == ["a"]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without names are of Linux")
def test_a_program_that_is_killed_leaves_nothing() -> None:
    script = """
import time
from loadpath.whole_file import write_whole
def fill(file):
    file.write(bytes(10**6))
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
write_whole("a", fill)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(signal.SIGKILL)
    assert there() == []


@pytest.mark.parametrize("save", ["csv", "npz", "report"])
def test_a_full_disk_leaves_the_old_file(motion: lp.Motion, save: str) -> None:
    """Files of this process may have 100 bytes."""
    import resource

    name = {"csv": "m.csv", "npz": "m.npz", "report": "r.html"}[save]
    Path(name).write_text("old")
    report = lp.catalog.planar(1).report(motion) if save == "report" else None
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            if report is not None:
                report.save(name)
            else:
                getattr(motion, f"to_{save}")(name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert caught.value.errno == errno.EFBIG
    assert Path(name).read_text() == "old" and there() == [name]


# What is no regular file


@pytest.mark.parametrize("save", ["csv", "npz", "report"])
def test_a_pipe_is_written_into(motion: lp.Motion, save: str) -> None:
    os.mkfifo("pipe")
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(Path("pipe").read_bytes()))
    reader.start()
    if save == "report":
        lp.catalog.planar(1).report(motion).save("pipe")
    else:
        getattr(motion, f"to_{save}")("pipe")
    reader.join()
    begin = {"csv": b"t,q.joint1", "npz": b"PK", "report": b"<!doctype html>"}[save]
    assert received[0].startswith(begin)
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    if save == "npz":
        Path("m.npz").write_bytes(received[0])
        assert len(lp.Motion.from_npz("m.npz")) == 5


def test_the_reader_of_a_pipe_may_leave() -> None:
    os.mkfifo("pipe")
    reader = threading.Thread(target=lambda: Path("pipe").open("rb").close())
    reader.start()

    def fill(file: IO[bytes]) -> None:
        reader.join()
        file.write(bytes(10**6))

    with pytest.raises(BrokenPipeError):
        write_whole("pipe", fill)


def test_a_device_is_written_into() -> None:
    before = Path("/dev/null").stat()
    write("/dev/null")
    after = Path("/dev/null").stat()
    assert (before.st_ino, before.st_mode, before.st_rdev) == (after.st_ino, after.st_mode, after.st_rdev)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write("/dev/full")
    assert caught.value.filename == "/dev/full"


@ROOT
def test_devices_stay_and_disks_are_refused() -> None:
    os.mknod("null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    os.mknod("disk", 0o600 | stat.S_IFBLK, os.makedev(7, 250))
    Path("link").symlink_to("null")
    try:
        write("link")
    except PermissionError:
        pytest.skip("this file system knows no devices")
    assert stat.S_ISCHR(Path("null").stat().st_mode) and Path("link").is_symlink()
    with pytest.raises(ValueError, match=r"'disk' is a disk \(a block device\)"):
        write("disk")
    assert stat.S_ISBLK(Path("disk").stat().st_mode) and len(there()) == 3


def test_folders_and_sockets_are_refused() -> None:
    Path("folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name, words in (("folder", "is a folder"), ("socket", "is a socket"), ("", "is empty")):
            with pytest.raises((ValueError, OSError), match=words):
                write(name)
            with pytest.raises((ValueError, OSError), match=words):
                check_writable(name)
    assert there() == ["folder", "socket"]


def test_a_file_that_is_protected_is_not_replaced() -> None:
    """As another user: root may write anything."""
    Path("a").write_text("old")
    Path("a").chmod(0o444)
    Path().chmod(0o777)
    script = """
import os
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
try:
    write_whole("a", lambda file: file.write(b"new"))
except PermissionError as problem:
    print(problem.filename)
    write_whole("b", lambda file: file.write(b"new"))  # the folder is writable, though not all above it
"""
    # Modules are imported before the change of user, who may not be able to read them.
    script = "from loadpath.whole_file import write_whole\n" + script
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "a\n"), done.stderr
    assert (Path("a").read_text(), Path("b").read_text()) == ("old", "new")


def test_standard_output_goes_on_where_it_is() -> None:
    """Opened anew, /dev/stdout would be written over from its beginning if it is a file."""
    script = """
import sys
from loadpath.whole_file import write_whole
print("before", flush=True)
write_whole("/dev/stdout", lambda file: file.write(b"middle\\n"))
print("after")
"""
    with Path("out").open("wb") as out:
        subprocess.run([sys.executable, "-c", script], stdout=out, check=True)
    assert Path("out").read_text() == "before\nmiddle\nafter\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "before\nmiddle\nafter\n"


# Names that promise something else


@pytest.mark.parametrize("name", ["r.docx", "r.html.gz", "r.txt"])
def test_a_report_is_not_written_as_something_else(motion: lp.Motion, name: str) -> None:
    report = lp.catalog.planar(1).report(motion)
    with pytest.raises(ValueError, match=r"written as HTML or PDF: expected a name that ends in \.html or \.pdf"):
        report.save(name)
    assert there() == []


@pytest.mark.parametrize(("kind", "name"), [("csv", "m.npz"), ("csv", "m.xlsx"), ("npz", "m.csv"), ("npz", "m.npy")])
def test_motions_are_not_written_as_something_else(motion: lp.Motion, kind: str, name: str) -> None:
    with pytest.raises(ValueError, match=f"but a motion is written as {kind.upper()} here: expected .* .{kind}"):
        getattr(motion, f"to_{kind}")(name)
    assert there() == []


def test_names_of_html_are_taken(motion: lp.Motion) -> None:
    report = lp.catalog.planar(1).report(motion)
    for name in ("a.html", "b.HTM", "c"):
        assert report.save(name) == Path(name)
    assert there() == ["a.html", "b.HTM", "c"]


def test_many_threads_write_one_file() -> None:
    """Whoever comes last wins, whole."""
    contents = [bytes([k]) * 300_000 for k in range(8)]
    threads = [threading.Thread(target=write, args=("a", content)) for content in contents]
    for thread in threads:
        thread.start()
    seen = set()
    deadline = time.monotonic() + 30
    while any(thread.is_alive() for thread in threads) and time.monotonic() < deadline:
        if Path("a").exists():
            content = Path("a").read_bytes()
            seen.add((len(content), len(set(content))))
    for thread in threads:
        thread.join()
    assert seen <= {(300_000, 1)}
    assert Path("a").read_bytes() in contents and there() == ["a"]
