"""Robots from URDF files: every link, joint and inertia, and an error or a warning for all that cannot be trusted.

What of URDF counts here: `<link>` with `<inertial>`; `<joint>` of all six types with `<origin>`, `<axis>`,
`<limit>`, `<dynamics>`, `<mimic>`, and of the type "generalized" with `<freedom>` (see `joints`); `<loop>`,
`<coupling>` and `<constraint>`, which close loops (see `loops`). `<visual>`, `<collision>` and `<material>` say
what links look like (see `shapes`).
What is passed over because it says nothing on the motion of rigid bodies:
`<gazebo>`, `<safety_controller>`, `<calibration>`, sensors, and
`<transmission>`: its reduction only counts together with a rotor inertia, which URDF has no word for. On a fixed
joint `<axis>`, `<limit>`, `<dynamics>` and `<mimic>` have no effect, and on a continuous one lower and upper limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.contract import ReadRobot, report
from loadpath.files.urdf.joints import (
    GENERALIZED,
    JOINT_TYPES,
    Speeds,
    motion_of,
    read_axes,
    read_freedoms,
    read_speeds,
    refuse_freedoms,
    speeds_of,
)
from loadpath.files.urdf.loops import read_constraint, read_coupling, read_driven, read_drives, read_loop, read_near
from loadpath.files.urdf.shapes import ShapeReader
from loadpath.files.urdf.words import placed, read_origin, turn_by_zero, turn_z_to, urdf_watch
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_reading import ASK_FOR_XACRO, Node, XmlElement, read_xml
from loadpath.printable import printable
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, JointType
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link, Mimic
from loadpath.robot.pose import Pose
from loadpath.robot.tree import faults_of_links, massless_clusters, model_warnings

# A `<link>` and a `<joint>` of URDF as a Link and a Joint.


def read_link(node: Node, watch: Watch, shapes: ShapeReader) -> Link:
    """A link; without `<inertial>` it weighs nothing, as URDF says."""
    watch.look(node)
    inertial = node.child("inertial")
    return Link(node.text("name"), Inertia() if inertial is None else _inertia(inertial, watch), shapes.of(node))


def _inertia(node: Node, watch: Watch) -> Inertia:
    watch.look(node)
    mass, tensor = node.needed_child("mass"), node.needed_child("inertia")
    watch.look(mass)
    watch.look(tensor)
    moments = {name: tensor.number(name) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
    pose = read_origin(node, watch)
    with placed(mass):
        in_own_axes = Inertia.from_moments(mass.number("value"), **moments)
    with placed(node):
        return in_own_axes.seen_from(pose)


def read_joint(node: Node, watch: Watch) -> Joint:
    """A joint with its place, axis, limits, friction, drive and mimic."""
    watch.look(node)
    kind = node.text("type")
    if kind == GENERALIZED:
        return _generalized_joint(node, watch)
    if kind not in JOINT_TYPES:
        node.fail(f"type is '{kind}': expected one of {', '.join((*JOINT_TYPES, GENERALIZED))}")
    parent, child = node.needed_child("parent"), node.needed_child("child")
    watch.look(parent)
    watch.look(child)
    axes = read_axes(node, watch, kind)
    with placed(node):
        motion = motion_of(kind, axes)
    refuse_freedoms(node, kind, motion)
    speeds, mimic = read_speeds(node, watch, kind, motion), _mimic(node, watch)
    origin, link_offset = read_origin(node, watch), Pose()
    if kind == "planar":
        turn = turn_z_to(axes.axis)
        origin, link_offset = origin @ turn, turn.inverse()
    if axes.zero:
        origin = origin @ turn_by_zero(motion).inverse()
    with placed(node):
        return _joint(node, motion, speeds, origin, link_offset, mimic if motion.dof else None)


def _generalized_joint(node: Node, watch: Watch) -> Joint:
    """A joint of chosen freedoms, each with its own limits, friction and drive."""
    parent, child = node.needed_child("parent"), node.needed_child("child")
    watch.look(parent)
    watch.look(child)
    read = read_freedoms(node, watch)
    for tag in ("limit", "dynamics", "drive", "mimic"):
        found = node.child(tag)
        if found is not None and not (tag == "mimic" and read.motion.dof == 1):
            found.fail(f"<{tag}> of a generalized joint does not say for which of its freedoms it is: "
                       + ("only a joint with one freedom can follow another" if tag == "mimic"
                          else f"write it into the <freedom>, like <freedom value=\"rz\"> <{tag} .../> </freedom>")
                       )
    speeds = speeds_of(list(read.nodes), watch, GENERALIZED)
    with placed(node):
        return _joint(node, read.motion, speeds, read_origin(node, watch), Pose(), _mimic(node, watch))


def _joint(
    node: Node, motion: JointType, speeds: Speeds, origin: Pose, link_offset: Pose, mimic: Mimic | None
) -> Joint:
    return Joint(
        node.text("name"),
        node.needed_child("parent").text("link"),
        node.needed_child("child").text("link"),
        motion,
        origin,
        link_offset,
        viscous_friction=speeds.viscous,
        coulomb_friction=speeds.coulomb,
        rotor_inertia=speeds.rotor,
        gear_ratio=speeds.ratio,
        armature=speeds.armature,
        limits=speeds.limits,
        mimic=mimic,
    )


def _mimic(node: Node, watch: Watch) -> Mimic | None:
    mimic = node.child("mimic")
    if mimic is None:
        return None
    watch.look(mimic)
    return Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))


# Link offsets in a URDF: a link whose frame is not that of its joint after the motion, as in standard DH tables.
#
# URDF has no word for it, but it has welds: the joint moves a frame without mass, and a weld holds the link on it. So
# every reader places the link right, and this one takes the two for one joint again where the weld says so:
#
#     <joint name="joint1" type="revolute"> <child link="link1_at_joint1"/> ... </joint>
#     <link name="link1_at_joint1"/>
#     <joint name="link1_offset" type="fixed" link_offset="true">
#       <parent link="link1_at_joint1"/> <child link="link1"/> <origin xyz="0.4 0 0"/>
#     </joint>


@dataclass(frozen=True)
class Parts:
    """Links and joints of a file with their elements."""

    links: list[Link]
    link_nodes: list[Node]
    joints: list[Joint]
    joint_nodes: list[Node]


def with_link_offsets(parts: Parts) -> Parts:
    """The same with every weld that is a link offset taken into the joint before it."""
    marked = [k for k, node in enumerate(parts.joint_nodes) if _is_marked(node)]
    if not marked:
        return parts
    joints = list(parts.joints)
    gone_links: set[str] = set()
    by_child = {joint.child: k for k, joint in enumerate(joints)}
    bare = {link.name for link in parts.links if link.inertia.is_zero and not link.shapes}
    for k in marked:
        node, weld = parts.joint_nodes[k], joints[k]
        if not isinstance(weld.motion, Fixed):
            node.fail('link_offset="true" is of a fixed joint, and this one moves')
        held = [joint.name for joint in joints if joint.parent == weld.parent]
        if weld.parent not in by_child or weld.parent not in bare or held != [weld.name]:
            node.fail(f"link_offset=\"true\", but its parent link '{weld.parent}' is more than a frame between two "
                      "joints: expected one without mass and shape, that a joint moves, with this child alone")
        before = by_child[weld.parent]
        moved = joints[before]
        joints[before] = replace(moved, child=weld.child, link_offset=moved.link_offset @ weld.origin)
        gone_links.add(weld.parent)
    kept = [k for k in range(len(joints)) if k not in marked]
    stay = [k for k, link in enumerate(parts.links) if link.name not in gone_links]
    return Parts(
        [parts.links[k] for k in stay],
        [parts.link_nodes[k] for k in stay],
        [joints[k] for k in kept],
        [parts.joint_nodes[k] for k in kept],
    )


def _is_marked(node: Node) -> bool:
    if "link_offset" not in node.element.attributes:
        return False
    written = node.text("link_offset")
    if written not in ("true", "false"):
        node.fail(f"link_offset is '{written}': expected true or false")
    return written == "true"


_OTHER_FORMATS = {"mujoco": " (this is MJCF)", "sdf": " (this is SDF)", "COLLADA": " (this is a mesh)"}


def without_loops(read: ReadRobot, source: str) -> RobotModel:
    """The tree of links of a robot without loops."""
    if read.loops or read.couplings:
        named = ", ".join(repr(name) for name in [*(k.name for k in read.loops), *(k.name for k in read.couplings)])
        raise ModelError(f"{source}: the robot has loops or couplings, {named}, and is no tree: lp.load reads it")
    return read.tree


def parse_urdf(text: str | bytes, source: str = "<string>", strict: bool = False) -> RobotModel:
    """A robot from the text of a URDF file; `source` names it in messages. Otherwise as `read_urdf`, but
    with loops it is refused.

    >>> arm = parse_urdf('''
    ... <robot name="pendulum">
    ...   <link name="base"/>
    ...   <link name="rod">
    ...     <inertial>
    ...       <origin xyz="0 0 -0.5"/> <mass value="2"/>
    ...       <inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    ...     </inertial>
    ...   </link>
    ...   <joint name="hinge" type="continuous">
    ...     <parent link="base"/> <child link="rod"/> <axis xyz="0 1 0"/> <dynamics damping="0.1"/>
    ...   </joint>
    ... </robot>''')
    >>> arm.joint("hinge").motion, arm.joint("hinge").viscous_friction, arm.link("rod").inertia.mass
    (Continuous(axis=(0.0, 1.0, 0.0), zero=0.0), (0.1,), 2.0)
    >>> parse_urdf("<robot name='r'><link name='a'/><link name='a'/></robot>", source="arm.urdf")
    Traceback (most recent call last):
    loadpath.errors.ModelError: arm.urdf, line 1: link 'a': duplicate name: there is one already, line 1
    """
    return without_loops(read_urdf(text, source, strict).whole(), source)


def read_urdf(
    text: str | bytes, source: str = "<string>", strict: bool = False, assets: Assets | None = None
) -> ReadRobot:
    """A robot from the text of a URDF file, with its loops.

    The link without a parent is the base, fixed in the world. Damping and friction of `<dynamics>` become viscous
    and Coulomb friction. The module's first lines say what counts and what is passed over.

    A planar joint slides in the plane across its axis and turns about it. Its x and y are those of the joint frame,
    carried along by the smallest turn that takes z to the axis (half a turn about x if the axis is -z).

    Args:
        text: the content of the file.
        source: its name in messages.
        strict: refuse what is otherwise reported in a `ModelWarning` and kept as given (impossible inertias, moving
            links without mass, words URDF does not know near what counts).
        assets: finds its meshes.

    Raises:
        ModelError: the robot is wrong; the message names the file, the line, the link or joint and the value.
    """
    root = _root(text, source)
    watch = urdf_watch()
    watch.look(root)
    name = root.text("name")
    link_nodes = [replace(node, owner=f"link '{node.text('name')}'") for node in root.children("link")]
    joint_nodes = [replace(node, owner=f"joint '{node.text('name')}'") for node in root.children("joint")]
    closing = [
        replace(node, owner=f"{tag} '{node.text('name')}'")
        for tag in ("loop", "constraint", "coupling")
        for node in root.children(tag)
    ]
    _refuse_second_names(link_nodes)
    _refuse_second_names(joint_nodes)
    _refuse_names_of_joints(closing, joint_nodes)
    shapes = ShapeReader(root, assets or Assets())
    links = [read_link(node, watch, shapes) for node in link_nodes]
    joints = [read_joint(node, watch) for node in joint_nodes]
    parts = with_link_offsets(Parts(links, link_nodes, joints, joint_nodes))
    links, link_nodes, joints, joint_nodes = parts.links, parts.link_nodes, parts.joints, parts.joint_nodes
    read = {"loop": read_loop, "constraint": read_constraint}
    loops = [read[node.tag](node, watch) for node in closing if node.tag in read]
    couplings = [read_coupling(node, watch, joints) for node in closing if node.tag == "coupling"]
    drives = read_driven(root, watch) or (read_drives(joint_nodes, joints, watch) if closing else ())
    if not closing:
        _note_independent(joint_nodes, watch)
    _note_unread_rotors(root, watch)
    about_tree = model_warnings(links, joints)
    about_model = model_warnings(links, joints, closed=True) if closing else about_tree
    try:
        robot = RobotModel(name, tuple(links), tuple(joints), known_faults=frozenset(about_tree))
    except ModelError as problem:
        line = next((node.line for node in joint_nodes + link_nodes if node.owner in str(problem)), "")
        raise ModelError(f"{source}{line}: {printable(str(problem))}") from None
    forgotten = _forgotten_inertias(link_nodes, links, joints)
    if forgotten:
        about_model = faults_of_links(links)  # that they have no mass is said otherwise
    _refuse_unknown_links(closing, loops, robot)
    report(source, about_model + watch.warnings(), strict)
    shapes.report(source)
    near = read_near(joint_nodes, robot)
    return ReadRobot(robot, tuple(loops), tuple(couplings), drives, near, watch.left_out(), forgotten)


def _root(text: str | bytes, source: str) -> Node:
    """The `<robot>` element, or why there is none."""
    root = Node(read_xml(text, source), "robot", source)
    for element in root.element.everything():
        if element.tag.startswith("xacro:"):
            replace(root, element=element).fail(f"<{element.tag}> is xacro, {ASK_FOR_XACRO}")
    if root.tag != "robot":
        root.fail(f"the root element is <{root.tag}>{_OTHER_FORMATS.get(root.tag, '')}: expected <robot>")
    return root


def _refuse_second_names(nodes: list[Node]) -> None:
    """No two links and no two joints may have the same name."""
    first: dict[str, Node] = {}
    for node in nodes:
        earlier = first.setdefault(node.owner, node)
        if earlier is not node:
            node.fail(f"duplicate name: there is one already{earlier.line}")


def _refuse_names_of_joints(nodes: list[Node], joints: list[Node]) -> None:
    """Loops and couplings are asked for by name, as joints are."""
    taken = {node.element.attributes["name"]: node for node in joints}
    for node in nodes:
        earlier = taken.setdefault(node.text("name"), node)
        if earlier is not node:
            node.fail(f"duplicate name: {earlier.owner} has it already{earlier.line}")


def _refuse_unknown_links(nodes: list[Node], loops: list[Loop], robot: RobotModel) -> None:
    for node, loop in zip(nodes, loops, strict=False):  # couplings come last
        for link in (loop.first, loop.second):
            with placed(node):
                try:
                    robot.link(link)
                except ValueError as problem:
                    raise ModelError(str(problem)) from None


def _forgotten_inertias(nodes: list[Node], links: list[Link], joints: list[Joint]) -> tuple[tuple[str, str], ...]:
    """A moving link with a shape and no `<inertial>` was forgotten. Bare frames between joints are in use, and so are
    masses written as zero: these are only reported.
    """
    by_name = dict(zip((link.name for link in links), nodes, strict=True))
    found = []
    for joint, cluster in massless_clusters(links, joints):
        moved = [by_name[link] for link in cluster]
        shaped = [node for node in moved if node.children("visual") or node.children("collision")]
        if shaped and not any(node.children("inertial") for node in moved):
            said = f"no <inertial>, though joint '{joint.name}' moves it: expected a mass and an inertia"
            found.append((shaped[0].text("name"), printable(f"{shaped[0].place}: {said}")))
    return tuple(found)


def _note_independent(nodes: list[Node], watch: Watch) -> None:
    """Without loops all joints are independent: another word for them is not used."""
    for node in nodes:
        if "independent" in node.element.attributes:
            watch.note(f"{node.owner}: independent is written, but there is no <loop> and no <coupling>: not used")


def _note_unread_rotors(root: Node, watch: Watch) -> None:
    """Rotor inertias, as some tools write them into transmissions, are no URDF and not read: say so."""
    for transmission in root.children("transmission"):
        for element in transmission.element.everything():
            if element.tag.lower().replace("_", "").endswith(("rotorinertia", "motorinertia")):
                owner = f"transmission '{transmission.element.attributes.get('name', '')}'"
                watch.note(
                    f"{owner}: <{element.tag}> is not known to URDF and not used: set rotor_inertia of the joint"
                )


# All that is wrong with a URDF file, not only the first thing: for those who want to mend it.


T = TypeVar("T")


@dataclass(frozen=True)
class ReadableParts:
    """The links and joints of a file that can be read, and why the others cannot."""

    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    problems: tuple[str, ...]
    """A sentence each, with file, line and owner."""


def readable_parts(root: XmlElement, source: str, assets: Assets) -> ReadableParts:
    """What can be read of a file, element by element."""
    robot = Node(root, "robot", source)
    problems: list[str] = []
    watch = urdf_watch()
    _tried(lambda: watch.look(robot), problems)
    shapes = ShapeReader(robot, assets)
    links = _parts(robot, "link", lambda node: read_link(node, watch, shapes), problems)
    joints = _parts(robot, "joint", lambda node: read_joint(node, watch), problems)
    problems += _misplaced(robot, joints)
    return ReadableParts(tuple(links), tuple(joints), tuple(dict.fromkeys(problems)))


def _tried(read: Callable[[], T], problems: list[str]) -> T | None:
    try:
        return read()
    except ModelError as problem:
        problems.append(str(problem))
        return None


def _parts(robot: Node, tag: str, read: Callable[[Node], T], problems: list[str]) -> list[T]:
    found: list[T] = []
    first: dict[str, Node] = {}
    for node in robot.children(tag):
        name = _tried(lambda node=node: node.text("name"), problems)  # type: ignore[misc]
        owned = replace(node, owner=f"{tag} '{name}'")
        if name is not None and name in first:
            problems.append(f"{owned.place}: duplicate name: there is one already{first[name].line}")
            continue
        made = _tried(lambda owned=owned: read(owned), problems)  # type: ignore[misc]
        if made is not None:
            found.append(made)
        if name is not None:
            first[name] = owned
    return found


def _misplaced(robot: Node, joints: list[Joint]) -> Iterator[str]:
    """Joints whose links or whose mimicked joint are nowhere in the file, and links with two parents."""
    source = robot.source
    links = {node.element.attributes.get("name") for node in robot.children("link")}
    names = {node.element.attributes.get("name") for node in robot.children("joint")}
    lines = {node.element.attributes.get("name"): node.line for node in robot.children("joint")}
    parents: dict[str, str] = {}
    for joint in joints:
        place = f"{source}{lines[joint.name]}: joint '{joint.name}'"
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                yield f"{place}: its {role} link '{link}' is not there"
        if joint.mimic is not None and joint.mimic.joint not in names:
            yield f"{place} mimics the joint '{joint.mimic.joint}', which is not there"
        if joint.child in parents:
            yield f"{place}: link '{joint.child}' is the child of joint '{parents[joint.child]}' already"
        parents.setdefault(joint.child, joint.name)
    roots = [link for link in links if link is not None and link not in parents]
    if len(roots) > 1 and len(joints) == len(names):
        listed = ", ".join(f"'{link}'" for link in sorted(roots)[:8])
        said = f"{len(roots)} links have no parent ({listed}), but only the base may have none"
        yield f"{source}: the robot is in pieces: {said}"
