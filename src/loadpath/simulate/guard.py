"""What a simulation checks of itself: no energy comes or goes unaccounted for, and what is held stays where it is.

Either is an integration that was not one of the equations of motion, and a number that looks like any other. So it is
an error, not a warning: it says since when the numbers are not to be trusted, and has those before as its `result`.

An integrator with the tolerance `rtol` keeps the energy of the simulations in this library's tests to 1e-6 of what is
turned over, and to 3e-5 where a law of the caller's has corners. `LARGE` is thirty times that, and grows with `rtol`
for those who ask for less, but not beyond `LARGEST`: a motion with a tenth of its energy missing is another motion.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

import numpy as np

from loadpath.errors import IntegrationError
from loadpath.scalars.types import Floats

LARGE = 1e-3
"""Share of the energy turned over that may be missing."""
LARGEST = 0.1
"""The same, whatever tolerance was asked for."""
_PER_RTOL = 1e3
ROUNDING = 1e-9
"""Share of the potential energy that is rounding: all there is where nothing moves."""
_BEGINS = 0.01
"""Share of what is too much at which it began."""
_RESOLVED, _FINE = 10.0, 1e-6
"""Times `atol`, where that is finer than the second: a motion that is no larger is not resolved by the integrator, and
its energy is rounding, too.
"""


class Balanced(Protocol):
    """A result with an energy balance."""

    @property
    def times(self) -> Floats:
        """(times,)."""

    @property
    def potential(self) -> Floats:
        """(times,)."""

    @property
    def energy_residual(self) -> Floats:
        """(times,)."""

    @property
    def energy_drift(self) -> float:
        """Largest residual, relative to the energy that was turned over."""


def check_energy(
    result: Balanced, remedy: str, *, rtol: float = 0.0, large: float = LARGE, rounding: float = ROUNDING,
    unresolved: float = 0.0,
) -> None:
    """An error where the energy of a result does not balance; `unresolved` is what the tolerances leave open of it.

    >>> import loadpath as lp
    >>> fall = lp.catalog.planar(2).simulate([0.3, 0.0], [0.0, 0.0], duration=1.0)
    >>> check_energy(fall, "")
    >>> lost = dataclasses.replace(fall, dissipated=np.where(fall.times > 0.5, 1.0, 0.0))
    >>> check_energy(lost, "give a smaller rtol")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    loadpath.errors.IntegrationError: simulate: at t = 0.51 s 1 J of energy are not accounted for, ... % of ...
    """
    missing = np.abs(result.energy_residual)
    worst, drift = float(missing.max(initial=0.0)), result.energy_drift
    most = max(large, min(_PER_RTOL * rtol, LARGEST), unresolved)
    if drift <= most or worst <= rounding * float(np.abs(result.potential).max(initial=0.0)):
        return
    allowed = worst * most / drift
    first, too_much = (int((missing > share).argmax()) for share in (min(_BEGINS * worst, allowed), allowed))
    when = float(result.times[too_much])
    raise IntegrationError(
        f"simulate: at t = {when:.6g} s {missing[too_much]:.3g} J of energy are not accounted for, "
        f"{100 * missing[too_much] * drift / worst:.3g} % of what was turned over (expected at most {100 * most:.3g} %)"
        f"{since(result.times, first)}: {remedy}",
        up_to(result, first),
    )


def unresolved(q: Floats, atol: float | Floats) -> float:
    """Share of the energy that an absolute tolerance of the coordinates leaves open: all of it where they hardly move.

    >>> unresolved(np.array([[0.0, 0.0], [1.0, 2.0]]), 1e-8), unresolved(np.array([[0.7], [0.7]]), 1e-8)
    (5e-08, inf)
    """
    moved, least = float(np.ptp(q, axis=0).max(initial=0.0)), _RESOLVED * min(float(np.max(atol)), _FINE)
    return least / moved if moved > least else np.inf


def since(times: Floats, first: int) -> str:
    """From when on the numbers are wrong, in words."""
    before = max(first - 1, 0)
    return f"; the numbers are not to be trusted from t = {times[before]:.6g} s on (those before are in error.result)"


Result = TypeVar("Result")


def up_to(result: Result, count: int) -> Result:
    """A result with its first `count` times alone, at least one."""
    times: Floats = result.times  # type: ignore[attr-defined]
    count = max(count, 1)
    end = float(times[count - 1])
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(result):  # type: ignore[arg-type]
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray) and value.ndim and len(value) == len(times):
            changed[field.name] = value[:count]
        elif field.name in ("events", "dead_points", "bifurcations"):
            changed[field.name] = tuple(each for each in value if _time(each) <= end)
    return dataclasses.replace(result, **changed)  # type: ignore[type-var]


def _time(happening: Any) -> float:
    return float(getattr(happening, "time", happening))


def check_all(result: Balanced, faults: Iterable[tuple[str, Floats, float, str]], remedy: str) -> None:
    """An error for the earliest of some faults: what is wrong, its size at every time, the most there may be, and
    its unit.
    """
    found = []
    for what, size, most, unit in faults:
        over = ~(size <= most)
        if over.any():
            first = int(over.argmax())
            found.append((first, f"{what} ({float(size[first]):.3g}{unit}, expected at most {most:.3g}{unit})"))
    if not found:
        return
    first, text = min(found)
    raise IntegrationError(
        f"simulate: at t = {result.times[first]:.6g} s {text}{since(result.times, first)}: {remedy}",
        up_to(result, first),
    )
