"""First derivatives of the dynamics along the motions that the loops allow; of a tree, those of `derivatives`.

A closed robot has as many directions as freedoms. Along one of them the independent coordinates, speeds or
accelerations change, each by itself, and all others follow: with qd = T qd_I and J the rows of the loops,

    dq = T dq_I,    J dqd = -(dJ) qd,    J dqdd = -d(J qdd + Jdot qd),    where the independent ones keep theirs.

The multipliers of the loops are in J' lambda = r - tau, with r the forces of the open tree. So of the forces on the
independent speeds, T' tau = T' r, the derivative is T' d(r - J' lambda) with lambda held: nothing that is solved for is
differentiated. Written for the scalar that records, like `loadpath.algorithms.derivatives`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from loadpath.algorithms import derivatives
from loadpath.algorithms import regressor as regressors
from loadpath.algorithms.composite_body import mass_matrix
from loadpath.algorithms.derivatives import held, tangents
from loadpath.algorithms.loops.completion import Constraints, complement, completed, constraints
from loadpath.algorithms.loops.forward_dynamics import by_complement, driven_matrix
from loadpath.algorithms.loops.inverse_dynamics import closed_inverse_dynamics
from loadpath.algorithms.loops.rows import constraint_jacobian, constraint_rate
from loadpath.algorithms.loops.sparse import product, scaled, times
from loadpath.algorithms.loops.status import state_of_rows, status
from loadpath.formulations import newton_euler
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, array, ltdl, zeros
from loadpath.scalars.derivative import along
from loadpath.scalars.recording import replaced


class Slopes(NamedTuple):
    """What changes along each freedom while the independent accelerations keep theirs."""

    forces: Array
    """(f, f): forces on the independent speeds, T' r."""
    follow: Array
    """(n, f): accelerations, those of the independent speeds zero."""


class Linearised:
    """The equations of a closed chain about a state: r(q, qd, qdd) = tau + J' lambda."""

    def __init__(
        self, mechanism: Mechanism, q: Array, qd: Array, qdd: Array, tau: Array, loads: tuple[Any, Any, Any]
    ) -> None:
        self.mechanism, self.q, self.qd, self.qdd, self.loads = mechanism, q, qd, qdd, loads
        self.given: Constraints = constraints(mechanism, q)
        self.T: Array = complement(mechanism, self.given)
        needed = newton_euler.inverse_dynamics(mechanism, q, qd, qdd, *loads) - tau
        found = self.given.factors.solve_transposed(needed[self.given.dependent])
        self.multipliers: Array = zeros(len(self.given.J))
        self.multipliers[self.given.moving] = found

    @property
    def _along_q(self) -> Array:
        """(nq, f): rate of the coordinates per unit of each independent speed."""
        return product(tangents(self.mechanism, self.q), self.T)

    def by_q_and_qd(self) -> tuple[Slopes, Slopes]:
        """Along each independent coordinate, and by each independent speed."""
        m, q, qd = self.mechanism, self.q, self.qd
        # Accelerations and multipliers are held while the rest is differentiated: inputs until then.
        qdd, multipliers = held(q, m.n), held(q, len(self.multipliers))
        J = constraint_jacobian(m, q)
        forces = newton_euler.inverse_dynamics(m, q, qd, qdd, *self.loads) - product(J.T, multipliers)
        rates = product(J, qdd) + constraint_rate(m, q, qd)
        seeds = np.concatenate([self.T, self.changes(qd)], axis=1)
        found = []
        for of in (forces, rates):
            for slope in (along(of, q, self._along_q), along(of, qd, seeds)):
                found.append(_at(slope, [*qdd, *multipliers], [*self.qdd, *self.multipliers]))
        forces_q, forces_qd, rates_q, rates_qd = found
        M, f = mass_matrix(m, q), self.T.shape[1]
        by_q = self._slopes(M, forces_q + forces_qd[:, f:], rates_q + rates_qd[:, f:])
        return by_q, self._slopes(M, forces_qd[:, :f], rates_qd[:, :f])

    def changes(self, v: Array) -> Array:
        """(n, f): how speeds v of the loops change along each independent coordinate, the independent ones keeping
        theirs.
        """
        still = held(self.q, len(v))
        slope = along(product(constraint_jacobian(self.mechanism, self.q), still), self.q, self._along_q)
        return self._following(_at(slope, still, v))

    def _slopes(self, M: Array, forces: Array, rates: Array) -> Slopes:
        follow = self._following(rates)
        return Slopes(product(self.T.T, forces + product(M, follow)), follow)

    def _following(self, rates: Array) -> Array:
        """(n, f): how the dependent speeds change so that these rates (m, f) of the loops' rows vanish."""
        result = zeros(*self.T.shape)
        for k in range(self.T.shape[1]):
            result[:, k] = completed(self.mechanism, self.given, zeros(self.T.shape[1]), rates[:, k])
        return result


def inverse_dynamics_derivatives(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
) -> tuple[Array, Array, Array, Array]:
    """Derivatives (n, f) of the forces of the drives by the independent coordinates, speeds and accelerations, and the
    status of the state.

    With more drives than freedoms the forces are the least: W^2 (tau_D - preload) = v_D for some v that the loops
    allow, and T_D' tau_D = T' r. Both are differentiated; with as many drives as freedoms they say dtau_D = d(T' r).
    """
    loads = external, base_velocity, base_acceleration
    if mechanism.is_tree:
        of_tree = derivatives.inverse_dynamics_derivatives(mechanism, q, qd, qdd, *loads)
        return *of_tree, state_of_rows(mechanism, q, zeros(0, mechanism.n))
    tau, _ = closed_inverse_dynamics(newton_euler.inverse_dynamics)(
        mechanism, q, qd, qdd, *loads, weights, preload
    )
    about = Linearised(mechanism, q, qd, qdd, tau, loads)
    driven = list(mechanism.split.driven)
    inverse_squares = array([1.0 if weights is None else 1.0 / (weights[k] * weights[k]) for k in range(len(driven))])
    pull = [force if preload is None else force - preload[k] for k, force in enumerate(tau[driven])]
    first = [driven.index(k) for k in mechanism.split.independent]
    v = product(about.T, array([pull[k] / inverse_squares[k] for k in first]))
    turned = about.changes(v)  # of v while its independent entries keep theirs
    T_D = about.T[driven]
    weighted = zeros(*T_D.shape)
    for k, factor in enumerate(inverse_squares):
        weighted[k] = scaled(factor, T_D[k])
    factors = ltdl(product(T_D.T, weighted))

    def on_drives(forces: Array, turned: Array) -> Array:
        result = zeros(mechanism.n, forces.shape[1])
        for k in range(forces.shape[1]):
            change = times(inverse_squares, turned[driven, k])
            known = factors.solve(forces[:, k] - product(T_D.T, change))
            result[driven, k] = product(weighted, known) + change
        return result

    by_q, by_qd = about.by_q_and_qd()
    still = zeros(*turned.shape)
    by_qdd = driven_matrix(mechanism, q, about.T)
    found = on_drives(by_q.forces, turned), on_drives(by_qd.forces, still), on_drives(by_qdd, still)
    return *found, status(mechanism, q, about.given, qd, qdd)


def forward_dynamics_derivatives(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array, Array, Array]:
    """Derivatives of all accelerations by the independent coordinates and speeds (n, f), and by the forces at all
    joints (n, n): T (T'MT)^-1 T'; and the status of the state.
    """
    loads = external, base_velocity, base_acceleration
    if not mechanism.rows:
        of_tree = derivatives.forward_dynamics_derivatives(mechanism, q, qd, tau, *loads)
        return *of_tree, state_of_rows(mechanism, q, zeros(0, mechanism.n))
    qdd, trust = by_complement(mechanism, q, qd, tau, *loads)
    about = Linearised(mechanism, q, qd, qdd, tau, loads)
    by_q, by_qd = (part.follow - _accelerated_by(mechanism, q, about.T, part.forces) for part in about.by_q_and_qd())
    return by_q, by_qd, _accelerated_by(mechanism, q, about.T, about.T.T), trust


def forward_dynamics_parameter_derivatives(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Derivatives (n, 10 links) of all accelerations by the inertial parameters: -T (T'MT)^-1 T' times the tree's
    regressor; and the status of the state.
    """
    loads = external, base_velocity, base_acceleration
    if not mechanism.rows:
        of_tree = derivatives.forward_dynamics_parameter_derivatives(mechanism, q, qd, tau, *loads)
        return of_tree, state_of_rows(mechanism, q, zeros(0, mechanism.n))
    qdd, trust = by_complement(mechanism, q, qd, tau, *loads)
    needed = regressors.regressor(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    T = complement(mechanism, constraints(mechanism, q))
    return -_accelerated_by(mechanism, q, T, product(T.T, needed)), trust


def _accelerated_by(mechanism: Mechanism, q: Array, T: Array, forces: Array) -> Array:
    """All accelerations (n, k) for columns of forces (f, k) on the independent speeds."""
    factors = ltdl(driven_matrix(mechanism, q, T))
    solved = zeros(*forces.shape)
    for k in range(forces.shape[1]):
        solved[:, k] = factors.solve(forces[:, k])
    return product(T, solved)


def _at(slopes: Array, inputs: Iterable[Any], values: Iterable[Any]) -> Array:
    """Slopes with what was held put in."""
    return array(replaced(slopes.ravel(), inputs, values)).reshape(slopes.shape)
