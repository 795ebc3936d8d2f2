"""XML from anywhere into a plain tree of elements that know their line; hostile or broken XML is a ModelError.

Time and memory grow with the length of the file and no faster, and the number of elements is limited.
"""

from __future__ import annotations

import codecs
import re
import xml.sax
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from loadpath.errors import ModelError

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
