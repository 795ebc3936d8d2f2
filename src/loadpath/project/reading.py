"""From the tables of a project file to the robot with its payload, limits, drives and parts, and to what acts on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from loadpath.api import Robot
from loadpath.parts.part import Part
from loadpath.project.beams import with_beams
from loadpath.project.document import Document, meant
from loadpath.project.kinds import (
    converted,
    first_refused,
    has_own_kind,
    kinds,
    made_of,
    named_in,
    part_classes,
    slides_of,
    tuples,
)
from loadpath.project.sources import bare_robot
from loadpath.quantities.wrench import Wrench
from loadpath.robot.drive_train.drive import Drive, Friction, LineSpring, TorsionSpring
from loadpath.robot.measures import Measures
from loadpath.robot.parts import Limits
from loadpath.robot.units import in_project_file

PAYLOAD: Mapping[str, Measures] = {
    "mass": ("mass",), "center_of_mass": ("length",), "inertia": ("moment of inertia",),
    "link": (), "name": (), "guess": (),
}
"""The options of `robot.with_payload`, and what they measure."""


def robot_of(document: Document, others: tuple[str, ...] = ()) -> Robot:
    """The robot with all that the file gives it. Names of parts may also be `others`: those of wheels, whose ratings
    the base takes.
    """
    robot = with_beams(document, bare_robot(document))
    with in_project_file():
        robot = _with_payload(document, robot)
        robot = _edited(document, "limits", Limits, robot, Robot.with_limits, lambda given, *_: given)
        robot = _edited(document, "drives", Drive, robot, Robot.with_drives, _drive)
        return _with_parts(document, robot, others)


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
    made = part_classes().get(kind.lower())
    if made is None:
        document.refuse(f"no part is a '{kind}'{meant(kind, kinds())}", table, "kind", number)
    own = {part.name for part in fields(made)}  # type: ignore[arg-type]
    slides = bool(given.get("linear")) if "linear" in own else None
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key == "kind":
            continue
        if isinstance(value, dict) and "kind" in value and key in own:
            values[key] = part_of(document, value, table, number)
        else:
            plain = converted(document, {key: value}, table, number, of=made, slides=slides)[key]
            values["kind" if key == "type" and has_own_kind(made) else key] = tuples(plain)
    return made_of(document, made, values, table, None, number)  # type: ignore[no-any-return]


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
