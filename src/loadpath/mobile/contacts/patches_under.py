"""On which patches of the ground contacts stand, and how far they are from standing on others.

Of patches that overlap the last one counts, so that a contact on number u changes where it leaves u or comes onto one
after it. A border is crossed `BORDER` beyond it: what rolls along a border stays on the side from which it came.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loadpath.robot.wheels.ground import Ground
from loadpath.scalars.types import Floats

BORDER = 1e-9
"""Distance (m) beyond a border at which a contact has crossed it: more than rounding."""
_SHORT = 1e-4
"""Length (m) of a path over a patch that may be overlooked within a step."""
_QUICKER, _MOST = 1.5, 4000
"""By how much a contact may be quicker within a step than at its ends; the most points of a path that are looked at."""


def left_on(ground: Ground, at: Floats, under: tuple[int, ...]) -> Floats:
    """(..., contacts): distance (m) that contacts at points (..., contacts, 2) of the ground have left on the patches
    `under` them; negative beyond.
    """
    inside = np.stack([patch.distance(at[..., 0], at[..., 1]) for patch in ground.patches])
    numbers = np.arange(len(inside)).reshape(-1, *(1,) * (inside.ndim - 1))
    now = np.array(under)
    left = np.where(numbers == now, inside, np.where(numbers > now, -inside, np.inf)).min(axis=0)
    result: Floats = left + BORDER
    return result


def patches_under(ground: Ground, at: Floats, before: tuple[int, ...]) -> tuple[int, ...]:
    """Numbers of the patches under contacts at points (contacts, 2) of the ground, after those `before`, if any: they
    stay until a border is crossed.

    >>> from loadpath.robot.wheels.ground import Patch, WheelFriction
    >>> ground = Ground(patches=(Patch(((0.0, 0.0), (4.0, 1.0)), WheelFriction(0.1)),))
    >>> at = np.array([[1.0, 0.5], [1.0, 1.0 + 1e-12]])
    >>> patches_under(ground, at, ()), patches_under(ground, at, (0, 0))
    ((0, -1), (0, 0))
    """
    now = tuple(int(k) for k in ground.patch_number(at[:, 0], at[:, 1]))
    if not before:
        return now
    left = left_on(ground, at, before)
    return tuple(new if gone < 0 else old for new, old, gone in zip(now, before, left, strict=True))


def crossings(
    begin: float, end: float, at: Callable[[float], Floats], ground: Ground, under: tuple[int, ...], quickest: Floats
) -> list[float]:
    """Times within a step at which contacts are across a border though at its ends they are not.

    `at` has their points (contacts, 2) at a time, `quickest` (contacts,) the largest of their speeds at both ends. A
    contact comes no nearer to a border than half of what the distances at both ends leave of its path; where that may
    be across, its path is the parabola through begin, middle and end.
    """
    first, last = at(begin), at(end)
    path = _QUICKER * quickest * (end - begin)
    left = [left_on(ground, points, under) for points in (first, last)]
    open_ = (path > left[0] + left[1]) & (left[0] >= 0) & (left[1] >= 0)
    if not open_.any():
        return []
    middle = at(0.5 * (begin + end))
    count = int(np.clip(path[open_].max() / _SHORT, 2, _MOST))
    share = np.linspace(0.0, 1.0, count + 1)[1:-1, None, None]
    points = first + share * (last - first + (share - 1.0) * (2.0 * (first + last) - 4.0 * middle))
    gone = (left_on(ground, points, under) < 0) & open_
    return sorted({begin + float(share[i, 0, 0]) * (end - begin) for i in gone.argmax(axis=0)[gone.any(axis=0)]})
