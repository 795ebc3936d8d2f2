"""Beams, guides and compliant joints of a project file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadpath.api import Robot
from loadpath.project.document import Document, meant
from loadpath.project.kinds import (
    converted,
    keys_of,
    made_of,
    named_in,
    section_classes,
    section_kinds,
    slides_of,
    tuples,
)
from loadpath.robot.materials import SNCurve, materials
from loadpath.robot.measures import measured_by
from loadpath.structure import ALUMINIUM, CARBON_UD, STEEL, TITANIUM, Beam, Guide, JointCompliance, Material, Segment

Place = tuple[tuple[str, ...], int]
"""A table of the document, and its number in an array of tables."""

PLAIN_MATERIALS = {"steel": STEEL, "aluminium": ALUMINIUM, "titanium": TITANIUM, "carbon": CARBON_UD}
"""Materials by everyday names; grades are those of the catalogue."""


def with_beams(document: Document, robot: Robot) -> Robot:
    """The robot with its beams, guides and compliant joints, or as it is if it has none."""
    beams = {link: _beams(document, link, given) for link, given in _tables(document, "beams", robot.link_names, robot)}
    guides = {joint: _guide(document, given, (("guides", joint), 0))
              for joint, given in _tables(document, "guides", robot.joint_names, robot)}
    slides = slides_of(robot)
    soft = {joint: _compliance(document, joint, given, slides.get(joint))
            for joint, given in _tables(document, "joint_compliance", robot.joint_names, robot)}
    from_beams = document.content.get("robot", {}).get("inertia_from_beams", False)
    if not isinstance(from_beams, bool):
        document.refuse(f"inertia_from_beams is {from_beams!r}: expected true or false", ("robot",),
                        "inertia_from_beams")
    if from_beams and not beams:
        document.refuse("inertia_from_beams is true, but there is no [beams.link]", ("robot",), "inertia_from_beams")
    if not (beams or guides or soft):
        return robot
    try:
        return robot.with_beams(beams or None, joint_compliance=soft or None, guides=guides or None,
                                inertia_from_beams=from_beams)
    except (ValueError, TypeError) as problem:
        said = str(problem)
        for table, entries in (("beams", beams), ("guides", guides), ("joint_compliance", soft)):
            if name := next((name for name in entries if f"'{name}'" in said), None):
                document.refuse(said, (table, name))
        document.refuse(said, ("beams",))


def _tables(document: Document, name: str, known: tuple[str, ...], robot: Robot) -> list[tuple[str, Any]]:
    """The tables below one, by names of links or joints that the robot has."""
    what = "link" if name == "beams" else "joint"
    found = document.table(name)
    for key in found:
        if key not in known:
            document.refuse(f"robot '{robot.name}' has no {what} '{key}'{meant(key, known)}", (name, key))
    return list(found.items())


def _beams(document: Document, link: str, given: Any) -> list[Beam]:
    several = given if isinstance(given, list) else [given]
    found = []
    for number, one in enumerate(several):
        place = (("beams", link), number)
        found.append(_beam(document, _table(document, one, place, f"[beams.{link}]"), place))
    return found


def _beam(document: Document, given: Mapping[str, Any], place: Place) -> Beam:
    document.check_keys(given, keys_of(Beam), *place)
    known = measured_by(Beam)
    if isinstance(given.get("end"), list):  # a point, as the start is; otherwise the name of a joint
        known["end"] = known["start"]
    values = converted(document, {key: value for key, value in given.items() if key not in _MADE}, *place, of=known)
    values = {key: tuples(value) for key, value in values.items()}
    for key in ("section", "end_section"):
        if key in given:
            values[key] = _section(document, given[key], place, key)
    if "material" in given:
        values["material"] = _material(document, given["material"], place)
    if "guide" in given:
        values["guide"] = _guide(document, given["guide"], place, "guide")
    if "segments" in given:
        values["segments"] = _segments(document, given["segments"], place)
    table, number = place
    return made_of(document, Beam, values, table, None, number)  # type: ignore[no-any-return]


_MADE = ("section", "end_section", "material", "guide", "segments")


def _segments(document: Document, given: Any, place: Place) -> tuple[Segment, ...]:
    table, number = place
    if not isinstance(given, list) or not given:
        document.refuse("segments: expected a list like [{ share = 0.4, section = {...}, material = \"steel\" }, ...]",
                        table, "segments", number)
    found = []
    for one in given:
        values = _of_key(document, _table(document, one, place, "segments", "segments"), place, "segments", Segment)
        for key in ("section", "end_section"):
            if key in values:
                values[key] = _section(document, values[key], place, "segments")
        if "material" in values:
            values["material"] = _material(document, values["material"], place, "segments")
        found.append(made_of(document, Segment, values, table, "segments", number))
    return tuple(found)


def _section(document: Document, given: Any, place: Place, key: str) -> Any:
    """A cross section by its kind, like { kind = "tube", outer_radius = "40 mm", wall = "3 mm" }."""
    table, number = place
    values = dict(_table(document, given, place, key, key))
    kind = values.pop("kind", None)
    if not isinstance(kind, str):
        said = f"{key} has no kind" if kind is None else f"kind of the {key} is {kind!r}"
        document.refuse(f"{said}: expected one of {', '.join(section_kinds())}", table, key, number)
    made = section_classes().get(kind.lower())
    if made is None:
        document.refuse(f"no section is a '{kind}'{meant(kind, section_kinds())}", table, key, number)
    values = _of_key(document, values, place, key, made)
    return made_of(document, made, values, table, key, number)


def _material(document: Document, given: Any, place: Place, key: str = "material") -> Material:
    """A material by its name, or by its numbers."""
    table, number = place
    if isinstance(given, str):
        if given in PLAIN_MATERIALS:
            return PLAIN_MATERIALS[given]
        if given not in materials:
            known = [*PLAIN_MATERIALS, *materials]
            document.refuse(f"no material '{given}'{meant(given, known)}", table, key, number)
        return materials[given]
    values = dict(_table(document, given, place, key, key))
    if isinstance(values.get("fatigue"), dict):
        numbers = _of_key(document, values["fatigue"], place, key, SNCurve)
        values["fatigue"] = made_of(document, SNCurve, numbers, table, key, number)
    fatigue = values.pop("fatigue", None)
    values = _of_key(document, values, place, key, Material)
    if fatigue is not None:
        values["fatigue"] = fatigue
    return made_of(document, Material, values, table, key, number)  # type: ignore[no-any-return]


def _guide(document: Document, given: Any, place: Place, key: str | None = None) -> Guide:
    table, number = place
    values = _table(document, given, place, f"[{'.'.join(table)}]", key)
    values = converted(document, values, table, number, of=Guide) if key is None else _of_key(
        document, values, place, key, Guide
    )
    return made_of(document, Guide, _known(document, Guide, values, place, key), table, key, number)  # type: ignore[no-any-return]


def _compliance(document: Document, joint: str, given: Any, slides: bool | None) -> JointCompliance:
    place = (("joint_compliance", joint), 0)
    values = converted(document, _table(document, given, place, f"[joint_compliance.{joint}]"), *place,
                       of=JointCompliance, slides=slides)
    values = {key: tuples(value) for key, value in _known(document, JointCompliance, values, place, None).items()}
    try:
        return JointCompliance(**values)
    except (ValueError, TypeError) as problem:
        document.refuse(str(problem), place[0], named_in(values, str(problem)))


def _known(
    document: Document, kind: type, values: Mapping[str, Any], place: Place, key: str | None
) -> Mapping[str, Any]:
    """The same values, if the keys are those of a class that users give."""
    table, number = place
    for name in values:
        if name not in keys_of(kind):
            document.refuse(f"'{name}' is not known{meant(name, keys_of(kind))}", table, key or name, number)
    return values


def _of_key(document: Document, given: Mapping[str, Any], place: Place, key: str, kind: type) -> dict[str, Any]:
    """The values of an inline table in SI units; mistakes are those of its key."""
    table, number = place
    found = {}
    for name, value in given.items():
        one = converted(_AtKey(document, key), {name: value}, table, number, of=kind)[name]
        found[name] = tuples(one)
    return found


class _AtKey(Document):
    """The document seen from an inline table: whatever is wrong in it has the line of its key."""

    def __init__(self, document: Document, key: str) -> None:
        self.__dict__.update(document.__dict__)
        self._key = key

    def line_of(self, table: tuple[str, ...], key: str | None = None, number: int = 0) -> int | None:
        return super().line_of(table, self._key, number)


def _table(document: Document, given: Any, place: Place, what: str, key: str | None = None) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        table, number = place
        document.refuse(f"{what} is {given!r}: expected a table", table, key, number)
    return given
