"""Results with several parts: named tuples of arrays, each part with the batch axes in front."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives (..., n, n) of the drive forces by q (tangent space), qd and qdd (the mass matrix); with loops
    (..., n, freedoms), by those of the independent speeds.
    """

    q: Floats
    qd: Floats
    qdd: Floats


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives (..., n, n) of the accelerations by q (tangent space), qd and tau (the mass matrix's inverse); with
    loops those by q and qd (..., n, freedoms), by those of the independent speeds.
    """

    q: Floats
    qd: Floats
    tau: Floats


class InverseDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives [..., i, j, k] of the force of drive i: by entry j of the first, then by entry k of the second
    of the two arguments that a part is named after.
    """

    q_q: Floats
    q_qd: Floats
    qd_qd: Floats
    q_qdd: Floats


class ForwardDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives [..., i, j, k] of acceleration i: by entry j of the first, then by entry k of the second of
    the two arguments that a part is named after.
    """

    q_q: Floats
    q_qd: Floats
    qd_qd: Floats
    q_tau: Floats


class WrenchDerivatives(NamedTuple):
    """Derivatives (..., joints, 3, n) of the force and of the torque at every joint by one kind of argument."""

    force: Floats
    torque: Floats


class JointWrenchDerivatives(NamedTuple):
    """Derivatives of the joint wrenches by q (tangent space), qd and qdd: each has `.force` and `.torque`."""

    q: WrenchDerivatives
    qd: WrenchDerivatives
    qdd: WrenchDerivatives

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


class DeflectionDerivatives(NamedTuple):
    """Derivatives of the small deflection by q (tangent space), qd and qdd: each has `.displacement` and `.rotation`.
    """

    q: DeflectionSlopes
    qd: DeflectionSlopes
    qdd: DeflectionSlopes

    @staticmethod
    def of(*parts: Floats) -> DeflectionDerivatives:
        """Of displacements and rotations by q, by qd, by qdd."""
        return DeflectionDerivatives(*(DeflectionSlopes(*parts[k : k + 2]) for k in (0, 2, 4)))


class MixedDynamics(NamedTuple):
    """Accelerations and drive forces, each (..., n), those that were given among them."""

    qdd: Floats
    tau: Floats


class LoadTerms(NamedTuple):
    """Joint wrenches by cause, (..., terms, 6), force first; and what friction and rotors take, each (..., n)."""

    values: Floats
    friction: Floats
    rotor: Floats


class ClosedLoadTerms(NamedTuple):
    """Wrenches of joints and loops by cause, (..., terms, 6), force first; friction and rotors of all speeds, each
    (..., n); and what each cause takes from each drive, (..., sources, drives).
    """

    values: Floats
    friction: Floats
    rotor: Floats
    drives: Floats


def load_terms_of(robot: RobotModel, *parts: Floats) -> LoadTerms | ClosedLoadTerms:
    """The terms of a robot: with loops they have a part more."""
    return ClosedLoadTerms(*parts) if robot.held_by_loops else LoadTerms(*parts)


class Momentum(NamedTuple):
    """Linear momentum (N s) and angular momentum about the mass center (N m s), each (..., 3), world axes."""

    linear: Floats
    angular: Floats


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
