"""Coulomb friction apart from everything else: a force of constant size against the speed, that at rest takes whatever
value up to that size keeps the joint at rest.

Forward dynamics takes it as a function of the speed alone, which is not enough where a joint comes to rest. Integration
in time takes it out of the robot with `without_coulomb` and puts it back as a force of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from loadpath.algorithms.composite_body import mass_matrix_inverse
from loadpath.algorithms.state_space import forward_dynamics
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, array, ltdl, sign, zeros

AnyMechanism = TypeVar("AnyMechanism", bound=Mechanism)

SWEEPS = 10
"""Sweeps of the iteration in `held_over_step`; it starts from the solution if all joints stop."""


def coulomb_limits(mechanism: Mechanism) -> list[float]:
    """Size of the Coulomb friction along each speed of the robot, that of mimicking joints included."""
    limits = [0.0] * mechanism.n
    for body in mechanism.bodies:
        for k, size in enumerate(body.joint.coulomb_friction, start=body.v.start):
            limits[k] += abs(body.multiplier) * size
    return limits


def without_coulomb(mechanism: AnyMechanism) -> AnyMechanism:
    """The same robot without Coulomb friction."""
    bodies = (replace(body, joint=replace(body.joint, coulomb_friction=())) for body in mechanism.bodies)
    return replace(mechanism, bodies=tuple(bodies))


def held_over_step(
    mechanism: Mechanism, q: Array, qd: Array, tau: Array, step: Scalar, external: External | None = None
) -> Array:
    """Coulomb friction forces, constant over a time step: those that bring the speeds nearest to zero at its end.

    Friction f within its limits minimises f.A f / 2 - f.w, with A the inverse of the mass matrix and w = qd/step + qdd
    what must be taken away. A joint that keeps its direction gets its whole friction; one that can be stopped is
    stopped; none is turned round. Projected Gauss-Seidel sweeps, begun at the forces that would stop every joint.
    """
    limits = coulomb_limits(mechanism)
    rubbing = [k for k, limit in enumerate(limits) if limit > 0]
    friction = zeros(mechanism.n)
    if not rubbing:
        return friction
    smooth = without_coulomb(mechanism)
    qdd = forward_dynamics(smooth, q, qd, tau, external)
    inverse = mass_matrix_inverse(smooth, q)
    A = array([[inverse[i, j] for j in rubbing] for i in rubbing])
    w = array([qd[k] / step + qdd[k] for k in rubbing])
    size = [limits[k] for k in rubbing]
    f = [within(x, limit) for x, limit in zip(ltdl(A).solve(w), size, strict=True)]
    for _ in range(SWEEPS if len(rubbing) > 1 else 0):
        for i in range(len(rubbing)):
            left: Scalar = w[i]
            for j in range(len(rubbing)):
                left = left - A[i, j] * f[j]
            f[i] = within(f[i] + left / A[i, i], size[i])
    for k, force in zip(rubbing, f, strict=True):
        friction[k] = force
    return friction


def within(x: Scalar, limit: float) -> Scalar:
    """x, but not beyond plus or minus the limit.

    >>> within(3.0, 2.0), within(0.5, 2.0)
    (2.0, 0.5)
    """
    above, below = x + limit, x - limit
    return 0.5 * (above * sign(above) - below * sign(below))
