"""The scalar that records what is done with it: a CasADi expression that leaves out plain zeros and ones.

CasADi would fold them too, but each costs it microseconds, and half of what an equation writes down for general vectors
are zeros and ones in a given robot. For the same reason operations are called by their number: `casadi.plus` is
`SX.binary(OP_ADD, ...)`, once it has found out, in ten times as long, that its arguments are scalar expressions.

This module imports CasADi, so it is itself imported only where equations are traced.
"""

from __future__ import annotations

import functools
from typing import Any

import casadi
import numpy as np

_NUMBERS = (int, float, np.number)

_binary, _unary = casadi.SX.binary, casadi.SX.unary
_constant = functools.lru_cache(maxsize=1024)(casadi.SX)
"""The expression of a number that is not 0: those of a robot come again and again."""


class Recorded:
    """A recorded value."""

    __slots__ = ("sx",)

    def __init__(self, sx: Any) -> None:
        self.sx = sx

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Recorded):
            return Recorded(_binary(casadi.OP_ADD, self.sx, other.sx))
        if isinstance(other, _NUMBERS):
            return self if other == 0 else Recorded(_binary(casadi.OP_ADD, self.sx, _constant(float(other))))
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Recorded):
            return Recorded(_binary(casadi.OP_SUB, self.sx, other.sx))
        if isinstance(other, _NUMBERS):
            return self if other == 0 else Recorded(_binary(casadi.OP_SUB, self.sx, _constant(float(other))))
        return NotImplemented

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, _NUMBERS):
            return -self if other == 0 else Recorded(_binary(casadi.OP_SUB, _constant(float(other)), self.sx))
        return NotImplemented

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Recorded):
            return Recorded(_binary(casadi.OP_MUL, self.sx, other.sx))
        if isinstance(other, _NUMBERS):
            if other == 0:
                return 0.0
            if other in (1, -1):
                return self if other == 1 else -self
            return Recorded(_binary(casadi.OP_MUL, self.sx, _constant(float(other))))
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Recorded):
            return Recorded(_binary(casadi.OP_DIV, self.sx, other.sx))
        if isinstance(other, _NUMBERS):
            return Recorded(_binary(casadi.OP_DIV, self.sx, float(other)))
        return NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        if isinstance(other, _NUMBERS):
            return 0.0 if other == 0 else Recorded(_binary(casadi.OP_DIV, _constant(float(other)), self.sx))
        return NotImplemented

    def __neg__(self) -> Recorded:
        return Recorded(-self.sx)

    def __pos__(self) -> Recorded:
        return self

    def __bool__(self) -> bool:
        raise TypeError("a formulation may not ask for the value of a scalar: it would hold for this state only")

    def sin(self) -> Recorded:
        return Recorded(_unary(casadi.OP_SIN, self.sx))

    def cos(self) -> Recorded:
        return Recorded(_unary(casadi.OP_COS, self.sx))

    def sqrt(self) -> Recorded:
        return Recorded(_unary(casadi.OP_SQRT, self.sx))

    def exp(self) -> Recorded:
        return Recorded(_unary(casadi.OP_EXP, self.sx))

    def sign(self) -> Recorded:
        return Recorded(_unary(casadi.OP_SIGN, self.sx))

    @staticmethod
    def atan2(y: Any, x: Any) -> Recorded:
        return Recorded(casadi.atan2(recorded(y), recorded(x)))


def recorded(value: Any) -> Any:
    """The CasADi expression of a scalar, or the number that it is."""
    return value.sx if isinstance(value, Recorded) else value


def column(entries: Any) -> Any:
    """A CasADi column of the entries of an array, in C order."""
    return casadi.vertcat(casadi.SX(0, 1), *(recorded(entry) for entry in np.ravel(entries)))


def entries(column: Any) -> Any:
    """An object array of the entries of a CasADi column."""
    result = np.empty(column.numel(), dtype=object)
    for i in range(column.numel()):
        result[i] = Recorded(column[i])
    return result
