"""A closed robot in its independent speeds: its links' Jacobians, what is felt at a link, and the regressors."""

from __future__ import annotations

from loadpath.algorithms import regressor as regressors
from loadpath.algorithms.loops.completion import Constraints, complement, constraints, held_by_drives
from loadpath.algorithms.loops.drives import drive_forces, is_redundant
from loadpath.algorithms.loops.forward_dynamics import driven_matrix
from loadpath.algorithms.loops.rows import constraint_jacobian
from loadpath.algorithms.loops.sparse import product, sparse_dot
from loadpath.algorithms.loops.status import status
from loadpath.mechanics.kinematics import jacobian
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.scalars import Array, is_zero, ltdl, zeros


def natural_complement(mechanism: ClosedMechanism, q: Array) -> tuple[Array, Array]:
    """The natural orthogonal complement T (n, f) of the loops: all speeds per unit of each independent one; and the
    status of the configuration.
    """
    given = constraints(mechanism, q)
    return complement(mechanism, given), status(mechanism, q, given)


def driven_jacobian(mechanism: ClosedMechanism, q: Array, link: str, point: Array | None = None) -> tuple[Array, Array]:
    """Jacobian (6, f) of a link, at its origin or at a point in its frame, per unit of each independent speed, and the
    status of the configuration.
    """
    given = constraints(mechanism, q)
    J = product(jacobian(mechanism, q, link, point), complement(mechanism, given))
    return J, status(mechanism, q, given)


def operational_space_mobility(
    mechanism: ClosedMechanism, q: Array, link: str, point: Array | None = None
) -> tuple[Array, Array]:
    """Acceleration (6, 6) of a link per unit wrench on it, at its origin or at a point in its frame, and the status of
    the configuration.
    """
    given = constraints(mechanism, q)
    return _mobility(mechanism, q, link, point, given)[0], status(mechanism, q, given)


def operational_space_inertia(
    mechanism: ClosedMechanism, q: Array, link: str, point: Array | None = None
) -> tuple[Array, Array]:
    """The inverse of the mobility. Infinite where the link cannot move in some way."""
    given = constraints(mechanism, q)
    mobility, speeds = _mobility(mechanism, q, link, point, given)
    if speeds < 6 or any(is_zero(mobility[k, k]) for k in range(6)):
        raise ValueError(
            f"link '{link}' cannot move in every direction ({speeds} freedoms move it), so the inertia felt there is "
            "infinite in some; ask for operational_space_mobility, its inverse"
        )
    return ltdl(mobility).inverse(), status(mechanism, q, given)


def _mobility(
    mechanism: ClosedMechanism, q: Array, link: str, point: Array | None, given: Constraints
) -> tuple[Array, int]:
    """The mobility, and how many independent speeds move the link."""
    T = complement(mechanism, given)
    J = product(jacobian(mechanism, q, link, point), T)
    factors = ltdl(driven_matrix(mechanism, q, T))
    solved = [factors.solve(row) for row in J]
    result = zeros(6, 6)
    for i in range(6):
        for j in range(i + 1):
            result[i, j] = result[j, i] = sparse_dot(J[j], solved[i])
    return result, sum(not all(is_zero(x) for x in column) for column in J.T)


def regressor(
    mechanism: ClosedMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Matrix (n, 10 links) from inertial parameters to the forces of the drives, and the status of the state."""
    given = held_by_drives(mechanism, constraint_jacobian(mechanism, q))
    of_tree = regressors.regressor(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    return _on_drives(mechanism, given, of_tree), status(mechanism, q, given, qd, qdd)


def drive_regressor(mechanism: ClosedMechanism, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """Matrix (n, 3 n) from frictions and rotor inertias of all joints, passive ones too, to the forces of the drives,
    and the status of the state.
    """
    given = held_by_drives(mechanism, constraint_jacobian(mechanism, q))
    of_tree = regressors.drive_regressor(mechanism, qd, qdd)
    return _on_drives(mechanism, given, of_tree), status(mechanism, q, given, qd, qdd)


def _on_drives(mechanism: ClosedMechanism, given: Constraints, forces: Array) -> Array:
    """Columns of forces at all joints as forces of the drives."""
    result = zeros(*forces.shape)
    if not is_redundant(mechanism):
        result[list(mechanism.split.independent)] = product(complement(mechanism, given).T, forces)
        return result
    for k in range(forces.shape[1]):
        result[:, k] = drive_forces(mechanism, given, forces[:, k])
    return result
