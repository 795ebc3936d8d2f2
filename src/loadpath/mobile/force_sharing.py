"""Holding forces of contacts that could share them in many ways, and whether there is a way within all limits.

Rigid contacts stick as long as any share of the forces keeps every one within its friction: before the base moves, a
contact that is overtaxed creeps and hands over to others. So of all shares that one is sought whose largest ratio of
force to limit is least. A share in proportion to the limits squared is tried first; mostly it is within all of them.

Else the dual problem is solved. With forces f_e, |f_e| <= r l_e and sum L_e^T f_e = p, the least r is 1/g, where g is
the least of sum l_e |L_e x| over all motions x with p.x = 1: the motion in which p does most for what friction takes.
It tells, too, how the contacts begin to move once r = 1 is reached: by -x, those with L_e x = 0 sticking on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_SMOOTHING = (1.0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9)
_NEWTON = 15
_SWEEPS = 3000
_MOVES = 1e-6
"""Share of the fastest slip from which on an element takes part in a motion."""


class Shares(NamedTuple):
    """Forces of stuck elements."""

    forces: Floats
    """(rows,) of the stuck elements."""
    ratio: Floats
    """(elements,): force over limit; 0 of elements that are not stuck."""
    slips: Bools
    """(elements,): which would begin to slip if the forces grew beyond all limits."""

    @property
    def worst(self) -> float:
        """Largest ratio; beyond 1 no share is within all limits."""
        return float(self.ratio.max(initial=0.0))


def shares_of(
    L: Floats,
    held: Floats,
    element: NDArray[np.intp],
    limits: Floats,
    *,
    exact: bool = False,
    guess: Floats | None = None,
) -> Shares:
    """Forces f with L^T f = held; row i of L belongs to an element, which holds at most its limit.

    Unless `exact`, the first share that is within all limits will do, one near `guess` (rows,) among those tried.

    >>> two = shares_of(np.ones((2, 1)), np.array([3.0]), np.array([0, 1]), np.array([4.0, 2.0]), exact=True)
    >>> two.forces.round(9).tolist(), two.ratio.round(9).tolist()
    ([2.0, 1.0], [0.5, 0.5])
    """
    count = len(limits)
    if not len(element) or not L.shape[1]:
        return Shares(np.zeros(len(element)), np.zeros(count), np.zeros(count, dtype=bool))
    most = float(limits[element].max())
    limit = np.maximum(limits, 1e-12 * max(most, 1e-300))
    W = (limit[element] / limit[element].max())[:, None] ** 2 * L
    size = float(np.abs(held).max())
    for begin in (None,) if guess is None or exact else (None, guess):
        asked = held if begin is None else held - L.T @ begin
        try:
            forces = W @ np.linalg.solve(L.T @ W, asked)
        except np.linalg.LinAlgError:
            forces = W @ np.linalg.lstsq(L.T @ W, asked, rcond=None)[0]
        forces = forces if begin is None else begin + forces
        shares = Shares(forces, _ratio(forces, element, limit), np.zeros(count, dtype=bool))
        if (shares.worst <= 1.0 and not exact) or size == 0.0:
            return shares
    return _least_worst(L, held / size, element, limit, size)


def _ratio(forces: Floats, element: NDArray[np.intp], limit: Floats) -> Floats:
    result: Floats = np.sqrt(np.bincount(element, forces**2, minlength=len(limit))) / limit
    return result


class _Dual:
    """The smoothed dual, sum l_e sqrt(|L_e x|^2 + eps^2), with the rows of every element in one piece."""

    def __init__(self, L: Floats, element: NDArray[np.intp], limit: Floats) -> None:
        self.L = L
        self.numbers, self.starts, self.of_row = np.unique(element, return_index=True, return_inverse=True)
        self.limit = limit[self.numbers] / limit[self.numbers].max()

    def speeds(self, x: Floats) -> Floats:
        """(elements that hold,): |L_e x|."""
        slip = self.L @ x
        result: Floats = np.sqrt(np.add.reduceat(slip * slip, self.starts))
        return result

    def value(self, x: Floats, eps: float) -> float:
        """The function."""
        return float(self.limit @ np.hypot(self.speeds(x), eps))

    def derivatives(self, x: Floats, eps: float) -> tuple[Floats, Floats]:
        """Its gradient and second derivatives."""
        slip = self.L @ x
        root = np.hypot(self.speeds(x), eps)
        weighted = (self.limit / root)[self.of_row][:, None] * self.L
        pulls = np.add.reduceat(slip[:, None] * self.L, self.starts, axis=0)
        return weighted.T @ slip, weighted.T @ self.L - (pulls.T * (self.limit / root**3)) @ pulls

    def least(self, p: Floats) -> Floats:
        """The motion x with p.x = 1 at which it is least: Newton's method, for ever smaller eps."""
        r = len(p)
        x = p / (p @ p)
        if r == 1:
            return x
        for smoothing in _SMOOTHING:
            eps = smoothing * max(float(self.speeds(x).max()), 1e-300)
            for _ in range(_NEWTON):
                value, (gradient, hessian) = self.value(x, eps), self.derivatives(x, eps)
                # Least of the quadratic model with p.step = 0.
                system = np.zeros((r + 1, r + 1))
                system[:r, :r] = hessian + 1e-13 * np.trace(hessian) * np.eye(r)
                system[:r, r] = system[r, :r] = p
                step = np.linalg.lstsq(system, np.append(-gradient, 0.0), rcond=None)[0][:r]
                slope = float(gradient @ step)
                if not slope < -1e-13 * value:
                    break
                length = 1.0
                while length > 1e-5 and self.value(x + length * step, eps) > value + 1e-4 * length * slope:
                    length *= 0.5
                if length <= 1e-5:
                    break
                x = x + length * step
        return x


def _least_worst(L: Floats, p: Floats, element: NDArray[np.intp], limit: Floats, size: float) -> Shares:
    """From the motion that is the dual's solution to the forces."""
    dual = _Dual(L, element, limit)
    x = dual.least(p)
    speed = dual.speeds(x)
    moves = speed > _MOVES * speed.max()
    # Those that move give r times their limits along their slip, the others whatever is left: solved for both.
    moving = moves[dual.of_row]
    push = np.where(moving, (dual.limit / np.maximum(speed, 1e-300))[dual.of_row] * (L @ x), 0.0)
    room = (dual.limit[dual.of_row] * ~moving)[:, None]
    system = np.column_stack([L.T @ push, (room * L).T])
    solution = np.linalg.lstsq(system, p, rcond=1e-12)[0]
    forces = size * (solution[0] * push + room[:, 0] * solution[1:])
    slips = np.zeros(len(limit), dtype=bool)
    slips[dual.numbers] = moves
    return Shares(forces, _ratio(forces, element, limit), slips)


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
