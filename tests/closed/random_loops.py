"""Random trees of mixed joints with random loops that are closed at a given configuration."""

from __future__ import annotations

import numpy as np

import loadpath as lp
from loadpath.mechanics.configuration import integrate
from loadpath.mechanics.kinematics import link_poses
from loadpath.robot.mechanism import plain
from loadpath.scalars import array

TREE_TYPES = (lp.Revolute, lp.Prismatic, lp.Universal, lp.Spherical, lp.Cylindrical, lp.Planar, lp.Helical, lp.Fixed)


def direction(rng):
    axis = rng.normal(size=3)
    return tuple((axis / np.linalg.norm(axis)).tolist())


def motion_of(kind, rng):
    if kind is lp.Universal:
        return lp.Universal(direction(rng), direction(rng))
    if kind is lp.Generalized:
        return lp.Generalized((("turn", direction(rng)), ("turn", direction(rng)), ("slide", direction(rng))))
    if kind is lp.Helical:
        return lp.Helical(direction(rng), pitch=0.2)
    try:
        return kind(direction(rng))
    except TypeError:
        return kind()


def pose(rng, size=0.5):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.linalg.det(q))
    return lp.Pose(q.tolist(), (size * rng.normal(size=3)).tolist())


def inertia(rng):
    points = 0.2 * rng.normal(size=(6, 3))
    mass = float(rng.uniform(0.5, 2.0))
    center = points.mean(axis=0)
    rel = points - center
    tensor = mass / 6 * sum(np.dot(r, r) * np.eye(3) - np.outer(r, r) for r in rel)
    return lp.Inertia(mass, center.tolist(), tensor.tolist())


def random_tree(rng, kinds, *, mimic=False, friction=False):
    """A tree whose links hang on random earlier ones."""
    links, joints = [lp.Link("base", inertia(rng))], []
    for k, kind in enumerate(kinds):
        links.append(lp.Link(f"l{k}", inertia(rng)))
        parent = links[int(rng.integers(max(0, k - 2), k + 1))].name
        motion = motion_of(kind, rng)
        extra = {}
        if friction:
            extra = {"viscous_friction": (0.3,) * motion.dof, "rotor_inertia": (0.1,) * motion.dof}
        joints.append(lp.Joint(f"j{k}", parent, f"l{k}", motion, pose(rng), **extra))
    if mimic:
        first = next(j for j in joints if j.motion.dof == 1)
        links.append(lp.Link("m", inertia(rng)))
        joints.append(lp.Joint("jm", links[-2].name, "m", lp.Revolute(direction(rng)), pose(rng),
                               mimic=lp.Mimic(first.name, -0.7, 0.1)))
    return lp.Robot("random", tuple(links), tuple(joints))


def random_configuration(robot, rng):
    return moved(plain(robot), robot.neutral(), rng.normal(size=robot.n))


def moved(mechanism, q, v):
    """q after a motion, without compiling."""
    return integrate(mechanism, array(q.tolist()), array(v.tolist())).astype(float)


def closed_at(robot, q, loops, rng):
    """The robot with loops (first, second, motion) that are closed at q, each with its joint somewhere."""
    poses = dict(zip(robot.link_names, link_poses(plain(robot), array(q.tolist())).astype(float), strict=True))
    for k, (first, second, motion) in enumerate(loops):
        at = pose(rng)
        theta = array([float(x) for x in motion.neutral()])
        if motion.dof:
            theta = motion.moved(theta, array(rng.normal(size=motion.dof).tolist()))
        Q, b = motion.placement(theta)
        moved = np.eye(4)
        moved[:3, :3], moved[:3, 3] = Q.matrix().astype(float), b.astype(float)
        at_matrix = np.eye(4)
        at_matrix[:3, :3], at_matrix[:3, 3] = at.rotation, at.translation
        on = np.linalg.inv(poses[second]) @ poses[first] @ at_matrix @ moved
        robot = robot.with_loop(f"loop{k}", first, second, motion=motion, at=at, on=lp.Pose.from_matrix(on), q=q)
    return robot
