"""Sine, cosine, arctangent, square root, exponential and sign of any scalar: the place that looks what a scalar is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from loadpath.scalars.algebra import Scalar


def _apply(name: str, x: Scalar) -> Scalar:
    if isinstance(x, (int, float, np.number)):
        return float(np.sign(x)) if name == "sign" else getattr(math, name)(x)
    own: Any = getattr(x, name, None)  # of recorded values, counting scalars and CasADi's
    if callable(own):
        return own()
    if isinstance(x, np.ndarray):
        return getattr(np, name)(x)
    library = type(x).__module__.partition(".")[0]
    if library == "sympy":
        import sympy

        return getattr(sympy, name)(x)
    if library in ("jax", "jaxlib"):
        import jax.numpy as jnp

        return getattr(jnp, name)(x)
    raise TypeError(
        f"{name} of a {type(x).__name__} is not known: scalars are floats, NumPy or JAX arrays, "
        "CasADi SX, SymPy expressions or counting scalars"
    )


def sin(x: Scalar) -> Scalar:
    """Sine of any scalar.

    >>> sin(0.0)
    0.0
    """
    return _apply("sin", x)


def cos(x: Scalar) -> Scalar:
    """Cosine of any scalar."""
    return _apply("cos", x)


def cosine_and_sine_of_sum(x: Scalar, constant: float) -> tuple[Scalar, Scalar]:
    """Cosine and sine of x plus a constant. To a number the constant is not added, because the last digits of a large
    one would go: at 1e6 rad a float is good to 1e-10 rad.

    Anything else (symbols, a counting scalar) gets the sum, as the sources write it. Programs that are traced from
    symbols are put right in `loadpath.engine.tape`.

    >>> c, s = cosine_and_sine_of_sum(1e15, 0.3)
    >>> abs(s - (math.sin(1e15) * math.cos(0.3) + math.cos(1e15) * math.sin(0.3))) < 1e-15
    True
    """
    if not isinstance(x, (int, float, np.number, np.ndarray)):
        return cos(x + constant), sin(x + constant)
    c, s, cz, sz = cos(x), sin(x), math.cos(constant), math.sin(constant)
    return c * cz - s * sz, s * cz + c * sz


def sqrt(x: Scalar) -> Scalar:
    """Square root of any scalar."""
    return _apply("sqrt", x)


def exp(x: Scalar) -> Scalar:
    """Exponential of any scalar.

    >>> exp(0.0)
    1.0
    """
    return _apply("exp", x)


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1, as the scalar is negative, zero or positive."""
    return _apply("sign", x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle of the point (x, y), from -pi to pi.

    >>> atan2(0.0, -1.0) == math.pi
    True
    """
    plain = (int, float, np.number)
    if isinstance(y, plain) and isinstance(x, plain):
        return math.atan2(y, x)
    general = x if isinstance(y, plain) else y
    own: Any = getattr(general, "atan2", None)  # the counting scalar's own method
    if callable(own):
        return type(general).atan2(y, x)
    library = type(general).__module__.partition(".")[0]
    if library == "casadi":
        import casadi

        return casadi.atan2(y, x)
    if library == "sympy":
        import sympy

        return sympy.atan2(y, x)
    if library in ("jax", "jaxlib"):
        import jax.numpy as jnp

        return jnp.arctan2(y, x)
    return np.arctan2(y, x)
