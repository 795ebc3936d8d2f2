"""What stands in an element of a robot file: its numbers, names and children, from attributes as in URDF or from the
text between the tags as in SDF; or an error that names file, line and owner.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NoReturn

from loadpath.errors import ModelError
from loadpath.files.xml_reading import TEXT_KEPT, XmlElement
from loadpath.printable import printable
from loadpath.robot.numbers import Vector3

# What C++ stream extraction reads as a number; Python's float() takes more (1_000, nan, infinity, other digits).
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?inf", re.IGNORECASE)
ASK_FOR_XACRO = (
    "which is evaluated only when asked for: load it with xacro=True (--xacro yes), or let its name end in .xacro"
)
_XACRO = re.compile(r"\$[{(]")


def parse_number(text: str, infinite: bool = False) -> float | None:
    """The number a word says, or None if it says none; infinity only where it makes sense.

    >>> parse_number("2.5e-3"), parse_number("2,5"), parse_number("1_000"), parse_number("inf", infinite=True)
    (0.0025, None, None, inf)
    """
    if not (_NUMBER.fullmatch(text) or (infinite and _INFINITE.fullmatch(text))):
        return None
    value = float(text)
    return value if infinite or math.isfinite(value) else None


def hint(text: str) -> str:
    """What a word that is no number may mean."""
    if _XACRO.search(text):
        return f"; this looks like xacro, {ASK_FOR_XACRO}"
    if "," in text:
        decimal = re.fullmatch(r"[^,]*[0-9],[0-9][^,]*", text.strip())
        return "; the decimal sign is a point" if decimal else "; numbers are separated by spaces"
    if re.search(r"[0-9.]\s*(deg|°)", text):
        return "; angles are in radians, without a unit"
    if re.fullmatch(r"\s*[+-]?0[xX][0-9a-fA-F.pP+-]*\s*|.*_.*", text) or any(c.isdigit() and c > "9" for c in text):
        return "; numbers are decimal, in the digits 0 to 9, like 2.5 or 1e-3"
    if re.fullmatch(r"\s*[+-]?[0-9.]+(e[+-]?[0-9]+)?\s*[a-zA-Z%]+\d?\s*", text):
        return "; units are SI and not written"
    return ""


@dataclass(frozen=True)
class Node:
    """An element of the file and its owner, as in "link 'forearm'", for messages."""

    element: XmlElement
    owner: str
    source: str

    @property
    def tag(self) -> str:
        return self.element.tag

    @property
    def line(self) -> str:
        """Where it is, to be written after the name of the file."""
        return f", line {self.element.line}"

    @property
    def place(self) -> str:
        """File, line and owner."""
        return f"{self.source}{self.line}: {self.owner}"

    def fail(self, message: str) -> NoReturn:
        """Refuse the file because of this element."""
        raise ModelError(printable(f"{self.place}: {message}"))

    # Children

    def children(self, tag: str) -> list[Node]:
        return [Node(child, self.owner, self.source) for child in self.element.children if child.tag == tag]

    def child(self, tag: str) -> Node | None:
        """The child of that tag, if there is one; two are an error, as which one counts cannot be known."""
        found = self.children(tag)
        if len(found) > 1:
            found[1].fail(f"<{self.tag}> has {len(found)} <{tag}>: expected one")
        return found[0] if found else None

    def needed_child(self, tag: str) -> Node:
        child = self.child(tag)
        if child is None:
            self.fail(f"<{self.tag}> has no <{tag}>")
        return child

    # The text between the tags

    def content(self) -> str:
        """What stands between the tags, which must say something."""
        text = self.element.text.strip()
        if not text:
            self.fail(f"<{self.tag}> is empty")
        if len(self.element.text) >= TEXT_KEPT:
            self.fail(f"<{self.tag}> has more than {TEXT_KEPT} characters of text: '{text[:40]} ...'")
        return text

    def content_number(self, infinite: bool = False) -> float:
        """The number between the tags."""
        return self.parsed(self.content(), f"<{self.tag}>", infinite)

    def content_numbers(self, count: int) -> tuple[float, ...]:
        """So many finite numbers between the tags."""
        return self.parsed_row(self.content(), f"<{self.tag}>", count)

    def content_vector(self) -> Vector3:
        x, y, z = self.content_numbers(3)
        return x, y, z

    # Attributes

    def text(self, attribute: str) -> str:
        """An attribute that must be there and say something."""
        value = self.element.attributes.get(attribute)
        if value is None:
            written = self.element.text.strip()
            said = f"; '{written}' stands between the tags instead" if written else ""
            self.fail(f"<{self.tag}> has no attribute '{attribute}'{said}")
        if not value.strip():
            self.fail(f"{attribute} of <{self.tag}> is '{value}': expected a name")
        if _XACRO.search(value):
            self.fail(f"{attribute} of <{self.tag}> is '{value}'{hint(value)}")
        return value

    def number(self, attribute: str, default: float | None = None, infinite: bool = False) -> float:
        """A number; it must be there if there is no default."""
        text = self._numeric(attribute, default is None)
        if text is None:
            assert default is not None
            return default
        return self.parsed(text, f"{attribute} of <{self.tag}>", infinite)

    def numbers(self, attribute: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """So many finite numbers with spaces between."""
        text = self._numeric(attribute, default is None)
        if text is None:
            assert default is not None
            return default
        return self.parsed_row(text, f"{attribute} of <{self.tag}>", count)

    def parsed(self, text: str, what: str, infinite: bool = False) -> float:
        """The number that a text says."""
        value = parse_number(text.strip(), infinite)
        if value is None:
            self.fail(f"{what} is '{text}': expected a {'' if infinite else 'finite '}number{hint(text)}")
        return value

    def parsed_row(self, text: str, what: str, count: int) -> tuple[float, ...]:
        """The finite numbers that a text says."""
        values = [parse_number(word) for word in text.split()]
        if len(values) != count or None in values:
            self.fail(f"{what} is '{text}': expected {count} finite numbers{hint(text)}")
        return tuple(value for value in values if value is not None)

    def vector(self, attribute: str, default: Vector3 | None = None) -> Vector3:
        x, y, z = self.numbers(attribute, 3, default)
        return x, y, z

    def _numeric(self, attribute: str, needed: bool) -> str | None:
        if attribute not in self.element.attributes and needed:
            self.text(attribute)
        return self.element.attributes.get(attribute)
