"""States that are not numbers: they are neither safe nor unsafe, and what is said of the others says which they are."""

from __future__ import annotations

import numpy as np

from loadpath.errors import warn
from loadpath.scalars.types import Bools, Floats

_NAMED = 5


def unknown_of(values: Floats, axes: int) -> Bools:
    """Which states have an entry that is not finite, the last `axes` axes being those of one state.

    >>> unknown_of(np.array([[1.0, 2.0], [np.nan, 2.0]]), 1)
    array([False,  True])
    """
    over = tuple(range(-axes, 0))
    return np.asarray(~np.isfinite(np.asarray(values)).all(axis=over))


def unknown_words(unknown: Bools) -> str:
    """How many states are not numbers, and which; nothing if all are.

    >>> unknown_words(np.array([False, True, True]))
    '2 of 3 states (1, 2) are not numbers'
    >>> unknown_words(np.array([False, False]))
    ''
    """
    where = np.argwhere(unknown)
    if not len(where):
        return ""
    if not unknown.ndim:
        return "the state is not a number"
    places = [str(int(row[0])) if len(row) == 1 else str(tuple(int(k) for k in row)) for row in where[:_NAMED]]
    listed = ", ".join(places) + (" ..." if len(where) > _NAMED else "")
    verb = "is not a number" if len(where) == 1 else "are not numbers"
    return f"{len(where)} of {unknown.size} states ({listed}) {verb}"


def warn_of_unknown(caller: str, unknown: Bools, consequence: str = " and left out") -> None:
    """One warning for all states that are not numbers."""
    if words := unknown_words(unknown):
        warn(f"{caller}: {words}{consequence}")
