"""The entries of a state, by how loads depend on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Variables:
    """Which entries of a state are what. Entries that are none of these stay at their values."""

    names: tuple[str, ...]
    """Of all entries: `"q of 'joint1'"`."""
    angles: tuple[int, ...] = ()
    """Of these a load is a trigonometric polynomial of second degree."""
    slides: tuple[int, ...] = ()
    """A polynomial of second degree, of each."""
    speeds: tuple[int, ...] = ()
    """A polynomial of second degree, of all together."""
    accelerations: tuple[int, ...] = ()
    """Of first degree, without products with each other or with speeds."""
    mass: int = -1
    """Of a payload: of first degree, times a polynomial of second degree of its mass center."""
    center: tuple[int, ...] = ()
    """The three coordinates of that center."""

    @classmethod
    def of_joints(cls, names: Sequence[str], turning: Sequence[bool]) -> Variables:
        """Of states (q, qd, qdd) of degrees of freedom that turn or slide."""
        n = len(names)
        return cls(
            tuple(f"{part} of '{name}'" for part in ("q", "qd", "qdd") for name in names),
            tuple(k for k in range(n) if turning[k]),
            tuple(k for k in range(n) if not turning[k]),
            tuple(range(n, 2 * n)),
            tuple(range(2 * n, 3 * n)),
        )
