"""A robot from the text of an MJCF file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.contract import ReadRobot, named, report
from loadpath.files.mjcf.checking import check_mjcf
from loadpath.files.mjcf.closing import Closing, closing_of
from loadpath.files.mjcf.compiling import CompiledModel, compile_mjcf
from loadpath.files.mjcf.joints import Names, Speeds, actuators_of, dof_of, in_world_axes, names_of, switched_off
from loadpath.files.mjcf.remembered import Remembered, pose_at, remembered_in, unit_quaternion
from loadpath.files.mjcf.shapes import shapes_of
from loadpath.foreign.mujoco_model import MujocoModel
from loadpath.printable import printable
from loadpath.robot import edit
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Continuous, Fixed, Free, JointType, Prismatic, Revolute, Spherical, Translational
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import LinkShape
from loadpath.robot.tree import model_warnings
from loadpath.robot.units import question_of_gravity

# Links and joints of a compiled model.
#
# A body with several joints becomes a chain: after each joint but the last a link without mass, in the frame of the
# body as far as it has been moved. So every joint keeps its name, its limits and its drive, and the last one carries
# the body. A joint's anchor is its origin; the link's frame is that of the body. A free joint with friction or
# armature, which act along the axes of the world, is a slide in these and a ball.


def links_of(compiled: CompiledModel, names: Names, shapes: dict[int, tuple[LinkShape, ...]]) -> list[Link]:
    """The world, the bodies, and the massless links between several joints of one body."""
    model = compiled.model
    links = [Link(names.bodies[0], shapes=shapes.get(0, ()))]
    for body in range(1, model.count["body"]):
        try:
            inertia = _inertia(compiled, body)
        except ModelError as problem:
            raise ModelError(f"body '{names.bodies[body]}': {problem}") from None
        links.append(Link(names.bodies[body], inertia, shapes.get(body, ())))
    return links + [Link(name) for name in names.between.values()]


def _inertia(compiled: CompiledModel, body: int) -> Inertia:
    model = compiled.model
    frame = pose_at(model.body_ipos[body], model.body_iquat[body])
    raw = compiled.inertias.get(body)
    mass = float(model.body_mass[body]) if raw is None else raw.mass
    moments = [float(entry) for entry in model.body_inertia[body]] if raw is None else list(raw.moments)
    if not mass and not any(moments):
        return Inertia()  # MuJoCo gives it a mass center
    if len(moments) == 6:  # in the axes of the body
        names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        return Inertia.from_moments(mass, frame.translation, **dict(zip(names, moments, strict=True)))
    xx, yy, zz = moments
    return Inertia.from_moments(mass, ixx=xx, iyy=yy, izz=zz).seen_from(frame)


def joints_of(model: MujocoModel, names: Names, speeds: Speeds, remembered: Remembered) -> list[Joint]:
    """The joints, in the order of the bodies."""
    joints: list[Joint] = []
    for body in range(1, model.count["body"]):
        parent, child = names.bodies[model.body_parentid[body]], names.bodies[body]
        place = pose_at(model.body_pos[body], model.body_quat[body])
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if not count:
            joints.append(Joint(names.welds[body], parent, child, Fixed(), place))
        if count and in_world_axes(model, first):
            joints += _slide_and_ball(first, names, speeds, child)
            continue
        for joint in range(first, first + count):
            moved = names.between.get(joint, child)
            joints.append(_joint(model, joint, names.joints[joint], parent, moved, place, speeds, remembered))
            parent, place = moved, Pose()
    return joints


def _slide_and_ball(joint: int, names: Names, speeds: Speeds, child: str) -> list[Joint]:
    """A free joint whose friction or armature acts along the axes of the world."""
    name, between = names.joints[joint], names.between[joint]
    slide = Joint(name, names.bodies[0], between, Translational(), **speeds.fields(joint, range(3)))
    return [slide, Joint(f"{name}.turn", between, child, Spherical(), **speeds.fields(joint, range(3, 6)))]


def _joint(model: MujocoModel, joint: int, name: str, parent: str, child: str, place: Pose, speeds: Speeds,
           remembered: Remembered) -> Joint:
    kind = model.jnt_kind[joint]
    fields = speeds.fields(joint)
    if kind == "free":  # its coordinates say where the body is in the world
        return Joint(name, parent, child, Free(), **fields)
    anchor = model.jnt_pos[joint]
    origin, offset = place @ pose_at(anchor), pose_at(-anchor + 0.0)
    if kind == "ball":
        return Joint(name, parent, child, Spherical(), origin, offset, **fields)
    x, y, z = (float(entry) for entry in model.jnt_axis[joint])
    axis: Vector3 = (x, y, z)
    zero = 0.0 - float(model.qpos0[model.jnt_qposadr[joint]])  # where the body is as written, the coordinate is `ref`
    if kind == "slide":
        shifted = origin @ Pose(translation=tuple((zero * np.array(axis)).tolist())) if zero else origin
        return Joint(name, parent, child, Prismatic(axis), shifted, offset, **fields)
    endless = not model.jnt_limited[joint] and name not in remembered.revolute and name not in remembered.position
    motion: JointType = Continuous(axis, zero) if endless else Revolute(axis, zero)
    return Joint(name, parent, child, motion, origin, offset, **fields)


def frames_of(model: MujocoModel, names: Names, unused: set[int]) -> tuple[list[Link], list[Joint]]:
    """Named sites that nothing in the file uses are frames for users, as of a tool: massless links."""
    links, joints = [], []
    taken = {*names.joints, *names.welds.values()}
    for site in sorted(unused):
        name = names.sites[site]
        weld = f"{name}_weld"
        while weld in taken:
            weld += "_"
        taken.add(weld)
        place = pose_at(model.site_pos[site], model.site_quat[site])
        links.append(Link(name))
        joints.append(Joint(weld, names.bodies[model.site_bodyid[site]], name, Fixed(), place))
    return links, joints


# What of an MJCF file changes the motion of the robot and has no counterpart here: one error that names all of it.
#
# Actuators are drives: what their controllers do is no property of the robot, and inverse dynamics says what they would
# have to give. So they are left out, and what is left out is listed in `notes`. Cables that pull on links from outside
# their joints load the bearings, so they cannot be left out.


_MOST_SENTENCES = 6
"""Sentences of one error."""


def refuse(model: MujocoModel, names: Names, source: str) -> None:
    """An error if there is anything in the model that would be lost though it moves the robot."""
    found = list(dict.fromkeys([*_of_world(model), *_of_bodies(model, names),
                                *_of_joints(model, names), *_of_tendons(model),
                                *_of_actuators(model)]))
    if found:
        more = [f"and {len(found) - _MOST_SENTENCES} more"] if len(found) > _MOST_SENTENCES else []
        sentences = (*found[:_MOST_SENTENCES], *more)
        listed = found[0] if len(found) == 1 else "".join(f"\n  {sentence}" for sentence in sentences)
        raise ModelError(f"{source}: what moves this model cannot be kept: {listed}")


def name_of(names: Sequence[str], number: int) -> str:
    """The name of an element, or its number."""
    return f"'{names[number]}'" if names[number] else f"number {number}"


def _of_world(model: MujocoModel) -> Iterator[str]:
    if model.density or model.viscosity:
        yield (f"a fluid of density {model.density:g} and viscosity {model.viscosity:g} (<option>) drags on the "
               "bodies: set both to 0 for a robot in air")


def _of_bodies(model: MujocoModel, names: Names) -> Iterator[str]:
    held = (
        [names.bodies[k] for k in np.flatnonzero(model.body_gravcomp)]
        if "GRAVITY" not in switched_off(model)
        else []
    )
    if held:
        yield (f"gravcomp of {_bodies(held)} takes gravity off: set it to 0, and ask robot.gravity_forces for what "
               "a controller must add")
    elastic = [names.bodies[k] for k in range(model.count["body"]) if model.body_plugin[k] >= 0]
    if elastic:
        yield f"plugin at {_bodies(elastic)} bends or moves it: take it out"


def _bodies(names: Iterable[str]) -> str:
    names = list(names)
    return f"{'body' if len(names) == 1 else 'bodies'} {named(names)}"


def _of_joints(model: MujocoModel, names: Names) -> Iterator[str]:
    for joint, name in enumerate(names.joints):
        dof = dof_of(model, joint)
        own = slice(int(model.jnt_dofadr[joint]), int(model.jnt_dofadr[joint]) + dof)
        kind = {6: "a free joint", 3: "a ball"}.get(dof, "a joint")
        if dof > 1 and model.jnt_stiffness[joint]:
            yield f"joint '{name}': stiffness {model.jnt_stiffness[joint]:g} of {kind}: springs need hinges or slides"
        for what, those in (("is not linear", model.jnt_bends), ("yields", model.jnt_yields)):
            if those[joint]:
                yield f"joint '{name}': a spring that {what}: only a constant stiffness can be kept"
        if np.any(model.dof_bends[own]):
            yield f"joint '{name}': damping that is not proportional to speed: only a constant damping can be kept"


def _of_tendons(model: MujocoModel) -> Iterator[str]:
    for tendon, acting in enumerate(model.tendon_acting):
        if acting:
            yield (f"tendon {name_of(model.tendon_name, tendon)} has {acting}: what a tendon pulls with cannot be "
                   "kept; springs and friction of joints can")


def _of_actuators(model: MujocoModel) -> Iterator[str]:
    muscles, cables = [], []
    for actuator, acts in enumerate(model.actuator_acts):
        name = model.actuator_name[actuator] or f"number {actuator}"
        at = int(model.actuator_trnid[actuator])
        if model.actuator_bias[actuator] == "muscle":
            muscles.append(name)
        elif acts == "tendon" and model.tendon_spatial[at]:
            cables.append(name)
        single = acts in ("joint", "jointinparent") and dof_of(model, at) == 1
        for part, values in (("armature", model.actuator_armature), ("damping", model.actuator_damping)):
            if values[actuator] and not single:
                yield f"actuator '{name}' has {part}, which only one of a hinge or slide can keep"
        if model.actuator_bends[actuator]:
            yield f"actuator '{name}' has damping that is not proportional to speed: only a constant one can be kept"
    if muscles:
        yield f"muscles {named(muscles)} pull on the links also when they rest: only rigid links and joints can be kept"
    if cables:
        yield (f"actuators {named(cables)} pull on cables (spatial tendons), whose forces load the joints: give the "
               "joints actuators of their own")


def notes_of(model: MujocoModel, names: Names) -> list[str]:
    """What is left out though it may matter to somebody: no warning, for tools that say what a conversion loses."""
    found = []
    count = model.count["actuator"]
    servos = [model.actuator_name[k] or f"number {k}" for k in range(count) if model.actuator_bias[k] != "none"]
    if servos:
        found.append(f"actuators {named(servos)} follow a command by themselves: their controllers are no part of the "
                     "robot and left out")
    elif count:
        found.append(f"{count} actuators: drives, of which only limits of effort, armature and damping are kept")
    limited = [name_of(model.tendon_name, int(k)) for k in np.flatnonzero(model.tendon_limited)]
    if limited:
        found.append(f"limits of tendons {', '.join(limited[:4])}: left out")
    balls = [name for k, name in enumerate(names.joints) if model.jnt_limited[k] and dof_of(model, k) > 1]
    if balls:
        found.append(f"limits of ball joints {named(balls)}: left out")
    moved = [names.bodies[k] for k in range(model.count["body"]) if model.body_mocapid[k] >= 0]
    if moved:
        found.append(f"mocap {_bodies(moved)}, which are moved from outside: they stand still here")
    if np.any(model.geom_contype):
        found.append("contacts: left out; forces of the ground or of things held are external wrenches")
    if model.sensors:
        found.append(f"{model.sensors} sensors: left out")
    return found


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
