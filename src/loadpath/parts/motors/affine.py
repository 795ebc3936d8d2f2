"""Chains of affine maps x -> A x + b of two states, all of their compositions at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loadpath.scalars.types import Floats


@dataclass(frozen=True, eq=False)
class Maps:
    """Maps x -> A x + b."""

    A: Floats
    """(..., 2, 2)."""
    b: Floats
    """(..., 2)."""

    def after(self, first: Maps) -> Maps:
        """This map after another one."""
        return Maps(self.A @ first.A, (self.A @ first.b[..., None])[..., 0] + self.b)

    def at(self, rows: slice | int) -> Maps:
        """Some of them."""
        return Maps(self.A[rows], self.b[rows])


def identity() -> Maps:
    """The map that changes nothing."""
    return Maps(np.eye(2), np.zeros(2))


def chained(maps: Maps) -> Maps:
    """(n,) maps: the k-th of the result is the k-th map after all before it.

    Pairs are joined first, so that the work grows like n and each step is one call of NumPy.

    >>> halves = Maps(np.tile(0.5 * np.eye(2), (3, 1, 1)), np.ones((3, 2)))
    >>> chained(halves).b[:, 0].tolist()
    [1.0, 1.5, 1.75]
    """
    count = len(maps.A)
    if count < 2:
        return maps
    even = count - count % 2
    odd = chained(maps.at(slice(1, even, 2)).after(maps.at(slice(0, even, 2))))
    A, b = np.empty_like(maps.A), np.empty_like(maps.b)
    A[0], b[0] = maps.A[0], maps.b[0]
    A[1:even:2], b[1:even:2] = odd.A, odd.b
    if count > 2:
        later = maps.at(slice(2, None, 2)).after(odd.at(slice((count - 1) // 2)))
        A[2::2], b[2::2] = later.A, later.b
    return Maps(A, b)
