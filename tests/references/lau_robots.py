"""Robots for the tests of the generalized manipulator: with the joint of Lau's thesis, which turns and then slides, put
in two ways; with mimicking joints. And how near two results are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from loadpath.robot.joints import Free, Spherical, Translational
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link, Mimic
from loadpath.robot.pose import Pose
from loadpath.robot.tree import model_warnings
from loadpath.scalars import Array, array, cross, zeros

E = np.eye(3)


@dataclass(frozen=True)
class TurnThenSlide(Free):
    """Lau's joint with a quaternion: q is the slide along the turned axes and a quaternion, qd the rate of the slide
    and the relative angular velocity, both in the child's axes. A class of a user; the library's `Generalized` has
    angles in place of the quaternion.
    """

    labels: ClassVar[tuple[str, ...]] = ("dx", "dy", "dz", "wx", "wy", "wz")
    twists: ClassVar[tuple[int, ...]] = (3, 4, 5)  # the slides are coordinates, their speeds the rates

    def placement(self, q):
        turn, slide = super().placement(q)
        return turn, turn @ slide

    def coordinate_rate(self, q, qd):
        return array([*qd[:3], *Spherical().coordinate_rate(q[3:], qd[3:])])

    def moved(self, q, v):
        return array([*(q[:3] + v[:3]), *Spherical().moved(q[3:], v[3:])])

    def displacement(self, q, to):
        return array([*(to[:3] - q[:3]), *Spherical().displacement(q[3:], to[3:])])

    def coordinates_at(self, turns, shifts):
        return super().coordinates_at(turns, np.einsum("...ji,...j->...i", turns, shifts))

    def subspace(self, q):
        d = array(list(q[:3]))
        slides = [(zeros(3), array(E[m].tolist())) for m in range(3)]
        return slides + [(array(E[m].tolist()), cross(array(E[m].tolist()), d)) for m in range(3)]

    def subspace_rate(self, q: Array, qd: Array):
        none = [(zeros(3), zeros(3))] * 3
        return none + [(zeros(3), cross(array(E[m].tolist()), array(list(qd[:3])))) for m in range(3)]


def in_two_joints(robot: RobotModel, slides_first: bool = False) -> RobotModel:
    """A chain with every joint made of a spherical joint and a translational one behind it (or before it)."""
    links, joints = [robot.base], []
    for joint in robot.joints:
        between = Link(f"{joint.child}_between")
        first, second = (Translational(), Spherical()) if slides_first else (Spherical(), Translational())
        joints.append(Joint(f"{joint.name}_1", joint.parent, between.name, first, joint.origin))
        joints.append(Joint(f"{joint.name}_2", between.name, joint.child, second, Pose(), joint.link_offset))
        links += [between, robot.link(joint.child)]
    known = frozenset(model_warnings(links, joints))
    return RobotModel(f"{robot.name}_two", tuple(links), tuple(joints), robot.gravity, known_faults=known)


def with_mimics(robot: RobotModel) -> RobotModel:
    """The robot with its last joint of one freedom following the first one, which lies at another depth."""
    single = [joint for joint in robot.joints if joint.motion.dof == 1]
    first, last = single[0], single[-1]
    follow = {last.name: Mimic(first.name, -1.7, 0.3)}
    return replace(robot, joints=tuple(replace(j, mimic=follow.get(j.name, j.mimic)) for j in robot.joints))


def assert_near(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-12) -> None:
    """Equal, relative to the largest entry."""
    size = float(np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * (size or 1.0))
