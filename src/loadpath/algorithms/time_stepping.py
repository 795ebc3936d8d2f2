"""One time step of fixed length, by the classical fourth-order method of Runge and Kutta; with loops it ends on them.

With loops, accelerations are Gauss's (`loops/forward_dynamics`), so nothing is said of independent speeds, and dead
points are passed. What the step leaves open, of the order of its error, is closed at its end: coordinates and speeds
move to the nearest that the loops allow, in the metric of the mass matrix. That keeps the order, and nothing adds up.

Rows that depend on each other only where the loops are closed (a bar too many in a parallelogram) would hold too much a
little beside it. Then the stages are closed too. They are stages of the same equation, continued off the loops in
another way, so that keeps the order as well.
"""

from __future__ import annotations

from collections.abc import Callable

from loadpath.algorithms.coulomb import nearest_to_rest, rubbing_speeds, without_coulomb
from loadpath.algorithms.loops.completion import moving_rows
from loadpath.algorithms.loops.forward_dynamics import accelerations_per_force, allowed_motions, forward_dynamics
from loadpath.algorithms.loops.residual import closure
from loadpath.algorithms.loops.rows import constraint_jacobian
from loadpath.algorithms.loops.status import state_of_rows
from loadpath.algorithms.state_space import coordinate_rate
from loadpath.mechanics.configuration import integrate, normalised
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, array, ltdl, scale, zeros

CLOSING_STEPS = 2
"""Newton's steps at the end of a step: they square what is open, which is of the fifth order of the step."""
SHARED = 1e-9
"""Part of the diagonal that makes a choice among frictions that only together matter."""


def runge_kutta_step(
    mechanism: Mechanism, q: Array, qd: Array, tau: Array, step: Scalar, external: External | None = None
) -> tuple[Array, Array, Array]:
    """Coordinates and speeds one step later, on the loops, with forces and external wrenches constant over the step;
    and the status of the state that it began with.

    Quaternions are stepped as four numbers, which only their direction counts of, and made units again at the end.
    Coulomb friction is constant over the step (`held_over_step`): fourth order while a joint keeps its direction,
    first order in the step in which it stops or turns round, and at rest it rests.
    """
    J = constraint_jacobian(mechanism, q)
    trust = state_of_rows(mechanism, q, J, 1.0, qd)
    tau = tau - held_over_step(mechanism, q, qd, tau, step, external)
    smooth = without_coulomb(mechanism)
    stages = 1 if len(moving_rows(J)) > len(mechanism.split.dependent) else 0

    def rates(q: Array, qd: Array) -> tuple[Array, Array]:
        at = closed(smooth, q, stages)
        return coordinate_rate(smooth, at, qd), forward_dynamics(smooth, at, qd, tau, external)[0]

    q, qd = runge_kutta(rates, q, qd, step)
    if not mechanism.rows:
        return normalised(smooth, q), qd, trust
    q = closed(smooth, q, CLOSING_STEPS)
    return q, allowed_speeds(smooth, q, qd), trust


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


def closed(mechanism: Mechanism, q: Array, steps: int) -> Array:
    """The nearest closed configuration, by some of Newton's steps."""
    q = normalised(mechanism, q) if steps else q
    for _ in range(steps):
        allowed, _ = allowed_motions(mechanism, q)
        q = integrate(mechanism, q, allowed.nearest(zeros(mechanism.n), [-gap for gap in closure(mechanism, q)]))
    return q


def allowed_speeds(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """The nearest speeds that keep the loops closed."""
    allowed, _ = allowed_motions(mechanism, q)
    return allowed.nearest(allowed.white.of_motion(qd))


def held_over_step(
    mechanism: Mechanism, q: Array, qd: Array, tau: Array, step: Scalar, external: External | None = None
) -> Array:
    """Coulomb friction forces, constant over a time step: those that bring the speeds nearest to zero at its end.

    Friction f within its limits minimises f.A f / 2 - f.w, with A all accelerations per unit of force (of a tree the
    inverse of the mass matrix) and w = qd/step + qdd what must be taken away. A joint that keeps its direction gets its
    whole friction; one that can be stopped is stopped; none is turned round. Projected Gauss-Seidel sweeps, begun at
    the forces that would stop every joint. With more joints that rub than freedoms the frictions are not determined
    where they hold; what they do is.
    """
    rubbing = rubbing_speeds(mechanism)
    if not rubbing:
        return zeros(mechanism.n)
    smooth = without_coulomb(mechanism)
    qdd, _ = forward_dynamics(smooth, q, qd, tau, external)
    inverse, _ = accelerations_per_force(smooth, q)
    A = array([[inverse[i, j] for j in rubbing] for i in rubbing])
    w = array([qd[k] / step + qdd[k] for k in rubbing])
    start = A if not mechanism.rows else _regular(A)
    return nearest_to_rest(mechanism, qd, A, w, ltdl(start).solve(w))


def _regular(A: Array) -> Array:
    """A matrix that may be singular with a part of its diagonal added."""
    result = A.copy()
    for k in range(len(A)):
        result[k, k] = A[k, k] * (1.0 + SHARED)
    return result
