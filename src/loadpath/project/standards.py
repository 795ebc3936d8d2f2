"""Tests of standards in a project file: `[[standards]]`, each with its kind and what `rover.standards` takes for it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.mobile.standards import TESTS
from loadpath.mobile.standards.result import StandardTest
from loadpath.project.document import Document, meant
from loadpath.project.kinds import converted, named_in
from loadpath.robot.arrays import numbers
from loadpath.robot.measures import Measures
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

MEASURES: Mapping[str, Measures] = {
    "speed": ("speed of a slide",), "deceleration": ("acceleration",), "distance": ("length",), "heading": ("angle",),
    "radius": ("length",), "slope": ("angle",), "height": ("length",), "force": ("force",), "load": ("mass",),
    "center_of_mass": ("length",), "rated_share": ("share",), "lighter_side": ("share",), "pad": ("area",),
    "plate": ("area",), "spread": ("length",), "allowed": ("stress",), "minimum": ("plain number",),
    "lateral_stiffness": ("stiffness",),
}
"""What their keys measure; others are words, yes or no, or poses."""
POSES = ("q", "qd", "lowered", "unloaded", "arm_deceleration")
"""Keys that take states of the joints: one, or a list of them."""
KINDS: Mapping[str, str] = {name.replace("_", " "): name for name in TESTS}
_LEFT_OUT = ("rover", "tests")
MOST_POSES = 20
"""Poses of the motion that a test is made in, where none are given."""
MOST_GIVEN = 10_000
_FLAGS = ("backward", "stops_dead", "deflected")
_WORDS = ("link", "mounting")
_BY_CONTACT = ("pad", "plate")
"""Keys that take a table with a number for each contact."""


@dataclass(frozen=True, eq=False)
class AskedTest:
    """A test of the file, yet to be made."""

    document: Document
    number: int
    name: str
    options: Mapping[str, Any]

    def of(self, rover: Rover, poses: Floats | None) -> StandardTest:
        """The test of a rover, in the poses of its motion where the file gives none."""
        options = dict(self.options)
        if poses is not None and "q" not in options:
            options["q"] = poses
        if "heading" in keys_of_test(self.name):  # every pose at every heading
            options |= {key: part[:, None] for key, part in options.items() if key in POSES and part.ndim == 2}
        try:
            found: StandardTest = getattr(rover.standards, self.name)(**options)
        except (ValueError, TypeError, OverflowError) as problem:
            self.document.refuse(str(problem), ("standards",), named_in(self.options, str(problem)), self.number)
        return found


def keys_of_test(name: str) -> dict[str, bool]:
    """What a test takes from a table, and whether it must be there."""
    every = inspect.signature(TESTS[name]).parameters.values()
    return {one.name: one.default is one.empty for one in every if one.name not in _LEFT_OUT}


def standards_of(document: Document, rover: Rover | None) -> tuple[AskedTest, ...]:
    """The tests that the file asks for."""
    given = document.content.get("standards", [])
    if not given:
        return ()
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        document.refuse("standards: expected tables [[standards]], each with a kind", (), "standards")
    if rover is None:
        document.refuse("tests of standards are of robots on wheels: add [[base.wheels]], or leave them out", (),
                        "standards")
    return tuple(_test(document, rover, one, number) for number, one in enumerate(given))


def _test(document: Document, rover: Rover, given: Mapping[str, Any], number: int) -> AskedTest:
    place = ("standards",)
    kind = given.get("kind")
    name = KINDS.get(kind.lower().replace("_", " ")) if isinstance(kind, str) else None
    if name is None:
        said = "no kind is given" if kind is None else f"no test is {kind!r}"
        document.refuse(f"{said}{meant(str(kind), KINDS)}", place, "kind", number)
    values = {key: value for key, value in given.items() if key != "kind"}
    known = keys_of_test(name)
    document.check_keys(values, known, place, number)
    missing = [key for key, needed in known.items() if needed and key not in values]
    if missing:
        document.refuse(f"{kind} needs {', '.join(missing)}", place, "kind", number)
    found = converted(document, values, place, number, of=MEASURES)
    for key, value in found.items():
        found[key] = _checked(document, rover, key, value, number)
    return AskedTest(document, number, name, found)


def _checked(document: Document, rover: Rover, key: str, value: Any, number: int) -> Any:
    """A value of the kind that its key takes."""
    place = ("standards",)
    try:
        if key in POSES:
            return _poses(rover, key, value)
        if key in _FLAGS:
            if not isinstance(value, bool):
                raise ValueError(f"{key} is {value!r}: expected true or false")
        elif key in _WORDS:
            if not isinstance(value, str):
                raise ValueError(f"{key} is {value!r}: expected a name, as text")
        elif isinstance(value, dict) and key in _BY_CONTACT:
            for contact, part in value.items():
                _finite(f"{key} of '{contact}'", part)
        else:
            _finite(key, value)
    except ValueError as problem:
        document.refuse(str(problem), place, key, number)
    return value


def _finite(key: str, value: Any) -> None:
    """An error for what is no number, or not finite; also in lists."""
    if isinstance(value, list):
        for one in value:
            _finite(key, one)
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{key} is {value!r}: expected a number")
    if not np.isfinite(value):
        raise ValueError(f"{key} is {value}: expected a finite number")


def _poses(rover: Rover, key: str, value: Any) -> Floats:
    """(n,) or (poses, n): states of the joints."""
    try:
        found = numbers(value, key)
    except (ValueError, TypeError):
        raise ValueError(f"{key} is {value!r}: expected {rover.nq} numbers, or lists of so many") from None
    if found.ndim not in (1, 2) or found.shape[-1] != rover.nq or not found.size:
        raise ValueError(f"{key} has the shape {found.shape}: expected {rover.nq} numbers, or lists of so many")
    if not np.isfinite(found).all():
        raise ValueError(f"{key} has a number that is not finite")
    if found.ndim == 2 and len(found) > MOST_GIVEN:
        raise ValueError(f"{key} has {len(found)} poses: expected at most {MOST_GIVEN}")
    return found
