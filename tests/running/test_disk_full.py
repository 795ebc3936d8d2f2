"""A disk without room: results are right, nothing half-written stays, the old file is kept, one line says why."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and devices of Linux")

# No file may grow beyond some bytes: what the system says then is what it says of a full disk, but for the number.
LIMITED = """
import resource, sys, warnings
import numpy as np
import loadpath as lp
lp.catalog.planar(1)
from loadpath.cli.app import app
{before}
sys.dont_write_bytecode = True  # it would be half a file, for every process after this one
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
{work}
"""

COMPUTES = """
arm = lp.catalog.planar(2, length=0.61)
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    found = arm.gravity_forces([0.0, 0.0])
print(np.allclose(found, [9.81 * 1.22, 9.81 * 0.305]), len(warned))
"""


@pytest.mark.parametrize("size", [0, 4096])
def test_the_cache_cannot_grow(tmp_path: Path, size: int) -> None:
    """Computed without it; no half of a file stays there."""
    folder = tmp_path / "cache"
    found = run(LIMITED.format(size=size, work=COMPUTES, before=""), cache=str(folder))
    assert found.split()[0] == "True"
    assert not list(folder.iterdir())
    assert run(LIMITED.format(size=10**9, work=COMPUTES, before=""), cache=str(folder)).split()[0] == "True"
    assert len(list(folder.iterdir())) == 2  # the code, and the quick key that leads to it


WRITES = """
arm = lp.catalog.planar(2)
motion = lp.Motion.swing(arm, 201)
report = arm.report(motion)
for write in (motion.to_csv, motion.to_npz, report.save):
    name = f"{folder}/{{write.__name__}}" + (".html" if write.__name__ == "save" else "." + write.__name__[3:])
    open(name, "w").write("old") if {old} else None
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
for write in (motion.to_csv, motion.to_npz, report.save):
    name = f"{folder}/{{write.__name__}}" + (".html" if write.__name__ == "save" else "." + write.__name__[3:])
    try:
        write(name)
        print("written")
    except OSError as problem:
        print(type(problem).__name__, name in str(problem))
"""


@pytest.mark.parametrize("old", [True, False])
def test_files_are_written_whole_or_not_at_all(tmp_path: Path, old: bool) -> None:
    script = WRITES.replace("{old}", str(old)).replace("{folder}", str(tmp_path)).replace("{{", "{").replace("}}", "}")
    found = run(LIMITED.replace("{size}", "10**9").replace("{before}", "").replace("{work}", script))
    assert found == "OSError True\n" * 3, found
    left = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert left == ({"to_csv.csv": "old", "to_npz.npz": "old", "save.html": "old"} if old else {})


def command(*arguments: str, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    code = "import sys; from loadpath.cli.app import app; app()"
    if limit is not None:
        limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}));"
        code = f"import sys; sys.dont_write_bytecode = True; {limited} {code}"
    environment = {**os.environ, "LOADPATH_CACHE_DIR": "off"}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=300,
    )


def test_a_report_from_the_command_line(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    target.write_text("old")
    done = command("report", "two_link", "-o", str(target), limit=3000)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert str(target) in done.stderr.replace("\n", "")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [("report", "two_link", "-o", "/dev/full"), ("info", "two_link")])
def test_a_device_that_is_always_full(arguments: tuple[str, ...]) -> None:
    """Written into directly, and as standard output."""
    code = "import sys; from loadpath.cli.app import app; app()"
    environment = {**os.environ, "LOADPATH_CACHE_DIR": "off"}
    with Path("/dev/full").open("w") as full:
        out = full if "-o" not in arguments else subprocess.PIPE
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment,
            timeout=300,
        )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr, done.stderr
    assert Path("/dev/full").is_char_device()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 100 kB, where one may be mounted: as root."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = (
        shutil.which("mount")
        and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=100k,mode=700", "tmpfs", str(place)], capture_output=True, check=False
        ).returncode
        == 0
    )
    if not mounted:
        pytest.skip("no file system can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=False, capture_output=True)


def test_a_small_file_system_that_is_full(small_disk: Path) -> None:
    """The cache fills it, then goes without; a report does not fit and leaves nothing."""
    script = """
import loadpath as lp, numpy as np
for k in range(12):
    length = 0.5 + 0.01 * k
    found = lp.catalog.planar(2, length=length).gravity_forces([0.0, 0.0])
    assert np.allclose(found, [9.81 * 2 * length, 9.81 * length / 2])
print("right")
"""
    folder = small_disk / "cache"
    assert run(script, cache=str(folder)) == "right\n"
    assert not list(folder.glob("*.tmp"))
    assert run(script, cache=str(folder)) == "right\n"
    done = command("report", "two_link", "-o", str(small_disk / "r.html"))
    assert done.returncode != 0
    assert "No space left" in done.stderr
    assert not (small_disk / "r.html").exists()
