"""A signal of the loads recorded as steps: the examiner's own NumPy lines, run on columns that note down what is done
to them. The page runs the steps sample by sample. What the page does not know is refused.

An expression is a name of a load, a number, or a list of an operation and its arguments: `["add", "speed", 1.0]`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

Expression = Any
OPERATIONS = frozenset({"add", "subtract", "multiply", "divide", "power", "absolute", "negative", "sqrt", "maximum",
                        "minimum", "sign", "less", "less_equal", "greater", "greater_equal", "square", "hypot",
                        "equal", "bitwise_and", "invert"})


class NotRecordedError(TypeError):
    """A signal does something that the page cannot repeat."""


def steps_of(expression: Expression) -> list[list[Any]]:
    """An expression as a row of steps, the last one its value: each an operation and its arguments, which are names,
    numbers, or a list with the number of an earlier step. What occurs twice is one step.

    >>> twice = ["multiply", "speed", 2.0]
    >>> steps_of(["add", twice, ["square", ["multiply", "speed", 2.0]]])
    [['multiply', 'speed', 2.0], ['square', [0]], ['add', [0], [1]]]
    """
    steps: list[list[Any]] = []
    known: dict[str, list[int]] = {}
    seen: dict[int, Any] = {}

    def argument(part: Expression) -> Any:
        if isinstance(part, (float, int)):
            return float(part) if math.isfinite(part) else str(float(part))
        if isinstance(part, (str, tuple)):  # a tuple is a row of plain numbers
            return part
        if id(part) not in seen:
            step = [part[0], *(argument(each) for each in part[1:])]
            name = repr(step)
            if name not in known:
                known[name] = [len(steps)]
                steps.append(step)
            seen[id(part)] = known[name]
        return seen[id(part)]

    last = argument(expression)
    if not isinstance(last, list) or last[0] != len(steps) - 1:
        steps.append(["add", last, 0.0])
    return steps


class Recorded(NDArrayOperatorsMixin):
    """One number a sample, or three (a vector): expressions in the place of values.

    >>> speed = Recorded(["speed"])
    >>> (2.0 * np.abs(speed)).columns
    [['multiply', 2.0, ['absolute', 'speed']]]
    """

    def __init__(self, columns: list[Expression], spread: bool = False) -> None:
        self.columns = columns
        self.spread = spread or len(columns) > 1
        """Whether it has an axis after that of the samples."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Recorded:
        if method != "__call__" or options:
            raise NotRecordedError(f"{ufunc.__name__}.{method}")
        if ufunc.__name__ == "matmul":
            return _times_matrix(*inputs)
        if ufunc.__name__ not in OPERATIONS:
            raise NotRecordedError(ufunc.__name__)
        parts = [_columns(part) for part in inputs]
        width = max(len(part) for part in parts)
        spread = any(isinstance(part, Recorded) and part.spread for part in inputs)
        if width > 1 and any(isinstance(part, Recorded) and not part.spread for part in inputs):
            raise NotRecordedError("samples against a vector")
        wide = [part * width if len(part) == 1 else part for part in parts]
        return Recorded([[ufunc.__name__, *row] for row in zip(*wide, strict=True)], spread)

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Recorded:
        if function is np.where and len(given) == 3:
            (test,), (yes,), (no,) = (_columns(part) for part in given)
            return Recorded([["where", test, yes, no]])
        if function is np.cross:
            (a, b, c), (x, y, z) = (_columns(part) for part in given)
            return Recorded([_less(_product(b, z), _product(c, y)), _less(_product(c, x), _product(a, z)),
                             _less(_product(a, y), _product(b, x))])
        if function is np.linalg.norm and options.get("axis") in (1, -1):
            return Recorded([["sqrt", _sum([_product(c, c) for c in given[0].columns])]])
        if function is np.interp and not set(options) - {"right"}:
            (at,), known, values = _columns(given[0]), *(tuple(map(float, part)) for part in given[1:])
            return Recorded([["interp", at, known, values, options.get("right", values[-1])]])
        if function in (np.zeros_like, np.full_like) and not options:
            return Recorded([float(given[1]) if len(given) > 1 else 0.0])
        first = options.get("prepend")
        if function is np.diff and len(given) == 1 and isinstance(first, _First) and first.of is given[0]:
            return Recorded([["step", given[0].columns[0]]])
        raise NotRecordedError(function.__name__)

    def __getitem__(self, key: Any) -> Any:
        if key in ((..., None), (slice(None), None)) and not self.spread:
            return Recorded(self.columns, spread=True)
        if key == slice(None, 1) and not self.spread:
            return _First(self)
        raise NotRecordedError(f"[{key!r}]")

    def max(self, axis: int | None = None) -> Recorded:
        """Of the entries of each sample; there is one."""
        if axis != 1 or len(self.columns) != 1:
            raise NotRecordedError("max")
        return Recorded(self.columns)

    def sum(self, axis: int | None = None) -> Recorded:
        """Of the entries of each sample."""
        if axis != 1 or not self.spread:
            raise NotRecordedError("sum")
        return Recorded([_sum(self.columns)])


class _First:
    """The first sample of a column: what a difference from sample to sample begins with."""

    def __init__(self, of: Recorded) -> None:
        self.of = of


def _times_matrix(vectors: Any, factors: Any) -> Recorded:
    """Of a vector a sample with a vector or matrix of numbers."""
    if not isinstance(vectors, Recorded) or isinstance(factors, Recorded):
        raise NotRecordedError("matmul")
    matrix = np.asarray(factors, dtype=float)
    sums = [_sum([_product(c, float(f)) for c, f in zip(vectors.columns, column, strict=True)])
            for column in (matrix[None] if matrix.ndim == 1 else matrix.T)]
    return Recorded(sums, spread=matrix.ndim > 1)


def _columns(part: Any) -> list[Expression]:
    if isinstance(part, Recorded):
        return part.columns
    return [float(value) for value in np.atleast_1d(np.asarray(part, dtype=float))]


def _product(a: Expression, b: Expression) -> Expression:
    if isinstance(a, float) and isinstance(b, float):
        return a * b
    for one, other in ((a, b), (b, a)):
        if isinstance(one, float):
            return 0.0 if one == 0.0 else other if one == 1.0 else ["multiply", one, other]
    return ["multiply", a, b]


def _sum(parts: Sequence[Expression]) -> Expression:
    known = [part for part in parts if not (isinstance(part, float) and part == 0.0)]
    total = known[0] if known else 0.0
    for part in known[1:]:
        total = ["add", total, part]
    return total


def _less(a: Expression, b: Expression) -> Expression:
    if isinstance(b, float) and b == 0.0:
        return a
    return ["negative", b] if isinstance(a, float) and a == 0.0 else ["subtract", a, b]
