"""From the forces that the open tree would take to those of the drives that there are.

The tree's forces tau do the work of the motion for any speeds the loops allow, qd = T qd_I. So forces tau_D of the
drives do the same exactly if T_D' tau_D = T' tau. With as many drives as freedoms these are T' tau themselves. With
more, the forces that differ least from a preload (none: zero) are taken, each counted by its weight.
"""

from __future__ import annotations

from loadpath.algorithms.loops.completion import Constraints, complement
from loadpath.algorithms.loops.sparse import product, sparse_dot
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.scalars import Array, Scalar, array, ltdl, zeros


def is_redundant(mechanism: ClosedMechanism) -> bool:
    """Whether there are more drives than freedoms."""
    return len(mechanism.split.driven) > len(mechanism.split.independent)


def on_independent(mechanism: ClosedMechanism, given: Constraints, tau: Array) -> Array:
    """T' tau (f), without T: tau_I - J_I' lambda, with lambda of J_P' lambda = tau_P."""
    multipliers = given.factors.solve_transposed(tau[given.dependent])
    found = []
    for k in mechanism.split.independent:
        found.append(tau[k] - sparse_dot(given.column(k), multipliers))
    return array(found)


def drive_forces(
    mechanism: ClosedMechanism,
    given: Constraints,
    tau: Array,
    weights: Array | None = None,
    preload: Array | None = None,
) -> Array:
    """Forces of the drives (n), zeros where there is none, that do what the forces tau of all joints of the tree do.

    `weights` and `preload` (drives) in the order of the drives.
    """
    result = zeros(mechanism.n)
    needed = on_independent(mechanism, given, tau)
    if not is_redundant(mechanism):
        if weights is not None or preload is not None:
            what = "weights" if weights is not None else "preload"
            raise ValueError(
                f"{what}= is for robots with more drives than freedoms; this one has {len(needed)} freedoms and "
                f"{len(mechanism.split.driven)} drives, so there is nothing to choose: leave it out, or drive more "
                "joints with with_driven"
            )
        result[list(mechanism.split.independent)] = needed
        return result
    T = complement(mechanism, given)[list(mechanism.split.driven)]
    if preload is not None:
        needed = needed - product(T.T, preload)
    eased = T.copy()  # W^-2 T
    if weights is not None:
        for row, weight in enumerate(weights):
            ease: Scalar = 1.0 / (weight * weight)
            for column in range(T.shape[1]):
                eased[row, column] = ease * T[row, column]
    forces = product(eased, ltdl(product(T.T, eased)).solve(needed))
    result[list(mechanism.split.driven)] = forces if preload is None else forces + preload
    return result
