"""Normal forces and friction that share one load: on slopes that differ, and where wheels are on links.

On a plane friction does not shift the load of a rigid base, so normal forces are shared first, and friction within the
limits that they leave. Where normals differ, or a rocker turns with the friction of its wheels, the two depend on each
other, and what compliance shares may pull, or ask for more friction than there is, while other forces hold. These are
sought here, all at once: normal forces that push, friction within its cones, no acceleration of any row. They differ
from those of the compliances by as little as that takes.
"""

from __future__ import annotations

import numpy as np

from loadpath.mobile.spatial.cones import Sets, contact_forces
from loadpath.scalars.types import Floats

SOFT = 1e-9
"""Compliance by which rigid contacts share what is open, in shares of how mobile the rows are."""
HOLDS = 1.0 - 1e-6
"""Share of its friction that counts: what balances to rounding is within its limit then."""
_STILL, _RANK = 1e-7, 1e-12


def softened(W: Floats, yields: Floats, normals: int) -> Floats:
    """W with the compliances of its rows in proportion, so small that only their ratios matter; normals come first.

    >>> softened(np.eye(2), np.array([1.0, 3.0]), 1).diagonal() - 1.0 < 1e-8
    array([ True,  True])
    """
    if not len(W):
        return W
    scale = float(np.diag(W).mean()) / max(float((yields[:normals] if normals else yields).mean()), 1e-300)
    result: Floats = W + np.diag(np.minimum(SOFT * scale * yields, 1e-3 * np.diag(W).max()))
    return result


def forces_that_hold(
    W: Floats, b: Floats, sets: Sets, yields: Floats, start: Floats, alone: Floats | None
) -> Floats | None:
    """Forces x with W x + b = 0 that push and are within their friction; None where there are none. `alone` is W
    without sliding friction in its columns, where it has some.

    >>> W, b = np.ones((2, 2)), np.full(2, -2.0)
    >>> sets = Sets(np.array([0, 1]), (), np.zeros(0), np.zeros(0), np.zeros(0, dtype=int))
    >>> forces_that_hold(W, b, sets, np.array([1.0, 3.0]), np.zeros(2), None).round(6).tolist()    # as 1 : 1/3
    [1.5, 0.5]
    """
    count = len(sets.normals)
    x, solved = contact_forces(
        softened(W, yields, count), b, sets._replace(friction=HOLDS * sets.friction, limits=HOLDS * sets.limits), start,
        None if alone is None else softened(alone, yields, count))
    left = W @ x + b
    if not solved or float(np.abs(left).max()) > _STILL * (1.0 + float(np.abs(b).max())):
        return None
    return np.asarray(x - np.linalg.lstsq(W, left, rcond=_RANK)[0])


__all__ = ["HOLDS", "SOFT", "forces_that_hold", "softened"]
