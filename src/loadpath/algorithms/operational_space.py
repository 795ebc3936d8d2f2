"""The robot as felt at one of its links (Khatib 1987), in its independent speeds."""

from __future__ import annotations

from loadpath.algorithms.composite_body import mass_matrix
from loadpath.algorithms.loops.completion import complement, constraints
from loadpath.algorithms.loops.forward_dynamics import driven_matrix
from loadpath.algorithms.loops.sparse import product
from loadpath.algorithms.loops.status import status
from loadpath.mechanics.kinematics import jacobian
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, dot, is_zero, ltdl, zeros


def operational_space_mobility(
    mechanism: Mechanism, q: Array, link: str, point: Array | None = None
) -> tuple[Array, Array]:
    """J M^-1 J^T (6, 6): acceleration of the link (linear first, world axes) per unit wrench on it, at its origin or at
    a point in its frame; and the status of the configuration.
    """
    mobility, _, trust = _mobility(mechanism, q, link, point)
    return mobility, trust


def operational_space_inertia(
    mechanism: Mechanism, q: Array, link: str, point: Array | None = None
) -> tuple[Array, Array]:
    """The inverse of the mobility: wrench per unit acceleration. Infinite where the link cannot move in some way."""
    mobility, speeds, trust = _mobility(mechanism, q, link, point)
    if speeds < 6 or any(is_zero(mobility[k, k]) for k in range(6)):
        what = "speeds" if mechanism.is_tree else "freedoms"
        raise ValueError(
            f"link '{link}' cannot move in every direction ({speeds} {what} move it), so the inertia felt there is "
            "infinite in some; ask for operational_space_mobility, its inverse"
        )
    return ltdl(mobility).inverse(), trust


def _mobility(mechanism: Mechanism, q: Array, link: str, point: Array | None) -> tuple[Array, int, Array]:
    """The mobility, how many independent speeds move the link, and the status of the configuration."""
    given = constraints(mechanism, q)
    J = jacobian(mechanism, q, link, point)
    if mechanism.rows:
        T = complement(mechanism, given)
        J, M = product(J, T), driven_matrix(mechanism, q, T)
    else:
        M = mass_matrix(mechanism, q)
    factors = ltdl(M)
    solved = [factors.solve(row) for row in J]
    result = zeros(6, 6)
    for i in range(6):
        for j in range(i + 1):
            result[i, j] = result[j, i] = dot(J[j], solved[i])
    return result, sum(not all(is_zero(x) for x in column) for column in J.T), status(mechanism, q, given)
