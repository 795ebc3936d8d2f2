"""From the tables of a project file to the robot with its beams, payload, limits, drives and parts, and to what acts
on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from loadpath.api import Robot
from loadpath.errors import ModelError
from loadpath.motion.with_units import slides_of
from loadpath.parts.kinds import has_own_kind, kinds, part_class
from loadpath.parts.part import Part
from loadpath.project.document import Document, meant
from loadpath.project.kinds import (
    converted,
    first_refused,
    keys_of,
    looked_up,
    made_of,
    named_in,
    section_class,
    section_kinds,
    tuples,
)
from loadpath.project.sources import bare_robot
from loadpath.quantities.wrench import Wrench
from loadpath.robot.drive_train.drive import Drive, Friction, LineSpring, TorsionSpring
from loadpath.robot.edit import PAYLOAD
from loadpath.robot.materials import SNCurve, materials
from loadpath.robot.measures import measured_by
from loadpath.robot.parts import Limits
from loadpath.robot.pedigree import OF_ROBOT, with_pedigree
from loadpath.robot.units import in_project_file
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
    made = looked_up(document, section_class, kind, (table, key, number))
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
        one = converted(AtKey(document, key), {name: value}, table, number, of=kind)[name]
        found[name] = tuples(one)
    return found


class AtKey(Document):
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

def robot_of(document: Document, others: tuple[str, ...] = ()) -> Robot:
    """The robot with all that the file gives it. Names of parts may also be `others`: those of wheels, whose ratings
    the base takes.
    """
    robot = with_beams(document, bare_robot(document))
    with in_project_file():
        robot = _with_payload(document, robot)
        robot = _edited(document, "limits", Limits, robot, Robot.with_limits, lambda given, *_: given)
        robot = _edited(document, "drives", Drive, robot, Robot.with_drives, _drive)
        return _with_parts(document, _with_pedigree(document, robot), others)


def _with_pedigree(document: Document, robot: Robot) -> Robot:
    said = document.table("pedigree", OF_ROBOT)
    try:
        return with_pedigree(robot, said)
    except ModelError as problem:
        document.refuse(str(problem), ("pedigree",), named_in(said, str(problem)))


def _with_payload(document: Document, robot: Robot) -> Robot:
    table = document.table("payload", PAYLOAD)
    if not table:
        return robot
    if "mass" not in table:
        document.refuse("no mass is given: expected mass = 5.0, in kg", ("payload",))
    values = converted(document, table, ("payload",), of=PAYLOAD)
    guess = values.pop("guess", False)
    if not isinstance(guess, bool):
        document.refuse(f"guess is {guess!r}: expected true or false", ("payload",), "guess")
    try:
        loaded = robot.with_payload(**values)
        added = tuple(name for name in loaded.link_names if name not in robot.link_names)
        return replace(loaded, guessed_masses=(*loaded.guessed_masses, *added)) if guess else loaded
    except (ValueError, TypeError) as problem:
        said = str(problem)
        document.refuse(said, ("payload",), named_in(values, said.replace("center of mass", "center_of_mass")))


def _edited(
    document: Document,
    name: str,
    kind: type,
    robot: Robot,
    edit: Callable[[Robot, Any], Robot],
    make: Callable[..., object],
) -> Robot:
    """The robot with tables by joints, like [drives.joint2], all at once: each edit makes a whole robot anew."""
    known, slides = {*robot.dof_names, *robot.joint_names}, slides_of(robot)
    table = document.table(name)
    made: list[tuple[str, object]] = []
    for joint, given in table.items():
        place = (name, joint)
        if joint not in known:
            document.refuse(f"robot '{robot.name}' has no joint '{joint}'{meant(joint, robot.dof_names)}", place)
        if not isinstance(given, dict):
            document.refuse(f"'{joint}' is {given!r}: expected a table [{name}.{joint}]", (name,), joint)
        values: dict[str, Any] = {}
        for key, value in given.items():
            values |= converted(document, {key: value}, place, of=kind, slides=_slides(key, slides.get(joint)))
        made.append((joint, make(values, document, place)))
    try:
        return edit(robot, dict(made)) if made else robot
    except (ValueError, TypeError) as all_of_them:
        number, problem = first_refused(lambda few: edit(robot, dict(made[:few])), len(made), all_of_them)
        joint, _ = made[number]
        document.refuse(str(problem), (name, joint), named_in(table[joint], str(problem)))


def _slides(key: str, joint: bool | None) -> bool | None:
    """Whether a key of a joint that slides, or turns, measures what slides: a brake of a slide holds it or the shaft of
    its screw.
    """
    return None if key == "brake" and joint else joint


def _drive(given: Mapping[str, Any], document: Document, place: tuple[str, ...]) -> Drive:
    values = dict(given)
    for key, kinds_ in (("friction", (Friction,)), ("spring", (TorsionSpring, LineSpring))):
        if isinstance(values.get(key), dict):
            kind = kinds_[-1] if "on_parent" in values[key] else kinds_[0]
            values[key] = made_of(document, kind, values[key], place, key)
    if isinstance(values.get("efficiency"), list):
        values["efficiency"] = tuple(values["efficiency"])
    return made_of(document, Drive, values, place)  # type: ignore[no-any-return]


# Parts


def _with_parts(document: Document, robot: Robot, others: tuple[str, ...]) -> Robot:
    """The robot with the parts of all joints, all at once: a motor may stand before the gear that says its ratio, and
    each edit makes a whole robot anew.
    """
    names = (*robot.closed_joint_names, *others)
    known, of_others = set(names), set(others)
    fitted: list[tuple[str, int, Part]] = []
    for joint, given in document.table("parts").items():
        table = ("parts", joint)
        if joint in of_others:
            continue
        if joint not in known:
            document.refuse(f"robot '{robot.name}' has no joint '{joint}'{meant(joint, names)}", table)
        for number, one in enumerate(given if isinstance(given, list) else [given]):
            if not isinstance(one, dict):
                document.refuse(f"a part is {one!r}: expected a table [[parts.{joint}]] with its kind", table)
            fitted.append((joint, number, part_of(document, one, table, number)))

    def with_first(count: int) -> Robot:
        by_joint: dict[str, list[Part]] = {}
        for joint, _, part in fitted[:count]:
            by_joint.setdefault(joint, []).append(part)
        return robot.with_parts(by_joint)

    try:
        return with_first(len(fitted)) if fitted else robot
    except ValueError as all_of_them:
        place, problem = first_refused(with_first, len(fitted), all_of_them)
        joint, number, _ = fitted[place]
        document.refuse(str(problem), ("parts", joint), "kind", number)


def part_of(document: Document, given: Mapping[str, Any], table: tuple[str, ...], number: int = 0) -> Part:
    """A part from a table with its `kind` and its catalogue numbers; parts in it are tables with a kind as well."""
    kind = given.get("kind")
    if kind is None:
        document.refuse(f"no kind is given: expected one of {', '.join(kinds())}", table, None, number)
    if not isinstance(kind, str):
        document.refuse(f"kind is {kind!r}: expected one of {', '.join(kinds())}", table, "kind", number)
    made = looked_up(document, part_class, kind, (table, "kind", number))
    if made is None:
        document.refuse(f"no part is a '{kind}'{meant(kind, kinds())}", table, "kind", number)
    own = {part.name for part in fields(made)}  # type: ignore[arg-type]
    slides = bool(given.get("linear")) if "linear" in own else None
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key == "kind" or key in SOURCE:
            continue
        if isinstance(value, dict) and "kind" in value and key in own:
            values[key] = part_of(document, value, table, number)
        else:
            plain = converted(document, {key: value}, table, number, of=made, slides=slides)[key]
            values["kind" if key == "type" and has_own_kind(made) else key] = tuples(plain)
    part: Part = made_of(document, made, values, table, None, number)
    return _with_source(document, part, given, table, number)


SOURCE = ("source", "edition", "pedigree")
"""Keys of any part: where its numbers come from, and how well they are known."""


def _with_source(document: Document, part: Part, given: Mapping[str, Any], table: tuple[str, ...], number: int) -> Part:
    line = document.line_of(table, None, number)
    said = {key: given[key] for key in SOURCE if key in given}
    try:
        return part.with_source(said.pop("source", ""), **said,
                                place=f"{document.path.name}, line {line}" if line else document.path.name)
    except ModelError as problem:
        document.refuse(str(problem), table, named_in(said, str(problem)) or "source", number)


# What acts from outside


def external_of(document: Document, robot: Robot) -> dict[str, Wrench] | None:
    """Wrenches by the names of their links."""
    found = {}
    for link, given in document.table("external").items():
        table = ("external", link)
        if link not in robot.link_names:
            document.refuse(f"robot '{robot.name}' has no link '{link}'{meant(link, robot.link_names)}", table)
        if not isinstance(given, dict):
            document.refuse(f"'{link}' is {given!r}: expected a table [external.{link}]", ("external",), link)
        found[link] = made_of(document, Wrench, converted(document, given, table, of=Wrench), table)
    return found or None
