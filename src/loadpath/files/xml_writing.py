"""XML text from a tree of elements, indented; however deep, without recursion."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from loadpath.errors import ModelError
from loadpath.files.xml_reading import XmlElement
from loadpath.robot.numbers import Matrix3, Vector3, unit_vector
from loadpath.robot.pose import Pose, angles_by_formula, rotation_by_rpy

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML has no way to write."""


@dataclass
class Tag:
    """An element that is to be written: attributes that are None or empty are left out."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Tag] = field(default_factory=list)
    text: str = ""
    """What stands between the tags of an element without children, as SDF writes its numbers."""

    def add(self, tag: str, **attributes: str | None) -> Tag:
        """A new element inside this one. A trailing underscore keeps Python's own words apart: `class_`."""
        child = Tag(tag, {name.rstrip("_"): value for name, value in attributes.items()})
        self.children.append(child)
        return child


def number_text(value: float) -> str:
    """A number in the fewest digits that give it back exactly.

    >>> number_text(0.1), number_text(2.0), number_text(-0.0)
    ('0.1', '2', '0')
    """
    whole = float(value)
    return str(int(whole)) if whole.is_integer() and abs(whole) < 1e15 else repr(whole)


def numbers_text(values: Iterable[float]) -> str:
    """Numbers with spaces between.

    >>> numbers_text((1, 0.5))
    '1 0.5'
    """
    return " ".join(number_text(value) for value in values)


def xml_text(root: Tag) -> str:
    """The document.

    >>> root = Tag("robot", {"name": "a"})
    >>> link = root.add("link", name="b & c")
    >>> print(xml_text(root), end="")
    <?xml version="1.0" encoding="utf-8"?>
    <robot name="a">
      <link name="b &amp; c"/>
    </robot>
    """
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    waiting: list[tuple[Tag | str, int]] = [(root, 0)]
    while waiting:
        element, depth = waiting.pop()
        if isinstance(element, str):
            lines.append(f"{'  ' * depth}</{element}>")
            continue
        given = "".join(f" {name}={_quoted(value)}" for name, value in element.attributes.items() if value)
        if not element.children:
            inside = f">{escape(_writable(element.text))}</{element.tag}>" if element.text else "/>"
            lines.append(f"{'  ' * depth}<{element.tag}{given}{inside}")
            continue
        lines.append(f"{'  ' * depth}<{element.tag}{given}>")
        waiting.append((element.tag, depth))
        waiting += [(child, depth + 1) for child in reversed(element.children)]
    return "\n".join(lines) + "\n"


def plain_xml(root: XmlElement) -> str:
    """Elements as they were read, each in a line of its own: all attributes, and the text before the elements inside.

    >>> from loadpath.files.xml_reading import read_xml
    >>> print(plain_xml(read_xml("<a b=''>x &lt;<c/></a>", "a.xml")), end="")
    <a b="">x &lt;
    <c/>
    </a>
    """
    lines: list[str] = []
    waiting: list[XmlElement | str] = [root]
    while waiting:
        element = waiting.pop()
        if isinstance(element, str):
            lines.append(f"</{element}>\n")
            continue
        given = "".join(f" {name}={_quoted(value)}" for name, value in element.attributes.items())
        text = escape(_writable(element.text))
        if element.children:
            lines.append(f"<{element.tag}{given}>{text}\n")
            waiting.append(element.tag)
            waiting += reversed(element.children)
        else:
            lines.append(f"<{element.tag}{given}>{text}</{element.tag}>\n" if text else f"<{element.tag}{given}/>\n")
    return "".join(lines)


def _quoted(value: str) -> str:
    return quoteattr(_writable(value), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _writable(value: str) -> str:
    if _FORBIDDEN.search(value):
        raise ModelError(f"{value!r} has characters that no XML file can have: give it another name")
    return value


# Angles and axes in the digits from which the same rotation, to the last bit where floats permit, is read back.


_NO_TURN: Vector3 = (0.0, 0.0, 0.0)


def roll_pitch_yaw(pose: Pose) -> Vector3:
    """Roll, pitch and yaw from which `Pose.from_xyz_rpy` makes the rotation of a pose again.

    A rotation that was made from such angles is met exactly, in few digits if it was; others to some 2e-16.

    >>> roll_pitch_yaw(Pose.from_xyz_rpy(rpy=(1.5708, 0, -0.3)))
    (1.5708, 0.0, -0.3)
    """
    wanted = pose.rotation
    if wanted == Pose().rotation:
        return _NO_TURN
    given = list(angles_by_formula(wanted))
    for angles in given:
        exact = _exact(wanted, *angles)
        if exact is not None:
            return exact

    def error(angles: Vector3) -> float:
        return _difference(rotation_by_rpy(*angles), wanted)

    roll, pitch, yaw = _best(min(given, key=error), error)
    return roll + 0.0, pitch + 0.0, yaw + 0.0


def _exact(wanted: Matrix3, roll: float, pitch: float, yaw: float) -> Vector3 | None:
    """Angles near these that give the rotation back, found one after the other by the entries that have them alone."""
    (r00, _, _), (r10, _, _), (r20, r21, r22) = wanted
    for p in _near(pitch):
        if -math.sin(p) != r20:
            continue
        cp = math.cos(p)
        yaws = [y for y in _near(yaw) if math.cos(y) * cp == r00 and math.sin(y) * cp == r10]
        rolls = [r for r in _near(roll) if cp * math.sin(r) == r21 and cp * math.cos(r) == r22]
        for r, y in itertools.product(rolls, yaws):
            if rotation_by_rpy(r, p, y) == wanted:
                return r, p, y
    return None


def _near(angle: float) -> Iterator[float]:
    """An angle in ever more digits, with its neighbours; also a turn back, but not beyond a full turn: readers take
    that for degrees.
    """
    seen: set[float] = set()
    for turned in (angle, angle - math.copysign(2 * math.pi, angle)):
        shortened = (float(f"{turned:.{digits}g}") + 0.0 for digits in range(2, 17))  # no minus before a zero
        for value in (*shortened, *_neighbours(turned)):
            if value not in seen:
                seen.add(value)
                yield value


def axis_numbers(axis: Vector3) -> Vector3:
    """Numbers that a reader, who makes a unit vector of them, takes for this axis.

    >>> axis_numbers((0.0, 0.6, 0.8))
    (0.0, 0.6, 0.8)
    """

    def error(numbers: Vector3) -> float:
        read = unit_vector(unit_vector(numbers, "axis"), "axis")  # by the reader, then by the joint
        return max(abs(a - b) for a, b in zip(read, axis, strict=True))

    return _best(axis, error)


def _best(start: Vector3, error: Callable[[Vector3], float]) -> Vector3:
    """Of numbers near those given, ones with the smallest error: in few digits if that is zero."""
    if error(start) == 0.0 and all(len(repr(x)) < 12 for x in start):
        return start
    for digits in (3, 4, 5, 6, 8, 10, 12, 14, 15):
        x, y, z = (round(entry, digits) + 0.0 for entry in start)
        if error((x, y, z)) == 0.0:
            return x, y, z
    best, least = start, error(start)
    for x, y, z in itertools.product(*(_neighbours(entry) for entry in start)):
        if least == 0.0:
            break
        found = error((x, y, z))
        if found < least:
            best, least = (x, y, z), found
    return best


def _neighbours(x: float) -> tuple[float, ...]:
    """A number, and those next to it."""
    if x == 0.0:
        return (x,)
    below, above = math.nextafter(x, -math.inf), math.nextafter(x, math.inf)
    return x, below, above, math.nextafter(below, -math.inf), math.nextafter(above, math.inf)


def _difference(a: Matrix3, b: Matrix3) -> float:
    return max(abs(x - y) for row, other in zip(a, b, strict=True) for x, y in zip(row, other, strict=True))
