"""The same robot in Pinocchio, an independent implementation, for every joint type.

Each joint becomes one or several joints of Pinocchio in a chain, with massless bodies between. Fixed joints become
hinges that are held still, so that Pinocchio tells their wrench too; mimicking joints become joints of their own. They
are added branch by branch, as some of Pinocchio's algorithms need it, so their order is not ours. `Peer.q` maps our
coordinates; the matrix `Peer.speeds` takes our qd to Pinocchio's v, its transpose takes Pinocchio's forces to ours.

| ours | Pinocchio | |
|---|---|---|
| revolute, continuous, prismatic, helical | the unaligned joints | `zero` is a turn before the motion |
| cylindrical | revolute, prismatic | |
| universal | revolute, revolute | |
| generalized | revolute for each turn, prismatic for each slide | |
| planar (x, y, angle) | prismatic x, prismatic y, revolute z | its own planar joint has speeds in the child's axes |
| translational, spherical, free | translation, spherical, free-flyer | same conventions |
| fixed | revolute, always at zero | |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from loadpath.robot import joints as kinds
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints.base import across
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose

X, Y, Z = np.eye(3)


def random_state(robot: RobotModel, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random q (unit quaternions), qd and qdd."""
    q = rng.uniform(-1.5, 1.5, robot.nq)
    for name, where in robot.q_slices.items():
        motion = robot.joint(name).motion
        if motion.coordinates != motion.dof:
            part = q[where]
            part[-4:] /= np.linalg.norm(part[-4:])
    return q, rng.uniform(-2, 2, robot.n), rng.uniform(-3, 3, robot.n)


def to_pinocchio(robot: RobotModel) -> Peer:
    """The robot as a Pinocchio model, with everything that maps ours to it."""
    model = pin.Model()
    model.name = robot.name
    model.gravity.linear = np.array(robot.gravity)
    body_of = {robot.base.name: 0}
    offset_of = {robot.base.name: pin.SE3.Identity()}
    order = _branch_by_branch(robot)
    for joint in order:
        placement = offset_of[joint.parent] * _se3(joint.origin)
        body = body_of[joint.parent]
        for part, (before, peer_joint) in enumerate(_parts(joint.motion)):
            body = model.addJoint(body, peer_joint, placement * before, f"{joint.name}/{part}")
            placement = pin.SE3.Identity()
        offset_of[joint.child] = _se3(joint.link_offset)
        body_of[joint.child] = body
        model.appendBodyToJoint(body, _inertia(robot.link(joint.child).inertia), offset_of[joint.child])
    return Peer(robot, model, order, _speeds(robot, order), body_of, offset_of)


def _branch_by_branch(robot: RobotModel) -> list[Joint]:
    order = []
    waiting = [robot.base.name]
    while waiting:
        link = waiting.pop()
        order += [joint for joint in robot.joints if joint.child == link]
        waiting += [joint.child for joint in robot.joints if joint.parent == link]
    return order


def _parts(motion: kinds.JointType) -> list[tuple[pin.SE3, pin.JointModel]]:
    """Pinocchio's joints that together move as ours does, each with the placement before it."""
    before = pin.SE3.Identity()
    match motion:
        case kinds.Fixed():
            parts = [pin.JointModelRZ()]
        case kinds.Prismatic():
            parts = [pin.JointModelPrismaticUnaligned(np.array(motion.axis))]
        case kinds.Translational():
            parts = [pin.JointModelTranslation()]
        case kinds.Spherical():
            parts = [pin.JointModelSpherical()]
        case kinds.Free():
            parts = [pin.JointModelFreeFlyer()]
        case kinds.Planar():
            parts = [pin.JointModelPX(), pin.JointModelPY(), pin.JointModelRZ()]
        case kinds.Generalized() | kinds.Universal():
            universal = isinstance(motion, kinds.Universal)
            turns, slides = ((motion.first, motion.second), ()) if universal else (motion.turns, motion.slides)
            parts = [pin.JointModelRevoluteUnaligned(np.array(axis)) for axis in turns]
            parts += [pin.JointModelPrismaticUnaligned(np.array(axis)) for axis in slides]
        case kinds.PointOnPlane() | kinds.PointOnLine():
            slides = across(motion.axis) if isinstance(motion, kinds.PointOnPlane) else (motion.axis,)
            parts = [pin.JointModelPrismaticUnaligned(np.array(axis)) for axis in slides]
            parts.append(pin.JointModelSpherical())
        case kinds.Revolute() | kinds.Helical() | kinds.Cylindrical():
            axis = np.array(motion.axis)
            before = pin.SE3(pin.AngleAxis(motion.zero, axis).toRotationMatrix(), np.zeros(3))
            parts = [pin.JointModelRevoluteUnaligned(axis)]
            if isinstance(motion, kinds.Helical):
                parts = [pin.JointModelHelicalUnaligned(axis, motion.pitch)]
            elif isinstance(motion, kinds.Cylindrical):
                parts.append(pin.JointModelPrismaticUnaligned(axis))
        case _:
            raise TypeError(f"no joint of Pinocchio is known for {motion!r}")
    return [(before, parts[0]), *((pin.SE3.Identity(), part) for part in parts[1:])]


def _speeds(robot: RobotModel, order: list[Joint]) -> np.ndarray:
    """The matrix that takes our qd to Pinocchio's v."""
    speeds = np.zeros((sum(max(joint.motion.dof, 1) for joint in order), robot.n))
    row = 0
    for joint in order:
        dof = joint.motion.dof
        if dof:
            follows = 1.0 if joint.mimic is None else robot.mimic_of(joint).multiplier
            speeds[row : row + dof, robot.v_slices[joint.name]] = follows * np.eye(dof)
        row += max(dof, 1)
    return speeds


def _inertia(inertia: Inertia) -> pin.Inertia:
    # Its constructor refuses negative moments, which published robots have; its fields take them.
    result = pin.Inertia.Zero()
    result.mass = inertia.mass
    result.lever = np.array(inertia.center_of_mass)
    result.inertia = np.array(inertia.tensor)
    return result


def _se3(pose: Pose) -> pin.SE3:
    return pin.SE3(pose.R, pose.p)


@dataclass
class Peer:
    """A robot, the same in Pinocchio (`model`), and what Pinocchio says of it in our conventions."""

    robot: RobotModel
    model: pin.Model
    order: list[Joint]
    """Our joints in the order in which Pinocchio has theirs."""
    speeds: np.ndarray
    """(model.nv, robot.n): v = speeds @ qd, tau = speeds.T @ Pinocchio's tau."""
    body_of: dict[str, int]
    """For each link, Pinocchio's joint that moves it (the last of its chain)."""
    offset_of: dict[str, pin.SE3]
    """For each link, its frame in that joint's frame."""

    def __post_init__(self) -> None:
        self.data = self.model.createData()

    # Our coordinates in Pinocchio's

    def q(self, q: np.ndarray) -> np.ndarray:
        """Pinocchio's coordinates for ours; quaternions come out as unit quaternions."""
        result = []
        for joint in self.order:
            result += self._coordinates(joint, np.asarray(q, dtype=float))
        return np.array(result)

    def _coordinates(self, joint: Joint, q: np.ndarray) -> list[float]:
        if joint.motion.dof == 0:
            return [0.0]
        own = q[self.robot.q_slices[joint.name]].copy()
        if joint.mimic is not None:
            mimic = self.robot.mimic_of(joint)
            own = mimic.multiplier * own + mimic.offset
        if joint.motion.coordinates != joint.motion.dof:
            own[-4:] /= np.linalg.norm(own[-4:])
        return own.tolist()

    def v(self, qd: np.ndarray) -> np.ndarray:
        """Pinocchio's speeds (or accelerations) for ours."""
        return self.speeds @ np.asarray(qd, dtype=float)

    # Pinocchio's results in our conventions

    def inverse_dynamics(
        self,
        q: np.ndarray,
        qd: np.ndarray,
        qdd: np.ndarray,
        external: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
        drives: bool = True,
    ) -> np.ndarray:
        """Forces at the joints; `drives` adds friction and rotors, which Pinocchio leaves out.

        `external`: for a link the force and torque that act on it, at its origin, in its axes.
        """
        v, a = self.v(qd), self.v(qdd)
        tau = pin.rnea(self.model, self.data, self.q(q), v, a, self._external(external))
        return self.speeds.T @ (tau + (self._drives(v, a) if drives else 0.0))

    def gravity_forces(self, q: np.ndarray) -> np.ndarray:
        """Forces that hold the robot still."""
        return self.speeds.T @ pin.computeGeneralizedGravity(self.model, self.data, self.q(q))

    def mass_matrix(self, q: np.ndarray, rotors: bool = True) -> np.ndarray:
        """(n, n), with the rotors' reflected inertia on the diagonal."""
        upper = np.triu(pin.crba(self.model, self.data, self.q(q)))
        full = upper + np.triu(upper, 1).T
        if rotors:
            full = full + np.diag(self._per_speed("reflected_inertia"))
        return self.speeds.T @ full @ self.speeds

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations under given forces, by solving with the mass matrix."""
        bias = self.inverse_dynamics(q, qd, np.zeros(self.robot.n))
        return np.linalg.solve(self.mass_matrix(q), np.asarray(tau) - bias)

    def joint_wrenches(
        self,
        q: np.ndarray,
        qd: np.ndarray,
        qdd: np.ndarray,
        external: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Force and torque at every joint, (joints, 3) each: by the parent on the child, in the child's joint frame."""
        pin.rnea(self.model, self.data, self.q(q), self.v(qd), self.v(qdd), self._external(external))
        wrenches = [self.data.f[self.body_of[joint.child]] for joint in self.robot.joints]
        return np.array([w.linear for w in wrenches]), np.array([w.angular for w in wrenches])

    def link_poses(self, q: np.ndarray) -> np.ndarray:
        """(links, 4, 4), in the world."""
        pin.forwardKinematics(self.model, self.data, self.q(q))
        return np.array([self._world(link).homogeneous for link in self.robot.link_names])

    def jacobian(self, q: np.ndarray, link: str) -> np.ndarray:
        """(6, n): velocity of the link's origin, then its angular velocity, in world axes, per unit of qd."""
        body = self.body_of[link]
        if body == 0:
            return np.zeros((6, self.robot.n))
        frame = self.model.addFrame(
            pin.Frame(f"{link}/{self.model.nframes}", body, 0, self.offset_of[link], pin.FrameType.OP_FRAME)
        )
        data = self.model.createData()
        kind = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J = pin.computeFrameJacobian(self.model, data, self.q(q), frame, kind)
        return np.reshape(J, (6, -1)) @ self.speeds  # of one speed it is a vector

    def kinetic_energy(self, q: np.ndarray, qd: np.ndarray) -> float:
        """Of the links, in J, without rotors."""
        return float(pin.computeKineticEnergy(self.model, self.data, self.q(q), self.v(qd)))

    def potential_energy(self, q: np.ndarray) -> float:
        """Of the links that move, in J; zero at the world's origin."""
        return float(pin.computePotentialEnergy(self.model, self.data, self.q(q)))

    def _world(self, link: str) -> pin.SE3:
        return self.data.oMi[self.body_of[link]] * self.offset_of[link]

    def _external(self, external: Mapping[str, tuple[np.ndarray, np.ndarray]] | None) -> list[pin.Force]:
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for link, (force, torque) in (external or {}).items():
            forces[self.body_of[link]] += self.offset_of[link].act(pin.Force(np.asarray(force), np.asarray(torque)))
        return forces

    def _per_speed(self, parameter: str) -> np.ndarray:
        values = [getattr(joint, parameter) if joint.motion.dof else (0.0,) for joint in self.order]
        return np.array([entry for part in values for entry in part])

    def _drives(self, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return (
            self._per_speed("reflected_inertia") * a
            + self._per_speed("viscous_friction") * v
            + self._per_speed("coulomb_friction") * np.sign(v)
        )
