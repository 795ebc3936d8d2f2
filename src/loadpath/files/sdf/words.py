"""The words of SDF: which count in the dynamics, its joints, and what stands between its tags."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.joint_steps import JointStep
from loadpath.files.joint_steps import steps_of as steps_of_known
from loadpath.files.vocabulary import Watch, Word, word
from loadpath.files.xml_reading import Node
from loadpath.robot.joints import Continuous, Fixed, Helical, JointType, Prismatic, Revolute, Spherical, Universal
from loadpath.robot.numbers import Matrix3, Vector3, matrix3
from loadpath.robot.pose import Pose
from loadpath.scalars import array
from loadpath.scalars.quaternion import rotation_matrix
from loadpath.scalars.types import Floats

ROTOR_INERTIA, GEAR_RATIO = "drake:rotor_inertia", "drake:gear_ratio"
"""Drake's words for what SDF has none for: the same numbers as here, kg m^2 at the rotor and its turns for one of the
joint."""
_AXIS = word("xyz dynamics limit mimic use_parent_model_frame", "", "initial_position joint_properties")
_LEAVES = (
    "mass density ixx ixy ixz iyy iyz izz lower upper effort velocity damping friction spring_reference "
    "spring_stiffness multiplier offset reference thread_pitch screw_thread_pitch gearbox_ratio "
    "gearbox_reference_body fluid_added_mass use_parent_model_frame"
)
VOCABULARY: dict[str, Word] = {
    "sdf": word("world model include", "version", "actor light"),
    "world": word(
        "model include frame joint gravity physics state population",
        "name",
        "actor light audio wind plugin gui scene atmosphere road spherical_coordinates magnetic_field",
    ),
    "model": word(
        "link joint frame model include pose static",
        "name canonical_link placement_frame",
        "self_collide allow_auto_disable plugin gripper enable_wind attachment",
    ),
    "include": word("uri name pose static placement_frame", "merge", "plugin"),
    "link": word(
        "inertial pose gravity kinematic visual collision velocity_decay must_be_base_link",
        "name",
        "sensor projector audio_sink audio_source battery light particle_emitter self_collide enable_wind",
    ),
    "joint": word(
        "parent child pose axis axis2 gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch physics "
        f"{ROTOR_INERTIA} {GEAR_RATIO}",
        "name type",
        "sensor plugin",
    ),
    "frame": word("pose", "name attached_to"),
    "pose": word("", "relative_to degrees rotation_format frame"),
    "inertial": word("mass pose inertia density fluid_added_mass", "auto", "auto_inertia_params"),
    "inertia": word("ixx ixy ixz iyy iyz izz"),
    "axis": _AXIS,
    "axis2": _AXIS,
    "xyz": word("", "expressed_in"),
    "dynamics": word("damping friction spring_reference spring_stiffness"),
    "limit": word("lower upper effort velocity", "", "stiffness dissipation"),
    "mimic": word("multiplier offset reference", "joint axis"),
    **{tag: word() for tag in _LEAVES.split()},
}
# Words that are not like the one meant.
_SYNONYMS = {
    "min": "lower",
    "max": "upper",
    "speed": "velocity",
    "torque": "effort",
    "force": "effort",
    "origin": "pose",
    "ratio": "multiplier",
}
_REPEATED = frozenset({"link", "joint", "frame", "model", "include", "visual", "collision", "world"})


def sdf_watch() -> Watch:
    """A watch for the words of SDF."""
    return Watch("SDF", VOCABULARY, _SYNONYMS, _REPEATED)


# The joints of SDF, for reading and writing; those it has not are several of them.


KINDS: dict[str, type[JointType]] = {
    "revolute": Revolute,
    "continuous": Continuous,
    "prismatic": Prismatic,
    "screw": Helical,
    "universal": Universal,
    "revolute2": Universal,
    "ball": Spherical,
    "fixed": Fixed,
}
WORDS: Mapping[type, str] = {kind: word for word, kind in reversed(KINDS.items())}
"""The word that is written for a class of joints."""


def axis_count(word: str) -> int:
    """How many axes a joint of SDF has.

    >>> [axis_count(word) for word in ("ball", "screw", "revolute2")]
    [0, 1, 2]
    """
    return sum(part.name in ("axis", "first", "second") for part in fields(KINDS[word]))


def motion_of(word: str, axes: Sequence[Vector3], pitch: float, *, reverse: bool = False) -> JointType:
    """How the child moves against the parent; reversed, the parent against the child: about the opposite axes, the last
    of which comes first, with the same coordinates.
    """
    if reverse:
        axes = [(0.0 - x, 0.0 - y, 0.0 - z) for x, y, z in reversed(axes)]
    others = {"pitch": pitch} if KINDS[word] is Helical else {}
    return KINDS[word](*axes, **others)


def steps_of(motion: JointType, owner: str) -> tuple[JointStep, ...]:
    """The joints of SDF that together move as a joint does."""
    steps = steps_of_known(motion, WORDS)
    if not steps:
        raise ModelError(f"{owner}: SDF has no joint that moves as a {type(motion).__name__}: take a joint of another "
                         "kind, or several")
    return steps


# What stands between the tags of SDF elements: numbers, yes or no, poses.


_YES, _NO = ("true", "1"), ("false", "0")
_FULL_TURN = 2 * math.pi + 0.01


def number_in(node: Node, tag: str, default: float, infinite: bool = False) -> float:
    """The number of a child, or the default that SDF has for it."""
    child = node.child(tag)
    return default if child is None else child.content_number(infinite)


def truth(node: Node, text: str, what: str) -> bool:
    """Yes or no, as SDF writes them."""
    if text.strip().lower() in _YES:
        return True
    if text.strip().lower() not in _NO:
        node.fail(f"{what} is '{text}': expected true or false")
    return False


def truth_in(node: Node, tag: str, default: bool) -> bool:
    """Whether a child says true; the default if there is none."""
    child = node.child(tag)
    return default if child is None else truth(child, child.content(), f"<{tag}>")


def text_in(node: Node, tag: str) -> str:
    """The text of a child; empty if there is none."""
    child = node.child(tag)
    return "" if child is None else child.content()


def attribute(node: Node, name: str) -> str:
    """The text of an attribute; empty if there is none."""
    return node.element.attributes.get(name, "").strip()


@dataclass(frozen=True)
class WrittenPose:
    """A `<pose>` as it is written: in which frame, if it says so, and where."""

    pose: Pose = field(default_factory=Pose)
    relative_to: str = ""
    node: Node | None = None


def read_pose(node: Node, watch: Watch) -> WrittenPose:
    """The `<pose>` of an element; without one it is where its frame is."""
    written = node.child("pose")
    if written is None:
        return WrittenPose()
    watch.look(written)
    if attribute(written, "frame"):
        written.fail(f"frame='{attribute(written, 'frame')}' of <pose> had no meaning before SDF 1.7 and has none "
                     "since: write relative_to, and version=\"1.7\" or later")
    relative_to = attribute(written, "relative_to")
    if not written.element.text.strip():
        return WrittenPose(Pose(), relative_to, written)
    return WrittenPose(_pose(written, watch), relative_to, written)


def _pose(node: Node, watch: Watch) -> Pose:
    form = attribute(node, "rotation_format") or "euler_rpy"
    degrees = truth(node, attribute(node, "degrees") or "false", "degrees of <pose>")
    if form == "euler_rpy":
        x, y, z, *rpy = node.content_numbers(6)
        if degrees:
            rpy = [math.radians(angle) for angle in rpy]
        elif max(map(abs, rpy)) > _FULL_TURN:
            watch.note(f'{node.owner}: <pose> turns by {rpy}, more than a full turn: angles are in radians, unless '
                       'degrees="true" is written')
        return Pose.from_xyz_rpy((x, y, z), rpy)
    if form != "quat_xyzw":
        node.fail(f"rotation_format of <pose> is '{form}': expected euler_rpy or quat_xyzw")
    if degrees:
        node.fail("<pose> has degrees and rotation_format quat_xyzw, and a quaternion has no degrees: expected one of "
                  "them")
    x, y, z, *numbers = node.content_numbers(7)
    quaternion = np.array(numbers)
    if not np.any(quaternion):
        node.fail("the quaternion of <pose> is zero: expected x y z w")
    return Pose(turned_by(scaled(quaternion)), (x, y, z))


def scaled(quaternion: Floats) -> Floats:
    """A quaternion with 1 for its largest entry: only the direction counts, and squares stay within range."""
    found: Floats = quaternion / np.abs(quaternion).max()
    return found


def turned_by(quaternion: Sequence[float] | Floats) -> Matrix3:
    """The rotation of a quaternion x, y, z, w of any length."""
    return matrix3(rotation_matrix(array(list(quaternion))).tolist(), "rotation")
