"""Reading numbers from users: finite floats in tuples of the right shape, or an error that says what came."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import SupportsFloat, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from loadpath.errors import ModelError

Vector3: TypeAlias = tuple[float, float, float]
Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]


def number(value: object, what: str) -> float:
    """One finite float; `what` names it in the error.

    >>> number("2500g", "mass of link 'arm'")
    Traceback (most recent call last):
    loadpath.errors.ModelError: mass of link 'arm' is '2500g': expected a number
    """
    if type(value) is float and math.isfinite(value):
        return value  # large robots have a hundred thousand of them
    if isinstance(value, (str, bytes, bool)) or value is None:
        raise ModelError(f"{what} is {value!r}: expected a number")
    try:
        result = float(cast(SupportsFloat, value))
    except (TypeError, ValueError) as problem:
        raise ModelError(f"{what} is {value!r}: expected a number") from problem
    if not math.isfinite(result):
        raise ModelError(f"{what} is {result}: expected a finite number")
    return result


def numbers(value: object, what: str, count: int | None = None) -> tuple[float, ...]:
    """A tuple of finite floats, `count` of them if that is given."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ModelError(f"{what} is {value!r}: expected {'several' if count is None else count} numbers")
    result = tuple(number(entry, what) for entry in value)
    if count is not None and len(result) != count:
        raise ModelError(f"{what} has {len(result)} numbers, {list(result)}: expected {count}")
    return result


def vector3(value: object, what: str) -> Vector3:
    """Three finite floats."""
    x, y, z = numbers(value, what, 3)
    return x, y, z


def matrix3(value: object, what: str) -> Matrix3:
    """Three rows of three finite floats."""
    shape = np.shape(cast(ArrayLike, value))
    if shape != (3, 3):
        raise ModelError(f"{what} has the shape {shape}: expected 3 x 3")
    a, b, c = (vector3(row, what) for row in cast(Iterable[object], value))
    return a, b, c


def unit_vector(value: object, what: str) -> Vector3:
    """A direction as a unit vector; a zero vector is an error.

    Coordinate directions come out exact, others normalised in floating point.

    >>> unit_vector((0, 0, 2), "axis")
    (0.0, 0.0, 1.0)
    """
    x, y, z = vector3(value, what)
    length = math.hypot(x, y, z)
    if length == 0.0:
        raise ModelError(f"{what} is {(x, y, z)}: expected a direction, not a zero vector")
    return x / length, y / length, z / length


def name(value: object, what: str) -> str:
    """A name that is a non-empty string."""
    if not isinstance(value, str) or not value.strip():
        raise ModelError(f"{what} is {value!r}: expected a non-empty name")
    return value
