"""XML from anywhere into a plain tree of elements that know their line; hostile or broken XML is a ModelError."""

from __future__ import annotations

import xml.sax
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from loadpath.errors import ModelError


@dataclass
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


class _TreeBuilder(ContentHandler):
    """Puts elements together as the parser meets them."""

    def __init__(self, parser: DefusedExpatParser) -> None:
        super().__init__()
        self.parser = parser
        self.root: XmlElement | None = None
        self.open: list[XmlElement] = []

    def startElement(self, name: str, attrs: xml.sax.xmlreader.AttributesImpl) -> None:
        element = XmlElement(name, dict(attrs.items()), self.parser.getLineNumber())
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def endElement(self, name: str) -> None:
        self.open.pop()

    def characters(self, content: str) -> None:
        if self.open and content.strip():
            self.open[-1].text += content


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
    except (ValueError, LookupError) as problem:  # an encoding that is unknown or does not fit
        raise ModelError(f"{source}: not readable as XML: {problem}") from None
    if builder.root is None:
        raise ModelError(f"{source}: no XML element: expected XML")
    return builder.root
