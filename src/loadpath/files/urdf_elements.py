"""A `<link>` and a `<joint>` of URDF as a Link and a Joint."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.urdf_text import Node
from loadpath.files.urdf_vocabulary import Watch
from loadpath.printable import printable
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Continuous, Fixed, Free, JointType, Planar, Prismatic, Revolute
from loadpath.robot.model import Joint, Limits, Link, Mimic
from loadpath.robot.numbers import Vector3, unit_vector
from loadpath.robot.pose import Pose
from loadpath.scalars import array
from loadpath.scalars.quaternion import rotation_matrix

_ZERO: Vector3 = (0.0, 0.0, 0.0)
_FULL_TURN = 2 * math.pi + 0.01
_DEFAULT_AXIS: Vector3 = (1.0, 0.0, 0.0)

_MOTIONS: dict[str, Callable[[Vector3], JointType]] = {
    "fixed": lambda axis: Fixed(),
    "revolute": Revolute,
    "continuous": Continuous,
    "prismatic": Prismatic,
    "planar": lambda axis: Planar(),
    "floating": lambda axis: Free(),
}


@contextmanager
def _placed(node: Node) -> Iterator[None]:
    """Errors of the model come out with file, line and owner in front."""
    try:
        yield
    except ModelError as problem:
        message = str(problem)
        placed = message if message.startswith(node.source) else f"{node.place}: {message}"
        raise ModelError(printable(placed)) from None


def read_link(node: Node, watch: Watch) -> Link:
    """A link; without `<inertial>` it weighs nothing, as URDF says."""
    watch.look(node)
    inertial = node.child("inertial")
    return Link(node.text("name"), Inertia() if inertial is None else _inertia(inertial, watch))


def _inertia(node: Node, watch: Watch) -> Inertia:
    watch.look(node)
    mass, tensor = node.needed_child("mass"), node.needed_child("inertia")
    watch.look(mass)
    watch.look(tensor)
    moments = {name: tensor.number(name) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
    pose = _origin(node, watch)
    with _placed(mass):
        in_own_axes = Inertia.from_moments(mass.number("value"), **moments)
    with _placed(node):
        return in_own_axes.seen_from(pose)


def _origin(node: Node, watch: Watch) -> Pose:
    """The pose said by an element's `<origin>`, the identity if there is none."""
    origin = node.child("origin")
    if origin is None:
        return Pose()
    watch.look(origin)
    xyz = origin.vector("xyz", _ZERO)
    if "quat_xyzw" not in origin.element.attributes:
        rpy = origin.vector("rpy", _ZERO)
        if max(map(abs, rpy)) > _FULL_TURN:
            watch.note(f"{node.owner}: rpy of <origin> is {rpy}, more than a full turn: angles are in radians")
        return Pose.from_xyz_rpy(xyz, rpy)
    if "rpy" in origin.element.attributes:
        origin.fail("<origin> has both rpy and quat_xyzw: expected one of them")
    quaternion = np.array(origin.numbers("quat_xyzw", 4))
    if not np.any(quaternion):
        origin.fail("quat_xyzw of <origin> is zero: expected a quaternion x y z w")
    scaled = quaternion / np.abs(quaternion).max()  # only the direction counts; squares stay within range
    return Pose(rotation_matrix(array(scaled.tolist())).tolist(), xyz)


def read_joint(node: Node, watch: Watch) -> Joint:
    """A joint with its place, axis, limits, friction and mimic."""
    watch.look(node)
    kind = node.text("type")
    if kind not in _MOTIONS:
        node.fail(f"type is '{kind}': expected one of {', '.join(_MOTIONS)}")
    parent, child = node.needed_child("parent"), node.needed_child("child")
    watch.look(parent)
    watch.look(child)
    axis = _axis(node, watch, kind)
    damping, friction = _dynamics(node, watch)
    limits, mimic = _limits(node, watch, kind), _mimic(node, watch)
    origin, link_offset = _origin(node, watch), Pose()
    if kind == "planar":
        turn = _turn_z_to(axis)
        origin, link_offset = origin @ turn, turn.inverse()
    with _placed(node):
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


def _axis(node: Node, watch: Watch, kind: str) -> Vector3:
    """The unit vector of the axis, in the joint frame; x if none is given."""
    axis = node.child("axis")
    if axis is None:
        return _DEFAULT_AXIS
    watch.look(axis)
    direction = axis.vector("xyz")
    if kind in ("fixed", "floating"):
        return _DEFAULT_AXIS  # not used, and often written 0 0 0
    with _placed(axis):
        return unit_vector(direction, "axis")


def _turn_z_to(axis: Vector3) -> Pose:
    """The smallest turn that takes z to the axis; half a turn about x to reach -z."""
    x, y, z = axis
    if z < -1 + 1e-12:
        return Pose(((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)))
    k = 1 / (1 + z)
    return Pose(((1 - k * x * x, -k * x * y, x), (-k * x * y, 1 - k * y * y, y), (-x, -y, z)))


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
    elif kind in ("revolute", "prismatic") and not {"lower", "upper"} & limit.element.attributes.keys():
        watch.note(f"{node.owner}: <limit> without lower and upper, which URDF takes for 0: it is not to move at all")
    velocity, effort = limit.number("velocity", infinite=True), limit.number("effort", infinite=True)
    if kind == "fixed":
        return ()
    with _placed(limit):
        return (Limits(lower, upper, velocity, effort),)


def _mimic(node: Node, watch: Watch) -> Mimic | None:
    mimic = node.child("mimic")
    if mimic is None:
        return None
    watch.look(mimic)
    return Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
