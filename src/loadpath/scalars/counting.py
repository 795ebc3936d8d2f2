"""The counting scalar: run an equation on it and learn how many multiplications and additions it takes.

Multiplications by 0 and +-1 and additions of 0 are free, as are sign changes, sines and cosines, which is
how the literature counts. Constants are plain floats; whatever depends on an input is a `CountingScalar`
and is taken as general, even where its value happens to be zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from loadpath.scalars.algebra import Scalar


@dataclass(frozen=True)
class OperationCount:
    """Numbers of floating-point operations: a sum or difference is one addition."""

    multiplications: int
    additions: int
    divisions: int = 0
    functions: int = 0  # sines, cosines, square roots, exponentials

    def __str__(self) -> str:
        text = f"{self.multiplications} multiplications, {self.additions} additions"
        if self.divisions:
            text += f", {self.divisions} divisions"
        return f"{text}, {self.functions} functions" if self.functions else text


@dataclass
class Counter:
    """Tallies the operations of all scalars made from it.

    >>> counter = Counter()
    >>> x, y = counter.scalar(2.0), counter.scalar(3.0)
    >>> (x * y + 1.0 * x - 0.0).value
    8.0
    >>> print(counter.count)
    1 multiplications, 1 additions
    """

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    functions: int = 0

    def scalar(self, value: float) -> CountingScalar:
        """A scalar whose operations are tallied here."""
        return CountingScalar(float(value), self)

    @property
    def count(self) -> OperationCount:
        """What was tallied so far."""
        return OperationCount(self.multiplications, self.additions, self.divisions, self.functions)


def _plain(x: Scalar) -> float:
    return x.value if isinstance(x, CountingScalar) else float(x)


@dataclass(frozen=True, eq=False)
class CountingScalar:
    """A float that reports every operation to its counter."""

    value: float
    counter: Counter = field(repr=False)

    def _new(self, value: float) -> CountingScalar:
        return CountingScalar(value, self.counter)

    def __add__(self, other: Scalar) -> Scalar:
        if not isinstance(other, CountingScalar) and other == 0:
            return self
        self.counter.additions += 1
        return self._new(self.value + _plain(other))

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Scalar:
        if not isinstance(other, CountingScalar) and other == 0:
            return self
        self.counter.additions += 1
        return self._new(self.value - _plain(other))

    def __rsub__(self, other: Scalar) -> Scalar:
        if other == 0:
            return -self
        self.counter.additions += 1
        return self._new(_plain(other) - self.value)

    def __mul__(self, other: Scalar) -> Scalar:
        if not isinstance(other, CountingScalar) and other in (0, 1, -1):
            return 0.0 if other == 0 else self._new(self.value * other)
        self.counter.multiplications += 1
        return self._new(self.value * _plain(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        if not isinstance(other, CountingScalar) and other in (1, -1):
            return self._new(self.value / other)
        self.counter.divisions += 1
        return self._new(self.value / _plain(other))

    def __rtruediv__(self, other: Scalar) -> Scalar:
        if other == 0:
            return 0.0
        self.counter.divisions += 1
        return self._new(_plain(other) / self.value)

    def __neg__(self) -> CountingScalar:
        return self._new(-self.value)

    def __pos__(self) -> CountingScalar:
        return self

    def __float__(self) -> float:
        return self.value

    def sin(self) -> CountingScalar:
        self.counter.functions += 1
        return self._new(math.sin(self.value))

    def cos(self) -> CountingScalar:
        self.counter.functions += 1
        return self._new(math.cos(self.value))

    def sqrt(self) -> CountingScalar:
        self.counter.functions += 1
        return self._new(math.sqrt(self.value))

    def exp(self) -> CountingScalar:
        self.counter.functions += 1
        return self._new(math.exp(self.value))

    def sign(self) -> CountingScalar:
        return self._new(float((self.value > 0) - (self.value < 0)))

    @staticmethod
    def atan2(y: Scalar, x: Scalar) -> CountingScalar:
        counted = y if isinstance(y, CountingScalar) else x
        counted.counter.functions += 1
        result: CountingScalar = counted._new(math.atan2(_plain(y), _plain(x)))
        return result
