"""Names in SDF files that are written. There the links and joints of a model have names of their own, and some are
reserved: a link or joint that cannot have its name has another, and its own in an attribute that other readers skip.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from loadpath.files.sdf.frames import SEPARATOR, WORLD

PREFIX, NAMESPACE = "loadpath", "urn:loadpath"
NAME = f"{PREFIX}:name"
"""The attribute with the name in the robot, where it is another than in the file."""
BASE = f"{PREFIX}:base"
"""Marks the joint that bolts the base to the world: the robot has no such joint."""
FREE, AGAINST = f"{PREFIX}:free", f"{PREFIX}:against"
"""On a link that moves freely: the name of the robot's joint that lets it, and of the link against which it moves."""
COUPLING = f"{PREFIX}:coupling"
"""On a `<mimic>` that stands for a coupling: its name."""


@dataclass
class Names:
    """Gives every link and joint a name that nothing else in the model has."""

    taken: set[str] = field(default_factory=set)

    def give(self, wanted: str, kind: str) -> str:
        """A name as near to the wanted one as may be.

        >>> names = Names()
        >>> names.give("wrist", "link"), names.give("wrist", "joint"), names.give("tool::tip", "link")
        ('wrist', 'wrist_joint', 'tool_tip')
        """
        plain = wanted.replace(SEPARATOR, "_").strip() or kind
        if plain == WORLD or (plain.startswith("__") and plain.endswith("__")):
            plain = f"{plain.strip('_')}_{kind}"
        name, number = plain, 1
        while name in self.taken:
            name = f"{plain}_{kind}{number if number > 1 else ''}"
            number += 1
        self.taken.add(name)
        return name


def remembered(given: str, own: str) -> str | None:
    """What the attribute says: nothing where the name is the robot's own."""
    return None if given == own else own
