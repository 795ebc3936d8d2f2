"""From the tables of a cell to a robot with its payload, drives and parts, and to its motion."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

from loadpath import catalog
from loadpath.api.robot import Robot, load
from loadpath.cells.document import Document, meant
from loadpath.cells.kinds import has_own_kind, kinds, part_classes
from loadpath.cells.units import in_si
from loadpath.errors import ModelError
from loadpath.loads.carriers import carrier_names
from loadpath.loads.wrench import Wrench
from loadpath.motion import Motion
from loadpath.motion.carried import Carried
from loadpath.motion.spectrum import DutySpectrum
from loadpath.parts.part import Part
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.drive_train.friction import Friction
from loadpath.robot.drive_train.springs import LineSpring, TorsionSpring

TABLES = ("robot", "payload", "limits", "drives", "parts", "motion", "cycle", "external", "verdict")
PAYLOAD = ("mass", "center_of_mass", "inertia", "link", "name")
READERS = {".csv": "from_csv", ".txt": "from_csv", ".npz": "from_npz", ".parquet": "from_parquet"}
OF_MOTIONS = ("file", "swing", "duration", "repeat", "speed", "loads", "share", "name")


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
            _file(document, table["file"], ("robot",)), strict=bool(table.get("strict", False))
        )  # fmt: skip
        return robot.with_gravity(in_si(table["gravity"])) if "gravity" in table else robot  # type: ignore[arg-type]
    except ValueError as problem:
        document.refuse(str(problem), ("robot",), given[0])


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


def _file(document: Document, name: object, table: tuple[str, ...], number: int = 0) -> Path:
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
    try:
        return robot.with_payload(**{key: in_si(value) for key, value in table.items()})  # type: ignore[arg-type]
    except (ValueError, TypeError) as problem:
        document.refuse(str(problem), ("payload",))


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
        made[joint] = make({key: in_si(value) for key, value in given.items()}, document, place)
        try:
            edit({joint: made[joint]})
        except (ValueError, TypeError) as problem:
            document.refuse(str(problem), place)
    return edit(made) if made else robot


def _drive(given: Mapping[str, Any], document: Document, place: tuple[str, ...]) -> Drive:
    values = dict(given)
    for key, kinds_ in (("friction", (Friction,)), ("spring", (TorsionSpring, LineSpring))):
        if isinstance(values.get(key), dict):
            inside = {name: in_si(value) for name, value in values[key].items()}
            kind = kinds_[-1] if "on_parent" in inside else kinds_[0]
            values[key] = made_of(document, kind, inside, place, key)
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
            values["kind" if key == "type" and has_own_kind(made) else key] = _tuples(in_si(value))
    return made_of(document, made, values, table, None, number)  # type: ignore[no-any-return]


def _tuples(value: Any) -> Any:
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list) else value


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
        named = next((name for name in values if re.search(rf"\b{re.escape(name)}\b", str(problem))), "kind")
        document.refuse(str(problem), table, key or named, number)


def _called(kind: type) -> str:
    return str(getattr(kind, "kind", kind.__name__.lower()))


# Motions


def motion_of(document: Document, robot: Robot) -> Motion | DutySpectrum:
    """The motion of the cell, or the spectrum of its cycles."""
    cycles = document.content.get("cycle", [])
    if "motion" in document.content and cycles:
        document.refuse("there is a [motion] already: give one motion, or several [[cycle]] with their shares",
                        ("cycle",))  # fmt: skip
    if not cycles:
        if "motion" not in document.content:
            document.refuse('no motion is given: expected [motion] with file = "log.csv", or several [[cycle]]', ())
        return _motion(document, robot, document.table("motion"), ("motion",), 0)
    if not isinstance(cycles, list) or not all(isinstance(one, dict) for one in cycles):
        document.refuse("expected tables [[cycle]], each with a file and a share", ("cycle",))
    pairs, names = [], []
    for number, one in enumerate(cycles):
        if "share" not in one:
            document.refuse("no share is given: expected share = 0.7, of the time", ("cycle",), None, number)
        pairs.append((_motion(document, robot, one, ("cycle",), number), in_si(one["share"])))
        names.append(str(one.get("name", Path(str(one.get("file", f"cycle {number + 1}"))).stem)))
    try:
        return DutySpectrum(pairs, names if len(set(names)) == len(names) else None)  # type: ignore[arg-type]
    except ValueError as problem:
        document.refuse(str(problem), ("cycle",))


def _motion(document: Document, robot: Robot, given: dict[str, Any], table: tuple[str, ...], number: int) -> Motion:
    ways = [key for key in ("file", "swing") if key in given]
    if len(ways) != 1:
        document.refuse('expected file = "log.csv", or swing = true', table, ways[-1] if ways else None, number)
    options = {key: in_si(value) for key, value in given.items() if key not in OF_MOTIONS}
    try:
        if ways == ["swing"]:
            document.check_keys(given, OF_MOTIONS, table, number)
            found = Motion.swing(robot, duration=in_si(given.get("duration")))  # type: ignore[arg-type]
        else:
            path = _file(document, given["file"], table, number)
            read = getattr(Motion, READERS.get(path.suffix.lower(), ""), None)
            if read is None:
                said = f"files ending in '{path.suffix}' are no motions: there are {', '.join(READERS)}"
                document.refuse(said, table, "file", number)
            takes = [name for name in inspect.signature(read).parameters if name not in ("path", "robot")]
            document.check_keys(given, (*takes, *OF_MOTIONS), table, number)
            found = read(path, robot, **options)
        return _changed(found, given)
    except (ValueError, TypeError) as problem:
        if str(problem).startswith(str(document.path)):
            raise
        document.refuse(str(problem), table, ways[0], number)


def _changed(motion: Motion, given: Mapping[str, Any]) -> Motion:
    """At another speed, with its loads, repeated."""
    if "speed" in given:
        motion = motion.scaled(speed=float(given["speed"]))
    if "loads" in given:
        loads = []
        for one in given["loads"]:
            values = {("from_" if key == "from" else key): _tuples(in_si(value)) for key, value in one.items()}
            loads.append(Carried(**values))
        motion = motion.with_loads(loads)
    return motion.repeated(int(given["repeat"])) if "repeat" in given else motion


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
        found[link] = made_of(document, Wrench, {key: in_si(value) for key, value in given.items()}, table)
    return found or None
