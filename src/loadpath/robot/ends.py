"""The ends of a robot: links that carry no other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from loadpath.robot.parts import Joint, Link


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

    def link(self, name: str) -> Link:
        """The link of that name."""


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
    ends, loops = ends_of(robot), getattr(robot, "loops", ())
    held = {link for loop in loops for link in (loop.first, loop.second)}
    return tuple(end for end in ends if end not in held) or ends


def link_or_only_end(robot: Linked, link: str | None) -> str:
    """The link of that name; without one, the only end that there is."""
    if link is not None:
        return robot.link(link).name
    ends = loose_ends_of(robot)
    if len(ends) != 1:
        raise ValueError(f"robot '{robot.name}' has {len(ends)} ends, {', '.join(ends[:8])}: name the link")
    return ends[0]
