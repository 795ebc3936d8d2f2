"""From the forces that the open tree would take to those of the drives that there are.

The tree's forces tau do the work of the motion for any speeds the loops allow, qd = T qd_I. So forces tau_D of the
drives do the same exactly if T_D' tau_D = T' tau. With as many drives as freedoms these are T' tau themselves. With
more, the forces that differ least from a preload (none: zero) are taken, each counted by its weight.
"""

from __future__ import annotations

from loadpath.algorithms.loops.columns import inverse_or_zero
from loadpath.algorithms.loops.completion import Constraints
from loadpath.algorithms.loops.sparse import scaled, sparse_dot, times
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, array, sqrt, zeros


def is_redundant(mechanism: Mechanism) -> bool:
    """Whether there are more drives than freedoms."""
    return len(mechanism.split.driven) > len(mechanism.split.independent)


def on_independent(mechanism: Mechanism, given: Constraints, tau: Array) -> Array:
    """T' tau (f), without T: tau_I - J_I' lambda, with lambda of J_P' lambda = tau_P."""
    multipliers = given.factors.solve_transposed(tau[given.dependent])
    found = []
    for k in mechanism.split.independent:
        found.append(tau[k] - sparse_dot(given.column(k), multipliers))
    return array(found)


def drive_forces(
    mechanism: Mechanism,
    given: Constraints,
    tau: Array,
    weights: Array | None = None,
    preload: Array | None = None,
) -> Array:
    """Forces of the drives (n), zeros where there is none, that do what the forces tau of all joints of the tree do.

    `weights` and `preload` (drives) in the order of the drives.
    """
    if is_redundant(mechanism):
        return _least_effort(mechanism, given, tau, weights, preload)
    if weights is not None or preload is not None:
        what = "weights" if weights is not None else "preload"
        raise ValueError(
            f"{what}= is for robots with more drives than freedoms; this one has {len(mechanism.split.independent)} "
            f"freedoms and {len(mechanism.split.driven)} drives, so there is nothing to choose: leave it out, or drive "
            "more joints with with_driven"
        )
    result = zeros(mechanism.n)
    found = on_independent(mechanism, given, tau)
    for k, force in zip(mechanism.split.independent, found, strict=True):
        if k in mechanism.split.driven:  # along the others, which no drive moves, it is zero but for rounding
            result[k] = force
    return result


def _least_effort(
    mechanism: Mechanism, given: Constraints, tau: Array, weights: Array | None, preload: Array | None
) -> Array:
    """Forces of more drives than needed, from the factors of all columns (`held_by_drives`).

    Passive joints give J_U' lambda = tau_U. What that leaves open of lambda changes the drives' forces tau_D - J_D'
    lambda along the rows of R that belong to the drives; without their part along these rows the forces are the
    shortest.
    """
    factors, driven = given.factors, list(mechanism.split.driven)
    first = len(given.dependent) - len(driven)
    known = factors.coordinates(tau[given.dependent], first)
    forces = zeros(len(driven))
    for column, k in enumerate(driven):
        forces[column] = tau[k] - sparse_dot(known, factors.R[:first, first + column])
    if preload is not None:
        forces = forces - preload
    rows = [factors.R[first + row, first:] for row in range(len(driven))]
    if weights is not None:
        forces, rows = times(weights, forces), [times(weights, row) for row in rows]
    kept: list[Array] = []
    for row, stays in zip(rows, factors.stays[first:], strict=True):
        v = row
        for unit in kept:
            v = v - scaled(sparse_dot(unit, v), unit)
        kept.append(scaled(inverse_or_zero(sqrt(sparse_dot(v, v)), stays), v))
    for unit in kept:
        forces = forces - scaled(sparse_dot(unit, forces), unit)
    if weights is not None:
        forces = array([force / weight for force, weight in zip(forces, weights, strict=True)])
    result = zeros(mechanism.n)
    result[driven] = forces if preload is None else forces + preload
    return result
