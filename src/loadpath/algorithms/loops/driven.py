"""A closed robot in its independent speeds: the Jacobians of its links, and the regressors."""

from __future__ import annotations

from loadpath.algorithms.loops.completion import Constraints, complement, constraints, held_by_drives
from loadpath.algorithms.loops.drives import drive_forces, is_redundant
from loadpath.algorithms.loops.inverse_dynamics import ClosedEquation
from loadpath.algorithms.loops.rows import constraint_jacobian
from loadpath.algorithms.loops.sparse import product
from loadpath.algorithms.loops.status import status
from loadpath.formulations.formulation import Equation
from loadpath.mechanics.kinematics import jacobian
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, zeros


def natural_complement(mechanism: Mechanism, q: Array) -> tuple[Array, Array]:
    """The natural orthogonal complement T (n, f) of the loops: all speeds per unit of each independent one; and the
    status of the configuration.
    """
    given = constraints(mechanism, q)
    return complement(mechanism, given), status(mechanism, q, given)


def driven_jacobian(mechanism: Mechanism, q: Array, link: str, point: Array | None = None) -> tuple[Array, Array]:
    """Jacobian (6, f) of a link, at its origin or at a point in its frame, per unit of each independent speed, and the
    status of the configuration.
    """
    given = constraints(mechanism, q)
    J = product(jacobian(mechanism, q, link, point), complement(mechanism, given))
    return J, status(mechanism, q, given)


def closed_regressor(of_tree: Equation) -> ClosedEquation:
    """The matrix (n, 10 links) from inertial parameters to the forces of the drives, from that of the open tree."""

    def regressor(
        mechanism: Mechanism,
        q: Array,
        qd: Array,
        qdd: Array,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
    ) -> tuple[Array, Array]:
        given = held_by_drives(mechanism, constraint_jacobian(mechanism, q))
        forces = of_tree(mechanism, q, qd, qdd, base_velocity, base_acceleration)
        return _on_drives(mechanism, given, forces), status(mechanism, q, given, qd, qdd)

    return regressor


def closed_drive_regressor(of_tree: Equation) -> ClosedEquation:
    """The matrix (n, 3 n) from frictions and rotor inertias of all joints, passive ones too, to the forces of the
    drives, from that of the open tree.
    """

    def drive_regressor(mechanism: Mechanism, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        given = held_by_drives(mechanism, constraint_jacobian(mechanism, q))
        return _on_drives(mechanism, given, of_tree(mechanism, qd, qdd)), status(mechanism, q, given, qd, qdd)

    return drive_regressor


def _on_drives(mechanism: Mechanism, given: Constraints, forces: Array) -> Array:
    """Columns of forces at all joints as forces of the drives."""
    result = zeros(*forces.shape)
    if not is_redundant(mechanism):
        result[list(mechanism.split.independent)] = product(complement(mechanism, given).T, forces)
        return result
    for k in range(forces.shape[1]):
        result[:, k] = drive_forces(mechanism, given, forces[:, k])
    return result
