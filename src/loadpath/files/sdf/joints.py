"""A `<joint>` of SDF: its kind, axes, limits and drive, in the frame of the joint. Where it goes, tree or loop, is
decided in `graph`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from loadpath.files.sdf.frames import MODEL, Frame, body_of, pose_between
from loadpath.files.sdf.joint_kinds import KINDS, axis_count, motion_of
from loadpath.files.sdf.models import FoundJoint
from loadpath.files.sdf.naming import BASE, COUPLING
from loadpath.files.sdf.values import attribute, number_in, truth_in
from loadpath.files.sdf.vocabulary import GEAR_RATIO, ROTOR_INERTIA
from loadpath.files.urdf_places import placed
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.robot.drive_train.springs import TorsionSpring
from loadpath.robot.joints import JointType
from loadpath.robot.numbers import Vector3, unit_vector
from loadpath.robot.parts import Limits

GEARBOX = "gearbox"
NO_LIMIT = 1e16
"""What SDF wrote for no limit before 1.9, which has inf."""


@dataclass(frozen=True)
class WrittenMimic:
    """An axis that follows one of another joint: angle = multiplier (angle of that - reference) + offset."""

    node: Node
    joint: Frame
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
    frame: Frame
    kind: str
    parent: Frame
    child: Frame
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
