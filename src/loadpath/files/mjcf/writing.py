"""A robot as the text of an MJCF file.

What MJCF has no word for and MuJoCo need not know stays in a custom text (see `remembered`). What changes the motion
and cannot be written is an error where the mechanism would be another one (a loop that is no ball, hinge or weld), and
otherwise a sentence in `lost`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loadpath.errors import ModelError
from loadpath.files.mjcf.body_writing import BodyWriter
from loadpath.files.mjcf.names import unique
from loadpath.files.mjcf.places import quaternion_of
from loadpath.files.mjcf.remembered import NAME
from loadpath.files.read_robot import ReadRobot
from loadpath.files.written import Written, lost_everywhere, named
from loadpath.files.xml_writing import Tag, number_text, numbers_text, xml_text
from loadpath.robot.joints import Fixed, Revolute, Spherical
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.robot.pose import Pose

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
