"""Object code in and out of memory."""

from __future__ import annotations

import ctypes

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
