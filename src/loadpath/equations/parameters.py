"""The constants of a robot, by name, and the symbols that stand for them in its equations.

| key | what | symbol |
|---|---|---|
| `link1.mass` | mass | `m1` |
| `link1.center_of_mass.x` | mass center, in the link's frame | `c1x` |
| `link1.inertia.xy` | entry of the tensor about the mass center, in the link's frame | `I1xy` |
| `joint2.origin.x` | where joint 2 sits on link 1 | `l1`; `l1x`, `l1y`, `l1z` if there are several |
| `joint1.link_offset.x` | where frame 1 is after its joint: a, d of a standard DH table | `a1`, `e1`, `d1` |
| `joint1.link_offset.angle` | turn about a coordinate axis, if it is no multiple of 30 or 45 degrees | `alpha1` |
| `joint1.origin.angle` | the same, before the joint | `alpha1` |
| `joint1.viscous_friction`, `.coulomb_friction` | friction | `b1`, `f1` |
| `joint1.reflected_inertia` | rotor, as felt at the joint | `J1` |
| `gravity` | size of the acceleration of gravity | `g` |
| `pin.at.x`, `pin.on.x` | where the joint of the loop `pin` sits on its first and on its second link | as of joints |

Links and joints are numbered from the base outwards, the base being 0 (`link_numbers`). The mass center of a link that
has a joint at the same distance along an axis shares the symbol of that distance: a point mass at the end of a link of
length l1 is at l1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import sympy

from loadpath.equations.letters.schemes import DEFAULT, Scheme
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.scalars import AxisTurn, rotation_from_matrix

Choice = Literal["numbers", "symbols"] | Mapping[str, "str | sympy.Expr"]
"""What stands for the constants of a robot."""

_AXES = "xyz"
_ENTRIES = ("xx", "xy", "xz", "yy", "yz", "zz")
_SPECIAL = 1e-12


@dataclass(frozen=True)
class Constant:
    """A constant of a robot: its key, its value, and the symbol that it gets by itself."""

    key: str
    value: float
    name: str
    is_place: bool = False
    """Whether it is where something sits on a link: equal ones along one axis have one name."""


def constants(robot: RobotModel, scheme: Scheme = DEFAULT) -> dict[str, Constant]:
    """All constants of a robot by key, zeros too; their names are in the letters of a source.

    >>> from loadpath.robot import catalog
    >>> found = constants(catalog.two_link(m1=2))
    >>> found["link1.mass"].name, found["link1.mass"].value, found["link1.center_of_mass.x"].name
    ('m1', 2.0, 'l1')
    """
    taken: dict[str, tuple[float, str]] = {}
    found: dict[str, Constant] = {}
    for constant in _all(robot, scheme):
        name, count = constant.name, 2
        own = constant.value, "" if constant.is_place else constant.key
        while constant.value and taken.setdefault(name, own) != own:
            name, count = f"{constant.name}_{count}", count + 1  # one letter for two lengths, as in a1 of two frames
        found[constant.key] = replace(constant, name=name)
    return found


def link_numbers(robot: RobotModel) -> dict[str, int]:
    """The numbers of the links in the names of symbols: from the base outwards, the base being 0. Of a robot whose base
    moves freely the base is the link that the free joint carries, so that setting a robot free changes no number.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.edit import floating
    >>> link_numbers(floating(catalog.lau_arm()))
    {'world': 0, 'base': 0, 'turntable': 1, 'carriage': 2, 'rod': 3}
    """
    on_root = [joint for joint in robot.joints if joint.parent == robot.base.name]
    free = len(on_root) == 1 and on_root[0].motion.dof == 6
    return {name: max(k - free, 0) for k, name in enumerate(robot.link_names)}


def _all(robot: RobotModel, scheme: Scheme) -> Iterator[Constant]:
    number = link_numbers(robot)
    mounted: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        mounted.setdefault(joint.parent, []).append(joint)
    lengths: dict[tuple[str, int, float], str] = {}
    ends = _loop_ends(robot)
    for joint in robot.joints:
        p, i = number[joint.parent], number[joint.child]
        several = sum(x != 0 for x in joint.origin.translation) > 1
        only = len([other for other in mounted[joint.parent] if any(other.origin.translation)]) == 1
        only = only and not _elsewhere(joint.parent, joint.origin, ends)
        for k, axis in enumerate(_AXES):
            value = joint.origin.translation[k]
            name = f"{scheme.length}{p}{axis if several else ''}{'' if only else f'_{i}'}"
            lengths.setdefault((joint.parent, k, value), name)
            yield Constant(f"{joint.name}.origin.{axis}", value, lengths[joint.parent, k, value], is_place=True)
        for k, axis in enumerate(_AXES):
            yield Constant(
                f"{joint.name}.link_offset.{axis}", joint.link_offset.translation[k], f"{scheme.offsets[k]}{i}"
            )
        both = _angle(joint.origin) is not None and _angle(joint.link_offset) is not None
        for place, pose in (("origin", joint.origin), ("link_offset", joint.link_offset)):
            angle = _angle(pose)
            if angle is not None:
                prime = "o" if both and place == "origin" else ""
                yield Constant(f"{joint.name}.{place}.angle", angle, f"{scheme.turn}{i}{prime}")
        yield from _drive(joint, i, scheme)
    for loop, end, link, pose in ends:
        several = sum(x != 0 for x in pose.translation) > 1
        joints = {joint.origin.translation for joint in mounted.get(link, ()) if any(joint.origin.translation)}
        only = joints <= {pose.translation} and not _elsewhere(link, pose, ends)
        for k, axis in enumerate(_AXES):
            value = pose.translation[k]
            name = f"{scheme.length}{number[link]}{axis if several else ''}{'' if only else f'_{loop}'}"
            lengths.setdefault((link, k, value), name)
            yield Constant(f"{loop}.{end}.{axis}", value, lengths[link, k, value], is_place=True)
    for part in robot.links[1:]:
        i, body = number[part.name], part.inertia
        yield Constant(f"{part.name}.mass", body.mass, f"{scheme.mass}{i}")
        for k, axis in enumerate(_AXES):
            value = body.center_of_mass[k]
            own = f"{scheme.center}{i}{axis}"
            name = lengths.get((part.name, k, value), own) if value else own
            yield Constant(f"{part.name}.center_of_mass.{axis}", value, name, is_place=True)
        for entry in _ENTRIES:
            value = body.tensor[_AXES.index(entry[0])][_AXES.index(entry[1])]
            yield Constant(f"{part.name}.inertia.{entry}", value, f"{scheme.moment}{i}{entry}")
    yield Constant("gravity", math.hypot(*robot.gravity), "g")


LoopEnd = tuple[str, str, str, Pose]
"""Of a loop's frame: name of the loop, which frame (`at`, `on`), link that carries it, pose there."""


def _loop_ends(robot: RobotModel) -> list[LoopEnd]:
    loops = robot.loops
    return [(loop.name, end, robot.link(link).name, pose) for loop in loops
            for end, link, pose in (("at", loop.first, loop.at), ("on", loop.second, loop.on))]


def _elsewhere(link: str, pose: Pose, ends: list[LoopEnd]) -> bool:
    """Whether a loop sits on the link at another place, so that lengths need more than the link's number."""
    others = {other.translation for _, _, carrier, other in ends if carrier == link and any(other.translation)}
    return bool(others - {pose.translation})


def _drive(joint: Joint, i: int, scheme: Scheme) -> Iterator[Constant]:
    parts = (("viscous_friction", joint.viscous_friction, scheme.viscous),
             ("coulomb_friction", joint.coulomb_friction, scheme.coulomb),
             ("reflected_inertia", joint.reflected_inertia, scheme.rotor))
    for part, values, letter in parts:
        for k, value in enumerate(values):
            label = f".{joint.motion.labels[k]}" if len(values) > 1 else ""
            suffix = f"_{joint.motion.labels[k]}" if len(values) > 1 else ""
            yield Constant(f"{joint.name}.{part}{label}", value, f"{letter}{i}{suffix}")


def _angle(pose: Pose) -> float | None:
    """The angle of a turn about a coordinate axis that is not a multiple of 30 or 45 degrees; None if it is."""
    turn = rotation_from_matrix(pose.rotation)
    if not isinstance(turn, AxisTurn):
        return None
    angle = math.atan2(turn.s, turn.c)
    multiple = min(abs(angle / unit - round(angle / unit)) * unit for unit in (math.pi / 6, math.pi / 4))
    return None if multiple < _SPECIAL else angle
