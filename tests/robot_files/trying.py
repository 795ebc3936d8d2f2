"""Tries robot files: what becomes of each is a row."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from mjcf_corpus import rows as mjcf_rows
from test_mjcf_writing import assert_same

from loadpath.errors import ModelError, ModelWarning
from loadpath.files.assets import Assets
from loadpath.files.contract import ReadRobot
from loadpath.files.formats import FORMATS, MJCF, SDF, URDF, Format
from loadpath.files.opening import open_robot
from loadpath.robot.model import RobotModel
from real_robots import REAL_ROBOTS
from robot_files.peers import against_drake, against_pinocchio

EXAMPLES = f"example-robot-data-{version('example-robot-data')}"
LARGEST = 200
"""Speeds: larger robots are loaded and not compared."""


@dataclass(frozen=True)
class Row:
    """What became of a file."""

    package: str
    kind: str
    file: str
    reason: str = ""
    """Why it is refused; empty if it loads."""
    warned: bool = False
    difference: float | None = None
    """To the peer of its format."""
    through: tuple[tuple[str, bool], ...] = ()
    """Whether it comes back equal from other formats."""


def rows_of_examples() -> Iterator[Row]:
    for name, path in REAL_ROBOTS.items():
        yield try_file(EXAMPLES, URDF, path, name)


def rows_below(folder: Path) -> Iterator[Row]:
    """The robots of a package."""
    for row, pattern in ((URDF, "*.urdf"), (SDF, "*.sdf"), (SDF, "*.world")):
        for path in sorted(folder.rglob(pattern)):
            if path.is_file() and path.stat().st_size < 10**7:
                yield try_file(folder.name, row, path, str(path.relative_to(folder)))
    for found in mjcf_rows([folder]):
        difference = None if found.differences is None else found.differences.largest
        reason = "" if found.loads else found.outcome
        yield Row(folder.name, MJCF.name, found.file, reason, False, difference)


def try_file(package: str, kind: Format, path: Path, name: str) -> Row:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            read = open_robot(path)
        except (ModelError, OSError) as problem:
            words = re.sub(rf"^{re.escape(str(path))}(, line \d+)?: ", "", str(problem))
            return Row(package, kind.name, name, words)
        warned = any(issubclass(each.category, ModelWarning) for each in said)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Row(package, kind.name, name, "", warned, _difference(kind, path, read), _through(kind, read))


def _difference(kind: Format, path: Path, read: ReadRobot) -> float | None:
    if read.loops or read.tree.n > LARGEST:
        return None
    try:
        return (against_drake if kind is SDF else against_pinocchio)(path, read.tree)
    except (ValueError, RuntimeError, KeyError):  # the peer refuses the file
        return None


def _through(kind: Format, read: ReadRobot) -> tuple[tuple[str, bool], ...]:
    """URDF through each format, the others and its own, and back to URDF."""
    if kind is not URDF or read.loops or read.couplings:
        return ()
    return tuple((row.name, comes_back(row, read.tree)) for row in FORMATS)


def comes_back(row: Format, tree: RobotModel) -> bool:
    """Whether a robot that is written in a format, read, written as URDF and read is the same: to the last digit, by
    MJCF to 1e-14, as it has quaternions for angles.
    """
    again = tree
    for step in dict.fromkeys((row, URDF)):
        try:
            again = step.read(step.write(again).text, "written", False, Assets()).tree
        except ModelError:  # the format does not take it
            return False
    if row is not MJCF:
        return again == tree
    try:
        assert_same(again, tree)
    except AssertionError:
        return False
    return True
