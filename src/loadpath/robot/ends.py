"""The ends of a robot: links that carry no other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol, cast

from loadpath.errors import warn
from loadpath.robot.flange import End, arm_ends, words_of
from loadpath.robot.loops import Loop
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
