"""Code for float32 is made when it is first asked for, once; its results are those of code made at once."""

from __future__ import annotations

import ctypes
import gc
import math
import subprocess
import sys
import threading
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from programs import mixed, nothing_in_background, program, random_program, ufunc

from loadpath.engine import cache, float32, jit, kernels
from loadpath.engine.program import Operand, Program
from loadpath.engine.tape import read_tape
from loadpath.errors import CacheWarning

WORK = kernels.Work("scaled", "scaled", (Operand("a", (2,)),), (Operand("x", ()),), "Scaled.")
SINGLE = np.float32([[1, 2], [3, 4]])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No kernel is in memory or on disk from other tests, and none of theirs is being optimised."""
    nothing_in_background()
    monkeypatch.setattr(kernels, "_kept", type(kernels._kept)())
    monkeypatch.setenv("LOADPATH_CACHE_DIR", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that LLVM compiles."""
    texts: list[str] = []
    compile_object = jit.compile_object
    monkeypatch.setattr(jit, "compile_object", lambda text: texts.append(text) or compile_object(text))
    return texts


def scaled(key: str = "key") -> np.ufunc:
    kernels._kept.clear()
    return kernels.kernel(key, WORK, lambda: lambda a: 2.0 * a[0] + a[1]).ufunc


def of_program(made: Program) -> np.ufunc:
    work = kernels.Work(made.name, made.name, made.inputs, made.outputs)
    return kernels._kernel(kernels.machine_code(kernels.llvm_text(made), work.symbols, None), work)[0]


def states(made: Program, dtype: str) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.normal(size=(19, *operand.shape)).astype(dtype) for operand in made.inputs]


def test_it_is_compiled_when_it_is_first_called(compiled: list[str]) -> None:
    function = scaled()
    assert function.types == ["f->f", "d->d"]
    assert_array_equal(function([[1, 2], [3, 4]]), [4, 10])
    assert len(compiled) == 1 and "float" not in compiled[0].replace("float32", "")
    for _ in range(3):
        result = function(SINGLE)
        assert result.dtype == np.float32
        assert_array_equal(result, [4, 10])
    assert len(compiled) == 2 and "double" not in compiled[1]


@pytest.mark.parametrize("made", [mixed(), random_program(1, 900), random_program(2, 60, smooth=True)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_results_are_those_of_code_that_was_there_from_the_start(made: Program, dtype: str) -> None:
    later, at_once = of_program(made), ufunc(made)
    with np.errstate(all="ignore"):
        pairs = [function(*states(made, dtype)) for function in (later, at_once)]
    for found, expected in zip(*(pair if isinstance(pair, tuple) else (pair,) for pair in pairs), strict=True):
        assert found.dtype == np.dtype(dtype)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("seed", range(6))
def test_a_tape_is_the_same_after_it_was_packed(seed: int) -> None:
    tape = read_tape(random_program(seed, 300))
    tape.constants.update({10**6 + k: value for k, value in enumerate((-0.0, np.inf, -np.inf, 5e-324, -np.nan))})
    data = ctypes.create_string_buffer(float32.pack(tape))
    found = float32.unpack(ctypes.addressof(data))
    assert (found.inputs, found.operations, found.angles, found.outputs) == (
        tape.inputs, tape.operations, tape.angles, tape.outputs)
    assert [list(part) for part in (found.constants, found.operations, found.angles)] == [
        list(part) for part in (tape.constants, tape.operations, tape.angles)]
    assert np.array([*found.constants.values()]).tobytes() == np.array([*tape.constants.values()]).tobytes()


FRESH = """
import sys
import numpy as np
from loadpath.engine import jit, kernels
from loadpath.engine.program import Operand

def fail(*_):
    raise SystemExit("made again")

if sys.argv[1] == "compiled":
    jit.compile_object = fail
work = kernels.Work("scaled", "scaled", (Operand("a", (2,)),), (Operand("x", ()),))
scaled = kernels.kernel("key", work, fail).ufunc
assert scaled(np.array([1.0, 2.0])) == 4
assert scaled(np.array([[1.0, 2.0]], np.float32)).dtype == np.float32
assert "casadi" not in sys.modules
"""


def test_another_process_makes_it_without_tracing_and_the_next_one_finds_it() -> None:
    scaled()
    for told in ("not yet", "compiled"):
        subprocess.run([sys.executable, "-c", FRESH, told], check=True)


def test_damaged_code_is_recompiled(folder: Path, compiled: list[str]) -> None:
    scaled()
    before = set(folder.iterdir())
    scaled()(SINGLE)
    of_float32 = set(folder.iterdir()) - before
    assert len(of_float32) == 2 and len(compiled) == 2  # the code, and what leads to it
    for path in of_float32:
        path.write_bytes(path.read_bytes()[:-7])
        assert_array_equal(scaled()(SINGLE), [4, 10])
    assert len(compiled) == 3  # the code alone is needed, and found by its text
    assert_array_equal(scaled()(SINGLE), [4, 10])
    assert len(compiled) == 3


def test_without_a_cache_and_with_one_that_is_not_to_be_trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scaled()(SINGLE)
    folder.chmod(0o777)
    cache._warned.clear()
    with pytest.warns(CacheWarning):
        assert_array_equal(scaled()(SINGLE), [4, 10])
    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    assert_array_equal(scaled()(SINGLE), [4, 10])


@pytest.mark.parametrize("error", [MemoryError, RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("made", [mixed(), program("one", {"a": (2,)}, {"x": ()}, lambda a: [a[0] * a[1]])])
def test_an_error_arrives_and_the_next_call_tries_again(
    made: Program, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    function = of_program(made)

    def fail(text: str) -> bytes:
        raise error("no code today")

    with monkeypatch.context() as patch, warnings.catch_warnings():
        patch.setattr(jit, "compile_object", fail)
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(error, match="no code today"):
                function(*states(made, "f4"))
    assert function(*states(made, "f8")) is not None
    assert function(*states(made, "f4")) is not None


@pytest.mark.parametrize("in_main_thread", [True, False])
def test_floating_point_flags_are_those_of_the_loop(monkeypatch: pytest.MonkeyPatch, in_main_thread: bool) -> None:
    make = kernels._float32

    def making(*arguments: Any) -> Any:
        large = 1e308
        assert math.isnan(10 * large - 10 * large)  # Python's own numbers raise flags, and nobody reads them
        return make(*arguments)

    monkeypatch.setattr(kernels, "_float32", making)

    def check() -> None:
        with np.errstate(all="raise"):
            assert_array_equal(scaled()(SINGLE), [4, 10])
            with pytest.raises(FloatingPointError):
                scaled()(np.float32([3e38, 3e38]))  # in the first call
            with pytest.raises(FloatingPointError):  # in the conversion of the arguments, before the loop is made
                scaled()(np.array([1e300, 1.0]), dtype=np.float32, casting="unsafe")

    if in_main_thread:
        check()
    else:
        with ThreadPoolExecutor(1) as threads:
            threads.submit(check).result()


def test_threads_that_ask_at_once_make_it_once_and_agree(compiled: list[str]) -> None:
    function = scaled()
    start = threading.Barrier(8)

    def call(k: int) -> float:
        start.wait()
        return float(function(np.float32([k, 1])))

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(call, range(8))) == [2 * k + 1 for k in range(8)]
    assert len(compiled) == 2


def test_its_code_goes_with_the_ufunc(monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = []
    make = kernels._float32

    def noting(*arguments: Any) -> Any:
        library, symbol = make(*arguments)
        libraries.append(weakref.ref(library))
        return library, symbol

    monkeypatch.setattr(kernels, "_float32", noting)
    function = scaled()
    function(SINGLE)
    gc.collect()
    assert libraries[0]() is not None
    kernels._kept.clear()
    del function
    gc.collect()
    assert libraries[0]() is None


FORKED = """
import os, threading, time
import numpy as np, loadpath as lp
from loadpath.engine import jit
arm = lp.catalog.random_chain(4, 1)
q = np.full((3, arm.nq), 0.3, np.float32)
expected = arm.gravity_forces(q.astype(float))
original, reached = jit.compile_object, threading.Event()
def compiling(text):
    reached.set()
    time.sleep(0.2)
    return original(text)
jit.compile_object = compiling
thread = threading.Thread(target=arm.gravity_forces, args=(q,))
thread.start()
reached.wait()
child = os.fork()
if child == 0:
    os._exit(0 if np.allclose(arm.gravity_forces(q), expected, rtol=1e-4) else 1)
started = time.monotonic()
while True:
    done, status = os.waitpid(child, os.WNOHANG)
    if done or time.monotonic() - started > 60:
        break
    time.sleep(0.02)
if not done:
    os.kill(child, 9)
    os.waitpid(child, 0)
thread.join()
assert np.allclose(arm.gravity_forces(q), expected, rtol=1e-4)
print("hangs" if not done else os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_fork_while_another_thread_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


INTERRUPTED = """
import os, signal, time
import numpy as np, loadpath as lp
from loadpath.engine import jit
original = jit.compile_object
def compiling(text):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(6)
    return original(text)
for n in (3, 4):
    arm = lp.catalog.random_chain(n, 1)
    call = arm.gravity_forces if n == 3 else arm.gravity_forces.ufunc
    q = np.full((3, arm.nq), 0.3, np.float32)
    expected = call(q.astype(float))
    jit.compile_object, started = compiling, time.monotonic()
    try:
        call(q)
        print("not interrupted")
    except KeyboardInterrupt:
        print("interrupted" if time.monotonic() - started < 5.5 else "late")
    jit.compile_object = original
    assert np.allclose(call(q), expected, rtol=1e-4)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_is_answered_while_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADPATH_CACHE_DIR", "off")
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "interrupted\n" * 2
