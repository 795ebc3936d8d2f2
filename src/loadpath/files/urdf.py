"""Robots from URDF files: every link, joint and inertia, and an error or a warning for all that cannot be trusted.

What of URDF counts here: `<link>` with `<inertial>`; `<joint>` of all six types with `<origin>`, `<axis>`,
`<limit>`, `<dynamics>`, `<mimic>`, and of the type "generalized" with `<freedom>` (see `urdf_freedoms`); `<loop>`,
`<coupling>` and `<constraint>`, which close loops (see `urdf_loops`). `<visual>`, `<collision>` and `<material>` say
what links look like (see `urdf_shapes`).
What is passed over because it says nothing on the motion of rigid bodies:
`<gazebo>`, `<safety_controller>`, `<calibration>`, sensors, and
`<transmission>`: its reduction only counts together with a rotor inertia, which URDF has no word for. On a fixed
joint `<axis>`, `<limit>`, `<dynamics>` and `<mimic>` have no effect, and on a continuous one lower and upper limits.
"""

from __future__ import annotations

from dataclasses import replace

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.read_robot import ReadRobot
from loadpath.files.reporting import report
from loadpath.files.urdf_elements import read_joint, read_link
from loadpath.files.urdf_link_offsets import Parts, with_link_offsets
from loadpath.files.urdf_loops import read_constraint, read_coupling, read_driven, read_drives, read_loop, read_near
from loadpath.files.urdf_places import placed
from loadpath.files.urdf_shapes import ShapeReader
from loadpath.files.urdf_vocabulary import urdf_watch
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import ASK_FOR_XACRO, Node
from loadpath.files.xml_reading import read_xml
from loadpath.printable import printable
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link
from loadpath.robot.tree import faults_of_links, massless_clusters, model_warnings

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
