"""Exact derivatives over any scalar: a value that carries its partial derivatives through every operation.

Run an equation on `Dual` scalars and the rules of differentiation are applied to each operation as it is made. With
recorded values or symbols underneath the partial derivatives are symbolic expressions, with floats they are numbers
with no error but rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from loadpath.scalars.algebra import Scalar, is_zero
from loadpath.scalars.functions import cos, exp, sign, sin, sqrt


def _sum(a: Mapping[int, Scalar], b: Mapping[int, Scalar]) -> Mapping[int, Scalar]:
    sums = dict(a)
    for k, partial in b.items():
        sums[k] = sums[k] + partial if k in sums else partial
    return sums


@dataclass(frozen=True, eq=False)
class Dual:
    """A value and its partial derivatives by numbered variables; those that are not there are zero.

    >>> x, y = Dual(2.0, {0: 1.0}), Dual(3.0, {1: 1.0})
    >>> z = x * x * y + 1.0
    >>> z.value, z.partials
    (13.0, {0: 12.0, 1: 4.0})
    """

    value: Scalar
    partials: Mapping[int, Scalar]

    # NumPy is to leave operations with batches to the methods below.
    __array_ufunc__: ClassVar[None] = None

    def _chained(self, value: Scalar, slope: Scalar) -> Dual:
        """A function of this scalar, from its value and its slope."""
        return Dual(value, {k: slope * partial for k, partial in self.partials.items()})

    def __add__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Dual):
            return self if is_zero(other) else Dual(self.value + other, self.partials)
        return Dual(self.value + other.value, _sum(self.partials, other.partials))

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.value, {k: -partial for k, partial in self.partials.items()})

    def __pos__(self) -> Dual:
        return self

    def __sub__(self, other: Scalar) -> Scalar:
        return self + (-other)

    def __rsub__(self, other: Scalar) -> Scalar:
        return (-self) + other

    def __mul__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Dual):
            return 0.0 if is_zero(other) else self._chained(self.value * other, other)
        value = self.value * other.value
        return Dual(value, _sum(self._chained(value, other.value).partials, other._chained(value, self.value).partials))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        return self * (1.0 / other)

    def __rtruediv__(self, other: Scalar) -> Scalar:
        inverse = 1.0 / self.value
        return self._chained(inverse, -(inverse * inverse)) * other

    def sin(self) -> Dual:
        return self._chained(sin(self.value), cos(self.value))

    def cos(self) -> Dual:
        return self._chained(cos(self.value), -sin(self.value))

    def exp(self) -> Dual:
        grown = exp(self.value)
        return self._chained(grown, grown)

    def sign(self) -> Scalar:
        return sign(self.value)  # of which the slope is zero but at the jump

    def sqrt(self) -> Dual:
        root = sqrt(self.value)
        return self._chained(root, 0.5 / root)


def value_of(x: Scalar) -> Scalar:
    """The value of a scalar, dual or not.

    >>> value_of(Dual(2.0, {})), value_of(3.0)
    (2.0, 3.0)
    """
    return x.value if isinstance(x, Dual) else x


def partial_of(x: Scalar, k: int) -> Scalar:
    """The partial derivative of a scalar by variable k.

    >>> partial_of(Dual(2.0, {1: 5.0}), 1), partial_of(Dual(2.0, {1: 5.0}), 0), partial_of(3.0, 0)
    (5.0, 0.0, 0.0)
    """
    return x.partials.get(k, 0.0) if isinstance(x, Dual) else 0.0
