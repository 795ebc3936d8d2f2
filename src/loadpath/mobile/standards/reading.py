"""Arguments of the tests: numbers with a name, an unit and a bound; poses; the worst of several states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.robot.numbers import number
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def at_least(value: Any, what: str, unit: str, least: float = 0.0, *, above: bool = False) -> float:
    """A number not below (or above) a bound, or an error that names it.

    >>> at_least(2, "speed", "m/s")
    2.0
    """
    try:
        read = number(value, what)
    except Exception as problem:
        raise ValueError(str(problem)) from None
    if read < least or (above and read <= least):
        bound = f"{'more than' if above else 'at least'} {least:g} {unit}".rstrip()
        raise ValueError(f"{what} is {read:g}: expected {bound}")
    return read


def share(value: Any, what: str) -> float:
    """A number above 0 and up to 1."""
    read = at_least(value, what, "", above=True)
    if read > 1:
        raise ValueError(f"{what} is {read:g}: expected a share from 0 to 1; {read:g} % is {read / 100:g}")
    return read


@dataclass(frozen=True)
class Load:
    """What a test puts on a link: a point mass."""

    mass: float
    link: str | None
    center_of_mass: Sequence[float]

    def on(self, rover: Rover) -> Rover:
        """The rover with it."""
        return rover.with_payload(self.mass, self.center_of_mass, link=self.link) if self.mass else rover


def least_at(values: Floats) -> tuple[float, dict[str, float | str]]:
    """The least of several states, and which it is; NaN where none is known."""
    flat = np.ravel(values)
    if not flat.size:
        raise ValueError("there are no states to test")
    if np.isnan(flat).any():
        return math.nan, {}
    k = int(flat.argmin())
    return float(flat[k]), ({"state": float(k), "states": float(flat.size)} if flat.size > 1 else {})
