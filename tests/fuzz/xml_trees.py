"""XML as plain trees that can be mutated and written in many ways."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from loadpath.files.xml_reading import XmlElement, read_xml


@dataclass
class Tree:
    """An element: tag, attributes in order (a name may be there twice), text and children."""

    tag: str
    attributes: list[tuple[str, str]] = field(default_factory=list)
    children: list[Tree] = field(default_factory=list)
    text: str = ""

    def everything(self) -> list[Tree]:
        """This element and all below it."""
        found, waiting = [], [self]
        while waiting:
            element = waiting.pop()
            found.append(element)
            waiting += reversed(element.children)
        return found

    def copy(self) -> Tree:
        return Tree(self.tag, list(self.attributes), [child.copy() for child in self.children], self.text)

    def get(self, attribute: str) -> str | None:
        return dict(self.attributes).get(attribute)

    def all(self, tag: str) -> list[Tree]:
        return [child for child in self.children if child.tag == tag]


DEEPEST = 100
"""Elements deeper than this are left out: nothing there counts in the dynamics."""


def parsed(data: bytes | str) -> Tree:
    """The tree of a well-formed document."""

    def of(element: XmlElement, level: int) -> Tree:
        inner = [of(child, level + 1) for child in element.children] if level < DEEPEST else []
        return Tree(element.tag, list(element.attributes.items()), inner)

    return of(read_xml(data, "case"), 0)


def plain(tree: Tree) -> str:
    """As anybody would write it."""
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in tree.attributes)
    inner = escape(tree.text) + "".join(plain(child) for child in tree.children)
    return f"<{tree.tag}{attributes}>{inner}</{tree.tag}>" if inner else f"<{tree.tag}{attributes}/>"


def decorated(tree: Tree, rng: random.Random) -> str:
    """With white space, comments, character references and both kinds of quotes in all places where XML has them."""
    gaps = ("", "", " ", "\n", "\t", "\r\n", "<!-- <link name='x'/> -->")
    gap = lambda: "<?x y?>" if rng.random() < 0.003 else rng.choice(gaps)  # noqa: E731
    parts = []
    for name, value in tree.attributes:
        quote = rng.choice("'\"")
        text = value.replace("&", "&amp;").replace("<", "&lt;").replace(quote, "&quot;" if quote == '"' else "&apos;")
        if text and rng.random() < 0.1:
            place = rng.randrange(len(value))
            if "&" not in value[: place + 1] and value[place] not in "<>'\"" and value[place] >= " ":
                at = len(value[:place])
                text = f"{text[:at]}&#{ord(value[place])};{text[at + 1 :]}" if text[:at] == value[:at] else text
        parts.append(f"{rng.choice((' ', '  ', chr(10), chr(9)))}{name}{rng.choice(('=', ' = '))}{quote}{text}{quote}")
    start = f"<{tree.tag}{''.join(parts)}{rng.choice(('', ' '))}"
    if not tree.children and not tree.text and rng.random() < 0.7:
        return f"{start}/>"
    text = (
        f"<![CDATA[{tree.text}]]>" if tree.text and "]]>" not in tree.text and rng.random() < 0.3 else escape(tree.text)
    )
    return f"{start}>{gap()}{text}{''.join(decorated(child, rng) + gap() for child in tree.children)}</{tree.tag}>"
