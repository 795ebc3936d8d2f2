"""Where a law over time has a corner: a simulation steps onto it, instead of over it.

At a corner the slope of a function jumps by J. Its second difference over a step h is J h there and h^2 f'' elsewhere:
the jump that is seen over h, |f(t + h) - 2 f(t) + f(t - h)| / h, stays at a corner as h becomes smaller, and goes away
at all other times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from loadpath.scalars.types import Floats

_INTERVALS = 400
_SMALLEST = 1e-7
"""Width (s) to which a corner is followed by halving; lines through its sides then meet at it."""
_STANDS_OUT = 3.0
"""Times the jumps of slope on both sides from which on it may be a corner."""


def corners(law: Callable[[float], Any], begin: float, end: float) -> list[float]:
    """Times inside an interval at which a continuous function has a corner.

    >>> [round(t, 12) for t in corners(lambda t: max(t - 0.23, 0.0) + t * t, 0.0, 1.0)], corners(np.sin, 0.0, 9.0)
    ([0.23], [])
    """
    span = end - begin
    if not span > 100 * _SMALLEST:
        return []
    times = np.linspace(begin, end, _INTERVALS + 1)
    values = _values(law, times)
    size = float(np.abs(values).max())
    if not np.isfinite(size):
        return []  # which is refused where it is used
    step = span / _INTERVALS
    jump = np.abs(values[2:] - 2 * values[1:-1] + values[:-2]) / step
    around = np.maximum(_shifted(jump, 2), _shifted(jump, -2))
    sudden = (jump > _STANDS_OUT * around) & (jump > 1e-9 * size / step)
    found: list[float] = []
    for i in np.flatnonzero(sudden):
        at = _followed(law, float(times[i]), float(times[i + 2]), float(jump[i]), size)
        if at is not None and begin < at < end and not (found and at - found[-1] < 10 * _SMALLEST):
            found.append(at)
    return found


def _values(law: Callable[[float], Any], times: Floats) -> Floats:
    try:
        return np.array([float(law(float(t))) for t in times])
    except (TypeError, ValueError):
        return np.full(len(times), np.nan)  # which is refused where it is used


def _shifted(values: Floats, by: int) -> Floats:
    result = np.zeros_like(values)
    if by > 0:
        result[by:] = values[:-by]
    else:
        result[:by] = values[-by:]
    return result


def _followed(law: Callable[[float], Any], early: float, late: float, jump: float, size: float) -> float | None:
    """The corner between two times, None if there is none, or if the function itself jumps."""
    while late - early > _SMALLEST:
        times = np.linspace(early, late, 9)
        step = float(times[1] - times[0])
        values = _values(law, times)
        second = np.abs(values[2:] - 2 * values[1:-1] + values[:-2])
        k = int(second.argmax())
        now = float(second[k]) / step
        if not 0.3 * jump < now < 3.0 * jump or second[k] < 1e-12 * size:
            return None
        early, late = float(times[k]), float(times[k + 2])
    width = late - early
    before, left, right, after = _values(law, np.array([early - width, early, late, late + width]))
    falls, rises = (left - before) / width, (after - right) / width
    if falls == rises:
        return None
    return float(early + (right - left - rises * width) / (falls - rises))
