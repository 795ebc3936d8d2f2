"""The nearest inertia tensor that a body can have.

A tensor I about the mass center is that of a body if its covariance, half the trace of I less I, has no negative
eigenvalue: then all principal moments are positive and no one is more than the sum of the other two. Nearest means
that the sum of the squared changes of the nine entries is least. That keeps the principal axes, and leaves a problem
in three numbers: the principal moments as sums of two of three numbers that must not be negative.

The nearest tensor lies on the edge, where A + B = C; rounding then puts it on the wrong side for half of the programs
that read it. So it is kept off the edge by `SLACK`, and a point mass gets a size of `POINT`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import nnls

from loadpath.robot.inertia import Inertia

SLACK = 1e-9
"""Of the largest principal moment: by how much, at least, two moments exceed the third."""
POINT = 1e-6
"""m: mean distance of the mass from its center along each axis, at least. MuJoCo asks for some."""
SMALLEST = 1e-14
"""kg m^2: MuJoCo takes what is less as nothing."""
_SUMS = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
"""Principal moments from the principal values of the covariance."""


def nearest_physical(body: Inertia, slack: float = SLACK) -> Inertia:
    """The body with the nearest tensor that a body can have, the mass and its center as they are.

    >>> flat = Inertia.from_moments(1.0, ixx=1.0, iyy=1.0, izz=2.3)
    >>> nearest_physical(flat).principal_moments.round(6).tolist()
    [1.1, 1.1, 2.2]
    >>> sound = Inertia.from_moments(1.0, ixx=1.0, iyy=1.0, izz=1.5)
    >>> nearest_physical(sound) is sound
    True
    """
    moments, axes = np.linalg.eigh(np.array(body.tensor))
    least = max(slack * float(np.abs(moments).max()), body.mass * POINT**2)
    spreads = moments.sum() / 2 - moments
    if spreads.min() >= least / 2:
        return body
    least = max(least, SMALLEST)
    scale = max(float(np.abs(moments).max()), least)
    found, _ = nnls(_SUMS, (moments - 2 * least) / scale)
    tensor = axes @ np.diag(scale * (_SUMS @ found) + 2 * least) @ axes.T
    return replace(body, tensor=((tensor + tensor.T) / 2).tolist())


def change(before: Inertia, after: Inertia) -> float:
    """How far two tensors are apart, relative to the larger (Frobenius norm)."""
    old, new = np.array(before.tensor), np.array(after.tensor)
    return float(np.linalg.norm(new - old) / max(np.linalg.norm(old), np.linalg.norm(new)))
