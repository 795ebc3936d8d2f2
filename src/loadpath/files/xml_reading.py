"""XML from anywhere into a plain tree of elements that know their line; hostile or broken XML is a ModelError.

Time and memory grow with the length of the file and no faster, and the number of elements is limited.
"""

from __future__ import annotations

import codecs
import math
import re
import xml.sax
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from loadpath.errors import ModelError
from loadpath.printable import printable
from loadpath.robot.numbers import Vector3

MOST_ELEMENTS = 1_000_000
"""Elements of a file. A robot of 10,000 links has some 100,000."""
TEXT_KEPT = 1000
"""Characters of the text between the tags of an element that are kept: no number, name or pose has as many."""
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_ENCODING = re.compile(rb"\s*(<\?xml[^>]*?)\sencoding\s*=\s*[\"']([\w.:-]+)[\"']")
_NAMED_ENCODING = re.compile(r"^(\s*<\?xml[^>]*?)\sencoding\s*=\s*[\"'][\w.:-]+[\"']")


@dataclass(slots=True)
class XmlElement:
    """An XML element: its tag as written (with any prefix), its attributes, its children and where it starts."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list, repr=False)
    text: str = ""

    def everything(self) -> Iterator[XmlElement]:
        """This element and all below it, however deep."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += element.children


class _TooLongError(Exception):
    """A file that nobody wrote as a robot."""


class _TreeBuilder(ContentHandler):
    """Puts elements together as the parser meets them."""

    def __init__(self, parser: DefusedExpatParser) -> None:
        super().__init__()
        self.parser = parser
        self.root: XmlElement | None = None
        self.open: list[XmlElement] = []
        self.elements = 0

    def startElement(self, name: str, attrs: xml.sax.xmlreader.AttributesImpl) -> None:
        self.elements += 1
        if self.elements > MOST_ELEMENTS:
            raise _TooLongError(f"it has more than {MOST_ELEMENTS:,} elements, which no robot needs")
        element = XmlElement(name, dict(attrs.items()), self.parser.getLineNumber())
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def endElement(self, name: str) -> None:
        self.open.pop()

    def characters(self, content: str) -> None:
        element = self.open[-1]
        room = TEXT_KEPT - len(element.text)
        if room > 0 and (element.text or content.strip()):  # the parser cuts a text at line ends
            element.text += content[:room]


def read_xml(data: bytes | str, source: str) -> XmlElement:
    """The root element of an XML document; `source` names it in errors.

    Entities, external references and anything that is not well-formed are refused. Prefixes such as `gazebo:` need
    not be declared, as files for one tool seldom declare those of another.

    >>> root = read_xml("<robot name='r'><link name='a'/></robot>", "<string>")
    >>> root.children[0]
    XmlElement(tag='link', attributes={'name': 'a'}, line=1, text='')
    >>> read_xml("<robot><link></robot>", "arm.urdf")
    Traceback (most recent call last):
    loadpath.errors.ModelError: arm.urdf, line 1: not well-formed XML: mismatched tag; <link> of line 1 is not closed
    """
    if not data.strip():
        raise ModelError(f"{source}: the file is empty: expected XML")
    if isinstance(data, bytes) and data.startswith((_GZIP, _ZIP)):
        kind, tool = ("gzip", "gunzip") if data.startswith(_GZIP) else ("zip", "unzip")
        raise ModelError(f"{source}: this is a compressed file ({kind}), not XML: {tool} it first")
    parser = DefusedExpatParser()
    builder = _TreeBuilder(parser)
    parser.setContentHandler(builder)
    try:
        parser.feed(data)
        parser.close()
    except xml.sax.SAXParseException as problem:
        line = problem.getLineNumber() or 1
        words = problem.getMessage().removeprefix("not well-formed (").removesuffix(")")
        hint = _hint(words, data, line, builder)
        raise ModelError(f"{source}, line {line}: not well-formed XML: {words}{hint}") from None
    except DefusedXmlException as problem:
        named = getattr(problem, "name", None)
        which = f"entity '{named}' is defined here; " if named else ""
        raise ModelError(f"{source}, line {parser.getLineNumber()}: {which}XML entities and external references are "
                         "refused: write their text in their place") from None
    except _TooLongError as problem:
        raise ModelError(f"{source}: {problem}") from None
    except (ValueError, LookupError) as problem:  # an encoding that is unknown or does not fit
        raise ModelError(f"{source}: not readable as XML: {problem}") from None
    if builder.root is None:
        raise ModelError(f"{source}: no XML element: expected XML")
    return builder.root


def decoded(data: bytes | str) -> str:
    """The text of a document that is well-formed, for readers that know UTF-8 alone: by its byte order mark or by the
    encoding that it names.

    >>> decoded("<?xml version='1.0' encoding='utf-16'?><a n='é'/>".encode("utf-16"))
    "<?xml version='1.0'?><a n='é'/>"
    """
    if isinstance(data, str):
        return data
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16")
    else:
        named = _ENCODING.match(data.removeprefix(codecs.BOM_UTF8))
        text = data.decode("utf-8-sig" if named is None or data.startswith(codecs.BOM_UTF8) else named[2].decode())
    return _NAMED_ENCODING.sub(r"\1", text, count=1)


def _hint(words: str, data: bytes | str, line: int, builder: _TreeBuilder) -> str:
    """What may be wrong where the parser stopped, and what to do."""
    if isinstance(data, bytes):
        if b"\x00" in data[:1000]:
            return "; this is not a file of text"
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return "; the file is not in UTF-8: save it in UTF-8, or name its encoding in its first line"
    else:
        text = data
    lines = text.split("\n")
    if line <= len(lines) and re.search(r"&(?!#?\w+;)", lines[line - 1]):
        return "; '&' is written &amp;"
    if builder.open and words == "invalid token":
        return "; is a quote or a '>' missing there, or shortly before?"
    if builder.open:
        last = builder.open[-1]
        return f"; <{last.tag}> of line {last.line} is not closed"
    return "; expected one <robot> and nothing after it" if builder.root is not None else ""


# What stands in an element of a robot file: its numbers, names and children, from attributes as in URDF or from the
# text between the tags as in SDF; or an error that names file, line and owner.


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
