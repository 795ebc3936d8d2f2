"""The robot of a project file as it comes: from a file, from the catalog, or from a table of DH parameters."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from loadpath import catalog
from loadpath.api import Robot, from_dh, load
from loadpath.errors import ModelError
from loadpath.files.opening import file_and_member, is_description
from loadpath.printable import clipped
from loadpath.project.document import IF_TRUSTED, Document, meant
from loadpath.project.kinds import converted, file_of, keys_of
from loadpath.robot.dh import DHRow
from loadpath.robot.edit import GRAVITY
from loadpath.robot.parts import Limits
from loadpath.robot.units_of_text import in_si

# Robots of the catalog by name, as `planar:3`: whole numbers after colons are the arguments of its function.


MOST_JOINTS = 1_000
"""Joints of a robot of the catalog that may be asked for."""
SIZES = ("n", "joints", "links")
"""How arguments of the catalog are called that are a number of joints."""


def from_catalog(text: str, others: str = "") -> object:
    """The robot or rover of a name; `others` says what else there is, where it is not known.

    >>> from_catalog("planar:3")
    <Robot 'planar3': 5 links, 4 joints, 3 degrees of freedom>
    >>> from_catalog("pnda")
    Traceback (most recent call last):
    loadpath.errors.ModelError: no robot 'pnda' in the catalog; did you mean 'panda'?
    """
    name, *arguments = text.split(":")
    own = name in catalog.__all__
    make = getattr(catalog, name) if own else catalog.maker_of_plugin(name)
    if make is None:
        hint = meant(name, catalog.names())
        if hint.startswith("; there are"):
            hint = f"; there are {', '.join(names())}{others}"
        raise ModelError(f"no robot '{name}' in the catalog{hint}")
    try:
        numbers = [_whole(argument) for argument in arguments]
        bound = inspect.signature(make).bind(*numbers)
    except (TypeError, ValueError):
        pattern = _pattern(name, make)
        how = f"{pattern}, with whole numbers" if ":" in pattern else pattern
        raise ModelError(f"'{text}' is {'not complete' if text == name else 'not understood'}: write {how}") from None
    for parameter, value in bound.arguments.items():
        if parameter in SIZES and value > MOST_JOINTS:
            raise ModelError(f"'{text}': {parameter.upper()} is {_short(value)}, expected at most {MOST_JOINTS:,}")
    try:
        found: object = make(*numbers)
    except ValueError as problem:
        raise ModelError(f"'{text}': {problem}") from None
    except Exception as problem:
        if own:
            raise
        said = f"{type(problem).__name__}: {problem}"
        raise ModelError(f"'{text}': the plugin that makes it stops with {said}") from problem
    return found


def names() -> list[str]:
    """What can be asked for, e.g. `panda` and `planar:N`."""
    plain = catalog.names()[len(catalog.__all__) :]  # of plugins, which are not imported for their signatures
    return [*(_pattern(name, getattr(catalog, name)) for name in catalog.__all__), *plain]


def _whole(text: str) -> int:
    if len(text) > 1000 or not re.fullmatch(r"[+-]?[0-9]+", text):  # int() takes 1_0 and digits of all scripts
        raise ValueError("no whole number")
    return int(text)


def _short(value: int) -> str:
    text = str(value)
    return text if len(text) < 30 else f"a number of {len(text)} digits"


def _pattern(name: str, make: Callable[..., object]) -> str:
    """How to ask for a robot: `panda`, `planar:N`."""
    parameters = inspect.signature(make).parameters.values()
    needed = [parameter.name.upper() for parameter in parameters if parameter.default is parameter.empty]
    return ":".join([name, *needed])


SOURCES = ("file", "catalog", "dh")
OF_DH = ("name", "convention", "inertia_at")
OF_FILES = ("strict", "package_paths", "xacro_arguments", "xacro")
KEYS = (*SOURCES, *OF_FILES, "gravity", "inertia_from_beams", *OF_DH)


def bare_robot(document: Document) -> Robot:
    """The robot of `[robot]`, with its gravity."""
    table = document.table("robot", KEYS)
    given = [key for key in SOURCES if key in table]
    if len(given) != 1:
        said = f"both '{given[0]}' and '{given[1]}' are given: leave one out" if given else (
            'which robot? expected file = "arm.urdf", or catalog = "panda", or a table [[robot.dh]]'
        )
        document.refuse(said, ("robot",) if table else ())
    for key in (*OF_DH, *OF_FILES):
        other = "file" if key in OF_FILES else "dh"
        if key in table and given != [other]:
            document.refuse(f"'{key}' is of a robot from {_SOURCE_WORDS[other]}: leave it out", ("robot",), key)
    try:
        robot = _made(document, table, given[0])
        if "gravity" not in table:
            return robot
    except ValueError as problem:
        if str(problem).startswith(str(document.path)):
            raise
        document.refuse(str(problem), ("robot",), given[0])
    try:
        return robot.with_gravity(in_si(table["gravity"], GRAVITY, "gravity"))  # type: ignore[arg-type]
    except (ValueError, TypeError) as problem:
        document.refuse(str(problem), ("robot",), "gravity")


_SOURCE_WORDS = {"file": "a file", "dh": "a table [[robot.dh]]"}


def _made(document: Document, table: Mapping[str, Any], source: str) -> Robot:
    if source == "catalog":
        return _from_catalog(table["catalog"])
    if source == "file":
        return _from_file(document, table)
    return _from_dh(document, table)


def _from_file(document: Document, table: Mapping[str, Any]) -> Robot:
    """From a file, a file in an archive ("arms.zip:arm.urdf"), or a name of the package robot_descriptions."""
    strict, packages, arguments, xacro = (table.get(key) for key in OF_FILES)
    for key, value, kind, expected in (
        ("strict", strict, bool, "true or false"),
        ("package_paths", packages, list, "a list of folders"),
        ("xacro_arguments", arguments, dict, "a table, like { prefix = \"left_\" }"),
        ("xacro", xacro, bool, "true or false"),
    ):
        if value is not None and not isinstance(value, kind):
            document.refuse(f"{key} is {value!r}: expected {expected}", ("robot",), key)
    for path in packages or ():
        if not isinstance(path, str):
            document.refuse(f"{path!r} in package_paths: expected the path of a folder", ("robot",), "package_paths")
        document.refuse_outside(path, ("robot",), "package_paths", folder=True)
    return load(
        _path(document, table["file"]),
        strict=bool(strict),
        package_paths=[document.path.parent / path for path in packages or ()],
        xacro_arguments=arguments,
        xacro=bool(xacro),
    )


def _path(document: Document, name: object) -> str:
    """What `lp.load` takes for the name of a robot's file."""
    if not isinstance(name, str):
        return str(file_of(document, name, ("robot",)))
    path = os.path.join(document.path.parent, name)  # noqa: PTH118  # with all that is after a colon
    if is_description(name) and not os.path.lexists(path):
        if not document.trust:
            document.refuse(f"file is '{clipped(name)}', a robot of robot_descriptions, which is downloaded: "
                            f"{IF_TRUSTED}, or put the robot's file beside it", ("robot",), "file")
        return name
    _, member = file_and_member(path)
    file_of(document, name.removesuffix(f":{member}") if member else name, ("robot",))
    return path


def _from_catalog(name: object) -> Robot:
    made = from_catalog(str(name))
    if not isinstance(made, Robot) or made.on_wheels:
        raise ModelError(f"'{name}' is a {type(made).__name__}: expected a robot; what it stands on is given in [base]")
    return made


def _from_dh(document: Document, table: Mapping[str, Any]) -> Robot:
    place = ("robot", "dh")
    rows = table["dh"]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows) or not rows:
        document.refuse("expected tables [[robot.dh]], one a joint, with theta, d, a and alpha", ("robot",), "dh")
    made = []
    for number, row in enumerate(rows):
        document.check_keys(row, keys_of(DHRow), place, number)
        slides = row.get("joint") == "prismatic"
        values = converted(document, row, place, number, of=DHRow, slides=slides)
        if isinstance(values.get("limits"), dict):
            document.check_keys(values["limits"], keys_of(Limits), place, number)
            values["limits"] = Limits(**values["limits"])
        made.append(values)
    own = {key: table[key] for key in OF_DH if key in table}
    try:
        return from_dh(made, **own)
    except (ValueError, TypeError) as problem:
        row_number = re.search(r"row (\d+)", str(problem))
        document.refuse(str(problem), place, None, int(row_number[1]) - 1 if row_number else 0)
