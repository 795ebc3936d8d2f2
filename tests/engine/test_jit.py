"""Object code in and out of memory."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from loadpath.engine import jit


def test_missing_functions_are_named() -> None:
    code = jit.compile_object("define i32 @one() { ret i32 1 }")
    with pytest.raises(KeyError, match="two"):
        jit.load_object(code, "one").address("two")
    with pytest.raises(RuntimeError, match="two"):
        jit.load_object(code, "one", "two")


def test_wrong_text_and_wrong_objects_are_errors() -> None:
    with pytest.raises(RuntimeError):
        jit.compile_object("define nonsense")
    with pytest.raises(RuntimeError):
        jit.load_object(b"nonsense")


def test_the_c_library_is_found() -> None:
    text = """
declare double @loadpath_erf(double)
@at = internal constant ptr @loadpath_erf
define double @f(double %x) {
  %function = load ptr, ptr @at
  %y = call double %function(double %x)
  ret double %y
}
"""
    library = jit.load_object(jit.compile_object(text), "f")
    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(library.address("f"))
    assert function(0.5) == pytest.approx(0.5204998778130465, rel=1e-15)


def test_the_key_names_the_machine() -> None:
    key = jit.host_key()
    assert "llvm" in key
    assert jit._host()[1] in key
    assert key == jit.host_key()


@pytest.mark.parametrize(
    ("features", "width"),
    [(["+avx", "+avx2", "+avx512f"], 8), (["+avx", "-avx512f"], 4), (["+sse2"], 2), (["+neon"], 2)],
)
def test_width_by_features(monkeypatch: pytest.MonkeyPatch, features: list[str], width: int) -> None:
    monkeypatch.setattr(jit, "_host", lambda: ("x86_64-linux", "some", features))
    assert jit.host_width() == width


def test_a_process_ends_without_a_word() -> None:
    """Compiled code is let go at the end, when LLVM may be gone already."""
    script = "import loadpath as lp; arm = lp.catalog.planar(1); arm.gravity_forces([0.0]); arm.mass_matrix([0.0])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_code_that_is_let_go_while_llvm_is_busy_does_not_wait() -> None:
    library = jit.load_object(jit.compile_object("define void @f() { ret void }"), "f")
    taken, go_on = threading.Event(), threading.Event()

    def keep_busy() -> None:
        with jit.lock:
            taken.set()
            go_on.wait(10)

    thread = threading.Thread(target=keep_busy)
    thread.start()
    taken.wait()
    del library
    gc.collect()
    assert len(jit._abandoned) == 1
    go_on.set()
    thread.join()
    jit.load_object(jit.compile_object("define void @g() { ret void }"), "g")
    assert not jit._abandoned


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_compiling_keeps_no_memory() -> None:
    """Passes of what is inlined are released (llvmlite's own close leaves a fifth of a MB), and constants go too."""

    def megabytes() -> float:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def compiled(number: int) -> None:
        one = f"define internal double @one(double %x) alwaysinline {{ %y = fmul double %x, {number}.5 ret double %y }}"
        jit.compile_object(f"{one} define double @two(double %x) {{ %y = call double @one(double %x) ret double %y }}")

    for number in range(20):
        compiled(number)
    before = megabytes()
    for number in range(300):
        compiled(number)
    assert megabytes() - before < 5.0
