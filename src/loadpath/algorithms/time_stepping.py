"""One time step of fixed length, by the classical fourth-order method of Runge and Kutta."""

from __future__ import annotations

from collections.abc import Callable

from loadpath.algorithms.coulomb import held_over_step, without_coulomb
from loadpath.algorithms.state_space import coordinate_rate, forward_dynamics
from loadpath.mechanics.configuration import normalised
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, scale


def runge_kutta_step(
    mechanism: Mechanism, q: Array, qd: Array, tau: Array, step: Scalar, external: External | None = None
) -> tuple[Array, Array]:
    """Coordinates and speeds one step later, with drive forces and external wrenches constant over the step.

    Quaternions are stepped as four numbers, which only their direction counts of, and made units again at the end.
    Coulomb friction is constant over the step (`held_over_step`): fourth order while a joint keeps its direction,
    first order in the step in which it stops or turns round, and at rest it rests.
    """
    h = step
    tau = tau - held_over_step(mechanism, q, qd, tau, h, external)
    mechanism = without_coulomb(mechanism)

    def rates(q: Array, qd: Array) -> tuple[Array, Array]:
        return coordinate_rate(mechanism, q, qd), forward_dynamics(mechanism, q, qd, tau, external)

    q, qd = runge_kutta(rates, q, qd, h)
    return normalised(mechanism, q), qd


def runge_kutta(
    rates: Callable[[Array, Array], tuple[Array, Array]], q: Array, qd: Array, h: Scalar
) -> tuple[Array, Array]:
    """Coordinates and speeds a time h later, from their rates."""
    dq1, dv1 = rates(q, qd)
    dq2, dv2 = rates(q + scale(0.5 * h, dq1), qd + scale(0.5 * h, dv1))
    dq3, dv3 = rates(q + scale(0.5 * h, dq2), qd + scale(0.5 * h, dv2))
    dq4, dv4 = rates(q + scale(h, dq3), qd + scale(h, dv3))
    sixth = h / 6.0
    q = q + scale(sixth, dq1 + scale(2.0, dq2 + dq3) + dq4)
    return q, qd + scale(sixth, dv1 + scale(2.0, dv2 + dv3) + dv4)
