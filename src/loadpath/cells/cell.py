"""`lp.load_cell("cell.toml")`: a robot with its parts, its motion and the life that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from loadpath.cells.document import Document
from loadpath.cells.motions import motion_of
from loadpath.cells.reading import external_of, robot_of
from loadpath.cells.units import in_si
from loadpath.errors import ModelError
from loadpath.printable import printable
from loadpath.robot.numbers import number

if TYPE_CHECKING:
    from loadpath.api.robot import Robot
    from loadpath.loads.wrench import Wrench
    from loadpath.motion import Motion
    from loadpath.motion.spectrum import DutySpectrum
    from loadpath.parts.verdict.largest import Largest
    from loadpath.parts.verdict.result import Verdict
    from loadpath.progress import Report


@dataclass(frozen=True, eq=False, repr=False)
class Cell:
    """What a cell file describes."""

    path: Path
    robot: Robot
    """With its payload, limits, drives and parts."""
    motion: Motion | DutySpectrum
    hours: float | None
    """Life that is asked for."""
    external: Mapping[str, Wrench] | None

    def verdict(self, *, progress: bool | Report = False) -> Verdict:
        """Does every part hold over this motion: see `Robot.verdict`."""
        return self.robot.verdict(self.motion, hours=self.hours, external=self.external, progress=progress)

    def largest(self, what: Literal["payload", "speed"], *, progress: bool | Report = False) -> Largest:
        """How much more payload, or speed, under all limits: see `Robot.largest`."""
        return self.robot.largest(what, self.motion, hours=self.hours, external=self.external, progress=progress)

    def __repr__(self) -> str:
        asked = "" if self.hours is None else f", {self.hours:g} h"
        return printable(f"<cell '{self.path.name}': {self.robot.name}, {len(self.robot.parts)} parts, {self.motion!r}"
                         f"{asked}>")  # fmt: skip


def load_cell(path: str | PathLike[str]) -> Cell:
    """A cell from a TOML file: `[robot]`, `[payload]`, `[limits.joint]`, `[drives.joint]`, `[[parts.joint]]`,
    `[motion]` or several `[[cycle]]`, `[external.link]` and `[verdict]`. Paths in it are relative to its folder;
    numbers are in SI units, or text with a unit: "69.3 kN", "15 deg". The page on the verdict has all keys.

    >>> import loadpath as lp, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "cell.toml")
    >>> _ = file.write_text('[robot]\\ncatalog = "panda"\\n[payload]\\nmass = 3.0\\n[motion]\\nswing = true\\n')
    >>> cell = lp.load_cell(file)
    >>> cell.verdict().holds
    True
    """
    if not isinstance(path, (str, PathLike)):
        raise ModelError(f"path of a cell is {path!r}: expected the path of a file, like 'cell.toml'")
    document = Document(Path(path))
    robot = robot_of(document)
    external = external_of(document, robot)
    asked = document.table("verdict", ("hours",))
    hours = None
    if "hours" in asked:
        try:
            hours = number(in_si(asked["hours"], "hours"), "hours of life that are asked for")
        except ValueError as problem:
            document.refuse(str(problem), ("verdict",), "hours")
        if hours <= 0:
            document.refuse(f"hours is {hours:g}: expected more than zero", ("verdict",), "hours")
    return Cell(Path(path), robot, motion_of(document, robot), hours, external)
