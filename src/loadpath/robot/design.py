"""A robot with other numbers: `designed(robot, {"link3.length": [0.4]})`, the map of a family on data.

What the traced map (`varied.py`) does for equations, this does for the robot itself: it is how a robot of a family is
made, and what the map is held against.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from loadpath.in_room import function_in_room
from loadpath.robot.inertia import Inertia
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import vector3
from loadpath.robot.parameters import DRIVE, GRAVITY, TENSOR, Parameter, length_of, springs_by_name
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose, rotation_by_rpy
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.robot.beams.in_scalars import beams_with, compliances_with, links_of_beams, with_bodies_of_beams
else:  # beams are imported with the first robot that has any
    beams_with = function_in_room("loadpath.robot.beams.in_scalars", "beams_with")
    compliances_with = function_in_room("loadpath.robot.beams.in_scalars", "compliances_with")
    links_of_beams = function_in_room("loadpath.robot.beams.in_scalars", "links_of_beams")
    with_bodies_of_beams = function_in_room("loadpath.robot.beams.in_scalars", "with_bodies_of_beams")

_OF_BODIES = ("mass", "center_of_mass", "inertia")
R = TypeVar("R", bound=RobotModel)
Given = Mapping[str, Sequence[float]]
"""Numbers of parameters by key."""


def designed(robot: R, given: Given) -> R:
    """The robot with other numbers for some parameters, given flat.

    >>> from loadpath.robot.catalog import planar
    >>> longer = designed(planar(2), {"link1.length": [1.5], "link2.mass": [3.0]})
    >>> longer.joint("joint2").origin.translation, longer.link("link2").inertia.mass
    ((1.5, 0.0, 0.0), 3.0)
    """
    links = tuple(_link(link, given) for link in robot.links)
    joints = tuple(_joint(robot, joint, given) for joint in robot.joints)
    gravity = vector3(given.get(GRAVITY, robot.gravity), GRAVITY)
    if not robot.is_elastic:
        return replace(robot, links=links, joints=joints, gravity=gravity)
    made = replace(robot, links=links, joints=joints, gravity=gravity, beams=beams_with(robot, given),
                   joint_compliances=compliances_with(robot, given))
    return with_bodies_of_beams(made, [link for link in links_of_beams(robot) if not _has_body(link, given)])


def _has_body(link: str, given: Given) -> bool:
    """Whether numbers of a link's own inertia are given."""
    return any(f"{link}.{part}" in given for part in _OF_BODIES)


def _link(link: Link, given: Given) -> Link:
    name, body = link.name, link.inertia
    if not _has_body(name, given):
        return link
    mass = float(given.get(f"{name}.mass", [body.mass])[0])
    if f"{name}.inertia" in given:
        tensor = tensor_of(given[f"{name}.inertia"])
    else:
        share = mass / body.mass if body.mass else 1.0
        tensor = share * np.array(body.tensor)
    center = given.get(f"{name}.center_of_mass", body.center_of_mass)
    return replace(link, inertia=Inertia(mass, tuple(center), tensor.tolist()))


def tensor_of(six: Sequence[float] | Floats) -> Floats:
    """The tensor of the six numbers of an inertia; of rows of many, all of them."""
    tensor = np.zeros((*np.shape(six)[1:], 3, 3))
    for (i, j), entry in zip(TENSOR, six, strict=True):
        tensor[..., i, j] = tensor[..., j, i] = entry
    return tensor


def _joint(robot: RobotModel, joint: Joint, given: Given) -> Joint:
    name = joint.name
    changed: dict[str, Any] = {
        part: tuple(given[f"{name}.{part}"]) for part in DRIVE if f"{name}.{part}" in given
    }
    for part in ("origin", "link_offset"):
        pose: Pose = getattr(joint, part)
        at, turn = np.array(pose.translation), pose.rotation
        at = np.array(given.get(f"{name}.{part}", at), dtype=float)
        if part == "origin" and f"{joint.parent}.length" in given:
            length = length_of(robot, joint.parent)
            assert length is not None
            along = np.array(length.direction)
            share = float(given[f"{joint.parent}.length"][0]) / length.size - 1.0
            at = at + share * float(along @ (at - np.array(length.start))) * along
        if f"{name}.{part}.rpy" in given:
            turn = rotation_by_rpy(*(float(angle) for angle in given[f"{name}.{part}.rpy"]))
        if tuple(at) != pose.translation or turn is not pose.rotation:
            changed[part] = Pose(turn, tuple(at))
    springs = [list(of) for of in joint.springs]
    for place, (speed, number, spring) in springs_by_name(joint).items():
        own = {field.name: given[f"{name}.{place}.{field.name}"] for field in fields(spring)
               if f"{name}.{place}.{field.name}" in given}
        values = {key: tuple(value) if len(value) == 3 else float(value[0]) for key, value in own.items()}
        springs[speed][number] = replace(spring, **values)  # type: ignore[arg-type]
        changed["springs"] = tuple(tuple(of) for of in springs)
    return replace(joint, **changed) if changed else joint


def generic(robot: R, parameters: Sequence[Parameter]) -> R:
    """The robot with numbers that are no zeros for inertias, drives and gravity among the parameters, the same whatever
    they are in the robot: robots that differ in these alone become one. Placements stay, since frames are chosen by
    them; so do springs.
    """
    given: dict[str, list[float]] = {}
    for parameter in parameters:
        part = parameter.key.rpartition(".")[2] if parameter.key != GRAVITY else GRAVITY
        if part in _GENERIC:
            given[parameter.key] = _GENERIC[part](parameter.size)
    for joint in robot.joints:
        if any(joint.stribeck):  # whose static friction bounds it
            given.pop(f"{joint.name}.coulomb_friction", None)
    for link in robot.links:  # in proportion to a mass that is a parameter: that of one kilogram
        if f"{link.name}.mass" in given and f"{link.name}.inertia" not in given and link.inertia.mass:
            body = link.inertia
            given[f"{link.name}.inertia"] = [body.tensor[i][j] / body.mass for i, j in TENSOR]
    made: R = object.__new__(type(robot))  # without checks and warnings: nobody sees it
    made.__setstate__(robot.__getstate__())
    object.__setattr__(made, "links", tuple(_link(link, given) for link in robot.links))
    object.__setattr__(made, "joints", tuple(_joint(robot, joint, given) for joint in robot.joints))
    object.__setattr__(made, "gravity", tuple(given.get(GRAVITY, robot.gravity)))
    return made


_GENERIC: dict[str, Callable[[int], list[float]]] = {
    GRAVITY: lambda size: [0.0, 0.0, -9.81],
    "mass": lambda size: [1.0],
    "center_of_mass": lambda size: [0.1, 0.2, 0.3],
    "inertia": lambda size: [0.1, 0.01, 0.02, 0.12, 0.03, 0.15],
    **dict.fromkeys(DRIVE, lambda size: [1.0] * size),
}
