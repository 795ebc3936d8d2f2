"""Accelerations for given forces of the drives, of a tree (`state_space`) and with loops.

With loops, by the principle of Gauss, the accelerations are, of all that the loops allow, those nearest to the free
tree's:

    min 1/2 (qdd - a)' M (qdd - a),    J qdd = -Jdot qd,    M a = tau - h.

In coordinates that make M the identity (`whitening`) this is a projection onto the rows, orthonormal one after the
other. A row that follows from those before it, as of a hinge too many, has nothing left to be normalised; it is dropped
in that state. Nothing is said about drives and passive joints here, so dead points are no obstacle.

A tree that has no inertia of its own along some speed (a massless rod that the loop moves) has a singular M; then
M + J'J and h + J' Jdot qd take their places, which changes nothing for accelerations that the loops allow.

The second way is the natural orthogonal complement: T'MT qdd_I = T'(tau - h - M g), qdd = T qdd_I + g.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from loadpath.algorithms import state_space
from loadpath.algorithms.composite_body import mass_matrix, mass_matrix_inverse
from loadpath.algorithms.loops.completion import complement, completed, constraints
from loadpath.algorithms.loops.paths import length_of
from loadpath.algorithms.loops.rows import HeldRow, constraint_rate, held_rows, matrix_of
from loadpath.algorithms.loops.sparse import product, scaled, sparse_dot
from loadpath.algorithms.loops.status import state_of_rows, status
from loadpath.algorithms.loops.whitening import Whitening, whitening
from loadpath.formulations.newton_euler import inverse_dynamics
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, array, is_zero, ltdl, sign, sqrt, zeros

DROPPED = 1e-5
"""A row of which a smaller part is left without the rows before it follows from them; rounded numbers of a file leave
1e-6 of it."""
NOTHING = 1e-5
"""A row whose entries are a smaller part of what a unit torque, or a unit force at the length of the loop, does is
rounding: what a plane linkage in skew axes holds across its plane."""
_SINGULAR = 1e-12


def forward_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Accelerations (n) for forces tau (n) at all joints, and the status of the state: of a tree by the route that
    takes fewer operations, with loops by Gauss's principle.
    """
    if not mechanism.rows:
        qdd = state_space.forward_dynamics(mechanism, q, qd, tau, external, base_velocity, base_acceleration)
        return qdd, state_of_rows(mechanism, q, zeros(0, mechanism.n))
    still = zeros(mechanism.n)
    force = tau - inverse_dynamics(mechanism, q, qd, still, external, base_velocity, base_acceleration)
    allowed, J = allowed_motions(mechanism, q)
    gamma = constraint_rate(mechanism, q, qd)
    if not has_inertia_of_its_own(mechanism):
        force = force - product(J.T, gamma)
    qdd = allowed.nearest(allowed.white.of_force(force), [-rate for rate in gamma])
    return qdd, state_of_rows(mechanism, q, J, 1.0, qd)


class AllowedMotions(NamedTuple):
    """The rows of the loops where the mass matrix is the identity, made orthonormal one after the other."""

    white: Whitening
    units: list[Array]
    rows: list[int]
    """Their numbers: without those of plain zeros."""
    parts: list[list[Scalar]]
    """Of each row along the units before it."""
    inverses: list[Scalar]
    """Of what is left of each row; zero where nothing is."""

    def nearest(self, z: Array, wanted: Sequence[Scalar] | None = None) -> Array:
        """The x (n) with rates J x as wanted, none else, that is nearest to the one with the white coordinates z."""
        values: list[Scalar] = []
        for number, parts, inverse in zip(self.rows, self.parts, self.inverses, strict=True):
            value = 0.0 if wanted is None else wanted[number]
            for part, known in zip(parts, values, strict=True):
                if not is_zero(part):
                    value = value - part * known
            values.append(inverse * value)
        for unit, value in zip(self.units, values, strict=True):
            z = z + scaled(value - sparse_dot(unit, z), unit)
        return self.white.back(z)


def allowed_motions(mechanism: Mechanism, q: Array) -> tuple[AllowedMotions, Array]:
    """What the loops allow, and their rows J (m, n)."""
    held = held_rows(mechanism, q)
    J, M = matrix_of(mechanism, q, held), mass_matrix(mechanism, q)
    if not has_inertia_of_its_own(mechanism):
        M = M + product(J.T, J)
    white = whitening(M)
    found = AllowedMotions(white, [], [], [], [])
    for number, (row, size) in enumerate(zip(J, row_sizes(mechanism, held), strict=True)):
        if all(is_zero(x) for x in row):
            continue
        v = whole = white.of_force(row)
        parts: list[Scalar] = []
        for unit in found.units:
            parts.append(sparse_dot(unit, v))
            if not is_zero(parts[-1]):
                v = v - scaled(parts[-1], unit)
        inverse = _inverse_length(v, whole, sparse_dot(row, row) - (NOTHING * size) ** 2)
        found.units.append(scaled(inverse, v))
        found.rows.append(number)
        found.parts.append(parts)
        found.inverses.append(inverse)
    return found, J


def accelerations_per_force(mechanism: Mechanism, q: Array) -> tuple[Array, Array]:
    """Accelerations (n, n) of all speeds per unit of force at each, and the status of the configuration: of a tree the
    inverse of its mass matrix.
    """
    if not mechanism.rows:
        return mass_matrix_inverse(mechanism, q), state_of_rows(mechanism, q, zeros(0, mechanism.n))
    allowed, J = allowed_motions(mechanism, q)
    result = zeros(mechanism.n, mechanism.n)
    for k in range(mechanism.n):
        unit = zeros(mechanism.n)
        unit[k] = 1.0
        result[:, k] = allowed.nearest(allowed.white.of_force(unit))
    return result, state_of_rows(mechanism, q, J)


def row_sizes(mechanism: Mechanism, held: list[HeldRow]) -> list[float]:
    """For every row of J what an entry of it may be: 1 of a torque, the length of its loop (m) of a force."""
    lengths = [length_of(mechanism, loop) for loop in mechanism.loops]
    sizes = [1.0 if all(is_zero(x) for x in row.force) else lengths[row.loop] for row in held]
    return [*sizes, *(max(abs(float(factor)) for factor in row) for row in mechanism.coupling_rows)]


def _inverse_length(v: Array, whole: Array, present: Scalar) -> Scalar:
    """1 / |v|; zero where v is nothing of the whole, or the whole is nothing: `present` is not positive."""
    left = sparse_dot(v, v)
    stays = 0.5 + 0.5 * sign(present)
    if v is not whole:
        stays = stays * (0.5 + 0.5 * sign(left - (DROPPED * DROPPED) * sparse_dot(whole, whole)))
    return stays / (sqrt(left) + (1.0 - stays))


def by_complement(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """The same by the natural orthogonal complement of the loops; not at dead points."""
    given = constraints(mechanism, q)
    T = complement(mechanism, given)
    rate = constraint_rate(mechanism, q, qd)
    g = completed(mechanism, given, zeros(len(mechanism.split.independent)), rate)
    needed = inverse_dynamics(mechanism, q, qd, g, external, base_velocity, base_acceleration)
    independent = ltdl(driven_matrix(mechanism, q, T)).solve(product(T.T, tau - needed))
    return completed(mechanism, given, independent, rate), status(mechanism, q, given, qd)


def driven_matrix(mechanism: Mechanism, q: Array, T: Array) -> Array:
    """T'MT (f, f)."""
    return product(T.T, product(mass_matrix(mechanism, q), T))


def driven_mass_matrix(mechanism: Mechanism, q: Array) -> tuple[Array, Array]:
    """T'MT (f, f), and the status of the configuration."""
    given = constraints(mechanism, q)
    return driven_matrix(mechanism, q, complement(mechanism, given)), status(mechanism, q, given)


def state_derivative(
    mechanism: Mechanism,
    x: Array,
    u: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Derivative of the state x = (q, qd) for forces u, eq. (7.45), and the status of the state."""
    q, qd = x[: mechanism.nq], x[mechanism.nq :]
    qdd, trust = forward_dynamics(mechanism, q, qd, u, external, base_velocity, base_acceleration)
    return array([*state_space.coordinate_rate(mechanism, q, qd), *qdd]), trust


def has_inertia_of_its_own(mechanism: Mechanism) -> bool:
    """Whether the open tree's mass matrix is regular, at a configuration without special angles."""
    M = mass_matrix(mechanism, array([0.3 + 0.7 * math.sin(1.0 + 2.0 * k) for k in range(mechanism.nq)]))
    if not all(isinstance(x, (int, float)) for x in M.flat):
        return True  # symbols
    return is_regular(M)


def is_regular(M: Array) -> bool:
    """Whether a numeric positive semidefinite matrix has no pivot that is only rounding."""
    pivots = M.copy()
    for k in reversed(range(len(M))):
        if M[k, k] <= 0.0 or pivots[k, k] <= _SINGULAR * M[k, k]:
            return False
        for i in range(k):
            factor = pivots[k, i] / pivots[k, k]
            for j in range(i + 1):
                pivots[i, j] = pivots[i, j] - factor * pivots[k, j]
    return True
