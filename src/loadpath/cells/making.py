"""From the keys of a table to an object of the library: units converted, keys checked, errors with their place."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

from loadpath.cells.document import Document, meant
from loadpath.cells.units import in_si
from loadpath.robot.model import RobotModel


def file_of(document: Document, name: object, table: tuple[str, ...], number: int = 0) -> Path:
    """A path, relative to the folder of the project file."""
    if not isinstance(name, str) or not name:
        said = f"file is {name!r}: expected a path, relative to the folder of this file"
        document.refuse(said, table, "file", number)
    document.refuse_outside(name, table, "file", number)
    path = document.path.parent / name
    if not os.path.isfile(path):  # noqa: PTH113  # no error for any name
        document.refuse(f"there is no file '{name}' ({path})", table, "file", number)
    return path


def converted(
    document: Document,
    given: Mapping[str, Any],
    table: tuple[str, ...],
    number: int = 0,
    slides: bool | None = None,
    inside: str = "",
) -> dict[str, Any]:
    """The values of a table in SI units; text with a unit that its key does not take is refused. `inside` is what the
    table is about, where its keys mean something else elsewhere.
    """
    found = {}
    for key, value in given.items():
        try:
            found[key] = in_si(value, key, slides, inside)
        except ValueError as problem:
            document.refuse(str(problem), table, key, number)
    return found


def slides_of(robot: RobotModel, name: str) -> bool | None:
    """Whether a joint or freedom slides; None of joints of several kinds."""
    turning = {turns for joint in robot.joints for freedom, turns in zip(joint.motion.labels, joint.motion.angular,
               strict=True) if name in (joint.name, f"{joint.name}.{freedom}")}  # fmt: skip
    return not turning.pop() if len(turning) == 1 else None


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
    names = keys_of(kind)
    for name in values:
        if name not in names:
            document.refuse(f"'{name}' is not known of {called(kind)}{meant(name, names)}", table, key or name, number)
    missing = [part.name for part in fields(kind)
               if part.init and part.default is MISSING and part.default_factory is MISSING
               and part.name not in values]  # fmt: skip
    if missing:
        document.refuse(f"{called(kind)} needs {', '.join(missing)}", table, key or "kind", number)
    try:
        return kind(**values)
    except (ValueError, TypeError) as problem:
        document.refuse(str(problem), table, key or named_in(values, str(problem)) or "kind", number)


def keys_of(kind: type) -> list[str]:
    """What a table of a dataclass may have; what the library settles later is left out."""
    assert is_dataclass(kind)
    return [part.name for part in fields(kind) if part.init and not part.name.startswith("resolved")]


def tuples(value: Any) -> Any:
    """Lists as tuples, which frozen objects keep."""
    return tuple(tuples(entry) for entry in value) if isinstance(value, list) else value


def named_in(values: Mapping[str, Any], problem: str) -> str | None:
    """The key that an error is about, if it names one."""
    return next((name for name in values if re.search(rf"(?<!\w){re.escape(name)}\b", problem)), None)


def called(kind: type) -> str:
    """What a class is called in messages."""
    return str(getattr(kind, "kind", kind.__name__.lower()))
