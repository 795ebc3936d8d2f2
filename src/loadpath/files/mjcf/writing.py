"""A robot as the text of an MJCF file.

What MJCF has no word for and MuJoCo need not know stays in a custom text (see `remembered`). What changes the motion
and cannot be written is an error where the mechanism would be another one (a loop that is no ball, hinge or weld), and
otherwise a sentence in `lost`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.contract import ReadRobot, Written, lost_everywhere, named
from loadpath.files.mjcf.joints import WORLD, simple_joints, speed_attributes, unique
from loadpath.files.mjcf.remembered import NAME, Remembered, quaternion_of
from loadpath.files.mjcf.shapes import MeshAssets, write_shape
from loadpath.files.xml_writing import Tag, number_text, numbers_text, xml_text
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Continuous, Fixed, Free, Revolute, Spherical
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose

# Bodies of an MJCF file from the links and joints of a robot.
#
# A link without mass and shape between two joints is no body of its own, as MuJoCo refuses moving bodies without mass:
# the joints before and after it become several joints of one body.


_SMALLEST_MASS = 1e-15
_SAME_PLACE = 1e-12
"""m, rad."""


class _Step(NamedTuple):
    """A joint on the way from one body to the next, and where its frame sits in the new body."""

    joint: Joint
    frame: Pose


@dataclass
class BodyWriter:
    """Writes the tree of bodies; keeps what is found on the way."""

    read: ReadRobot
    world: Tag
    asset: Tag
    equality: Tag
    remembered: Remembered = field(default_factory=Remembered)
    lost: list[str] = field(default_factory=list)
    sites: set[str] = field(default_factory=set)
    single: list[str] = field(default_factory=list)
    """Joints of one speed that are written by their own names and follow no other."""

    refs: dict[str, float] = field(default_factory=dict)
    """Coordinates of the written joints where the robot is as written."""

    screws: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Of slides that are written for a screw: the hinge that they follow, and the pitch (m per rad)."""

    recounted: set[str] = field(default_factory=set)
    """Joints whose coordinates are others in MJCF."""

    def __post_init__(self) -> None:
        robot = self.read.tree
        self._children: dict[str, list[Joint]] = {link: [] for link in robot.link_names}
        for joint in robot.joints:
            self._children[joint.parent].append(joint)
        self._ends = {link for loop in self.read.loops for link in (loop.first, loop.second)}
        self._bodies: dict[str, Tag] = {}
        self._meshes = MeshAssets(self.asset, self.lost)
        self._taken = set(robot.link_names) | {WORLD}
        self._followers: list[Joint] = []
        self._written: list[str] = []
        self._moved_frames: list[str] = []
        self._several: dict[tuple[str, int], list[str]] = {}  # joints by their kind and by how many they are written as

    def body(self, link: str) -> Tag:
        """The element of a link."""
        return self._bodies[link]

    def write(self) -> None:
        """All bodies, parents first."""
        robot = self.read.tree
        base = robot.base
        free = any(isinstance(joint.motion, Free) for joint in self._children[base.name])
        if base.inertia.is_zero and (base.name == WORLD or free):
            self._bodies[base.name] = self.world
            self._add_shapes(self.world, base)
            if base.name != WORLD:
                self.remembered.links[WORLD] = base.name
        else:
            tag = self.world.add("body", name=self._name(base.name))
            self._bodies[base.name] = tag
            self._fill(tag, base, moving=False)
            self.remembered.base = base.name
        waiting = list(reversed(self._children[base.name]))
        while waiting:
            last = self._write_body(waiting.pop())
            waiting += reversed(self._children[last])
        for joint in self._followers:
            self._write_follower(joint)
        if self._written != list(robot.joint_names):
            self.remembered.order = list(robot.joint_names)

    def _name(self, link: str) -> str:
        """The name of a body: MuJoCo keeps one for itself."""
        if link != WORLD:
            return link
        name = unique("world_link", self._taken)
        self.remembered.links[name] = link
        return name

    # Bodies

    def _write_body(self, joint: Joint) -> str:
        """The body at the end of a joint, or of several with nothing between; returns the link that it is."""
        robot = self.read.tree
        joints = [joint]
        while self._passed_over(joints[-1]):
            joints += self._children[joints[-1].child]
        link = robot.link(joints[-1].child)
        # From the last joint backwards: where each joint's frame sits in the new body, as it is written.
        steps: list[_Step] = []
        from_body = Pose()
        for each in reversed(joints):
            if np.abs(from_body.matrix - np.eye(4)).max() > _SAME_PLACE:
                self._moved_frames.append(each.child)
            from_body = from_body @ each.link_offset.inverse()
            steps.insert(0, _Step(each, from_body))
            from_body = from_body @ each.origin.inverse()
        place = from_body.inverse()
        in_world = joint.parent == robot.base.name
        free = in_world and isinstance(joint.motion, Free)
        parent = self.world if free else self._bodies[joint.parent]
        tag = parent.add("body", name=self._name(link.name), pos=_vector(place.translation), quat=_turn(place))
        self._bodies[link.name] = tag
        moving = any(each.motion.dof for each in joints)
        if not moving:
            self.remembered.welds[self._name(link.name)] = joint.name
        for number, step in enumerate(steps):
            self._written.append(step.joint.name)
            written = self._write_joint(tag, step, in_world=in_world and number == 0)
            if number < len(steps) - 1:
                self.remembered.links[written] = step.joint.child
        for step in steps:
            if step.frame.rotation != Pose().rotation and step.joint.motion.coordinates > step.joint.motion.dof:
                self.lost.append(f"joint '{step.joint.name}': its quaternion and angular velocity are in axes of link "
                                 f"'{link.name}' in MJCF, not in its own")
                self.recounted.add(step.joint.name)
        if free and (joint.origin != Pose() or joint.link_offset != Pose()):
            self.lost.append(f"joint '{joint.name}': its coordinates count from the world's origin in MJCF, not from "
                             "its own origin")
            self.recounted.add(joint.name)
        self._fill(tag, link, moving)
        return link.name

    def _passed_over(self, joint: Joint) -> bool:
        """Whether the link that a joint moves is nothing but a step to the next joint."""
        link, after = self.read.tree.link(joint.child), self._children[joint.child]
        bare = link.inertia.is_zero and not link.shapes and link.name not in self._ends
        return (
            bare
            and len(after) == 1
            and bool(after[0].motion.dof)
            and 0 < joint.motion.dof < 6
            and after[0].motion.dof < 6
        )

    def _fill(self, tag: Tag, link: Link, moving: bool) -> None:
        body = link.inertia
        if moving or not body.is_zero:
            attributes, turned = _inertial(body)
            tag.add("inertial", pos=_vector(body.center_of_mass) or "0 0 0", mass=number_text(body.mass), **attributes)
            moments = turned
            if moving and (body.mass < _SMALLEST_MASS or min(moments) < _SMALLEST_MASS):
                self.lost.append(f"link '{link.name}': MuJoCo refuses moving bodies without mass or with a moment of "
                                 "inertia of zero")
            elif moments[0] + moments[1] < moments[2] or (body.faults() and (moving or body.mass)):
                self.lost.append(f"link '{link.name}': MuJoCo refuses its inertia, which no real body has: see "
                                 "loadpath check --fix")
        self._add_shapes(tag, link)

    def _add_shapes(self, tag: Tag, link: Link) -> None:
        for shape in link.shapes:
            write_shape(tag, link.name, shape, self._meshes)

    # Joints

    def _write_joint(self, tag: Tag, step: _Step, in_world: bool) -> str:
        """The joints of MJCF that a joint is; returns the name of the last."""
        joint, frame = step
        name = joint.name
        simples = simple_joints(joint, in_world=in_world)
        if len(simples) > 1:
            self._several.setdefault((type(joint.motion).__name__, len(simples)), []).append(joint.name)
        for simple in simples:
            name = f"{joint.name}.{simple.label}" if simple.label else joint.name
            if simple.kind == "free":
                self._refuse_on_free(joint)
                tag.add(
                    "joint", name=name, type="free", **speed_attributes(joint, simple, name, self.remembered, self.lost)
                )
                continue
            axis = None if simple.kind == "ball" else _vector(frame.R @ np.array(simple.axis))
            given = {"type": simple.kind, "pos": _vector(frame.translation), "axis": axis,
                     "ref": number_text(simple.ref) if simple.ref else None}
            tag.add("joint", name=name, **given, **speed_attributes(joint, simple, name, self.remembered, self.lost))
            self.refs[name] = simple.ref
            if simple.pitch is not None:
                self.screws[name] = joint.name, simple.pitch
                self._follow(name, joint.name, simple.pitch, 0.0)
        if joint.motion.dof == 1:
            if joint.mimic is not None:
                self._followers.append(joint)
            else:
                self.single.append(joint.name)
            turns_round = isinstance(joint.motion, Continuous) or not joint.motion.angular[0]
            if not turns_round and math.isinf(joint.limits[0].lower) and math.isinf(joint.limits[0].upper):
                self.remembered.revolute[joint.name] = True
        return name

    def said_of_several(self) -> list[str]:
        """Sentences on joints that are written as several, and on links that become steps between those of one body."""
        free = {Free.__name__: (" below other bodies", ", in the axes of its parent")}
        found = []
        for (kind, count), joints in self._several.items():
            where, how = free.get(kind, ("", ""))
            found.append(f"{named(joints)}: MJCF has no word for {kind} joints{where}: each is written as {count} "
                         f"joints of one body{how}")
        if self._moved_frames:
            found.append(f"frames of {named(self._moved_frames)}: links without mass between two joints are no bodies "
                         "in MJCF, their frames are read back where that of the next body is")
        return found

    def _refuse_on_free(self, joint: Joint) -> None:
        if any(joint.reflected_inertia) or any(joint.coulomb_friction):
            raise ModelError(f"joint '{joint.name}': MJCF has no rotor, no dry friction in the axes of a free body: "
                             "take them off")

    def _write_follower(self, joint: Joint) -> None:
        assert joint.mimic is not None
        self._follow(joint.name, joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset)

    def _follow(self, follower: str, leader: str, factor: float, offset: float) -> None:
        """q(follower) = factor q(leader) + offset; MJCF counts both from where the robot is as written."""
        start = offset - self.refs.get(follower, 0.0) + factor * self.refs.get(leader, 0.0)
        self.equality.add("joint", joint1=follower, joint2=leader, polycoef=numbers_text((start, factor, 0, 0, 0)))


def _vector(vector: Vector3 | np.ndarray) -> str | None:
    return numbers_text(vector) if any(vector) else None


def _turn(pose: Pose) -> str | None:
    quaternion = quaternion_of(pose)
    return numbers_text(quaternion) if quaternion != (1.0, 0.0, 0.0, 0.0) else None


def _inertial(body: Inertia) -> tuple[dict[str, str | None], list[float]]:
    """Moments and axes; and the moments in rising order."""
    tensor = np.array(body.tensor)
    diagonal = np.diag(tensor)
    if not np.any(tensor - np.diag(diagonal)):
        return {"diaginertia": numbers_text(diagonal)}, sorted(diagonal.tolist())
    moments, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    turn = Pose(axes.tolist())
    return {"diaginertia": numbers_text(moments), "quat": numbers_text(quaternion_of(turn))}, moments.tolist()


_APART = 0.1
"""m: two points on the axis of a hinge that closes a loop."""


def mjcf_of(robot: RobotModel) -> Written:
    """A robot (also one with loops) as MJCF, and sentences on what MJCF cannot say.

    >>> from loadpath.robot.catalog import panda
    >>> print(mjcf_of(panda()).text.splitlines()[11].strip())
    <joint name="panda_joint1" type="hinge" axis="0 0 1" range="-2.8973 2.8973" actuatorfrcrange="-87 87"/>
    """
    read = ReadRobot.of(robot)
    root = Tag("mujoco", {"model": robot.name})
    root.add("compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    root.add("option", gravity=numbers_text(robot.gravity))
    custom, asset = root.add("custom"), root.add("asset")
    world = root.add("worldbody")
    tendon, equality, actuator = root.add("tendon"), root.add("equality"), root.add("actuator")
    bodies = BodyWriter(read, world, asset, equality)
    bodies.write()
    for loop in read.loops:
        _write_loop(loop, bodies, equality)
    for coupling in read.couplings:
        _write_coupling(coupling, bodies, tendon, equality)
    for name in _driven(read, bodies):
        actuator.add("motor", name=name, joint=name)
    if read.near:
        _write_home(read, bodies, world, root.add("keyframe"))
    if not (read.loops or read.couplings):
        bodies.remembered.passive = [name for name in robot.dof_names if read.drives and name not in read.drives]
    remembered = bodies.remembered.text()
    if remembered:
        custom.add("text", name=NAME, data=remembered)
    root.children = [child for child in root.children if child.children or child.attributes or child is world]
    return Written(xml_text(root), (*lost_everywhere(robot), *bodies.said_of_several(), *bodies.lost))


def _driven(read: ReadRobot, bodies: BodyWriter) -> Iterable[str]:
    """Joints that get a motor: those that drive the robot; of a tree of which nothing is said, all with one speed."""
    if read.loops or read.couplings or read.drives:
        return [name for name in read.drives if name in bodies.single]
    return bodies.single


def _write_home(read: ReadRobot, bodies: BodyWriter, world: Tag, keyframe: Tag) -> None:
    """The coordinates of the robot's home, those of all written joints in the order of the file."""
    at = dict(zip(read.tree.coordinate_names, read.near, strict=True))
    mimics = [(joint.name, read.tree.mimic_of(joint)) for joint in read.tree.joints if joint.mimic is not None]
    at |= {name: mimic.multiplier * at[mimic.joint] + mimic.offset for name, mimic in mimics}
    at |= {slide: pitch * at[hinge] for slide, (hinge, pitch) in bodies.screws.items()}
    joints = {str(joint.attributes["name"]): _coordinates(joint) for joint in _joints(world)}
    others = [name for name, labels in joints.items() if name in bodies.recounted or not at.keys() >= set(labels)]
    if others:
        bodies.lost.append(f"home: coordinates of {named(others)} are others in MJCF")
        return
    keyframe.add("key", name="home", qpos=numbers_text(at[label] for labels in joints.values() for label in labels))
    bodies.remembered.home = not (read.loops or read.couplings)


def _joints(world: Tag) -> Iterator[Tag]:
    """All joints that were written, in the order in which MuJoCo numbers them."""
    waiting = [world]
    while waiting:
        body = waiting.pop()
        yield from (child for child in body.children if child.tag == "joint")
        waiting += [child for child in reversed(body.children) if child.tag == "body"]


def _coordinates(joint: Tag) -> list[str]:
    """Names of the coordinates of a written joint, in the order of MuJoCo's, which has w of quaternions first."""
    place, turn = ("x", "y", "z"), ("qw", "qx", "qy", "qz")
    labels = {"ball": turn, "free": (*place, *turn)}.get(joint.attributes["type"] or "", ())
    return [f"{joint.attributes['name']}.{label}" for label in labels] or [str(joint.attributes["name"])]


def _write_loop(loop: Loop, bodies: BodyWriter, equality: Tag) -> None:
    kinds = {Spherical: "connect", Revolute: "connect", Fixed: "weld"}
    kind = next((kinds[base] for base in type(loop.motion).__mro__ if base in kinds), None)
    if kind is None:
        raise ModelError(f"loop '{loop.name}': MJCF closes loops with balls (connect), hinges (two of them), welds; "
                         f"this is a {type(loop.motion).__name__}: cut the robot open at another joint")
    _tie(loop.name, kind, loop.first, loop.at, loop.second, loop.on, bodies, equality)
    axis = loop.motion.axis_direction()
    if axis is not None:
        away = Pose(translation=_times(_APART, axis))
        _tie(f"{loop.name}.axis", kind, loop.first, loop.at @ away, loop.second, loop.on @ away, bodies, equality)


def _tie(name: str, kind: str, first: str, at: Pose, second: str, on: Pose, bodies: BodyWriter, equality: Tag) -> None:
    sites = []
    for label, link, pose in (("at", first, at), ("on", second, on)):
        site = unique(f"{name}.{label}", bodies.sites)
        bodies.sites.add(site)
        sites.append(site)
        bodies.body(link).add(
            "site", name=site, pos=numbers_text(pose.translation), quat=numbers_text(quaternion_of(pose))
        )
    equality.add(kind, name=name, site1=sites[0], site2=sites[1])


def _times(factor: float, axis: Vector3) -> Vector3:
    x, y, z = axis
    return factor * x, factor * y, factor * z


def _write_coupling(coupling: Coupling, bodies: BodyWriter, tendon: Tag, equality: Tag) -> None:
    """A fixed tendon whose length is held. MJCF counts it from where the robot is as written."""
    fixed = tendon.add("fixed", name=coupling.name)
    start = coupling.offset
    for joint, ratio in coupling.ratios:
        fixed.add("joint", joint=joint, coef=number_text(ratio))
        start -= ratio * bodies.refs.get(joint, 0.0)
    equality.add("tendon", name=coupling.name, tendon1=coupling.name, polycoef=numbers_text((start, 0, 0, 0, 0)))
