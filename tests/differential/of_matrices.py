"""Mass and Coriolis matrices and regressors, against Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from differential.choices import choose, small_enough
from differential.peers_regressor import peers_regressor
from differential.register import Compared, check
from differential.robots import Case
from loadpath.formulations.table import FORMULATIONS


@check("Robot.mass_matrix", "Robot.mass_matrix_inverse", against="Pinocchio, crba", bound=1e-10)
def mass_matrix(case: Case) -> Iterator[Compared]:
    q = case.state[0]
    M = case.peer.mass_matrix(q)
    scale = 1 / np.sqrt(np.diag(M))
    unit = scale[:, None] * scale
    yield Compared(case.robot.mass_matrix(q) * unit, M * unit)
    inverse = case.robot.mass_matrix_inverse(q) / unit
    yield Compared(inverse @ (M * unit), np.eye(case.robot.n), case.condition())


@check("Robot.mass_matrix(formulation=)", against="Pinocchio, crba", bound=1e-9)
def other_mass_matrices(case: Case) -> Iterator[Compared]:
    names = tuple(name for name, formulation in FORMULATIONS.items() if formulation.mass_matrix)
    if small_enough(case):
        found = case.robot.mass_matrix(case.state[0], formulation=choose(case, names, "formulation"))
        yield Compared(found, case.peer.mass_matrix(case.state[0]))


@check("Robot.coriolis_matrix", against="Pinocchio: C qd from rnea, C + C' = dM/dt", bound=1e-10)
def coriolis_matrix(case: Case) -> Iterator[Compared]:
    q, qd, _ = case.state
    peer = case.peer
    C = case.robot.coriolis_matrix(q, qd)
    theirs = pin.computeCoriolisMatrix(peer.model, peer.data, peer.q(q), peer.v(qd)).copy()
    rate = peer.speeds.T @ (theirs + theirs.T) @ peer.speeds
    moving = np.abs(peer.mass_matrix(q)).max() * np.abs(qd).max()
    yield Compared(C + C.T, rate, moving)
    force = peer.inverse_dynamics(q, qd, 0 * qd, drives=False) - peer.gravity_forces(q)
    yield Compared(C @ qd, force, max(case.wrench_size, moving * np.abs(qd).max()))


@check("Robot.regressor", against="Pinocchio, computeJointTorqueRegressor", bound=1e-10)
def regressor(case: Case) -> Iterator[Compared]:
    yield Compared(case.robot.regressor(*case.state), peers_regressor(case, *case.state))


@check("Robot.drive_regressor", against="friction and rotors summed in NumPy", bound=1e-12)
def drive_regressor(case: Case) -> Iterator[Compared]:
    """Times the parameters of the drives it is what friction and rotors take."""
    robot, (q, qd, qdd) = case.robot, case.state
    own = [j for j in robot.joints if j.motion.dof and j.mimic is None]
    independent = all(j.mimic is None for j in robot.joints)
    values = [getattr(j, part) for part in ("viscous_friction", "coulomb_friction", "reflected_inertia") for j in own]
    parameters = np.array([x for part in values for x in part])
    expected = case.peer.inverse_dynamics(q, qd, qdd) - case.peer.inverse_dynamics(q, qd, qdd, drives=False)
    if independent:
        yield Compared(robot.drive_regressor(qd, qdd) @ parameters, expected, case.wrench_size)
    Y = robot.drive_regressor(qd, qdd)
    yield Compared(Y, np.hstack([np.diag(qd), np.diag(np.sign(qd)), np.diag(qdd)]))
