"""The formats of robot files, a row each: what they are called, how they are recognised, who reads and writes them.

A file is recognised by its root element; its ending only helps where the content says nothing. `lp.load`,
`loadpath convert` and the messages of both read this table, and nothing else asks for an ending. Plugins add rows of
their own (`loadpath.plugins`); they are asked where none of ours fits.
"""

from __future__ import annotations

import importlib
import xml.sax
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from loadpath import plugins
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
    """The root element of its XML; empty of a format that is no XML, which is told by its ending."""
    reader: str
    writer: str = ""
    """Empty of a format that is only read."""
    package: str = ""
    """Whose plugin it is; empty of ours."""

    def read(self, text: str | bytes, source: str, strict: bool, assets: Assets) -> ReadRobot:
        """The robot that a text of this format describes; `source` names it in messages."""
        with self._running(source):
            read: ReadRobot = _function(self.reader)(text, source, strict, assets=assets)
            if not isinstance(read, ReadRobot):
                raise TypeError(f"the reader gives {read!r:.200}, expected a ReadRobot")
        return read

    def write(self, robot: RobotModel) -> Written:
        """A robot in this format."""
        if not self.writer:
            raise ModelError(f"robots can be read from {self.name}, not written to it")
        with self._running(robot.name):
            written: Written = _function(self.writer)(robot)
        return written

    @contextmanager
    def _running(self, subject: str) -> Iterator[None]:
        """What goes wrong in the functions of a plugin is said to be theirs."""
        try:
            yield
        except (ValueError, OSError):
            raise
        except Exception as problem:
            if not self.package:
                raise
            raise ModelError(f"{subject}: {self.name} of package '{self.package}' stops with "
                             f"{type(problem).__name__}: {problem}") from problem


URDF = Format("URDF", (".urdf",), "robot", "loadpath.files.urdf.reading.read_urdf",
              "loadpath.files.urdf.writing.urdf_of")

MJCF = Format("MJCF", (".xml", ".mjcf"), "mujoco", "loadpath.files.mjcf.read_mjcf", "loadpath.files.mjcf.mjcf_of")

SDF = Format("SDF", (".sdf", ".world"), "sdf", "loadpath.files.sdf.read_sdf", "loadpath.files.sdf.writing.sdf_of")

FORMATS: tuple[Format, ...] = (URDF, MJCF, SDF)


def formats() -> list[Format]:
    """Ours and those of plugins, for lists."""
    return [*FORMATS, *_foreign()]


def format_of_root(root: str) -> Format | None:
    """The format whose root element this is.

    >>> format_of_root("robot").name, format_of_root("html")
    ('URDF', None)
    """
    return _of_ours_or_plugins(lambda row: bool(root) and row.root == root, f"files with the root element <{root}>")


def format_of_ending(ending: str) -> Format | None:
    """The format that an ending alone tells.

    >>> format_of_ending(".urdf").name, format_of_ending(".txt")
    ('URDF', None)
    """
    return _of_ours_or_plugins(lambda row: ending.lower() in row.endings, f"files ending in {ending}")


def format_without_root(ending: str) -> Format | None:
    """The format of a plugin that is no XML, by the ending of a file.

    >>> format_without_root(".urdf") is None
    True
    """
    return _of_ours_or_plugins(lambda row: not row.root and ending.lower() in row.endings, f"files ending in {ending}")


def format_named(name: str) -> Format:
    """The format of that name, in any case.

    >>> format_named("urdf").root
    'robot'
    """
    for row in FORMATS:
        if row.name.lower() == name.lower():
            return row
    found = _plugin(name)
    if found is None:
        raise ModelError(f"format '{name}' is not known; there is {', '.join(row.name.lower() for row in formats())}")
    return found


def _of_ours_or_plugins(fits: Callable[[Format], bool], what: str) -> Format | None:
    """The format that fits; two of plugins are an error."""
    ours = next((row for row in FORMATS if fits(row)), None)
    if ours is not None:
        return ours
    found = [row for row in _foreign() if fits(row)]
    if len(found) > 1:
        names = " and ".join(f"{row.name} of package '{row.package}'" for row in found)
        raise ModelError(f"{what} are claimed by {names}: uninstall all but one of them")
    return found[0] if found else None


def _foreign() -> list[Format]:
    names = plugins.offered("formats", (row.name for row in FORMATS))
    found = (_plugin(name) for name in names)
    return [row for row in found if row is not None]


def _plugin(name: str) -> Format | None:
    """The format of a plugin: its own name is that of its entry point."""
    ours = [row.name for row in FORMATS]
    found: Format | None = plugins.find("formats", name, ours, _not_a_format)
    if found is None:
        return None
    offer = next(one for one in plugins.offered("formats", ours).values()
                 if plugins.same("formats", one.name, name))
    taken = [row.name for row in FORMATS if row.root == found.root or {*row.endings} & {*found.endings}]
    if taken:
        plugins.say(f"{offer.what}: files with the root element or the endings of {', '.join(taken)} are read as such")
    ours_too = {ending for row in FORMATS for ending in row.endings}
    endings = tuple(ending for ending in found.endings if ending not in ours_too)
    return replace(found, name=offer.name, package=offer.package, endings=endings)


def _not_a_format(found: object) -> str:
    if not isinstance(found, Format):
        return "a loadpath.files.formats.Format"
    endings = found.endings if isinstance(found.endings, (tuple, list)) else (found.endings,)
    if not all(isinstance(one, str) and one.startswith(".") and one == one.lower() for one in endings):
        return "endings like ('.arm',), in small letters"
    if not all("." in one for one in (found.reader, found.writer or ".")):
        return "dotted names of its reader and writer, like 'package.module.read'"
    return "" if found.root or found.endings else "a root element or an ending, by which its files are known"


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
    roots = [f"<{row.root}> ({row.name})" for row in formats() if row.root]
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
