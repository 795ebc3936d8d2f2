"""Steps run on general scalars, and what they cost, by the row of a table that they belong to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from loadpath.scalars import Array, Counter, OperationCount, Scalar, array, cross, vector

Result = TypeVar("Result")


@dataclass
class Tally:
    """Operations by the row of a table that they belong to.

    >>> tally = Tally()
    >>> _ = tally.row("cross product", lambda: cross(tally.vector(), tally.vector()))
    >>> print(tally.rows["cross product"])
    6 multiplications, 3 additions
    """

    counter: Counter = field(default_factory=Counter)
    rows: dict[str, OperationCount] = field(default_factory=dict)
    _value: float = 0.3

    def scalar(self) -> Scalar:
        """A general scalar."""
        self._value = 0.9 * self._value + 0.05
        return self.counter.scalar(self._value)

    def vector(self) -> Array:
        """Three general scalars."""
        return vector(self.scalar(), self.scalar(), self.scalar())

    def matrix(self, size: int = 3) -> Array:
        """A matrix of general scalars."""
        return array([[self.scalar() for _ in range(size)] for _ in range(size)])

    def row(self, name: str, step: Callable[[], Result]) -> Result:
        """Run a step and tally it under a name."""
        before = self.counter.count
        result = step()
        self.add(name, _less(self.counter.count, before))
        return result

    def add(self, name: str, count: OperationCount) -> None:
        """Add operations to a row."""
        self.rows[name] = plus(self.rows.get(name, OperationCount(0, 0)), count)

    @property
    def total(self) -> OperationCount:
        """All rows together."""
        total = OperationCount(0, 0)
        for count in self.rows.values():
            total = plus(total, count)
        return total


def plus(a: OperationCount, b: OperationCount) -> OperationCount:
    """Two counts together.

    >>> print(plus(OperationCount(6, 3), OperationCount(9, 6)))
    15 multiplications, 9 additions
    """
    return OperationCount(a.multiplications + b.multiplications, a.additions + b.additions)


def _less(a: OperationCount, b: OperationCount) -> OperationCount:
    return OperationCount(a.multiplications - b.multiplications, a.additions - b.additions)


def along_z(x: Scalar) -> Array:
    """x e in the frame whose z axis is e: adding it takes one addition.

    >>> along_z(2.0).tolist()
    [0.0, 0.0, 2.0]
    """
    return vector(0.0, 0.0, x)


def scaled(x: Scalar, v: Array) -> Array:
    """x v: three multiplications.

    >>> tally = Tally()
    >>> _ = tally.row("x v", lambda: scaled(tally.scalar(), tally.vector()))
    >>> print(tally.total)
    3 multiplications, 0 additions
    """
    return vector(x * v[0], x * v[1], x * v[2])


def euler(tally: Tally) -> Array:
    """I omegadot + omega x I omega of general numbers: the symmetry of I is not used.

    >>> tally = Tally()
    >>> _ = tally.row("Euler's equation", lambda: euler(tally))
    >>> print(tally.total)
    24 multiplications, 18 additions
    """
    inertia, omega, omegadot = tally.matrix(), tally.vector(), tally.vector()
    result: Array = inertia @ omegadot + cross(omega, inertia @ omega)
    return result
