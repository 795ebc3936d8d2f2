"""A `<joint>` of SDF: its kind, axes, limits and drive, in the frame of the joint. Where it goes, tree or loop, is
decided in `graph`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loadpath.files.joint_steps import JointStep
from loadpath.files.sdf.frames import BASE, COUPLING, MODEL, NAME, Names, SdfFrame, body_of, pose_between, remembered
from loadpath.files.sdf.links import put, put_pose, write_inertia
from loadpath.files.sdf.models import FoundJoint
from loadpath.files.sdf.words import (
    GEAR_RATIO,
    KINDS,
    ROTOR_INERTIA,
    WORDS,
    attribute,
    axis_count,
    motion_of,
    number_in,
    steps_of,
    truth_in,
)
from loadpath.files.urdf.words import placed
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_reading import Node
from loadpath.files.xml_writing import Tag, axis_numbers, number_text, numbers_text
from loadpath.robot.drive_train.drive import TorsionSpring
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import JointType, Universal
from loadpath.robot.numbers import Vector3, unit_vector
from loadpath.robot.parts import Joint, Limits
from loadpath.robot.pose import Pose
from loadpath.scalars import array

GEARBOX = "gearbox"
NO_LIMIT = 1e16
"""What SDF wrote for no limit before 1.9, which has inf."""


@dataclass(frozen=True)
class WrittenMimic:
    """An axis that follows one of another joint: angle = multiplier (angle of that - reference) + offset."""

    node: Node
    joint: SdfFrame
    axis: int
    multiplier: float
    offset: float
    coupling: str = ""
    """The name of the robot's coupling, if it stands for one."""


@dataclass(frozen=True)
class Axis:
    """One axis of a joint: its direction in the joint's frame, and what acts about or along it."""

    direction: Vector3
    damping: float = 0.0
    friction: float = 0.0
    spring: TorsionSpring | None = None
    limits: Limits = field(default_factory=Limits)
    mimic: WrittenMimic | None = None

    @property
    def acts(self) -> bool:
        """Whether forces act about it beside those of the drive."""
        return bool(self.damping or self.friction or self.spring)


@dataclass(frozen=True)
class ReadJoint:
    """A joint between two bodies."""

    node: Node
    frame: SdfFrame
    kind: str
    parent: SdfFrame
    child: SdfFrame
    axes: tuple[Axis, ...]
    pitch: float = 0.0
    rotor_inertia: float = 0.0
    gear_ratio: float | None = None
    """None: not written; then the rotor is felt at the joint as it is."""
    closes: bool = False
    """Whether the file says that it is to close a loop, not to carry a link."""
    bolts: bool = False
    """Whether it only says that the base is fixed in the world, which it is here without."""

    @property
    def name(self) -> str:
        return self.frame.name

    def motion(self, reverse: bool = False) -> JointType:
        """How the child moves against the parent, or the parent against the child."""
        with placed(self.node):
            return motion_of(self.kind, [axis.direction for axis in self.axes], self.pitch, reverse=reverse)

    def in_order(self, reverse: bool = False) -> tuple[Axis, ...]:
        """The axes in the order of the motion's coordinates."""
        return self.axes[::-1] if reverse else self.axes


def read_joint(found: FoundJoint, watch: Watch) -> ReadJoint:
    """A joint; what it joins are the links that its parent and child frames move with."""
    node, scope = found.node, found.scope
    kind = node.text("type")
    if kind != GEARBOX and kind not in KINDS:
        node.fail(f"type is '{kind}': expected one of {', '.join((*KINDS, GEARBOX))}")
    parent_node = node.needed_child("parent")
    parent = body_of(scope.find(parent_node.content(), parent_node, "parent"))
    child = body_of(found.frame)
    for role, body in (("parent", parent), ("child", child)):
        if body.node.tag != "link" and body is not scope.world:
            node.fail(f"its {role} '{body.name}' has no link to move with")
    if parent is child:
        node.fail(f"it joins '{child.name}' to itself")
    count = 2 if kind == GEARBOX else axis_count(kind)
    axes = tuple(_axis(found, watch, tag) for tag in ("axis", "axis2")[:count])
    rotor = number_in(node, ROTOR_INERTIA, 0.0)
    if rotor and len(axes) != 1:
        node.fail(f"<{ROTOR_INERTIA}> of a {kind} joint does not say about which axis the rotor turns")
    return ReadJoint(
        node,
        found.frame,
        kind,
        parent,
        child,
        axes,
        _pitch(node) if kind == "screw" else 0.0,
        rotor,
        None if node.child(GEAR_RATIO) is None else number_in(node, GEAR_RATIO, 1.0),
        _must_close(node),
        kind == "fixed" and parent is scope.world and attribute(node, BASE) == "true",
    )


def _pitch(node: Node) -> float:
    """Meters for each radian of a screw."""
    new, old = node.child("screw_thread_pitch"), node.child("thread_pitch")
    if new is not None:
        return new.content_number() / (2 * math.pi)
    if old is None:
        node.fail("a screw joint needs its pitch: expected <screw_thread_pitch>, in meters per turn")
    per_meter = old.content_number()  # radians per meter, of a left-handed thread
    if per_meter == 0.0:
        old.fail("<thread_pitch> is 0: expected radians per meter; <screw_thread_pitch> takes meters per turn")
    return -1.0 / per_meter


def _must_close(node: Node) -> bool:
    physics = node.child("physics")
    simbody = None if physics is None else physics.child("simbody")
    return simbody is not None and truth_in(simbody, "must_be_loop_joint", False)


def _axis(found: FoundJoint, watch: Watch, tag: str) -> Axis:
    node = found.node.child(tag)
    if node is None:
        found.node.fail(f"a {found.node.text('type')} joint needs an <{tag}> with <xyz>")
    watch.look(node)
    direction = _direction(found, node, watch)
    damping, friction, spring = _dynamics(node, watch)
    return Axis(direction, damping, friction, spring, _limits(found, node, watch), _mimic(found, node, watch))


def _direction(found: FoundJoint, node: Node, watch: Watch) -> Vector3:
    """The axis in the frame of the joint."""
    xyz = node.needed_child("xyz")
    watch.look(xyz)
    written = xyz.content_vector()
    name, version = attribute(xyz, "expressed_in"), found.scope.version
    in_model = truth_in(node, "use_parent_model_frame", False)
    if in_model and version >= (1, 7):
        node.fail('<use_parent_model_frame> went out with SDF 1.7: write <xyz expressed_in="__model__">')
    if not name and (in_model or version < (1, 5)):  # before 1.5 an axis was always one of the model
        name = MODEL
    with placed(xyz):
        axis = unit_vector(written, "axis")
        if name:
            turn = pose_between(found.frame, found.scope.find(name, xyz, "expressed_in")).R
            axis = unit_vector((turn @ axis).tolist(), "axis")
    return axis


def _dynamics(node: Node, watch: Watch) -> tuple[float, float, TorsionSpring | None]:
    dynamics = node.child("dynamics")
    if dynamics is None:
        return 0.0, 0.0, None
    watch.look(dynamics)
    damping, friction, stiffness = (number_in(dynamics, tag, 0.0) for tag in ("damping", "friction",
                                                                              "spring_stiffness"))
    for what, value in (("damping", damping), ("friction", friction), ("spring_stiffness", stiffness)):
        if value < 0:
            dynamics.fail(f"<{what}> is {value}: expected zero or more")
    rest = number_in(dynamics, "spring_reference", 0.0)
    return damping, friction, TorsionSpring(stiffness, rest) if stiffness else None


def _limits(found: FoundJoint, node: Node, watch: Watch) -> Limits:
    limit = node.child("limit")
    if limit is None:
        return Limits()
    watch.look(limit)
    lower = number_in(limit, "lower", -math.inf, infinite=True)
    upper = number_in(limit, "upper", math.inf, infinite=True)
    velocity, effort = (number_in(limit, tag, math.inf, infinite=True) for tag in ("velocity", "effort"))
    none = NO_LIMIT if found.scope.version < (1, 9) else math.inf
    with placed(limit):
        return Limits(
            -math.inf if lower <= -none else lower,
            math.inf if upper >= none else upper,
            math.inf if velocity < 0 else velocity,
            math.inf if effort < 0 else effort,
        )


def _mimic(found: FoundJoint, node: Node, watch: Watch) -> WrittenMimic | None:
    mimic = node.child("mimic")
    if mimic is None:
        return None
    watch.look(mimic)
    which = attribute(mimic, "axis") or "axis"
    if which not in ("axis", "axis2"):
        mimic.fail(f"axis of <mimic> is '{which}': expected axis or axis2")
    leader = found.scope.find(mimic.text("joint"), mimic, "joint of <mimic>")
    multiplier = mimic.needed_child("multiplier").content_number()
    reference, offset = number_in(mimic, "reference", 0.0), number_in(mimic, "offset", 0.0)
    return WrittenMimic(mimic, leader, int(which == "axis2"), multiplier, offset - multiplier * reference,
                        attribute(mimic, COUPLING))


# Joints as `<joint>`s of SDF: axes, limits, friction, springs and rotors.


def placed_at(motion: JointType, q: Sequence[float]) -> Pose:
    """Where a joint puts its child at a coordinate."""
    turn, shift = motion.placement(array(q))
    return Pose(turn.matrix().astype(float).tolist(), shift.astype(float).tolist())


@dataclass
class JointWriter:
    """Writes joints and the links between the parts of those that SDF has no word for; keeps what is lost."""

    model: Tag
    names: Names
    lost: list[str] = field(default_factory=list)
    axes: dict[str, Tag] = field(default_factory=dict)
    """The `<axis>` of each speed, by the name of the speed in the robot, with the joint around it."""
    written: dict[str, str] = field(default_factory=dict)
    """For each such speed the name of the joint in the file, and which of its axes it is."""
    rotors: bool = False

    def write(self, joint: Joint, parent: str, child: str, q: Sequence[float]) -> tuple[str, Pose]:
        """The joint, its zero where the robot has `q`. Returns the name of the frame that the child link is given in,
        and its pose there.
        """
        owner = f"joint '{joint.name}'"
        steps = steps_of(joint.motion, owner)
        if len(steps) > 1:
            self.lost.append(f"{owner} is {type(joint.motion).__name__}, which SDF has no word for: it is written as "
                             f"{len(steps)} joints with links without mass between them")
        place, name = joint.origin, ""
        for number, step in enumerate(steps):
            at_zero = tuple(q[step.first : step.first + step.motion.coordinates])
            own = f"{joint.name}.{step.label}" if step.label else joint.name
            name = self.names.give(own, "joint")
            last = number == len(steps) - 1
            to = child if last else self.names.give(f"{own}_link", "link")
            tag = self.element(step, name, parent, to, at_zero)
            tag.attributes[NAME] = remembered(name, own)
            put_pose(tag, place, parent if parent != "world" else "__model__")
            self._drive(tag, joint, step, name, at_zero)
            place = placed_at(step.motion, at_zero)
            if not last:
                between = self.model.add("link", name=to)
                put_pose(between, place, name)
                write_inertia(between, Inertia())
                parent, place = to, Pose()
        return name, place @ joint.link_offset if place != Pose() else joint.link_offset

    def element(self, step: JointStep, name: str, parent: str, child: str, q: Sequence[float]) -> Tag:
        """A `<joint>` with its links and axes."""
        tag = self.model.add("joint", name=name, type=WORDS[type(step.motion)])
        put(tag, "parent", parent)
        put(tag, "child", child)
        for word, axis in zip(("axis", "axis2"), _axes(step.motion, q), strict=False):
            put(tag.add(word), "xyz", numbers_text(axis_numbers(axis)))
        pitch = getattr(step.motion, "pitch", None)
        if pitch is not None:
            put(tag, "screw_thread_pitch", number_text(_per_turn(pitch)))
        return tag

    def _drive(self, tag: Tag, joint: Joint, step: JointStep, name: str, q: Sequence[float]) -> None:
        """Limits, friction and springs of each axis, and the rotor."""
        axes = [child for child in tag.children if child.tag in ("axis", "axis2")]
        labels = joint.motion.labels
        for k, axis in enumerate(axes):
            speed = step.first + k
            label = labels[speed]
            self.axes[f"{joint.name}.{label}" if label else joint.name] = axis
            self.written[f"{joint.name}.{label}" if label else joint.name] = name
            limits = joint.limits[speed]
            self._numbers(axis, "limit", {
                "lower": limits.lower - q[k],
                "upper": limits.upper - q[k],
                "effort": limits.effort,
                "velocity": limits.velocity,
            }, left_out=math.inf)
            stiffness, rest = self._spring(joint, speed)
            self._numbers(axis, "dynamics", {
                "damping": joint.viscous_friction[speed],
                "friction": joint.coulomb_friction[speed],
                "spring_stiffness": stiffness,
                "spring_reference": rest - q[k] if stiffness else 0.0,
            }, left_out=0.0)
        speeds = range(step.first, step.first + step.motion.dof)
        self._note_lost(joint, speeds, bool(axes))
        if len(axes) == 1:
            ratio, armature = joint.gear_ratio[step.first], joint.armature[step.first]
            if joint.reflected_inertia[step.first] or ratio != 1.0:
                self.rotors = True
                rotor = armature / ratio**2 if armature and ratio else joint.rotor_inertia[step.first]
                put(tag, ROTOR_INERTIA, number_text(rotor))
                if ratio != 1.0 or not armature:  # without a ratio it is felt at the joint as it is
                    put(tag, GEAR_RATIO, number_text(ratio))
        elif any(joint.reflected_inertia[speed] for speed in speeds):
            self.lost.append(f"rotors of joint '{joint.name}': SDF has no word for those of a joint with several axes")

    def _note_lost(self, joint: Joint, speeds: range, has_axes: bool) -> None:
        if any(joint.stribeck[speed] is not None for speed in speeds):
            self.lost.append(f"friction near standstill (Stribeck) of joint '{joint.name}': SDF has no word for it")
        if not has_axes and any(joint.viscous_friction[speed] or joint.coulomb_friction[speed] for speed in speeds):
            self.lost.append(f"friction of joint '{joint.name}': a ball has no axes in SDF, so no friction about them")
        if speeds and speeds[0] == 0 and joint.line_springs:
            self.lost.append(f"line springs of joint '{joint.name}': SDF has no word for them")

    def _spring(self, joint: Joint, speed: int) -> tuple[float, float]:
        """Stiffness and rest of all springs about an axis together."""
        springs = [spring for spring in joint.springs[speed] if isinstance(spring, TorsionSpring)]
        stiffness = sum(spring.stiffness for spring in springs)
        preload = sum(spring.preload for spring in springs)
        if len(springs) == 1 and not preload:
            return stiffness, springs[0].rest
        if not stiffness:
            if preload:
                self.lost.append(f"constant spring force of joint '{joint.name}': SDF has no word for it")
            return 0.0, 0.0
        return stiffness, (sum(spring.stiffness * spring.rest for spring in springs) + preload) / stiffness

    @staticmethod
    def _numbers(axis: Tag, word: str, values: Mapping[str, float], left_out: float) -> None:
        given = {tag: value for tag, value in values.items() if abs(value) != left_out}
        if given:
            tag = axis.add(word)
            for name, value in given.items():
                put(tag, name, number_text(value))


def _axes(motion: JointType, q: Sequence[float]) -> list[Vector3]:
    """The axes of a joint of SDF at its zero."""
    if isinstance(motion, Universal):
        turn = placed_at(Universal(motion.first, motion.second), (q[0], 0.0)).R if q[0] else np.eye(3)
        x, y, z = (turn @ np.array(motion.second)).tolist()
        return [motion.first, (x, y, z)]
    axis = motion.axis_direction()
    return [] if axis is None else [axis]


def _per_turn(pitch: float) -> float:
    """Meters per turn, so that division by a turn gives the pitch back."""
    value = pitch * 2 * math.pi
    near = (value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf))
    return next((each for each in near if each / (2 * math.pi) == pitch), value)
