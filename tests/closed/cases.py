"""Closed chains and states of them that several tests share."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import loadpath as lp
from closed.references.closing import closed, moved
from closed.references.maximal import Maximal

Array = np.ndarray
State = tuple[Array, Array, Array]

SPREAD = 0.1
"""How far random loops are moved from where they were closed."""

PLANE = ("four_bar", "slider_crank", "five_bar")
CATALOG = (*PLANE, "parallelogram_palletizer", "excavator", "delta", "stewart_platform")


@cache
def catalog(name: str) -> lp.ClosedRobot:
    """A mechanism of the catalog, made once."""
    made: lp.ClosedRobot = getattr(lp.catalog, name)()
    return made


@cache
def reference(robot: lp.ClosedRobot) -> Maximal:
    """The robot as free bodies."""
    return Maximal(robot)


@cache
def state(robot: lp.ClosedRobot, seed: int, spread: float = SPREAD, speed: float = 1.0) -> State:
    """A random state on the manifold, by the reference's own kinematics: q near home, qd and qdd."""
    rng = np.random.default_rng(seed)
    model, own = reference(robot), list(robot.split.independent)
    still = np.zeros(len(own))
    q = np.array(robot.home)
    step = model.complete(q, own, rng.uniform(-spread, spread, len(own)), still)[0]
    q = closed(model, moved(robot, q, step * min(1.0, spread / np.abs(step).max())))
    return (q, *model.complete(q, own, rng.uniform(-speed, speed, len(own)), rng.uniform(-speed, speed, len(own))))


def states(robot: lp.ClosedRobot, count: int, seed: int = 0, **how: Any) -> State:
    """Several, each array (count, ...)."""
    found = [state(robot, seed + k, **how) for k in range(count)]
    q, qd, qdd = (np.array(part) for part in zip(*found, strict=True))
    return q, qd, qdd


def ask(robot: lp.Robot, quantity: str, *arrays: Any, compiled: bool = False, **options: Any) -> Any:
    """A quantity of a robot by the public call, or by the same equations run as they are, which takes no compiling."""
    method = getattr(robot, quantity)
    return method(*arrays, **options) if compiled else method.uncompiled(*arrays, **options)


def poses_of(robot: lp.Robot, q: Array) -> dict[str, Array]:
    """4 x 4 matrices of all links, by the reference."""
    still = np.zeros(robot.n)
    return {name: pose[0] for name, pose in Maximal(robot).polynomials(q, still, still).items()}


def joint_frames(robot: lp.ClosedRobot, q: Array) -> dict[str, Array]:
    """4 x 4 matrices of the frames in which the wrenches of joints and loops are given."""
    poses = poses_of(robot, q)
    frames = {joint.name: poses[joint.child] @ joint.link_offset.inverse().matrix for joint in robot.joints}
    return frames | {loop.name: poses[loop.second] @ loop.on.matrix for loop in robot.loops}


def on_links(robot: lp.ClosedRobot, q: Array, names: Any, wrenches: Any) -> dict[str, lp.Wrench]:
    """The wrenches of some loops as external ones on the links that they join: force and torque at the links' origins,
    in world axes.
    """
    poses, frames = poses_of(robot, q), joint_frames(robot, q)
    total = {link: np.zeros((2, 3)) for link in robot.link_names}
    for loop in robot.loops:
        if loop.name in names:
            force, torque = (frames[loop.name][:3, :3] @ part for part in (wrenches[loop.name].force,
                                                                            wrenches[loop.name].torque))
            for link, sign in ((loop.first, -1.0), (loop.second, 1.0)):
                arm = frames[loop.name][:3, 3] - poses[link][:3, 3]
                total[link] += sign * np.array([force, torque + np.cross(arm, force)])
    return {link: lp.Wrench(force=both[0], torque=both[1]) for link, both in total.items() if both.any()}


# Spatial loops of mixed joints

TYPES = ("revolute", "prismatic", "spherical", "universal", "cylindrical", "planar", "line", "plane", "translational",
         "helical", "fixed")


def loop_motion(kind: str, rng: np.random.Generator) -> lp.JointType:
    """A joint type with random axes."""
    axis, other = rng.normal(size=(2, 3))
    made = {
        "revolute": lambda: lp.Revolute(axis),
        "prismatic": lambda: lp.Prismatic(axis),
        "spherical": lp.Spherical,
        "universal": lambda: lp.Universal(axis, other),
        "cylindrical": lambda: lp.Cylindrical(axis),
        "planar": lp.Planar,
        "line": lambda: lp.PointOnLine(axis),
        "plane": lambda: lp.PointOnPlane(axis),
        "translational": lp.Translational,
        "helical": lambda: lp.Helical(axis, pitch=0.1),
        "fixed": lp.Fixed,
    }
    return made[kind]()


@cache
def random_closed(seed: int) -> lp.ClosedRobot:
    """A random tree of mixed joints with one to three loops of mixed joints; every third has a second bearing beside a
    hinge of the tree, every fourth two hinges on one axis in a loop: overconstrained.
    """
    from references.to_pinocchio import random_state

    rng = np.random.default_rng(seed)
    count = 1 + seed % 3
    kinds = ["revolute", "universal", "revolute", "prismatic", "spherical", "revolute"]
    tree = lp.catalog.random_tree(4 + 2 * count, seed, [kinds[(seed + k) % 6] for k in range(4 + 2 * count)])
    q = random_state(tree, rng)[0]
    poses = poses_of(tree, q)
    robot: Any = tree
    held = 0
    links = [link for link in tree.link_names if link != "base"]
    while count and held < tree.n - 2:
        first, second = (str(name) for name in rng.permutation(["base", *links])[:2])
        if len(_path(tree, first, second)) < 3 or _freedoms(tree, first, second) < 3:
            continue
        motion = loop_motion(TYPES[(seed + held) % len(TYPES)], rng)
        if held + 6 - motion.dof > tree.n - 1 or _freedoms(tree, first, second) < 6 - motion.dof:
            motion = lp.Spherical()
        at = lp.Pose.from_xyz_rpy(rng.uniform(-0.3, 0.3, 3), rng.uniform(-1, 1, 3))
        turned = _moved_pose(motion, rng)
        on = lp.Pose.from_matrix(np.linalg.inv(poses[second]) @ poses[first] @ at.matrix @ turned)
        robot = robot.with_loop(f"loop{count}", first, second, motion=motion, at=at, on=on, q=q)
        if seed % 4 == 0 and count == 1 and isinstance(motion, lp.Revolute):
            along = lp.Pose(translation=tuple(0.1 * x for x in motion.axis))
            robot = robot.with_loop("second_hinge", first, second, motion=motion, at=at @ along, on=on @ along, q=q)
        held += 6 - motion.dof
        count -= 1
    if seed % 3 == 0:
        hinge = next(joint for joint in tree.joints if isinstance(joint.motion, lp.Revolute))
        along = lp.Pose(translation=tuple(0.2 * x for x in hinge.motion.axis))
        at, on = hinge.origin @ along, hinge.link_offset.inverse() @ along
        robot = robot.with_loop("second_bearing", hinge.parent, hinge.child, motion=hinge.motion, at=at, on=on, q=q)
    made: lp.ClosedRobot = robot
    return made


@cache
def worn(seed: int) -> lp.ClosedRobot:
    """`random_closed` with friction and rotors at all joints, a mass that is welded on, a joint that mimics another and
    by the seed a coupling, a loop on the mimicking link, or more drives than freedoms.
    """
    rng = np.random.default_rng(1000 + seed)
    plain = random_closed(seed)
    links = [*plain.links, lp.Link("load", _solid(1.5)), lp.Link("follower", _solid(0.7))]
    joints = []
    for joint in plain.joints:
        viscous, coulomb, rotor, gear = rng.uniform(0.1, 1, (4, joint.motion.dof))
        joints.append(replace(joint, viscous_friction=tuple(viscous), coulomb_friction=tuple(coulomb),
                              rotor_inertia=tuple(0.01 * rotor), gear_ratio=tuple(10 * gear)))
    carrier = str(rng.choice(plain.link_names[1:]))
    places = [lp.Pose.from_xyz_rpy(rng.uniform(-0.3, 0.3, 3), rng.uniform(-1, 1, 3)) for _ in range(3)]
    joints.append(lp.Joint("weld", carrier, "load", lp.Fixed(), places[0], places[1]))
    followed = str(rng.choice([joint.name for joint in plain.joints if joint.motion.dof == 1]))
    joints.append(lp.Joint("mimicking", "load", "follower", lp.Revolute(rng.normal(size=3)), places[2],
                           mimic=lp.Mimic(followed, -1.7, 0.3), rotor_inertia=0.01, viscous_friction=0.2,
                           coulomb_friction=0.1))
    robot: Any = lp.Robot(f"worn{seed}", tuple(links), tuple(joints))
    q = np.zeros(robot.nq)
    for name, where in plain.q_slices.items():
        q[robot.q_slices[name]] = np.array(plain.near)[where]
    poses = poses_of(robot, q)
    for loop in plain.loops:
        robot = robot.with_loop(loop.name, loop.first, loop.second, motion=loop.motion, at=loop.at, on=loop.on, q=q)
    if seed % 2 and robot.mobility > 2:
        names = [name for name in robot.dof_names if name in robot.coordinate_names]
        first, second = (str(name) for name in rng.choice(names, 2, replace=False))
        where = [robot.coordinate_names.index(name) for name in (first, second)]
        robot = robot.with_coupling({first: 1.3, second: -0.8}, offset=1.3 * q[where[0]] - 0.8 * q[where[1]])
    if seed % 3 == 1 and robot.mobility > 3:
        at, other = lp.Pose(translation=(0.1, 0.1, 0.1)), plain.link_names[1]
        on = lp.Pose.from_matrix(np.linalg.inv(poses["follower"]) @ poses[other] @ at.matrix)
        robot = robot.with_loop("touch", other, "follower", motion=lp.PointOnPlane((1, 0, 0)), at=at, on=on, q=q)
    if seed % 5 == 0:
        robot = robot.with_driven(*robot.driven, *robot.passive[:2])
    made: lp.ClosedRobot = robot
    return made


def _solid(mass: float) -> lp.Inertia:
    return lp.Inertia(mass, (0.1, 0.2, 0.1), np.diag([0.1, 0.1, 0.12]))


def _moved_pose(motion: lp.JointType, rng: np.random.Generator) -> Array:
    """A placement that the joint type allows."""
    from closed.references.maximal import motion_polynomial

    q = rng.uniform(-0.5, 0.5, motion.coordinates)
    if motion.coordinates != motion.dof:
        q[-4:] /= np.linalg.norm(q[-4:])
    return motion_polynomial(motion, q, np.zeros(motion.dof), np.zeros(motion.dof))[0]


def _path(tree: lp.Robot, first: str, second: str) -> set[str]:
    """Names of the joints between two links."""
    return _to_root(tree, first) ^ _to_root(tree, second)


def _to_root(tree: lp.Robot, link: str) -> set[str]:
    above = {joint.child: joint for joint in tree.joints}
    found = set()
    while link in above:
        found.add(above[link].name)
        link = above[link].parent
    return found


def _freedoms(tree: lp.Robot, first: str, second: str) -> int:
    return sum(tree.joint(name).motion.dof for name in _path(tree, first, second))
