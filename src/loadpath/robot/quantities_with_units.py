"""Quantities of libraries of units, as Pint has them, as SI numbers: by their `to_base_units()`, `magnitude` and
`units` alone. No such library is imported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

BASE = {"kg": "kilogram", "m": "meter metre", "s": "second", "A": "ampere", "K": "kelvin"}
_BASE_UNITS = {word: unit for unit, words in BASE.items() for word in (unit, *words.split())}
_NOTHING = frozenset({"dimensionless", "rad", "radian", "turn", "count", ""})

DIMENSIONS = {
    "length": "m", "angle": "", "mass": "kg", "force": "kg m s-2", "torque": "kg m2 s-2", "time": "s", "life": "s",
    "speed": "s-1", "speed of a slide": "m s-1", "acceleration": "m s-2", "angular acceleration": "s-2",
    "moment of inertia": "kg m2", "torsional stiffness": "kg m2 s-2", "stiffness": "kg s-2",
    "damping": "kg m2 s-1", "damping of a slide": "kg s-1", "voltage": "kg m2 s-3 A-1", "current": "A",
    "resistance": "kg m2 s-3 A-2", "inductance": "kg m2 s-2 A-2", "energy": "kg m2 s-2", "power": "kg m2 s-3",
    "motor constant": "kg m2 s-2 A-1", "share": "", "area": "m2", "section modulus": "m3",
    "second moment of area": "m4", "stress": "kg m-1 s-2", "density": "kg m-3", "frequency": "s-1",
    "temperature": "K", "thermal resistance": "K s3 kg-1 m-2", "temperature coefficient": "K-1", "plain number": "",
}
"""What each kind of number is in SI base units; angles have none."""
OF_SLIDES = {"motor constant": "kg m s-2 A-1"}
"""Likewise, at a joint that slides: N/A."""
_HOUR, _FREEZING = 3600.0, 273.15


def is_quantity(value: object) -> bool:
    """Whether it is a number with a unit of its own."""
    return hasattr(value, "to_base_units") and not isinstance(value, type)


def of_quantity(value: Any, kinds: Sequence[str], key: str) -> object:
    """A quantity as an SI number of one of these kinds (lives in hours, temperatures in degrees Celsius), arrays as
    nested lists; of a speed constant (rpm/V), whose inverse is the motor constant, that. An error where it is none.
    """
    base = value.to_base_units()
    units = str(base.units)
    size = _exponents(units, key, value)
    number = base.magnitude
    for kind in kinds:
        for dimension in (DIMENSIONS[kind], OF_SLIDES.get(kind)):
            if dimension is None:
                continue
            if size == _of(dimension):
                shifted = number / _HOUR if kind == "life" else number - _FREEZING if kind == "temperature" else number
                return _plain(shifted)
            if kind == "motor constant" and size == {unit: -power for unit, power in _of(dimension).items()}:
                if not number:
                    raise ValueError(f"{key} is {value}: a speed constant is more than zero")
                return _plain(1.0 / number)
    expected = " or ".join(f"{'an' if kind[0] in 'aei' else 'a'} {kind}" for kind in kinds)
    raise ValueError(f"{key} is {value}, in base units {number} {units}: expected {expected}")


def _plain(number: Any) -> object:
    return number.tolist() if hasattr(number, "tolist") else number


def _of(dimension: str) -> dict[str, int]:
    """The exponents of a dimension as it is written above."""
    parts = (re.fullmatch(r"([A-Za-z]+)(-?\d+)?", part) for part in dimension.split())
    return {part[1]: int(part[2] or 1) for part in parts if part is not None}


def _exponents(units: str, key: str, value: object) -> dict[str, int]:
    """The exponents of base units in text like "kilogram * meter ** 2 / second ** 2"."""
    found: Counter[str] = Counter()
    for sign, factor in re.findall(r"(^|[*/])\s*([^*/]+(?:\*\*\s*[-+.\d]+)?)", units.replace("^", "**")):
        word, _, power = (part.strip() for part in factor.partition("**"))
        if word in _NOTHING or word == "1":
            continue
        if word not in _BASE_UNITS:
            raise ValueError(f"{key} is {value}, in base units {units}: expected kilogram, meter, second, ampere and "
                             "kelvin")
        exponent = float(power or 1)
        found[_BASE_UNITS[word]] += int(exponent if sign != "/" else -exponent)
    return {unit: power for unit, power in found.items() if power}
