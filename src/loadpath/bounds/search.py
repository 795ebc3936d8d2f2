"""The search for the largest load over a box: samples, local searches, and bounds until they meet."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from loadpath.bounds.asked import Asked
from loadpath.bounds.branch_and_bound import Maximum, maximize
from loadpath.bounds.enclosures import ByRanges, Unbounded, enclosure
from loadpath.bounds.expansion import expanded
from loadpath.bounds.nested import nested, nested_bound
from loadpath.scalars.types import Floats

SAMPLES = 4096
STARTS = 8
"""Samples from which local searches begin."""
LEFT_OUT = 0.2
"""Of the tolerance: cosines so small in sum are left out."""
SHORT, NESTED = 0.3, 0.85
"""s: of branch and bound, before tables are made; and up to which share of the time they are."""
SMALL = 1e-9
"""Of the loads of its kind: with a largest load of less, the gap is measured by this."""


@dataclass(frozen=True)
class Found:
    """What a search found: all that a `WorstCase` says, of a plain function."""

    value: float
    bound: float
    certified: bool
    state: Floats
    largest_sample: float
    boxes: int
    seconds: float


def checked_effort(tolerance: float, seconds: float) -> None:
    """An error for a tolerance or a time that is no positive number."""
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise ValueError(f"tolerance is {tolerance}: expected a positive number like 1e-3")
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds}: expected a positive number like 60")


def search(
    asked: Asked, low: Floats, high: Floats, tolerance: float, seconds: float,
    report: Callable[[float], None] = lambda share: None,
    floor: float = -math.inf, least: float = 0.0,
) -> Found:
    """The largest value (for "min" the smallest) over the box, and a bound of all values. The tolerance is of a value
    of `least` at least; what is below `floor` (for "min": above minus that) is of no interest, and its bound may be
    that.
    """
    from scipy.stats import qmc

    low, high = _once_around(asked, low, high)
    samples = low + (high - low) * qmc.Sobol(len(low), seed=1).random(SAMPLES)
    values = asked.value(samples[:1])  # compiled now, in no time of the search
    began = time.monotonic()
    values = asked.value(samples)
    if not np.isfinite(values).all():
        where = ", ".join(f"{name} {x:.6g}" for name, x in zip(
            asked.variables.names, samples[int(np.argmin(np.isfinite(values)))], strict=True))
        raise ValueError(f"{asked.quantity} of '{asked.name}' is no number in some states of the box, such as {where}")
    best = float(values.max())
    size = float(np.abs(asked.size(samples[:64])).max(initial=0.0))
    expansion = None
    motion = [*asked.variables.speeds, *asked.variables.accelerations]
    rests = not (low[motion].any() or high[motion].any())
    for degree in (1, *asked.degrees) if rests else asked.degrees:
        if expansion is None:
            expansion = expanded(asked.smooth_parts, asked.variables, low, high, size,
                                 seconds - (time.monotonic() - began), degree)
    function = enclosure(asked, expansion, low, high, LEFT_OUT * tolerance * max(abs(best), SMALL * size))
    starts = function.points(samples[np.argsort(-values)[:STARTS]])
    climbed = []
    for start in starts:
        climbed.append(function.climb(start))
        if time.monotonic() - began > seconds:
            break
    starts = np.concatenate([starts, climbed])
    known, least = math.inf, max(least, SMALL * size)

    def bounded(most: float) -> Maximum:
        time_left = 0.0 if isinstance(function, Unbounded) else seconds - (time.monotonic() - began)
        return maximize(function, *function.boxes(), start=starts, tolerance=tolerance, seconds=min(most, time_left),
                        least=least, climb=function.climb, known=known, floor=floor, report=report)

    chain = None if expansion is None or isinstance(function, ByRanges) else nested(asked, expansion, low, high)
    found = bounded(min(SHORT, 0.1 * seconds) if chain else seconds)
    if chain and not found.certified:
        starts = np.concatenate([starts, found.point[None]])
        enough = max(found.value, floor) + tolerance * max(abs(found.value), least)
        known = min(found.bound, nested_bound(chain, enough, began + NESTED * seconds))
        found = bounded(seconds)
    sign = -1.0 if asked.sense == "min" else 1.0
    return Found(sign * found.value, sign * found.bound, found.certified, function.states(found.point[None])[0],
                 sign * best, found.boxes, time.monotonic() - began)


def _once_around(asked: Asked, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The box with one turn of each angle that has more: all else comes again."""
    angles = np.array(asked.variables.angles, dtype=int)
    wide = angles[high[angles] - low[angles] > 2 * np.pi]
    low, high = low.copy(), high.copy()
    middle = np.clip(0.0, low[wide] + np.pi, high[wide] - np.pi)
    low[wide], high[wide] = middle - np.pi, middle + np.pi
    return low, high
