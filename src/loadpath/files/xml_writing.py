"""XML text from a tree of elements, indented; however deep, without recursion."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from loadpath.errors import ModelError
from loadpath.files.xml_reading import XmlElement

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
