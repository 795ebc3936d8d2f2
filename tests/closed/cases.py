"""Closed chains and states of them that several tests share."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

import loadpath as lp
from closed.references.closing import closed, moved
from closed.references.maximal import Maximal

Array = np.ndarray
State = tuple[Array, Array, Array]

PLANE = ("four_bar", "slider_crank", "five_bar")
CATALOG = (*PLANE, "parallelogram_palletizer", "excavator", "delta", "stewart_platform")


@lru_cache
def catalog(name: str) -> lp.ClosedRobot:
    """A mechanism of the catalog, made once."""
    made: lp.ClosedRobot = getattr(lp.catalog, name)()
    return made


@lru_cache
def reference(robot: lp.ClosedRobot) -> Maximal:
    """The robot as free bodies."""
    return Maximal(robot)


def state(robot: lp.ClosedRobot, seed: int, spread: float = 0.2, speed: float = 1.0) -> State:
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


# Spatial loops of mixed joints

TYPES = ("revolute", "prismatic", "spherical", "universal", "cylindrical", "planar", "line", "plane", "translational",
         "helical", "fixed")  # fmt: skip


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


@lru_cache
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
    poses = dict(zip(tree.link_names, tree.link_poses(q), strict=True))
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
