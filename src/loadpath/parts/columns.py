"""What columns of a table of parts are called: as people write them, and which of the user's own look like ratings."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from loadpath.errors import ModelError
from loadpath.printable import clipped
from loadpath.robot.units_of_text import kinds_of_unit, unit_in

NAMES = ("size", "model", "designation", "type_designation", "part", "part_number", "part_no", "order_code", "article",
         "product", "type")
"""What a column of names is called where none is called `name`."""
_RATINGS = frozenset(("torque", "force", "speed", "load", "moment", "current", "voltage", "power", "velocity", "thrust",
                      "acceleration", "rpm", "peak", "rated", "nominal", "max", "maximum", "rating", "limit", "stall",
                      "continuous", "holding", "momentary", "capacity", "life", "inertia", "stiffness", "c", "c0"))
"""Words of which one makes a column look like a rating."""
_OF_SIZE = frozenset(("length", "mass"))
"""What many a column of the user's own measures, without being a rating."""
_MOST_NEAREST = 4
_MOST_NAMED = 8


def plain(name: str) -> str:
    """A name of a column without capitals, spaces and signs.

    >>> plain(" Peak torque"), plain("max. torque"), plain("C0")
    ('peak_torque', 'max_torque', 'c0')
    """
    return re.sub(r"[\s.\-_]+", "_", name).strip("_").lower()


def spelled(cells: Mapping[str, Any], known: Iterable[str], place: str) -> dict[str, Any]:
    """The cells with columns by their known names, however they write them: "Peak torque" is `peak_torque`.

    >>> spelled({"Peak torque": "28 N m", "Thermal.limit": 125, "Price": 3}, ["peak_torque", "thermal"], "line 2")
    {'peak_torque': '28 N m', 'thermal.limit': 125, 'Price': 3}
    """
    names = {plain(name): name for name in known}
    found: dict[str, Any] = {}
    written_as: dict[str, str] = {}
    for name, value in cells.items():
        head, rest = parted(name)
        written = f"{names.get(plain(head), head)}{rest and '.'}{rest}"
        if written in found:
            raise ModelError(f"{place}: two columns are '{written}': '{written_as[written]}' and '{name}'")
        written_as[written] = name
        found[written] = value
    return found


def parted(name: str) -> tuple[str, str]:
    """A column of a table or list in two: its name, and what of it the column has.

    >>> parted("thermal.limit"), parted("stiffness.1"), parted("max. torque")
    (('thermal', 'limit'), ('stiffness', '1'), ('max. torque', ''))
    """
    head, _, rest = name.partition(".")
    return (name, "") if not rest or rest[0].isspace() else (head, rest)


def with_name(cells: dict[str, Any], own: Iterable[str]) -> dict[str, Any]:
    """With a name: where no column is called so, that of the sizes or models. A number stays a number as well.

    >>> with_name({"model": "CSG-14", "ratio": 100}, ["ratio"]), with_name({"Size": 14}, [])
    ({'ratio': 100, 'name': 'CSG-14'}, {'Size': 14, 'name': '14'})
    """
    if "name" in cells:
        return cells
    column = next((one for one in cells if plain(one) in NAMES and one not in own), None)
    if column is None or isinstance(cells[column], (bool, list, dict)):
        return cells
    value = cells[column]
    number = isinstance(value, (int, float))
    kept = {key: one for key, one in cells.items() if number or key != column}
    return {**kept, "name": f"{value:.15g}" if number else str(value)}


def looks_like_rating(name: str, value: object, measured: Iterable[str]) -> bool:
    """Whether a column of the user's own was probably meant as a number of the part, by its name or its unit.

    >>> looks_like_rating("max_torque", 28, ["torque"]), looks_like_rating("T", "28 N m", ["torque"])
    (True, True)
    >>> looks_like_rating("price", 300, ["torque"]), looks_like_rating("outer", "70 mm", ["torque"])
    (False, False)
    """
    text = isinstance(value, str) and unit_in(value) is None
    kinds = set(_kinds_in(value))
    return bool((not text and _RATINGS & set(_words(name))) or kinds - _OF_SIZE or kinds & set(measured))


def _words(name: str) -> list[str]:
    """Of a column, also of one in camel case: "maxTorque"."""
    return plain(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).split("_")


def _kinds_in(value: object) -> tuple[str, ...]:
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    unit = unit_in(value) if isinstance(value, str) else None
    return kinds_of_unit(unit) if unit else ()


def nearest_columns(name: str, value: object, known: Mapping[str, tuple[Any, ...]]) -> list[str]:
    """The known numbers that a column is most like: those that its unit can measure, by words, then by letters.

    >>> nearest_columns("repeated_peak_torque", 28, {"rated_speed": ("speed",), "peak_torque": ("torque",)})
    ['peak_torque']
    >>> nearest_columns("limit", "28 N m", {"rated_speed": ("speed",), "peak_torque": ("torque",)})
    ['peak_torque']
    """
    kinds, words = set(_kinds_in(value)), _words(name)

    def likeness(other: str) -> tuple[int, float]:
        theirs = other.lower().split("_")
        shared = len(set(words) & set(theirs)) + (words[-1] == theirs[-1])
        return shared, difflib.SequenceMatcher(None, "_".join(words)[:100], other).ratio()

    fitting = [one for one, what in known.items() if not kinds or kinds & {each for each in what if type(each) is str}]
    ranked = sorted(fitting, key=likeness, reverse=True)
    alike = [one for one in ranked if likeness(one)[0]] or ranked
    return alike[:_MOST_NEAREST]


def words_of_own(kind: str, columns: Mapping[str, object], known: Mapping[str, tuple[Any, ...]]) -> str:
    """What is said of columns that look like ratings, and are none."""
    said = []
    for name, value in list(columns.items())[:_MOST_NAMED]:
        near = nearest_columns(name, value, known)
        said.append(f"'{clipped(name)}'" + (f" (known: {', '.join(near)})" if near else ""))
    more = f" and {len(columns) - len(said)} more" if len(columns) > len(said) else ""
    are, them = ("this column is", "it") if len(columns) == 1 else ("these columns are", "them")
    return f"{are} taken as your own, and no check of a {kind} reads {them}: {', '.join(said)}{more}"
