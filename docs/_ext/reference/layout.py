"""How a page of the reference is laid out: on one page if it is short, else a first page and pages by topic.

The first page of a long one keeps its address and has all tables; who comes by an old link, to an entry that has moved,
is led on (docs/_static/site.js; without scripts it is the table that names the entry).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_WORDS = 3000
"""Of a made page; docs/check.py holds it."""
ROOM = 2700
"""Of a page as Markdown: what Sphinx adds, such as "Copy" and links, is less than the rest."""
OF_CLASS = "the methods of "
"""A class that a page has no room for: its members stand on pages of their own."""
MOST_TOPICS = 4
"""On one page: its title names them."""
HEAD = "```{py:currentmodule} loadpath\n```\n"
ENTRY = re.compile(r"^`+\{py:(?!currentmodule)\w+\} ([\w.]+)", re.MULTILINE)


class Piece(NamedTuple):
    """An entry that is not torn, its row in the table of its topic, and of a long class, the entries of its members."""

    name: str
    row: str
    text: str
    members: tuple[Piece, ...] = ()

    def whole(self) -> Piece:
        """With its members inside of it, as a page has it that has room."""
        inner = "\n".join(member.text for member in self.members)
        return Piece(self.name, self.row, self.text.replace(MEMBERS, inner))


MEMBERS = "%members%"
"""Where they stand in the text of a class."""
COLUMNS = "| name | what it is |\n|---|---|\n"


class Topic(NamedTuple):
    """Entries below one heading; `lead` is what stands before them."""

    heading: str
    pieces: tuple[Piece, ...]
    lead: str = ""
    about: str = ""
    """What the first page says of entries that have no rows."""

    def table(self) -> str:
        """The rows of its entries."""
        rows = [piece.row for piece in self.pieces if piece.row]
        return COLUMNS + "\n".join(rows) + "\n" if rows else ""

    def text(self) -> str:
        """As a page has it."""
        return "\n".join([f"## {self.heading}\n", self.lead, self.table(), *(piece.text for piece in self.pieces)])


def words(text: str) -> int:
    """Words as a reader meets them, about."""
    return len(text.split())


def laid_out(key: str, title: str, about: str, topics: list[Topic]) -> dict[str, str]:
    """The pages of one part of the reference, by file name."""
    whole = [topic._replace(pieces=tuple(piece.whole() for piece in topic.pieces)) for topic in topics]
    single = "\n".join([f"# Reference: {title}\n", HEAD, f"{about}\n", *(topic.text() for topic in whole)])
    if words(single) <= ROOM:
        return {f"{key}.md": single}
    made: dict[str, str] = {}
    at: dict[str, str] = {}
    listed: list[str] = []
    for page in _packed([part for topic in topics for part in _parts(topic)]):
        names = [_lower(topic.heading) for topic in page]
        file = f"{key}-{_slug(names[0].split(' to ')[0].removeprefix(OF_CLASS))}"
        while f"{file}.md" in made:
            file += "-more"
        head = f"# Reference: {title}: {', '.join(names)}\n"
        made[f"{file}.md"] = "\n".join([head, HEAD, f"Of [{title}]({key}.md).\n", *(topic.text() for topic in page)])
        listed.append(f"{page[0].heading}{', …' if page[1:] else ''} <{file}>")
        at |= dict.fromkeys(ENTRY.findall(made[f"{file}.md"]), file)
        at |= {f"## {topic.heading}": file for topic in page}
    parts = [f"# Reference: {title}\n", HEAD, f"{about}\n", *(_first(topic, at) for topic in whole)]
    parts.append("```{toctree}\n:hidden:\n\n" + "\n".join(listed) + "\n```\n")
    return {f"{key}.md": "\n".join(parts), **made}


def _parts(topic: Topic) -> Iterator[Topic]:
    """A topic in pieces that a page has room for: "Results, A to B"."""
    short = topic._replace(pieces=tuple(piece.whole() for piece in topic.pieces))
    if words(short.text()) <= ROOM:
        yield short
        return
    groups: list[list[Piece]] = [[]]
    long: list[Topic] = []
    for piece in topic.pieces:
        entire = piece.whole()
        if words(entire.text) > ROOM - 200:
            long.append(Topic(f"{OF_CLASS.capitalize()}{piece.name.rsplit('.', 1)[-1]}", piece.members))
            rows = COLUMNS + "\n".join(member.row for member in piece.members) + "\n"
            entire = Piece(piece.name, piece.row, piece.text.replace(MEMBERS, rows))
        if words("\n".join(each.row + each.text for each in (*groups[-1], entire))) > ROOM - 100:
            groups.append([])
        groups[-1].append(entire)
    for group in groups:
        named = f"{topic.heading}, {_span(group)}" if len(groups) > 1 else topic.heading
        yield topic._replace(heading=named, pieces=tuple(group))
    for topic_of_members in long:
        yield from _parts(topic_of_members)


def _span(group: list[Piece]) -> str:
    first, last = (piece.name.rsplit(".", 1)[-1] for piece in (group[0], group[-1]))
    return first if first == last else f"{first} to {last}"


def _packed(topics: list[Topic]) -> list[list[Topic]]:
    """Neighbours share a page where there is room."""
    found: list[list[Topic]] = [[]]
    for topic in topics:
        room = words("\n".join(each.text() for each in (*found[-1], topic))) <= ROOM
        if found[-1] and (not room or len(found[-1]) == MOST_TOPICS):
            found.append([])
        found[-1].append(topic)
    return found


def _first(topic: Topic, at: dict[str, str]) -> str:
    """A topic on the first page: its table, or where it stands; and the anchors that were here."""
    names = [name for piece in topic.pieces for name in ENTRY.findall(piece.text)]
    names = [name if name in at else f"{topic.pieces[0].name}.{name}" for name in names]
    moved = "".join(
        f'<span id="loadpath.{name}" data-moved="{at[name]}.html"></span>' for name in names if name in at
    )
    file = at.get(f"## {topic.heading}")
    where = f"[{topic.heading}]({file}.md){': ' + topic.about if topic.about else ''}\n" if file else ""
    return "\n".join([f"## {topic.heading}\n", f"<div>{moved}</div>\n" if moved else "", topic.table() or where])


def _slug(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def _lower(heading: str) -> str:
    """A heading inside of a title."""
    return heading[0].lower() + heading[1:] if heading[1:2].islower() or heading[1:2] == " " else heading
