"""What the drives and brakes of wheels do over time: torques within their limits, given rates, or nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.mobile.dynamics import refuse_torque_without_axle
from loadpath.mobile.motions import by_names
from loadpath.robot.wheels.tracks import pieces_named
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


_STEP = 1e-5
"""Step (s) of the difference quotients with which functions of time are differentiated."""
ALWAYS = -math.inf, math.inf


class RoverState(NamedTuple):
    """What a function that steers a simulated rover gets."""

    pose: Floats
    """(3,): x, y (m) in the frame of the ground, heading (rad)."""
    velocity: Floats
    """(3,): v_x, v_y (m/s) in base axes, w (rad/s)."""
    q: Floats
    qd: Floats


class WheelDrives:
    """Torques, rates and brakes of wheels: numbers, or functions `torque(t, state)`, `rate(t)` and `brake(t)`, by names
    of wheels or tracks; the pieces of a track share a torque evenly. A brake that is True is that of the wheel's drive.

    A torque beyond what the wheel's `drive` has at its rate is cut to that. Limits depend continuously on the rate, so
    that accelerations have corners there and no jumps, which the integrator's step control meets.
    """

    def __init__(
        self, rover: Rover, torques: Mapping[str, Any] | None, rates: Mapping[str, Any] | None,
        brakes: Mapping[str, Any] | None = None,
    ) -> None:
        self.rover = rover
        self.torques = self._numbered(torques, "wheel_torques")
        self.rates = self._numbered(rates, "wheel_rates")
        self.brakes = self._numbered(brakes, "brakes")
        for other, word in ((self.torques, "torque"), (self.brakes, "brake")):
            both = sorted(other.keys() & self.rates.keys())
            if both:
                raise ValueError(f"simulate: wheel '{rover.contact_names[both[0]]}' has a {word} and a rate: give one")
        turned = np.zeros(len(rover.contact_names), dtype=bool)
        turned[[*self.torques, *self.rates, *self.brakes]] = True
        refuse_torque_without_axle(rover, turned)
        self._check_inertia()
        wheels = rover.base.wheels
        limited = {k: drive for k in self.torques if (drive := wheels[k].drive) is not None and drive.limits_torque}
        self.limited = limited
        """Of the wheels with torques: drives that limit them."""

    def _numbered(self, given: Mapping[str, Any] | None, what: str) -> dict[int, Any]:
        if given is None:
            return {}
        given = by_names(given)
        if not isinstance(given, Mapping):
            raise ValueError(f"simulate: '{what}' is {given!r}: expected a mapping from names of wheels")
        found: dict[int, Any] = {}
        for name, each in given.items():
            those = pieces_named(self.rover.base.wheels, name)
            if those and self.rover.base.wheels[those[0]].track not in ("", name):
                raise ValueError(f"simulate: '{what}' names '{name}', a piece of track "
                                 f"'{self.rover.base.wheels[those[0]].track}', which has one rate: name the track")
            if not those:
                known = dict.fromkeys(wheel.track or wheel.name for wheel in self.rover.base.wheels)
                raise ValueError(f"simulate: '{what}' names '{name}'; there are {', '.join(known)}")
            value = self._brake(those, name, each) if what == "brakes" else each
            if not callable(value) and not np.isfinite(number_of(value, f"{what} of '{name}'")):
                raise ValueError(f"simulate: '{what}' of '{name}' is {value}: expected a finite number or a function")
            share = 1.0 if what == "wheel_rates" else 1.0 / len(those)
            found |= {k: value if share == 1.0 else _shared(value, share) for k in those}
        return found

    def _brake(self, those: list[int], name: str, value: Any) -> Any:
        """Torque of a brake: True is that of the drive."""
        if isinstance(value, bool):
            own = [drive.most_brake for k in those if (drive := self.rover.base.wheels[k].drive) is not None]
            if not value:
                return 0.0
            if len(own) < len(those) or any(torque is None for torque in own):
                raise ValueError(f"simulate: brakes of '{name}' are True, and its drive has no brake: give the torque "
                                 "(N m about the axle), or the wheel drive=lp.WheelDrive(brake=...)")
            return sum(torque for torque in own if torque is not None)
        if not callable(value) and number_of(value, f"brakes of '{name}'") < 0:
            raise ValueError(f"simulate: brakes of '{name}' are {value}: expected a torque (N m) of zero or more, with "
                             "which the brake slips")
        return value

    def _check_inertia(self) -> None:
        """A brake that slips, and pieces of a track with one rate, need a rate that is a speed of its own."""
        wheels, names = self.rover.base.wheels, self.rover.contact_names
        for k, wheel in enumerate(wheels):
            if wheel.axle_inertia > 0 or k in self.rates:
                continue
            if k in self.brakes:
                raise ModelError(f"wheel '{names[k]}' has a brake that slips at a torque, and no spin inertia: give it "
                                 "spin_inertia=..., or a drive with rotor_inertia; a locked brake is wheel_rates of 0")
            if wheel.track:
                raise ModelError(f"track '{wheel.track}' has no spin inertia and no given rate: give it "
                                 "spin_inertia=... (of belt and sprocket, about the sprocket), or wheel_rates")

    @property
    def changing(self) -> bool:
        """Whether any is a function."""
        return any(callable(value) for value in [*self.torques.values(), *self.rates.values(), *self.brakes.values()])

    def torque(self, t: float, state: RoverState, rates: Callable[[], Floats]) -> Floats:
        """(contacts,): torques within the limits of their drives, zero of those without. `rates` gives the rates of all
        wheels where they matter.
        """
        result = np.zeros(len(self.rover.contact_names))
        for k, value in self.torques.items():
            result[k] = number_of(value(t, state), self._told(k, "torque", t)) if callable(value) else value
        if self.limited:
            turning = rates()
            for k, drive in self.limited.items():
                result[k] = drive.limited(float(result[k]), float(turning[k]))
        return result

    def braking(self, t: float) -> Floats | None:
        """(contacts,): torques with which brakes slip; None where there is no brake."""
        if not self.brakes:
            return None
        result = np.zeros(len(self.rover.contact_names))
        for k, value in self.brakes.items():
            torque = number_of(value(t), self._told(k, "brake", t)) if callable(value) else value
            if torque < 0:
                raise ValueError(f"simulate: {self._told(k, 'brake', t)} is {torque:g} N m: expected zero or more, the "
                                 "torque with which it slips")
            result[k] = torque
        return result

    def at_limit(self, times: Floats, rates: Floats, torques: Floats) -> Bools:
        """(times, contacts): whether drives were at their limits. A warning where a given rate takes more than the
        drive of its wheel has.
        """
        found = np.zeros(rates.shape, dtype=bool)
        told: list[str] = []
        for k in [*self.torques, *self.rates]:
            drive = self.rover.base.wheels[k].drive
            if drive is None or not drive.limits_torque:
                continue
            used, most = np.abs(torques[:, k]), drive.most_torque(rates[:, k])
            over = np.abs(drive.ratio * rates[:, k]) > drive.largest_speed
            found[:, k] = (used >= most * (1 - 1e-9)) | over
            beyond = used > most * (1 + 1e-6) + 1e-9
            if k in self.rates and over.any():
                i = int(np.argmax(over))
                told.append(f"wheel '{self.rover.contact_names[k]}' is given {abs(rates[i, k]):.4g} rad/s at t = "
                            f"{times[i]:.4g} s, and its drive turns it at "
                            f"{drive.largest_speed / abs(drive.ratio):.4g} rad/s at most")
            if k in self.rates and beyond.any():
                i = int(np.argmax(np.where(beyond, used - most, 0.0)))
                told.append(f"the rate of wheel '{self.rover.contact_names[k]}' takes {used[i]:.4g} N m at t = "
                            f"{times[i]:.4g} s, and its drive has {most[i]:.4g} N m at {abs(rates[i, k]):.4g} rad/s: "
                            "it does not follow that; wheel_torques are held to what the drive has")
        if told:
            more = f" (and {len(told) - 1} more like this)" if len(told) > 1 else ""
            warn(f"simulate: {told[0]}{more}")
        return found

    def rate(self, k: int, t: float, within: tuple[float, float] = ALWAYS) -> tuple[float, float]:
        """Rate of a wheel, and the rate of that, which is smooth `within` a time."""
        law = self.rates[k]
        if not callable(law):
            return float(law), 0.0
        return derivative_at(law, t, self._told(k, "rate", t), within)

    def _told(self, k: int, what: str, t: float) -> str:
        return f"the {what} of wheel '{self.rover.contact_names[k]}' at t = {t:.6g} s"


def _shared(value: Any, share: float) -> Any:
    """The share of a piece of a track in what is given for the track: a number, or a function."""
    return (lambda *given: float(value(*given)) * share) if callable(value) else float(value) * share


def derivative_at(
    value: float | Callable[[float], Any], t: float, called: str, within: tuple[float, float] = ALWAYS
) -> tuple[float, float]:
    """Value and rate of change of a number or a function of time, by differences that stay `within` a time."""
    if not callable(value):
        return float(value), 0.0
    now, step = number_of(value(t), called), _STEP
    if within[0] <= t - step and t + step <= within[1]:
        before, after = (number_of(value(t + by), called) for by in (-step, step))
        return now, (after - before) / (2 * step)
    step = step if t + 2 * step <= within[1] else -step
    near, far = (number_of(value(t + by), called) for by in (step, 2 * step))
    return now, (4 * near - far - 3 * now) / (2 * step)


def number_of(value: Any, called: str) -> float:
    """A finite number, or an error that says what is none."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"simulate: {called} is {value!r}: expected a number") from None
    if not np.isfinite(number):
        raise ValueError(f"simulate: {called} is {number}: expected a finite number")
    return number
