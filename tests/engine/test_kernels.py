"""From program to ufunc through the cache: compiled once, loaded ever after, recompiled whenever in doubt."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from programs import nothing_in_background

from loadpath import _sources
from loadpath.engine import cache, jit, kernels
from loadpath.engine.program import Operand

WORK = kernels.Work("scaled", "scaled", (Operand("a", (2,)),), (Operand("x", ()),), "Scaled.")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No kernel is in memory from other tests, and none on disk from other tests or an earlier run; none of theirs is
    being optimised.
    """
    nothing_in_background()
    monkeypatch.setattr(kernels, "_kept", type(kernels._kept)())
    monkeypatch.setenv("LOADPATH_CACHE_DIR", str(tmp_path))
    return tmp_path


class Made:
    """Makes the equations and counts how often."""

    def __init__(self, factor: float = 2.0) -> None:
        self.factor = factor
        self.times = 0

    def __call__(self) -> kernels.Equations:
        self.times += 1
        return lambda a: self.factor * a[0] + a[1]


def built(make: Made, key: str | None = "key", *, from_memory: bool = False) -> np.ufunc:
    if not from_memory:
        kernels._kept.clear()
    return kernels.kernel(key, WORK, make).ufunc


def only_found_by_its_text(folder: Path) -> bool:
    """Whether the one file is the code, right whatever the sources were; no quick key of sources leads to it."""
    (path,) = folder.iterdir()
    return path.stat().st_size > 1000


def test_the_program_is_made_once() -> None:
    make = Made()
    for _ in range(3):
        assert_array_equal(built(make)([[1, 2], [3, 4]]), [4, 10])
    assert make.times == 1
    assert built(Made(5.0), "other key")([1, 1]) == 6


def test_damaged_files_are_recompiled(folder: Path) -> None:
    make = Made()
    built(make)
    for times, path in enumerate(folder.iterdir(), start=2):  # the code, and what leads to it
        path.write_bytes(path.read_bytes()[:-7])
        assert built(make)([1, 2]) == 4
        assert make.times == times
        assert built(make)([1, 2]) == 4
        assert make.times == times


def test_sources_that_leave_the_program_as_it_was_compile_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    make, compiled = Made(), []
    compile_object = jit.compile_object
    monkeypatch.setattr(jit, "compile_object", lambda text: compiled.append(text) or compile_object(text))
    built(make)
    monkeypatch.setattr(kernels, "_library", lambda: "the sources with a changed docstring")
    assert built(make)([1, 2]) == 4
    assert (make.times, len(compiled)) == (2, 1)
    assert built(Made(3.0), "another key")([1, 2]) == 5  # another text
    assert len(compiled) == 2


OF_CHANGED_SOURCES = """
import sys
import numpy as np, loadpath as lp
from loadpath.engine import jit
assert lp.__file__.startswith(sys.argv[1]), lp.__file__
compiled, compile_object = [], jit.compile_object
jit.compile_object = lambda text: compiled.append(text) or compile_object(text)
arm = lp.catalog.planar(2)
q = np.array([0.1, 0.2])
arm.inverse_dynamics(q, q, q), arm.link_poses(q), arm.gravity_forces(q.astype(np.float32))
print(len(compiled))
"""


def test_a_changed_docstring_compiles_nothing(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """In a copy of the whole library, with the words of every file changed that is on the way from arm to kernel."""
    sources = tmp_path_factory.mktemp("library")
    shutil.copytree(_sources.PACKAGE, sources / "loadpath", ignore=shutil.ignore_patterns("__pycache__"))

    def compiled() -> int:
        done = subprocess.run([sys.executable, "-c", OF_CHANGED_SOURCES, str(sources)], check=True, text=True,
                              capture_output=True, env={**os.environ, "PYTHONPATH": str(sources)})
        return int(done.stdout)

    assert compiled() == 4  # float32, too
    for room in ("engine", "algorithms", "formulations", "mechanics", "robot", "scalars"):
        for path in (sources / "loadpath" / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace('"""', '"""In other words,\n\nand on other lines. ', 1), encoding="utf-8")
    assert compiled() == 0
    assert len(list(folder.iterdir())) == 12  # four programs, and what leads to each from the sources before and after


@pytest.mark.parametrize("content", [b"", b"no object code at all", bytes(1000)])
def test_whole_files_of_nonsense_are_recompiled(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    make = Made()
    with monkeypatch.context() as patch:
        patch.setattr(cache, "read", lambda key: content)
        assert built(make)([1, 2]) == 4
    assert make.times == 1


def test_code_of_another_program_is_recompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    other = jit.compile_object("define void @other_f8() { ret void }")
    make = Made()
    with monkeypatch.context() as patch:
        patch.setattr(cache, "read", lambda key: other)
        assert built(make)([1, 2]) == 4


def test_another_machine_or_engine_means_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Made()
    built(make)
    for name, owner in (("host_key", jit), ("_library", kernels)):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, lambda: "another")
            built(make)
    assert make.times == 3
    built(make)
    assert make.times == 3


def test_without_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    make = Made()
    assert built(make)([1, 2]) == 4
    assert built(make)([1, 2]) == 4
    assert make.times == 2


SCRIPT = """
import sys
import numpy as np
from loadpath.engine import kernels
from loadpath.engine.program import Operand

def make():
    raise SystemExit("traced again")

work = kernels.Work("scaled", "scaled", (Operand("a", (2,)),), (Operand("x", ()),))
scaled = kernels.kernel("key", work, make).ufunc
assert scaled(np.array([1.0, 2.0])) == 4
assert "loadpath.engine.llvm.emit" not in sys.modules
"""


def test_another_process_loads_the_code_without_tracing() -> None:
    built(Made())
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)


def test_threads_that_build_at_the_same_time() -> None:
    with ThreadPoolExecutor(8) as threads:
        ufuncs = list(threads.map(lambda k: built(Made(k % 4), f"key {k % 4}", from_memory=True), range(24)))
    assert [u([1.0, 0.0]) for u in ufuncs] == [k % 4 for k in range(24)]


def test_the_program_is_the_key_where_there_is_no_other(folder: Path) -> None:
    """Equal programs share code, in memory and on disk, whoever made them; others never meet."""
    make = Made(2.0)
    first = built(make, None)
    assert built(Made(2.0), None, from_memory=True) is first
    assert built(Made(3.0), None, from_memory=True)([1, 2]) == 5
    assert len(list(folder.iterdir())) == 4  # code, and the key that leads to it, of two programs
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    assert built(Made(2.0), None)([1, 2]) == 4  # from disk
    assert {path.name: path.stat().st_ino for path in folder.iterdir()} == before


def test_what_was_used_longest_ago_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    monkeypatch.setattr(kernels, "MOST_KEPT", 2)
    make = Made()
    a = built(make, "a", from_memory=True)
    built(make, "b", from_memory=True)
    assert built(make, "a", from_memory=True) is a
    built(make, "c", from_memory=True)
    assert list(kernels._kept) == ["a", "c"]
    assert make.times == 3


def test_after_a_failure_the_next_call_tries_again() -> None:
    def fail() -> kernels.Equations:
        raise ValueError("these equations cannot be traced")

    for _ in range(2):
        with pytest.raises(ValueError, match="cannot be traced"):
            kernels.kernel("key", WORK, fail)
    assert built(Made())([1, 2]) == 4


def test_an_error_of_the_compiler_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")

    def fail(text: str) -> bytes:
        raise RuntimeError("LLVM does not like it")

    with monkeypatch.context() as patch:
        patch.setattr(jit, "compile_object", fail)
        with pytest.raises(RuntimeError, match="does not like it"):
            built(Made())
    assert built(Made())([1, 2]) == 4


def test_without_threads_it_is_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert built(Made())([1, 2]) == 4


def test_a_waiting_thread_makes_it_itself_if_the_first_one_fails() -> None:
    entered, go_on = threading.Event(), threading.Event()

    def fail() -> kernels.Equations:
        entered.set()
        go_on.wait(10)
        raise KeyboardInterrupt

    def first() -> None:
        with pytest.raises(KeyboardInterrupt):
            kernels.kernel("shared", WORK, fail)

    with ThreadPoolExecutor(2) as threads:
        failing = threads.submit(first)
        assert entered.wait(10)
        make = Made()
        waiting = threads.submit(kernels.kernel, "shared", WORK, make)
        time.sleep(0.1)
        assert make.times == 0
        go_on.set()
        failing.result()
        assert waiting.result().ufunc([1, 2]) == 4
    assert make.times == 1


def test_threads_that_need_the_same_one_make_it_once() -> None:
    make = Made()
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: kernels.kernel("one", WORK, make), range(8)))
    assert make.times == 1
    assert all(one is found[0] for one in found)


def test_programs_with_the_same_constants_and_other_operations_differ() -> None:
    programs = ((lambda a: a[0] * a[1], 6.0), (lambda a: a[0] + a[1], 5.0), (lambda a: a[1] - a[0], 1.0))
    for equations, expected in programs:
        assert kernels.kernel(None, WORK, lambda equations=equations: equations).ufunc([2, 3]) == expected


def test_files_that_change_while_something_is_compiled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [True, False]  # before compiling, and after
    monkeypatch.setattr(_sources, "unchanged", lambda **_: answers.pop(0))
    assert built(Made())([1, 2]) == 4
    assert not answers
    assert only_found_by_its_text(folder)


def test_any_change_of_a_source_file_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of the same length, another time of the same content, a file more, a file less."""
    package = tmp_path / "package"
    (package / "room").mkdir(parents=True)
    (package / "__pycache__").mkdir()
    source, inner = package / "equations.py", package / "room" / "more.py"
    source.write_text("tau = a + b\n")
    inner.write_text("")
    monkeypatch.setattr(_sources, "PACKAGE", str(package))
    monkeypatch.setattr(_sources, "AT_IMPORT", _sources.stamps())
    assert _sources.unchanged()
    assert len(_sources.AT_IMPORT) == 2
    (package / "__pycache__" / "equations.py").write_text("")  # is nobody's source
    (package / "notes.txt").write_text("")
    assert _sources.unchanged()
    before = source.stat()
    source.write_text("tau = a - b\n")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert not _sources.unchanged()
    source.write_text("tau = a - b - c\n")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not _sources.unchanged()
    source.write_text("tau = a + b\n")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert _sources.unchanged()
    (package / "room" / "new.py").write_text("")
    assert not _sources.unchanged()
    (package / "room" / "new.py").unlink()
    inner.unlink()
    assert not _sources.unchanged()


def test_files_that_were_just_looked_at_are_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the answer must be of now, as it must before a key of these files is written."""
    looks: list[int] = []
    monkeypatch.setattr(_sources, "_seen_unchanged", -math.inf)
    monkeypatch.setattr(_sources, "_readable_stamps", lambda: looks.append(1) or _sources.AT_IMPORT)
    for within, expected in ((60.0, 1), (60.0, 1), (0.0, 2), (60.0, 2), (0.0, 3)):
        assert _sources.unchanged(within)
        assert len(looks) == expected
    monkeypatch.setattr(_sources, "_readable_stamps", lambda: looks.append(1) or {})
    assert _sources.unchanged(60.0)
    assert not _sources.unchanged()
    assert not _sources.unchanged(60.0)


def test_a_package_without_files_keeps_code_by_its_text_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an archive, where there are no sources to make a quick key of."""
    monkeypatch.setattr(_sources, "AT_IMPORT", {})
    assert not _sources.unchanged()
    monkeypatch.setattr(kernels, "_library", lambda: None)
    assert built(Made())([1, 2]) == 4
    assert only_found_by_its_text(folder)
