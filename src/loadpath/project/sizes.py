"""From the tables `[size]` and `[size.choices]` of a project file to which parts may be taken at its joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from loadpath.in_room import function_in_room
from loadpath.parts.kinds import kinds, part_class
from loadpath.project.document import Document, meant
from loadpath.project.kinds import file_of, named_in

if TYPE_CHECKING:
    from loadpath.api.robot import Robot
    from loadpath.parts.listed import PartTable
    from loadpath.parts.sizing.result import Sizing
    from loadpath.project.project import Project

SIZE = ("choices", "minimise", "count", "exhaustive")
"""Keys of [size]."""
TABLE = ("file", "kind", "where")
"""Keys of a table to choose from."""
_PLACE, _CHOICES = ("size",), ("size", "choices")
read = function_in_room("loadpath.parts.listed", "read")


class TableOfParts(NamedTuple):
    """A file with parts, of which one is taken."""

    file: Path
    kind: str = ""
    """Of its parts, if the file does not say it."""
    where: str = ""
    """Which of them, as "ratio == 100"."""

    def read(self) -> PartTable:
        """Its parts."""
        made = part_class(self.kind) if self.kind else None
        if self.kind and made is None:
            raise ValueError(f"no part is a '{self.kind}'{meant(self.kind, kinds())}")
        found: PartTable = read(self.file, self.kind)
        other = next((row for row in found if made is not None and not isinstance(row.part, made)), None)
        if other is not None:
            raise ValueError(f"kind is '{self.kind}', and '{other.label}' of {self.file.name} is a {other.part.kind}")
        return found.where(self.where) if self.where else found


@dataclass(frozen=True, eq=False)
class AskedSizes:
    """Parts to choose from, yet to be read, and what is to be small."""

    document: Document
    choices: Mapping[str, tuple[TableOfParts, ...]]
    options: Mapping[str, Any]
    """`minimise`, `count`, `exhaustive`, as far as the file has them."""

    def of(self, project: Project, motion: Any, others: Mapping[str, Any]) -> Sizing:
        """Which parts to take; `others` are options in the place of those of the file."""
        tables: dict[str, list[PartTable]] = {}
        for joint, several in self.choices.items():
            try:
                tables[joint] = [one.read() for one in several]
            except ValueError as problem:
                self.document.refuse(str(problem), _CHOICES, joint)
        given = {**self.options, **{key: value for key, value in others.items() if value is not None}}
        try:
            return project.robot.size(motion, tables, external=project.external,
                                      **{"hours": project.hours, **given})
        except ValueError as problem:
            said = str(problem)
            at = next((name for name in self.choices if f"'{name}'" in said), None)
            self.document.refuse(said, _PLACE if at is None else _CHOICES, at or named_in(self.options, said))


def sizes_of(document: Document, robot: Robot, *, on_wheels: bool) -> AskedSizes | None:
    """What may be taken at the joints, if the file says so."""
    if "size" not in document.content:
        return None
    given = document.table("size", SIZE)
    if on_wheels:
        document.refuse("sizes are of robots without wheels: give the robot a project of its own", _PLACE)
    choices = given.get("choices")
    if not isinstance(choices, dict) or not choices:
        document.refuse("no choices are given: expected [size.choices] with tables by joint, like "
                        'joint2 = "gears.csv"', _PLACE)
    for joint in choices:
        if joint not in robot.joint_names:
            document.refuse(f"robot '{robot.name}' has no joint '{joint}'{meant(joint, robot.joint_names)}", _CHOICES,
                            joint)
    options: dict[str, Any] = {}
    if "minimise" in given:
        aims = given["minimise"]
        several = [aims] if isinstance(aims, str) else aims
        if not isinstance(several, list) or not several or not all(isinstance(aim, str) for aim in several):
            document.refuse(f'minimise is {aims!r}: expected "mass", or columns of the tables, like ["mass", "cost"]',
                            _PLACE, "minimise")
        options["minimise"] = tuple(several)
    count = given.get("count", 10)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        document.refuse(f"count is {count!r}: expected how many of the best are wanted, one or more", _PLACE, "count")
    options["count"] = count
    if "exhaustive" in given:
        if not isinstance(given["exhaustive"], bool):
            document.refuse(f"exhaustive is {given['exhaustive']!r}: expected true or false", _PLACE, "exhaustive")
        options["exhaustive"] = given["exhaustive"]
    tables = {joint: tuple(_table(document, joint, one) for one in (value if isinstance(value, list) else [value]))
              for joint, value in choices.items()}
    return AskedSizes(document, tables, options)


def _table(document: Document, joint: str, given: Any) -> TableOfParts:
    values = {"file": given} if isinstance(given, str) else given
    if not isinstance(values, dict) or "file" not in values:
        document.refuse(f"'{joint}' is {given!r}: expected files of parts, like \"gears.csv\", or "
                        '{ file = "gears.csv", kind = "strain wave gear", where = "ratio == 100" }', _CHOICES, joint)
    for key, value in values.items():
        if key not in TABLE:
            document.refuse(f"'{joint}': '{key}' is not known{meant(key, TABLE)}", _CHOICES, joint)
        if not isinstance(value, str):
            document.refuse(f"'{joint}': {key} is {value!r}: expected text", _CHOICES, joint)
    try:
        path = file_of(document, values["file"], _CHOICES)
    except ValueError as problem:  # with the line of the joint, not of a key 'file'
        document.refuse(str(problem).rpartition("]: ")[2] or str(problem), _CHOICES, joint)
    return TableOfParts(path, values.get("kind", ""), values.get("where", ""))
