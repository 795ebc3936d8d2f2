"""The words of URDF that count in the dynamics, and a watch for words that are dropped though they may count.

URDF readers skip tags and attributes they do not know. A misspelt `<intertial>` then weighs nothing and a
misspelt `multiplyer` is 1, without a word. Here, near an element that counts in the dynamics:

- a word like one that URDF knows and that is not there (`<intertial>`, `low=`, `izx=`), or one that URDF knows in
  another place (`<mass>` outside `<inertial>`), is an error;
- words known to say nothing on the dynamics (`<visual>`, `<gazebo>`, ...) are passed over;
- any other word is remembered, reported in a warning, and not used.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from loadpath.files.urdf_text import Node


@dataclass(frozen=True)
class Word:
    """A tag: what it may hold, and which of that says nothing on the dynamics."""

    children: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    passed_over: frozenset[str] = frozenset()


def _word(children: str = "", attributes: str = "", passed_over: str = "") -> Word:
    return Word(frozenset(children.split()), frozenset(attributes.split()), frozenset(passed_over.split()))


VOCABULARY: dict[str, Word] = {
    "robot": _word(
        "link joint loop coupling constraint",
        "name version",
        "material gazebo transmission sensor ros2_control mujoco plugin visual collision",
    ),
    "link": _word(
        "inertial",
        "name type",
        "visual collision contact surface self_filter collision_checking material sensor verbose",
    ),
    "joint": _word(
        "parent child origin axis limit dynamics mimic freedom",
        "name type dont_collapse independent",
        "safety_controller calibration",
    ),
    "inertial": _word("origin mass inertia"),
    "origin": _word("", "xyz rpy quat_xyzw"),
    "mass": _word("", "value"),
    "inertia": _word("", "ixx ixy ixz iyy iyz izz"),
    "parent": _word("", "link"),
    "child": _word("", "link"),
    "axis": _word("", "xyz"),
    "limit": _word("", "lower upper velocity effort acceleration deceleration jerk"),
    "dynamics": _word("", "damping friction"),
    "mimic": _word("", "joint multiplier offset"),
    # Of this library: see `urdf_freedoms`.
    "freedom": _word("limit dynamics", "value type xyz"),
    # Loops: URDF+ (Chignoli et al. 2024) and the proposal urdfdom#264.
    "loop": _word("predecessor successor axis freedom", "name type"),
    "coupling": _word("predecessor successor ratio", "name"),
    "predecessor": _word("origin", "link"),
    "successor": _word("origin", "link"),
    "ratio": _word("", "value"),
    "constraint": _word("parent parent_origin parent_axis child child_origin child_axis", "name type"),
    "parent_origin": _word("", "xyz rpy quat_xyzw"),
    "child_origin": _word("", "xyz rpy quat_xyzw"),
    "parent_axis": _word("", "xyz"),
    "child_axis": _word("", "xyz"),
}
# Words that are not like the one meant.
_SYNONYMS = {
    "min": "lower",
    "max": "upper",
    "speed": "velocity",
    "torque": "effort",
    "force": "effort",
    "ratio": "multiplier",
    "position": "xyz",
    "rotation": "rpy",
    "orientation": "rpy",
}
_REPEATED = frozenset({"link", "joint", "loop", "coupling", "constraint", "freedom"})


@dataclass
class Watch:
    """Looks over elements for words that would be dropped; remembers the unknown ones until all is read."""

    unknown: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """For a tag and what of it is unknown: the owners where it was met."""
    notes: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Remember another sentence for the warning."""
        self.notes.append(sentence)

    def look(self, node: Node) -> None:
        """Check the tags inside an element and its attributes."""
        word = VOCABULARY[node.tag]
        present = {child.tag for child in node.element.children}
        for child in node.element.children:
            if child.tag in word.children | word.passed_over:
                continue
            inner = Node(child, node.owner, node.source)
            if child.tag in VOCABULARY:
                if not _is_identity(inner):
                    inner.fail(f"<{child.tag}> stands in <{node.tag}>, where URDF does not know it: it would not count")
                continue
            meant = _meant(child.tag, word.children - (present - _REPEATED), likeness=0.7)
            if meant:
                inner.fail(f"unknown tag <{child.tag}> in <{node.tag}>; did you mean <{meant}>?")
            self._doubt(node, f"<{child.tag}>")
        for attribute in node.element.attributes:
            if attribute in word.attributes or attribute.startswith("xmlns") or ":" in attribute:
                continue
            meant = _meant(attribute, word.attributes - node.element.attributes.keys(), likeness=0.65)
            if meant:
                value = node.element.attributes[attribute]
                node.fail(f"unknown attribute {attribute}='{value}' of <{node.tag}>; did you mean '{meant}'?")
            self._doubt(node, f"attribute '{attribute}'")

    def _doubt(self, node: Node, what: str) -> None:
        owners = self.unknown.setdefault((node.tag, what), [])
        if node.owner not in owners:
            owners.append(node.owner)

    def warnings(self) -> list[str]:
        """What is to be reported, a sentence each: the notes, and each group of owners with the same unknown words."""
        groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for (tag, what), owners in self.unknown.items():
            groups.setdefault((tag, tuple(owners)), []).append(what)
        return self.notes + [
            f"{_few(owners)}: not known to URDF in <{tag}> and not used: {', '.join(words)}"
            for (tag, owners), words in groups.items()
        ]


def _few(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _meant(word: str, known: Iterable[str], likeness: float) -> str | None:
    """Which of the known words a misspelt one may stand for.

    >>> [_meant(word, ["damping", "multiplier", "velocity"], likeness=0.65) for word in ("multiplyer", "vel", "D")]
    ['multiplier', 'velocity', None]
    """
    by_letters = {entry.lower(): entry for entry in sorted(known)}
    word = word.lower()
    if _SYNONYMS.get(word) in by_letters:
        return by_letters[_SYNONYMS[word]]
    shortened = [entry for entry in by_letters if len(word) > 2 and entry.startswith(word)]
    close = shortened or difflib.get_close_matches(word, by_letters, n=1, cutoff=likeness)
    return by_letters[close[0]] if close else None


def _is_identity(node: Node) -> bool:
    """An `<origin>` in the wrong place that moves nothing."""
    zero = (0.0, 0.0, 0.0)
    return node.tag == "origin" and node.vector("xyz", zero) == zero and node.vector("rpy", zero) == zero
