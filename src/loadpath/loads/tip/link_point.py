"""A point on a link: where it is in the world and how it moves, in batches of states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.quantities.table import RobotQuantities
from loadpath.quantities.transport import crossed
from loadpath.quantities.wrench import Wrench
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.scalars.types import ArrayLike, Floats


class PointMotion(NamedTuple):
    """A point of a link in world axes."""

    position: Floats
    """(..., 3)"""
    rotation: Floats
    """(..., 3, 3): from the link's axes to the world's."""
    arm: Floats
    """(..., 3): from the origin of the link's frame to the point."""
    velocity: Floats
    """(..., 3)"""
    angular_velocity: Floats
    """(..., 3)"""

    def on_base(self, pose: Floats, velocity: Floats) -> PointMotion:
        """The same point if the robot stands on a base at `pose` (x, y, heading) that moves with `velocity` (v_x, v_y,
        w) in its own axes.
        """
        (x, y, heading), (vx, vy, w) = pose, velocity
        c, s = np.cos(heading), np.sin(heading)
        turn, spin = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([0.0, 0.0, w])
        carried = self.velocity + np.array([vx, vy, 0.0]) + crossed(spin, self.position)
        return PointMotion(
            self.position @ turn.T + np.array([x, y, 0.0]), turn @ self.rotation, self.arm @ turn.T, carried @ turn.T,
            (self.angular_velocity + spin) @ turn.T,
        )


class AtPoint(NamedTuple):
    """A wrench on a link that follows from where a point of it is and how it moves."""

    link: str
    at: Vector3
    """The point, in the link's frame."""
    wrench: Callable[[PointMotion], Wrench]

    def wrenches(self, rotation: Floats, origin: Floats, velocity: Floats, angular: Floats) -> dict[str, Wrench]:
        """Of a link whose frame is there and moves so, in world axes: of one that is carried by beams, where it bends.
        """
        arm = rotation @ np.asarray(self.at)
        moving = PointMotion(origin + arm, rotation, arm, velocity + crossed(angular, arm), angular)
        return {self.link: self.wrench(moving)}


@dataclass(frozen=True)
class OnFixedBase:
    """Wrenches as a function of t, q and qd that hold where the base of the robot is the world: `what` exerts them."""

    function: Callable[[float, Floats, Floats], dict[str, Wrench]]
    what: str
    point: AtPoint | None = None
    """What it follows from, where that is known: links that beams carry are not where q has them."""

    def __call__(self, t: float, q: Floats, qd: Floats) -> dict[str, Wrench]:
        return self.function(t, q, qd)


def is_rover(robot: object) -> bool:
    """Whether a robot stands on wheels, so that its base is not the world."""
    return isinstance(robot, RobotModel) and robot.on_wheels


def refuse_rover(robot: RobotQuantities, what: str, instead: str) -> None:
    """An error for a condition in the world that does not know where the base of a rover is."""
    if is_rover(robot):
        raise ValueError(f"{what} is in the world, and '{robot.name}' is a rover, whose base moves in it: {instead}")


def point_motion(robot: RobotQuantities, link: str, at: Vector3, q: ArrayLike, qd: ArrayLike) -> PointMotion:
    """Where the point `at` of a link is, and its velocity.

    >>> import loadpath as lp
    >>> moving = point_motion(lp.catalog.planar(1), "link1", (1.0, 0.0, 0.0), [0.0], [2.0])
    >>> moving.velocity.round(12).tolist()                              # its axis is the world's -y
    [0.0, 0.0, 2.0]
    """
    refuse_rover(robot, f"what holds the tip '{link}'", "give rover.robot while the base stands at the origin; a "
                 "spring has during(rover) for rover.simulate")
    pose = np.asarray(robot.link_poses(q))[..., known_link(robot, link), :, :]
    rotation = pose[..., :3, :3]
    arm = rotation @ np.asarray(at)
    jacobian = np.asarray(robot.jacobian(q, link))
    twist = (jacobian @ np.asarray(qd, dtype=float)[..., :, None])[..., 0]
    velocity = twist[..., :3] + crossed(twist[..., 3:], arm)
    return PointMotion(pose[..., :3, 3] + arm, rotation, arm, velocity, twist[..., 3:])


def point_jacobian(robot: RobotQuantities, link: str, at: Vector3, q: ArrayLike) -> Floats:
    """Jacobian (..., 3, n) of the point `at` of a link, world axes."""
    rotation = np.asarray(robot.link_poses(q))[..., known_link(robot, link), :3, :3]
    jacobian = np.asarray(robot.jacobian(q, link))
    arm = (rotation @ np.asarray(at))[..., :, None]
    turned: Floats = jacobian[..., :3, :] + np.cross(jacobian[..., 3:, :], arm, axis=-2)
    return turned


def known_link(robot: RobotQuantities, link: str) -> int:
    """The number of a link, or an error that names those that there are."""
    if link not in robot.link_names:
        raise ModelError(f"robot '{robot.name}' has no link '{link}'; there are {', '.join(robot.link_names)}")
    return robot.link_names.index(link)


def wrench_at_origin(motion: PointMotion, force: Floats, torque: Floats | None = None) -> Wrench:
    """A force at the point (world axes), and a torque, as an external wrench on the link: about its frame's origin."""
    moment = crossed(motion.arm, force)
    return Wrench(force, moment if torque is None else moment + torque)
