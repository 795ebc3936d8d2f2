"""Values of parameters: numbers, text with units, parts and other objects, as columns of many designs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from loadpath.robot.conditions import Kinds
from loadpath.robot.units_of_text import in_si, kinds_of_unit, unit_in

Column: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.generic]]"
"""Values of designs, (designs,): numbers or objects."""
Columns: TypeAlias = "dict[str, Column]"
"""Values of designs by parameter: (designs,) each, numbers or objects."""


def read_list(name: str, value: Any) -> list[Any]:
    """The entries of a list: numbers as floats, text with a unit as it is, other objects as they are."""
    entries = value.tolist() if isinstance(value, np.ndarray) else list(value)
    found = []
    for entry in entries:
        plain = entry.item() if isinstance(entry, np.generic) else entry
        if isinstance(plain, (int, float)) and not isinstance(plain, bool):
            if not math.isfinite(plain):
                raise ValueError(f"'{name}' has the value {plain}: expected finite numbers")
            plain = float(plain)
        elif isinstance(plain, str):
            unit = unit_in(plain)
            if unit and not kinds_of_unit(unit):
                raise ValueError(f"'{name}' has the value {plain!r}: the unit '{unit}' is not known")
            if unit == "":
                raise ValueError(f"'{name}' has the value {plain!r}: expected a number, or text with a unit")
            if unit:
                kinds = kinds_of_unit(unit)
                plain = _Quantity(float(in_si(plain, kinds[:1], name)), plain)  # type: ignore[arg-type]
        found.append(plain)
    quantities = [entry for entry in found if isinstance(entry, _Quantity)]
    if quantities and len(quantities) < len(found):
        raise ValueError(f"'{name}' has values with and without a unit: {value!r}; expected one or the other")
    if quantities:
        several = [set(kinds_of_unit(unit_in(entry.text) or "")) for entry in quantities]
        if not set.intersection(*several):
            raise ValueError(f"'{name}' has values of several kinds: {value!r}; expected one")
        return [entry.text for entry in quantities]
    return found


@dataclass(frozen=True)
class _Quantity:
    number: float
    text: str


def kinds_of_text(text: str) -> Kinds:
    return kinds_of_unit(unit_in(text) or "")


def number_in_si(end: float | str, name: str, kinds: Kinds) -> float:
    """In SI units."""
    if isinstance(end, str):
        known = kinds_of_text(end)
        as_ = tuple(kind for kind in kinds if kind in known)
        return float(in_si(end, (as_ or kinds or known)[:1], name))  # type: ignore[arg-type]
    return float(end)


def column_of(values: Sequence[Any]) -> Any:
    """Values as an array: of numbers where all are, else of objects."""
    if all(isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
           for value in values):
        return np.array([float(value) for value in values])
    array = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        array[k] = value
    return array


# Words for values

def label(value: Any) -> str:
    """A word for a value that is no number: its own name, or label."""
    if isinstance(value, str):
        return value
    for part in ("label", "name"):
        text = getattr(value, part, None)
        if isinstance(text, str) and text:
            return text
    return str(value)


def words_of(values: Any) -> list[str]:
    """Words for values, each its own."""
    words = [label(value) for value in values]
    seen: dict[str, list[Any]] = {}
    found = []
    for word, value in zip(words, values, strict=True):
        known = seen.setdefault(word, [])
        place = next((k for k, other in enumerate(known) if other is value or _equal(other, value)), None)
        if place is None:
            place = len(known)
            known.append(value)
        found.append(word if place == 0 else f"{word} ({place + 1})")
    return found


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except (TypeError, ValueError):
        return False


def written(value: Any) -> str:
    """A value as a table shows it."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}" if math.isfinite(value) else str(value)
    return str(value) if isinstance(value, (int, np.integer)) else label(value)
