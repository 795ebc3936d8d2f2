"""Larger, smaller and clipped scalars of any kind, without a branch: for traced equations and for batches alike.

Something that is not a number stays so.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from loadpath.scalars import Scalar, sign


def size(x: Scalar) -> Scalar:
    """|x|."""
    return x * sign(x)


def larger(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two numbers."""
    if _numbers(a, b):
        return max(a, b)
    return 0.5 * (a + b + size(a - b))


def smaller(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of two numbers.

    >>> smaller(2.0, 3.0)
    2.0
    """
    if _numbers(a, b):
        return min(a, b)
    return 0.5 * (a + b - size(a - b))


def largest(values: Sequence[Scalar]) -> Scalar:
    """The largest of some numbers."""
    found = values[0]
    for value in values[1:]:
        found = larger(found, value)
    return found


def smallest(values: Sequence[Scalar]) -> Scalar:
    """The smallest of some numbers."""
    found = values[0]
    for value in values[1:]:
        found = found if value is found else smaller(found, value)
    return found


def clipped(x: Scalar, low: float, high: float) -> Scalar:
    """The nearest number from `low` to `high`.

    >>> clipped(5.0, 0.0, 3.0)
    3.0
    """
    if _numbers(x):
        return min(max(x, low), high)
    return 0.5 * (low + high + size(x - low) - size(x - high))


def beyond(x: Scalar, place: Scalar, *, with_equal: bool) -> Scalar:
    """One where x is larger than `place` (or equal to it), zero elsewhere.

    >>> beyond(1.0, 1.0, with_equal=True), beyond(1.0, 1.0, with_equal=False)
    (1.0, 0.0)
    """
    if _numbers(x, place):
        return float(x >= place) if with_equal else float(x > place)
    s = sign(x - place)
    return 0.5 * (2.0 + s - s * s) if with_equal else 0.5 * (s * s + s)


def _numbers(*values: Scalar) -> bool:
    return all(isinstance(value, (int, float)) and not isnan(value) for value in values)


def in_order(places: Sequence[Scalar]) -> list[Scalar]:
    """The same numbers, the smallest first.

    >>> in_order([3.0, 1.0, 2.0])
    [1.0, 2.0, 3.0]
    """
    found: list[Scalar] = []
    for place in places:
        rising = place
        for k, other in enumerate(found):
            found[k], rising = smaller(other, rising), larger(other, rising)
        found.append(rising)
    return found
