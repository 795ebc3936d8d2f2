"""Joints as `<joint>`s of SDF: axes, limits, friction, springs and rotors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loadpath.files.exact_angles import axis_numbers
from loadpath.files.joint_steps import Step
from loadpath.files.sdf.joint_kinds import WORDS, steps_of
from loadpath.files.sdf.link_writing import put, put_pose, write_inertia
from loadpath.files.sdf.naming import NAME, Names, remembered
from loadpath.files.sdf.vocabulary import GEAR_RATIO, ROTOR_INERTIA
from loadpath.files.xml_writing import Tag, number_text, numbers_text
from loadpath.robot.drive_train.springs import TorsionSpring
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import JointType, Universal
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.scalars import array


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

    def element(self, step: Step, name: str, parent: str, child: str, q: Sequence[float]) -> Tag:
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

    def _drive(self, tag: Tag, joint: Joint, step: Step, name: str, q: Sequence[float]) -> None:
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
