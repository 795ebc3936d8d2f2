"""States that are not numbers: found in results, counted and named in one warning, never taken as safe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from loadpath.errors import warn
from loadpath.scalars.types import Bools, Floats
from loadpath.states.batch import place_of

NAMED = 5
"""States that a message names."""


def unknown_states(*values: Any) -> Bools:
    """(...): which states have a NaN among their values (..., k); of lazy arrays (Dask's) a lazy array.

    >>> unknown_states(np.array([[1.0, np.nan], [2.0, 3.0]])).tolist()
    [True, False]
    """
    found: Bools | None = None
    for part in values:
        if isinstance(part, np.ndarray) and not (part.size and np.isnan(part.min())):  # one quick pass for most batches
            continue
        rows = np.isnan(part).any(axis=-1)
        found = rows if found is None else found | rows
    return np.zeros(np.shape(values[0])[:-1], dtype=bool) if found is None else found


def not_finite(values: Floats, axes: int = 1) -> Bools:
    """(...): which states have an entry that is not a finite number, the last `axes` axes being those of one state.

    >>> not_finite(np.array([[1.0, 2.0], [np.inf, 2.0]])).tolist()
    [False, True]
    """
    return np.asarray(~np.isfinite(np.asarray(values)).all(axis=tuple(range(-axes, 0))))


def count_words(unknown: Bools) -> str:
    """Which states are not numbers, in words; nothing where all are.

    >>> count_words(np.array([False, True, True])), count_words(np.array(True)), count_words(np.array([False]))
    ('2 of 3 states are not numbers (1, 2)', 'the state is not a number', '')
    """
    count = int(np.count_nonzero(unknown))
    if not count:
        return ""
    if not np.ndim(unknown):
        return "the state is not a number"
    verb = "is not a number" if count == 1 else "are not numbers"
    places = [place_of(int(k), unknown.shape) for k in np.flatnonzero(unknown)[:NAMED]]
    return f"{count} of {unknown.size} states {verb} ({listed(places, count)})"


def listed(places: Sequence[tuple[int, ...]], count: int) -> str:
    """Indices of states in a message, the first few of so many.

    >>> listed([(3,), (7,)], 12)
    '3, 7, ...'
    """
    words = [str(place[0]) if len(place) == 1 else str(place) for place in places[:NAMED]]
    return ", ".join([*words, *(["..."] if count > len(words) else [])])


def warn_of_unknown(unknown: Any, caller: str, consequence: str) -> None:
    """One warning of the states that are not numbers, and what that means; lazy arrays are not computed for it."""
    if isinstance(unknown, (np.ndarray, np.bool_)) and unknown.any():
        warn(f"{caller}: {count_words(np.asarray(unknown))}: {consequence}")
