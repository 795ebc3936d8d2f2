"""The counting scalar: what costs, what is free, and that its values are those of floats."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadpath.scalars import Counter, OperationCount, cos, sign, sin, sqrt

COSTS: list[tuple[str, Callable[..., object], tuple[int, int, int, int]]] = [
    ("x * y", lambda x, y: x * y, (1, 0, 0, 0)),
    ("x * 2", lambda x, y: x * 2.0, (1, 0, 0, 0)),
    ("2 * x", lambda x, y: 2.0 * x, (1, 0, 0, 0)),
    ("x + y", lambda x, y: x + y, (0, 1, 0, 0)),
    ("x - y", lambda x, y: x - y, (0, 1, 0, 0)),
    ("x + 2", lambda x, y: x + 2.0, (0, 1, 0, 0)),
    ("2 - x", lambda x, y: 2.0 - x, (0, 1, 0, 0)),
    ("x / y", lambda x, y: x / y, (0, 0, 1, 0)),
    ("1 / x", lambda x, y: 1.0 / x, (0, 0, 1, 0)),
    ("x * 0", lambda x, y: x * 0.0, (0, 0, 0, 0)),
    ("0 * x", lambda x, y: 0 * x, (0, 0, 0, 0)),
    ("x * 1", lambda x, y: x * 1.0, (0, 0, 0, 0)),
    ("-1 * x", lambda x, y: -1.0 * x, (0, 0, 0, 0)),
    ("x + 0", lambda x, y: x + 0.0, (0, 0, 0, 0)),
    ("0 + x", lambda x, y: 0.0 + x, (0, 0, 0, 0)),
    ("x - 0", lambda x, y: x - 0.0, (0, 0, 0, 0)),
    ("0 - x", lambda x, y: 0.0 - x, (0, 0, 0, 0)),
    ("-x", lambda x, y: -x, (0, 0, 0, 0)),
    ("+x", lambda x, y: +x, (0, 0, 0, 0)),
    ("x / -1", lambda x, y: x / -1.0, (0, 0, 0, 0)),
    ("0 / x", lambda x, y: 0.0 / x, (0, 0, 0, 0)),
    ("sin x", lambda x, y: sin(x), (0, 0, 0, 1)),
    ("cos x", lambda x, y: cos(x), (0, 0, 0, 1)),
    ("sqrt x", lambda x, y: sqrt(x), (0, 0, 0, 1)),
    ("sign x", lambda x, y: sign(x), (0, 0, 0, 0)),
    ("x - x", lambda x, y: x - x, (0, 1, 0, 0)),  # general, though it is zero
    ("x (y - y)", lambda x, y: x * (y - y), (1, 1, 0, 0)),
    ("sum of two", lambda x, y: sum([x, y]), (0, 1, 0, 0)),  # sum() starts from 0
]


@pytest.mark.parametrize(("term", "cost"), [entry[1:] for entry in COSTS], ids=[entry[0] for entry in COSTS])
def test_what_an_operation_costs(term: Callable[..., object], cost: tuple[int, int, int, int]) -> None:
    counter = Counter()
    value = term(counter.scalar(0.7), counter.scalar(1.3))
    assert counter.count == OperationCount(*cost)
    assert float(value) == pytest.approx(float(term(0.7, 1.3)), abs=0)


def test_an_input_that_happens_to_be_zero_or_one_counts_as_general() -> None:
    counter = Counter()
    zero, one = counter.scalar(0.0), counter.scalar(1.0)
    assert float(zero * one + zero) == 0.0
    assert counter.count == OperationCount(multiplications=1, additions=1)


def test_counters_are_told_apart() -> None:
    first, second = Counter(), Counter()
    _ = first.scalar(1.0) * 2.0
    assert (first.multiplications, second.multiplications) == (1, 0)


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_values_are_those_of_floats(a: float, b: float) -> None:
    counter = Counter()

    def term(x: object, y: object) -> object:
        return (x * y - 3.0 * sin(x) + cos(y)) * (x - 2.0) + sqrt(x * x + 1.0) - sign(y) / (y * y + 1.0)

    assert float(term(counter.scalar(a), counter.scalar(b))) == float(term(a, b))
    assert counter.count == OperationCount(5, 7, 1, 3)


def test_counts_print_what_there_is() -> None:
    assert str(OperationCount(3, 2)) == "3 multiplications, 2 additions"
    assert str(OperationCount(3, 2, 1, 4)) == "3 multiplications, 2 additions, 1 divisions, 4 functions"


def test_square_root_of_a_negative_number_is_an_error_as_with_floats() -> None:
    with pytest.raises(ValueError):
        sqrt(Counter().scalar(-1.0))
    with pytest.raises(ValueError):
        math.sqrt(-1.0)
