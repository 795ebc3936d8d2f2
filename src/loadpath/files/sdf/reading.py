"""Robots from SDF files: every link, joint and inertia in its frame, and an error or a warning for all that cannot be
trusted.

What counts: the `<link>`s with `<inertial>` and `<gravity>`, the `<joint>`s of all types but for what only a simulator
needs, `<frame>`s, nested and included models, the `<gravity>` of a world, and Drake's rotor inertia and gear ratio.
What is passed over because it says nothing on the motion of rigid bodies: sensors, plugins, lights, contacts, physics
engines, and static models beside the robot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.contract import ReadRobot, Undrawn, report
from loadpath.files.sdf.frames import AGAINST, FREE, NAME, WORLD, Scope, SdfFrame, body_of, pose_between
from loadpath.files.sdf.joints import GEARBOX, Axis, ReadJoint, read_joint
from loadpath.files.sdf.links import ShapeReader, has_weight, read_link
from loadpath.files.sdf.models import Found, FoundJoint, FoundLink, Library, root_of, version_of
from loadpath.files.sdf.words import attribute, number_in, sdf_watch, truth_in
from loadpath.files.urdf.words import placed
from loadpath.files.xml_reading import Node
from loadpath.printable import printable
from loadpath.robot.joints import Free
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import STANDARD_GRAVITY, RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Limits, Link, Mimic
from loadpath.robot.tree import model_warnings


@dataclass(frozen=True)
class Edge:
    """A joint of the tree, and whether the tree passes it from its child to its parent."""

    joint: ReadJoint
    reverse: bool

    @property
    def ends(self) -> tuple[SdfFrame, SdfFrame]:
        """The parent and the child in the tree."""
        joint = self.joint
        return (joint.child, joint.parent) if self.reverse else (joint.parent, joint.child)

    def as_joint(self) -> Joint:
        """The joint of the robot; a mimic is set where all joints are known."""
        joint, (parent, child) = self.joint, self.ends
        axes = joint.in_order(self.reverse)
        motion = joint.motion(self.reverse)
        each: tuple[Axis, ...] = axes if axes else (Axis((0.0, 0.0, 1.0)),) * motion.dof
        with placed(joint.node):
            return Joint(
                joint.name,
                parent.name,
                child.name,
                motion,
                pose_between(parent, joint.frame),
                pose_between(joint.frame, child),
                viscous_friction=tuple(axis.damping for axis in each),
                coulomb_friction=tuple(axis.friction for axis in each),
                rotor_inertia=() if joint.gear_ratio is None else (joint.rotor_inertia,) * motion.dof,
                gear_ratio=() if joint.gear_ratio is None else (joint.gear_ratio,) * motion.dof,
                limits=tuple(axis.limits for axis in each),
                springs=tuple(() if axis.spring is None else (axis.spring,) for axis in each),
                armature=(joint.rotor_inertia,) * motion.dof if joint.gear_ratio is None else (),
            )


@dataclass(frozen=True)
class Graph:
    """A tree, its base, and what closes it."""

    base: SdfFrame
    edges: tuple[Edge, ...]
    closing: tuple[ReadJoint, ...]


def spanning_tree(model: str, links: Iterable[SdfFrame], joints: Iterable[ReadJoint], world: SdfFrame,
                  canonical: SdfFrame | None) -> Graph:
    """The tree of links, and the joints left over."""
    links, joints = list(links), list(joints)
    grounded = any(world in (joint.parent, joint.child) for joint in joints)
    bodies = [world, *links] if grounded else links
    group = {body: body for body in bodies}

    def leader(body: SdfFrame) -> SdfFrame:
        while group[body] is not body:
            group[body] = group[group[body]]
            body = group[body]
        return body

    carried: set[SdfFrame] = set()
    used: list[ReadJoint] = []
    # First the joints that carry a link that no other carries, then those that must be passed backwards.
    for backwards in (False, True):
        for joint in joints:
            apart = leader(joint.parent) is not leader(joint.child)
            if apart and not joint.closes and (backwards or (joint.child not in carried and joint.child is not world)):
                group[leader(joint.child)] = leader(joint.parent)
                carried.add(joint.child)
                used.append(joint)
    base = world if grounded else _base(links, carried, canonical)
    pieces = [body.name for body in bodies if leader(body) is not leader(base)]
    if pieces:
        first = ", ".join(f"'{name}'" for name in pieces[:4])
        raise ModelError(f"model '{model}' is in pieces: no joint leads from '{base.name}' to {first}"
                         f"{' and more' if len(pieces) > 4 else ''}; a robot is one tree of links, so join them, or "
                         "leave the others out")
    edges = _outwards(base, used)
    order = {joint.frame: number for number, joint in enumerate(joints)}
    edges.sort(key=lambda edge: order[edge.joint.frame])
    left = tuple(joint for joint in joints if joint not in used)
    return Graph(base, tuple(edges), left)


def _base(links: list[SdfFrame], carried: set[SdfFrame], canonical: SdfFrame | None) -> SdfFrame:
    free = [link for link in links if link not in carried]
    if canonical in free or not free:
        return canonical or links[0]
    return free[0]


def _outwards(base: SdfFrame, joints: list[ReadJoint]) -> list[Edge]:
    """The joints of a tree with their directions away from the base."""
    at: dict[SdfFrame, list[ReadJoint]] = {}
    for joint in joints:
        at.setdefault(joint.parent, []).append(joint)
        at.setdefault(joint.child, []).append(joint)
    edges: list[Edge] = []
    reached, waiting = {base}, [base]
    while waiting:
        body = waiting.pop()
        for joint in at.get(body, []):
            reverse = joint.child is body
            other = joint.parent if reverse else joint.child
            if other not in reached:
                reached.add(other)
                waiting.append(other)
                edges.append(Edge(joint, reverse))
    return edges


def as_loop(joint: ReadJoint, notes: list[str]) -> Loop:
    """A joint that closes a loop: it has no coordinates, so neither limits nor forces of its own."""
    for axis in joint.axes:
        if axis.acts or axis.mimic is not None:
            what = "<mimic>" if axis.mimic is not None else "<dynamics>"
            joint.node.fail(f"it closes a loop, and {what} about it would not count: put it before the other joints of "
                            "the loop in the file, so that one of those closes it")
        if axis.limits != Limits():
            notes.append(f"{joint.node.owner}: it closes a loop, where limits are not used")
    if joint.rotor_inertia:
        joint.node.fail("it closes a loop, and a rotor at it would not count: put it before the other joints of the "
                        "loop in the file, so that one of those closes it")
    with placed(joint.node):
        return Loop(
            joint.name,
            joint.parent.name,
            joint.child.name,
            joint.motion(),
            pose_between(joint.parent, joint.frame),
            pose_between(joint.child, joint.frame),
        )


# Joints of SDF that follow others: `<mimic>`, and the type gearbox, which is a ratio of two joints and no joint.


def speed_name(edge: Edge, joint: Joint, axis: int) -> str:
    """The name of the speed about an axis of a joint."""
    labels = joint.motion.labels
    place = len(labels) - 1 - axis if edge.reverse else axis
    return f"{joint.name}.{labels[place]}" if labels[place] else joint.name


def with_mimics(edges: Sequence[Edge], joints: Sequence[Joint]) -> tuple[list[Joint], list[Coupling]]:
    """The joints that follow others: as mimics where both have one freedom, else coupled."""
    by_frame = {edge.joint.frame: (edge, joint) for edge, joint in zip(edges, joints, strict=True)}
    made, couplings = list(joints), list[Coupling]()
    for number, (edge, joint) in enumerate(zip(edges, joints, strict=True)):
        for axis, entry in enumerate(edge.joint.axes):
            if (mimic := entry.mimic) is None:
                continue
            if mimic.joint not in by_frame:
                mimic.node.fail(f"it follows '{mimic.joint.name}', which has no coordinate to follow")
            leading, leader = by_frame[mimic.joint]
            if mimic.axis >= leader.motion.dof or not leading.joint.axes:
                mimic.node.fail(f"it follows axis {mimic.axis + 1} of joint '{leader.name}', which has "
                                f"{len(leading.joint.axes)} axes")
            with placed(mimic.node):
                if joint.motion.dof == leader.motion.dof == 1 and not mimic.coupling:
                    made[number] = replace(joint, mimic=Mimic(leader.name, mimic.multiplier, mimic.offset))
                else:
                    ratios = ((speed_name(edge, joint, axis), 1.0),
                              (speed_name(leading, leader, mimic.axis), -mimic.multiplier))
                    name = mimic.coupling or f"{joint.name}_mimic{axis + 1}"
                    couplings.append(Coupling(name, ratios, mimic.offset))
    return made, couplings


def gearbox(found: FoundJoint, read: ReadJoint, edges: Sequence[Edge], joints: Mapping[SdfFrame, Joint]) -> Coupling:
    """The ratio of a gearbox: with angles from the reference body to the parent, about `<axis>`, and to the child,
    about `<axis2>`, the second is minus the ratio times the first.
    """
    node = found.node
    named = node.child("gearbox_reference_body")
    if named is None:
        node.fail("a gearbox needs a <gearbox_reference_body>, against which its two links turn")
    reference = body_of(found.scope.find(named.content(), named, "gearbox_reference_body"))
    ratio = number_in(node, "gearbox_ratio", 1.0)
    first = _turn(read, 0, reference, read.parent, edges, joints)
    second = _turn(read, 1, reference, read.child, edges, joints)
    with placed(node):
        return Coupling(read.name, ((second[0], second[1]), (first[0], ratio * first[1])))


def _turn(read: ReadJoint, axis: int, reference: SdfFrame, body: SdfFrame, edges: Sequence[Edge],
          joints: Mapping[SdfFrame, Joint]) -> tuple[str, float]:
    """The joint between the reference body and one of the links, and the sign of its angle about the given axis."""
    for edge in edges:
        joint = edge.joint
        if {joint.parent, joint.child} == {reference, body} and joint.kind in ("revolute", "continuous"):
            own = joint.axes[0].direction
            given = pose_between(joint.frame, read.frame).R @ np.array(read.axes[axis].direction)
            along = float(np.array(own) @ given)
            if abs(along) > 1 - 1e-9:
                forward = 1.0 if joint.child is body else -1.0
                return joints[joint.frame].name, forward * (1.0 if along > 0 else -1.0)
    read.node.fail(f"the gearbox turns '{body.name}' against '{reference.name}' about <axis{'2' if axis else ''}>, and "
                   "no revolute joint about that axis joins the two: expected one")

WORLD_GRAVITY: Vector3 = (0.0, 0.0, -9.8)
"""That of a `<world>` which does not say."""


def read_sdf(
    text: str | bytes, source: str = "<string>", strict: bool = False, assets: Assets | None = None
) -> ReadRobot:
    """A robot from the text of an SDF file, with its loops; `source` names it in messages, `assets` finds its meshes
    and the models it includes.

    A joint with the parent `world` makes the world the base, a link without mass. A model without one is free in SDF:
    here its root link is the base, as in URDF, with the gravity turned into its axes; `robot.floating()` sets it free.

    >>> pendulum = read_sdf('''
    ... <sdf version="1.9">
    ...   <model name="pendulum">
    ...     <link name="rod"> <pose>0 0 1 0 0 0</pose>
    ...       <inertial> <pose>0 0 -0.5 0 0 0</pose> <mass>2</mass>
    ...         <inertia> <ixx>0.2</ixx> <iyy>0.2</iyy> <izz>0.01</izz> </inertia>
    ...       </inertial>
    ...     </link>
    ...     <joint name="hinge" type="revolute">
    ...       <parent>world</parent> <child>rod</child> <axis> <xyz>0 1 0</xyz> </axis>
    ...     </joint>
    ...   </model>
    ... </sdf>''').tree
    >>> pendulum.link_names, pendulum.joint("hinge").origin.translation, pendulum.joint("hinge").motion.axis
    (('world', 'rod'), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    """
    root = root_of(text, source)
    watch = sdf_watch()
    watch.look(root)
    version = version_of(root)
    refuse_constraints_of_drake(root)
    library = Library(source, version, assets or Assets())
    world_frame = SdfFrame(WORLD, root)
    found = Found(watch, world_frame)
    name, gravity = _collect(root, found, library)
    found.resolve()
    shapes = ShapeReader(Undrawn(source))
    moving = [entry for entry in found.links if body_of(entry.frame) is entry.frame]
    read = [(entry, read_joint(entry, watch)) for entry in found.joints if not entry.scope.static]
    graph = _graph(name, moving, _without_bolts([each for _, each in read if each.kind != GEARBOX], world_frame), found)
    links = [read_link(entry, watch, shapes) for entry in moving]
    if graph.base is world_frame:
        links.insert(0, Link(WORLD))
    joints = [edge.as_joint() for edge in graph.edges]
    free = _set_free(graph, moving, world_frame)
    notes: list[str] = []
    loops = [as_loop(joint, notes) for joint in graph.closing]
    joints, couplings = with_mimics(graph.edges, joints)
    by_frame = {edge.joint.frame: joint for edge, joint in zip(graph.edges, joints, strict=True)}
    couplings += [gearbox(entry, each, graph.edges, by_frame) for entry, each in read if each.kind == GEARBOX]
    if free is None:
        gravity = _felt(gravity, graph, moving, world_frame)
    else:
        links, joints = [Link(free.parent), *links], [free, *joints]
    closed = bool(loops or couplings)
    about = model_warnings(links, joints, closed=closed)
    known = frozenset(model_warnings(links, joints)) | frozenset(about)
    try:
        tree = RobotModel(name, tuple(links), tuple(joints), gravity, known_faults=known)
    except ModelError as problem:
        nodes = [entry.node for entry in found.links] + [entry.node for entry in found.joints]
        line = next((node.line for node in nodes if node.owner in str(problem)), "")
        raise ModelError(f"{source}{line}: {printable(str(problem))}") from None
    report(source, about + watch.warnings() + notes, strict)
    shapes.undrawn.report()
    return ReadRobot(tree, tuple(loops), tuple(couplings), notes=watch.left_out())


def _collect(root: Node, found: Found, library: Library) -> tuple[str, Vector3]:
    """The links and joints of the robot in a file: its name, and the gravity it is in."""
    worlds, models = root.children("world"), root.children("model") + root.children("include")
    if len(worlds) + (1 if models else 0) != 1 or len(models) > 1:
        named = [node.element.attributes.get("name", "") for node in (*worlds, *models)]
        root.fail(f"the file has {len(worlds)} worlds and {len(models)} models{_listed(named)}: expected one of them, "
                  "so write each into a file of its own")
    top = Scope(found.world, library.version, found.world)
    if models:
        add = found.include if models[0].tag == "include" else found.model
        scope = add(models[0], top, library, prefixed=False)
        if scope.static:
            scope.model.node.fail("the model is static, so nothing in it moves: take <static> out to load it as a "
                                  "robot")
        return scope.model.name, STANDARD_GRAVITY
    return _collect_world(worlds[0], top, found, library)


def _collect_world(node: Node, top: Scope, found: Found, library: Library) -> tuple[str, Vector3]:
    node = replace(node, owner=f"world '{node.text('name')}'")
    found.watch.look(node)
    if node.child("population") is not None:
        node.needed_child("population").fail("<population> makes models at random places: write the one that is meant")
    if node.child("state") is not None:
        found.watch.note(f"{node.owner}: <state> is not used: the robot is taken as its model says, unmoved")
    moving = [child for tag in ("model", "include") for child in node.children(tag)
              if not truth_in(child, "static", False)]
    found.robot = moving[0].element if len(moving) == 1 else None
    found.contents(node, top, library)
    robots = {name: scope for name, scope in top.nested.items() if not scope.static}
    if not robots:
        node.fail(f"none of its models moves{_listed(top.nested)}: expected one without <static>")
    if len(robots) == 1:
        ((name, scope),) = robots.items()
        _drop_prefix(found, scope)  # where what is included is static by its own file
        return attribute(scope.model.node, NAME) or name, _world_gravity(node, library.version)
    if not any(entry.scope is top for entry in found.joints):
        node.fail(f"{len(robots)} of its models move{_listed(robots)}: a robot is one, so write the one that is meant "
                  "into a file of its own, or join them by <joint>s of the world")
    return node.text("name"), _world_gravity(node, library.version)


def _drop_prefix(found: Found, scope: Scope) -> None:
    """Names in the only robot of a world do without that of its model."""
    for frame in [link.frame for link in found.links] + [joint.frame for joint in found.joints]:
        frame.name = frame.name.removeprefix(scope.prefix)


def _world_gravity(node: Node, version: tuple[int, int]) -> Vector3:
    written = node.child("gravity")
    if written is None and version <= (1, 5):  # then it was the physics engine's
        physics = node.children("physics")
        written = physics[0].child("gravity") if physics else None
    return WORLD_GRAVITY if written is None else written.content_vector()


def _graph(name: str, links: list[FoundLink], joints: list[ReadJoint], found: Found) -> Graph:
    if not links:
        found.world.node.fail(f"model '{name}' has no links that move")
    first = links[0].scope.model
    canonical = body_of(first) if first.carrier is not None else None
    try:
        return spanning_tree(name, [entry.frame for entry in links], joints, found.world, canonical)
    except ModelError as problem:
        raise ModelError(f"{found.world.node.source}: {printable(str(problem))}") from None


def _without_bolts(joints: list[ReadJoint], world: SdfFrame) -> list[ReadJoint]:
    """The joints without one that says that the base is fixed, if nothing else hangs on the world."""
    grounded = [joint for joint in joints if world in (joint.parent, joint.child)]
    return [joint for joint in joints if not joint.bolts] if len(grounded) == 1 else joints


def _set_free(graph: Graph, links: list[FoundLink], world: SdfFrame) -> Joint | None:
    """The joint of a base that moves freely, if the file says which."""
    node = next((entry.node for entry in links if entry.frame is graph.base), None)
    name = "" if node is None else attribute(node, FREE)
    if node is None or not name:
        return None
    return Joint(name, attribute(node, AGAINST) or WORLD, graph.base.name, Free(), pose_between(world, graph.base))


def _felt(gravity: Vector3, graph: Graph, links: list[FoundLink], world: SdfFrame) -> Vector3:
    """Gravity in the axes of the base; a robot none of whose links has weight is in none."""
    moved = [entry for entry in links if entry.frame is not graph.base]
    without = [entry for entry in moved if not has_weight(entry.node)]
    if without and len(without) == len(moved):
        return 0.0, 0.0, 0.0
    if without and any(gravity):
        without[0].node.fail(f"<gravity> is false, and true for {len(moved) - len(without)} other links of the robot: "
                             "expected the same for all that move")
    turn = pose_between(world, graph.base).R
    x, y, z = (turn.T @ np.array(gravity)).tolist() if not np.array_equal(turn, np.eye(3)) else gravity
    return x, y, z


def _listed(names: object) -> str:
    given = [str(name) for name in names if name]  # type: ignore[attr-defined]
    return f" ({', '.join(repr(name) for name in given)})" if given else ""


_OF_DRAKE = {
    "drake:joint": "a joint that SDF does not know",
    "drake:ball_constraint": "a constraint",
    "drake:distance_constraint": "a constraint",
    "drake:tendon_constraint": "a constraint",
    "drake:linear_bushing_rpy": "an elastic bushing",
    "drake:prismatic_spring": "a spring",
}


def refuse_constraints_of_drake(root: Node) -> None:
    """An error for Drake's own joints and constraints; its rotors are read."""
    for element in root.element.everything():
        if element.tag in _OF_DRAKE:
            replace(root, element=element).fail(f"<{element.tag}> is {_OF_DRAKE[element.tag]} for Drake alone, which "
                                                "changes the motion and is not read: write it as a <joint> of SDF, or "
                                                "take it out")
