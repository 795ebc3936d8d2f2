"""Where a URDF element puts something: `<origin>`, `<axis>` and their like."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.printable import printable
from loadpath.robot.joints import JointType
from loadpath.robot.numbers import Vector3, unit_vector
from loadpath.robot.pose import Pose
from loadpath.scalars import array
from loadpath.scalars.quaternion import rotation_matrix

DEFAULT_AXIS: Vector3 = (1.0, 0.0, 0.0)
_ZERO: Vector3 = (0.0, 0.0, 0.0)
_FULL_TURN = 2 * math.pi + 0.01


@contextmanager
def placed(node: Node) -> Iterator[None]:
    """Errors of the model are raised with file, line and owner in front."""
    try:
        yield
    except ModelError as problem:
        message = str(problem)
        where = f"{node.source}{node.line}" if message.startswith(node.owner) else node.place
        placed = message if message.startswith(node.source) else f"{where}: {message}"
        raise ModelError(printable(placed)) from None


def read_origin(node: Node, watch: Watch, tag: str = "origin") -> Pose:
    """The pose given by an element's `<origin>` (or another tag like it), the identity if there is none."""
    origin = node.child(tag)
    if origin is None:
        return Pose()
    watch.look(origin)
    xyz = origin.vector("xyz", _ZERO)
    if "quat_xyzw" not in origin.element.attributes:
        rpy = origin.vector("rpy", _ZERO)
        if max(map(abs, rpy)) > _FULL_TURN:
            watch.note(f"{node.owner}: rpy of <{tag}> is {rpy}, more than a full turn: angles are in radians")
        return Pose.from_xyz_rpy(xyz, rpy)
    if "rpy" in origin.element.attributes:
        origin.fail(f"<{tag}> has both rpy and quat_xyzw: expected one of them")
    quaternion = np.array(origin.numbers("quat_xyzw", 4))
    if not np.any(quaternion):
        origin.fail(f"quat_xyzw of <{tag}> is zero: expected a quaternion x y z w")
    scaled = quaternion / np.abs(quaternion).max()  # only the direction counts; squares stay within range
    return Pose(rotation_matrix(array(scaled.tolist())).tolist(), xyz)


def read_axis(node: Node, watch: Watch, tag: str = "axis", used: bool = True) -> Vector3:
    """The unit vector of the axis, in the joint frame; x if none is given or where it is not used."""
    axis = node.child(tag)
    if axis is None:
        return DEFAULT_AXIS
    watch.look(axis)
    direction = axis.vector("xyz")
    if not used:
        return DEFAULT_AXIS
    with placed(axis):
        return unit_vector(direction, tag.replace("_", " "))


def turn_by_zero(motion: JointType) -> Pose:
    """The turn of a joint about one axis at q = 0, by its `zero`."""
    turn, _ = motion.placement(array([0.0] * motion.coordinates))
    return Pose(turn.matrix().astype(float).tolist())


def turn_z_to(axis: Vector3) -> Pose:
    """The smallest turn that takes z to the axis; half a turn about x to reach -z."""
    x, y, z = axis
    if z < -1 + 1e-12:
        return Pose(((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)))
    k = 1 / (1 + z)
    return Pose(((1 - k * x * x, -k * x * y, x), (-k * x * y, 1 - k * y * y, y), (-x, -y, z)))
