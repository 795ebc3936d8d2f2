"""Robots from SDF files: every link, joint and inertia in its frame, and an error or a warning for all that cannot be
trusted.

What counts: the `<link>`s with `<inertial>` and `<gravity>`, the `<joint>`s of all types but for what only a simulator
needs, `<frame>`s, nested and included models, the `<gravity>` of a world, and Drake's rotor inertia and gear ratio.
What is passed over because it says nothing on the motion of rigid bodies: sensors, plugins, lights, contacts, physics
engines, and static models beside the robot.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.contract import ReadRobot, Undrawn, report
from loadpath.files.sdf.frames import AGAINST, FREE, NAME, WORLD, Scope, SdfFrame, body_of, pose_between
from loadpath.files.sdf.graph import Graph, as_loop, gearbox, spanning_tree, with_mimics
from loadpath.files.sdf.joints import GEARBOX, ReadJoint, read_joint
from loadpath.files.sdf.links import ShapeReader, has_weight, read_link
from loadpath.files.sdf.models import Found, FoundLink, Library, root_of, version_of
from loadpath.files.sdf.words import attribute, sdf_watch, truth_in
from loadpath.files.xml_reading import Node
from loadpath.printable import printable
from loadpath.robot.joints import Free
from loadpath.robot.model import STANDARD_GRAVITY, RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Link
from loadpath.robot.tree import model_warnings

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
