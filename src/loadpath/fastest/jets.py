"""Ranges of a function and of its first two derivatives over an interval: what a certificate between points is made of.

A jet is a Taylor expansion to the second order with ranges for coefficients: over every interval of a grid at once, the
middle and the half width of f, f' and f''/2. Recorded programs run on jets as they run on numbers. Middles and half
widths are rounded to the nearest, not outward: what that may lose is some 1e-15 of each term, and whoever uses a bound
adds `ROUNDING` of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from loadpath.engine.program import Tape
from loadpath.scalars.types import Floats

ROUNDING = 1e-9
"""Relative, of a bound: a million times what rounding may lose in a program of a thousand steps."""


class Jet:
    """Middles and half widths, (3, intervals) each, of f, f' and f''/2.

    >>> x = Jet(np.array([[0.5], [1.0], [0.0]]), np.array([[0.5], [0.0], [0.0]]))         # p itself, from 0 to 1
    >>> square = x * x
    >>> square.middle[:, 0].tolist(), square.radius[:, 0].tolist()
    ([0.25, 1.0, 1.0], [0.75, 1.0, 0.0])
    """

    __slots__ = ("middle", "radius")

    def __init__(self, middle: Floats, radius: Floats) -> None:
        self.middle, self.radius = middle, radius

    def __add__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            return Jet(self.middle + other.middle, self.radius + other.radius)
        middle = self.middle.copy()
        middle[0] += other
        return Jet(middle, self.radius)

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return Jet(-self.middle, self.radius)

    def __sub__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            return Jet(self.middle - other.middle, self.radius + other.radius)
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Jet:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.middle * other, self.radius * abs(other))
        a, b = np.abs(self.middle), np.abs(other.middle)
        return Jet(_product(self.middle, other.middle),
                   _product(a, other.radius) + _product(self.radius, b + other.radius))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Jet:
        return self.__mul__(other.inverse() if isinstance(other, Jet) else 1.0 / other)

    def __rtruediv__(self, other: Any) -> Jet:
        return self.inverse().__mul__(other)

    def _composed(self, value: Range, slope: Range, half_bend: Range) -> Jet:
        """g(f), from the ranges of g, g' and g''/2 over the range of f."""
        first = Jet(self.middle[1:2], self.radius[1:2])
        along = _of(slope) * first
        second = _of(slope) * Jet(self.middle[2:], self.radius[2:]) + _of(half_bend) * (first * first)
        parts = _of(value), along, second
        return Jet(np.concatenate([part.middle for part in parts]), np.concatenate([part.radius for part in parts]))

    def inverse(self) -> Jet:
        """1/f; unbounded where f may be zero."""
        low, high = self.range
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            one = _ordered(1 / low, 1 / high, low * high > 0)
            square, cube = one_power(one, 2), one_power(one, 3)
        return self._composed(one, (-square[1], -square[0]), cube)

    def sqrt(self) -> Jet:
        """The square root; unbounded where f may be zero or less."""
        low, high = self.range
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            known = low > 0
            root = _ordered(np.sqrt(low), np.sqrt(high), known)
            slope = _ordered(0.5 / np.sqrt(low), 0.5 / np.sqrt(high), known)
            bend = _ordered(-0.125 / np.sqrt(low) ** 3, -0.125 / np.sqrt(high) ** 3, known)
        return self._composed(root, slope, bend)

    def sin(self) -> Jet:
        """The sine."""
        s, c = _sine(self), _cosine(self)
        return self._composed(s, c, (-s[1] / 2, -s[0] / 2))

    def cos(self) -> Jet:
        """The cosine."""
        s, c = _sine(self), _cosine(self)
        return self._composed(c, (-s[1], -s[0]), (-c[1] / 2, -c[0] / 2))

    @property
    def range(self) -> Range:
        """Lower and upper ends (intervals,) of f."""
        return self.middle[0] - self.radius[0], self.middle[0] + self.radius[0]

    @property
    def largest(self) -> Floats:
        """(3, intervals): of the magnitudes of f, f' and f''."""
        found: Floats = np.abs(self.middle) + self.radius
        found[2] *= 2
        return found


Range: TypeAlias = tuple[Floats, Floats]


def _product(a: Floats, b: Floats) -> Floats:
    """Of two expansions, to the second order."""
    if len(a) == 1:
        one: Floats = a * b
        return one
    found: Floats = a[0] * b
    found[1:] += a[1] * b[:2]
    found[2] += a[2] * b[0]
    return found


def _of(value: Range) -> Jet:
    """A range alone."""
    low, high = value
    return Jet(((low + high) / 2)[None], ((high - low) / 2)[None])


UNBOUNDED = 1e100


def _ordered(a: Floats, b: Floats, known: Any) -> Range:
    """The range of a monotone function from its values at both ends; unbounded where it is not known."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    return np.where(known, low, -UNBOUNDED), np.where(known, high, UNBOUNDED)


def one_power(x: Range, power: int) -> Range:
    """Of a range without zero inside."""
    return _ordered(x[0] ** power, x[1] ** power, True)


def _cosine(jet: Jet) -> Range:
    low, high = jet.range
    ends = np.cos(low), np.cos(high)
    turns = np.floor(high / (2 * np.pi)) >= np.ceil(low / (2 * np.pi))
    halves = np.floor(high / (2 * np.pi) - 0.5) >= np.ceil(low / (2 * np.pi) - 0.5)
    return np.where(halves, -1.0, np.minimum(*ends)), np.where(turns, 1.0, np.maximum(*ends))


def _sine(jet: Jet) -> Range:
    middle = jet.middle[:1] - np.pi / 2
    return _cosine(Jet(middle, jet.radius[:1]))


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "inv": lambda a: 1.0 / a,
    "sq": lambda a: a * a,
    "twice": lambda a: a * 2.0,
    **{name: (lambda a, name=name: getattr(a, name)() if isinstance(a, Jet) else getattr(np, name)(a))
       for name in ("sin", "cos", "sqrt")},
}
"""Operations of a recorded program on jets."""


def run_on_jets(tape: Tape, entries: list[Jet]) -> list[Any]:
    """The outputs of a tape: jets, or plain numbers."""
    unknown = sorted({name for _, name, _ in tape.steps()} - OPERATIONS.keys())
    if unknown:
        raise NotImplementedError(f"there is no jet of {unknown[0]}")
    return tape.run(entries, OPERATIONS)


def polynomial_jets(c: Floats, begin: Floats, end: Floats, orders: int) -> list[list[Jet]]:
    """Jets of polynomials and of their derivatives up to an order, over p from `begin` to `end` (intervals,):
    `c` (degree + 1, intervals, n) are coefficients in powers of p, highest first. The result is by order, then by
    coordinate.
    """
    middle, half = (begin + end) / 2, (end - begin) / 2
    # About the middle: of each derivative its value there, and the rest by powers of the half width.
    degree = len(c) - 1
    taylor = np.zeros((degree + 1, *c.shape[1:]))  # lowest first
    for row in c:
        taylor[1:] = taylor[1:] * middle[None, :, None] + taylor[:-1]
        taylor[0] = taylor[0] * middle[:, None] + row
    derivatives: list[tuple[Floats, Floats]] = []
    for _ in range(orders + 3):
        if not len(taylor):
            taylor = np.zeros((1, *c.shape[1:]))
        powers = half[None, :, None] ** np.arange(1, len(taylor))[:, None, None]
        derivatives.append((taylor[0], (np.abs(taylor[1:]) * powers).sum(axis=0)))
        taylor = taylor[1:] * np.arange(1, len(taylor))[:, None, None]
    scale = np.array([1.0, 1.0, 0.5])[:, None]
    found = []
    for k in range(orders + 1):
        values, radii = (np.stack([derivatives[k + j][side] for j in range(3)]) for side in (0, 1))
        found.append([Jet(values[..., i] * scale, radii[..., i] * scale) for i in range(c.shape[2])])
    return found
