"""The numbers of a robot by name, those that a family of designs may change: `payload.mass`, `link3.length`, `gravity`.

| key | numbers | what |
|---|---|---|
| `gravity` | 3 | acceleration of gravity in world axes (m/s^2) |
| `link3.mass` | 1 | kg; its inertia is in proportion to it unless `link3.inertia` is a parameter, too |
| `link3.center_of_mass` | 3 | m, in the link's frame |
| `link3.inertia` | 6 | xx, xy, xz, yy, yz, zz about the mass center, in the link's axes (kg m^2) |
| `link3.length` | 1 | m, from the joint that moves the link to the next one: see `length_of` |
| `joint4.origin` | 3 | m: where the joint is in the frame of its parent link |
| `joint4.origin.rpy` | 3 | rad: its turn there, roll, pitch and yaw about fixed axes as URDF writes them |
| `joint4.link_offset`, `.link_offset.rpy` | 3 | the same of the child's frame, after the joint's motion |
| `joint4.viscous_friction`, `.coulomb_friction` | 1 a freedom | its friction |
| `joint4.rotor_inertia`, `.gear_ratio`, `.armature` | 1 a freedom | its rotor |
| `joint4.spring.stiffness`, and its other fields | 1 or 3 | its spring; of several `spring1`, `spring2`, ... |
| `link1.beam.section.wall`, and its other fields | 1 | the section of its beam; of several `beam1`, `beam2`, ... |
| `link1.beam.material.density`, ... | 1 | also `youngs_modulus`, `shear_modulus`, `yield_strength` |
| `joint2.compliance.drive`, ... | 1 or more | the stiffnesses of a compliant joint that are no infinity |
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import kept
from loadpath.in_room import function_in_room
from loadpath.robot.drive_train.drive import Spring
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3, nearest
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose, rpy_of

if TYPE_CHECKING:
    from loadpath.robot.beams.in_scalars import fields_of, parts_by_name, stiffnesses_of
else:  # beams are imported with the first robot that has any
    fields_of = function_in_room("loadpath.robot.beams.in_scalars", "fields_of")
    parts_by_name = function_in_room("loadpath.robot.beams.in_scalars", "parts_by_name")
    stiffnesses_of = function_in_room("loadpath.robot.beams.in_scalars", "stiffnesses_of")

GRAVITY = "gravity"
TENSOR = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Where the six numbers of an inertia stand in the tensor."""
DRIVE = ("viscous_friction", "coulomb_friction", "rotor_inertia", "gear_ratio", "armature")
_SHORTEST = 1e-9
_LEAST_DIMENSION = 1e-12
"""What any dimension of a section may be, and far below any stiffness."""
_NOWHERE = Pose()


@dataclass(frozen=True)
class Parameter:
    """A number of a robot, or several that belong together, by name."""

    key: str
    shape: tuple[int, ...]
    nominal: tuple[float, ...]
    """The robot's own numbers."""
    unit: str
    words: str
    """What it is, in words."""
    least: float = -math.inf
    """What no number of it may be below."""
    there: bool = True
    """Whether it is one of "all" numbers of the robot."""

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return len(self.nominal)


def parameters_of(robot: RobotModel, keys: Sequence[str] | str, title: str = "family") -> tuple[Parameter, ...]:
    """The parameters of these names; "all": gravity, all inertias and placements, and of drives and springs what the
    robot has. An error says which name is the nearest.

    >>> from loadpath.robot.catalog import planar
    >>> [parameter.shape for parameter in parameters_of(planar(2), ["link1.length", "gravity"])]
    [(), (3,)]
    >>> parameters_of(planar(2), ["link1.lenght"])
    Traceback (most recent call last):
    ValueError: family: no parameter 'link1.lenght'; did you mean 'link1.length'?
    """
    known = every_parameter(robot)
    if isinstance(keys, str):
        if keys != "all":
            raise ValueError(f"{title}: 'parameters' is {keys!r}: expected several names, or \"all\"")
        return tuple(parameter for parameter in known.values() if parameter.there)
    keys = list(keys)
    if len(set(keys)) < len(keys):
        twice = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
        raise ValueError(f"{title}: 'parameters' has more than once: {', '.join(map(repr, twice))}")
    for key in keys:
        if key not in known:
            raise ValueError(f"{title}: no parameter {key!r}{_why_not(robot, key, known)}")
    _check_together(robot, keys, title)
    return tuple(known[key] for key in keys)


@kept()
def every_parameter(robot: RobotModel) -> Mapping[str, Parameter]:
    """All parameters that there are, by name."""
    return {parameter.key: parameter for parameter in _every(robot)}


def _why_not(robot: RobotModel, key: object, known: Mapping[str, Parameter]) -> str:
    link = str(key).removesuffix(".length")
    if link in robot.link_names and link != key:
        return f": {_no_length(robot, link)}"
    if str(key).startswith("payload.") and "payload" not in robot.link_names:
        return f"; robot '{robot.name}' carries no payload: robot.with_payload(0.0) puts one on"
    if ".beam" in str(key) and not robot.beams:
        return f": robot '{robot.name}' has no beams; robot.with_beams(...) gives it some"
    if ".compliance." in str(key) and not robot.joint_compliances:
        return f": robot '{robot.name}' has no compliant joints; robot.with_beams(joint_compliance=...) gives it some"
    return nearest(str(key), known, "there are 'gravity' and the numbers of links and joints, like")


def _check_together(robot: RobotModel, keys: Sequence[str], title: str) -> None:
    """Refuse parameters that say the same thing twice, or that have no meaning without another."""
    for key in keys:
        owner = key.removesuffix(".length")
        if owner != key:
            clash = next((f"{j.name}.origin" for j in robot.joints if j.parent == owner and f"{j.name}.origin" in keys),
                         None)
            if clash is not None:
                raise ValueError(f"{title}: '{key}' and '{clash}' both say where joints are on '{owner}': leave one "
                                 "of the two")
        owner = key.removesuffix(".mass")
        if owner != key and f"{owner}.inertia" not in keys:
            body = robot.link(owner).inertia
            if body.mass == 0 and np.any(body.tensor):
                raise ValueError(f"{title}: '{key}' cannot be an argument: link '{owner}' has inertia without mass, so "
                                 f"none in proportion to it; name '{owner}.inertia' as well")
    for joint in robot.joints:
        rotor = [key for key in keys if key in (f"{joint.name}.rotor_inertia", f"{joint.name}.gear_ratio")]
        if rotor and (any(joint.armature) or f"{joint.name}.armature" in keys):
            raise ValueError(f"{title}: '{rotor[0]}' and the armature of joint '{joint.name}' both say what rotor it "
                             f"feels: use '{joint.name}.armature'")


def payloads_of(robot: RobotModel) -> list[str]:
    """Links that `with_payload` put on, or that look like it."""
    parents = {joint.parent for joint in robot.joints}
    return [joint.child for joint in robot.joints
            if joint.name == f"{joint.child}_joint" and not joint.motion.dof and joint.child not in parents
            and joint.origin == joint.link_offset == _NOWHERE]


# All that there are


def _every(robot: RobotModel) -> Iterator[Parameter]:
    yield Parameter(GRAVITY, (3,), robot.gravity, "m/s^2", "gravity in world axes")
    for link in robot.links:
        yield from parameters_of_link(link)
        if (length := length_of(robot, link.name)) is not None:
            words = f"length of the link '{link.name}', from its joint to '{length.to}'"
            yield Parameter(f"{link.name}.length", (), (length.size,), "m", words, 0.0, there=False)
    for joint in robot.joints:
        yield from _of_joint(joint)
    if robot.is_elastic:
        yield from _of_beams(robot)


def _of_beams(robot: RobotModel) -> Iterator[Parameter]:
    for owner, part in parts_by_name(robot).items():
        for field, value in fields_of(part.value):
            words = f"{field.replace('_', ' ')} of the {part.field.replace('_', ' ')} of the beam of '{owner}'"
            least = 0.0 if field == "density" else _LEAST_DIMENSION
            yield Parameter(f"{owner}.{field}", (), (value,), "SI", words, least, there=False)
    for joint, field, values in stiffnesses_of(robot):
        words = f"{field} stiffness of joint '{joint}'"
        shape = () if len(values) == 1 else (len(values),)
        yield Parameter(f"{joint}.compliance.{field}", shape, values, "SI", words, _LEAST_DIMENSION, there=False)


def parameters_of_link(link: Link) -> Iterator[Parameter]:
    """Its mass, mass center and inertia."""
    body, name = link.inertia, link.name
    yield Parameter(f"{name}.mass", (), (body.mass,), "kg", f"mass of the link '{name}'", 0.0)
    yield Parameter(f"{name}.center_of_mass", (3,), body.center_of_mass, "m", f"mass center of the link '{name}'")
    entries = tuple(body.tensor[i][j] for i, j in TENSOR)
    words = f"inertia of the link '{name}' about its mass center: xx, xy, xz, yy, yz, zz"
    yield Parameter(f"{name}.inertia", (6,), entries, "kg m^2", words)


def _of_joint(joint: Joint) -> Iterator[Parameter]:
    name = joint.name
    for part, words in (("origin", f"joint '{name}' in its parent's frame"),
                        ("link_offset", f"the frame of '{joint.child}' after joint '{name}'")):
        pose: Pose = getattr(joint, part)
        there = part == "origin" or pose != _NOWHERE
        yield Parameter(f"{name}.{part}", (3,), pose.translation, "m", f"place of {words}", there=there)
        yield Parameter(f"{name}.{part}.rpy", (3,), rpy_of(pose.rotation), "rad",
                        f"turn of {words}: roll, pitch, yaw", there=there)
    dof = joint.motion.dof
    for part in DRIVE if dof else ():
        values: tuple[float, ...] = getattr(joint, part)
        ratio = part == "gear_ratio"
        there = any(joint.rotor_inertia if ratio else values)
        words = f"{part.replace('_', ' ')} of joint '{name}'"
        shape, unit, least = () if dof == 1 else (dof,), "" if ratio else "SI", -math.inf if ratio else 0.0
        yield Parameter(f"{name}.{part}", shape, values, unit, words, least, there)
    for place, (_, _, spring) in springs_by_name(joint).items():
        for field in fields(spring):
            value = getattr(spring, field.name)
            vector = isinstance(value, tuple)
            least = 0.0 if field.name in ("stiffness", "free_length") else -math.inf
            words = f"{field.name.replace('_', ' ')} of the {place} of joint '{name}'"
            yield Parameter(f"{name}.{place}.{field.name}", (3,) if vector else (), value if vector else (value,), "SI",
                            words, least)


class SpringPlace(NamedTuple):
    """A spring among those of a joint."""

    speed: int
    number: int
    """Among those of the speed."""
    spring: Spring


def springs_by_name(joint: Joint) -> dict[str, SpringPlace]:
    """The springs of a joint: `spring`, or `spring1`, `spring2`, ... where there are several."""
    every = [SpringPlace(k, i, spring) for k, of in enumerate(joint.springs) for i, spring in enumerate(of)]
    return {"spring" if len(every) == 1 else f"spring{k + 1}": place for k, place in enumerate(every)}


# Lengths


class Length(NamedTuple):
    """The length of a link, and the line along which it is measured, in the link's frame."""

    to: str
    """The joint at its end."""
    size: float
    start: Vector3
    """Where the joint that moves the link is (of the base: the origin of its frame)."""
    direction: Vector3


def length_of(robot: RobotModel, link: str) -> Length | None:
    """The length of a link: from the origin of the joint that moves it to that of the next joint, of several the one
    with the most joints behind it, fixed ones too. None where nothing is joined to it, or in the same place.

    With another length all that is joined to the link moves along that line, in proportion to its distance from the
    start along it. The link's own inertia stays where it is, unless its numbers are parameters, too.

    >>> from loadpath.robot.catalog import planar
    >>> length_of(planar(2), "link1")
    Length(to='joint2', size=1.0, start=(0.0, 0.0, 0.0), direction=(1.0, 0.0, 0.0))
    """
    joined = [joint for joint in robot.joints if joint.parent == link]
    if not joined:
        return None
    behind: dict[str, int] = {}
    for joint in reversed(robot.joints):
        behind[joint.parent] = behind.get(joint.parent, 0) + 1 + behind.get(joint.child, 0)
    end = max(joined, key=lambda joint: behind.get(joint.child, 0))
    mover = next((joint for joint in robot.joints if joint.child == link), None)
    start = np.zeros(3) if mover is None else mover.link_offset.inverse().p
    way = end.origin.p - start
    size = float(np.linalg.norm(way))
    if size < _SHORTEST:
        return None
    x, y, z = (way / size).tolist()
    a, b, c = (start + 0.0).tolist()  # without the sign of a zero
    return Length(end.name, size, (a, b, c), (x, y, z))


def _no_length(robot: RobotModel, link: str) -> str:
    if not any(joint.parent == link for joint in robot.joints):
        return f"nothing is joined to link '{link}', so it has no length; name '{link}.center_of_mass'"
    return (f"the next joint of link '{link}' is where its own is, so its length is along no line; name the next "
            "joint's 'origin'")
