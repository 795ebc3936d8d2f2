"""A `<link>` and a `<joint>` of URDF as a Link and a Joint."""

from __future__ import annotations

from loadpath.files.urdf_freedoms import GENERALIZED, read_freedoms, refuse_freedoms
from loadpath.files.urdf_joint_types import JOINT_TYPES, motion_of, read_axes
from loadpath.files.urdf_places import placed, read_origin, turn_by_zero, turn_z_to
from loadpath.files.urdf_shapes import ShapeReader
from loadpath.files.urdf_speeds import Speeds, read_speeds, speeds_of
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import JointType
from loadpath.robot.parts import Joint, Link, Mimic
from loadpath.robot.pose import Pose


def read_link(node: Node, watch: Watch, shapes: ShapeReader) -> Link:
    """A link; without `<inertial>` it weighs nothing, as URDF says."""
    watch.look(node)
    inertial = node.child("inertial")
    return Link(node.text("name"), Inertia() if inertial is None else _inertia(inertial, watch), shapes.of(node))


def _inertia(node: Node, watch: Watch) -> Inertia:
    watch.look(node)
    mass, tensor = node.needed_child("mass"), node.needed_child("inertia")
    watch.look(mass)
    watch.look(tensor)
    moments = {name: tensor.number(name) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
    pose = read_origin(node, watch)
    with placed(mass):
        in_own_axes = Inertia.from_moments(mass.number("value"), **moments)
    with placed(node):
        return in_own_axes.seen_from(pose)


def read_joint(node: Node, watch: Watch) -> Joint:
    """A joint with its place, axis, limits, friction, drive and mimic."""
    watch.look(node)
    kind = node.text("type")
    if kind == GENERALIZED:
        return _generalized_joint(node, watch)
    if kind not in JOINT_TYPES:
        node.fail(f"type is '{kind}': expected one of {', '.join((*JOINT_TYPES, GENERALIZED))}")
    parent, child = node.needed_child("parent"), node.needed_child("child")
    watch.look(parent)
    watch.look(child)
    axes = read_axes(node, watch, kind)
    with placed(node):
        motion = motion_of(kind, axes)
    refuse_freedoms(node, kind, motion)
    speeds, mimic = read_speeds(node, watch, kind, motion), _mimic(node, watch)
    origin, link_offset = read_origin(node, watch), Pose()
    if kind == "planar":
        turn = turn_z_to(axes.axis)
        origin, link_offset = origin @ turn, turn.inverse()
    if axes.zero:
        origin = origin @ turn_by_zero(motion).inverse()
    with placed(node):
        return _joint(node, motion, speeds, origin, link_offset, mimic if motion.dof else None)


def _generalized_joint(node: Node, watch: Watch) -> Joint:
    """A joint of chosen freedoms, each with its own limits, friction and drive."""
    parent, child = node.needed_child("parent"), node.needed_child("child")
    watch.look(parent)
    watch.look(child)
    read = read_freedoms(node, watch)
    for tag in ("limit", "dynamics", "drive", "mimic"):
        found = node.child(tag)
        if found is not None and not (tag == "mimic" and read.motion.dof == 1):
            found.fail(f"<{tag}> of a generalized joint does not say for which of its freedoms it is: "
                       + ("only a joint with one freedom can follow another" if tag == "mimic"
                          else f"write it into the <freedom>, like <freedom value=\"rz\"> <{tag} .../> </freedom>")
                       )
    speeds = speeds_of(list(read.nodes), watch, GENERALIZED)
    with placed(node):
        return _joint(node, read.motion, speeds, read_origin(node, watch), Pose(), _mimic(node, watch))


def _joint(
    node: Node, motion: JointType, speeds: Speeds, origin: Pose, link_offset: Pose, mimic: Mimic | None
) -> Joint:
    return Joint(
        node.text("name"),
        node.needed_child("parent").text("link"),
        node.needed_child("child").text("link"),
        motion,
        origin,
        link_offset,
        viscous_friction=speeds.viscous,
        coulomb_friction=speeds.coulomb,
        rotor_inertia=speeds.rotor,
        gear_ratio=speeds.ratio,
        armature=speeds.armature,
        limits=speeds.limits,
        mimic=mimic,
    )


def _mimic(node: Node, watch: Watch) -> Mimic | None:
    mimic = node.child("mimic")
    if mimic is None:
        return None
    watch.look(mimic)
    return Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
