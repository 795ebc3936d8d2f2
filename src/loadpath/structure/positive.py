"""Numbers above zero: dimensions, moduli, strengths."""

from __future__ import annotations

from loadpath.errors import ModelError
from loadpath.robot.numbers import number

LEAST, MOST = 1e-30, 1e30
"""Of any quantity in SI units: beyond them its powers and products are no numbers."""


def positive(value: object, what: str, least: float = LEAST, most: float = MOST) -> float:
    """A number above zero that something real can have, or an error that says what came.

    >>> positive(-2, "wall of a tube")
    Traceback (most recent call last):
    loadpath.errors.ModelError: wall of a tube is -2.0: expected more than zero
    >>> positive(1e300, "wall of a tube", most=1e6)
    Traceback (most recent call last):
    loadpath.errors.ModelError: wall of a tube is 1e+300: expected from 1e-30 to 1e+06, in SI units
    """
    result = number(value, what)
    if result <= 0:
        raise ModelError(f"{what} is {result}: expected more than zero")
    if not least <= result <= most:
        raise ModelError(f"{what} is {result}: expected from {least:g} to {most:g}, in SI units")
    return result


def positive_or_infinite(value: object, what: str) -> float:
    """A number above zero, infinity included.

    >>> positive_or_infinite(float("inf"), "yield strength")
    inf
    """
    return float("inf") if value == float("inf") else positive(value, what)
