"""How contacts at rest begin to move where several push each other about: friction that leaves least motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats

_SWEEPS = 3000


def least_motion(
    mobility: Floats, rate: Floats, forces: Floats, rows: list[NDArray[np.intp]], limits: Floats
) -> tuple[Floats, Floats]:
    """Forces of friction that leave the least motion, each element's within its circle, and the rates of slip left.

    `rate` is what `forces` leave, and `mobility` the rate per unit of force; `rows` has the row numbers of every
    element, of which only the order and the count matter here. Projected Gauss-Seidel sweeps, element by element.

    >>> force, rate = least_motion(np.eye(2), np.array([3.0, 4.0]), np.zeros(2), [np.arange(2)], np.array([1.0]))
    >>> force.round(9).tolist(), rate.round(9).tolist()
    ([-0.6, -0.8], [2.4, 3.2])
    """
    forces, rate = forces.copy(), rate.copy()
    parts, begin = [], 0
    for entry in rows:
        parts.append(slice(begin, begin + len(entry)))
        begin += len(entry)
    gain = [1.0 / max(float(np.linalg.norm(mobility[part, part], 2)), 1e-300) for part in parts]
    for _ in range(_SWEEPS):
        moved = 0.0
        for part, step, limit in zip(parts, gain, limits, strict=True):
            new = forces[part] - step * rate[part]
            size = float(np.hypot.reduce(new))
            if size > limit:
                new *= limit / size
            change = new - forces[part]
            moved = max(moved, float(np.abs(change).max()))
            rate += mobility[:, part] @ change
            forces[part] = new
        if moved <= 1e-13 * max(float(limits.max()), 1e-300):
            break
    return forces, rate
