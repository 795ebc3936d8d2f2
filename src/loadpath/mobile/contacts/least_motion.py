"""How contacts at rest begin to move where several push each other about: friction that leaves least motion.

The accelerations a of masses M under forces F and friction f_i along rows D_i, within limits l_i, obey

    M a + sum D_i^T l_i u(s_i) = F,        s_i = D_i a + c_i,

u(s) being s/|s|, or any vector up to the length 1 where s = 0. So a is the minimum of the convex function
a^T M a / 2 - F^T a + sum l_i |s_i|: Gauss' principle of least constraint with dry friction. It has one solution,
whatever sticks and slides in it. Newton's method finds it, for |s| rounded off less and less at s = 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loadpath.mobile.contacts.sharing import Groups
from loadpath.scalars.types import Bools, Floats

_ROUNDED = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
"""Rate of slip, of the largest there is, up to which friction holds with less than its limit: less and less, so that
each solution is near the one before and Newton's method finds it in a few steps."""
_STEPS, _BALANCED, _ROUNDING = 100, 1e-11, 1e-14


class LeastMotion(NamedTuple):
    """What friction leaves."""

    forces: Floats
    """(rows,): of friction."""
    rates: Floats
    """(rows,): rates of slip, s = D a + c."""
    sticks: Bools
    """(groups,)."""


def least_motion(
    M: Floats, forces: Floats, D: Floats, change: Floats, groups: Groups, limits: Floats, start: Floats | None = None
) -> LeastMotion:
    """The least motion that friction leaves, of each group within its limit. `start` are accelerations to begin with.

    >>> from loadpath.mobile.contacts.sharing import groups_of
    >>> one = groups_of(np.array([0, 0]), 1)
    >>> pushed = least_motion(np.eye(2), np.array([3.0, 4.0]), np.eye(2), np.zeros(2), one, np.array([1.0]))
    >>> [part.round(6).tolist() for part in pushed[:2]], pushed.sticks.tolist()
    ([[-0.6, -0.8], [2.4, 3.2]], [False])
    """
    loose: Floats = np.asarray(np.linalg.solve(M, forces), dtype=float)
    quickest = 1.0 + float(np.abs(D @ loose + change).max(initial=0.0))
    scale = float(np.abs(forces).max(initial=0.0)) + float(np.abs(limits).max(initial=0.0)) + 1e-100
    a = loose if start is None else start
    s = D @ a + change
    friction, outside = s, limits > 0
    of_row, member = groups.of_row, groups.member
    for share in _ROUNDED:
        eps = share * quickest
        allowed = scale * (_BALANCED + _ROUNDING * quickest / eps)
        for _ in range(_STEPS):
            s = D @ a + change
            size = np.sqrt((s * s) @ member)
            outside = size > eps
            per = limits / np.where(outside, size, eps)
            friction = per[of_row] * s
            missing = forces - M @ a - friction @ D
            if float(np.abs(missing).max(initial=0.0)) <= allowed:
                break
            along = (s[:, None] * D).T @ member
            bend = np.where(outside, per / np.where(outside, size, 1.0) ** 2, 0.0)
            hessian = M + (D.T * per[of_row]) @ D - (along * bend) @ along.T
            step: Floats = np.asarray(np.linalg.solve(hessian, missing), dtype=float)
            slide, slope = D @ step, float(missing @ step)
            if not slope > 0:
                break
            length = _length(a, step, s, slide, M, forces, member, limits, eps, slope)
            if length == 0.0:
                break
            a = a + length * step
        quickest = 1.0 + float(np.abs(s).max(initial=0.0)) + float(np.abs(a).max(initial=0.0))
    return LeastMotion(-friction, s, ~outside)


def _length(
    a: Floats, step: Floats, s: Floats, slide: Floats, M: Floats, forces: Floats, member: Floats, limits: Floats,
    eps: float, slope: float,
) -> float:
    """Length of a step with which the function falls as it should; 0 where there is nothing to see but rounding."""
    across, bend, linear = float(a @ M @ step), 0.5 * float(step @ M @ step), float(forces @ step)

    def change(length: float) -> float:
        moved = s + length * slide
        size = np.sqrt((moved * moved) @ member)
        rubbed = float(limits @ np.where(size > eps, size - 0.5 * eps, 0.5 * size * size / eps))
        return length * (across + length * bend - linear) + rubbed

    begin, length = change(0.0), 1.0
    if slope < 1e-13 * (abs(begin) + abs(linear)):
        return 1.0
    while change(length) > begin - 1e-4 * length * slope:
        length *= 0.5
        if length < 1e-10 or not math.isfinite(length):
            return 0.0
    return length
