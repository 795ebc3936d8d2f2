"""A signal of the loads recorded as an expression: the examiner's own NumPy lines, run on columns that note down what
is done to them. The page evaluates the expression sample by sample. What the page does not know is refused.

An expression is a name of a load, a number, or a list of an operation and its arguments: `["add", "speed", 1.0]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

Expression = Any
OPERATIONS = frozenset({"add", "subtract", "multiply", "divide", "power", "absolute", "negative", "sqrt", "maximum",
                        "minimum", "sign", "less", "less_equal", "greater", "greater_equal", "square"})


class NotRecordedError(TypeError):
    """A signal does something that the page cannot repeat."""


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
            vectors, factors = inputs
            if not isinstance(vectors, Recorded) or isinstance(factors, Recorded):
                raise NotRecordedError("matmul")
            return Recorded([_sum([_product(c, float(f)) for c, f in zip(vectors.columns, factors, strict=True)])])
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
        raise NotRecordedError(function.__name__)

    def __getitem__(self, key: Any) -> Recorded:
        if key in ((..., None), (slice(None), None)) and not self.spread:
            return Recorded(self.columns, spread=True)
        raise NotRecordedError(f"[{key!r}]")

    def max(self, axis: int | None = None) -> Recorded:
        """Of the entries of each sample; there is one."""
        if axis != 1 or len(self.columns) != 1:
            raise NotRecordedError("max")
        return Recorded(self.columns)


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


def _sum(parts: list[Expression]) -> Expression:
    known = [part for part in parts if not (isinstance(part, float) and part == 0.0)]
    total = known[0] if known else 0.0
    for part in known[1:]:
        total = ["add", total, part]
    return total


def _less(a: Expression, b: Expression) -> Expression:
    if isinstance(b, float) and b == 0.0:
        return a
    return ["negative", b] if isinstance(a, float) and a == 0.0 else ["subtract", a, b]
