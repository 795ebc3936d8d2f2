"""Rainflow counting of many stress histories at once: turning points here, closed cycles by pyLife's four-point rule.

The four-point rule closes the cycles that are closed whatever comes next, and leaves a residue. Of a history that
repeats without end, the residue twice in a row closes the others, and is left over again: so the count of each
repetition is exact. ("Simplified rainflow counting for repeating histories", ASTM E1049-85, 5.4.5.) Of a history that
happens once, every range of the residue is half a cycle: the same count as that of ASTM E1049-85, 5.4.4.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from loadpath.scalars.types import ArrayLike, Bools, Floats, Ints

Counting: TypeAlias = Literal["repeated", "once"]
COUNTINGS = ("repeated", "once")


class Cycles(NamedTuple):
    """Cycles of a history: how far they range, about which mean, and how many of them there are (1 or 0.5)."""

    ranges: Floats
    means: Floats
    counts: Floats


def pylife_rainflow() -> Any:
    """pyLife's module of rainflow counting; an error says what to install."""
    try:
        from pylife.stress import rainflow
    except ImportError as problem:
        raise ImportError("fatigue counts cycles with pyLife: pip install loadpath[fatigue]") from problem
    return rainflow


def closed_cycles(history: Floats) -> tuple[Floats, Floats, Floats]:
    """Where each closed cycle of a history starts and turns, by the four-point rule; and the residue."""
    rainflow = pylife_rainflow()
    detector = rainflow.FourPointDetector(recorder=rainflow.LoopValueRecorder()).process(history)
    found = detector.recorder
    return np.asarray(found.values_from), np.asarray(found.values_to), np.asarray(detector.residuals)


def rainflow(history: ArrayLike, counting: Counting = "repeated") -> Cycles:
    """The cycles of a stress history (samples,) that repeats without end, or that happens once.

    >>> astm = [-2, 1, -3, 5, -1, 3, -4, 4, -2]                       # ASTM E1049-85, figure 6
    >>> found = rainflow(astm, "once")
    >>> {float(r): float(found.counts[found.ranges == r].sum()) for r in sorted(set(found.ranges))}
    {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}
    >>> rainflow(astm).ranges.tolist()
    [4.0, 3.0, 7.0, 9.0]
    """
    if counting not in COUNTINGS:
        raise ValueError(f"counting is {counting!r}: expected 'repeated' or 'once'")
    given = np.asarray(history, dtype=float)
    if len(given) < 2:
        return Cycles(np.zeros(0), np.zeros(0), np.zeros(0))
    start, turn, residue = closed_cycles(given)
    count = np.ones(len(start))
    if counting == "repeated":
        again = closed_cycles(np.concatenate([residue, residue]))
        start, turn = np.concatenate([start, again[0]]), np.concatenate([turn, again[1]])
        count = np.ones(len(start))
    else:
        start, turn = np.concatenate([start, residue[:-1]]), np.concatenate([turn, residue[1:]])
        count = np.concatenate([count, np.full(len(residue) - 1, 0.5)])
    ranges = np.abs(turn - start)
    moves = ranges > 0
    return Cycles(ranges[moves], 0.5 * (start + turn)[moves], count[moves])


class TurningPoints:
    """Turning points of many histories, taken up block by block, so that a million samples fit in memory.

    >>> seen = TurningPoints()
    >>> seen.add(np.array([[0.0, 1.0, 1.0]]))
    >>> seen.add(np.array([[0.5, 2.0]]))
    >>> [row.tolist() for row in seen.histories()]
    [[0.0, 1.0, 0.5, 2.0]]
    """

    def __init__(self) -> None:
        self._rows: list[Ints] = []
        self._values: list[Floats] = []
        self._last: Floats | None = None
        self._rising: Bools = np.zeros(0, dtype=bool)
        self._moved: Bools = np.zeros(0, dtype=bool)

    def add(self, block: Floats) -> None:
        """More samples (histories, samples)."""
        count, samples = block.shape
        if not samples:
            return
        if self._last is None:
            self._keep(np.arange(count), block[:, 0])
            self._last, self._rising, self._moved = block[:, :1], np.zeros(count, bool), np.zeros(count, bool)
        steps = np.empty_like(block)
        np.subtract(block[:, :1], self._last, out=steps[:, :1])
        np.subtract(block[:, 1:], block[:, :-1], out=steps[:, 1:])
        rising, still = steps > 0, steps == 0
        moved = np.ones((count, 1), bool)
        if still.any():  # standing still goes on in the direction before
            at = np.maximum.accumulate(np.where(still, -1, np.arange(samples)), axis=1)
            rising = np.where(at < 0, self._rising[:, None], np.take_along_axis(rising, np.maximum(at, 0), axis=1))
            moved = (at >= 0) | self._moved[:, None]
        turns = np.empty((count, samples), bool)
        turns[:, 0] = (rising[:, 0] != self._rising) & self._moved
        turns[:, 1:] = rising[:, 1:] != rising[:, :-1]
        if moved.shape[1] > 1:
            turns[:, 1:] &= moved[:, :-1]
        rows, places = np.nonzero(turns)
        before = np.where(places > 0, block[rows, places - 1], self._last[rows, 0])
        self._keep(rows, before)
        self._last, self._rising, self._moved = block[:, -1:], rising[:, -1], moved[:, -1]

    def _keep(self, rows: Ints, values: Floats) -> None:
        self._rows.append(rows)
        self._values.append(values)

    def histories(self) -> list[Floats]:
        """Each history as its first sample, its turning points and its last sample."""
        if self._last is None:
            return []
        count = len(self._last)
        rows = np.concatenate([*self._rows, np.arange(count)])
        values = np.concatenate([*self._values, self._last[:, 0]])
        order = np.argsort(rows, kind="stable")
        return np.split(values[order], np.cumsum(np.bincount(rows, minlength=count))[:-1])
