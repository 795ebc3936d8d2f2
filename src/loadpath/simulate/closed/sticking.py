"""Friction of joints of a closed chain at rest, where more of them may stick than there are freedoms.

The motion is unique, but how the joints share what holds it is not: one brake would do. They hold as long as together
they can, so the forces are chosen that use the least share of each joint's friction.
"""

from __future__ import annotations

import numpy as np

from loadpath.scalars.types import Floats

_RANK = 1e-9
_BY_ITSELF = 1e-9
"""Share of the accelerations that no friction could cause: of a joint at its dead point while others move."""


def shared_friction(B: Floats, free: Floats, limits: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Friction forces (s,) on s joints at rest, each within its limits, that leave the least motion (Gauss), and the
    accelerations (s,) that they leave; `free` are those without friction, `sizes` their units. B is that of
    `holding_forces`.

    A joint at its dead point starts to move whatever friction does, so its friction is against that.

    >>> B = np.array([[1.0, 1.0]])
    >>> shared_friction(B, np.array([9.0, 9.0]), np.array([2.0, 4.0]), np.ones(2))[1].round(12).tolist()
    [3.0, 3.0]
    """
    from scipy.optimize import lsq_linear

    wanted = np.linalg.lstsq(B.T * sizes[:, None], free * sizes, rcond=_RANK)[0]
    by_itself = free - B.T @ wanted
    moves = np.abs(by_itself) * sizes > _BY_ITSELF * float((np.abs(free) * sizes).max())
    friction: Floats = np.where(moves, np.sign(by_itself) * limits, 0.0)
    held = np.flatnonzero(~moves)
    if len(held):
        bounds = (-limits[held], limits[held])
        found = lsq_linear(B[:, held], wanted - B @ friction, bounds=bounds, method="bvls", tol=1e-15)
        friction[held] = np.where(found.active_mask == 0, found.x, found.active_mask * limits[held])
    return friction, free - B.T @ (B @ friction)


def holding_forces(B: Floats, stops: Floats, limits: Floats) -> tuple[Floats, Floats]:
    """Forces h (s,) of s joints that stand, and u = B h (f,).

    B (f, s) has the effect of the joints' forces on the freedoms in units in which all have the same inertia; the
    accelerations `stops` (s,), which the joints would have without friction, are taken away: B'B h = stops.

    >>> B = np.array([[1.0, 1.0]])                               # two joints on the same freedom
    >>> holding_forces(B, np.array([3.0, 3.0]), np.array([2.0, 4.0]))[0].round(12).tolist()
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
    ])
    cost = np.append(np.zeros(count), 1.0)
    free = [(None, None)] * count + [(0.0, None)]
    found = linprog(cost, within, np.zeros(2 * count), scaled / size, u / size, bounds=free, method="highs")
    if found.status != 0:
        raise ValueError(f"friction of joints that stick in a closed chain: {found.message}")
    shares: Floats = found.x[:count]
    return shares * limits
