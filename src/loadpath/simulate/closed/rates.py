"""The rate of a closed chain's state, where the power goes, and what the loops hold: compiled in one program each."""

from __future__ import annotations

from loadpath.algorithms.coulomb import without_coulomb
from loadpath.algorithms.loops.forward_dynamics import forward_dynamics
from loadpath.algorithms.loops.residual import closure
from loadpath.algorithms.loops.rows import constraint_jacobian
from loadpath.algorithms.state_space import coordinate_rate
from loadpath.mechanics.wrenches import External
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.scalars import Array, array, dot
from loadpath.simulate.power_flow import external_power, viscous_forces


def state_and_power_rates(
    mechanism: ClosedMechanism, x: Array, tau: Array, coulomb: Array, external: External | None = None
) -> tuple[Array, Array]:
    """As `loadpath.simulate.power_flow.state_and_power_rates`, with the loops closed: their forces do no work."""
    q, qd = x[: mechanism.nq], x[mechanism.nq :]
    smooth = without_coulomb(mechanism)
    qdd, _ = forward_dynamics(smooth, q, qd, tau - coulomb, external)
    lost = dot(coulomb, qd) + dot(viscous_forces(mechanism, qd), qd)
    return (
        array([*coordinate_rate(mechanism, q, qd), *qdd]),
        array([dot(tau, qd), lost, external_power(mechanism, q, qd, external)]),
    )


def closure_and_rows(mechanism: ClosedMechanism, q: Array) -> tuple[Array, Array]:
    """How far the held directions are from closed (m), and the rows J (m, n)."""
    return closure(mechanism, q), constraint_jacobian(mechanism, q)
