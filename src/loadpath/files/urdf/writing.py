"""A robot as the text of a URDF file, from which this library reads an equal robot again.

What URDF has a word for is written with it, so that other readers get the same robot. For the rest there are the words
of this library (see `joints`, `reading` and `loops`); those that change what other
readers get, or make them refuse the file, are named in `lost`, as is what no word is for.
"""

from __future__ import annotations

import math
import re

from loadpath.errors import ModelError
from loadpath.files.contract import ReadRobot, Written, lost_everywhere, named
from loadpath.files.urdf.joints import GENERALIZED, LARGEST_NUMBER, OF_URDF, takes, word_of
from loadpath.files.urdf.shapes import ShapeWriter
from loadpath.files.urdf.words import turn_by_zero, turn_z_to
from loadpath.files.xml_writing import Tag, axis_numbers, number_text, numbers_text, roll_pitch_yaw, xml_text
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Generalized, JointType
from loadpath.robot.joints.generalized import Freedom
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import STANDARD_GRAVITY, RobotModel
from loadpath.robot.parts import Joint, Limits, Link
from loadpath.robot.pose import Pose

_XACRO = re.compile(r"\$[{(]")
_NO_POSE = Pose()


def urdf_of(robot: RobotModel) -> Written:
    """A robot (also one with loops) as URDF, and sentences on what URDF cannot say.

    >>> from loadpath.robot.catalog import planar
    >>> print(urdf_of(planar(1)).text.partition("  <joint")[0], end="")
    <?xml version="1.0" encoding="utf-8"?>
    <robot name="planar1">
      <link name="base"/>
      <link name="link1">
        <inertial>
          <origin xyz="0.5 0 0"/>
          <mass value="1"/>
          <inertia ixx="0" ixy="0" ixz="0" iyy="0.08333333333333333" iyz="0" izz="0.08333333333333333"/>
        </inertial>
      </link>
      <link name="tip"/>
    """
    return _Writer(robot).written()


class _Writer:
    """Writes one robot."""

    def __init__(self, robot: RobotModel) -> None:
        self.robot, self.read = robot, ReadRobot.of(robot)
        self.root = Tag("robot", {"name": _name(robot.name)})
        self.shapes = ShapeWriter()
        self.lost = lost_everywhere(robot)
        self.own_words: dict[str, list[str]] = {}
        """What only this library reads, and of which joints."""
        self.link_names, self.joint_names = set(robot.link_names), set(robot.joint_names)

    def written(self) -> Written:
        robot = self.robot
        for link in robot.links:
            self._link(link)
        near = self._near()
        for joint in robot.joints:
            self._joint(joint, near.get(joint.name))
        for loop in self.read.loops:
            self._loop(loop)
        for coupling in self.read.couplings:
            self._coupling(coupling)
        self._driven()
        self._report()
        return Written(xml_text(self.root), (*self.lost, *self.shapes.lost))

    # Links

    def _link(self, link: Link) -> None:
        tag = self.root.add("link", name=_name(link.name))
        if not link.inertia.is_zero or link.inertia.center_of_mass != (0.0, 0.0, 0.0) or link.shapes:
            _inertial(tag, link.inertia)
        self.shapes.write(link, tag)

    # Joints

    def _joint(self, joint: Joint, near: str | None) -> None:
        motion = joint.motion
        word = self._word(motion, f"joint '{joint.name}'")
        tag = self.root.add("joint", name=_name(joint.name), type=word, independent=self._independent(joint), near=near)
        origin, child, axis = joint.origin, joint.child, None
        offset = joint.link_offset
        if word == "planar" and offset.translation == (0.0, 0.0, 0.0):
            x, y, z = (row[2] for row in offset.inverse().rotation)
            turn = turn_z_to((x, y, z))
            if _same(turn.inverse(), offset):  # as the reader makes it of an axis other than z
                axis, origin, offset = (x, y, z), origin @ offset, _NO_POSE
        if offset != _NO_POSE:
            child = self._free_name(f"{joint.child}_at_{joint.name}", self.link_names)
        if getattr(motion, "zero", 0.0):
            origin = origin @ turn_by_zero(motion)
        tag.add("parent", link=_name(joint.parent))
        tag.add("child", link=_name(child))
        _origin(tag, origin)
        self._motion(tag, motion, axis)
        self._speeds(tag, joint, word)
        if joint.mimic is not None:
            tag.add("mimic", joint=_name(joint.mimic.joint), multiplier=number_text(joint.mimic.multiplier),
                    offset=number_text(joint.mimic.offset))
        if offset != _NO_POSE:
            self._offset(joint, child, offset)

    def _word(self, motion: JointType, owner: str) -> str:
        word = GENERALIZED if type(motion) is Generalized else word_of(motion)
        if word is None:
            raise ModelError(f"{owner}: URDF has no word for a joint of the class {type(motion).__name__}: give it "
                             "another joint, like lp.Generalized")
        if word not in OF_URDF and owner.startswith("joint"):
            self.own_words.setdefault(f'joint type="{word}"', []).append(owner[7:-1])
        return word

    def _motion(self, tag: Tag, motion: JointType, axis: tuple[float, float, float] | None = None) -> None:
        """The axes of a joint or loop."""
        if isinstance(motion, Generalized):
            return  # its freedoms say it
        taken = takes(word_of(motion) or "")
        first = axis or getattr(motion, "axis", None) or getattr(motion, "first", None)
        if "axis" in taken:
            zero, pitch = getattr(motion, "zero", 0.0), getattr(motion, "pitch", None)
            tag.add("axis", xyz=numbers_text(axis_numbers(first or (0.0, 0.0, 1.0))),
                    zero=number_text(zero) if zero else None,
                    pitch=None if pitch is None else number_text(pitch))
        if "second" in taken:
            tag.add("second_axis", xyz=numbers_text(axis_numbers(motion.second)))  # type: ignore[attr-defined]

    def _offset(self, joint: Joint, frame: str, offset: Pose) -> None:
        """The link on a frame without mass, which the joint moves."""
        self.root.add("link", name=_name(frame))
        weld = self._free_name(f"{joint.child}_offset", self.joint_names)
        tag = self.root.add("joint", name=_name(weld), type="fixed", link_offset="true")
        tag.add("parent", link=_name(frame))
        tag.add("child", link=_name(joint.child))
        _origin(tag, offset)

    # What belongs to each speed

    def _speeds(self, tag: Tag, joint: Joint, word: str) -> None:
        motion = joint.motion
        several = motion.dof > 1
        for k in range(motion.dof):
            inside = tag
            if isinstance(motion, Generalized):
                inside = tag.add("freedom", **_freedom(motion, k))
            elif several:
                inside = Tag("freedom", {"label": motion.labels[k]})
            self._limit(inside, joint.limits[k], word, joint)
            _dynamics(inside, joint.viscous_friction[k], joint.coulomb_friction[k])
            if joint.reflected_inertia[k] or joint.gear_ratio[k] != 1.0:
                side = "armature" if joint.armature[k] else "rotor_inertia"
                inside.add("drive", ratio=number_text(joint.gear_ratio[k]),
                           **{side: number_text(getattr(joint, side)[k])})
                self.own_words.setdefault("<drive> with rotor inertia and gear ratio", []).append(joint.name)
            if several and not isinstance(motion, Generalized) and inside.children:
                tag.children.append(inside)
        if any(entry is not None for entry in joint.stribeck):
            self.own_words.setdefault("stribeck", []).append(joint.name)
        if any(joint.springs):
            self.own_words.setdefault("springs", []).append(joint.name)

    def _limit(self, tag: Tag, limits: Limits, word: str, joint: Joint) -> None:
        if limits == Limits() and word not in ("revolute", "prismatic"):
            return
        bounds = {part: number_text(max(-LARGEST_NUMBER, min(LARGEST_NUMBER, getattr(limits, part))))
                  for part in ("lower", "upper", "velocity", "effort")}
        if word == "continuous":
            if math.isfinite(limits.lower) or math.isfinite(limits.upper):
                self.lost.append(f"limits {limits.lower:g} to {limits.upper:g} of joint '{joint.name}': a continuous "
                                 "joint has none in URDF")
            bounds = {part: bounds[part] for part in ("velocity", "effort")}
        tag.add("limit", **bounds)

    # What closes it

    def _independent(self, joint: Joint) -> str | None:
        """Whether a joint of a robot with loops is driven, if the robot says so of some."""
        if not (self.read.loops or self.read.couplings):
            return None  # in a tree no joint depends on others: its drives are named
        if not self.read.drives or not joint.motion.dof or joint.mimic is not None:
            return None
        return "true" if any(speed in self.read.drives for speed in _speed_names(joint)) else "false"

    def _driven(self) -> None:
        """The drives by name, where whole joints in the order of the file do not tell them."""
        driven = self.read.drives
        joints = [joint for joint in self.robot.joints if self._independent(joint) == "true"]
        told = [speed for joint in joints for speed in _speed_names(joint)]
        if driven and list(driven) != told:
            tag = self.root.add("driven")
            for speed in driven:
                tag.add("term", speed=_name(speed))

    def _near(self) -> dict[str, str]:
        slices = self.robot.q_slices if self.read.near else {}
        own = {joint.name for joint in self.robot.joints if joint.mimic is None}
        return {name: numbers_text(self.read.near[place]) for name, place in slices.items() if name in own}

    def _loop(self, loop: Loop) -> None:
        tag = self.root.add("loop", name=_name(loop.name), type=self._word(loop.motion, f"loop '{loop.name}'"))
        for side, link, pose in (("predecessor", loop.first, loop.at), ("successor", loop.second, loop.on)):
            _origin(tag.add(side, link=_name(link)), pose)
        self._motion(tag, loop.motion)
        if isinstance(loop.motion, Generalized):
            for k in range(loop.motion.dof):
                tag.add("freedom", **_freedom(loop.motion, k))

    def _coupling(self, coupling: Coupling) -> None:
        offset = number_text(coupling.offset) if coupling.offset else None
        tag = self.root.add("coupling", name=_name(coupling.name), offset=offset)
        for speed, factor in coupling.ratios:
            tag.add("term", speed=_name(speed), factor=number_text(factor))

    # What is lost

    def _report(self) -> None:
        for what, name in (("stribeck", "friction near standstill (Stribeck)"), ("springs", "springs")):
            if joints := self.own_words.pop(what, []):
                self.lost.append(f"{name} of {named(joints)}: URDF has no word for it")
        if self.robot.gravity != STANDARD_GRAVITY:
            self.lost.append(f"gravity {tuple(self.robot.gravity)}: URDF has no word for it, readers take their own")
        for what, joints in self.own_words.items():
            self.lost.append(f"{named(joints)}: {what} is read by Loadpath alone")
        closing = [*(loop.name for loop in self.read.loops), *(coupling.name for coupling in self.read.couplings)]
        if closing:
            self.lost.append(f"{named(closing)}: loops and couplings are read by Loadpath; most readers of URDF get "
                             "the open tree")

    def _free_name(self, wanted: str, taken: set[str]) -> str:
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        taken.add(name)
        return name


def _speed_names(joint: Joint) -> list[str]:
    return [f"{joint.name}.{label}" if label else joint.name for label in joint.motion.labels]


def _same(a: Pose, b: Pose) -> bool:
    return all(abs(x - y) < 1e-15 for row, other in zip(a.rotation, b.rotation, strict=True)
               for x, y in zip(row, other, strict=True))


def _name(text: str) -> str:
    """A name that can be read again."""
    if _XACRO.search(text):
        raise ModelError(f"name '{text}' has an expression of xacro in it, which readers of URDF would take for one: "
                         "give it another name")
    return text


def _origin(tag: Tag, pose: Pose) -> None:
    if pose == _NO_POSE:
        return
    angles = roll_pitch_yaw(pose)
    tag.add("origin", xyz=numbers_text(pose.translation), rpy=numbers_text(angles) if any(angles) else None)


def _inertial(tag: Tag, inertia: Inertia) -> None:
    inside = tag.add("inertial")
    _origin(inside, Pose(translation=inertia.center_of_mass))
    inside.add("mass", value=number_text(inertia.mass))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor
    moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    inside.add("inertia", **{name: number_text(value) for name, value in moments.items()})


def _dynamics(tag: Tag, damping: float, friction: float) -> None:
    if damping or friction:
        tag.add("dynamics", damping=number_text(damping) if damping else None,
                friction=number_text(friction) if friction else None)


def _freedom(motion: Generalized, k: int) -> dict[str, str | None]:
    turns = motion.angular[k]
    freedom = Freedom(turns, (motion.turns if turns else motion.slides)[k if turns else k - len(motion.turns)])
    if isinstance(freedom.given, str):
        return {"value": freedom.given}
    return {"type": freedom.given[0], "xyz": numbers_text(axis_numbers(freedom.axis))}
