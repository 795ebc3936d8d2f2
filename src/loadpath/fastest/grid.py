"""The points of a path at which a motion is computed: intervals, each within one piece of the path, and nodes in each.

On an interval s'' = u is constant, so s'^2 = x_i + 2 u d at a distance d from its beginning. Nodes go evenly in the
path's parameter from the interval's beginning to its end, both included: at a break of the path the two intervals that
meet there each have its own side.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.fastest.path import Path
from loadpath.scalars.types import Bools, Floats, Ints

GAUSS = 5
"""Points of a quadrature between two nodes."""
DEGENERATE = 1e-9
"""Of the mean |dq/dp| of a path: where it is less, the path has no direction."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Intervals of a path. Arrays have the axes (intervals, nodes, ...).

    >>> grid = Grid.of(Path.through([[0.0], [2.0]]), np.array([0.0, 0.5, 2.0]), nodes=2)
    >>> grid.h.round(12).tolist(), grid.d.round(12).tolist()
    ([0.5, 1.5], [[0.0, 0.5], [0.0, 1.5]])
    """

    path: Path
    p: Floats
    """(intervals + 1,): where they begin and end, in the path's parameter."""
    piece: Ints
    """(intervals,)"""
    at: Floats
    """(intervals, nodes): parameters of the nodes."""
    q: Floats
    first: Floats
    """dq/ds, a unit vector."""
    second: Floats
    """d^2q/ds^2."""
    rate: Floats
    """ds/dp."""
    d: Floats
    """(intervals, nodes): distance of each node from the beginning of its interval, along the arc."""
    stops: dict[int, float]
    """Seconds of rest at beginnings of intervals (or at the end of the last), by their numbers."""

    @classmethod
    def of(cls, path: Path, p: Floats, nodes: int) -> Grid:
        """The grid with intervals between these parameters, among which all breaks of the path must be."""
        middle = (p[:-1] + p[1:]) / 2
        piece = np.clip(np.searchsorted(path.breaks, middle) - 1, 0, path.pieces - 1)
        share = np.linspace(0.0, 1.0, nodes)
        at = p[:-1, None] + np.diff(p)[:, None] * share
        at[:, -1] = p[1:]
        q, first, second = (
            part.reshape(*at.shape, path.n) for part in path.at(at.ravel(), np.repeat(piece, nodes))
        )
        rate = np.linalg.norm(first, axis=-1)
        _refuse_standstill(path, at, rate)
        unit = first / rate[..., None]
        bent = (second - unit * (unit * second).sum(axis=-1, keepdims=True)) / rate[..., None] ** 2
        points, weights = np.polynomial.legendre.leggauss(GAUSS)
        wide = np.diff(at, axis=1)[..., None]
        inner = at[:, :-1, None] + wide * (points + 1) / 2
        (rates,) = path.at(inner.ravel(), np.repeat(piece, (nodes - 1) * GAUSS), 1, 1)
        arcs = (np.linalg.norm(rates, axis=1).reshape(inner.shape) * weights * wide / 2).sum(axis=-1)
        d = np.concatenate([np.zeros((len(at), 1)), np.cumsum(arcs, axis=1)], axis=1)
        places = np.searchsorted(p, path.breaks)
        return cls(path, p, piece, at, q, unit, bent, rate, d, {int(places[k]): w for k, w in path.stops.items()})

    @property
    def h(self) -> Floats:
        """(intervals,): their lengths along the arc."""
        found: Floats = self.d[:, -1]
        return found

    @cached_property
    def s(self) -> Floats:
        """(intervals + 1,): where they begin and end, along the arc from the beginning of the path."""
        return np.concatenate([[0.0], np.cumsum(self.h)])

    @property
    def at_rest(self) -> Bools:
        """(intervals + 1,): where the path stops."""
        found = np.zeros(len(self.p), dtype=bool)
        found[list(self.stops)] = True
        return found

    def divided(self, which: Bools, into: int = 2) -> Grid:
        """The grid with some of its intervals, (intervals,), made several."""
        inner = self.p[:-1][which, None] + np.diff(self.p)[which, None] * np.arange(1, into) / into
        p = np.sort(np.concatenate([self.p, inner.ravel()]))
        return Grid.of(self.path, p, self.at.shape[1])

    def coarser(self, times: int) -> Grid:
        """The grid with so many times fewer points, all breaks of the path among them."""
        taken = np.isin(self.p, self.path.breaks)
        taken[::times] = True
        return Grid.of(self.path, self.p[taken], self.at.shape[1])


def _refuse_standstill(path: Path, at: Floats, rate: Floats) -> None:
    """An error where a path does not move with its parameter."""
    usual = path.length / (path.breaks[-1] - path.breaks[0])
    slow = rate <= DEGENERATE * usual
    if slow.any():
        raise ValueError(f"the path stands still at p = {at[slow][0]:.6g}, dq/dp is zero there: give it another "
                         "parameter, as Path.through(points) and Path.of(motion) do, and a dwell where it waits")


def first_grid(path: Path, intervals: int) -> Floats:
    """Parameters for a beginning: all breaks, all places where a joint turns back, and so many intervals, finer towards
    every stop: there a motion is slow, and much happens on a short way.
    """
    breaks, stops = path.breaks, sorted({0, *path.stops, path.pieces})
    found = [breaks, *turning_back(path)]
    lengths = np.diff(breaks[stops])
    for (a, b), length in zip(pairwise(stops), lengths, strict=True):
        count = max(16, round(intervals * float(length / lengths.sum())))
        share = (1 - np.cos(np.pi * np.arange(count + 1) / count)) / 2
        found.append(breaks[a] + (breaks[b] - breaks[a]) * share)
    p = np.unique(np.concatenate(found))
    return without_near(p, breaks)


NEAR = 1e-7
"""Of the whole path: points of a grid that are nearer are one."""


def without_near(p: Floats, kept: Floats) -> Floats:
    least = NEAR * (p[-1] - p[0])
    away = np.abs(p[:, None] - kept[None]).min(axis=1) if len(p) * len(kept) < 2_000_000 else _nearest(p, kept)
    p = p[(away > least) | np.isin(p, kept)]
    gaps = np.diff(p)
    drop = np.zeros(len(p), dtype=bool)
    drop[1:] = (gaps <= least) & ~np.isin(p[1:], kept)
    return p[~drop]


def _nearest(p: Floats, kept: Floats) -> Floats:
    k = np.searchsorted(kept, p)
    left, right = kept[np.maximum(k - 1, 0)], kept[np.minimum(k, len(kept) - 1)]
    return np.minimum(np.abs(p - left), np.abs(right - p))


LOOKED_AT = 9
"""Points of a piece among which a joint that turns back is looked for."""


def turning_back(path: Path) -> list[Floats]:
    """Parameters where dq_k/dp of a joint changes its sign within a piece."""
    share = np.linspace(0.0, 1.0, LOOKED_AT)
    h = np.diff(path.breaks)
    at = path.breaks[:-1, None] + h[:, None] * share
    piece: NDArray[Any] = np.repeat(np.arange(path.pieces), LOOKED_AT)
    rate = path.at(at.ravel(), piece, 1, 1)[0].reshape(path.pieces, LOOKED_AT, path.n)
    some = 1e-9 * np.abs(rate).max()
    changes = (rate[:, :-1] * rate[:, 1:] < 0) & (np.maximum(np.abs(rate[:, :-1]), np.abs(rate[:, 1:])) > some)
    k, j, joint = np.nonzero(changes)
    if not len(k):
        return []
    low, high = at[k, j], at[k, j + 1]
    sign = np.sign(rate[k, j, joint])
    rows = np.arange(len(k))
    for _ in range(60):
        middle = (low + high) / 2
        there = path.at(middle, k, 1, 1)[0][rows, joint]
        low, high = np.where(there * sign > 0, middle, low), np.where(there * sign > 0, high, middle)
    return [low]
