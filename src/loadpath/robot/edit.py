"""A robot made from another: payloads on and off, another gravity, joints locked, the base set free, drives taken off.

Every function returns a new robot of the class it was given and leaves the given one as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, Free
from loadpath.robot.loops import Coupling
from loadpath.robot.measured import takes_units
from loadpath.robot.measures import Measures
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3, matrix3, number, numbers, vector3
from loadpath.robot.numbers import name as checked_name
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.robot.units import question_of_load, questions_of_body, size_of, unit_questions
from loadpath.robot.units_of_text import has_unit, in_si
from loadpath.scalars import array
from loadpath.scalars.types import ArrayLike

__all__ = [
    "floating",
    "locked",
    "with_gravity",
    "with_inertias",
    "with_payload",
    "without_friction",
    "without_payload",
    "without_rotors",
]

R = TypeVar("R", bound=RobotModel)


# Payloads


PAYLOAD: Mapping[str, Measures] = {
    "mass": ("mass",), "center_of_mass": ("length",), "inertia": ("moment of inertia",),
    "link": (), "name": (), "guess": (),
}
"""The options of a payload, here and in project files, and what they measure."""
GRAVITY: Measures = ("acceleration",)


@takes_units(PAYLOAD)
def with_payload(
    robot: R,
    mass: float,
    center_of_mass: ArrayLike = (0.0, 0.0, 0.0),
    inertia: ArrayLike | None = None,
    link: str | None = None,
    *,
    name: str = "payload",
) -> R:
    """The robot carrying a payload: a link of its own, welded to `link`, so that its load is reported separately.

    `center_of_mass` (m) is given in the frame of `link`; `inertia` (kg m^2, 3 x 3) about the payload's mass center
    in the axes of `link`, none for a point mass. Without `link` the payload hangs on the end of the arm:
    frames on one body are one end, fingers belong to their hand, and a warning says which frame was taken of several; a
    robot with several arms needs to be given the link. The new link is called `name`, its weld `name` + "_joint".

    >>> from loadpath.robot.catalog import panda
    >>> loaded = with_payload(panda(), mass=3.0, center_of_mass=(0, 0, 0.1))
    >>> loaded.joint("payload_joint").parent, loaded.link("payload").inertia.mass
    ('panda_link8', 3.0)
    >>> without_payload(loaded) == panda()
    True
    """
    name = checked_name(name, "name of a link")
    if name in robot.link_names or _weld(name) in robot.joint_names:
        taken = f"link '{name}'" if name in robot.link_names else f"joint '{_weld(name)}'"
        raise ValueError(f"robot '{robot.name}' has a {taken} already: take it off with "
                         f"without_payload(name={name!r}), or give this payload another name")
    tensor = matrix3(np.zeros((3, 3)) if inertia is None else inertia, f"payload '{name}': inertia")
    try:
        body = Inertia(number(mass, "mass"), vector3(center_of_mass, "center of mass"), tensor)
    except ModelError as problem:
        raise ModelError(f"payload '{name}': {problem}") from None
    parent = link_or_only_end(robot, link, "the payload is on")
    links, joints = (*robot.links, Link(name, body)), (*robot.joints, Joint(_weld(name), parent, name, Fixed()))
    known = robot.known_faults
    questions = questions_of_body(f"payload '{name}'", body, size_of(robot.links, robot.joints))
    if questions := questions or question_of_load(f"payload '{name}'", body.mass, robot.links, robot.joints):
        warn(questions[0])
        known |= frozenset(unit_questions(links, joints))  # the same would be asked of the new link
    return replace(robot, links=links, joints=joints, known_faults=known)


def without_payload(robot: R, name: str = "payload") -> R:
    """The robot without the payload that `with_payload` put on."""
    name = checked_name(name, "name of a link")
    joint = next((j for j in robot.joints if j.child == name and j.name == _weld(name) and j.motion.dof == 0), None)
    if joint is None or any(j.parent == name for j in robot.joints):
        welds = {j.child for j in robot.joints if j.name == _weld(j.child)}
        others = f"; payloads it carries: {', '.join(sorted(welds))}" if welds else "; it carries none"
        raise ValueError(f"robot '{robot.name}' has no payload '{name}'{others}")
    return replace(
        robot,
        links=tuple(link for link in robot.links if link.name != name),
        joints=tuple(j for j in robot.joints if j.name != joint.name),
        parts=tuple(pair for pair in robot.parts if pair[0] != joint.name),
    )


def _weld(payload: str) -> str:
    return f"{payload}_joint"


# Inertias


def with_inertias(robot: R, inertias: Mapping[str, Inertia]) -> R:
    """The robot with other inertias of some links, each in the frame of its link.

    >>> from loadpath.robot.catalog import panda
    >>> with_inertias(panda(), {"panda_link7": Inertia(1.0, (0.1, 0, 0))}).link("panda_link7").inertia.mass
    1.0
    """
    if not isinstance(inertias, Mapping):
        raise ValueError(f"inertias are {inertias!r}: expected a dict from link names to Inertia")
    new = {robot.link(name).name: inertia for name, inertia in inertias.items()}
    return replace(robot, links=tuple(replace(k, inertia=new[k.name]) if k.name in new else k for k in robot.links))


# Gravity


def with_gravity(robot: R, g: ArrayLike) -> R:
    """The robot under another gravity: a vector in world axes (m/s^2), or its strength, pulling along -z.

    >>> from loadpath.robot.catalog import panda
    >>> with_gravity(panda(), 1.62).gravity           # on the moon
    (0.0, 0.0, -1.62)
    >>> with_gravity(panda(), (9.81, 0, 0)).gravity   # bolted to a wall
    (9.81, 0.0, 0.0)
    """
    return replace(robot, gravity=gravity_vector(g))


def gravity_vector(g: ArrayLike) -> Vector3:
    """Gravity as a vector, from one or from its strength along -z."""
    if has_unit(g):
        g = in_si(g, GRAVITY, "gravity")  # type: ignore[assignment]
    if isinstance(g, Iterable) and not isinstance(g, str) and np.ndim(g):
        return vector3(g, "gravity")
    strength = number(g, "gravity")
    if strength < 0:
        raise ValueError(f"gravity is {strength}: a single number is its strength, downwards along -z, and cannot be "
                         f"negative; give a vector for another direction, like (0, 0, {strength})")
    return (0.0, 0.0, 0.0 - strength)


# Fewer and more degrees of freedom


def locked(robot: R, positions: Mapping[str, ArrayLike]) -> R:
    """The robot with some joints frozen at given positions: they become welds, whose loads are still reported.

    `positions` gives for each joint its coordinate (rad or m), or all of them where a joint has several. Joints that
    mimic a locked joint are locked with it. Friction, rotor, limits and torsion springs of a locked joint go.

    >>> from loadpath.robot.catalog import panda
    >>> locked(panda(), {"panda_joint7": 0.5}).n
    6
    """
    if not isinstance(positions, Mapping):
        raise ValueError(f"positions to lock are {positions!r}: expected a dict like {{'joint1': 0.0}}")
    values: dict[str, tuple[float, ...]] = {}
    for name, value in positions.items():
        joint = robot.joint(name)
        if joint.mimic is not None:
            source = robot.mimic_of(joint).joint
            raise ValueError(f"joint '{name}' follows joint '{source}' and cannot be locked by itself: lock '{source}'")
        values[name] = coordinates_of(joint, value)
    for joint in robot.joints:
        if joint.mimic is not None:
            mimic = robot.mimic_of(joint)
            if mimic.joint in values:
                values[joint.name] = (mimic.multiplier * values[mimic.joint][0] + mimic.offset,)
    return replace(robot, joints=tuple(welded(j, values[j.name]) if j.name in values else j for j in robot.joints))


def coordinates_of(joint: Joint, value: ArrayLike) -> tuple[float, ...]:
    """Coordinates at which a joint is to be held, as they are given: one number, or all of them."""
    count = joint.motion.coordinates
    if joint.motion.dof == 0:
        raise ValueError(f"joint '{joint.name}' is fixed: there is nothing to lock")
    what = f"position to lock joint '{joint.name}' at"
    if count == 1 and not isinstance(value, (list, tuple)) and np.ndim(value) == 0:
        result: tuple[float, ...] = (number(value, what),)
    else:
        result = numbers(value, what, count)
    _check_limits(joint, result)
    return result


def _check_limits(joint: Joint, values: tuple[float, ...]) -> None:
    """Warns of a position outside the limits, which often is one in degrees."""
    if joint.motion.coordinates != joint.motion.dof:
        return  # a quaternion is not what the limits bound
    for value, limits, angular in zip(values, joint.limits, joint.motion.angular, strict=True):
        if not limits.lower <= value <= limits.upper:
            degrees = " (degrees?)" if angular and abs(value) > 2 * math.pi else ""
            warn(f"joint '{joint.name}' is locked at {value}{degrees}, outside its limits "
                 f"{limits.lower} to {limits.upper}")


def welded(joint: Joint, values: tuple[float, ...]) -> Joint:
    """A joint frozen at coordinates: a weld of its name."""
    at = joint.origin @ placed_at(joint, values)
    if joint.line_springs:
        raise ModelError(f"joint '{joint.name}' has a LineSpring, which would go on loading its weld: a locked joint "
                         "has no springs; take them off first with robot.without_springs()")
    return Joint(joint.name, joint.parent, joint.child, Fixed(), at, joint.link_offset)


def placed_at(joint: Joint, values: tuple[float, ...]) -> Pose:
    """Where a joint puts its child's joint frame, seen from the frame before the motion."""
    if joint.motion.coordinates != joint.motion.dof and not any(values[-4:]):
        raise ValueError(f"position to lock joint '{joint.name}' at has the quaternion {list(values[-4:])}: "
                         "expected x, y, z, w, not all zero")
    rotation, displacement = joint.motion.placement(array(values))
    return Pose(rotation.matrix().astype(float).tolist(), displacement.astype(float).tolist())


def floating(robot: R, name: str = "floating_base", world: str = "world") -> R:
    """The robot with its base set free: a new base link `world` without mass, and a free joint `name` to the old base.

    q gets seven entries in front: position of the old base in the world, and a quaternion x, y, z, w; qd gets six:
    velocity and angular velocity of the old base, in its own axes. A robot whose base is already a massless link called
    `world`, welded to its first link, has that weld replaced; position and quaternion then count from where
    the weld held it.

    >>> from loadpath.robot.catalog import panda
    >>> free = floating(panda())
    >>> free.n, free.nq, free.link_names[:2], free.joint_names[0]
    (13, 14, ('world', 'panda_link0'), 'floating_base')
    """
    name, world = checked_name(name, "name of the free joint"), checked_name(world, "name of the world")
    first = [joint for joint in robot.joints if joint.parent == robot.base.name]
    if robot.base.inertia.is_zero and len(first) == 1 and first[0].motion.dof == 6:
        raise ValueError(f"robot '{robot.name}' floats already, by its joint '{first[0].name}'")
    if name in robot.joint_names:
        raise ValueError(f"robot '{robot.name}' has a joint '{name}' already: give the free joint another name")
    if world not in robot.link_names:
        free = Joint(name, world, robot.base.name, Free())
        return replace(robot, links=(Link(world), *robot.links), joints=(free, *robot.joints))
    if robot.base.name == world and robot.base.inertia.is_zero and len(first) == 1 and first[0].motion.dof == 0:
        mount = first[0].origin @ first[0].link_offset
        free = Joint(name, world, first[0].child, Free(), mount)
        return replace(robot, joints=(free, *(joint for joint in robot.joints if joint is not first[0])))
    raise ValueError(f"robot '{robot.name}' has a link '{world}' that is not a bare mount of its first link: give the "
                     "new base another name, like world='ground'")


# Drives


def without_friction(robot: R) -> R:
    """The robot with frictionless joints.

    >>> from loadpath.robot.catalog import puma560
    >>> without_friction(puma560()).joint("joint1").viscous_friction
    (0.0,)
    """
    frictionless = (replace(j, viscous_friction=(), coulomb_friction=(), stribeck=()) for j in robot.joints)
    return replace(robot, joints=tuple(frictionless))


def without_rotors(robot: R) -> R:
    """The robot without rotors: their inertia, the gear ratio by which it is felt, and what else is known of motors and
    gears are gone.
    """
    nothing: dict[str, Any] = dict.fromkeys(("rotor_inertia", "armature", "gear_ratio", "drives", "from_parts"), ())
    return replace(robot, joints=tuple(replace(joint, **nothing) for joint in robot.joints))


# What becomes of drives, couplings and the start of the assembly when a closed robot gets fewer or more freedoms.


def kept_drives(drives: Sequence[str], made: RobotModel) -> tuple[str, ...]:
    """The drives whose speeds are still there."""
    return tuple(name for name in drives if name in made.dof_names)


def kept_coordinates(robot: RobotModel, q: Sequence[float], made: RobotModel) -> tuple[float, ...]:
    """Those coordinates of a configuration that the robot made from it still has; none of none."""
    return tuple(x for name, x in zip(robot.coordinate_names, q, strict=False) if name in made.coordinate_names)


def locked_couplings(
    robot: RobotModel, couplings: Sequence[Coupling], joints: Mapping[str, ArrayLike]
) -> tuple[Coupling, ...]:
    """The couplings among the speeds that are left, with what the locked ones contribute in their offsets."""
    at: dict[str, float] = {}
    for name, value in joints.items():
        names = robot.coordinate_names[robot.q_slices[name]]
        at |= dict(zip(names, np.atleast_1d(np.asarray(value, dtype=float)).tolist(), strict=True))
    kept: list[Coupling] = []
    for coupling in couplings:
        frozen = [(name, factor) for name, factor in coupling.ratios if name in at]
        left = tuple((name, factor) for name, factor in coupling.ratios if name not in at)
        offset = coupling.offset - sum(factor * at[name] for name, factor in frozen)
        if any(factor for _, factor in left):
            kept.append(replace(coupling, ratios=left, offset=offset))
        elif abs(offset) > 1e-9 * max(abs(coupling.offset), *(abs(factor * at[name]) for name, factor in frozen), 1.0):
            values = ", ".join(f"{name} = {at[name]:g}" for name, _ in frozen)
            raise ModelError(f"coupling '{coupling.name}' is broken by locking all of its joints where they do not fit:"
                             f" {values} is {abs(offset):.3g} off")
    return tuple(kept)
