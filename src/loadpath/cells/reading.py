"""From the tables of a cell to a robot with its payload, drives and parts, and to what acts on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

from loadpath import catalog
from loadpath.api import Robot, load
from loadpath.cells.document import Document, meant
from loadpath.cells.kinds import has_own_kind, kinds, part_classes
from loadpath.cells.units import in_si
from loadpath.errors import ModelError
from loadpath.loads.carriers import carrier_names
from loadpath.loads.wrench import Wrench
from loadpath.parts.part import Part
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.drive_train.friction import Friction
from loadpath.robot.drive_train.springs import LineSpring, TorsionSpring

TABLES = ("robot", "payload", "limits", "drives", "parts", "motion", "cycle", "external", "verdict")
PAYLOAD = ("mass", "center_of_mass", "inertia", "link", "name")


# The robot


def robot_of(document: Document) -> Robot:
    """The robot with all that the file gives it."""
    document.check_keys(document.content, TABLES, ())
    robot = _bare(document)
    robot = _with_payload(document, robot)
    robot = _edited(document, "limits", robot.with_limits, robot, lambda given, *_: given)
    robot = _edited(document, "drives", robot.with_drives, robot, _drive)
    return _with_parts(document, robot)


def _bare(document: Document) -> Robot:
    table = document.table("robot", ("file", "catalog", "strict", "gravity"))
    given = [key for key in ("file", "catalog") if key in table]
    if len(given) != 1:
        said = "both 'file' and 'catalog' are given: leave one out" if given else (
            "which robot? expected file = \"arm.urdf\", or catalog = \"panda\""
        )  # fmt: skip
        document.refuse(said, ("robot",) if table else ())
    try:
        robot = _from_catalog(table["catalog"]) if given == ["catalog"] else load(
            file_of(document, table["file"], ("robot",)), strict=bool(table.get("strict", False))
        )  # fmt: skip
        if "gravity" not in table:
            return robot
    except ValueError as problem:
        if str(problem).startswith(str(document.path)):
            raise
        document.refuse(str(problem), ("robot",), given[0])
    try:
        return robot.with_gravity(in_si(table["gravity"], "gravity"))  # type: ignore[arg-type]
    except (ValueError, TypeError) as problem:
        document.refuse(str(problem), ("robot",), "gravity")


def _from_catalog(name: object) -> Robot:
    found = re.fullmatch(r"(\w+)((?::[0-9]{1,4})*)", str(name))
    if found is None or found[1] not in catalog.__all__:
        raise ModelError(f"no robot '{name}' in the catalog{meant(str(name), catalog.__all__)}")
    arguments = [int(part) for part in found[2].split(":")[1:]]
    try:
        made = getattr(catalog, found[1])(*arguments)
    except TypeError:
        raise ModelError(f"catalog robot '{name}' needs numbers after colons, like 'planar:3'") from None
    if not isinstance(made, Robot):
        raise ModelError(f"'{name}' is a {type(made).__name__}: a cell has a robot; rovers are made in Python")
    return made


def file_of(document: Document, name: object, table: tuple[str, ...], number: int = 0) -> Path:
    """A path, relative to the folder of the cell."""
    if not isinstance(name, str) or not name:
        said = f"file is {name!r}: expected a path, relative to the folder of this file"
        document.refuse(said, table, "file", number)
    path = document.path.parent / name
    if not path.is_file():
        document.refuse(f"there is no file '{name}' ({path})", table, "file", number)
    return path


def _with_payload(document: Document, robot: Robot) -> Robot:
    table = document.table("payload", PAYLOAD)
    if not table:
        return robot
    if "mass" not in table:
        document.refuse("no mass is given: expected mass = 5.0, in kg", ("payload",))
    values = converted(document, table, ("payload",))
    try:
        return robot.with_payload(**values)
    except (ValueError, TypeError) as problem:
        said = str(problem)
        document.refuse(said, ("payload",), _named(values, said.replace("center of mass", "center_of_mass")))


def _edited(
    document: Document, name: str, edit: Callable[[Any], Robot], robot: Robot, make: Callable[..., object]
) -> Robot:
    """The robot with tables by joints, like [drives.joint2]."""
    made = {}
    for joint, given in document.table(name).items():
        place = (name, joint)
        if joint not in (*robot.dof_names, *robot.joint_names):
            document.refuse(f"robot '{robot.name}' has no joint '{joint}'{meant(joint, robot.dof_names)}", place)
        if not isinstance(given, dict):
            document.refuse(f"'{joint}' is {given!r}: expected a table [{name}.{joint}]", (name,), joint)
        slides = _slides(robot, joint) if name == "limits" else None
        made[joint] = make(converted(document, given, place, slides=slides), document, place)
        try:
            edit({joint: made[joint]})
        except (ValueError, TypeError) as problem:
            document.refuse(str(problem), place, _named(given, str(problem)))
    return edit(made) if made else robot


def _slides(robot: Robot, name: str) -> bool | None:
    """Whether a joint or freedom slides; None of joints of several kinds."""
    turning = {turns for joint in robot.joints for freedom, turns in zip(joint.motion.labels, joint.motion.angular,
               strict=True) if name in (joint.name, f"{joint.name}.{freedom}")}  # fmt: skip
    return not turning.pop() if len(turning) == 1 else None


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


def _with_parts(document: Document, robot: Robot) -> Robot:
    names = carrier_names(robot)
    for joint, given in document.table("parts").items():
        table = ("parts", joint)
        if joint not in names:
            document.refuse(f"robot '{robot.name}' has no joint '{joint}'{meant(joint, names)}", table)
        several = given if isinstance(given, list) else [given]
        for number, one in enumerate(several):
            if not isinstance(one, dict):
                document.refuse(f"a part is {one!r}: expected a table [[parts.{joint}]] with its kind", table)
            part = part_of(document, one, table, number)
            try:
                robot = robot.with_parts({joint: part})
            except ValueError as problem:
                document.refuse(str(problem), table, "kind", number)
    return robot


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
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key == "kind":
            continue
        if isinstance(value, dict) and "kind" in value and key in own:
            values[key] = part_of(document, value, table, number)
        else:
            plain = converted(document, {key: value}, table, number)[key]
            values["kind" if key == "type" and has_own_kind(made) else key] = tuples(plain)
    return made_of(document, made, values, table, None, number)  # type: ignore[no-any-return]


def tuples(value: Any) -> Any:
    """Lists as tuples, which parts keep."""
    return tuple(tuples(entry) for entry in value) if isinstance(value, list) else value


def made_of(
    document: Document,
    kind: type,
    values: Mapping[str, Any],
    table: tuple[str, ...],
    key: str | None = None,
    number: int = 0,
) -> Any:
    """A dataclass of the library from the keys of a table."""
    assert is_dataclass(kind)
    names = [part.name for part in fields(kind) if part.init]
    for name in values:
        if name not in names:
            document.refuse(f"'{name}' is not known of {_called(kind)}{meant(name, names)}", table, key or name, number)
    missing = [part.name for part in fields(kind)
               if part.init and part.default is MISSING and part.default_factory is MISSING
               and part.name not in values]  # fmt: skip
    if missing:
        document.refuse(f"{_called(kind)} needs {', '.join(missing)}", table, key or "kind", number)
    try:
        return kind(**values)
    except (ValueError, TypeError) as problem:
        document.refuse(str(problem), table, key or _named(values, str(problem)) or "kind", number)


def converted(
    document: Document, given: Mapping[str, Any], table: tuple[str, ...], number: int = 0, slides: bool | None = None
) -> dict[str, Any]:
    """The values of a table in SI units; text with a unit that its key does not take is refused."""
    found = {}
    for key, value in given.items():
        try:
            found[key] = in_si(value, key, slides)
        except ValueError as problem:
            document.refuse(str(problem), table, key, number)
    return found


def _named(values: Mapping[str, Any], problem: str) -> str | None:
    """The key that an error is about, if it names one."""
    return next((name for name in values if re.search(rf"(?<!\w){re.escape(name)}\b", problem)), None)


def _called(kind: type) -> str:
    return str(getattr(kind, "kind", kind.__name__.lower()))


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
        found[link] = made_of(document, Wrench, converted(document, given, table), table)
    return found or None
