"""What sticks, as directions in which nothing moves and those that are left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats, Ints

_RANK = 1e-9


class Holding(NamedTuple):
    """The rows of the stuck elements as L B, over the free speeds, and what follows from them."""

    L: Floats
    L_inverse: Floats
    B: Floats
    """Independent orthonormal rows."""
    numbers: Ints
    """Which rows of D they are."""
    Z: Floats
    """(free, free): orthonormal columns that B leaves, then zeros."""
    idle: Floats
    """(free,): 1 for each of these."""
    per_held: Floats
    """(rows, free): forces by compliance per unit of what is held along each free speed."""
    along_given: Floats
    """(given, free): the same, along the given speeds."""
    off: Floats
    """(speeds, speeds): what to take off the speeds for nothing to slip that sticks; nothing of given ones."""
    held_rows: Floats
    """(rows, free): the rows that all this is of."""

    @property
    def redundant(self) -> bool:
        """Whether there are more rows than independent ones."""
        return len(self.L) > int(self.L.shape[1])


def holding(rows: Floats, numbers: Ints, stiffness: Floats, free: Ints, fixed: Ints) -> Holding:
    """The same of rows (rows, speeds) with stiffnesses (rows,)."""
    over_free = rows[:, free]
    count, size = over_free.shape
    L, inverse, B, Z = np.zeros((count, 0)), np.zeros((0, count)), np.zeros((0, size)), np.eye(size)
    if over_free.size:
        left, values, right = np.linalg.svd(over_free)
        rank = int((values > _RANK * max(1.0, values[0])).sum())
        L, inverse = left[:, :rank] * values[:rank], (left[:, :rank] / values[:rank]).T
        B, Z = right[:rank], np.zeros((size, size))
        Z[:, : size - rank] = right[rank:].T
    weighted = stiffness[:, None] * L
    per = np.linalg.solve(L.T @ weighted, weighted.T).T if L.shape[1] else L
    per_held = np.asarray(per @ B, dtype=float)
    idle = (np.arange(size) >= size - len(B)).astype(float)
    off = np.zeros((rows.shape[1], rows.shape[1]))
    off[free] = B.T @ (inverse @ rows)
    return Holding(L, inverse, B, numbers, Z, idle, per_held, rows[:, fixed].T @ per_held, off, over_free)


__all__ = ["Holding", "holding"]
