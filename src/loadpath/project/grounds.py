"""The ground of a project file: `[base.ground]` with its surface, patches and motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadpath.mobile import (
    Ground,
    GroundMotion,
    HeightMap,
    Kerb,
    Patch,
    Ramp,
    Sinusoid,
    Surface,
    TimeSeries,
    WheelFriction,
)
from loadpath.project.document import Document, meant
from loadpath.project.kinds import converted, made_of, tuples

SURFACES: Mapping[str, type[Surface]] = {"height map": HeightMap, "kerb": Kerb, "ramp": Ramp}
"""By their kinds."""
_PLACE = ("base", "ground")


def friction_of(document: Document, given: Any, table: tuple[str, ...], number: int = 0) -> WheelFriction:
    """A friction from its table."""
    if not isinstance(given, dict):
        document.refuse(f"friction is {given!r}: expected a table like {{ sliding = 0.6, rolling = 0.01 }}", table,
                        "friction", number)
    values = converted(document, given, table, number, of=WheelFriction)
    return made_of(document, WheelFriction, values, table, "friction", number)  # type: ignore[no-any-return]


def ground_of(document: Document, given: Any) -> Ground | None:
    """The ground under the wheels; None where the file does not say."""
    if given is None:
        return None
    if not isinstance(given, dict):
        document.refuse(f"ground is {given!r}: expected a table [base.ground]", ("base",), "ground")
    values = converted(document, {key: given[key] for key in given if key != "friction"}, _PLACE, of=Ground)
    if "friction" in given:
        values["friction"] = friction_of(document, given["friction"], _PLACE)
    if "surface" in values:
        values["surface"] = _surface(document, values["surface"])
    if "patches" in values:
        each = _tables(document, values["patches"], "patches", "[[base.ground.patches]] with corners and friction")
        values["patches"] = tuple(_patch(document, one) for one in each)
    if "motion" in values:
        values["motion"] = _motion(document, values["motion"])
    return made_of(document, Ground, values, _PLACE)  # type: ignore[no-any-return]


def _tables(document: Document, given: Any, key: str, expected: str) -> list[dict[str, Any]]:
    several = given if isinstance(given, list) else [given]
    if not several or not all(isinstance(one, dict) for one in several):
        document.refuse(f"{key}: expected {expected}", _PLACE, key)
    return several


def _surface(document: Document, given: Any) -> Surface:
    """One surface, or the sum of several."""
    found: Surface | None = None
    for one in _tables(document, given, "surface", "a table with a kind, or several whose heights add up"):
        values = {key: tuples(value) for key, value in one.items()}
        kind = values.pop("kind", None)
        if not isinstance(kind, str) or kind.lower() not in SURFACES:
            document.refuse(f"the kind of a surface is {kind!r}{meant(str(kind), SURFACES)}", _PLACE, "surface")
        made: Surface = made_of(document, SURFACES[kind.lower()], values, _PLACE, "surface")
        found = made if found is None else found + made
    assert found is not None
    return found


def _patch(document: Document, given: dict[str, Any]) -> Patch:
    values = {key: tuples(value) for key, value in given.items()}
    if "friction" in values:
        values["friction"] = friction_of(document, values["friction"], _PLACE)
    return made_of(document, Patch, values, _PLACE, "patches")  # type: ignore[no-any-return]


def _motion(document: Document, given: Any) -> GroundMotion:
    if not isinstance(given, dict):
        document.refuse(f"motion is {given!r}: expected a table [base.ground.motion]", _PLACE, "motion")
    values = {key: _component(document, value) if key != "about" else tuples(value) for key, value in given.items()}
    return made_of(document, GroundMotion, values, _PLACE, "motion")  # type: ignore[no-any-return]


def _component(document: Document, given: Any) -> Any:
    """A number, a sinusoid (several add up) or a log."""
    if isinstance(given, list):
        return tuple(_component(document, one) for one in given)
    if not isinstance(given, dict):
        return given
    kind = TimeSeries if "times" in given or "values" in given else Sinusoid
    return made_of(document, kind, {key: tuples(value) for key, value in given.items()}, _PLACE, "motion")
