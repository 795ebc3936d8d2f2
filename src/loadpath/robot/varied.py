"""A robot some of whose numbers are scalars of any kind, and its mechanism: the map from design parameters to what
equations read, written once for numbers and for recorded values.

Frames stay those of the robot as it is: a body's frame is fixed on the joint that moves it, so it holds for any
placement; only their turns about the joints' axes may follow the design (`following.py`). What does not depend on a
parameter is taken from the robot's own mechanism, to the last bit; what does is computed anew: where joints and links
are on their bodies, inertias about the bodies' origins, gravity, drives and springs. Zeros of the robot are no zeros
here where a parameter may make them something else.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from loadpath.cached import cached_property
from loadpath.in_room import function_in_room
from loadpath.robot.following import Followed, followed
from loadpath.robot.joints import JointType
from loadpath.robot.mechanism import (
    BaseInertia,
    Body,
    Frame,
    Mechanism,
    plain,
    with_line_springs,
    with_loops,
)
from loadpath.robot.model import RobotModel
from loadpath.robot.parameters import DRIVE, GRAVITY, TENSOR, every_parameter, length_of, springs_by_name
from loadpath.robot.parts import Joint, Mimic
from loadpath.robot.pose import Pose, rotation_by_rpy
from loadpath.robot.reduction import reduced, reframed, regrouped_as
from loadpath.scalars import (
    IDENTITY,
    Array,
    MatrixRotation,
    Rotation,
    Scalar,
    array,
    dot,
    is_zero,
    point_tensor,
    rotation_from_matrix,
    scale,
)
from loadpath.scalars.decided import Decided, Decisions, Numbers, bare, is_plain, numbers

if TYPE_CHECKING:
    from loadpath.robot.beams.in_scalars import (
        beams_in_scalars,
        body_of_beams,
        compliance_in_scalars,
        links_of_beams,
    )
    from loadpath.robot.beams.placement import Place, PlacedBeam
else:  # beams are imported with the first robot that has any
    beams_in_scalars = function_in_room("loadpath.robot.beams.in_scalars", "beams_in_scalars")
    body_of_beams = function_in_room("loadpath.robot.beams.in_scalars", "body_of_beams")
    compliance_in_scalars = function_in_room("loadpath.robot.beams.in_scalars", "compliance_in_scalars")
    links_of_beams = function_in_room("loadpath.robot.beams.in_scalars", "links_of_beams")
    Place = function_in_room("loadpath.robot.beams.placement", "Place")

Values = Mapping[str, Any]
"""Scalars of parameters by key: one, or an array of several."""


@dataclass(frozen=True)
class JointInScalars:
    """What equations read of a joint, with any scalars for its drive."""

    name: str
    parent: str
    child: str
    motion: JointType
    mimic: Mimic | None
    viscous_friction: tuple[Scalar, ...]
    coulomb_friction: tuple[Scalar, ...]
    reflected_inertia: tuple[Scalar, ...]
    stribeck: tuple[Any, ...]
    springs: tuple[tuple[Any, ...], ...]
    line_springs: tuple[Any, ...] = ()
    limits: tuple[Any, ...] = ()


class _Inertia(NamedTuple):
    """Of a link, in its frame; the tensor about the mass center."""

    mass: Scalar
    center: Array
    tensor: Array


class DesignNumbers:
    """The numbers of a robot, some of them given."""

    def __init__(self, robot: RobotModel, values: Values, *, decided: bool = False) -> None:
        self.robot, self.values, self._decided = robot, values, decided
        self.stretched = {link: length_of(robot, link) for link in robot.link_names if f"{link}.length" in values}

    def depends(self, owner: str, *parts: str) -> bool:
        return any(f"{owner}.{part}" in self.values for part in parts)

    @cached_property
    def decided(self) -> DesignNumbers:
        """The same with scalars that know what numbers they are in the robot as it is."""
        if self._decided:
            return self
        return DesignNumbers(self.robot, decided_values(self.robot, self.values, Decisions()), decided=True)

    @cached_property
    def beams(self) -> tuple[PlacedBeam, ...]:
        """The beams, in their links' joint frames."""
        return beams_in_scalars(self)

    def place(self, joint: Joint, part: str) -> Place | None:
        """`origin` or `link_offset` of a joint; None where it is as the robot has it."""
        if not self.depends(joint.name, part, f"{part}.rpy") and (
            part != "origin" or self.stretched.get(joint.parent) is None
        ):
            return None
        turn, at = self.pose(joint, part)
        return Place(numbers(turn.matrix()), numbers(at))

    def body(self, link: str) -> _Inertia | None:
        """Mass, mass center and tensor of a link; None where they are as the robot has them."""
        made = self.inertia(link)
        return None if is_plain(array([made.mass]), made.center, made.tensor) else made

    def compliance(self, joint: Joint) -> Numbers | None:
        """Of a compliant joint (6, 6); None where it is as the robot has it."""
        return compliance_in_scalars(self, joint)

    def _of_its_beams(self, link: str) -> _Inertia | None:
        """The inertia of a link that is that of its beams, where these are not as the robot has them."""
        robot = self.robot
        if not robot.beams or self.depends(link, "mass", "center_of_mass", "inertia") or (
            link not in links_of_beams(robot)
        ):
            return None
        made = _Inertia(*body_of_beams(self.decided, link))
        if is_plain(array([made.mass]), made.center, made.tensor):
            return None
        return made if self._decided else bare(made)

    def inertia(self, link: str) -> _Inertia:
        """Mass, mass center and tensor of a link, in its frame."""
        if (of_beams := self._of_its_beams(link)) is not None:
            return of_beams
        body, values = self.robot.link(link).inertia, self.values
        mass = values.get(f"{link}.mass", body.mass)
        center = array(list(values.get(f"{link}.center_of_mass", body.center_of_mass)))
        if f"{link}.inertia" in values:
            entry = dict(zip(TENSOR, values[f"{link}.inertia"], strict=True))
            tensor = array([[entry[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])
        elif mass is body.mass or not body.mass:
            tensor = array([list(row) for row in body.tensor])
        else:
            tensor = scale(mass, array([[x / body.mass for x in row] for row in body.tensor]))
        return _Inertia(mass, center, tensor)

    def pose(self, joint: Joint, part: str) -> tuple[Rotation, Array]:
        """Turn and place of `origin` or `link_offset`."""
        pose: Pose = getattr(joint, part)
        at = array(list(self.values.get(f"{joint.name}.{part}", pose.translation)))
        if part == "origin" and (along := self.stretched.get(joint.parent)) is not None:
            direction = array(along.direction)
            beyond = dot(direction, at - array(along.start))  # how far along the line, at the robot's own length
            more = self.values[f"{joint.parent}.length"] - along.size
            at = at + scale(more * (beyond / along.size), direction)
        if f"{joint.name}.{part}.rpy" in self.values:
            rows = rotation_by_rpy(*self.values[f"{joint.name}.{part}.rpy"])
            return MatrixRotation(array([list(row) for row in rows])), at
        return rotation_from_matrix(pose.rotation), at

    def joint(self, joint: Joint) -> Joint:
        """The joint with its drive and springs in scalars."""
        springs = springs_by_name(joint)
        of_springs = [f"{place}.{name}" for place, at in springs.items() for name in vars(at.spring)]
        if not self.depends(joint.name, *DRIVE, *of_springs):
            return joint
        dof, name = joint.motion.dof, joint.name

        def each(part: str) -> tuple[Scalar, ...]:
            given = self.values.get(f"{name}.{part}", getattr(joint, part))
            return (given,) if f"{name}.{part}" in self.values and dof == 1 else tuple(given)

        armature = each("armature")
        rotors = zip(each("gear_ratio"), each("rotor_inertia"), armature, strict=True)
        reflected = tuple(g * g * i if is_zero(felt) else felt for g, i, felt in rotors)
        made = [list(of) for of in joint.springs]
        for place, (speed, number, spring) in springs.items():
            given = {field: self.values[f"{name}.{place}.{field}"] for field in vars(spring)
                     if f"{name}.{place}.{field}" in self.values}
            made[speed][number] = _with_fields(spring, given)
        every = tuple(tuple(of) for of in made)
        lines = tuple(spring for of in every for spring in of if hasattr(spring, "on_parent"))
        return cast(Joint, JointInScalars(
            name, joint.parent, joint.child, joint.motion, joint.mimic, each("viscous_friction"),
            each("coulomb_friction"), reflected, joint.stribeck, every, lines, joint.limits,
        ))


def _with_fields(spring: Any, given: Mapping[str, Any]) -> Any:
    """A spring with scalars in some of its fields, which its own checks would refuse."""
    if not given:
        return spring
    made = copy.copy(spring)
    for field, value in given.items():
        object.__setattr__(made, field, tuple(value) if isinstance(getattr(spring, field), tuple) else value)
    return made


def decided_values(robot: RobotModel, values: Values, decisions: Decisions) -> dict[str, Any]:
    """Scalars of parameters that know what numbers they are in the robot as it is."""
    known = every_parameter(robot)
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:  # of wheels
            continue
        own = known[key].nominal
        found[key] = array([Decided(number, scalar, decisions) for number, scalar in zip(own, value, strict=True)]) if (
            known[key].shape) else Decided(own[0], value, decisions)
    return found


# From numbers to a mechanism


def varied(nominal: Mechanism, robot: RobotModel, values: Values, *, follow: bool = False) -> Mechanism:
    """A mechanism of a robot, in whatever frames, with scalars for some of the robot's numbers; not a regrouped one,
    whose inertias are no longer those of links. `follow`: frames on the joint axes are to follow the design.
    """
    numbers = DesignNumbers(robot, values)
    base = robot.base.name
    link_frames, joint_frames = {base: nominal.link_frames[base]}, dict(nominal.joint_frames)
    bodies: list[Body] = []
    for i, (body, joint) in enumerate(zip(nominal.bodies, robot.joints, strict=True)):
        turn, at = numbers.pose(joint, "origin")
        before = _placed(link_frames[joint.parent], turn, at)  # the joint, before its motion, on its parent's body
        own = nominal.joint_frames[joint.name]
        if _shares_frame(body):  # the weld's own frame is that of its parent's body
            own = joint_frames[joint.name] = _kept_frame(Frame(i, before.rotation, before.origin), own)
            bodies.append(body)
        else:
            bodies.append(_moved(body, joint, before, own))
        link_frames[joint.child] = _kept_frame(
            _placed(own, *numbers.pose(joint, "link_offset")), nominal.link_frames[joint.child]
        )
        mass, moment, tensor = _on_body(numbers.inertia(joint.child), link_frames[joint.child], body)
        bodies[-1] = replace(bodies[-1], joint=numbers.joint(joint), mass=mass, moment=moment, inertia=tensor)
    of_base = _on_body(numbers.inertia(base), link_frames[base], nominal.base_inertia)
    gravity = nominal.gravity if GRAVITY not in values else nominal.base.rotation @ array(list(values[GRAVITY]))
    found = Followed(tuple(bodies), link_frames, joint_frames)
    if follow:
        found = followed(*found)
    made = replace(nominal, gravity=gravity, base_inertia=BaseInertia(*of_base), **found._asdict())
    return with_loops(with_line_springs(made), robot)


def _shares_frame(body: Body) -> bool:
    """Whether a weld's body has the frame of its parent's."""
    return body.joint.motion.dof == 0 and body.turn is IDENTITY and all(is_zero(x) for x in body.arm)


def _moved(body: Body, joint: Joint, before: Frame, own: Frame) -> Body:
    """A body with its placement on its parent. Its frame is fixed on that of its joint (`own`) with its axis on the
    joint's, so the joint's motion there is as it was; only where the turn is a parameter it is made before the motion.
    """
    back = own.rotation.T  # from the axes of the joint's frame to those of the body's
    arm = before.origin - before.rotation @ (back @ own.origin)
    if _is_plain(before.rotation.matrix()):
        return replace(body, arm=_kept(arm, body.arm))
    turn = MatrixRotation(before.rotation.matrix() @ back.matrix())
    motion = body.motion if body.motion == joint.motion else joint.motion.along_z(0.0)[0]
    return replace(body, turn=turn, arm=_kept(arm, body.arm), motion=motion)


def _placed(on: Frame, turn: Rotation, at: Array) -> Frame:
    """A frame that is given in another one, on the body that carries that one."""
    if on.rotation is IDENTITY:
        rotation = turn
    elif turn is IDENTITY:
        rotation = on.rotation
    else:
        rotation = MatrixRotation(on.rotation.matrix() @ turn.matrix())
    return Frame(on.body, rotation, on.origin + on.rotation @ at)


def _on_body(link: _Inertia, frame: Frame, own: Body | BaseInertia) -> tuple[Scalar, Array, Array]:
    """Mass, first moment and tensor about the body's origin, in its axes; numbers as they are in the robot's own."""
    center = frame.origin + frame.rotation @ link.center
    tensor = frame.rotation.tensor(link.tensor) + point_tensor(link.mass, center)
    mass = own.mass if isinstance(link.mass, (int, float)) else link.mass
    return mass, _kept(scale(link.mass, center), own.moment), _kept(tensor, own.inertia)


def _kept(made: Array, own: Array) -> Array:
    """Entries of an array that depend on no parameter as they are in the robot's own, without rounding."""
    result = made.copy()
    for index in np.ndindex(made.shape):
        if isinstance(made[index], (int, float)):
            result[index] = own[index]
    return result


def _kept_frame(made: Frame, own: Frame) -> Frame:
    rotation = own.rotation if _is_plain(made.rotation.matrix()) else made.rotation
    return Frame(own.body, rotation, _kept(made.origin, own.origin))


def _is_plain(values: Array) -> bool:
    return all(isinstance(x, (int, float)) for x in values.flat)


def _reduced(robot: RobotModel, values: Values, follow: bool) -> Mechanism:
    own = reframed(robot)
    return regrouped_as(varied(own, robot, values, follow=follow), own)


Layout: TypeAlias = Callable[[Any, Values, Decisions, Mapping[str, Any]], Any]
"""Makes a mechanism of a robot with scalars for some numbers, where the robot's own decide how it is laid out, and
notes what they decide; for choices of the quantity.
"""

LAYOUTS: dict[Callable[..., Any], Layout] = {}
"""The same of mechanisms that are laid out by numbers, like arms with beams, by how they are made of a robot. The
modules that make them put them here.
"""

MAKERS: dict[Callable[[Any], Any], Callable[[Any, Values, bool], Any]] = {
    plain: lambda robot, values, follow: varied(plain(robot), robot, values),
    reframed: lambda robot, values, follow: varied(reframed(robot), robot, values, follow=follow),
    reduced: _reduced,
}
"""How mechanisms are made of a robot some of whose numbers are scalars, by how they are made of a robot."""
