"""A sampled motion as a function of time that keeps the jumps of its acceleration.

A trapezoid's acceleration jumps at a sample, and a sample has room for one value. Which one was meant is seen in the
speeds: over the interval the speed grows by the mean of the acceleration. Where that mean is not the middle of the two
ends, the acceleration jumps at one of them, and the interval gets the value that its own speeds ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadpath.cached import cached_property
from loadpath.kinematics.closed.closing import closed_nearby
from loadpath.kinematics.closed.kernels import compiled
from loadpath.motion.interpolation import within_intervals
from loadpath.motion.layout import Layout
from loadpath.quantities.closed import ClosedQuantities
from loadpath.scalars.types import Bools, Floats
from loadpath.states import LoadCase

NOTICED = 1e-3
"""Jumps below this share of a joint's largest acceleration are taken as part of a smooth course."""
OFF_MIDDLE = 0.2
"""Share of the change over an interval by which the mean acceleration may miss the middle without a jump."""
MOST_JUMPS = 400
"""With more of them the accelerations are noise, and are taken as they are given."""
CURVED = 0.05
"""Share of the largest acceleration by which it may leave the straight line between two samples: more than that comes
from speeds and positions that do not fit together."""

State = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class Track:
    """A motion of joints, by the accelerations at both ends of each interval between samples."""

    layout: Layout
    t: Floats
    q: Floats
    qd: Floats
    begins: Floats
    """(samples - 1, n): acceleration with which an interval begins."""
    ends: Floats
    """(samples - 1, n): acceleration with which it ends."""
    case: LoadCase

    @cached_property
    def jumps(self) -> Bools:
        """(samples,): whether the acceleration jumps at a sample."""
        size = np.abs(self.begins).max(axis=0, initial=0.0)
        result = np.zeros(len(self.t), dtype=bool)
        gap = np.abs(self.begins[1:] - self.ends[:-1])
        result[1:-1] = (gap > NOTICED * np.maximum(size, 1e-300)).any(axis=1)
        return result

    def at(self, times: Floats, *, before: bool = False) -> State:
        """Coordinates, speeds, accelerations at times of the motion; where the acceleration jumps, those after the
        jump, or before it.
        """
        side: Literal["left", "right"] = "left" if before else "right"
        k = np.clip(np.searchsorted(self.t, times, side=side) - 1, 0, len(self.t) - 2)
        h = self.t[k + 1] - self.t[k]
        s = (times - self.t[k]) / h
        a, b = self.begins[k], self.ends[k]
        q, qd, qdd = within_intervals(self.layout, s, h, (self.q[k], self.qd[k], a), (self.q[k + 1], self.qd[k + 1], b))
        straight = a + s[:, None] * (b - a)
        return q, qd, straight + np.clip(qdd - straight, -self._reach, self._reach)

    def steady(self, state: State) -> State:
        """States in which nothing accelerates that a drive moves."""
        return state[0], state[1], np.zeros_like(state[2])

    @cached_property
    def _reach(self) -> Floats:
        result: Floats = CURVED * np.maximum(np.abs(self.begins).max(axis=0), np.abs(self.ends).max(axis=0))
        return result

    def loads_at(self, times: Floats) -> LoadCase:
        """External wrenches and the base's motion at these times: what is given at samples, straight in between."""
        if not any(self.case.shapes.values()):
            return self.case
        k = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, len(self.t) - 2)
        s = ((times - self.t[k]) / (self.t[k + 1] - self.t[k]))[:, None]

        def between(values: Floats) -> Floats:
            values = np.asarray(values, dtype=float)
            if values.ndim == 1:
                return values
            given = np.broadcast_to(values, (len(self.t), values.shape[-1]))
            result: Floats = (1 - s) * given[k] + s * given[k + 1]
            return result

        return self.case.changed(between)


@dataclass(frozen=True, eq=False)
class ClosedTrack(Track):
    """A motion of a robot with loops: between samples its independent joints go as any joints do, and all others
    follow, so that the loops are closed there, too.
    """

    robot: ClosedQuantities

    def at(self, times: Floats, *, before: bool = False) -> State:
        """See `Track`."""
        q, qd, qdd = super().at(times, before=before)
        return self._completed(closed_nearby(self.robot, q), qd, qdd)

    def steady(self, state: State) -> State:
        """See `Track`: all else accelerates as the loops make it."""
        return self._completed(*super().steady(state))

    def _completed(self, q: Floats, qd: Floats, qdd: Floats) -> State:
        inner = list(self.robot.split.independent)
        return q, *compiled(self.robot, "completion")(q, qd[:, inner], qdd[:, inner])[:2]


def track_of(
    layout: Layout, t: Floats, q: Floats, qd: Floats, qdd: Floats, case: LoadCase | None = None,
    robot: ClosedQuantities | None = None,
) -> Track:
    """The course of a sampled motion, of a robot with loops if one is given.

    >>> from loadpath.motion.layout import numbered
    >>> t = np.array([0.0, 1.0, 2.0])                       # acceleration 1, then -1
    >>> course = track_of(numbered(1), t, np.array([[0], [0.5], [1.0]]), np.array([[0.0], [1.0], [0.0]]),
    ...                   np.array([[1.0], [-1.0], [-1.0]]))
    >>> course.ends.ravel().tolist(), course.jumps.tolist()
    ([1.0, -1.0], [False, True, False])
    """
    a, b = qdd[:-1], qdd[1:]
    with np.errstate(invalid="ignore", over="ignore"):
        mean = np.diff(qd, axis=0) / np.diff(t)[:, None]
        change, size = np.abs(b - a), np.abs(qdd).max(axis=0, initial=0.0)
        jump = (change > NOTICED * size) & (np.abs(mean - (a + b) / 2) > OFF_MIDDLE * change)
        # The speeds must have been meant: a mean outside of the two, by more than rounding, is no jump but a misfit.
        jump &= np.abs(mean - (a + b) / 2) < 0.75 * change
    if jump.any(axis=1).sum() > MOST_JUMPS:
        jump[:] = False
    at_end = jump & (np.abs(mean - a) <= np.abs(mean - b))
    at_begin = jump & ~at_end
    begins, ends = np.where(at_begin, 2 * mean - b, a), np.where(at_end, 2 * mean - a, b)
    parts = layout, t, q, qd, begins, ends, case if case is not None else LoadCase()
    return Track(*parts) if robot is None else ClosedTrack(*parts, robot)
