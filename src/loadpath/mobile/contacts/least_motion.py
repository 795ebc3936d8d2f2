"""How contacts at rest begin to move where several push each other about: friction that leaves least motion."""

from __future__ import annotations

import numpy as np

from loadpath.mobile.contacts.sharing import Groups, creep, groups_of
from loadpath.scalars.types import Floats

_STICKS = (1e-1, 1e-3, 1e-5, 1e-7, 1e-9)
"""Rate of slip, of the largest there is, up to which friction holds with less than its limit: less and less, so that
each solution is near the one before and Newton's method finds it in a few steps."""


def least_motion(
    M: Floats, forces: Floats, D: Floats, change: Floats, groups: Groups, limits: Floats, start: Floats | None = None
) -> tuple[Floats, Floats]:
    """Forces of friction (rows,) that leave the least motion, those of each group within its limit, and the rates of
    slip s = D a + change that they leave (Gauss' principle of least constraint).

    The accelerations a obey M a + sum D_i^T f_i(s_i) = forces, f_i being of the size l_i against s_i, or less where
    s_i = 0. That is how contacts share a load (`sharing.creep`), with the masses as springs that have no limit and
    contacts that are as good as rigid. `start` are accelerations to begin with.

    >>> one = groups_of(np.array([0, 0]), 1)
    >>> pushed = least_motion(np.eye(2), np.array([3.0, 4.0]), np.eye(2), np.zeros(2), one, np.array([1.0]))
    >>> [part.round(6).tolist() for part in pushed]
    [[-0.6, -0.8], [2.4, 3.2]]
    """
    masses, rows, count = len(M), len(D), len(limits)
    loose: Floats = np.asarray(np.linalg.solve(M, forces), dtype=float)
    quickest = 1.0 + float(np.abs(D @ loose + change).max(initial=0.0))
    R = np.concatenate([D, np.linalg.cholesky(M).T])
    every = groups_of(np.concatenate([groups.of_row, count + np.arange(masses)]), count + masses)
    limit = np.concatenate([limits, np.full(masses, np.inf)])
    offset = np.concatenate([change, np.zeros(masses)])
    x = loose if start is None else start
    for share in _STICKS:
        weight = np.concatenate([np.maximum(limits, 1e-100) / (share * quickest), np.ones(masses)])
        found = creep(R[None], every, weight[None], limit[None], forces[None], x[None], offset)
        x = found.x[0]
    return -found.forces[0, :rows], D @ x + change
