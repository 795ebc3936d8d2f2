"""How contacts at rest begin to move where several push each other about: friction that leaves least motion.

The accelerations a of masses M under forces F and friction f_i along rows D_i, within limits l_i, obey

    M a + sum D_i^T l_i u(s_i) = F,        s_i = D_i a + c_i,

u(s) being s/|s|, or any vector up to the length 1 where s = 0. So a is the minimum of the convex function
a^T M a / 2 - F^T a + sum l_i |s_i|: Gauss' principle of least constraint with dry friction. It has one solution,
whatever sticks and slides in it. Newton's method finds it, for |s| rounded off less and less at s = 0. All arrays may
have one batch axis in front.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.mobile.contacts.sharing import Groups
from loadpath.scalars.types import Bools, Floats, Ints

_ROUNDED = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
"""Rate of slip, of the largest there is, up to which friction holds with less than its limit: less and less, so that
each solution is near the one before and Newton's method finds it in a few steps."""
_FROM_NEAR = _ROUNDED[5:]
"""The same from a solution for limits that were nearly these."""
_STEPS, _BALANCED, _ROUNDING = 100, 1e-11, 1e-14


class LeastMotion(NamedTuple):
    """What friction leaves."""

    forces: Floats
    """(..., rows): of friction."""
    rates: Floats
    """(..., rows): rates of slip, s = D a + c."""
    sticks: Bools
    """(..., groups)."""
    accelerations: Floats


def least_motion(
    M: Floats, forces: Floats, D: Floats, change: Floats, groups: Groups, limits: Floats, start: Floats | None = None,
    *, near: bool = False,
) -> LeastMotion:
    """The least motion that friction leaves, of each group within its limit. `start` are accelerations to begin with;
    `near` says that they are the solution for limits that differ little.

    >>> from loadpath.mobile.contacts.sharing import groups_of
    >>> one = groups_of(np.array([0, 0]), 1)
    >>> pushed = least_motion(np.eye(2), np.array([3.0, 4.0]), np.eye(2), np.zeros(2), one, np.array([1.0]))
    >>> [part.round(6).tolist() for part in pushed[:2]], pushed.sticks.tolist()
    ([[-0.6, -0.8], [2.4, 3.2]], [False])
    """
    if M.ndim > 2:
        return _Search(M, forces, D, change, groups, limits, start).run(_FROM_NEAR if near else _ROUNDED)
    first = None if start is None else start[None]
    found = _Search(M[None], forces[None], D[None], change[None], groups, limits[None], first).run(
        _FROM_NEAR if near else _ROUNDED)
    return LeastMotion(*(part[0] for part in found))


class _Search:
    """Newton's method in states (s, ...), those that are left at once."""

    def __init__(
        self, M: Floats, forces: Floats, D: Floats, change: Floats, groups: Groups, limits: Floats,
        start: Floats | None,
    ) -> None:
        self.M, self.F, self.D, self.change, self.groups, self.limits = M, forces, D, change, groups, limits
        loose = _solved(M, forces)
        self.quickest = 1.0 + _largest(_times(D, loose) + change)
        self.scale = _largest(forces) + _largest(limits) + 1e-100
        self.a = loose if start is None else start.copy()
        self.s = _times(D, self.a) + change
        self.friction, self.outside = self.s.copy(), np.broadcast_to(limits > 0, limits.shape).copy()

    def run(self, shares: tuple[float, ...]) -> LeastMotion:
        """For |s| rounded off less and less."""
        for share in shares:
            eps = share * self.quickest
            allowed = self.scale * (_BALANCED + _ROUNDING * self.quickest / eps)
            todo = np.arange(len(self.a))
            for _ in range(_STEPS):
                todo = self._step(todo, eps[todo], allowed[todo])
                if not len(todo):
                    break
            self.quickest = 1.0 + _largest(self.s) + _largest(self.a)
        return LeastMotion(-self.friction, self.s, ~self.outside, self.a)

    def _step(self, todo: Ints, eps: Floats, allowed: Floats) -> Ints:
        """One step of Newton's method in some states; those that are not at an end then."""
        every = len(todo) == len(self.a)
        M, F, D, change, limits, a = (part if every else part[todo] for part in (
            self.M, self.F, self.D, self.change, self.limits, self.a))
        of_row, member = self.groups
        s = _times(D, a) + change
        size = np.sqrt((s * s) @ member)
        outside = size > eps[:, None]
        per = limits / np.where(outside, size, eps[:, None])
        friction = per[:, of_row] * s
        missing = F - _times(M, a) - (friction[:, None, :] @ D)[:, 0]
        self.s[todo], self.friction[todo], self.outside[todo] = s, friction, outside
        go = _largest(missing) > allowed
        if not go.all():
            if not go.any():
                return todo[:0]
            todo, outside = todo[go], outside[go]
            M, F, D, limits, a, eps = (part[go] for part in (M, F, D, limits, a, eps))
            s, size, per, missing = (part[go] for part in (s, size, per, missing))
        turned = np.swapaxes(D, -1, -2)
        along = (turned * s[:, None, :]) @ member
        bend = np.where(outside, per / np.where(outside, size, 1.0) ** 2, 0.0)
        hessian = M + (turned * per[:, None, of_row]) @ D - (along * bend[:, None, :]) @ np.swapaxes(along, -1, -2)
        step = _solved(hessian, missing)
        slope = (missing * step).sum(axis=-1)
        length = np.where(slope > 0, 1.0, 0.0)
        self._shorten(length, a, step, s, _times(D, step), M, F, limits, eps, slope)
        moved = length > 0
        self.a[todo[moved]] += length[moved, None] * step[moved]
        return todo[moved]

    def _shorten(
        self, length: Floats, a: Floats, step: Floats, s: Floats, slide: Floats, M: Floats, F: Floats, limits: Floats,
        eps: Floats, slope: Floats,
    ) -> None:
        """Lengths of steps with which the function falls as it should; 0 where there is nothing to see but rounding."""
        pushed = _times(M, step)
        across, bend, linear = (a * pushed).sum(-1), 0.5 * (step * pushed).sum(-1), (F * step).sum(-1)
        member, bound = self.groups.member, eps[:, None]

        def change(t: Floats, of: Ints) -> Floats:
            moved = s[of] + t[:, None] * slide[of]
            size = np.sqrt((moved * moved) @ member)
            each = np.where(size > bound[of], size - 0.5 * bound[of], 0.5 * size * size / bound[of])
            result: Floats = t * (across[of] + t * bend[of] - linear[of]) + (limits[of] * each).sum(axis=-1)
            return result

        todo = np.flatnonzero(length > 0)
        begin = change(np.zeros(len(todo)), todo)
        seen = slope[todo] >= 1e-13 * (np.abs(begin) + np.abs(linear[todo]))
        todo, begin = todo[seen], begin[seen]
        while len(todo):
            high = change(length[todo], todo) > begin - 1e-4 * length[todo] * slope[todo]
            todo, begin = todo[high], begin[high]
            length[todo] *= 0.5
            lost = length[todo] < 1e-10
            length[todo[lost]] = 0.0
            todo, begin = todo[~lost], begin[~lost]


def _times(matrix: Floats, vector: Floats) -> Floats:
    result: Floats = (matrix @ vector[..., None])[..., 0]
    return result


def _solved(matrix: Floats, vector: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrix, vector[..., None])[..., 0], dtype=float)


def _largest(values: Floats) -> Floats:
    """(s,)."""
    result: Floats = np.abs(values).max(axis=-1, initial=0.0)
    return result
