"""What the drives of wheels do over time: torques, given rates, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.mobile.dynamics import refuse_torque_without_axle
from loadpath.mobile.motions import by_names
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


_STEP = 1e-5
"""Step (s) of the difference quotients with which functions of time are differentiated."""


class RoverState(NamedTuple):
    """What a function that steers a simulated rover gets."""

    pose: Floats
    """(3,): x, y (m) in the frame of the ground, heading (rad)."""
    velocity: Floats
    """(3,): v_x, v_y (m/s) in base axes, w (rad/s)."""
    q: Floats
    qd: Floats


class WheelDrives:
    """Torques and rates of wheels: numbers, or functions `torque(t, state)` and `rate(t)`, by names of wheels."""

    def __init__(self, rover: Rover, torques: Mapping[str, Any] | None, rates: Mapping[str, Any] | None) -> None:
        self.rover = rover
        self.torques = self._numbered(torques, "wheel_torques")
        self.rates = self._numbered(rates, "wheel_rates")
        both = sorted(self.torques.keys() & self.rates.keys())
        if both:
            raise ValueError(f"simulate: wheel '{rover.contact_names[both[0]]}' has a torque and a rate: give one")
        turned = np.zeros(len(rover.contact_names), dtype=bool)
        turned[[*self.torques, *self.rates]] = True
        refuse_torque_without_axle(rover, turned)

    def _numbered(self, given: Mapping[str, Any] | None, what: str) -> dict[int, Any]:
        if given is None:
            return {}
        given = by_names(given)
        if not isinstance(given, Mapping):
            raise ValueError(f"simulate: '{what}' is {given!r}: expected a mapping from names of wheels")
        names = self.rover.contact_names
        for name, value in given.items():
            if name not in names:
                raise ValueError(f"simulate: '{what}' names '{name}'; there are {', '.join(names)}")
            if not callable(value) and not np.isfinite(_number(value, f"{what} of '{name}'")):
                raise ValueError(f"simulate: '{what}' of '{name}' is {value}: expected a finite number or a function")
        return {names.index(name): value for name, value in given.items()}

    @property
    def changing(self) -> bool:
        """Whether any is a function."""
        return any(callable(value) for value in [*self.torques.values(), *self.rates.values()])

    def torque(self, t: float, state: RoverState) -> Floats:
        """(contacts,): torques, zero of those without."""
        result = np.zeros(len(self.rover.contact_names))
        for k, value in self.torques.items():
            result[k] = _number(value(t, state), self._told(k, "torque", t)) if callable(value) else value
        return result

    def rate(self, k: int, t: float) -> tuple[float, float]:
        """Rate of a wheel, and the rate of that."""
        return derivative_at(self.rates[k], t, self._told(k, "rate", t))

    def _told(self, k: int, what: str, t: float) -> str:
        return f"the {what} of wheel '{self.rover.contact_names[k]}' at t = {t:.6g} s"


def derivative_at(value: float | Callable[[float], Any], t: float, called: str) -> tuple[float, float]:
    """Value and rate of change of a number or a function of time."""
    if not callable(value):
        return float(value), 0.0
    before, now, after = (_number(value(t + step), called) for step in (-_STEP, 0.0, _STEP))
    return now, (after - before) / (2 * _STEP)


def _number(value: Any, called: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"simulate: {called} is {value!r}: expected a number") from None
    if not np.isfinite(number):
        raise ValueError(f"simulate: {called} is {number}: expected a finite number")
    return number
