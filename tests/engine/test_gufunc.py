"""The ufunc behaves as NumPy's own, and lives as long as anybody holds it."""

from __future__ import annotations

import gc
import sys
import weakref

import casadi
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from programs import llvm_text, program, ufunc

from loadpath.engine import gufunc, jit

DOT = program("dot", {"a": (3,), "b": (3,)}, {"x": ()}, lambda a, b: [casadi.dot(a, b)])


def test_types() -> None:
    dot = ufunc(DOT)
    assert dot.types == ["ff->f", "dd->d"]
    ones = np.ones((2, 3))
    assert dot(ones.astype("f4"), ones.astype("f4")).dtype == "f4"
    assert dot(ones.astype("f4"), ones).dtype == "f8"
    assert dot(ones.astype(int), [1, 2, 3]).dtype == "f8"
    assert dot(ones, ones, dtype="f4").dtype == "f4"
    with pytest.raises(TypeError):
        dot(ones.astype(complex), ones)


def test_wrong_sizes_are_refused() -> None:
    dot = ufunc(DOT)
    assert dot.signature == "(3),(3)->()"
    with pytest.raises(ValueError, match="size 4 is different from 3"):
        dot(np.ones(4), np.ones(3))
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        dot(1.0, np.ones(3))


def test_empty_batch_name_and_documentation() -> None:
    dot = ufunc(DOT)
    assert dot(np.ones((0, 3)), np.ones(3)).shape == (0,)
    assert dot.__name__ == "dot"
    assert dot.__doc__ is not None
    assert "A test." in dot.__doc__


def test_axes_and_where_numpy_knows_them() -> None:
    dot = ufunc(DOT)
    a = np.arange(12.0).reshape(3, 4)
    assert_array_equal(dot(a, a, axes=[0, 0, ()]), (a * a).sum(0))


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="counts references")
def test_code_lives_as_long_as_the_ufunc() -> None:
    library = jit.load_object(jit.compile_object(llvm_text(DOT, "f8", 2)[0]), "dot_f8")
    alive = weakref.ref(library)
    loops = {"f8": library.address("dot_f8")}
    dot = gufunc.make_ufunc("dot", "", loops, [(3,), (3,)], [()], owner=library)
    del library, loops
    gc.collect()
    assert alive() is not None
    assert dot([1, 2, 3], [4, 5, 6]) == 32
    del dot
    gc.collect()
    assert alive() is None


def test_a_numpy_with_another_layout_keeps_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[object] = []
    monkeypatch.setattr(gufunc, "_kept_forever", kept)
    monkeypatch.setattr(gufunc, "_understands", lambda *_: False)
    dot = ufunc(DOT)
    assert len(kept) == 1
    assert dot([1, 2, 3], [4, 5, 6]) == 32


def test_many_ufuncs_come_and_go() -> None:
    code = jit.compile_object(llvm_text(DOT, "f8", 2)[0])
    for _ in range(200):
        library = jit.load_object(code, "dot_f8")
        loops = {"f8": library.address("dot_f8")}
        dot = gufunc.make_ufunc("dot", "", loops, [(3,), (3,)], [()], owner=library)
        assert dot([1, 2, 3], [4, 5, 6]) == 32
