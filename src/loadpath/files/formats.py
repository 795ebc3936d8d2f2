"""The formats of robot files, a row each: what they are called, how they are recognised, who reads and writes them.

A file is recognised by its root element; its ending only helps where the content says nothing. `lp.load`,
`loadpath convert` and the messages of both read this table, and nothing else asks for an ending.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.read_robot import ReadRobot
from loadpath.files.written import Written
from loadpath.robot.model import RobotModel


@dataclass(frozen=True)
class Format:
    """A format of robot files. `reader` and `writer` are the dotted names of its functions, `read(text, source, strict,
    assets) -> ReadRobot` and `write(robot) -> Written`: they are imported when they are needed.
    """

    name: str
    endings: tuple[str, ...]
    """The first is that of files that are written."""
    root: str
    """The root element of its XML."""
    reader: str
    writer: str

    def read(self, text: str | bytes, source: str, strict: bool, assets: Assets) -> ReadRobot:
        """The robot that a text of this format describes; `source` names it in messages."""
        read: ReadRobot = _function(self.reader)(text, source, strict, assets=assets)
        return read

    def write(self, robot: RobotModel) -> Written:
        """A robot in this format."""
        written: Written = _function(self.writer)(robot)
        return written


URDF = Format("URDF", (".urdf",), "robot", "loadpath.files.urdf.read_urdf", "loadpath.files.urdf_writing.urdf_of")

MJCF = Format("MJCF", (".xml", ".mjcf"), "mujoco", "loadpath.files.mjcf.read_mjcf", "loadpath.files.mjcf.mjcf_of")

SDF = Format("SDF", (".sdf", ".world"), "sdf", "loadpath.files.sdf.read_sdf", "loadpath.files.sdf.writing.sdf_of")

FORMATS: tuple[Format, ...] = (URDF, MJCF, SDF)


def format_of_root(root: str) -> Format | None:
    """The format whose root element this is.

    >>> format_of_root("robot").name, format_of_root("html")
    ('URDF', None)
    """
    return next((row for row in FORMATS if row.root == root), None)


def format_of_ending(ending: str) -> Format | None:
    """The format that an ending alone tells.

    >>> format_of_ending(".urdf").name, format_of_ending(".txt")
    ('URDF', None)
    """
    return next((row for row in FORMATS if ending.lower() in row.endings), None)


def format_named(name: str) -> Format:
    """The format of that name, in any case.

    >>> format_named("urdf").root
    'robot'
    """
    for row in FORMATS:
        if row.name.lower() == name.lower():
            return row
    raise ModelError(f"format '{name}' is not known; there is {', '.join(row.name.lower() for row in FORMATS)}")


def _function(dotted: str) -> Callable[..., Any]:
    module, _, name = dotted.rpartition(".")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function
