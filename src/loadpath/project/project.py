"""`lp.load_project("project.toml")`: a robot or rover with its parts, its motion and the life that is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.motions import BaseState
from loadpath.printable import printable
from loadpath.project.bases import base_motion_of, has_wheels, rover_of, tilted, wheels_of
from loadpath.project.document import Document
from loadpath.project.exceptions import exceptions_of
from loadpath.project.motions import motion_of
from loadpath.project.reading import external_of, robot_of
from loadpath.project.sizes import AskedSizes, sizes_of
from loadpath.project.standards import MOST_POSES, AskedTest, standards_of
from loadpath.project.studies import AskedStudy, study_of
from loadpath.robot.measures import Measures
from loadpath.robot.numbers import number
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.api.robot import Robot
    from loadpath.mobile.rover import Rover
    from loadpath.mobile.standards.result import StandardTest
    from loadpath.motion import Motion
    from loadpath.motion.spectrum import DutySpectrum
    from loadpath.parts.sizing.result import Sizing
    from loadpath.parts.verdict.exceptions import ExceptionalCase
    from loadpath.parts.verdict.largest import Largest
    from loadpath.parts.verdict.result import Verdict
    from loadpath.progress import Report
    from loadpath.quantities.wrench import Wrench
    from loadpath.studies.study import Study


TABLES = (
    "robot", "base", "beams", "guides", "joint_compliance", "payload", "limits", "drives", "parts", "motion", "cycle",
    "external", "pedigree", "verdict", "standards", "exception", "size",
    "study",
)
"""What a project file may have."""


ASKED: Mapping[str, Measures] = {"hours": ("life",)}
"""Keys of [verdict], and what they measure."""


class SizeOptions(TypedDict, total=False):
    """Of `Robot.size`, in the place of those of a file."""

    hours: float | None
    minimise: str | Sequence[str] | None
    count: int | None
    exhaustive: bool | None
    progress: bool | Report


@dataclass(frozen=True, eq=False, repr=False)
class Project:
    """What a project file describes: a robot or rover, how it moves, and what is asked of it."""

    path: Path
    robot: Robot
    """With its beams, payload, limits, drives and parts; of a rover, the robots on its base."""
    motion: Motion | DutySpectrum | None
    """Of the robot; None if the file gives none."""
    hours: float | None
    """Life that is asked for."""
    external: Mapping[str, Wrench] | None
    rover: Rover | None = None
    """The robot on its wheels, if the file has some."""
    base_motion: BaseState = field(default_factory=BaseState)
    """How the base of the rover moves; empty while it stands."""
    robot_source: str = ""
    """Where the file says that the robot comes from: a file, the catalog, or a DH table."""
    asked_tests: tuple[AskedTest, ...] = ()
    """Tests of standards, yet to be made."""
    asked_study: AskedStudy | None = None
    """A study, yet to be made."""
    exceptions: tuple[ExceptionalCase, ...] = ()
    """Exceptional cases, which are counted apart from the motion."""
    asked_sizes: AskedSizes | None = None
    """Parts to choose from, yet to be read."""
    files: tuple[Path, ...] = ()
    """That it names: of the robot, of logs; those that they name in turn, as meshes, are not among them."""

    def standards(self, rover: Rover | None = None) -> list[StandardTest]:
        """The tests of standards that the file asks for, as they come out; of another rover (with a payload more) where
        one is given. They are in the poses of the motion, at most 20 spread over it, where the file gives no `q`.
        """
        subject = self.rover if rover is None else rover
        if subject is None or not self.asked_tests:
            return []
        poses = self._poses()
        return [test.of(subject, poses) for test in self.asked_tests]

    def _poses(self) -> Floats | None:
        """(poses, nq) of the motion; where it stands, without one; None of a base without robots."""
        if self.rover is None or not self.rover.n:
            return None
        motions = getattr(self.motion, "motions", [self.motion])
        if self.motion is None:
            return np.asarray(self.rover.robot.home, dtype=float)
        every = np.concatenate([np.asarray(motion.q, dtype=float) for motion in motions])
        few: Floats = every[np.unique(np.linspace(0, len(every) - 1, MOST_POSES).round().astype(int))]
        return few

    def verdict(self, *, progress: bool | Report = False) -> Verdict:
        """Does every part hold over this motion: see `Robot.verdict` and `Rover.verdict`."""
        if self.rover is not None:
            motion = self._motion() if self.rover.n else self.motion
            return self.rover.verdict(motion, hours=self.hours, progress=progress, standards=self.standards(),
                                      **self.base_state)
        return self.robot.verdict(self._motion(), hours=self.hours, external=self.external, progress=progress,
                                  exceptions=self.exceptions)

    def largest(self, what: Literal["payload", "speed"], *, progress: bool | Report = False) -> Largest:
        """How much more payload, or speed, under all limits: see `Robot.largest`."""
        if self.rover is not None:
            return self.rover.largest(what, self._motion(), hours=self.hours, progress=progress, **self.base_state)
        return self.robot.largest(what, self._motion(), hours=self.hours, external=self.external, progress=progress)

    def study(self, to: str | PathLike[str] | None = None) -> Study:
        """The study that the file asks for with `[study]`, yet to be run: see `lp.study`. `to` names the folder of its
        store in the place of that of the file; without either, answers are in memory.

        >>> import loadpath as lp, pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "project.toml")
        >>> _ = file.write_text('''
        ... [robot]
        ... catalog = "planar:2"
        ... [payload]
        ... mass = 1.0
        ... [motion]
        ... swing = true
        ... [study]
        ... answers = ["mass", "joint1.drive"]
        ... [study.space]
        ... "payload.mass" = { from = "0 kg", to = "4 kg", count = 3 }
        ... ''')
        >>> lp.load_project(file).study().run().answer("mass").tolist()
        [2.0, 4.0, 6.0]
        """
        if self.asked_study is None:
            raise ModelError(f"{self.path}: no study is asked for: expected [study] with answers, and [study.space]")
        if to is not None and not os.fspath(to):
            raise ValueError("the name of the store of a study is empty")
        return self.asked_study.of(self, self.asked_study.to if to is None else Path(to))

    def size(self, motion: Motion | DutySpectrum | None = None, **options: Unpack[SizeOptions]) -> Sizing:
        """Which parts of the tables of `[size.choices]` to take, over the motion of the file unless another is given:
        see `Robot.size`, whose options take the place of those of the file.

        >>> import loadpath as lp, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "gears.csv").write_text('''kind,name,ratio,peak_torque (N m),mass (kg)
        ... strain wave gear,size 14,100,3,0.1
        ... strain wave gear,size 20,100,82,0.3
        ... ''')
        >>> _ = (folder / "project.toml").write_text('''
        ... [robot]
        ... catalog = "planar:1"
        ... [motion]
        ... swing = true
        ... [size.choices]
        ... joint1 = "gears.csv"
        ... ''')
        >>> lp.load_project(folder / "project.toml").size().best.names
        {'joint1': ('size 20',)}
        """
        if self.asked_sizes is None:
            raise ModelError(f"{self.path}: nothing to choose from is given: expected [size.choices] with tables by "
                             'joint, like joint2 = "gears.csv"')
        return self.asked_sizes.of(self, self._motion() if motion is None else motion, dict(options))

    @property
    def base_state(self) -> BaseState:
        """How the base of the rover moves, with the wrenches from outside: the keywords that functions of rovers take.
        """
        return {**self.base_motion, "external": self.external} if self.external else self.base_motion

    def _motion(self) -> Motion | DutySpectrum:
        if self.motion is None:
            raise ModelError(f'{self.path}: no motion is given: expected [motion] with file = "log.csv" or '
                             "swing = true, or several [[cycle]]")
        return self.motion

    def __repr__(self) -> str:
        asked = "" if self.hours is None else f", {self.hours:g} h"
        on = "" if self.rover is None else f", on {len(self.rover.base.wheels)} wheels"
        return printable(f"<project '{self.path.name}': {self.robot.name}, {len(self.robot.parts)} parts{on}, "
                         f"{self.motion!r}{asked}>")


def load_project(path: str | PathLike[str], *, trust: bool = False) -> Project:
    """A robot, rover or flexible arm from a TOML project file: `[robot]`, `[base]` with `[[base.wheels]]`,
    `[beams.link]`, `[guides.joint]`, `[joint_compliance.joint]`, `[payload]`, `[limits.joint]`, `[drives.joint]`,
    `[[parts.joint]]`, `[motion]` or several `[[cycle]]`, `[external.link]`, `[verdict]`, `[[standards]]`,
    `[[exception]]` and `[study]`. Paths in it are relative to its folder; numbers are in SI units, or text with a unit:
    "69.3 kN", "15 deg". The page on the project file has all keys; `loadpath new` writes one to start from.

    A file may be that of a stranger: the robot, logs and packages that it names are read only from its own folder, the
    repository (`.git`) or package that it lies in, packages around it and those of ROS, and nothing is downloaded. With
    `trust` they are read wherever they are, and a name of `robot_descriptions` downloads that robot.

    >>> import loadpath as lp, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "project.toml")
    >>> _ = file.write_text('[robot]\\ncatalog = "panda"\\n[payload]\\nmass = 3.0\\n[motion]\\nswing = true\\n')
    >>> project = lp.load_project(file)
    >>> project.verdict().holds
    True
    """
    if not isinstance(path, (str, PathLike)):
        raise ModelError(f"path of a project is {path!r}: expected the path of a file, like 'project.toml'")
    return project_of(Document(Path(path), trust=trust))


def project_of(document: Document) -> Project:
    """What the tables of a project file describe."""
    document.check_keys(document.content, TABLES, ())
    robot, rover = _subject(document)
    external = external_of(document, robot)
    moves = base_motion_of(document, rover) if rover is not None else None
    motion = motion_of(document, rover if rover is not None and rover.base.on_links else robot)
    return Project(document.path, robot, motion, _hours(document), external, rover, moves or {},
                   _robot_source(document), standards_of(document, rover), study_of(document),
                   exceptions_of(document, robot, getattr(motion, "names", ()), on_wheels=rover is not None),
                   sizes_of(document, robot, on_wheels=rover is not None),
                   tuple(document.files))


def _subject(document: Document) -> tuple[Robot, Rover | None]:
    """The robot, and the rover if it stands on wheels; a base may also be all there is."""
    if not has_wheels(document):
        return tilted(document, robot_of(document)), None
    wheels = wheels_of(document)
    names = tuple(wheel.name or f"wheel{k}" for k, wheel in enumerate(wheels, start=1))
    carried = robot_of(document, names) if "robot" in document.content else None
    rover = rover_of(document, carried, wheels)
    return rover.robot, rover


def _robot_source(document: Document) -> str:
    given = document.content.get("robot", {})
    if "file" in given:
        return str(given["file"])
    return f"the catalog, {given['catalog']}" if "catalog" in given else "a DH table" if "dh" in given else ""


def _hours(document: Document) -> float | None:
    asked = document.table("verdict", tuple(ASKED))
    if "hours" not in asked:
        return None
    try:
        hours = number(in_si(asked["hours"], ASKED["hours"], "hours"), "hours of life that are asked for")
    except ValueError as problem:
        document.refuse(str(problem), ("verdict",), "hours")
    if hours <= 0:
        document.refuse(f"hours is {hours:g}: expected more than zero", ("verdict",), "hours")
    return hours
