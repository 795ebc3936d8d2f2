"""Forward dynamics of closed chains by Pinocchio's `constraintDynamics`, which has points and rigid frames as closures.

A ball joint closes by a point, a rigid loop by a frame. A hinge is two points on its axis; where the links are in one
plane anyway that says some things twice, which its proximal iterations settle.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

import loadpath as lp
from loadpath.robot.pose import Pose
from references.to_pinocchio import Peer, to_pinocchio


class ClosedPeer:
    """A closed robot without friction in Pinocchio."""

    def __init__(self, robot: lp.ClosedRobot) -> None:
        self.robot = robot
        self.peer: Peer = to_pinocchio(robot)
        self.model = self.peer.model
        # Fixed joints are hinges there, which nothing would hold still but a rotor of any size.
        self.model.armature = np.where(
            self.peer.speeds.any(axis=1), self.peer._per_speed("reflected_inertia"), 1e20
        )
        self.closures = [closure for loop in robot.loops for closure in self._closures(loop)]
        self.data = self.model.createData()
        self.closure_data = [closure.createData() for closure in self.closures]
        pin.initConstraintDynamics(self.model, self.data, self.closures, self.closure_data)
        self.iterations = pin.ProximalSettings(1e-14, 1e-12, 200)

    def _closures(self, loop: lp.Loop) -> list[pin.RigidConstraintModel]:
        match loop.motion:
            case lp.Fixed():
                return [self._closure(pin.ContactType.CONTACT_6D, loop, np.zeros(3))]
            case lp.Spherical():
                return [self._closure(pin.ContactType.CONTACT_3D, loop, np.zeros(3))]
            case lp.Revolute():
                axis = np.array(loop.motion.axis)
                return [self._closure(pin.ContactType.CONTACT_3D, loop, shift) for shift in (0 * axis, axis)]
        raise TypeError(f"no closure of Pinocchio is known for {loop.motion!r}")

    def _closure(self, kind: pin.ContactType, loop: lp.Loop, shift: np.ndarray) -> pin.RigidConstraintModel:
        ends = []
        for link, pose in ((loop.first, loop.at), (loop.second, loop.on)):
            ends += [self.peer.body_of[link], self.peer.offset_of[link] * _se3(pose) * pin.SE3(np.eye(3), shift)]
        return pin.RigidConstraintModel(kind, self.model, *ends, pin.ReferenceFrame.LOCAL)

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations (n,) of one state."""
        arrays = self.arrays(q, qd, tau)
        a = pin.constraintDynamics(self.model, self.data, *arrays, self.closures, self.closure_data, self.iterations)
        return self.peer.speeds.T @ a

    def arrays(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Our arrays in Pinocchio's order, which is a permutation of ours: there are no mimics."""
        return self.peer.q(q), self.peer.v(qd), self.peer.v(tau)


def _se3(pose: Pose) -> pin.SE3:
    return pin.SE3(pose.R, pose.p)
