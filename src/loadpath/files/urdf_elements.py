"""A `<link>` and a `<joint>` of URDF as a Link and a Joint."""

from __future__ import annotations

import math
from collections.abc import Callable

from loadpath.files.urdf_freedoms import GENERALIZED, read_freedoms, refuse_freedoms
from loadpath.files.urdf_places import placed, read_axis, read_origin, turn_z_to
from loadpath.files.urdf_shapes import ShapeReader
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Continuous, Fixed, Free, JointType, Planar, Prismatic, Revolute
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Limits, Link, Mimic
from loadpath.robot.pose import Pose

_MOTIONS: dict[str, Callable[[Vector3], JointType]] = {
    "fixed": lambda axis: Fixed(),
    "revolute": Revolute,
    "continuous": Continuous,
    "prismatic": Prismatic,
    "planar": lambda axis: Planar(),
    "floating": lambda axis: Free(),
}


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
    """A joint with its place, axis, limits, friction and mimic."""
    watch.look(node)
    kind = node.text("type")
    if kind == GENERALIZED:
        return _generalized_joint(node, watch)
    if kind not in _MOTIONS:
        node.fail(f"type is '{kind}': expected one of {', '.join((*_MOTIONS, GENERALIZED))}")
    refuse_freedoms(node, kind)
    parent, child = node.needed_child("parent"), node.needed_child("child")
    watch.look(parent)
    watch.look(child)
    # The axis of a fixed or floating joint is not used, and often written 0 0 0.
    axis = read_axis(node, watch, used=kind not in ("fixed", "floating"))
    damping, friction = _dynamics(node, watch)
    limits, mimic = _limits(node, watch, kind), _mimic(node, watch)
    origin, link_offset = read_origin(node, watch), Pose()
    if kind == "planar":
        turn = turn_z_to(axis)
        origin, link_offset = origin @ turn, turn.inverse()
    with placed(node):
        motion = _MOTIONS[kind](axis)
        if motion.dof > 1 and (damping or friction):
            watch.note(f"{node.owner}: damping {damping:g} and friction {friction:g} are taken for each of its "
                       f"{motion.dof} speeds, as URDF does not say for which they are")  # fmt: skip
        return Joint(
            node.text("name"),
            parent.text("link"),
            child.text("link"),
            motion,
            origin,
            link_offset,
            viscous_friction=(damping,) * motion.dof,
            coulomb_friction=(friction,) * motion.dof,
            limits=limits if motion.dof == 1 else (),
            mimic=mimic if motion.dof else None,
        )


def _generalized_joint(node: Node, watch: Watch) -> Joint:
    """A joint of chosen freedoms, each with its own limits and friction."""
    parent, child = node.needed_child("parent"), node.needed_child("child")
    watch.look(parent)
    watch.look(child)
    for tag in ("limit", "dynamics", "mimic"):
        if (found := node.child(tag)) is not None:
            found.fail(f"<{tag}> of a generalized joint does not say for which of its freedoms it is: "
                       + ("only a joint with one freedom can follow another" if tag == "mimic"
                          else f"write it into the <freedom>, like <freedom value=\"rz\"> <{tag} .../> </freedom>")
                       )  # fmt: skip
    read = read_freedoms(node, watch)
    drives = [_dynamics(entry, watch) for entry in read.nodes]
    limits = [_limits(entry, watch, GENERALIZED) or (Limits(),) for entry in read.nodes]
    with placed(node):
        return Joint(
            node.text("name"),
            parent.text("link"),
            child.text("link"),
            read.motion,
            read_origin(node, watch),
            viscous_friction=tuple(damping for damping, _ in drives),
            coulomb_friction=tuple(friction for _, friction in drives),
            limits=tuple(entry for (entry,) in limits),
        )


def _dynamics(node: Node, watch: Watch) -> tuple[float, float]:
    """Damping and friction, zero if not given."""
    dynamics = node.child("dynamics")
    if dynamics is None:
        return 0.0, 0.0
    watch.look(dynamics)
    for part in ("damping", "friction"):
        if dynamics.number(part, 0.0) < 0:
            dynamics.fail(f"{part} is {dynamics.number(part, 0.0)}: expected zero or more")
    return dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)


def _limits(node: Node, watch: Watch, kind: str) -> tuple[Limits, ...]:
    limit = node.child("limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            endless = "; one that turns without end is of the type 'continuous'" if kind == "revolute" else ""
            node.fail(f"a {kind} joint needs a <limit> with lower, upper, velocity and effort{endless}")
        return ()
    watch.look(limit)
    lower, upper = limit.number("lower", 0.0, infinite=True), limit.number("upper", 0.0, infinite=True)
    if kind == "continuous":
        lower, upper = -math.inf, math.inf
    elif kind in ("revolute", "prismatic", GENERALIZED) and not {"lower", "upper"} & limit.element.attributes.keys():
        watch.note(f"{node.owner}: <limit> without lower and upper, which URDF takes for 0: it is not to move at all")
    velocity, effort = limit.number("velocity", infinite=True), limit.number("effort", infinite=True)
    if kind == "fixed":
        return ()
    with placed(limit):
        return (Limits(lower, upper, velocity, effort),)


def _mimic(node: Node, watch: Watch) -> Mimic | None:
    mimic = node.child("mimic")
    if mimic is None:
        return None
    watch.look(mimic)
    return Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
