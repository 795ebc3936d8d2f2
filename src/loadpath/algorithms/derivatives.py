"""First derivatives of the dynamics, by CasADi's forward differentiation of the traced equations.

Unlike all other equations these are written for one kind of scalar: the one that records, which is a CasADi
expression. CasADi is imported when they are traced, not before.

Derivatives by q are in the tangent space: by a small motion with the speeds' own meaning (`coordinate_rate`), so they
have n columns and hold through quaternions.
"""

from __future__ import annotations

from typing import Any

from loadpath.algorithms import composite_body, regressor, state_space
from loadpath.formulations import newton_euler
from loadpath.mechanics import kinematics
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, array, zeros


def matrix(of: Any) -> Array:
    """An object array of the entries of a CasADi matrix."""
    from loadpath.scalars.recording import Recorded

    rows, columns = of.shape
    result = zeros(rows, columns)
    for i in range(rows):
        for j in range(columns):
            result[i, j] = Recorded(of[i, j])
    return result


def tangents(mechanism: Mechanism, q: Array) -> Any:
    """Matrix (nq, n): rate of the coordinates per unit of each speed."""
    import casadi

    from loadpath.scalars.recording import column

    columns = []
    for k in range(mechanism.n):
        unit = array([1.0 if j == k else 0.0 for j in range(mechanism.n)])
        columns.append(column(state_space.coordinate_rate(mechanism, q, unit)))
    return casadi.horzcat(casadi.SX(mechanism.nq, 0), *columns)


def by_q_and_qd(mechanism: Mechanism, of: Any, q: Array, qd: Array) -> tuple[Any, Any]:
    """Derivatives of a column by a motion of q and by qd."""
    import casadi

    from loadpath.scalars.recording import column

    of = casadi.cse(of)
    return (
        casadi.jtimes(of, column(q), tangents(mechanism, q)),
        casadi.jtimes(of, column(qd), casadi.SX.eye(mechanism.n)),
    )


def inverse_dynamics_derivatives(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array, Array]:
    """Derivatives (n, n) of the drive forces by q, qd and qdd."""
    from loadpath.scalars.recording import column

    tau = column(newton_euler.inverse_dynamics(mechanism, q, qd, qdd, external, base_velocity, base_acceleration))
    by_q, by_qd = by_q_and_qd(mechanism, tau, q, qd)
    return matrix(by_q), matrix(by_qd), composite_body.mass_matrix(mechanism, q)


def forward_dynamics_derivatives(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array, Array]:
    """Derivatives (n, n) of the accelerations by q, qd and tau: M^-1 times minus those of the inverse dynamics."""
    import casadi

    from loadpath.scalars.recording import column, entries

    qdd = casadi.SX.sym("qdd", mechanism.n)
    loads = external, base_velocity, base_acceleration
    needed = column(newton_euler.inverse_dynamics(mechanism, q, qd, entries(qdd), *loads))
    parts = by_q_and_qd(mechanism, needed, q, qd)
    given = [*wrench_entries(external), *(() if base_velocity is None else base_velocity)]
    given += [*(() if base_acceleration is None else base_acceleration)]
    arguments = [column(q), column(qd), column(given)]
    slopes = casadi.Function("slopes", [*arguments, qdd], list(parts), {"allow_free": True})  # as gravity may be
    reached = column(state_space.forward_dynamics(mechanism, q, qd, tau, *loads))
    inverse = composite_body.mass_matrix_inverse(mechanism, q)
    by_q, by_qd = (inverse @ matrix(part) for part in slopes(*arguments, reached))
    return -by_q, -by_qd, inverse


def forward_dynamics_parameter_derivatives(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """Derivatives (n, 10 links) of the accelerations by the inertial parameters: -M^-1 times the regressor."""
    qdd = state_space.forward_dynamics(mechanism, q, qd, tau, external, base_velocity, base_acceleration)
    needed = regressor.regressor(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    by_parameter: Array = composite_body.mass_matrix_inverse(mechanism, q) @ needed
    return -by_parameter


def jacobian_dot(mechanism: Mechanism, q: Array, qd: Array, link: str, point: Array | None = None) -> Array:
    """Time derivative (6, n) of the Jacobian of a link, at its origin or at a point that is fixed on it."""
    import casadi

    from loadpath.scalars.recording import column

    J = casadi.cse(column(kinematics.jacobian(mechanism, q, link, point)))
    rate = column(state_space.coordinate_rate(mechanism, q, qd))
    return matrix(casadi.jtimes(J, column(q), rate)).reshape(6, mechanism.n)


def wrench_entries(external: External | None) -> list[Any]:
    """All entries of external wrenches, one after the other."""
    return [entry for wrench in (external or {}).values() for entry in (*wrench.force, *wrench.torque)]
