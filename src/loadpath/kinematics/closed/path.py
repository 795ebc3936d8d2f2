"""Closed configurations along a path: each begins where the one before ended, so that the assembly mode is kept.

Rows some way apart are closed one after the other; those between them, all at once, begin between these. Then it is
seen whether each row is where a step from its predecessor leads; where not, rows are closed one by one. A row begins
where its two predecessors point to, so that the path passes a dead point straight on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.closure.search import Search
from loadpath.kinematics.closed.closing import Closing
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.scalars.types import Bools, Floats

LARGEST_STEP = 0.25
"""rad, or of the robot's size: rows that are further apart are no path unless the caller says so."""
STRIDE = 0.1
"""The same, between rows that are closed one after the other."""
SMALL_TURN, HALVINGS = 0.5, 6
"""A row may be so much of the step away from where it was expected; else the step is halved, up to so often."""
SAME = 1e-6


@dataclass(frozen=True, eq=False)
class Path:
    """Rows of held coordinates in the order in which they are passed."""

    values: Floats
    """(rows, held)."""
    places: NDArray[np.intp]
    """(held,): which coordinates these are."""
    units: Floats
    """(held,): 1 for angles, the robot's size for lengths."""
    sound: Bools
    """(rows,): which rows are numbers."""


def is_path(values: Floats) -> bool:
    """Whether held coordinates (rows, held), in units of the robot's size, change little from row to row.

    >>> is_path(np.linspace(0, 1, 11)[:, None]), is_path(np.array([[0.0], [3.0], [0.5]])), is_path(np.zeros((2, 1)))
    (True, False, False)
    """
    return len(values) > 2 and values.shape[1] > 0 and bool(np.abs(np.diff(values, axis=0)).max() <= LARGEST_STEP)


def follow(closing: Closing, search: Search, path: Path) -> None:
    """Close all rows of a path, of which the first is closed already."""
    rows = np.flatnonzero(path.sound)
    if len(rows) < 2:
        return
    if closing.targets.links:
        _one_by_one(closing, search, path, rows)
        return
    steps = np.abs(np.diff(path.values[rows] / path.units, axis=0)).max(axis=1, initial=0.0)
    travelled = np.concatenate([[0.0], np.cumsum(steps)])
    anchors = _anchors(travelled)
    walker = _Walker(closing, search, path)
    walker.pass_by(rows[anchors[1:]], search.q[rows[0]], None)
    between = np.setdiff1d(np.arange(len(rows)), anchors)
    if not len(between):
        return
    after = np.searchsorted(anchors, between)
    low, high = anchors[after - 1], anchors[after]
    share = (travelled[between] - travelled[low]) / np.maximum(travelled[high] - travelled[low], 1e-300)
    start = search.q[rows[low]] + np.clip(share, 0, 1)[:, None] * (search.q[rows[high]] - search.q[rows[low]])
    start[:, path.places] = path.values[rows[between]]
    closing.close(search, rows[between], start)
    walker.mend(rows)


def _one_by_one(closing: Closing, search: Search, path: Path, rows: NDArray[np.intp]) -> None:
    """Rows with poses to take: each from where its two predecessors point to."""
    q, before = search.q[rows[0]], search.q[rows[0]]
    for row in rows[1:]:
        start = 2.0 * q - before
        start[path.places] = path.values[row]
        closing.close(search, np.array([row]), start[None])
        if search.error[row] <= CLOSED_WITHIN:
            q, before = search.q[row], q


def _anchors(travelled: Floats) -> NDArray[np.intp]:
    """The rows that are closed one after the other: the first, the last, and others about a stride apart."""
    found = [0]
    last = len(travelled) - 1
    while found[-1] < last:
        beyond = int(np.searchsorted(travelled, travelled[found[-1]] + STRIDE, side="right")) - 1
        found.append(min(max(beyond, found[-1] + 1), last))
    return np.array(found, dtype=np.intp)


class _Reached(NamedTuple):
    q: Floats
    error: float
    before: Floats
    """Where the path was shortly before."""


class _Walker:
    """Closes rows one after the other."""

    def __init__(self, closing: Closing, search: Search, path: Path) -> None:
        self.closing, self.search, self.path = closing, search, path

    def pass_by(self, rows: NDArray[np.intp], q: Floats, before: Floats | None) -> None:
        """Close rows in their order, from q on; `before` is where the path was before q."""
        for row in rows:
            values = self.path.values[row]
            reached = self._reach(q, before, values, HALVINGS)
            if reached is not None:
                self.search.q[row], self.search.error[row] = reached.q, reached.error
                q, before = reached.q, reached.before
            else:
                self.search.q[row], self.search.error[row] = self._close(q, values)  # from where it last was closed

    def _reach(self, q: Floats, before: Floats | None, values: Floats, halvings: int) -> _Reached | None:
        """The configuration with these values, in steps that are small enough; none if there is none."""
        path = self.path
        own = q[path.places]
        start = q.copy()
        length = float((np.abs(values - own) / path.units).max(initial=0.0))
        if before is not None:
            gone = float((np.abs(own - before[path.places]) / path.units).max(initial=0.0))
            if gone > 1e-12:
                start = q + min(length / gone, 3.0) * (q - before)
        closed, error = self._close(start, values)
        start[path.places] = values
        expected = SMALL_TURN * max(float(np.abs(start - q).max()), length, 1e-9)
        if error <= CLOSED_WITHIN and (not halvings or length < SAME or np.abs(closed - start).max() <= expected):
            return _Reached(closed, error, q)
        if not halvings:
            return None
        middle = self._reach(q, before, 0.5 * (own + values), halvings - 1)
        return None if middle is None else self._reach(middle.q, middle.before, values, halvings - 1)

    def _close(self, q: Floats, values: Floats) -> tuple[Floats, float]:
        start = q.copy()
        start[self.path.places] = values
        single = Search(self.closing.step, start[None].copy())
        self.closing.close(single, np.array([0]), start[None])
        return single.q[0], float(single.error[0])

    def mend(self, rows: NDArray[np.intp]) -> None:
        """Close rows anew that are not where a step from the row before leads."""
        search, path = self.search, self.path
        follower = Search(self.closing.step, search.q[rows[:-1]].copy())
        start = search.q[rows[:-1]].copy()
        start[:, path.places] = path.values[rows[1:]]
        self.closing.close(follower, np.arange(len(rows) - 1), start)
        apart = np.abs(follower.q - search.q[rows[1:]]).max(axis=1) > SAME
        wrong = (search.error[rows[1:]] > CLOSED_WITHIN) | (apart & (follower.error <= CLOSED_WITHIN))
        wrong &= search.error[rows[:-1]] <= CLOSED_WITHIN
        for k in np.flatnonzero(wrong):
            before = search.q[rows[k - 1]] if k else None
            self.pass_by(rows[k + 1 : k + 2], search.q[rows[k]], before)
