"""What closes a chain: a joint between two links of a tree, or a fixed ratio between speeds.

A robot with loops is a tree of links and what closes it. `Loop` is a joint like any other, but it has no coordinates:
where the links are, the tree's joints say, and the loop restricts them. Its frame `at` sits on the first link, `on` on
the second, and the loop is closed when

    pose of `on` = pose of `at` @ motion(theta)        for some theta.

Its wrench is exerted by the first link on the second, at the origin and in the axes of `on`: as of a joint of the tree
with parent and child.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from loadpath.converted import Converted
from loadpath.errors import ModelError
from loadpath.robot.joints import JointType, Revolute, Spherical
from loadpath.robot.numbers import LARGEST_LENGTH, name, number, within
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose, PoseLike, pose_of

if TYPE_CHECKING:
    from loadpath.robot.model import RobotModel


CLOSED_WITHIN = 2e-5
"""Loops count as closed within this part of their length (or of the robot's size), and this angle (rad), everywhere: a
plane linkage whose angles have the five digits of a file (1.5708) cannot be closed better.
"""


@dataclass(frozen=True)
class Loop:
    """A joint that closes a loop between two links of a tree; poses are in the frames of the links.

    >>> Loop("pin", "coupler", "rocker", Revolute((0, 1, 0)), at=(0.4, 0, 0), on=(0.3, 0, 0)).rows
    5
    """

    name: str
    first: str
    second: str
    motion: JointType = field(default_factory=Revolute)
    at: Converted[Pose, PoseLike] = field(default_factory=Pose)  # type: ignore[arg-type]
    """The joint's frame on the first link."""
    on: Converted[Pose, PoseLike] = field(default_factory=Pose)  # type: ignore[arg-type]
    """The joint's frame on the second link, where its wrench is reported."""

    def __post_init__(self) -> None:
        name(self.name, "name of a loop")
        if not isinstance(self.motion, JointType):
            raise ModelError(f"loop '{self.name}': motion is {self.motion!r}, expected a joint type like Revolute()")
        for role in ("first", "second"):
            name(getattr(self, role), f"{role} link of loop '{self.name}'")
        if self.first == self.second:
            raise ModelError(f"loop '{self.name}' joins link '{self.first}' to itself: a loop is closed between two "
                             "links")
        if self.motion.dof == 6:
            raise ModelError(f"loop '{self.name}': a {type(self.motion).__name__} joint holds nothing, so it closes no "
                             "loop")
        for part in ("at", "on"):
            what = f"frame '{part}' of loop '{self.name}'"
            pose = pose_of(getattr(self, part), what)
            within(max(pose.translation, key=abs), LARGEST_LENGTH, f"a coordinate of the {what}", "m")
            object.__setattr__(self, part, pose)

    @property
    def rows(self) -> int:
        """How many freedoms it takes away, counted by itself."""
        return 6 - self.motion.dof


@dataclass(frozen=True)
class Coupling:
    """A fixed ratio between speeds, as of gears, belts and differentials: the sum of `ratios` times the speeds is zero,
    and the sum of ratios times coordinates is `offset`.

    >>> Coupling("differential", {"motor_a": 1.0, "motor_b": -1.0, "wrist": 40.0}).ratios[2]
    ('wrist', 40.0)
    """

    name: str
    ratios: tuple[tuple[str, float], ...]
    """Names of speeds (`dof_names`), each with its factor."""
    offset: float = 0.0

    def __post_init__(self) -> None:
        name(self.name, "name of a coupling")
        given: object = self.ratios.items() if isinstance(self.ratios, Mapping) else self.ratios
        if not isinstance(given, Iterable) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in given):
            raise ModelError(f"coupling '{self.name}': ratios are {given!r}, expected a dict from joints to factors")
        ratios = []
        for entry in given:
            joint, factor = entry
            name(joint, f"a joint of coupling '{self.name}'")
            ratios.append((joint, number(factor, f"factor of '{joint}' in coupling '{self.name}'")))
        if not any(factor for _, factor in ratios):
            raise ModelError(f"coupling '{self.name}' couples nothing: it needs a factor that is not zero")
        if len({joint for joint, _ in ratios}) < len(ratios):
            raise ModelError(f"coupling '{self.name}' names a joint twice: {', '.join(joint for joint, _ in ratios)}")
        object.__setattr__(self, "ratios", tuple(ratios))
        object.__setattr__(self, "offset", number(self.offset, f"offset of coupling '{self.name}'"))


def check_closing(robot: RobotModel) -> None:
    """Refuse loops, couplings and drives that do not fit the tree."""
    names = [*robot.joint_names]
    for loop in robot.loops:
        for link in (loop.first, loop.second):
            try:
                robot.link(link)
            except ValueError as problem:
                raise ModelError(f"loop '{loop.name}': {problem}") from None
        if loop.name in names:
            raise ModelError(f"robot '{robot.name}': two joints are named '{loop.name}'")
        names.append(loop.name)
    names = list(robot.loop_names)
    for coupling in robot.couplings:
        if coupling.name in names:
            raise ModelError(f"robot '{robot.name}': two of what closes it are named '{coupling.name}': give this "
                             "coupling another name")
        names.append(coupling.name)
        for dof, _ in coupling.ratios:
            if dof not in robot.dof_names or dof not in robot.coordinate_names:
                others = ", ".join(name for name in robot.dof_names if name in robot.coordinate_names) or "none"
                raise ModelError(f"coupling '{coupling.name}': there is no speed '{dof}' with a coordinate of its "
                                 f"own; there are {others}")
    for dof in robot.drives:
        if dof not in robot.dof_names:
            raise ModelError(f"robot '{robot.name}': there is no speed '{dof}' to drive; there are "
                             f"{', '.join(robot.dof_names)}")
        if robot.drives.count(dof) > 1:
            raise ModelError(f"robot '{robot.name}': '{dof}' is driven {robot.drives.count(dof)} times: name each "
                             "drive once; two motors on one joint are one drive of both their forces")
    if robot.near and len(robot.near) != robot.nq:
        raise ModelError(f"robot '{robot.name}': the configuration to start from has {len(robot.near)} numbers, "
                         f"expected {robot.nq}")
    of_start = f"robot '{robot.name}': coordinate '%s' of the configuration to start from"
    start = [number(value, of_start % name) for name, value in zip(robot.coordinate_names, robot.near, strict=False)]
    object.__setattr__(robot, "near", tuple(start))


# Rods between two ball joints: they spin about their own axis, a freedom that no drive holds and nobody means.


class _Closed(Protocol):
    @property
    def joints(self) -> Sequence[Joint]:
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


def spins_of_rods(robot: _Closed, speeds: Iterable[str]) -> list[str]:
    """Those of some speeds that nothing determines with which such rods spin."""
    ends = {name for pair in idle_rods(robot) for name in pair}
    return [name for name in speeds if name.rpartition(".")[0] in ends]


def idle_rods_in_words(robot: _Closed, free: Iterable[str]) -> str:
    """A remedy to add to a message about speeds that nothing holds, where they are of such rods; else nothing."""
    names = {name.rpartition(".")[0] or name for name in free}
    rods = [pair for pair in idle_rods(robot) if names.intersection(pair)]
    if not rods:
        return ""
    between = "; ".join(f"'{first}' and '{second}'" for first, second in rods[:3]) + ("; ..." if len(rods) > 3 else "")
    return (f"; what lies between two ball joints ({between}) spins about the line through both: make one of "
            "each two an lp.Universal")
