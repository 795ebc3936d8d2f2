"""One time step of fixed length of a closed chain, by the classical method of Runge and Kutta, which ends on the loops.

Accelerations are Gauss's (`forward_dynamics`), so nothing is said of independent speeds, and dead points are passed.
What the step leaves open, of the order of its error, is closed at its end: coordinates and speeds move to the nearest
that the loops allow, in the metric of the mass matrix. That keeps the order, and nothing adds up.

Rows that depend on each other only where the loops are closed (a bar too many in a parallelogram) would hold too much a
little beside it. Then the stages are closed too. They are stages of the same equation, continued off the loops in
another way, so that keeps the order as well.
"""

from __future__ import annotations

from loadpath.algorithms.coulomb import nearest_to_rest, rubbing_speeds, without_coulomb
from loadpath.algorithms.loops.completion import moving_rows
from loadpath.algorithms.loops.forward_dynamics import accelerations_per_force, allowed_motions, forward_dynamics
from loadpath.algorithms.loops.residual import closure
from loadpath.algorithms.loops.rows import constraint_jacobian
from loadpath.algorithms.loops.status import state_of_rows
from loadpath.algorithms.state_space import coordinate_rate
from loadpath.algorithms.time_stepping import runge_kutta
from loadpath.mechanics.configuration import integrate, normalised
from loadpath.mechanics.wrenches import External
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.scalars import Array, Scalar, array, ltdl, zeros

CLOSING_STEPS = 2
"""Newton's steps at the end of a step: they square what is open, which is of the fifth order of the step."""
SHARED = 1e-9
"""Part of the diagonal that makes a choice among frictions that only together matter."""


def runge_kutta_step(
    mechanism: ClosedMechanism, q: Array, qd: Array, tau: Array, step: Scalar, external: External | None = None
) -> tuple[Array, Array, Array]:
    """Coordinates and speeds one step later, on the loops, with forces and external wrenches constant over the step;
    and the status of the state that it began with. Coulomb friction as in a tree's step.
    """
    J = constraint_jacobian(mechanism, q)
    trust = state_of_rows(mechanism, q, J, 1.0, qd)
    tau = tau - _held_over_step(mechanism, q, qd, tau, step, external)
    smooth = without_coulomb(mechanism)
    stages = 1 if len(moving_rows(J)) > len(mechanism.split.dependent) else 0

    def rates(q: Array, qd: Array) -> tuple[Array, Array]:
        at = closed(smooth, q, stages)
        return coordinate_rate(smooth, at, qd), forward_dynamics(smooth, at, qd, tau, external)[0]

    q, qd = runge_kutta(rates, q, qd, step)
    q = closed(smooth, q, CLOSING_STEPS)
    return q, allowed_speeds(smooth, q, qd), trust


def closed(mechanism: ClosedMechanism, q: Array, steps: int) -> Array:
    """The nearest closed configuration, by some of Newton's steps."""
    q = normalised(mechanism, q) if steps else q
    for _ in range(steps):
        allowed, _ = allowed_motions(mechanism, q)
        q = integrate(mechanism, q, allowed.nearest(zeros(mechanism.n), [-gap for gap in closure(mechanism, q)]))
    return q


def allowed_speeds(mechanism: ClosedMechanism, q: Array, qd: Array) -> Array:
    """The nearest speeds that keep the loops closed."""
    allowed, _ = allowed_motions(mechanism, q)
    return allowed.nearest(allowed.white.of_motion(qd))


def _held_over_step(
    mechanism: ClosedMechanism, q: Array, qd: Array, tau: Array, step: Scalar, external: External | None
) -> Array:
    """Coulomb friction forces, constant over a time step (see `loadpath.algorithms.coulomb`). With more joints that rub
    than freedoms the frictions are not determined where they hold; what they do is.
    """
    rubbing = rubbing_speeds(mechanism)
    if not rubbing:
        return zeros(mechanism.n)
    smooth = without_coulomb(mechanism)
    qdd, _ = forward_dynamics(smooth, q, qd, tau, external)
    inverse, _ = accelerations_per_force(smooth, q)
    A = array([[inverse[i, j] for j in rubbing] for i in rubbing])
    w = array([qd[k] / step + qdd[k] for k in rubbing])
    regular = array([[A[i, j] * (1.0 + SHARED) if i == j else A[i, j] for j in range(len(w))] for i in range(len(w))])
    return nearest_to_rest(mechanism, qd, A, w, ltdl(regular).solve(w))
