"""First derivatives of the dynamics, by the chain rule over the recorded equations.

Unlike all other equations these are written for one kind of scalar: the one that records (`scalars.recording`).

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
from loadpath.scalars.derivative import along, gradients
from loadpath.scalars.recording import replaced


def tangents(mechanism: Mechanism, q: Array) -> Array:
    """(nq, n): rate of the coordinates per unit of each speed."""
    result = zeros(mechanism.nq, mechanism.n)
    for k in range(mechanism.n):
        unit = array([1.0 if j == k else 0.0 for j in range(mechanism.n)])
        result[:, k] = state_space.coordinate_rate(mechanism, q, unit)
    return result


def by_q_and_qd(mechanism: Mechanism, of: Array, q: Array, qd: Array) -> tuple[Array, Array]:
    """Derivatives (results, n) of values by a motion of q and by qd."""
    slopes = gradients(of, [*q, *qd])
    return slopes[:, : mechanism.nq] @ tangents(mechanism, q), slopes[:, mechanism.nq :]


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
    tau = newton_euler.inverse_dynamics(mechanism, q, qd, qdd, external, base_velocity, base_acceleration)
    by_q, by_qd = by_q_and_qd(mechanism, tau, q, qd)
    return by_q, by_qd, composite_body.mass_matrix(mechanism, q)


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
    qdd = held(q, mechanism.n)
    parts = by_q_and_qd(mechanism, newton_euler.inverse_dynamics(mechanism, q, qd, qdd, *loads), q, qd)
    reached = state_space.forward_dynamics(mechanism, q, qd, tau, *loads)
    inverse = composite_body.mass_matrix_inverse(mechanism, q)
    by_q, by_qd = (inverse @ array(replaced(part.ravel(), qdd, reached)).reshape(part.shape) for part in parts)
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
    J = kinematics.jacobian(mechanism, q, link, point)
    rate = state_space.coordinate_rate(mechanism, q, qd)
    return along(J.ravel(), q, rate.reshape(-1, 1)).reshape(6, mechanism.n)


def wrench_entries(external: External | None) -> list[Any]:
    """All entries of external wrenches, one after the other."""
    return [entry for wrench in (external or {}).values() for entry in (*wrench.force, *wrench.torque)]
