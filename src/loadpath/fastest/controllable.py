"""Controllable sets: from which speeds at a point of a path the rest of it can be gone, and the fastest way.

Backward, K_i is the interval of x = s'^2 at point i from which some u within the rows leads into K_{i+1}; forward, the
largest u that stays in them. For a given x the rows leave u in an interval [low(x), high(x)], low convex and high
concave, both made of straight lines. So the ends of K_i are the roots of low - high, which Newton's method from outside
finds exactly in a few steps.
"""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.engine.jit import Library
from loadpath.engine.kernels import machine_code
from loadpath.engine.llvm.controllable_sets import HEAD, LANES, SYMBOL, controllable_sets_text
from loadpath.scalars.types import Floats, Ints

NO_SLOPE = 1e-12
"""A row in which u at its largest counts less than this is a row for x alone."""
MOST_STEPS = 100
TOUCHING = 1e-12
"""Relatively: rows that leave u so little less than nothing leave one value."""
FASTEST = 1e12
"""Of x: more is no motion, but a path on which nothing limits the speed."""


@dataclass(frozen=True, eq=False)
class Solution:
    """What is left of the sets, and the fastest motion in them; with a leading axis of paths where rows have one.

    `u` (intervals,) and `x` (intervals + 1,) are NaN where there is none; `failed` is the point whose set is empty, -1
    of a motion that was found, and `low`, `high` (intervals + 1,) the sets.
    """

    u: Floats
    x: Floats
    low: Floats
    high: Floats
    failed: Ints

    @property
    def possible(self) -> bool:
        """Whether there is a motion, on all paths."""
        return bool((self.failed < 0).all())


def solve(alpha: Floats, beta: Floats, gamma: Floats, h: Floats, start: Floats | float, top: Floats) -> Solution:
    """The fastest motion over intervals of lengths h (..., intervals) with rows alpha u + beta x <= gamma
    (..., intervals, rows): from x = `start` (...,) (or the largest there is, if that is infinite) with x at most `top`
    (..., intervals + 1). Leading axes are paths.

    >>> one = np.ones((2, 2)) * [1.0, -1.0]                                                  # -2 <= u <= 2
    >>> found = solve(one, 0 * one, 2 + 0 * one, np.array([1.0, 1.0]), 0.0, np.array([0.0, np.inf, 0.0]))
    >>> found.u.tolist(), found.x.tolist(), int(found.failed)
    ([2.0, -2.0], [0.0, 4.0, 0.0], -1)
    """
    *paths, count, rows = alpha.shape
    most = int(np.prod(paths, dtype=int))
    kept = [np.ascontiguousarray(np.broadcast_to(part, (*paths, *core)), dtype=float)
            for part, core in ((alpha, (count, rows)), (beta, (count, rows)), (gamma, (count, rows)), (h, (count,)),
                               (start, ()), (top, (count + 1,)))]
    u, x, low, high = (np.full((*paths, size), np.nan) for size in (count, count + 1, count + 1, count + 1))
    failed = np.zeros(paths, dtype=np.int64)
    work = np.empty(HEAD + 4 * (rows + LANES))
    _controllable_sets()(most, count, rows, *(part.ctypes.data for part in (*kept, u, x, low, high, failed, work)))
    return Solution(u, x, low, high, failed)


@functools.cache
def _library() -> Library:
    return machine_code([controllable_sets_text(NO_SLOPE, TOUCHING, FASTEST, MOST_STEPS)], [SYMBOL], None)


@functools.cache
def _controllable_sets() -> Any:
    kind = ctypes.CFUNCTYPE(None, *(ctypes.c_int64,) * 3, *(ctypes.c_void_p,) * 12)
    return kind(_library().address(SYMBOL))
