"""Looking at margins: which are negative, and where inside a step they may have been."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats

INSIDE = (0.25, 0.5, 0.75)
"""Shares of the first step in a mode at which margins are looked at that may dip below zero and come back."""
NOTHING = np.empty(0, dtype=np.intp)


class Watch:
    """The margins as they were seen last, and those that may be negative."""

    def __init__(self, t: float, margins: Floats, tolerated: Floats | None) -> None:
        self.t, self.last = t, margins
        self._earlier: tuple[float, Floats] | None = None
        self._tolerated = tolerated
        self._quiet = None if tolerated is None else margins < 0

    def broken(self, margins: Floats) -> NDArray[np.intp]:
        """Numbers of the margins that are negative, without those that were so from the beginning and are tolerated."""
        below = margins < 0
        if self._quiet is not None and self._tolerated is not None:
            self._quiet &= below & (margins > -self._tolerated)
            below &= ~self._quiet
        return np.flatnonzero(below) if below.any() else NOTHING

    def move_on(self, t: float, margins: Floats) -> None:
        """Take notice of the margins at the end of a step."""
        self._earlier = self.t, self.last
        self.t, self.last = t, margins

    def probes(self, t: float, margins: Floats) -> list[float]:
        """Times before t, since the last look, at which a margin may be negative though it is not at t."""
        if not len(margins):
            return []
        if self._earlier is None:
            return [self.t + share * (t - self.t) for share in INSIDE]
        return low_points(*self._earlier, self.t, self.last, t, margins)


def low_points(t0: float, m0: Floats, t1: float, m1: Floats, t2: float, m2: Floats) -> list[float]:
    """Times between t1 and t2 at which margins, seen at three times, may have come near zero: where the parabola
    through the three has less than half of what is left at both t1 and t2.

    >>> one = np.ones(1)
    >>> low_points(0.0, 9 * one, 1.0, one, 2.0, one), low_points(0.0, 9 * one, 1.0, 8 * one, 2.0, 7 * one)
    ([1.5], [])
    """
    slope = (m2 - m1) / (t2 - t1)
    bend = (slope - (m1 - m0) / (t1 - t0)) / (t2 - t0)
    curved = bend > 0
    if not curved.any():
        return []
    slope, bend, m1, m2 = slope[curved], bend[curved], m1[curved], m2[curved]
    off, half = -0.5 * slope / bend, 0.5 * (t2 - t1)  # of the lowest point from the middle
    lowest = m1 + slope * (half + off) + bend * (off**2 - half**2)
    dips = (np.abs(off) < half) & (lowest < 0.5 * np.minimum(m1, m2)) & (m1 > 0)
    return sorted({float(t1 + half + x) for x in off[dips]})
