"""All that acts on every link of a robot in one state: at its joints, gravity, from outside, and its own inertia.

With the forces of inertia (d'Alembert) each link is in equilibrium: what a finite-element model of it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from loadpath.robot.pose import Pose
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

Frame = Literal["link", "world"]
Kind = Literal["joint", "loop", "support", "gravity", "external", "inertia"]


class LinkLoad(NamedTuple):
    """A force (N) and a moment (N m) about the point (m) where it acts on a link; (3,) each."""

    kind: Kind
    name: str
    """Of the joint or loop; of other kinds the kind itself."""
    point: Floats
    force: Floats
    torque: Floats


@dataclass(frozen=True, eq=False)
class LinkCase:
    """All that acts on one link at one instant, in the axes of its frame, points from its origin; or in world axes,
    points from the world's origin.

    Together with the inertia, `loads` sum to zero. A finite-element model gets those of the joints and from outside,
    and the field of gravity and acceleration: `gravity` and `acceleration` (m/s^2) of the mass center,
    `angular_velocity` (rad/s) and `angular_acceleration` (rad/s^2) about it.
    """

    link: str
    frame: Frame
    mass: float
    center_of_mass: Floats
    gravity: Floats
    acceleration: Floats
    angular_velocity: Floats
    angular_acceleration: Floats
    loads: tuple[LinkLoad, ...]

    @property
    def residual(self) -> tuple[Floats, Floats]:
        """Sum of all forces, and of all moments about the origin: zero but for rounding."""
        force = sum((load.force for load in self.loads), start=np.zeros(3))
        torque = sum((load.torque + np.cross(load.point, load.force) for load in self.loads), start=np.zeros(3))
        return force, torque

    @property
    def size(self) -> tuple[float, float]:
        """Sums of the magnitudes of forces and moments, which residuals are measured by."""
        arms = [float(np.linalg.norm(load.torque) + np.linalg.norm(load.point) * np.linalg.norm(load.force))
                for load in self.loads]
        return sum(float(np.linalg.norm(load.force)) for load in self.loads), sum(arms)


def link_cases(robot: RobotQuantities, state: tuple[Floats, ...], case: LoadCase, frame: Frame) -> list[LinkCase]:
    """All links in one state (q, qd, qdd)."""
    return list(_walk(robot, state, case, frame))


def _walk(robot: RobotQuantities, state: tuple[Floats, ...], case: LoadCase, frame: Frame) -> Iterator[LinkCase]:
    keywords, base = case.keywords, case.base_motion
    poses = [Pose.from_matrix(pose) for pose in np.asarray(robot.link_poses(state[0]))]
    turning = robot.link_velocities(*state[:2], **{k: v for k, v in base.items() if k == "base_velocity"})
    moving = robot.link_accelerations(*state, **base)
    at_links: dict[str, list[LinkLoad]] = {name: [] for name in robot.link_names}
    for link, load in (*_of_joints(robot, state, keywords, poses), *_support(robot, state, keywords, poses),
                       *_external(robot, case, poses)):
        at_links[link].append(load)
    gravity = np.array(robot.gravity if case.gravity is None else case.gravity, dtype=float)
    for k, body in enumerate(robot.links):
        R, p = poses[k].R, poses[k].p
        inertia = body.inertia
        arm = R @ np.array(inertia.center_of_mass)
        omega, alpha = np.asarray(turning.angular)[k], np.asarray(moving.angular)[k]
        a = np.asarray(moving.linear)[k] + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
        tensor = R @ np.array(inertia.tensor) @ R.T
        loads = [
            *at_links[body.name],
            LinkLoad("gravity", "gravity", p + arm, inertia.mass * gravity, np.zeros(3)),
            LinkLoad("inertia", "inertia", p + arm, -inertia.mass * a,
                     -(tensor @ alpha + np.cross(omega, tensor @ omega))),
        ]
        vectors = {"gravity": gravity, "acceleration": a, "angular_velocity": omega, "angular_acceleration": alpha}
        center = p + arm
        if frame == "link":
            center = np.array(inertia.center_of_mass)
            vectors = {name: R.T @ vector for name, vector in vectors.items()}
            loads = [load._replace(point=R.T @ (load.point - p), force=R.T @ load.force, torque=R.T @ load.torque)
                     for load in loads]
        yield LinkCase(body.name, frame, inertia.mass, center, loads=tuple(loads), **vectors)


def _of_joints(
    robot: RobotQuantities, state: tuple[Floats, ...], keywords: dict[str, Any], poses: list[Pose]
) -> Iterator[tuple[str, LinkLoad]]:
    """What parent and child exert on each other at each joint and loop, in world axes."""
    number = {name: k for k, name in enumerate(robot.link_names)}
    wrenches = robot.joint_wrenches(*state, **keywords)
    for joint in robot.joints:
        here = poses[number[joint.child]] @ joint.link_offset.inverse()
        yield from _both(joint.name, "joint", joint.parent, joint.child, here, wrenches[joint.name])
    for loop in robot.loops:
        here = poses[number[loop.second]] @ loop.on
        yield from _both(loop.name, "loop", loop.first, loop.second, here, wrenches[loop.name])


def _both(name: str, kind: Kind, parent: str, child: str, here: Pose, wrench: Any) -> Iterator[tuple[str, LinkLoad]]:
    force, torque = here.R @ np.asarray(wrench.force), here.R @ np.asarray(wrench.torque)
    yield child, LinkLoad(kind, name, here.p, force, torque)
    yield parent, LinkLoad(kind, name, here.p, -force, -torque)


def _support(
    robot: RobotQuantities, state: tuple[Floats, ...], keywords: dict[str, Any], poses: list[Pose]
) -> Iterator[tuple[str, LinkLoad]]:
    """What the surroundings exert on the root link to hold the robot."""
    plain = {name: value for name, value in keywords.items() if name not in ("weights", "preload")}
    held = robot.base_wrench(*state, **plain)
    R, p = poses[0].R, poses[0].p
    yield robot.base.name, LinkLoad("support", "support", p, R @ np.asarray(held.force), R @ np.asarray(held.torque))


def _external(robot: RobotQuantities, case: LoadCase, poses: list[Pose]) -> Iterator[tuple[str, LinkLoad]]:
    for link, wrench in (case.external or {}).items():
        pose = poses[robot.link_names.index(link)]
        turn = np.eye(3) if wrench.axes == "world" else pose.R
        force, torque, point = (turn @ np.asarray(part, dtype=float) for part in
                                (wrench.force, wrench.torque, wrench.point))
        yield link, LinkLoad("external", "external", pose.p + point, force, torque)
