"""First derivatives of the dynamics of a tree: of the inverse dynamics by recursion (`inverse_dynamics_slopes`), of the
forward dynamics by solving with the factors of the mass matrix.

Derivatives by q are in the tangent space: by a small motion with the speeds' own meaning (`coordinate_rate`), so they
have n columns and hold through quaternions. `jacobian_dot` goes by the chain rule over the recorded equations, and is
written for the scalar that records (`scalars.recording`) alone.
"""

from __future__ import annotations

from typing import Any

from loadpath.algorithms import composite_body, regressor, state_space
from loadpath.algorithms.inverse_dynamics_second_slopes import second_slopes
from loadpath.algorithms.inverse_dynamics_slopes import mass_matrix_and_bias, slopes
from loadpath.algorithms.tree_solve import TreeSolve
from loadpath.mechanics import kinematics
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, array, ltdl, zeros
from loadpath.scalars.derivative import along


def tangents(mechanism: Mechanism, q: Array) -> Array:
    """(nq, n): rate of the coordinates per unit of each speed."""
    result = zeros(mechanism.nq, mechanism.n)
    for k in range(mechanism.n):
        unit = array([1.0 if j == k else 0.0 for j in range(mechanism.n)])
        result[:, k] = state_space.coordinate_rate(mechanism, q, unit)
    return result


def held(like: Array, count: int) -> Array:
    """Inputs of the trace that a value belongs to: what they stand for is put in when all is differentiated."""
    return array(like[0].recording.inputs(count)) if len(like) else zeros(count)


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
    return slopes(mechanism, q, qd, qdd, external, base_velocity, base_acceleration)


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
    loads = external, base_velocity, base_acceleration
    M, bias = mass_matrix_and_bias(mechanism, q, qd, *loads)
    factors = ltdl(M)
    qdd = factors.solve(tau - bias)
    by_q, by_qd, _ = slopes(mechanism, q, qd, qdd, *loads)
    solver = TreeSolve(factors)
    return -solver.columns(by_q), -solver.columns(by_qd), solver.inverse()


def forward_dynamics_second_derivatives(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array, Array, Array]:
    """Second derivatives (n, n, n) of the accelerations by q twice, q and qd, qd twice, q and tau. Those of the inverse
    dynamics, followed by the accelerations: with x, y any two of these arguments,

        M qdd_xy = -(ID_xy + ID_x,qdd qdd_y + ID_y,qdd qdd_x).
    """
    n, loads = mechanism.n, (external, base_velocity, base_acceleration)
    M, bias = mass_matrix_and_bias(mechanism, q, qd, *loads)
    factors = ltdl(M)
    qdd = factors.solve(tau - bias)
    solver = TreeSolve(factors)
    by_q, by_qd, _ = slopes(mechanism, q, qd, qdd, *loads)
    first = [-solver.columns(by_q), -solver.columns(by_qd), solver.inverse()]
    second = second_slopes(mechanism, q, qd, qdd, *loads)
    inertia = second.q_qdd  # change of the mass matrix with a displacement j: [:, j]
    through = [[inertia[:, j] @ part for j in range(n)] for part in first]

    def solved(column: Array) -> Array:
        return -solver.columns(column.reshape(n, 1))[:, 0]

    q_q, q_qd, qd_qd, q_tau = (zeros(n, n, n) for _ in range(4))
    for j in range(n):
        for k in range(n):
            q_qd[:, j, k] = solved(second.q_qd[:, j, k] + through[1][j][:, k])
            q_tau[:, j, k] = solved(through[2][j][:, k])
            if k <= j:
                qd_qd[:, j, k] = qd_qd[:, k, j] = solved(second.qd_qd[:, j, k])
            # Displacements of one joint need not commute: turns do not.
            if k <= j or _of_one_joint(mechanism, j, k):
                q_q[:, j, k] = solved(second.q_q[:, j, k] + through[0][j][:, k] + through[0][k][:, j])
            if k < j and not _of_one_joint(mechanism, j, k):
                q_q[:, k, j] = q_q[:, j, k]
    return q_q, q_qd, qd_qd, q_tau


def _of_one_joint(mechanism: Mechanism, j: int, k: int) -> bool:
    """Whether two speeds are of one joint."""
    return any(body.v.start <= j < body.v.stop and body.v.start <= k < body.v.stop for body in mechanism.bodies)


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
    return -TreeSolve(composite_body.factored_mass_matrix(mechanism, q)).columns(needed)


def jacobian_dot(mechanism: Mechanism, q: Array, qd: Array, link: str, point: Array | None = None) -> Array:
    """Time derivative (6, n) of the Jacobian of a link, at its origin or at a point that is fixed on it."""
    J = kinematics.jacobian(mechanism, q, link, point)
    rate = state_space.coordinate_rate(mechanism, q, qd)
    return along(J.ravel(), q, rate.reshape(-1, 1)).reshape(6, mechanism.n)


def wrench_entries(external: External | None) -> list[Any]:
    """All entries of external wrenches, one after the other."""
    return [entry for wrench in (external or {}).values() for entry in (*wrench.force, *wrench.torque)]
