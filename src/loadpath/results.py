"""Results with several parts: named tuples of arrays, each part with the batch axes in front."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.in_text import parts
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives (..., n, n) of the drive forces by q (tangent space), qd and qdd (the mass matrix); with loops
    (..., n, freedoms), by those of the independent speeds.
    """

    q: Floats
    qd: Floats
    qdd: Floats

    def __repr__(self) -> str:
        return parts("Derivatives of drive forces, in the order of robot.dof_names", {
            "q": (self.q, "N m or N per rad or m"),
            "qd": (self.qd, "N m or N per rad/s or m/s"),
            "qdd": (self.qdd, "N m or N per rad/s^2 or m/s^2"),
        })


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives (..., n, n) of the accelerations by q (tangent space), qd and tau (the mass matrix's inverse); with
    loops those by q and qd (..., n, freedoms), by those of the independent speeds.
    """

    q: Floats
    qd: Floats
    tau: Floats

    def __repr__(self) -> str:
        return parts("Derivatives of accelerations, in the order of robot.dof_names", {
            "q": (self.q, "rad/s^2 or m/s^2 per rad or m"),
            "qd": (self.qd, "rad/s^2 or m/s^2 per rad/s or m/s"),
            "tau": (self.tau, "rad/s^2 or m/s^2 per N m or N"),
        })


class InverseDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives [..., i, j, k] of the force of drive i: by entry j of the first, then by entry k of the second
    of the two arguments that a part is named after.
    """

    q_q: Floats
    q_qd: Floats
    qd_qd: Floats
    q_qdd: Floats

    def __repr__(self) -> str:
        return parts("Second derivatives of drive forces, in the order of robot.dof_names", {
            "q_q": (self.q_q, "N m or N by q, q"),
            "q_qd": (self.q_qd, "N m or N by q, qd"),
            "qd_qd": (self.qd_qd, "N m or N by qd, qd"),
            "q_qdd": (self.q_qdd, "N m or N by q, qdd"),
        })


class ForwardDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives [..., i, j, k] of acceleration i: by entry j of the first, then by entry k of the second of
    the two arguments that a part is named after.
    """

    q_q: Floats
    q_qd: Floats
    qd_qd: Floats
    q_tau: Floats

    def __repr__(self) -> str:
        return parts("Second derivatives of accelerations, in the order of robot.dof_names", {
            "q_q": (self.q_q, "rad/s^2 or m/s^2 by q, q"),
            "q_qd": (self.q_qd, "rad/s^2 or m/s^2 by q, qd"),
            "qd_qd": (self.qd_qd, "rad/s^2 or m/s^2 by qd, qd"),
            "q_tau": (self.q_tau, "rad/s^2 or m/s^2 by q, tau"),
        })


class WrenchDerivatives(NamedTuple):
    """Derivatives (..., joints, 3, n) of the force and of the torque at every joint by one kind of argument."""

    force: Floats
    torque: Floats

    def __repr__(self) -> str:
        return parts("Derivatives by joint of robot.joint_names, component, and speed of robot.dof_names", {
            "force": (self.force, "N per unit"),
            "torque": (self.torque, "N m per unit"),
        })


class JointWrenchDerivatives(NamedTuple):
    """Derivatives of the joint wrenches by q (tangent space), qd and qdd: each has `.force` and `.torque`."""

    q: WrenchDerivatives
    qd: WrenchDerivatives
    qdd: WrenchDerivatives

    def __repr__(self) -> str:
        by = {"q": (self.q, "rad or m"), "qd": (self.qd, "rad/s or m/s"), "qdd": (self.qdd, "rad/s^2 or m/s^2")}
        lines = [f"  .{name} {np.shape(part.force)}, per {unit}" for name, (part, unit) in by.items()]
        title = "Derivatives of joint wrenches, .force (N) and .torque (N m), by joint, component and speed"
        return "\n".join([title, *lines])

    @staticmethod
    def of(*parts: Floats) -> JointWrenchDerivatives:
        """Of forces and torques by q, by qd, by qdd."""
        return JointWrenchDerivatives(*(WrenchDerivatives(*parts[k : k + 2]) for k in (0, 2, 4)))


class DeflectionSlopes(NamedTuple):
    """Derivatives (..., links, 3, n) of the displacement and of the rotation of every link frame by one kind of
    argument.
    """

    displacement: Floats
    rotation: Floats

    def __repr__(self) -> str:
        return parts("Derivatives by link of robot.link_names, component, and speed of robot.dof_names", {
            "displacement": (self.displacement, "m per unit"),
            "rotation": (self.rotation, "rad per unit"),
        })


class DeflectionDerivatives(NamedTuple):
    """Derivatives of the small deflection by q (tangent space), qd and qdd: each has `.displacement` and `.rotation`.
    """

    q: DeflectionSlopes
    qd: DeflectionSlopes
    qdd: DeflectionSlopes

    def __repr__(self) -> str:
        by = {"q": (self.q, "rad or m"), "qd": (self.qd, "rad/s or m/s"), "qdd": (self.qdd, "rad/s^2 or m/s^2")}
        lines = [f"  .{name} {np.shape(part.displacement)}, per {unit}" for name, (part, unit) in by.items()]
        title = "Derivatives of the deflection, .displacement (m) and .rotation (rad), by link, component and speed"
        return "\n".join([title, *lines])

    @staticmethod
    def of(*parts: Floats) -> DeflectionDerivatives:
        """Of displacements and rotations by q, by qd, by qdd."""
        return DeflectionDerivatives(*(DeflectionSlopes(*parts[k : k + 2]) for k in (0, 2, 4)))


class MixedDynamics(NamedTuple):
    """Accelerations and drive forces, each (..., n), those that were given among them."""

    qdd: Floats
    tau: Floats

    def __repr__(self) -> str:
        return parts("Accelerations and drive forces, in the order of robot.dof_names", {
            "qdd": (self.qdd, "rad/s^2 or m/s^2"),
            "tau": (self.tau, "N m or N"),
        })


class LoadTerms(NamedTuple):
    """Joint wrenches by cause, (..., terms, 6), force first; and what friction and rotors take, each (..., n)."""

    values: Floats
    friction: Floats
    rotor: Floats

    def __repr__(self) -> str:
        return parts("Joint wrenches by cause (its rows are the terms)", {
            "values": (self.values, "N, N m"),
            "friction": (self.friction, "N m or N"),
            "rotor": (self.rotor, "N m or N"),
        })


class ClosedLoadTerms(NamedTuple):
    """Wrenches of joints and loops by cause, (..., terms, 6), force first; friction and rotors of all speeds, each
    (..., n); and what each cause takes from each drive, (..., sources, drives).
    """

    values: Floats
    friction: Floats
    rotor: Floats
    drives: Floats

    def __repr__(self) -> str:
        return parts("Wrenches of joints and loops by cause (its rows are the terms)", {
            "values": (self.values, "N, N m"),
            "friction": (self.friction, "N m or N"),
            "rotor": (self.rotor, "N m or N"),
            "drives": (self.drives, "N m or N"),
        })


def load_terms_of(robot: RobotModel, *parts: Floats) -> LoadTerms | ClosedLoadTerms:
    """The terms of a robot: with loops they have a part more."""
    return ClosedLoadTerms(*parts) if robot.held_by_loops else LoadTerms(*parts)


class Momentum(NamedTuple):
    """Linear momentum (N s) and angular momentum about the mass center (N m s), each (..., 3), world axes."""

    linear: Floats
    angular: Floats

    def __repr__(self) -> str:
        return parts("Momentum, world axes, the angular one about the mass center", {
            "linear": (self.linear, "N s"),
            "angular": (self.angular, "N m s"),
        })


def existing_inertia(robot: RobotModel, inertia: Floats) -> Floats:
    """An inertia that exists: an error where a direction without motion would make it infinite."""
    scale = np.abs(inertia).max(axis=(-2, -1), initial=0.0)
    bad = ~(np.isfinite(scale) & (scale < 1e12))
    if bad.any():
        first = tuple(int(i) for i in np.argwhere(bad)[0])
        where = f" in state {first}" if first else ""
        raise ValueError(
            f"robot '{robot.name}': the link cannot move in every direction{where}, so the inertia felt there is "
            "infinite in some; ask for operational_space_mobility, its inverse"
        )
    return inertia
