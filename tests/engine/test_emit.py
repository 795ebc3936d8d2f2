"""The loops compute what CasADi computes, for any width, batch, stride and type, and touch nothing else."""

from __future__ import annotations

import ctypes
import mmap
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import casadi
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from programs import BINARY, UNARY, WIDTHS, apply, mixed, mixed_ufunc, program, random_program, reference, ufunc

import loadpath as lp
from loadpath.engine import jit
from loadpath.engine.llvm import emit as emit_module
from loadpath.engine.program import Operand
from loadpath.engine.tape import UnsupportedOperationError, read_tape
from loadpath.engine.trace import trace
from loadpath.scalars.recording import Recording

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 1e-300, 1e300, np.inf, -np.inf, np.nan, 0.3, 7.7, -7.7, 1e7]


def states(count: int, seed: int = 0, dtype: str = "f8") -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [random.normal(size=(count, *o.shape)).astype(dtype) for o in mixed().inputs]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", UNARY)
def test_each_operation_of_one_argument(name: str) -> None:
    made = program(f"one_{name}", {"a": ()}, {"x": ()}, lambda a: [apply(name, a)])
    compiled = ufunc(made)
    values = np.array(SPECIAL)
    assert_allclose(compiled(values), reference(made, values)[0], rtol=1e-14, atol=0)
    single = values.astype("f4")
    moderate = np.abs(values) < 100  # a tangent or a power of a huge number has no digits left in single precision
    assert_allclose(
        compiled(single)[moderate], reference(made, single)[0][moderate].astype("f4"), rtol=2e-6, atol=1e-37
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", BINARY)
def test_each_operation_of_two_arguments(name: str) -> None:
    made = program(f"two_{name}", {"a": (), "b": ()}, {"x": ()}, lambda a, b: [apply(name, a, b)])
    compiled = ufunc(made)
    a, b = (x.ravel() for x in np.meshgrid(SPECIAL, SPECIAL))
    assert_allclose(compiled(a, b), reference(made, a, b)[0], rtol=1e-14, atol=0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_constants_of_all_kinds() -> None:
    numbers = [0.0, -0.0, 0.1, -1e300, 5e-324, np.inf, -np.inf, np.nan]
    made = program("constants", {"a": ()}, {"x": (8,)}, lambda a: [casadi.vertcat(*numbers)])
    assert_array_equal(ufunc(made)(1.0), numbers)
    assert_array_equal(ufunc(made)(np.float32(1)), np.array(numbers).astype("f4"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(WIDTHS), st.integers(1, 60), st.integers(0, 20))
def test_random_programs(seed: int, width: int, length: int, count: int) -> None:
    made = random_program(seed, length)
    random = np.random.default_rng(seed)
    given_arrays = [np.round(random.normal(size=(count, *o.shape)), 2) for o in made.inputs]
    results = ufunc(made, width)(*given_arrays)
    for result, expected in zip(results, reference(made, *given_arrays), strict=True):
        # Fused products differ in the last digit; a comparison or a floor of such a number may differ in the first.
        exact = np.isclose(result, expected, rtol=1e-9, atol=1e-9, equal_nan=True)
        assert exact.mean() >= 0.9 if exact.size else True


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("length", [500, 1700])
def test_long_programs_of_many_chunks(width: int, dtype: str, length: int) -> None:
    made = random_program(length, length, smooth=True)
    assert (len(read_tape(made).operations) >= emit_module.LONG_PROGRAM) == (length == 1700)
    random = np.random.default_rng(1)
    given_arrays = [random.uniform(-1, 1, (41, *o.shape)).astype(dtype) for o in made.inputs]
    rtol = 1e-9 if dtype == "f8" else 1e-2
    for result, expected in zip(ufunc(made, width)(*given_arrays), reference(made, *given_arrays), strict=True):
        assert result.dtype == dtype
        assert_allclose(result, expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_every_tail(width: int, dtype: str) -> None:
    compiled = mixed_ufunc(width)
    lanes = width if dtype == "f8" else 2 * width
    expected = reference(mixed(), *states(2 * lanes + 1, dtype=dtype))
    tolerance = 1e-13 if dtype == "f8" else 2e-5
    for count in range(2 * lanes + 2):
        given_arrays = [a[:count] for a in states(2 * lanes + 1, dtype=dtype)]
        for result, whole in zip(compiled(*given_arrays), expected, strict=True):
            assert result.dtype == dtype
            assert_allclose(result, whole[:count], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_state_is_the_same_in_any_company(width: int) -> None:
    compiled = mixed_ufunc(width)
    given_arrays = states(19)
    together = compiled(*given_arrays)
    for row in range(19):
        for alone, whole in zip(compiled(*(a[row] for a in given_arrays)), together, strict=True):
            assert_array_equal(alone, whole[row])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_a_bad_number_harms_its_own_row_only(width: int, bad: float) -> None:
    compiled = mixed_ufunc(width)
    good = states(2 * width + 3)
    clean = compiled(*good)
    for row in range(len(good[0])):
        spoiled = [a.copy() for a in good]
        spoiled[3][row] = bad
        others = np.arange(len(good[0])) != row
        for result, whole in zip(compiled(*spoiled), clean, strict=True):
            assert_array_equal(result[others], whole[others])
        assert np.isnan(compiled(*spoiled)[2][row]) == (bad != 1e300)


def test_nan_raises_no_floating_point_exception() -> None:
    given_arrays = states(9)
    given_arrays[3][4] = np.nan
    with np.errstate(all="raise"):
        mixed_ufunc(jit.host_width())(*given_arrays)


def test_the_sign_of_nan_raises_none_either() -> None:
    """Friction asks for the sign of a speed."""
    arm = lp.catalog.random_chain(2, 1, drives=True)
    qd = np.ones((5, 2))
    qd[3, 0] = np.nan
    with np.errstate(all="raise"):
        tau = arm.inverse_dynamics(np.zeros((5, 2)), qd, np.zeros((5, 2)))
    assert np.isnan(tau[3]).any()
    assert np.isfinite(np.delete(tau, 3, 0)).all()


LAYOUTS = {
    "fortran": np.asfortranarray,
    "every other": lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim > 1 else np.repeat(a, 2)[::2],
    "backwards": lambda a: a[tuple([slice(None, None, -1)] * a.ndim)].copy()[tuple([slice(None, None, -1)] * a.ndim)],
    "one field of many": lambda a: np.stack([a, a + 1, a + 2], axis=-1)[..., 0],
    "axes exchanged": lambda a: (
        np.ascontiguousarray(np.moveaxis(a, 0, -1))
        if a.ndim < 2
        else np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 0, -1)), -1, 0)
    ),
    "misaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_of_inputs_and_outputs(width: int, layout: str) -> None:
    compiled = mixed_ufunc(width)
    plain = states(11)
    expected = compiled(*plain)
    laid = [LAYOUTS[layout](a) for a in plain]
    for result, whole in zip(compiled(*laid), expected, strict=True):
        assert_array_equal(result, whole)
    if layout not in ("misaligned", "other byte order"):
        out = tuple(LAYOUTS[layout](np.zeros_like(e)) for e in expected)
        assert compiled(*plain, out=out)[0] is out[0]
        for result, whole in zip(out, expected, strict=True):
            assert_array_equal(result, whole)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_rows_without_gaps_and_with_gaps(width: int, dtype: str) -> None:
    """Rows of some lengths are written as one run where they lie one behind the other."""
    counts = (1, 2, 3, 6, 8, 12, 36, 64, 136)
    made = program(f"rows_{width}", {"a": (136,)}, {f"x{count}": (count,) for count in counts},
                   lambda a: [a[:count] for count in counts])
    compiled = ufunc(made, width)
    for batch in (1, width, 2 * width, 5 * width + 1):
        rows = np.arange(136.0 * batch).reshape(batch, 136).astype(dtype)
        gaps = [np.full((batch, count + 3), -1.0, dtype) for count in counts]
        compiled(rows, out=tuple(array[:, 1:-2] for array in gaps))
        for count, dense, apart in zip(counts, compiled(rows), gaps, strict=True):
            assert_array_equal(dense, rows[:, :count], err_msg=str(count))
            assert_array_equal(apart[:, 1:-2], rows[:, :count], err_msg=str(count))
            assert (apart[:, 0] == -1.0).all() and (apart[:, -2:] == -1.0).all()


@pytest.mark.parametrize("width", WIDTHS)
def test_broadcasting(width: int) -> None:
    compiled = mixed_ufunc(width)
    a, b, c, s = states(3)
    results = compiled(a[:, None], b[0], np.broadcast_to(c[1], (5, 3)), s[0])
    for result, expected in zip(
        results, reference(mixed(), a[:, None], b[0], c[1][None].repeat(5, 0), s[0]), strict=True
    ):
        assert result.shape == expected.shape
        assert_allclose(result, expected, rtol=1e-13, atol=1e-13)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_views_of_any_stride(data: Any) -> None:
    compiled = mixed_ufunc(data.draw(st.sampled_from(WIDTHS)))
    count = data.draw(st.integers(0, 9))
    laid = []
    for operand in mixed().inputs:
        shape = (count, *operand.shape)
        steps = [data.draw(st.sampled_from([-3, -2, -1, 1, 2, 3])) for _ in shape]
        room = [max(size * abs(step), 1) for size, step in zip(shape, steps, strict=True)]
        whole = data.draw(arrays("f8", room, elements=st.floats(-3, 3, width=16)))
        view = whole[tuple(slice(None, None, step) for step in steps)][tuple(slice(size) for size in shape)]
        laid.append(view)
    plain = [np.ascontiguousarray(a) for a in laid]
    for result, whole in zip(compiled(*laid), compiled(*plain), strict=True):
        assert_array_equal(result, whole)


def test_out_that_overlaps_an_input() -> None:
    made = program("shift", {"a": (3,)}, {"x": (3,)}, lambda a: [casadi.vertcat(a[2] + a[0], a[1] * 2, a[0])])
    compiled = ufunc(made)
    memory = np.random.default_rng(0).normal(size=100)
    for shift in (0, 1, 3, 7):
        for step in (1, -1):
            block = memory.copy()
            source = block[:60].reshape(20, 3)[::step]
            target = block[shift : 60 + shift].reshape(20, 3)
            expected = compiled(source.copy())
            compiled(source, out=target)
            assert_array_equal(target, expected)


@pytest.mark.skipif(sys.platform != "linux", reason="guards pages through mprotect")
@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_nothing_outside_the_arrays_is_touched(at_end: bool, width: int, dtype: str) -> None:
    """Arrays that begin or end where the memory does: one byte too far and the process is gone."""
    compiled = mixed_ufunc(width)
    page = mmap.PAGESIZE
    mprotect = ctypes.CDLL(None).mprotect
    mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def guarded(shape: tuple[int, ...]) -> np.ndarray:
        memory = mmap.mmap(-1, 3 * page)
        block = np.frombuffer(memory, np.uint8)
        address = block.ctypes.data
        assert mprotect(address, page, 0) == 0
        assert mprotect(address + 2 * page, page, 0) == 0
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        start = 2 * page - size if at_end else page
        return block[start : start + size].view(dtype).reshape(shape)

    for count in (1, 2, 3, 5, 9, 17):
        plain = states(count, dtype=dtype)
        expected = compiled(*plain)
        inputs = [guarded(a.shape) for a in plain]
        for target, a in zip(inputs, plain, strict=True):
            target[...] = a
        outputs = tuple(guarded(e.shape) for e in expected)
        compiled(*inputs, out=outputs)
        for result, whole in zip(outputs, expected, strict=True):
            assert_array_equal(result, whole)


@pytest.mark.parametrize("width", WIDTHS)
def test_neighbours_of_the_output_keep_their_values(width: int) -> None:
    compiled = mixed_ufunc(width)
    given_arrays = states(7)
    expected = compiled(*given_arrays)
    wide = tuple(np.full((9, *(size + 2 for size in e.shape[1:])), 7.5) for e in expected)
    inside = tuple(w[(slice(1, 8), *[slice(1, -1)] * (w.ndim - 1))] for w in wide)
    compiled(*given_arrays, out=inside)
    for whole, part, e in zip(wide, inside, expected, strict=True):
        assert_array_equal(part, e)
        part[...] = 7.5
        assert (whole == 7.5).all()


def test_operands_without_entries() -> None:
    made = program("empty", {"a": (0,), "b": (2,)}, {"x": (0, 3), "y": ()}, lambda a, b: [casadi.SX(0, 1), b[0] + b[1]])
    x, y = ufunc(made)(np.empty((5, 0)), np.arange(10.0).reshape(5, 2))
    assert x.shape == (5, 0, 3)
    assert_array_equal(y, [1, 5, 9, 13, 17])
    with pytest.raises(ValueError, match="core dimension"):
        ufunc(made)(np.empty((5, 1)), np.zeros((5, 2)))


def test_unknown_operations_are_named() -> None:
    made = program("odd", {"a": ()}, {"x": ()}, lambda a: [casadi.erfinv(a)])
    with pytest.raises(UnsupportedOperationError, match="erfinv"):
        read_tape(made)


def test_a_value_of_elsewhere_is_refused() -> None:
    (free,) = Recording().inputs(1)
    with pytest.raises(ValueError, match="none of its inputs"):
        trace(lambda a: free, "free", [Operand("a", ())], [Operand("x", ())])


def test_scratch_memory_on_the_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emit_module, "STACK_BYTES", 0)
    for result, expected in zip(ufunc(mixed())(*states(9)), reference(mixed(), *states(9)), strict=True):
        assert_allclose(result, expected, rtol=1e-13, atol=1e-13)

    def without_memory(text: str) -> str:
        text = text.replace("declare ptr @loadpath_malloc(i64)", "define internal ptr @none(i64 %n) { ret ptr null }")
        return text.replace("@loadpath_malloc", "@none")

    starved = ufunc(mixed(), change=without_memory)
    with pytest.raises((MemoryError, SystemError)) as caught:
        starved(*states(9))
    assert isinstance(caught.value, MemoryError) or isinstance(caught.value.__cause__, MemoryError)


def test_many_threads() -> None:
    compiled = mixed_ufunc(jit.host_width())
    given_arrays = states(5000)
    expected = compiled(*given_arrays)
    with ThreadPoolExecutor(8) as threads:
        for results in threads.map(lambda _: compiled(*given_arrays), range(64)):
            for result, whole in zip(results, expected, strict=True):
                assert_array_equal(result, whole)
