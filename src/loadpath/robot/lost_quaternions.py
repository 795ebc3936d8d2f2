"""Quaternions in coordinates that say no direction: a state with one is refused, by joint and row."""

from __future__ import annotations

from typing import Any

import numpy as np

_SHORT = 1e-18
"""The square of a longer entry is not zero, in single precision either."""


def refuse_lost_quaternions(robot: Any, q: Any, caller: str = "") -> None:
    """An error if the quaternion of a joint is zero, or so short that its square is: only its direction counts, and
    there is none. NaN stays what it is: that state's results are NaN.

    >>> import loadpath as lp
    >>> flying = lp.catalog.panda().floating()
    >>> refuse_lost_quaternions(flying, [flying.neutral(), np.zeros(14)], "mass_matrix")
    Traceback (most recent call last):
    ValueError: mass_matrix: the quaternion of joint 'floating_base' in 'q' is zero, at state 1: expected x, y, z, w...
    """
    values = np.asarray(q)
    if values.dtype.kind not in "fiu" or values.ndim == 0:
        return  # refused elsewhere
    for joint, start in robot.quaternion_starts.items():
        quaternions = values[..., start : start + 4]
        if quaternions.shape[-1] < 4 or not (np.abs(quaternions[..., 3]) < _SHORT).any():  # mostly: quick
            continue
        lost = np.einsum("...i,...i->...", quaternions, quaternions) == 0
        if lost.any():
            place = np.argwhere(lost)[0].tolist()
            at = f", at state {place[0] if len(place) == 1 else tuple(place)}" if place else ""
            raise ValueError(f"{f'{caller}: ' if caller else ''}the quaternion of joint '{joint}' in 'q' is zero{at}: "
                             "expected x, y, z, w of any length but zero, as (0, 0, 0, 1) for no rotation")  # fmt: skip
