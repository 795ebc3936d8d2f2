"""Rods between two ball joints: they spin about their own axis, a freedom that no drive holds and nobody means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from loadpath.robot.joints import Spherical
from loadpath.robot.loops import Loop
from loadpath.robot.parts import Joint


class _Closed(Protocol):
    @property
    def joints(self) -> tuple[Joint, ...]:
        """Joints of the tree."""

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Joints that close loops."""


def idle_rods(robot: _Closed) -> tuple[tuple[str, str], ...]:
    """Pairs of ball joints with nothing between them but links that hang on no other joints: legs and rods."""
    ends = [(joint.name, joint.motion, joint.parent, joint.child) for joint in robot.joints]
    ends += [(loop.name, loop.motion, loop.first, loop.second) for loop in robot.loops]
    joints_of: dict[str, list[int]] = {}
    for k, (_, _, *links) in enumerate(ends):
        for link in links:
            joints_of.setdefault(link, []).append(k)
    found = {}
    for k, (_, motion, *links) in enumerate(ends):
        for link in links if isinstance(motion, Spherical) else ():
            other = _other_end(ends, joints_of, k, link)
            if other is not None:
                found[frozenset((k, other))] = ends[min(k, other)][0], ends[max(k, other)][0]
    return tuple(found.values())


def _other_end(
    ends: Sequence[tuple[str, object, str, str]], joints_of: dict[str, list[int]], joint: int, link: str
) -> int | None:
    """The ball joint that is reached from another one along links with two joints each."""
    for _ in ends:
        if len(joints_of[link]) != 2:
            return None
        first, second = joints_of[link]
        joint = second if joint == first else first
        if isinstance(ends[joint][1], Spherical):
            return joint
        *_, parent, child = ends[joint]
        link = child if link == parent else parent
    return None


def idle_rods_in_words(robot: _Closed, free: Iterable[str]) -> str:
    """A remedy to add to a message about speeds that nothing holds, where they are of such rods; else nothing."""
    names = {name.rpartition(".")[0] or name for name in free}
    rods = [pair for pair in idle_rods(robot) if names.intersection(pair)]
    if not rods:
        return ""
    between = "; ".join(f"'{first}' and '{second}'" for first, second in rods[:3]) + ("; ..." if len(rods) > 3 else "")
    return (f"; what lies between two ball joints ({between}) spins about the line through both: make one of "
            "each two an lp.Universal")
