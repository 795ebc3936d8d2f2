"""Quaternions in coordinates that say no direction: a state with one is refused, by joint and row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SHORTEST, LONGEST = 1e-120, 1e120
"""Squares of lengths with which numbers in double precision neither overflow nor vanish, nor do their derivatives."""
_SHORTEST_SINGLE, _LONGEST_SINGLE = 1e-18, 1e18


def refuse_lost_quaternions(robot: Any, q: Any, caller: str = "") -> None:
    """An error if the quaternion of a joint is zero, where only its direction counts and there is none, or so short or
    long that its square is lost. NaN stays what it is: that state's results are NaN.

    >>> import loadpath as lp
    >>> flying = lp.catalog.panda().floating()
    >>> refuse_lost_quaternions(flying, [flying.neutral(), np.zeros(14)], "mass_matrix")
    Traceback (most recent call last):
    ValueError: mass_matrix: the quaternion of joint 'floating_base' in 'q' is zero, at state 1: expected x, y, z, w...
    """
    values = np.asarray(q)
    if values.dtype.kind not in "fiu" or values.ndim == 0:
        return  # refused elsewhere
    double = values.dtype.itemsize > 4 or values.dtype.kind != "f"
    shortest, longest = (SHORTEST, LONGEST) if double else (_SHORTEST_SINGLE, _LONGEST_SINGLE)
    for joint, start in robot.quaternion_starts.items():
        quaternions = values[..., start : start + 4]
        if quaternions.shape[-1] < 4:
            continue
        squares = np.einsum("...i,...i->...", quaternions, quaternions, dtype=float, casting="same_kind")
        if not ((squares < shortest) | (squares > longest)).any():  # mostly
            continue
        lost = (squares < shortest) | ((squares > longest) & np.isfinite(quaternions).all(axis=-1))
        if lost.any():
            place = np.argwhere(lost)[0].tolist()
            at = f", at state {place[0] if len(place) == 1 else tuple(place)}" if place else ""
            length = math.hypot(*map(float, quaternions[tuple(place)]))  # also where the square would overflow
            said = f"has the length {length:.2g}" if squares[tuple(place)] else "is zero"
            raise ValueError(f"{f'{caller}: ' if caller else ''}the quaternion of joint '{joint}' in 'q' {said}{at}: "
                             "expected x, y, z, w of a length near one, as (0, 0, 0, 1) for no rotation")
