"""A point of a robot that meets a spring: the law of the contact, and the body behind the spring.

Along the direction n the point has gone s = n . (p(q) - p(q0)), and the body that is hit x. The spring between them is
pressed in by s - x:

    F = k (s - x) + d (s' - x')    where that pushes, else 0

It acts on the robot as the wrench -F n at the point, and on the body, of mass m, as m x'' = F. The body is a link of
its own on a slide, whose coordinate is xi = sqrt(m) x: then its mass is one, whatever m is, and one compiled robot does
for all of them. A body that cannot move is none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.quantities.wrench import Wrench
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Prismatic
from loadpath.robot.parts import Joint, Link
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

STRUCK = "body that is struck"
"""The link, and the joint, of what is hit."""
TOUCHES = -1e-12
"""m: what is pressed in by no less touches, but for rounding where the contact begins."""


def with_struck_body(robot: RobotQuantities) -> RobotQuantities:
    """The robot with one kilogram on a slide across gravity, which nothing holds."""
    gravity = np.asarray(robot.gravity)
    across = np.cross(gravity, np.eye(3)[int(np.abs(gravity).argmin())]) if gravity.any() else np.array([1.0, 0.0, 0.0])
    axis = tuple((across / np.linalg.norm(across)).tolist())
    near = (*robot.near, 0.0) if getattr(robot, "near", None) else None
    more: dict[str, Any] = {} if near is None else {"near": near}
    return replace(robot, links=(*robot.links, Link(STRUCK, Inertia(1.0))),
                   joints=(*robot.joints, Joint(STRUCK, robot.base.name, STRUCK, Prismatic(axis))),
                   drives=(*robot.drives, *((STRUCK,) if robot.drives else ())), **more)


@dataclass(frozen=True, eq=False)
class Contact:
    """A contact from the moment on at which it begins."""

    robot: RobotQuantities
    """Without the body that is hit."""
    link: str
    point: Floats
    """(3,), m: in the frame of the link."""
    direction: Floats
    """(3,): n, of length one, in world axes."""
    stiffness: float
    damping: float
    mass: float
    """kg: of the body that is hit; infinite if it cannot move."""
    begin: float
    """m: n . p where it begins."""

    @property
    def moves(self) -> bool:
        """Whether the body that is hit can move."""
        return bool(np.isfinite(self.mass))

    @property
    def scale(self) -> float:
        """x per xi."""
        return float(1.0 / np.sqrt(self.mass))

    def start(self, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
        """State of robot and body, which is at rest."""
        return (np.append(q, 0.0), np.append(qd, 0.0)) if self.moves else (q, qd)

    def reach(self, q: Floats, qd: Floats) -> tuple[Floats, Floats, Floats]:
        """n . p, its rate, and the point seen from the link's origin in world axes (..., 3), over robot states."""
        tree = self.robot.tree
        pose = np.asarray(tree.link_poses(q))[..., tree.link_names.index(self.link), :, :]
        J = np.asarray(tree.jacobian(q, self.link, point=self.point))[..., :3, :]
        arm = pose[..., :3, :3] @ self.point
        speed: Floats = np.einsum("i,...ij,...j->...", self.direction, J, np.asarray(qd, dtype=float))
        return (pose[..., :3, 3] + arm) @ self.direction, speed, arm

    def pressed(self, q: Floats, qd: Floats) -> tuple[Floats, Floats, Floats]:
        """How far the spring is pressed in, how fast, and the arm; over states of robot and body."""
        nq, n = self.robot.nq, self.robot.n
        reach, speed, arm = self.reach(q[..., :nq], qd[..., :n])
        x, v = (self.scale * q[..., nq], self.scale * qd[..., n]) if self.moves else (0.0, 0.0)
        return reach - self.begin - x, speed - v, arm

    def push(self, pressed: Floats, rate: Floats) -> Floats:
        """k p + d p', which is the force where it is positive."""
        return self.stiffness * pressed + self.damping * rate

    def force(self, pressed: Floats, rate: Floats) -> Floats:
        """N."""
        found: Floats = np.where(pressed > TOUCHES, np.maximum(0.0, self.push(pressed, rate)), 0.0)
        return found

    # For `simulate`

    def external(self, t: float, q: Floats, qd: Floats) -> dict[str, Wrench]:
        """What acts on the link."""
        pressed, rate, arm = self.pressed(q, qd)
        return {self.link: Wrench(force=-self.force(pressed, rate) * self.direction, point=arm)}

    def on_body(self, q: Floats, qd: Floats) -> float:
        """What acts along xi."""
        pressed, rate, _ = self.pressed(q, qd)
        return self.scale * float(self.force(pressed, rate))

    def margin(self, t: float, q: Floats, qd: Floats) -> float:
        """Negative where the spring would pull."""
        pressed, rate, _ = self.pressed(q, qd)
        return float(self.push(pressed, rate))


def reflected_mass(robot: RobotQuantities, contact: Contact, q: Floats) -> float:
    """kg: 1 / (n . J M^-1 J^T n), the force along n per acceleration of the point along n, of the whole robot at rest:
    with its rotors, its loops, and whatever else its forward dynamics knows.
    """
    still = np.zeros(robot.n)
    _, _, arm = contact.reach(q, still)
    push = {contact.link: Wrench(force=contact.direction, point=arm)}
    J = np.asarray(robot.tree.jacobian(q, contact.link, point=contact.point))[:3]
    qdd = [np.asarray(robot.forward_dynamics(q, still, still, external=wrenches)) for wrenches in (push, None)]
    mobility = float(contact.direction @ J @ (qdd[0] - qdd[1]))
    return float("inf") if mobility <= 0 else 1.0 / mobility
