"""What stands between the tags of SDF elements: numbers, yes or no, poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.robot.numbers import Matrix3, matrix3
from loadpath.robot.pose import Pose
from loadpath.scalars import array
from loadpath.scalars.quaternion import rotation_matrix
from loadpath.scalars.types import Floats

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
