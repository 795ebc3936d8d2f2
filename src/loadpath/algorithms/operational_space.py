"""The robot as felt at one of its links (Khatib 1987)."""

from __future__ import annotations

from loadpath.algorithms.composite_body import factored_mass_matrix
from loadpath.mechanics.kinematics import jacobian
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, dot, is_zero, ltdl, zeros


def operational_space_mobility(mechanism: Mechanism, q: Array, link: str, point: Array | None = None) -> Array:
    """J M^-1 J^T (6, 6): acceleration of the link (linear first, world axes) per unit wrench on it, at its origin or at
    a point in its frame.
    """
    J = jacobian(mechanism, q, link, point)
    factors = factored_mass_matrix(mechanism, q)
    solved = [factors.solve(J[i]) for i in range(6)]
    result = zeros(6, 6)
    for i in range(6):
        for j in range(i + 1):
            result[i, j] = result[j, i] = dot(J[j], solved[i])
    return result


def operational_space_inertia(mechanism: Mechanism, q: Array, link: str, point: Array | None = None) -> Array:
    """The inverse of the mobility: wrench per unit acceleration. Infinite where the link cannot move in some way."""
    mobility = operational_space_mobility(mechanism, q, link, point)
    speeds = sum(not all(is_zero(x) for x in column) for column in jacobian(mechanism, q, link).T)
    if speeds < 6 or any(is_zero(mobility[k, k]) for k in range(6)):
        raise ValueError(
            f"link '{link}' cannot move in every direction ({speeds} speeds move it), so the inertia felt there is "
            "infinite in some; ask for operational_space_mobility, its inverse"
        )
    return ltdl(mobility).inverse()
