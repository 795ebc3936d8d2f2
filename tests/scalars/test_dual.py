"""Derivatives carried through: against SymPy's, on floats, batches and symbols."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
import sympy

from loadpath.scalars import Counter, cos, sin, sqrt
from loadpath.scalars.dual import Dual, partial_of, value_of

FUNCTIONS = {
    "polynomial": lambda x, y: 3.0 * x * x * y - y * 2.0 + 1.0 - x,
    "quotient": lambda x, y: (x + 1.0) / (y * y + 2.0) - 1.5 / x + x / 4.0,
    "trigonometric": lambda x, y: sin(x * y) * cos(y) - (-cos(x)),
    "root": lambda x, y: sqrt(x * x + y * y) * (+y),
    "zeros and ones": lambda x, y: 0.0 * x + 1.0 * y + 0.0 - (2.0 - x),
}
X, Y = 0.7, 1.3


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name: str) -> None:
    f = FUNCTIONS[name]
    x, y = sympy.symbols("x y")
    expression = sympy.sympify(f(x, y))
    expected = [float(e.subs({x: X, y: Y})) for e in (expression, expression.diff(x), expression.diff(y))]

    def parts(x_value: object, y_value: object) -> list:
        z = f(Dual(x_value, {0: 1.0}), Dual(y_value, {1: 1.0}))
        return [value_of(z), partial_of(z, 0), partial_of(z, 1)]

    np.testing.assert_allclose(parts(X, Y), expected, rtol=1e-14)
    batch = parts(np.array([X, 2.0]), np.array([Y, 3.0]))
    np.testing.assert_allclose([np.broadcast_to(part, 2)[0] for part in batch], expected, rtol=1e-14)
    np.testing.assert_allclose(
        [float(sympy.sympify(part).subs({x: X, y: Y})) for part in parts(x, y)], expected, rtol=1e-14
    )
    sx, sy = casadi.SX.sym("x"), casadi.SX.sym("y")
    on_casadi = casadi.Function("f", [sx, sy], parts(sx, sy))(X, Y)
    np.testing.assert_allclose([float(part) for part in on_casadi], expected, rtol=1e-14)
    counter = Counter()
    counted = parts(counter.scalar(X), counter.scalar(Y))
    np.testing.assert_allclose([float(part) for part in counted], expected, rtol=1e-14)


def test_arrays_on_the_left_leave_the_operation_to_the_dual() -> None:
    batch, x = np.array([1.0, 2.0]), Dual(3.0, {0: 1.0})
    for result in (batch * x, batch + x, batch - x, batch / x, np.float64(2.0) * x):
        assert isinstance(result, Dual)
    np.testing.assert_allclose((batch - x).partials[0], -1.0)
    np.testing.assert_allclose((batch / x).partials[0], -batch / 9)
