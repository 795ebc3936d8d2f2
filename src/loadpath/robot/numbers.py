"""Numbers and names from users: finite floats, positive ones, tuples of the right shape, names of what there is; or an
error that says what came.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import SupportsFloat, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from loadpath.errors import ModelError

Vector3: TypeAlias = tuple[float, float, float]
Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]

_LISTS = (tuple, list)
LARGEST_LENGTH = 1e15
"""m: a tenth of a light year. What is larger was not meant, and its powers overflow."""

SMALLEST_NUMBER, LARGEST_NUMBER = 1e-30, 1e30
"""Of any quantity in SI units: beyond them its powers and products are no numbers."""


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
    except OverflowError:
        raise ModelError(f"{what} is a whole number that is larger than any float: expected a finite number") from None
    except (TypeError, ValueError) as problem:
        raise ModelError(f"{what} is {value!r}: expected a number") from problem
    if not math.isfinite(result):
        raise ModelError(f"{what} is {result}: expected a finite number")
    return result


def positive(value: object, what: str, least: float = SMALLEST_NUMBER, most: float = LARGEST_NUMBER) -> float:
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


def shape_of(value: object, what: str) -> tuple[int, ...]:
    """The shape of an array or of nested lists; what has none is an error."""
    if type(value) in _LISTS and [_is_row(row) for row in cast(Sequence[object], value)] == [True] * 3:
        return 3, 3  # as most are, in a fifth of NumPy's time
    try:
        shape = np.shape(cast(ArrayLike, value))
    except ValueError:
        shape = ()
    if shape == () or isinstance(value, (str, bytes)):
        raise ModelError(f"{what} is {value!r}: expected an array of numbers")
    return shape


def _is_row(value: object) -> bool:
    """Whether it is a list of three floats."""
    return type(value) in _LISTS and [*map(type, cast(Sequence[object], value))] == [float] * 3


def matrix3(value: object, what: str) -> Matrix3:
    """Three rows of three finite floats."""
    shape = shape_of(value, what)
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


def within(value: float, largest: float, what: str, unit: str) -> float:
    """The number, which must not be so large that its powers are beyond what a float can hold.

    >>> within(1e308, 1e15, "position of joint 'elbow'", "m")
    Traceback (most recent call last):
    loadpath.errors.ModelError: position of joint 'elbow' is 1e+308 m: expected at most 1e+15 m either way
    """
    if abs(value) > largest:
        raise ModelError(f"{what} is {value:g} {unit}: expected at most {largest:g} {unit} either way")
    return value


def name(value: object, what: str) -> str:
    """A name that is a non-empty string."""
    if not isinstance(value, str) or not value.strip():
        raise ModelError(f"{what} is {value!r}: expected a non-empty name")
    return value


# Names that users give, looked up, with errors that show what there is.


def known(name: str, names: Iterable[str], what: str) -> str:
    """The name, or an error with the nearest one that there is."""
    names = list(names)
    if name in names:
        return name
    raise ValueError(f"no {what} {name!r}{nearest(name, names, 'there are')}")


def nearest(name: str, names: Iterable[str], otherwise: str = "it has") -> str:
    """A hint for a misspelt name."""
    names = list(names)
    close = difflib.get_close_matches(str(name)[:200], [other for other in names if len(other) < 200], n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; {otherwise} {', '.join(names[:12]) or 'none'}{' ...' if len(names) > 12 else ''}"


# Options that take a set of names: a name, some names, or a mapping that changes the usual ones.


Names: TypeAlias = Mapping[str, bool] | Iterable[str] | str | None
"""A name, several, or a mapping from names to whether they count, the others as usual; None: as usual."""


def chosen_names(given: object, known: Sequence[str], what: str, kind: str = "name") -> tuple[str, ...]:
    """The names chosen, in their own order; all of them unless given. Errors say what is none, and what there is.

    A mapping says which of the usual names count: `{"shear": False}` is all but shear.

    >>> chosen_names(["b", "a"], ("a", "b", "c"), "'parts'"), chosen_names({"b": False}, ("a", "b", "c"), "'parts'")
    (('a', 'b'), ('a', 'c'))
    >>> chosen_names({"b": "no"}, ("a", "b", "c"), "'parts'")
    Traceback (most recent call last):
    ValueError: 'parts' has 'no' for 'b': expected True or False; others than the names given stay as usual
    """
    if given is None:
        return tuple(known)
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, Iterable):
        raise ValueError(f"{what} is {given!r}: expected some of {_listed(known)}")
    asked = list(given)
    wrong = [name for name in asked if not isinstance(name, str) or name not in known]
    if wrong:
        raise ValueError(f"{what}: {wrong[0]!r} is no {kind}: there are {_listed(known)}")
    if not isinstance(given, Mapping):
        return tuple(name for name in known if name in asked)
    for name, value in given.items():
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{what} has {value!r} for '{name}': expected True or False; others than the names given "
                             "stay as usual")
    return tuple(name for name in known if given.get(name, True))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
