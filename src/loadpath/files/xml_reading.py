"""XML from anywhere into a plain tree of elements that know their line; hostile or broken XML is a ModelError.

Time and memory grow with the length of the file and no faster, and the number of elements is limited.
"""

from __future__ import annotations

import xml.sax
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from loadpath.errors import ModelError

MOST_ELEMENTS = 1_000_000
"""Elements of a file. A robot of 10,000 links has some 100,000."""
TEXT_KEPT = 200
"""Characters of the text between the tags of an element that are kept, for messages."""
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"


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


class _TooLong(Exception):
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
            raise _TooLong(f"it has more than {MOST_ELEMENTS:,} elements, which no robot needs")
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
        if room > 0 and content.strip():
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
    loadpath.errors.ModelError: arm.urdf, line 1: not well-formed XML: mismatched tag
    """
    if not data.strip():
        raise ModelError(f"{source}: the file is empty: expected XML")
    if isinstance(data, bytes) and data.startswith((_GZIP, _ZIP)):
        kind, tool = ("gzip", "gunzip") if data.startswith(_GZIP) else ("zip", "unzip")
        raise ModelError(f"{source}: this is a compressed file ({kind}): {tool} it first")
    parser = DefusedExpatParser()
    builder = _TreeBuilder(parser)
    parser.setContentHandler(builder)
    try:
        parser.feed(data)
        parser.close()
    except xml.sax.SAXParseException as problem:
        raise ModelError(
            f"{source}, line {problem.getLineNumber()}: not well-formed XML: {problem.getMessage()}"
        ) from None
    except DefusedXmlException as problem:
        raise ModelError(f"{source}: XML entities and external references are refused: {problem}") from None
    except _TooLong as problem:
        raise ModelError(f"{source}: {problem}") from None
    except (ValueError, LookupError) as problem:  # an encoding that is unknown or does not fit
        raise ModelError(f"{source}: not readable as XML: {problem}") from None
    if builder.root is None:
        raise ModelError(f"{source}: no XML element: expected XML")
    return builder.root
