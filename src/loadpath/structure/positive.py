"""Numbers above zero: dimensions, moduli, strengths."""

from __future__ import annotations

from loadpath.errors import ModelError
from loadpath.robot.numbers import number


def positive(value: object, what: str) -> float:
    """A finite number above zero, or an error that says what came.

    >>> positive(-2, "wall of a tube")
    Traceback (most recent call last):
    loadpath.errors.ModelError: wall of a tube is -2.0: expected more than zero
    """
    result = number(value, what)
    if result <= 0:
        raise ModelError(f"{what} is {result}: expected more than zero")
    return result


def positive_or_infinite(value: object, what: str) -> float:
    """A number above zero, infinity included.

    >>> positive_or_infinite(float("inf"), "yield strength")
    inf
    """
    return float("inf") if value == float("inf") else positive(value, what)
