"""A robot as the text of an SDF file, so that reading it gives the same robot back.

Every joint is placed in its parent's frame and every link in that of its joint, with the numbers that the robot has.
The base is bolted to the world by a joint that is marked as such. Gravity other than 9.81 m/s^2 downwards needs a
world: the model is then written into one. Names that SDF does not allow are changed, and kept in an attribute.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loadpath.files.contract import ReadRobot, Written, lost_everywhere, not_written
from loadpath.files.joint_steps import JointStep
from loadpath.files.sdf.frames import AGAINST, BASE, COUPLING, FREE, NAME, NAMESPACE, PREFIX, WORLD, Names, remembered
from loadpath.files.sdf.joints import JointWriter, placed_at
from loadpath.files.sdf.links import put, put_pose, write_link
from loadpath.files.sdf.words import steps_of
from loadpath.files.xml_writing import Tag, number_text, numbers_text, xml_text
from loadpath.robot.joints import Free
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import STANDARD_GRAVITY, RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import MeshShape

VERSION, WITH_MIMICS = "1.9", "1.11"
_DRAKE = "http://drake.mit.edu"


def sdf_of(robot: RobotModel) -> Written:
    """A robot (also one with loops) as SDF, and sentences on what SDF cannot say.

    >>> from loadpath.robot.catalog import planar
    >>> print(sdf_of(planar(2)).text.split("<link")[2].split("</link>")[1].rsplit("<link")[0].rstrip())
    <BLANKLINE>
        <joint name="joint2" type="revolute">
          <parent>link1</parent>
          <child>link2</child>
          <axis>
            <xyz>0 0 1</xyz>
          </axis>
          <pose relative_to="link1">1 0 0 0 0 0</pose>
        </joint>
    """
    return _Writer(robot).written()


class _Writer:
    """Puts the file together."""

    def __init__(self, robot: RobotModel) -> None:
        self.read = ReadRobot.of(robot)
        self.robot = robot
        names = Names()
        self.model = Tag("model")
        self.joints = JointWriter(self.model, names)
        self.names = names
        # The world itself is no link of SDF; nor is that against which a free base moves.
        base = robot.base
        plain = base.inertia.is_zero and not base.shapes
        children = [joint for joint in robot.joints if joint.parent == base.name]
        ends = {link for loop in self.read.loops for link in (loop.first, loop.second)}
        self.free = _free_base(children, plain and base.name not in ends)
        self.on_world = self.free is not None or (plain and base.name == WORLD and bool(children))
        self.links = {base.name: WORLD} if self.on_world else {}
        self.links |= {link.name: names.give(link.name, "link") for link in robot.links if link.name not in self.links}
        self.start = self._start()

    def written(self) -> Written:
        robot = self.robot
        if not self.on_world:
            write_link(self.model, robot.base, self.links[robot.base.name])
            self._bolt(self.links[robot.base.name])
        for joint in robot.joints:
            self._write_branch(joint)
        for loop in self.read.loops:
            self._write_loop(loop)
        for joint in robot.joints:
            if joint.mimic is not None:
                mimic = joint.mimic
                moved = self._q(joint)[0] - mimic.multiplier * self._q(robot.joint(mimic.joint))[0]
                self._follow(joint.name, mimic.joint, mimic.multiplier, mimic.offset - moved)
        for coupling in self.read.couplings:
            self._write_coupling(coupling)
        name = robot.name.replace("::", "_")
        self.model.attributes = {"name": name, NAME: remembered(name, robot.name)}
        return Written(xml_text(self._root()), (*lost_everywhere(robot), *self.joints.lost, *self._lost()))

    def _root(self) -> Tag:
        everything = [self.model]
        for tag in everything:
            everything += tag.children
        version = WITH_MIMICS if any(tag.tag == "mimic" for tag in everything) else VERSION
        root = Tag("sdf", {"version": version})
        if self.joints.rotors:
            root.attributes["xmlns:drake"] = _DRAKE
        if any(name.startswith(f"{PREFIX}:") and value for tag in everything for name, value in tag.attributes.items()):
            root.attributes[f"xmlns:{PREFIX}"] = NAMESPACE
        if self.robot.gravity == STANDARD_GRAVITY:
            root.children.append(self.model)
        else:
            world = root.add("world", name=WORLD)
            put(world, "gravity", numbers_text(self.robot.gravity))
            world.children.append(self.model)
        return root

    def _bolt(self, link: str) -> None:
        name = self.names.give(f"{link}_to_world", "joint")
        bolt = self.model.add("joint", name=name, type="fixed")
        bolt.attributes[BASE] = "true"
        put(bolt, "parent", WORLD)
        put(bolt, "child", link)

    def _write_branch(self, joint: Joint) -> None:
        """A joint and the link that it carries."""
        child = self.robot.link(joint.child)
        name = self.links[child.name]
        if joint is self.free:
            tag = write_link(self.model, child, name)
            tag.attributes |= {FREE: joint.name, AGAINST: remembered(WORLD, joint.parent)}
            put_pose(tag, joint.origin @ joint.link_offset)
            return
        frame, pose = self.joints.write(joint, self.links[joint.parent], name, self._q(joint))
        put_pose(write_link(self.model, child, name), pose, frame)

    # What closes the tree

    def _start(self) -> np.ndarray:
        """The coordinates at which the file shows the robot: zero, or where its loops are closed."""
        neutral = self.robot.neutral()
        if not self.read.loops or self._closed(neutral):
            return neutral
        home: np.ndarray = self.robot.home  # type: ignore[attr-defined]
        return home

    def _closed(self, q: np.ndarray) -> bool:
        poses = {self.robot.base.name: Pose()}
        for joint in self.robot.joints:
            moved = placed_at(joint.motion, self._at(joint, q))
            poses[joint.child] = poses[joint.parent] @ joint.origin @ moved @ joint.link_offset
        for loop in self.read.loops:
            at, on = poses[loop.first] @ loop.at, poses[loop.second] @ loop.on
            if np.abs(at.matrix - on.matrix).max() > 1e-9:
                return False
        return True

    def _at(self, joint: Joint, q: np.ndarray) -> tuple[float, ...]:
        if not joint.motion.dof:
            return ()
        own = q[self.robot.q_slices[joint.name]]
        if joint.mimic is not None:
            mimic = self.robot.mimic_of(joint)
            own = mimic.multiplier * own + mimic.offset
        return tuple(own.tolist())

    def _q(self, joint: Joint) -> tuple[float, ...]:
        """Where a joint is when the file's coordinates are zero."""
        if not self.read.loops:
            return joint.motion.neutral()
        return self._at(joint, self.start)

    def _write_loop(self, loop: Loop) -> None:
        steps = steps_of(loop.motion, f"loop '{loop.name}'")
        if len(steps) > 1:
            self.joints.lost.append(f"loop '{loop.name}' is closed by a {type(loop.motion).__name__} joint, which SDF "
                                    "has no word for: it is left open")
            return
        name = self.names.give(loop.name, "joint")
        at_zero = loop.motion.neutral()
        first, second = self.links[loop.first], self.links[loop.second]
        tag = self.joints.element(JointStep(loop.motion), name, first, second, at_zero)
        tag.attributes[NAME] = remembered(name, loop.name)
        put_pose(tag, loop.on, second)
        put(tag.add("physics").add("simbody"), "must_be_loop_joint", "true")

    def _follow(self, follower: str, leader: str, multiplier: float, offset: float, coupling: str = "") -> None:
        axis = self.joints.axes[follower]
        mimic = axis.add("mimic", joint=self.joints.written[leader], axis=self.joints.axes[leader].tag)
        mimic.attributes[COUPLING] = coupling
        for word, value in (("multiplier", multiplier), ("offset", offset), ("reference", 0.0)):
            put(mimic, word, number_text(value))

    def _write_coupling(self, coupling: Coupling) -> None:
        """A ratio between two speeds, as one that follows the other."""
        pairs = [(speed, factor) for speed, factor in coupling.ratios if factor]
        known = all(speed in self.joints.axes for speed, _ in pairs)
        if len(pairs) != 2 or not known:
            what = f"of {len(pairs)} speeds" if known else "of a joint that SDF has no word for"
            self.joints.lost.append(f"coupling '{coupling.name}' {what}: SDF has a word for those of two axes only")
            return
        (leader, a), (follower, b) = pairs
        free = next(((x, y) for x, y in ((pairs[0], pairs[1]), (pairs[1], pairs[0]))
                     if not any(tag.tag == "mimic" for tag in self.joints.axes[y[0]].children)), None)
        if free is None:
            self.joints.lost.append(f"coupling '{coupling.name}': both of its joints follow others already")
            return
        (leader, a), (follower, b) = free
        shift = sum(factor * self._coordinate(speed) for speed, factor in pairs)
        self._follow(follower, leader, -a / b, (coupling.offset - shift) / b, coupling.name)

    def _coordinate(self, speed: str) -> float:
        """Where a speed's coordinate is when the file's is zero."""
        for joint in self.robot.joints:
            for k, label in enumerate(joint.motion.labels):
                if speed == (f"{joint.name}.{label}" if label else joint.name) and joint.motion.dof:
                    return self._q(joint)[k]
        return 0.0

    def _lost(self) -> list[str]:
        found = []
        if self.read.loops and not np.array_equal(self.start, self.robot.neutral()):
            found.append("coordinates: in SDF they are zero where the file shows the robot, which is where its loops "
                         "are closed")
        elif self.read.loops and not np.array_equal(self.start, self.robot.home):  # type: ignore[attr-defined]
            found.append("home: SDF does not say where to look for closed loops; they are closed at zero, too")
        elif self.read.near and not self.read.loops:
            found.append(f"home {tuple(self.read.near)}: SDF has no word for it")
        for link in self.robot.links:
            for shape in link.shapes:
                found += not_written(shape, link) if isinstance(shape, MeshShape) else []
        if self.read.drives:
            found.append(f"drives at {', '.join(self.read.drives)}: SDF does not say which joints are driven")
        return found


def _free_base(children: Sequence[Joint], plain: bool) -> Joint | None:
    """The joint of a robot whose base moves freely against a link that is the world."""
    if plain and len(children) == 1 and type(children[0].motion) is Free:
        return children[0]
    return None
