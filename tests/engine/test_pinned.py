"""Operands that all states of a batch share are read once; that they are pinned changes no number, shared or not."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import casadi
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from programs import llvm_text, program, random_program, reference, ufunc
from test_plan import run

from loadpath.engine import jit
from loadpath.engine.identity import program_key
from loadpath.engine.llvm import emit as emit_module
from loadpath.engine.plan import plan
from loadpath.engine.program import Program
from loadpath.engine.tape import read_tape

WIDTHS = (2, 8)
WAYS = ("shared", "varying", "backwards", "every second")


@functools.cache
def designs() -> Program:
    """Two arrays of a design's numbers and one of states: what depends on the numbers alone is angles of angles,
    an output, and part of what states need.
    """

    def equations(numbers: Any, load: Any, q: Any) -> list[Any]:
        turned = casadi.sin(numbers[0]) * load[1]
        again = casadi.cos(turned + numbers[1]) / numbers[2]
        x, y = q[0], q[1]
        for k in range(6):
            x, y = y * again + numbers[k % 12] * casadi.sin(x), x - turned * y + load[k % 2] * q[2]
        return [casadi.vertcat(x, y, again, numbers[3], numbers[4] * load[0]), casadi.cos(numbers[0])]

    shapes = {"numbers": (3, 4), "load": (2,), "q": (3,)}
    return program("designs", shapes, {"x": (5,), "y": ()}, equations)


def pin(made: Program, *names: str) -> Program:
    return replace(made, inputs=tuple(replace(o, pinned=o.name in names) for o in made.inputs))


@functools.cache
def compiled(width: int) -> np.ufunc:
    return ufunc(pin(designs(), "numbers", "load"), width)


def arranged(array: np.ndarray, way: str) -> np.ndarray:
    """An array of states in memory, or one state of it for all."""
    if way == "shared":
        return np.broadcast_to(array[0], array.shape)
    if way == "backwards":
        return np.ascontiguousarray(array[::-1])[::-1]
    return np.repeat(array, 2, axis=0)[::2] if way == "every second" else array


def numbers(count: int, dtype: str = "f8") -> list[np.ndarray]:
    random = np.random.default_rng(count)
    return [random.uniform(0.5, 1.5, (count, *o.shape)).astype(dtype) for o in designs().inputs]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("first", WAYS)
@pytest.mark.parametrize("second", WAYS)
def test_any_strides(width: int, dtype: str, first: str, second: str) -> None:
    tolerance = 1e-12 if dtype == "f8" else 2e-5
    for count in (1, 2, width + 1, 2 * width, 5 * width + 3):
        given = numbers(count, dtype)
        given = [arranged(given[0], first), arranged(given[1], second), given[2]]
        expected = reference(designs(), *given)
        for result, right in zip(compiled(width)(*given), expected, strict=True):
            assert result.dtype == dtype
            assert_allclose(result, right, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("width", WIDTHS)
def test_pinned_or_not_is_the_same_to_the_last_bit(width: int) -> None:
    plain = ufunc(designs(), width)
    a, b, q = numbers(19)
    for given in ((a[0], b[0], q), (a, b, q), (a[0], b, q), (a[:, None], b[0], q[:7]), (a[3], b[3], q[3])):
        for result, right in zip(compiled(width)(*given), plain(*given), strict=True):
            assert_array_equal(result, right)


def test_long_programs_take_several_vectors_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ufunc(designs())
    monkeypatch.setattr(emit_module, "LONG_PROGRAM", 1)
    fast = ufunc(pin(designs(), "numbers", "load"))
    for count in (1, 9, 70):
        a, b, q = numbers(count)
        for given in ((a[0], b[0], q), (a, b[0], q), (a, b, q)):
            for result, right in zip(fast(*given), plain(*given), strict=True):
                assert_array_equal(result, right)


def test_no_state_and_no_number() -> None:
    x, y = compiled(8)(*numbers(0))
    assert (x.shape, y.shape) == ((0, 5), (0,))
    empty = program("none", {"a": (0,), "b": (2,)}, {"x": ()}, lambda a, b: [b[0] + b[1]])
    made = ufunc(pin(empty, "a"))
    assert_array_equal(made(np.empty((0,)), np.arange(10.0).reshape(5, 2)), [1, 5, 9, 13, 17])


def test_bad_numbers_of_a_state_that_is_not_there() -> None:
    """The first state's design is not that of the others: nothing of it may stay."""
    a, b, q = numbers(40)
    a[0] = np.nan
    x, y = compiled(jit.host_width())(a, b[0], q)
    assert np.isnan(y[0])
    assert np.isfinite(x[1:]).all()
    assert np.isfinite(y[1:]).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("chunk_length", [1, 7, 200])
def test_what_is_pinned_outlives_the_stages(seed: int, chunk_length: int) -> None:
    """A second state runs without the stages that depend on pinned inputs alone, on what the first left behind."""
    tape = read_tape(random_program(seed, 150, smooth=True))
    pinned = range(3, 8)
    planned = plan(tape, chunk_length, pinned)
    assert planned.first > 0
    random = np.random.default_rng(seed)
    state, other = random.uniform(-1, 1, (2, 8))
    other[3:] = state[3:]
    scratch: list[float] = []
    run(planned, list(state), scratch)
    kept = replace(planned, stages=planned.stages[planned.first :])
    again = [*other[:3], *scratch[3:]]
    assert run(kept, again, again) == run(planned, list(other))


def test_the_key_says_what_is_pinned() -> None:
    made = designs()
    keys = {program_key("f", made.tape, m.inputs, m.outputs) for m in (made, pin(made, "load"), pin(made, "numbers"))}
    assert len(keys) == 3


def test_what_is_not_pinned_is_as_before() -> None:
    assert "@prepare_" not in llvm_text(designs(), "f8", 2)[0]
