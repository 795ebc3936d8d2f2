"""The formats of robot files, a row each: what they are called, how they are recognised, who reads and writes them.

A file is recognised by its root element; its ending only helps where the content says nothing. `lp.load`,
`loadpath convert` and the messages of both read this table, and nothing else asks for an ending.
"""

from __future__ import annotations

import importlib
import xml.sax
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.contract import ReadRobot, Written
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


URDF = Format("URDF", (".urdf",), "robot", "loadpath.files.urdf.reading.read_urdf",
              "loadpath.files.urdf.writing.urdf_of")

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


# What a file is, by its first bytes and its root element, and words for what it is instead of a robot.


_BLOCK = 2**16
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_OTHER_ROOTS = {
    "COLLADA": "a mesh (COLLADA)",
    "mesh": "a mesh (Ogre)",
    "package": "the description of a ROS package",
    "launch": "a launch file",
    "html": "a web page",
    "svg": "a drawing (SVG)",
    "srdf": "an SRDF",
}
_OTHER_CONTENT = {
    b"solid": "a mesh (STL)",
    b"ply\n": "a mesh (PLY)",
    b"ply\r": "a mesh (PLY)",
    b"glTF": "a mesh (glTF)",
    b"ISO-10303-21": "a CAD file (STEP): export a URDF from the CAD program",
    b"%PDF": "a PDF",
    b"BZh": "compressed (bzip2): unpack it first",
    b"\xfd7zXZ": "compressed (xz): unpack it first",
    b"7z\xbc\xaf": "compressed (7z): unpack it first",
    b"Rar!": "compressed (rar): unpack it first",
    b"\x28\xb5\x2f\xfd": "compressed (zstd): unpack it first",
    b"version https://git-lfs": "the address of a file of Git LFS, not the file: run `git lfs pull`",
}


class _FoundError(Exception):
    """The root element, as soon as it is met."""


class _Root(ContentHandler):
    def startElement(self, name: str, attrs: xml.sax.xmlreader.AttributesImpl) -> None:
        raise _FoundError(name)


def root_of(data: bytes | str) -> str | None:
    """The tag of the root element of XML; None if it is not reached. Nothing after it is read.

    >>> root_of(b"<?xml version='1.0'?> <!-- an arm --> <robot name='r'><link"), root_of("a,b"), root_of(b"")
    ('robot', None, None)
    """
    parser = DefusedExpatParser()
    parser.setContentHandler(_Root())
    try:
        for start in range(0, len(data), _BLOCK):
            parser.feed(data[start : start + _BLOCK])
        parser.close()  # newer versions of Expat wait for the rest of what is long
    except _FoundError as found:
        return str(found)
    except (xml.sax.SAXException, DefusedXmlException, ValueError, LookupError):
        return None
    return None


def is_markup(data: bytes) -> bool:
    """Whether this may be XML, if perhaps a broken one.

    >>> is_markup(b" <robot"), is_markup(b"x,y"), is_markup("<robot".encode("utf-16"))
    (True, False, True)
    """
    for mark in _BYTE_ORDER_MARKS:
        data = data.removeprefix(mark)
    return data[:_BLOCK].lstrip(b" \t\r\n\x00")[:1] == b"<"


def what_instead(data: bytes, root: str | None) -> str:
    """Words for what is no robot, to be put after its name, with what was expected.

    >>> what_instead(b"solid arm", None)
    'this is a mesh (STL), not a robot: expected XML with the root element <robot> (URDF)...'
    """
    roots = [f"<{row.root}> ({row.name})" for row in FORMATS]
    expected = f"expected XML with the root element {', '.join(roots[:-1])}{' or ' if roots[1:] else ''}{roots[-1]}"
    known = _OTHER_ROOTS.get(root) if root is not None else _content(data)
    if known is not None:
        return f"this is {known}" if ": " in known else f"this is {known}, not a robot: {expected}"
    if root is not None:
        return f"the root element is <{root}>: {expected}"
    return f"this is not a file of text: {expected}" if b"\x00" in data[:1000] else f"this is not XML: {expected}"


def _content(data: bytes) -> str | None:
    head = data[:200].lstrip()
    if len(data) > 84 and len(data) == 84 + 50 * int.from_bytes(data[80:84], "little"):
        return "a mesh (STL)"
    return next((words for start, words in _OTHER_CONTENT.items() if head.startswith(start)), None)
