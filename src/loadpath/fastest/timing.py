"""A motion that was found, over time: where it is, how fast, and how it accelerates, exactly as it was certified."""

from __future__ import annotations

import numpy as np

from loadpath.fastest.grid import GAUSS
from loadpath.fastest.search import Found
from loadpath.scalars.types import Floats, Ints

ROUNDING = 1e-13
BARELY = 1e-12
"""Of the largest speed: where a motion begins and ends it goes with this, so that each joint has a sense in which it
goes, by which friction and losses of gears are told.
"""
NEWTON = 6
"""Steps from an arc length to the parameter of a path, within an interval between two nodes."""


class Timing:
    """When a motion is where. Its times begin at zero."""

    def __init__(self, found: Found) -> None:
        self.found = found
        grid, durations = found.grid, found.durations
        count = len(durations)
        waits, gone = np.zeros(count + 1), np.concatenate([[0.0], np.cumsum(durations)])
        until = {int(np.searchsorted(grid.p, grid.path.breaks[k])): t for k, t in grid.path.not_before.items()}
        for k, seconds in sorted(grid.stops.items()):
            waits[k] = max(seconds, until.get(k, 0.0) - float(gone[k] + waits[:k].sum()))
        self.leaves = np.cumsum(waits) + gone
        """(intervals + 1,): when it goes on from each point, s."""
        self.arrives = self.leaves - waits
        self.duration = float(self.leaves[-1])

    def states(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        """q, qd and qdd (times, n); at a point the acceleration is the one that begins there."""
        i = np.clip(np.searchsorted(self.leaves, t, side="right") - 1, 0, len(self.leaves) - 2)
        return self.within(i, t - self.leaves[i])

    def within(self, i: Ints, after: Floats) -> tuple[Floats, Floats, Floats]:
        """The same on intervals (times,), at seconds after their beginnings."""
        found, grid = self.found, self.found.grid
        lasts = found.durations[i]
        waits = (after > lasts + ROUNDING * self.duration) | (after < 0)
        d, x, u = found.gone(i, np.clip(after, 0.0, lasts))
        d = np.clip(d, 0.0, grid.h[i])
        p = self._parameters(i, d)
        q, first, second = grid.path.at(p, grid.piece[i])
        rate = np.linalg.norm(first, axis=1, keepdims=True)
        unit = first / rate
        bent = (second - unit * (unit * second).sum(axis=1, keepdims=True)) / rate**2
        x = np.maximum(x, BARELY**2 * found.solution.x.max())[:, None]
        x[waits], u = 0.0, np.where(waits, 0.0, u)
        qd, qdd = unit * np.sqrt(x), unit * u[:, None] + bent * x
        closing = found.problem.closing
        return (q, qd, qdd) if closing is None else closing.beside(self._near(i, d), q, qd, qdd)

    def _near(self, i: Ints, d: Floats) -> Floats:
        """Of a robot with loops, configurations that are nearly closed: between those of nodes."""
        every, nodes = self.found.course.q, self.found.grid.d[i]
        j = np.clip((nodes <= d[:, None]).sum(axis=1) - 1, 0, nodes.shape[1] - 2)
        rows = np.arange(len(i))
        share = ((d - nodes[rows, j]) / (nodes[rows, j + 1] - nodes[rows, j]))[:, None]
        near: Floats = every[i, j] * (1 - share) + every[i, j + 1] * share
        return near

    def _parameters(self, i: Ints, d: Floats) -> Floats:
        """Parameters of the path at distances from the beginnings of intervals."""
        grid = self.found.grid
        nodes = grid.d[i]
        j = np.clip((nodes <= d[:, None]).sum(axis=1) - 1, 0, nodes.shape[1] - 2)
        rows = np.arange(len(i))
        begin, end = grid.at[i, j], grid.at[i, j + 1]
        from_node, wide = d - nodes[rows, j], nodes[rows, j + 1] - nodes[rows, j]
        points, weights = np.polynomial.legendre.leggauss(GAUSS)
        p: Floats = begin + (end - begin) * np.clip(from_node / wide, 0.0, 1.0)
        for _ in range(NEWTON):
            inner = begin[:, None] + (p - begin)[:, None] * (points + 1) / 2
            (rates,) = grid.path.at(inner.ravel(), np.repeat(grid.piece[i], GAUSS), 1, 1)
            arc = (np.linalg.norm(rates, axis=1).reshape(inner.shape) @ weights) * (p - begin) / 2
            here = np.linalg.norm(grid.path.at(p, grid.piece[i], 1, 1)[0], axis=1)
            p = np.clip(p - (arc - from_node) / here, begin, end)
        return p

    def instants(self, rate: float) -> Floats:
        """Times for samples, at least so many a second. Where two intervals meet and the acceleration jumps, there is a
        sample of each side, the one that ends shortly before.
        """
        lasts = self.found.durations
        counts = np.maximum(2, np.ceil(lasts * rate).astype(int) + 1)
        times = []
        for begin, last, count in zip(self.leaves[:-1].tolist(), lasts.tolist(), counts.tolist(), strict=True):
            inner = begin + np.linspace(0.0, last, count)
            times += [inner[:-1], [max(inner[-1] - BEFORE, (inner[-2] + inner[-1]) / 2)]]
        for k in np.flatnonzero(self.leaves > self.arrives).tolist():
            arrives, leaves = float(self.arrives[k]), float(self.leaves[k])
            early = min(BEFORE, (leaves - arrives) / 4)
            times.append([arrives, arrives + early, leaves - early])
        found: Floats = np.unique(np.concatenate([*times, [0.0, self.duration]]))
        return found


BEFORE = 1e-5
"""s: so much before a jump of the acceleration is a sample."""
