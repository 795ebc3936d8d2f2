"""The ends of a robot: links that carry no other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from loadpath.errors import warn
from loadpath.robot.loops import Loop
from loadpath.robot.parts import Joint, Link

# Which of a robot's ends is meant where none is named: frames on one body are one end, what is welded to the base is
# none, fingers belong to the hand that they are on, and one arm stands out among wheels, legs and heads. Two arms do
# not.


FRAMES = ("tool0", "tcp", "grasp", "grasping", "end_effector", "effector", "ee", "eef", "tool", "flange", "gripper",
          "hand", "tip")
"""What files call the frame at which an arm takes hold of things, the most telling first (tool0: ROS-Industrial)."""
ARM = 5
"""Moving joints that an arm has at least, where it is to stand out among other limbs or to end in a hand."""
FINGERS = 0.25
"""Of the mass, and twice of the length, of an arm: what lies beyond its hand is lighter and shorter."""
LIGHT = 1e-3
"""kg: files give frames such masses where a program does not take zero."""
PAYLOAD = "payload"
MOST_LISTED = 8
"""Ends that a message lists."""


class Jointed(Protocol):
    """What has links and joints."""

    @property
    def joints(self) -> Sequence[Joint]:
        """Its joints, parents first."""

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of its links, the base first."""

    def link(self, name: str) -> Link:
        """The link of that name."""


class End(NamedTuple):
    """One end: the frame that stands for it, and how many joints move it."""

    frame: str
    joints: int
    rank: int
    """Place of its name among `FRAMES`: lower is more telling."""


class _Bodies:
    """Links that fixed joints hold together are one body; a body is called by its first link."""

    def __init__(self, robot: Jointed) -> None:
        self.base = robot.link_names[0]
        self.of = {self.base: self.base}
        self.before: dict[str, str] = {}
        self.length: dict[str, float] = {self.base: 0.0}
        self.mass: dict[str, float] = {}
        for joint in robot.joints:
            if joint.motion.dof:
                self.of[joint.child] = joint.child
                self.before[joint.child] = self.of[joint.parent]
                self.length[joint.child] = float(np.linalg.norm(joint.origin.p))
            else:
                self.of[joint.child] = self.of[joint.parent]
        for link, body in self.of.items():
            self.mass[body] = self.mass.get(body, 0.0) + robot.link(link).inertia.mass

    def chain(self, body: str) -> list[str]:
        """The bodies from the first that moves to this one."""
        found: list[str] = []
        while body != self.base:
            found.append(body)
            body = self.before[body]
        return found[::-1]

    def beyond(self, body: str) -> list[str]:
        """The bodies that move with this one and on it."""
        return [other for other in self.before if other != body and body in self.chain(other)]

    def is_hand(self, body: str, tool: bool) -> bool:
        """Whether all that moves on a body are fingers: several of them, or one beside a frame for tools."""
        arm, fingers = self.chain(body), self.beyond(body)
        roots = [finger for finger in fingers if self.before[finger] == body]
        if len(arm) < ARM or not roots or (len(roots) == 1 and not tool):
            return False
        longest = max(sum(self.length[part] for part in self.chain(finger)[len(arm) :]) for finger in fingers)
        light = sum(self.mass[finger] for finger in fingers) < FINGERS * sum(self.mass[part] for part in arm)
        return light and longest < 2 * FINGERS * sum(self.length[part] for part in arm)


def rank_of(name: str) -> int:
    """How telling the name of a frame is: its place among `FRAMES`.

    >>> rank_of("tool0") < rank_of("j2s6s200_end_effector") < rank_of("ee_link") < rank_of("camera_frame")
    True
    """
    words = re.split(r"[^a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower())
    joined = "_".join(words)
    found = [k for k, frame in enumerate(FRAMES) if frame in words or ("_" in frame and frame in joined)]
    return min(found, default=len(FRAMES))


def arm_ends(robot: Jointed, ends: tuple[str, ...]) -> tuple[End, ...]:
    """What the given ends of a robot come down to: one if there is one arm, else all that may be meant.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda(hand=True)           # with two fingers
    >>> [end.frame for end in arm_ends(arm, ("panda_hand_tcp", "panda_leftfinger", "panda_rightfinger"))]
    ['panda_hand_tcp']
    """
    bodies = _Bodies(robot)
    frames: dict[str, list[str]] = {}
    for end in ends:
        body, link = bodies.of[end], end
        if end.startswith(PAYLOAD) and robot.link_names[0] != end:  # what is carried is not what carries
            link = next(joint.parent for joint in robot.joints if joint.child == end)
        frames.setdefault(body, []).append(link)
    frames.pop(bodies.base, None)
    hands = [body for body in frames if bodies.is_hand(body, min(map(rank_of, frames[body])) < len(FRAMES))]
    hands += [body for body in bodies.mass if body not in frames and bodies.is_hand(body, False)]
    fingers = {finger for hand in hands for finger in bodies.beyond(hand)}
    shown = [body for body in dict.fromkeys([*frames, *hands]) if body not in fingers]
    shown = [body for body in shown if body in hands or not set(bodies.beyond(body)) & set(shown)] or shown
    found = [_end(robot, bodies, body, frames.get(body, [])) for body in shown]
    longest = sorted(found, key=lambda end: -end.joints)
    stands_out = len(found) > 1 and longest[0].joints >= max(ARM, 2 * longest[1].joints)
    return (longest[0],) if stands_out else tuple(found)


def _end(robot: Jointed, bodies: _Bodies, body: str, frames: Sequence[str]) -> End:
    """The frame that stands for a body: the one with the most telling name, without mass if there is such; where none
    of several stands out, the body itself.
    """
    joints = len(bodies.chain(body))
    if not frames:
        on_it = [link for link, of in bodies.of.items() if of == body]
        return End(on_it[-1], joints, rank_of(on_it[-1]))
    order = {name: (rank_of(name), robot.link(name).inertia.mass > LIGHT) for name in frames}
    best = min(order, key=lambda name: order[name])
    alike = [name for name in order if order[name] == order[best]]
    if len(order) > 1 and (rank_of(best) == len(FRAMES) or len(alike) > 1):
        best = body
    return End(best, joints, rank_of(best))


def words_of(names: Sequence[str]) -> str:
    """Ends in a message.

    >>> words_of(["left", "right"])
    "'left', 'right'"
    """
    more = f" and {len(names) - MOST_LISTED} others" if len(names) > MOST_LISTED else ""
    return ", ".join(f"'{name}'" for name in names[:MOST_LISTED]) + more


class Linked(Protocol):
    """What has links and joints: a robot, or a rover."""

    @property
    def name(self) -> str:
        """Name, for messages."""

    @property
    def joints(self) -> Sequence[Joint]:
        """Its joints."""

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of its links."""

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Joints that close loops between its links."""

    def link(self, name: str) -> Link:
        """The link of that name."""

    def __hash__(self) -> int:
        """Equal robots have equal ones."""


def ends_of(robot: Linked) -> tuple[str, ...]:
    """The links that carry no other.

    >>> from loadpath.robot.catalog import planar
    >>> ends_of(planar(2))
    ('tip',)
    """
    parents = {joint.parent for joint in robot.joints}
    return tuple(name for name in robot.link_names if name not in parents)


def loose_ends_of(robot: Linked) -> tuple[str, ...]:
    """The ends that no loop holds, if there are such; else all ends: a rod that a loop closes ends nowhere."""
    ends = ends_of(robot)
    held = {link for loop in robot.loops for link in (loop.first, loop.second)}
    return tuple(end for end in ends if end not in held) or ends


@lru_cache(maxsize=64)
def _arm_ends(robot: Any, ends: tuple[str, ...]) -> tuple[End, ...]:
    """Kept, because a Jacobian without a link asks each time."""
    return arm_ends(robot, ends)


def only_end(robot: Linked, what: str) -> str:
    """The end that is meant where none is named, and a warning if other frames could have been meant; `what` is for
    messages. A robot with several arms is refused.

    >>> from loadpath.robot.catalog import planar
    >>> only_end(planar(2), "the payload is on")
    'tip'
    """
    ends = loose_ends_of(robot)
    if len(ends) == 1:
        return ends[0]
    found = _arm_ends(cast(Any, robot), ends)
    if len(found) == 1:
        others = [end for end in ends if end != found[0].frame]
        warn(f"robot '{robot.name}': {what} '{found[0].frame}', where no link is named; link= takes another end, like "
             f"{words_of(others)}")
        return found[0].frame
    names = [end.frame for end in found] or list(ends)  # all may be welded to the base
    likely = min(reversed(found), key=lambda end: (end.rank, -end.joints)).frame if found else ends[-1]
    raise ValueError(f"robot '{robot.name}' has several ends, {words_of(names)}: name the link, like link={likely!r}")


def link_or_only_end(robot: Linked, link: str | None, what: str = "taken is the link") -> str:
    """The link of that name; without one, the only end that there is."""
    return only_end(robot, what) if link is None else robot.link(link).name


def one_name(caller: str, link: str | None, tip: str | None) -> str | None:
    """The link that a caller may name by `link=` or by `tip=`; both only if they agree.

    >>> one_name("respond", None, "tool")
    'tool'
    """
    if link is not None and tip is not None and link != tip:
        raise ValueError(f"{caller}: link is {link!r} and tip is {tip!r}, two names of one thing: give one of them")
    return tip if link is None else link
