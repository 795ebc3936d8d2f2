"""Coulomb friction of joints at rest: who sticks, who slips, and which way."""

from __future__ import annotations

import numpy as np

from loadpath.scalars.types import Floats


def box_forces(mobility: Floats, free: Floats, limits: Floats) -> Floats:
    """Friction forces on joints at rest, each within its limits, that leave the least motion.

    Of all forces f within the limits these minimise f.A f / 2 - f.a, with A the mobility (part of the mass matrix's
    inverse) and a the accelerations without friction (Gauss' principle of least constraint). The minimum is unique.
    There a joint stands still, or its friction is at its limit and against its motion.

    >>> box_forces(np.eye(2), np.array([0.5, -3.0]), np.array([1.0, 1.0]))       # the first is held, the second slips
    array([ 0.5, -1. ])
    """
    from scipy.linalg import cholesky, solve_triangular
    from scipy.optimize import lsq_linear

    if len(limits) == 1:
        single: Floats = np.clip(free / mobility[0], -limits, limits)
        return single
    root = cholesky(mobility)  # A = R^T R, so f minimises |R f - R^-T a|
    target = solve_triangular(root, free, trans="T")
    solution = lsq_linear(root, target, bounds=(-limits, limits), method="bvls", tol=1e-14)
    forces: Floats = np.where(solution.active_mask == 0, solution.x, solution.active_mask * limits)
    return forces
