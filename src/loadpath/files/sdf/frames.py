"""Frames of SDF: every link, joint, `<frame>` and model has one, given in another that is named or implied.

The poses make a tree with the world at its root. What a frame moves with is another matter: a joint's frame moves with
its child, a model's with its canonical link, a `<frame>` with what it is attached to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from loadpath.files.xml_reading import Node
from loadpath.robot.numbers import nearest
from loadpath.robot.pose import Pose

MODEL, WORLD = "__model__", "world"
SEPARATOR = "::"


@dataclass(eq=False)
class SdfFrame:
    """A frame with its pose in the frame above it."""

    name: str
    """With the names of the models it is in, as in "gripper::finger"."""
    node: Node
    pose: Pose = field(default_factory=Pose)
    above: SdfFrame | None = None
    """In which frame the pose is given; None for the world."""
    carrier: SdfFrame | None = None
    """What it moves with; None for bodies: links and the world."""
    placed: SdfFrame | None = None
    """The placement frame of a model: the pose is that of this frame instead."""

    def local(self) -> Pose:
        """Its pose in the frame above it."""
        if self.placed is None:
            return self.pose
        return self.pose @ pose_between(self, self.placed).inverse()


def pose_between(start: SdfFrame, end: SdfFrame) -> Pose:
    """The pose of one frame in another, by the shortest way through the tree: where one is given in the other, it is
    the pose as written, to the last digit.
    """
    up: tuple[list[SdfFrame], list[SdfFrame]] = ([start], [end])
    seen: tuple[dict[SdfFrame, int], dict[SdfFrame, int]] = ({start: 0}, {end: 0})
    meeting = start if start is end else None
    while meeting is None:
        for side, other in ((0, 1), (1, 0)):
            above = up[side][-1].above
            if above is not None and meeting is None:
                seen[side][above] = len(up[side])
                up[side].append(above)
                if above in seen[other]:
                    meeting = above
    forth = _product(up[1][: seen[1][meeting]])
    back = _product(up[0][: seen[0][meeting]])
    if back is None:
        return forth or Pose()
    return back.inverse() if forth is None else back.inverse() @ forth


def _product(chain: list[SdfFrame]) -> Pose | None:
    """The pose of the first in the frame above the last."""
    found: Pose | None = None
    for frame in chain:
        found = frame.local() if found is None else frame.local() @ found
    return found


def body_of(frame: SdfFrame) -> SdfFrame:
    """The link, or the world, that a frame moves with."""
    seen = {frame: None}
    while frame.carrier is not None:
        frame = frame.carrier
        if frame in seen:
            names = " -> ".join(f"'{each.name}'" for each in (*seen, frame))
            frame.node.fail(f"what it is attached to leads back to itself: {names}")
        seen[frame] = None
    return frame


def refuse_circles(frames: Iterable[SdfFrame]) -> None:
    """Poses that are given in each other are nowhere."""
    sound: set[SdfFrame] = set()
    for frame in frames:
        chain: dict[SdfFrame, None] = {}
        at: SdfFrame | None = frame
        while at is not None and at not in sound:
            if at in chain:
                names = " -> ".join(f"'{each.name}'" for each in (*chain, at))
                at.node.fail(f"its pose is given in itself: {names}")
            chain[at] = None
            at = at.above
        sound.update(chain)


@dataclass(eq=False)
class Scope:
    """The names that a model, or the world, gives to what is in it."""

    model: SdfFrame
    version: tuple[int, int]
    world: SdfFrame
    members: dict[str, SdfFrame] = field(default_factory=dict)
    nested: dict[str, Scope] = field(default_factory=dict)
    prefix: str = ""
    static: bool = False

    def full(self, name: str) -> str:
        """A name of this scope with those of the models around it."""
        return f"{self.prefix}{name}"

    def add(self, name: str, frame: SdfFrame) -> None:
        """Give a name; siblings have names of their own."""
        if name in (MODEL, WORLD) or (name.startswith("__") and name.endswith("__")):
            frame.node.fail(f"the name '{name}' is reserved in SDF: choose another")
        earlier = self.members.setdefault(name, frame)
        if earlier is not frame:
            frame.node.fail(f"duplicate name '{name}': {earlier.node.owner} has it already{earlier.node.line}; in SDF "
                            "the links, joints, frames and models of a model have names of their own")

    def find(self, name: str, node: Node, what: str) -> SdfFrame:
        """The frame of that name, as seen from here."""
        first, _, rest = name.partition(SEPARATOR)
        if first == MODEL and not rest:
            return self.model
        if first == WORLD and not rest and (self.model is self.world or what == "parent"):
            return self.world
        if rest and first in self.nested:
            return self.nested[first].find(rest, node, what)
        if not rest and first in self.members:
            return self.members[first]
        node.fail(f"{what} is '{name}', which is not there{nearest(name, self._names())}")

    def _names(self) -> list[str]:
        inner = [f"{name}{SEPARATOR}{each}" for name, scope in self.nested.items() for each in scope.members]
        return [*self.members, *inner]


# Names in SDF files that are written. There the links and joints of a model have names of their own, and some are
# reserved: a link or joint that cannot have its name has another, and its own in an attribute that other readers skip.


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
