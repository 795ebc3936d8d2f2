"""The words of URDF that count in the dynamics (`vocabulary.Watch` looks for others), and where `<origin>` and `<axis>`
put things.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.vocabulary import Watch, Word, word
from loadpath.files.xml_reading import Node
from loadpath.printable import printable
from loadpath.robot.joints import JointType
from loadpath.robot.numbers import Vector3, unit_vector
from loadpath.robot.pose import Pose
from loadpath.scalars import array
from loadpath.scalars.quaternion import rotation_matrix

VOCABULARY: dict[str, Word] = {
    "robot": word(
        "link joint loop coupling constraint driven",
        "name version",
        "material gazebo transmission sensor ros2_control mujoco plugin visual collision",
    ),
    "link": word(
        "inertial",
        "name type",
        "visual collision contact surface self_filter collision_checking material sensor verbose",
    ),
    "joint": word(
        "parent child origin axis second_axis limit dynamics drive mimic freedom",
        "name type dont_collapse independent link_offset near",
        "safety_controller calibration",
    ),
    "inertial": word("origin mass inertia"),
    "origin": word("", "xyz rpy quat_xyzw"),
    "mass": word("", "value"),
    "inertia": word("", "ixx ixy ixz iyy iyz izz"),
    "parent": word("", "link"),
    "child": word("", "link"),
    "axis": word("", "xyz zero pitch"),
    "second_axis": word("", "xyz"),
    "limit": word("", "lower upper velocity effort acceleration deceleration jerk"),
    "dynamics": word("", "damping friction"),
    "mimic": word("", "joint multiplier offset"),
    # Of this library: see `joints` and `loops`.
    "freedom": word("limit dynamics drive", "value type xyz label"),
    "drive": word("", "ratio rotor_inertia armature"),
    "term": word("", "speed factor"),
    "driven": word("term"),
    # Loops: URDF+ (Chignoli et al. 2024) and the proposal urdfdom#264.
    "loop": word("predecessor successor axis second_axis freedom", "name type"),
    "coupling": word("predecessor successor ratio term", "name offset"),
    "predecessor": word("origin", "link"),
    "successor": word("origin", "link"),
    "ratio": word("", "value"),
    "constraint": word("parent parent_origin parent_axis child child_origin child_axis", "name type"),
    "parent_origin": word("", "xyz rpy quat_xyzw"),
    "child_origin": word("", "xyz rpy quat_xyzw"),
    "parent_axis": word("", "xyz"),
    "child_axis": word("", "xyz"),
}
# Words that are not like the one meant.
_SYNONYMS = {
    "min": "lower",
    "max": "upper",
    "speed": "velocity",
    "torque": "effort",
    "force": "effort",
    "ratio": "multiplier",
    "position": "xyz",
    "rotation": "rpy",
    "orientation": "rpy",
}
_REPEATED = frozenset({"link", "joint", "loop", "coupling", "constraint", "freedom", "term"})


def urdf_watch() -> Watch:
    """A watch for the words of URDF."""
    return Watch("URDF", VOCABULARY, _SYNONYMS, _REPEATED)


# Where a URDF element puts something: `<origin>`, `<axis>` and their like.


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
