"""Interval arithmetic on a recorded program, over many boxes at once: ranges that hold every value, rounding included.

A range is a pair of arrays, the lower and the upper ends over all boxes, or a pair of numbers where all boxes share it.
After each operation both ends are moved outward by one number that the machine has (`numpy.nextafter`), so that a range
holds the exact value, and what floating-point arithmetic makes of it, of every point of its box.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from loadpath.engine.program import Tape
from loadpath.scalars.types import Floats

Range: TypeAlias = "tuple[Any, Any]"
"""Lower and upper end: arrays (b,), or numbers."""

_OF_LIBRARY = 1e-15
"""Of a sine, cosine or exponential: relative error of the library, generously."""
_PERIOD = 2 * np.pi


class UnboundedOperationError(NotImplementedError):
    """A program has an operation of which no range is known."""


def _outward(low: Any, high: Any) -> Range:
    return np.nextafter(low, -np.inf), np.nextafter(high, np.inf)


def _add(a: Range, b: Range) -> Range:
    return _outward(a[0] + b[0], a[1] + b[1])


def _sub(a: Range, b: Range) -> Range:
    return _outward(a[0] - b[1], a[1] - b[0])


def _neg(a: Range) -> Range:
    return -a[1], -a[0]


def _mul(a: Range, b: Range) -> Range:
    for one, other in ((a, b), (b, a)):
        if np.ndim(one[0]) == 0 and one[0] == one[1]:
            ends = one[0] * other[0], one[0] * other[1]
            return _outward(*(ends if one[0] >= 0 else ends[::-1]))
    products = a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]
    low = np.minimum(np.minimum(products[0], products[1]), np.minimum(products[2], products[3]))
    high = np.maximum(np.maximum(products[0], products[1]), np.maximum(products[2], products[3]))
    return _outward(low, high)


def _square(a: Range) -> Range:
    ends = a[0] * a[0], a[1] * a[1]
    low = np.where((a[0] <= 0) & (a[1] >= 0), 0.0, np.minimum(*ends))
    return np.maximum(np.nextafter(low, -np.inf), 0.0), np.nextafter(np.maximum(*ends), np.inf)


def _inverse(a: Range) -> Range:
    with np.errstate(divide="ignore"):
        low, high = _outward(np.divide(1.0, a[1]), np.divide(1.0, a[0]))
    through_zero = (a[0] <= 0) & (a[1] >= 0)
    return np.where(through_zero, -np.inf, low), np.where(through_zero, np.inf, high)


def _quotient(a: Range, b: Range) -> Range:
    """By the quotients of the ends, each rounded once: a reciprocal would round twice."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotients = [np.divide(x, y) for x in a for y in b]
    low, high = np.minimum.reduce(np.broadcast_arrays(*quotients)), np.maximum.reduce(np.broadcast_arrays(*quotients))
    through_zero = (b[0] <= 0) & (b[1] >= 0)
    low, high = _outward(low, high)
    return np.where(through_zero, -np.inf, low), np.where(through_zero, np.inf, high)


def _root(a: Range) -> Range:
    with np.errstate(invalid="ignore"):
        low, high = _outward(np.sqrt(np.maximum(a[0], 0.0)), np.sqrt(a[1]))
    return np.maximum(low, 0.0), np.where(a[1] < 0, np.nan, high)


def _cosine(a: Range) -> Range:
    """The largest value is 1 where a whole number of turns lies between the ends, the smallest -1 where a half more
    does. Where an end is so close to one that rounding decides, it counts.
    """
    low, high = np.asarray(a[0], dtype=float), np.asarray(a[1], dtype=float)
    with np.errstate(invalid="ignore"):
        ends = np.cos(low), np.cos(high)
        near = 1e-15 * (1 + np.maximum(np.abs(low), np.abs(high)))
        turns = np.floor((high + near) / _PERIOD) >= np.ceil((low - near) / _PERIOD)
        halves = np.floor((high + near) / _PERIOD - 0.5) >= np.ceil((low - near) / _PERIOD - 0.5)
    unknown = ~(np.isfinite(low) & np.isfinite(high))
    smallest = np.where(halves | unknown, -1.0, np.maximum(np.minimum(*ends) - _OF_LIBRARY, -1.0))
    largest = np.where(turns | unknown, 1.0, np.minimum(np.maximum(*ends) + _OF_LIBRARY, 1.0))
    return smallest, largest


def _sine(a: Range) -> Range:
    quarter = np.pi / 2  # and its error, 6e-17, which rounding outward covers
    return _cosine(_outward(np.subtract(a[0], quarter), np.subtract(a[1], quarter)))


def _exponential(a: Range) -> Range:
    with np.errstate(over="ignore"):
        low, high = np.exp(a[0]), np.exp(a[1])
    return np.maximum(low * (1 - _OF_LIBRARY), 0.0), high * (1 + _OF_LIBRARY) + 5e-324


def _sign(a: Range) -> Range:
    return np.sign(a[0]), np.sign(a[1])


def _magnitude(a: Range) -> Range:
    through_zero = (a[0] <= 0) & (a[1] >= 0)
    ends = np.abs(a[0]), np.abs(a[1])
    return np.where(through_zero, 0.0, np.minimum(*ends)), np.maximum(*ends)


def _arctangent(y: Range, x: Range) -> Range:
    """Over a rectangle away from the half line where it jumps: the largest and the smallest are at its corners."""
    corners = [np.arctan2(b, a) for a in x for b in y]
    low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
    jumps = (x[0] <= 0) & (y[0] <= 0) & (y[1] >= 0)
    low, high = low - 4 * _OF_LIBRARY, high + 4 * _OF_LIBRARY
    return np.where(jumps, -np.pi - 1e-15, low), np.where(jumps, np.pi + 1e-15, high)


OPERATIONS: dict[str, Callable[..., Range]] = {
    "add": _add, "sub": _sub, "mul": _mul, "div": _quotient, "neg": _neg, "inv": _inverse, "sq": _square,
    "twice": lambda a: (a[0] + a[0], a[1] + a[1]), "sqrt": _root, "sin": _sine, "cos": _cosine, "exp": _exponential,
    "sign": _sign, "fabs": _magnitude, "atan2": _arctangent,
}
"""Operations of a program on ranges."""


class IntervalTape:
    """A program's tape that runs over boxes.

    >>> tape = Tape(1, {}, {3: ("mul", (0, 1))}, {0: (1, 2)}, (3, 2))        # x sin x, cos x
    >>> low, high = IntervalTape(tape).ranges(np.array([[0.5], [1.0]]), np.array([[1.0], [2.0]]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([[0.24, 0.54], [0.841, -0.416]], [[0.841, 0.878], [2.0, 0.54]])
    """

    def __init__(self, tape: Tape) -> None:
        self.tape, self.steps = tape, tape.steps()
        unknown = sorted({name for _, name, _ in self.steps} - OPERATIONS.keys())
        if unknown:
            raise UnboundedOperationError(f"there is no range of {unknown[0]}")
        last: dict[int, int] = {}
        for at, (_, _, arguments) in enumerate(self.steps):
            last |= dict.fromkeys(arguments, at)
        self._done: dict[int, list[int]] = {}
        for value, at in last.items():
            if value not in tape.outputs:
                self._done.setdefault(at, []).append(value)

    def ranges(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Lower and upper ends (b, outputs) of the outputs over boxes (b, inputs). What is no number, where a range has
        left what floating-point numbers hold, is unbounded.
        """
        values: dict[int, Range] = {k: (low[:, k], high[:, k]) for k in range(self.tape.inputs)}
        values |= {value: (number, number) for value, number in self.tape.constants.items()}
        with np.errstate(over="ignore", invalid="ignore"):
            for at, (value, name, arguments) in enumerate(self.steps):
                values[value] = OPERATIONS[name](*(values[argument] for argument in arguments))
                for gone in self._done.get(at, ()):
                    values.pop(gone, None)
        ends = [np.stack([np.broadcast_to(values[value][side], len(low)) for value in self.tape.outputs], axis=1)
                for side in (0, 1)]
        return np.where(np.isnan(ends[0]), -np.inf, ends[0]), np.where(np.isnan(ends[1]), np.inf, ends[1])


def numbers(tape: Tape, point: Sequence[float]) -> list[float]:
    """The outputs at a point, in plain numbers."""
    return [float(value) for value in tape.run([float(x) for x in point], _PLAIN)]


def _plain_quotient(a: float, b: float) -> float:
    return a / b if b else float("nan")


_PLAIN: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": _plain_quotient,
    "neg": lambda a: -a, "inv": lambda a: _plain_quotient(1.0, a), "sq": lambda a: a * a, "twice": lambda a: a + a,
    "fabs": abs, "sqrt": lambda a: float(np.sqrt(a)) if a >= 0 else float("nan"),
    **{name: getattr(np, name) for name in ("sin", "cos", "exp", "sign")}, "atan2": np.arctan2,
}
