"""From program to ufunc through the cache: compiled once, loaded ever after, recompiled whenever in doubt."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from programs import program

from loadpath.engine import build, cache, jit
from loadpath.engine.program import Operand, Program

INPUTS, OUTPUTS = (Operand("a", (2,)),), (Operand("x", ()),)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOADPATH_CACHE_DIR", str(tmp_path))
    return tmp_path


class Made:
    """Makes the program and counts how often."""

    def __init__(self, factor: float = 2.0) -> None:
        self.factor = factor
        self.times = 0

    def __call__(self) -> Program:
        self.times += 1
        return program("scaled", {"a": (2,)}, {"x": ()}, lambda a: [self.factor * a[0] + a[1]])


def built(make: Made, key: str = "key") -> np.ufunc:
    return build.load_or_compile(key, "scaled", INPUTS, OUTPUTS, make, "Scaled.").ufunc


@pytest.mark.usefixtures("folder")
def test_the_program_is_made_once() -> None:
    make = Made()
    for _ in range(3):
        assert_array_equal(built(make)([[1, 2], [3, 4]]), [4, 10])
    assert make.times == 1
    assert built(Made(5.0), "other key")([1, 1]) == 6


def test_damaged_files_are_recompiled(folder: Path) -> None:
    make = Made()
    built(make)
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-7])
    assert built(make)([1, 2]) == 4
    assert make.times == 2
    assert built(make)([1, 2]) == 4
    assert make.times == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("content", [b"", b"no object code at all", bytes(1000)])
def test_whole_files_of_nonsense_are_recompiled(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    make = Made()
    with monkeypatch.context() as patch:
        patch.setattr(cache, "read", lambda key: content)
        assert built(make)([1, 2]) == 4
    assert make.times == 1


@pytest.mark.usefixtures("folder")
def test_code_of_another_program_is_recompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    other = jit.compile_object("define void @other_f8() { ret void }")
    make = Made()
    with monkeypatch.context() as patch:
        patch.setattr(cache, "read", lambda key: other)
        assert built(make)([1, 2]) == 4


@pytest.mark.usefixtures("folder")
def test_another_machine_or_engine_means_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Made()
    built(make)
    for name, owner in (("host_key", jit), ("_engine_version", build)):
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
from loadpath.engine.build import load_or_compile
from loadpath.engine.program import Operand

def make():
    raise SystemExit("traced again")

scaled = load_or_compile("key", "scaled", (Operand("a", (2,)),), (Operand("x", ()),), make).ufunc
assert scaled(np.array([1.0, 2.0])) == 4
assert "casadi" not in sys.modules
"""


@pytest.mark.usefixtures("folder")
def test_another_process_loads_the_code_without_casadi(tmp_path: Path) -> None:
    built(Made())
    # The engine alone, without what `import loadpath` brings along.
    package = tmp_path / "alone" / "loadpath"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "engine").symlink_to(Path(build.__file__).parent)
    subprocess.run([sys.executable, "-c", SCRIPT], env={**os.environ, "PYTHONPATH": str(package.parent)}, check=True)


@pytest.mark.usefixtures("folder")
def test_threads_that_build_at_the_same_time() -> None:
    with ThreadPoolExecutor(8) as threads:
        ufuncs = list(threads.map(lambda k: built(Made(k % 4), f"key {k % 4}"), range(24)))
    assert [u([1.0, 0.0]) for u in ufuncs] == [k % 4 for k in range(24)]
