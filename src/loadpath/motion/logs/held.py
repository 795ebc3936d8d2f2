"""Rows that repeat the one before: a logger that is quicker than the robot writes every sample several times."""

from __future__ import annotations

import numpy as np

from loadpath.scalars.types import Floats

FEWEST = 50
"""Changes by which a rhythm is recognised."""
REGULAR = 0.9
"""Part of the times between changes, while there are any, that must be the same."""


def held_rows(values: Floats) -> tuple[int, int] | None:
    """How many rows at a time are the same in all columns, and the first row that is new; None if they are not held.

    >>> held_rows(np.repeat(np.arange(100.0) ** 2, 4)[2:, None])
    (4, 2)
    >>> held_rows(np.arange(100.0)[:, None])
    """
    if not values.shape[1]:
        return None
    changes = 1 + np.flatnonzero((np.diff(values, axis=0) != 0).any(axis=1))
    if len(changes) < FEWEST:
        return None
    between = np.diff(changes)
    count = int(np.median(between))
    moving = between[between <= 2 * count]
    if count < 2 or np.mean(moving == count) < REGULAR or len(moving) < FEWEST - 1:
        return None
    first = int(np.bincount(changes % count, minlength=count).argmax())
    return (count, first) if np.mean(changes % count == first) >= REGULAR else None
