"""A robot from the text of an MJCF file."""

from __future__ import annotations

from dataclasses import replace

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.mjcf.checking import check_mjcf
from loadpath.files.mjcf.closing import Closing, closing_of
from loadpath.files.mjcf.compiling import compile_mjcf
from loadpath.files.mjcf.geoms import shapes_of
from loadpath.files.mjcf.names import Names, names_of
from loadpath.files.mjcf.places import unit_quaternion
from loadpath.files.mjcf.refusals import notes_of, refuse
from loadpath.files.mjcf.remembered import Remembered, remembered_in
from loadpath.files.mjcf.speeds import Speeds, actuators_of, dof_of, switched_off
from loadpath.files.mjcf.tree import frames_of, joints_of, links_of
from loadpath.files.read_robot import ReadRobot
from loadpath.files.reporting import report
from loadpath.files.written import named
from loadpath.foreign.mujoco_model import MujocoModel
from loadpath.printable import printable
from loadpath.robot import edit
from loadpath.robot.joints import Fixed
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.robot.tree import model_warnings
from loadpath.robot.units import question_of_gravity


def read_mjcf(
    text: str | bytes, source: str = "<string>", strict: bool = False, assets: Assets | None = None
) -> ReadRobot:
    """A robot from the text of an MJCF file, with its loops; `source` names it in messages and is its path where it
    includes other files. MuJoCo's own compiler reads it (extra `mjcf`).

    The world is the base; bodies welded to it, several of them and free ones are all parts of the robot. What changes
    the motion and cannot be kept is an error that names it; what is only questionable is a `ModelWarning`, or with
    `strict` an error.

    >>> read = read_mjcf('''
    ... <mujoco model="pendulum">
    ...   <worldbody>
    ...     <body name="rod" pos="0 0 1">
    ...       <joint name="hinge" axis="0 1 0" damping="0.1" armature="0.02"/>
    ...       <inertial mass="2" pos="0 0 -0.5" diaginertia="0.2 0.2 0.01"/>
    ...     </body>
    ...   </worldbody>
    ... </mujoco>''')
    >>> hinge = read.tree.joint("hinge")
    >>> hinge.motion, hinge.viscous_friction, hinge.armature
    (Continuous(axis=(0.0, 1.0, 0.0), zero=0.0), (0.1,), (0.02,))
    """
    assets = Assets() if assets is None else assets
    checked = check_mjcf(text, source, assets)
    compiled = compile_mjcf(checked, source, assets)
    model = compiled.model
    if model.count["body"] == 1:
        raise ModelError(f"{source}: there is no <body> in this file: expected the links of a robot")
    remembered = remembered_in(model.custom, source)
    names = names_of(model, remembered)
    refuse(model, names, source)
    closing = closing_of(model, names, source)
    speeds = Speeds(model, names.joints, remembered)
    try:
        links = links_of(compiled, names, shapes_of(compiled, assets))
        joints = joints_of(model, names, speeds, remembered)
        unused = {site for site, name in enumerate(names.sites) if name and not model.site_used[site]} - closing.sites
        frames, welds = frames_of(model, names, unused)
        joints = [replace(joint, mimic=closing.mimics.get(joint.name)) for joint in joints]
        links, joints = _without_world(remembered, links + frames, _in_order(remembered, joints + welds))
        tree = _tree(model, links, joints, closing)
    except ModelError as problem:
        raise ModelError(f"{source}: {printable(str(problem))}") from None
    closed = bool(closing.loops or closing.couplings)
    found = [fault for fault in _faults(tree, closed) if not fault.startswith(_massless(names))]
    if compiled.missing:
        found.append(f"meshes {named(compiled.missing)} are not there: the robot is drawn without them")
    found += [f"equality {named(closing.idle)} is switched off (active='false'): left out"] if closing.idle else []
    found += [f"MuJoCo: {words}" for words in compiled.said if "NaN" in words]
    report(source, found, strict)
    return ReadRobot(
        tree,
        tuple(closing.loops),
        tuple(closing.couplings),
        _drives(model, tree, names, closing) if closed else _driven_of_tree(tree, remembered),
        start_of(model, tree, names) if closed or remembered.home else (),
        notes=(*notes_of(model, names), *([] if closed else _undriven(model, tree, names, remembered)), *compiled.said),
    )


def _faults(tree: RobotModel, closed: bool) -> list[str]:
    """What is questionable about a tree, in its order."""
    return [*model_warnings(tree.links, tree.joints, closed=closed), *question_of_gravity(tree.gravity)]


def _massless(names: Names) -> tuple[str, ...]:
    """How warnings about links start that are meant to have no mass: those between the joints of one body."""
    return tuple(f"link '{name}': no mass" for name in names.between.values())


def _tree(model: MujocoModel, links: list[Link], joints: list[Joint], closing: Closing) -> RobotModel:
    x, y, z = (float(entry) for entry in model.gravity)
    gravity: Vector3 = (0.0, 0.0, 0.0) if "GRAVITY" in switched_off(model) else (x, y, z)
    about = [*model_warnings(links, joints), *question_of_gravity(gravity)]
    name = model.name
    tree = RobotModel(name, tuple(links), tuple(joints), gravity, known_faults=frozenset(about))
    held = {joint: value for joint, value in closing.held.items() if joint in tree.q_slices}
    if not held:
        return tree
    welded = {joint.name: edit.welded(joint, (held[joint.name],)) for joint in joints if joint.name in held}
    fixed = tuple(welded.get(joint.name, joint) for joint in joints)
    about += model_warnings(links, fixed)
    return RobotModel(name, tuple(links), fixed, gravity, known_faults=frozenset(about))


def _without_world(remembered: Remembered, links: list[Link], joints: list[Joint]) -> tuple[list[Link], list[Joint]]:
    """A robot that was written with a base of its own has it back."""
    first = [joint for joint in joints if joint.parent == links[0].name]
    bare = len(first) == 1 and first[0].child == remembered.base and isinstance(first[0].motion, Fixed)
    if not bare or first[0].origin != Pose() or links[0].shapes:
        return links, joints
    return links[1:], [joint for joint in joints if joint is not first[0]]


def _in_order(remembered: Remembered, joints: list[Joint]) -> list[Joint]:
    """The joints as the robot had them that was written; those that a joint was written as take its place."""
    place = {name: k for k, name in enumerate(remembered.order)}
    last = len(place)
    return sorted(joints, key=lambda joint: place.get(joint.name, place.get(joint.name.rpartition(".")[0], last)))


def _drives(model: MujocoModel, tree: RobotModel, names: Names, closing: Closing) -> tuple[str, ...]:
    """Speeds that drive a robot with loops: those of free bodies, which have forces of their own, and those of hinges
    and slides with actuators, in the order of these. None where these are surely too few, as of a gripper that a tendon
    or springs close: then drives are chosen by rule.
    """
    driven = {names.joints[k]: min(acting) for k, acting in actuators_of(model).items() if dof_of(model, k) == 1}
    free = {name for name, kind in zip(names.joints, model.jnt_kind, strict=True) if kind == "free"}
    found = tuple(
        f"{joint.name}.{label}" if label else joint.name
        for joint in sorted(tree.joints, key=lambda joint: driven.get(joint.name, -1))
        if joint.mimic is None and joint.motion.dof and joint.name in free | driven.keys()
        for label in joint.motion.labels
    )
    at_least = tree.n - sum(loop.rows for loop in closing.loops) - len(closing.couplings)
    return found if driven and len(found) >= at_least else ()


def _driven_of_tree(tree: RobotModel, remembered: Remembered) -> tuple[str, ...]:
    """Speeds that drive a tree that was written with passive joints; none: all."""
    driven = tuple(name for name in tree.dof_names if name not in remembered.passive)
    return driven if len(driven) < tree.n else ()


def _undriven(model: MujocoModel, tree: RobotModel, names: Names, remembered: Remembered) -> list[str]:
    """Which joints of a tree have no actuator, where others have."""
    acting = {names.joints[k] for k in actuators_of(model)}
    idle = [joint.name for joint in tree.joints if joint.motion.dof == 1 and joint.mimic is None]
    idle = [name for name in idle if name not in acting and name not in remembered.passive]
    if not idle or not acting or not all(acts in ("joint", "jointinparent") for acts in model.actuator_acts):
        return []
    return [f"no actuator acts on {named(idle)}: read as driven, as all joints of a tree are; robot.with_driven(...) "
            "names those that are"]


def start_of(model: MujocoModel, tree: RobotModel, names: Names) -> tuple[float, ...]:
    """Coordinates of the tree near a closed configuration."""
    number = {name: k for k, name in enumerate(names.joints)}
    found: list[float] = []
    for joint in tree.joints:
        if joint.mimic is not None or not joint.motion.dof:
            continue
        turned = joint.name not in number  # the ball of a free joint
        first = int(model.jnt_qposadr[number[joint.name.removesuffix(".turn") if turned else joint.name]]) + 3 * turned
        values = [float(entry) for entry in model.start[first : first + joint.motion.coordinates]]
        if joint.motion.coordinates > joint.motion.dof:  # a quaternion: MuJoCo has w first
            w, x, y, z = unit_quaternion(values[-4:])
            values = [*values[:-4], x, y, z, w]
        found += values
    return tuple(found)
