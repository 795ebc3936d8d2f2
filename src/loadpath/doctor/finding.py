"""What a rule found (how bad, where, with which numbers, what to do), and what can be mended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from xml.parsers import expat

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.inertia import Inertia
from loadpath.robot.numbers import Vector3
from loadpath.robot.pose import Pose

# What can be mended, as data: another inertia of a link, another axis of a joint.
#
# A fix has a kind, by which it is asked for. Safe ones change nothing that a real robot could mean.


@dataclass(frozen=True)
class InertiaFix:
    """Another inertia of a link, in the frame of the link."""

    link: str
    inertia: Inertia
    kind: str


@dataclass(frozen=True)
class AxisFix:
    """Another axis of a joint, in its frame."""

    joint: str
    axis: Vector3
    kind: str = "axis"


Fix: TypeAlias = InertiaFix | AxisFix

KINDS: dict[str, str] = {
    "inertia": "the nearest tensor that a body can have, in place of one that none has",
    "axis": "axes of joints scaled to the length 1",
    "massless": "a billionth of the robot's mass for moving frames without any, which MuJoCo asks for",
    "symmetry": "the mirror image of the other side, where the two differ and one is impossible or far from its shape",
    "estimate": "inertias from shapes, for moving links that have a shape and no inertia: needs a density",
}
"""Kinds of fixes by name, and what each does."""
SAFE: tuple[str, ...] = ("inertia", "axis")
"""Those that are applied unless others are named."""


Severity: TypeAlias = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""error: no robot is like this, or the file is refused. warning: probably wrong, or wrong in other programs. note:
worth knowing.
"""


@dataclass(frozen=True)
class Finding:
    """Something wrong or strange in a robot.

    >>> import loadpath as lp
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     arm = lp.catalog.planar(1).with_inertias({"link1": lp.Inertia.from_moments(1.0, ixx=1, iyy=1, izz=3)})
    >>> found = lp.check(arm).findings[0]
    >>> found.severity, found.where, found.rule
    ('error', "link 'link1'", 'inertia')
    """

    severity: Severity
    where: str
    """As in "link 'forearm'"; "robot" or the place in the file where it is no single one."""
    message: str
    """What is wrong, with the numbers."""
    remedy: str = ""
    """What to do."""
    rule: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """The numbers of the message, by name, in SI units."""
    fix: Fix | None = None
    """What would mend it, if anything can."""

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.message} [{self.rule}]"


# A URDF mended in its own text: attributes of single elements change, and all else stays as it was written.


_ENCODING = re.compile(rb"""^<\?xml[^>]*encoding\s*=\s*['"]([A-Za-z0-9._-]+)['"]""")
_LIKE_ASCII = ("utf-8", "us-ascii", "ascii", "iso-8859-1", "latin-1", "windows-1252")


@dataclass
class Tag:
    """An element in the text: where its start tag begins and ends, what is in it."""

    name: str
    attributes: dict[str, str]
    start: int
    end: int = 0
    """After the start tag."""
    empty: bool = False
    """Whether the start tag is the whole element, as in `<link/>`."""
    children: list[Tag] = field(default_factory=list)

    def child(self, name: str) -> Tag | None:
        return next((child for child in self.children if child.name == name), None)


@dataclass(frozen=True)
class Edit:
    """A stretch of the text, and what stands there instead."""

    start: int
    end: int
    text: bytes


def mended(text: bytes, fixes: Iterable[Fix]) -> bytes:
    """The text with fixes applied.

    >>> axis = b'<robot name="r"><joint name="j"><axis  xyz="0 0 2" /></joint></robot>'
    >>> mended(axis, [AxisFix("j", (0.0, 0.0, 1.0))])
    b'<robot name="r"><joint name="j"><axis  xyz="0.0 0.0 1.0" /></joint></robot>'
    """
    fixes = list(fixes)
    if not fixes:
        return text
    root = _tags(text)
    edits = [edit for fix in fixes for edit in _edits(text, root, fix)]
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _tags(text: bytes) -> Tag:
    """The elements of a text, which has been read as XML before."""
    declared = _ENCODING.match(text.removeprefix(b"\xef\xbb\xbf"))
    encoding = "UTF-16 or UTF-32" if b"\0" in text[:8] else declared[1].decode() if declared else "UTF-8"
    if encoding.lower() not in _LIKE_ASCII:
        raise ModelError(f"the file is in {encoding}: save it in UTF-8 to have it mended in place")
    parser = expat.ParserCreate()
    opened: list[Tag] = []
    roots: list[Tag] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        at = parser.CurrentByteIndex
        tag = Tag(name, attributes, at, *_end_of_tag(text, at))
        (opened[-1].children if opened else roots).append(tag)
        opened.append(tag)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: opened.pop()
    parser.Parse(text, True)
    return roots[0]


def _end_of_tag(text: bytes, start: int) -> tuple[int, bool]:
    """After the `>` that ends a start tag, and whether it is `/>`; quotes may hold another `>`."""
    at, quote = start, b""
    while True:
        letter = text[at : at + 1]
        if quote:
            quote = b"" if letter == quote else quote
        elif letter in (b'"', b"'"):
            quote = letter
        elif letter == b">":
            return at + 1, text[at - 1 : at] == b"/"
        at += 1


def _edits(text: bytes, root: Tag, fix: Fix) -> Iterator[Edit]:
    if isinstance(fix, AxisFix):
        joint = _named(root, "joint", fix.joint)
        axis = joint.child("axis") if joint is not None else None
        if axis is not None:
            yield from _set(text, axis, {"xyz": _words(fix.axis)})
        return
    link = _named(root, "link", fix.link)
    if link is None:
        raise ModelError(f"link '{fix.link}' is not in the file: it cannot be mended in place")
    inertial = link.child("inertial")
    if inertial is None:
        yield _inserted(text, link, fix)
    else:
        yield from _changed(text, inertial, fix.inertia)


def _named(root: Tag, tag: str, name: str) -> Tag | None:
    return next((child for child in root.children if child.name == tag and child.attributes.get("name") == name), None)


def _changed(text: bytes, inertial: Tag, body: Inertia) -> Iterator[Edit]:
    """The numbers of an `<inertial>`, in the axes that it has."""
    origin, mass, inertia = inertial.child("origin"), inertial.child("mass"), inertial.child("inertia")
    if mass is None or inertia is None:
        raise ModelError("an <inertial> without <mass> or <inertia> cannot be mended in place")
    rpy = [float(word) for word in (origin.attributes.get("rpy", "0 0 0") if origin else "0 0 0").split()]
    xyz = [float(word) for word in (origin.attributes.get("xyz", "0 0 0") if origin else "0 0 0").split()]
    axes = Pose.from_xyz_rpy((0, 0, 0), rpy).R
    tensor = axes.T @ np.array(body.tensor) @ axes
    entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    yield from _set(text, inertia, {name: repr(float(tensor[at])) for name, at in entries.items()})
    if float(mass.attributes.get("value", "nan")) != body.mass:
        yield from _set(text, mass, {"value": repr(body.mass)})
    if not np.allclose(xyz, body.center_of_mass, rtol=1e-12, atol=0):
        if origin is None:
            yield Edit(inertial.end, inertial.end, f'<origin xyz="{_words(body.center_of_mass)}"/>'.encode())
        else:
            yield from _set(text, origin, {"xyz": _words(body.center_of_mass)})


def _inserted(text: bytes, link: Tag, fix: InertiaFix) -> Edit:
    """An `<inertial>` for a link that has none."""
    body = fix.inertia
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.tensor
    lines = (
        "<inertial>",
        f'  <origin xyz="{_words(body.center_of_mass)}" rpy="0 0 0"/>',
        f'  <mass value="{body.mass!r}"/>',
        f'  <inertia ixx="{xx!r}" ixy="{xy!r}" ixz="{xz!r}" iyy="{yy!r}" iyz="{yz!r}" izz="{zz!r}"/>',
        "</inertial>",
    )
    made = "".join(f"\n    {line}" for line in lines)
    if not link.empty:
        return Edit(link.end, link.end, made.encode())
    opened = text[link.start : link.end].removesuffix(b"/>").rstrip() + b">"
    return Edit(link.start, link.end, opened + made.encode() + b"\n  </link>")


def _set(text: bytes, tag: Tag, values: dict[str, str]) -> Iterator[Edit]:
    """Attributes of an element, in place; those that are not there are added at its end."""
    start_tag = text[tag.start : tag.end]
    added = b""
    for name, value in values.items():
        found = re.search(rb"\s" + re.escape(name.encode()) + rb"""\s*=\s*("[^"]*"|'[^']*')""", start_tag)
        if found is None:
            added += f' {name}="{value}"'.encode()
        elif found[1][1:-1].strip() != value.encode():
            yield Edit(tag.start + found.start(1) + 1, tag.start + found.end(1) - 1, value.encode())
    if added:
        at = tag.end - (2 if tag.empty else 1)
        yield Edit(at, at, added)


def _words(numbers: Sequence[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)
