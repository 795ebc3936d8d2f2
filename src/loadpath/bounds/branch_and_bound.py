"""The largest value of a function over a box, with a bound that no value exceeds: branch and bound, many boxes at once.

What is known of the function is asked in one place, an `Enclosure`: for a batch of boxes, a number that no value in a
box exceeds, and how the function slopes there. Boxes whose bound is not above the largest value that was computed are
put aside, others are cut where they cannot beat it, collapsed where the function only grows, and halved.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from loadpath.scalars.types import Bools, Floats, Ints

MOST_BOXES = 400_000
"""Boxes that wait at once; with more, those that are nearest to being put aside come first."""
FEW_BOXES, BOXES_AT_ONCE = 16, 2048


class Bounded(NamedTuple):
    """What is known of a function over boxes (b, d), each with its center c and half widths h."""

    upper: Floats
    """(b,): no value in the box is larger."""
    plane: Floats
    """(b,): and no value at x is larger than plane + tilt . (x - c)."""
    tilt: Floats
    """(b, d)"""
    slope: Floats
    """(b, d): slopes at the center."""
    slope_error: Floats
    """(b, d): by so much slopes elsewhere in the box may differ from them; infinite where that is not known."""
    weight: Floats
    """(b, d): what the width along each variable adds to the overestimate: the largest is halved."""


class Enclosure(Protocol):
    """A function of d variables that can be bounded over boxes."""

    def bounds(self, low: Floats, high: Floats) -> Bounded:
        """Of boxes (b, d)."""

    def values(self, points: Floats) -> Floats:
        """(b,): values at points (b, d), as they are computed."""


@dataclass(frozen=True)
class Maximum:
    """The largest value that was computed, where, and a bound on all values."""

    value: float
    point: Floats
    bound: float
    certified: bool
    """Whether the bound is within the tolerance."""
    boxes: int
    """Boxes that were bounded."""
    seconds: float


class _Waiting:
    """Boxes that may hold a larger value, in arrays that are filled again where boxes have left."""

    def __init__(self, size: int) -> None:
        self.low, self.high = np.empty((0, size)), np.empty((0, size))
        self.upper, self.axis = np.empty(0), np.empty(0, dtype=np.intp)
        self.taken = np.empty(0, dtype=bool)

    def __len__(self) -> int:
        return int(self.taken.sum())

    @property
    def largest(self) -> float:
        """The largest bound of all."""
        return float(self.upper[self.taken].max(initial=-np.inf))

    def put(self, low: Floats, high: Floats, upper: Floats, axis: Ints) -> None:
        """More boxes, each with its bound and the variable to halve (-1: to be bounded once more as it is)."""
        free = np.flatnonzero(~self.taken)
        if len(free) < len(low):
            more = max(len(low) - len(free), len(self.taken), 1024)
            free = np.concatenate([free, len(self.taken) + np.arange(more)])
            for name in ("low", "high", "upper", "axis", "taken"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros((more, *old.shape[1:]), dtype=old.dtype)]))
        places = free[: len(low)]
        self.low[places], self.high[places], self.upper[places], self.axis[places] = low, high, upper, axis
        self.taken[places] = True

    def take(self, count: int, *, lowest: bool) -> tuple[Floats, Floats, Floats, Ints]:
        """Boxes with the largest bounds, or with the lowest."""
        places = np.flatnonzero(self.taken)
        if len(places) > count:
            upper = self.upper[places]
            places = places[np.argpartition(upper if lowest else -upper, count)[:count]]
        self.taken[places] = False
        return self.low[places], self.high[places], self.upper[places], self.axis[places]

    def drop(self, limit: float) -> float:
        """Put aside all whose bound is at most the limit; the largest of their bounds."""
        gone = self.taken & (self.upper <= limit)
        self.taken &= ~gone
        return float(self.upper[gone].max(initial=-np.inf))


def maximize(
    function: Enclosure,
    low: Floats,
    high: Floats,
    *,
    start: Floats,
    tolerance: float,
    seconds: float,
    least: float = 0.0,
    climb: Callable[[Floats], Floats] | None = None,
    known: float = np.inf,
    floor: float = -np.inf,
    report: Callable[[float], None] = lambda share: None,
) -> Maximum:
    """The maximum over the union of boxes (b, d), from points `start` (k, d) on, until the bound exceeds the largest
    value by at most `tolerance` times it (or times `least`, where that is more), or the time is up. `climb` improves a
    point by a local search; `known` is a bound that is known already, and what is not above
    `floor` is put aside. `report` is told the share of the time that is
    gone.
    """
    began = time.monotonic()
    values = function.values(start)
    point, value = start[int(np.argmax(values))], float(values.max())
    attained, value = value, max(value, floor)
    waiting, boxes, aside = _Waiting(low.shape[1]), 0, -np.inf
    waiting.put(low, high, np.full(len(low), np.inf), np.full(len(low), -1))

    def slack() -> float:
        return tolerance * max(abs(value), least)

    while known - value > slack() and len(waiting) and (not boxes or time.monotonic() - began < seconds):
        report(min(1.0, (time.monotonic() - began) / seconds) if seconds > 0 else 1.0)
        gone = time.monotonic() - began
        in_time = boxes / gone * (seconds - gone) / 2 if boxes and gone > 0 else BOXES_AT_ONCE  # each gives two
        count = int(min(BOXES_AT_ONCE, max(in_time, FEW_BOXES)))
        low, high, upper, axis = waiting.take(count, lowest=len(waiting) > MOST_BOXES)
        low, high, upper = _halved(low, high, upper, axis)
        bounded = function.bounds(low, high)
        boxes += len(low)
        # What was known of the whole box holds for its halves.
        upper = np.minimum(upper, bounded.upper)
        center, half = (low + high) / 2, (high - low) / 2
        points = np.clip(center + np.sign(bounded.slope) * half, low, high)
        hopeful = np.argsort(-upper)[:64]
        candidates = np.concatenate([points[hopeful], center[hopeful]])
        values = function.values(candidates)
        best = int(np.nanargmax(values))
        if values[best] > value:
            value = attained = float(values[best])
            point = candidates[best]
            if climb is not None:
                better = climb(point)
                if (climbed := float(function.values(better[None])[0])) > value:
                    value, point = climbed, better
                    attained = climbed
            aside = max(aside, waiting.drop(value + slack()))
        limit = value + slack()
        keep = upper > limit
        aside = max(aside, float(upper[~keep].max(initial=-np.inf)))
        if not keep.any():
            continue
        part = Bounded(*(array[keep] for array in bounded))
        low, high, changed = _cut(low[keep], high[keep], part, limit)
        there = (low <= high).all(axis=1)
        aside = max(aside, limit)  # of what was cut off
        weight = np.where(high > low, part.weight, -1.0)
        chosen = np.argmax(weight, axis=1)
        thin = (high - low)[np.arange(len(low)), chosen] <= 0.0
        there &= ~thin | changed
        aside = max(aside, float(upper[keep][thin & ~changed].max(initial=-np.inf)))
        waiting.put(low[there], high[there], upper[keep][there], np.where(changed, -1, chosen)[there])
    bound = max(value, min(known, max(aside, waiting.largest)))
    certified = bound - value <= slack() * (1 + 1e-9)
    return Maximum(attained, point, bound, certified, boxes, time.monotonic() - began)


def _halved(low: Floats, high: Floats, upper: Floats, axis: Ints) -> tuple[Floats, Floats, Floats]:
    """The halves of boxes along their variables; those with -1 stay whole."""
    whole, rows = axis < 0, np.flatnonzero(axis >= 0)
    along = axis[rows]
    first_high, second_low = high[rows].copy(), low[rows].copy()
    index = np.arange(len(rows))
    middle = (low[rows, along] + high[rows, along]) / 2
    first_high[index, along] = second_low[index, along] = middle
    return (
        np.concatenate([low[whole], low[rows], second_low]),
        np.concatenate([high[whole], first_high, high[rows]]),
        np.concatenate([upper[whole], upper[rows], upper[rows]]),
    )


def _cut(low: Floats, high: Floats, part: Bounded, limit: float) -> tuple[Floats, Floats, Bools]:
    """The part of each box that may hold more than the limit: where the plane is above it, and, along variables
    with which the function only grows or only falls, the end. And which boxes became much smaller by that.
    """
    center, half = (low + high) / 2, (high - low) / 2
    reach = np.abs(part.tilt) * half
    spare = (part.plane + reach.sum(axis=1) - limit)[:, None]  # above the limit at the best corner
    with np.errstate(divide="ignore", invalid="ignore"):
        width = np.where(part.tilt != 0.0, spare / np.abs(part.tilt), np.inf) * (1 + 1e-9) + 1e-15 * np.abs(center)
    narrow = (part.tilt != 0.0) & (width < 2 * half)
    new_low = np.where(narrow & (part.tilt > 0), np.maximum(low, high - width), low)
    new_high = np.where(narrow & (part.tilt < 0), np.minimum(high, low + width), high)
    grows, falls = part.slope > part.slope_error, -part.slope > part.slope_error
    new_low = np.where(grows, high, new_low)
    new_high = np.where(falls, low, new_high)
    shrunk: Bools = np.asarray(((half > 0) & (new_high - new_low < 1.2 * half)).any(axis=1))
    return new_low, new_high, shrunk
