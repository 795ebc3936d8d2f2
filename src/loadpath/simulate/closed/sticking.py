"""Joints of a closed chain that friction holds: the forces that do, where more joints stick than there are freedoms.

The motion is unique, but how the joints share what holds it is not: one brake would do. They hold as long as together
they can, so the forces are chosen that use the least share of each joint's friction.
"""

from __future__ import annotations

import numpy as np

from loadpath.scalars.types import Floats

_RANK = 1e-9


def holding_forces(B: Floats, stops: Floats, limits: Floats) -> tuple[Floats, Floats]:
    """Forces h (s,) of s joints that stand, and u = B h (f,).

    B (f, s) has the effect of the joints' forces on the freedoms in units in which all have the same inertia; the
    accelerations `stops` (s,), which the joints would have without friction, are taken away: B'B h = stops.

    >>> B = np.array([[1.0, 1.0]])                               # two joints on the same freedom
    >>> holding_forces(B, np.array([3.0, 3.0]), np.array([2.0, 4.0]))[0].tolist()
    [1.0, 2.0]
    """
    left, sigma, right = np.linalg.svd(B, full_matrices=False)
    rank = int((sigma > _RANK * max(float(sigma.max(initial=0.0)), 1e-300)).sum())
    left, sigma, right = left[:, :rank], sigma[:rank], right[:rank]
    u: Floats = left @ ((right @ stops) / sigma)
    if rank == len(limits):
        return right.T @ ((left.T @ u) / sigma), u
    if rank == 1:  # all on one freedom
        along = left[:, 0] @ B
        used = (left[:, 0] @ u) / (np.abs(along) @ limits)
        return used * limits * np.sign(along), u
    return _least_used(left.T @ B, left.T @ u, limits), u


def _least_used(B: Floats, u: Floats, limits: Floats) -> Floats:
    """Forces with B h = u whose largest share of its limit is least."""
    from scipy.optimize import linprog

    count = len(limits)
    scaled = np.hstack([B * limits, np.zeros((len(B), 1))])  # unknowns: shares h / limit, and the largest of them
    size = max(float(np.abs(scaled).max()), 1e-300)
    within = np.vstack([
        np.hstack([np.eye(count), -np.ones((count, 1))]),
        np.hstack([-np.eye(count), -np.ones((count, 1))]),
    ])  # fmt: skip
    cost = np.append(np.zeros(count), 1.0)
    free = [(None, None)] * count + [(0.0, None)]
    found = linprog(cost, within, np.zeros(2 * count), scaled / size, u / size, bounds=free, method="highs")
    if found.status != 0:
        raise ValueError(f"friction of joints that stick in a closed chain: {found.message}")
    shares: Floats = found.x[:count]
    return shares * limits
