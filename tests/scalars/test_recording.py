"""What is recorded is what was written: against floats, CasADi and differences in high precision."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import casadi
import numpy as np
import pytest

from loadpath.engine.program import Operand
from loadpath.engine.trace import again, trace
from loadpath.scalars import Array, array, atan2, cos, exp, sign, sin, sqrt
from loadpath.scalars.derivative import along, gradients
from loadpath.scalars.recording import Recorded, Recording, needed_for, replaced

STEPS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "over": lambda a, b: a / (b * b + 1.5),
    "under": lambda a, b: a * (1.0 / (b * b + 0.5)),
    "neg": lambda a, b: -a,
    "square": lambda a, b: a * a,
    "double": lambda a, b: a + a,
    "zero": lambda a, b: a * 0.0 + b,
    "one": lambda a, b: 1.0 * a - 0.0,
    "minus": lambda a, b: -1.0 * a - b,
    "number": lambda a, b: 3.0 * (a * -0.5),
    "shift": lambda a, b: 0.25 - a,
    "cancel": lambda a, b: (a - b) + b,
    "sin": lambda a, b: sin(a),
    "cos": lambda a, b: cos(-a),
    "sqrt": lambda a, b: sqrt(a * a + 1.0),
    "exp": lambda a, b: exp(-(a * a)),
    "atan2": lambda a, b: atan2(a, b * b + 0.5),
}
INPUTS = 4


def written(x: Any, seed: int, length: int = 60) -> list[Any]:
    """Random steps on scalars of any kind; sizes stay near one."""
    random = np.random.default_rng(seed)
    values: list[Any] = [*x, 0.0, 1.0, -2.0]
    for _ in range(length):
        name = str(random.choice(list(STEPS)))
        a, b = (values[int(k)] for k in random.integers(0, len(values), 2))
        value = STEPS[name](a, b)
        values.append(value if random.random() < 0.6 else sin(value))
    return values[-8:]


def recorded(seed: int) -> tuple[list[Recorded], list[Any]]:
    x = Recording().inputs(INPUTS)
    return x, written(x, seed)


def numbers(values: Any, x: list[Recorded], point: Array) -> np.ndarray:
    return np.array([float(value) for value in replaced(list(values), x, list(point))])


@pytest.mark.parametrize("seed", range(40))
def test_against_floats_and_casadi(seed: int) -> None:
    x, values = recorded(seed)
    point = np.random.default_rng(seed + 1000).normal(size=INPUTS)
    found = numbers(values, x, point)
    np.testing.assert_allclose(found, written(point, seed), rtol=1e-11, atol=1e-12)
    symbols = casadi.SX.sym("x", INPUTS)
    other = casadi.vertcat(*written(casadi.vertsplit(symbols), seed))
    slope = casadi.Function("f", [symbols], [other, casadi.jacobian(other, symbols)])
    right, right_slope = (np.array(part.full()) for part in slope(point))
    np.testing.assert_allclose(found, right.ravel(), rtol=1e-11, atol=1e-12)
    by_all = gradients(values, x)
    forward = along(values, x, array(np.eye(INPUTS).tolist()))
    for slopes in (by_all, forward):
        found_slope = numbers(slopes.ravel(), x, point).reshape(slopes.shape)
        np.testing.assert_allclose(found_slope, right_slope, rtol=1e-9, atol=1e-10)


def test_each_value_is_there_once() -> None:
    x, y = Recording().inputs(2)
    values = [sin(x) * y + 2.0, y * sin(x) + 2.0, (x + y) * (y + x)]
    assert values[0] is values[1]
    names = [value.name for value in needed_for(values)]
    assert names == ["input", "input", "sin", "mul", "number", "add", "add", "sq"]


def test_signs_are_drawn_out_and_differences_stay() -> None:
    x, y = Recording().inputs(2)
    assert (-x) * (-y) is x * y
    assert x + (-y) is x - y
    assert (-x) - y is -(x + y)
    assert (-(x - y)).name == "neg"  # b - a would be another value, and seven more additions in a real arm
    assert sin(-x) is -sin(x)
    assert sin(x) * sin(x) + cos(x) * cos(x) == 1.0


def test_zeros_of_both_signs_are_two_numbers() -> None:
    recording = Recording()
    assert recording.number(0.0) is not recording.number(-0.0)
    assert recording.number(0.5) is recording.number(0.5)


def test_a_value_has_no_truth() -> None:
    (x,) = Recording().inputs(1)
    with pytest.raises(TypeError, match="may not ask for the value"):
        bool(x)
    with pytest.raises(TypeError):
        x + "1"
    with pytest.raises(NotImplementedError, match="derivative of tan"):
        gradients([x.recording.operation("tan", x)], [x])
    assert gradients([sign(x)], [x])[0, 0] == 0.0


def test_polynomials_are_exact() -> None:
    """In fractions, derivative and all."""
    x, y = Recording().inputs(2)
    value = (x * x * y - 3.0 * y) * (x - y)
    by_x, by_y = gradients([value], [x, y])[0]
    a, b = Fraction(3, 7), Fraction(-5, 4)
    right = (2 * a * b * (a - b) + (a * a * b - 3 * b), (a * a - 3) * (a - b) - (a * a * b - 3 * b))
    found = [replaced([slope], [x, y], [float(a), float(b)])[0] for slope in (by_x, by_y)]
    np.testing.assert_allclose(found, [float(part) for part in right], rtol=1e-15)


def test_a_tape_is_recorded_again() -> None:
    def equations(q: Array) -> Array:
        return array([sin(q[0]) * q[1] + 2.0, q[1]])

    once = trace(equations, "f", [Operand("q", (2,))], [Operand("y", (2,))])
    twice = trace(lambda q: array(again(once.tape, q)), "f", [Operand("q", (2,))], [Operand("y", (2,))])
    assert once == twice
