"""The words of a format that count in the dynamics, and a watch for words that are dropped though they may count.

Readers of robot files skip tags and attributes they do not know. A misspelt `<intertial>` then weighs nothing and a
misspelt `multiplyer` is 1, without a word. Here, near an element that counts in the dynamics:

- a word like one that the format knows and that is not there (`<intertial>`, `low=`, `izx=`), or one that it knows in
  another place (`<mass>` outside `<inertial>`), is an error;
- words known to say nothing on the dynamics (`<visual>`, `<gazebo>`, ...) are passed over;
- any other word is remembered, reported in a warning, and not used.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loadpath.files.xml_reading import Node

_DRAWN = frozenset({"visual", "collision", "material"})
"""Passed over in the dynamics, and read for pictures."""


@dataclass(frozen=True)
class Word:
    """A tag: what it may hold, and which of that says nothing on the dynamics."""

    children: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    passed_over: frozenset[str] = frozenset()


def word(children: str = "", attributes: str = "", passed_over: str = "") -> Word:
    """A tag, its words each in one text with spaces between."""
    return Word(frozenset(children.split()), frozenset(attributes.split()), frozenset(passed_over.split()))


@dataclass
class Watch:
    """Looks over elements for words that would be dropped; remembers the unknown ones until all is read."""

    format: str
    words: Mapping[str, Word]
    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Words that are not like the one meant, and that one."""
    repeated: frozenset[str] = frozenset()
    """Tags that may stand several times in an element."""
    unknown: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """For a tag and what of it is unknown: the owners where it was met."""
    notes: list[str] = field(default_factory=list)
    passed: dict[str, int] = field(default_factory=dict)
    """How often each tag was passed over."""

    def note(self, sentence: str) -> None:
        """Remember another sentence for the warning."""
        self.notes.append(sentence)

    def look(self, node: Node) -> None:
        """Check the tags inside an element and its attributes."""
        word = self.words[node.tag]
        present = {child.tag for child in node.element.children}
        for child in node.element.children:
            if child.tag in word.passed_over - _DRAWN:
                self.passed[child.tag] = self.passed.get(child.tag, 0) + 1
            if child.tag in word.children | word.passed_over:
                continue
            inner = Node(child, node.owner, node.source)
            if child.tag in self.words:
                if not _is_identity(inner):
                    place = f"<{child.tag}> stands in <{node.tag}>"
                    inner.fail(f"{place}, where {self.format} does not know it: it would not count")
                continue
            meant = _meant(child.tag, word.children - (present - self.repeated), self.synonyms, likeness=0.7)
            if meant:
                inner.fail(f"unknown tag <{child.tag}> in <{node.tag}>; did you mean <{meant}>?")
            self._doubt(node, f"<{child.tag}>")
        for attribute in node.element.attributes:
            if attribute in word.attributes or attribute.startswith("xmlns") or ":" in attribute:
                continue
            meant = _meant(attribute, word.attributes - node.element.attributes.keys(), self.synonyms, likeness=0.65)
            if meant:
                value = node.element.attributes[attribute]
                node.fail(f"unknown attribute {attribute}='{value}' of <{node.tag}>; did you mean '{meant}'?")
            self._doubt(node, f"attribute '{attribute}'")

    def _doubt(self, node: Node, what: str) -> None:
        owners = self.unknown.setdefault((node.tag, what), [])
        if node.owner not in owners:
            owners.append(node.owner)

    def left_out(self) -> tuple[str, ...]:
        """What was passed over, as it says nothing on the dynamics: no warning, for tools that say what a conversion
        loses.
        """
        listed = ", ".join(f"{count} <{tag}>" for tag, count in self.passed.items())
        return (f"{listed}: left out, as {self.format} says nothing on the motion by them",) if listed else ()

    def warnings(self) -> list[str]:
        """What is to be reported, a sentence each: the notes, and each group of owners with the same unknown words."""
        groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for (tag, what), owners in self.unknown.items():
            groups.setdefault((tag, tuple(owners)), []).append(what)
        return self.notes + [
            f"{_few(owners)}: not known to {self.format} in <{tag}> and not used: {', '.join(words)}"
            for (tag, owners), words in groups.items()
        ]


def _few(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _meant(word: str, known: Iterable[str], synonyms: Mapping[str, str], likeness: float) -> str | None:
    """Which of the known words a misspelt one may stand for.

    >>> [_meant(word, ["damping", "multiplier", "velocity"], {}, 0.65) for word in ("multiplyer", "vel", "D")]
    ['multiplier', 'velocity', None]
    """
    by_letters = {entry.lower(): entry for entry in sorted(known)}
    word = word.lower()
    if synonyms.get(word) in by_letters:
        return by_letters[synonyms[word]]
    shortened = [entry for entry in by_letters if len(word) > 2 and entry.startswith(word)]
    close = shortened or difflib.get_close_matches(word, by_letters, n=1, cutoff=likeness)
    return by_letters[close[0]] if close else None


def _is_identity(node: Node) -> bool:
    """An `<origin>` in the wrong place that moves nothing."""
    zero = (0.0, 0.0, 0.0)
    return node.tag == "origin" and node.vector("xyz", zero) == zero and node.vector("rpy", zero) == zero
