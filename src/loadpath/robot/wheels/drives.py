"""The drive of a wheel as data: motor, gear and brake with their limits, on its axle or about its steering axis.

The words are those of `lp.Drive` and `lp.Motor`, and so is the side: torques, speeds, power and brake are those at the
motor's shaft. With the ratio N (rad of the motor per rad of the wheel, negative where it turns the other way), the
efficiency e and the rotor inertia J_r, at the wheel, which turns at the rate b,

    most torque      |N| e T(|N b|),      T(n) = min(peak_torque, intermittent_curve at n, power / n),
    inertia felt     N^2 J_r,
    brake            |N| brake.

T is taken in all four quadrants, and beyond the last speed of the curve, or `max_speed`, stays as it is there. What
drives on beyond that speed falls to zero within `FADES` of it, as by a controller that limits the speed: a corner, and
no jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number
from loadpath.scalars.types import ArrayLike, Floats

FADES = 0.02
"""Share of the largest speed within which what drives on falls to zero beyond it."""
_POSITIVE = ("peak_torque", "continuous_torque", "max_speed", "power", "brake")


@dataclass(frozen=True, kw_only=True)
class WheelDrive(Measured):
    """Motor, gear and brake of a wheel: `lp.FixedWheel(..., drive=lp.WheelDrive(...))`; what is not given is no limit.

    | field | unit | |
    |---|---|---|
    | `peak_torque` | N m | at any time |
    | `continuous_torque` | N m | RMS over a motion, in verdicts |
    | `intermittent_curve` | pairs (rad/s, N m) | most torque at a speed; `[(0, 3), (400, 0)]` is a DC motor's line |
    | `max_speed` | rad/s | |
    | `power` | W | of the shaft, driving or braking |
    | `ratio` | | rad of the motor per rad of the wheel; negative where it turns the other way |
    | `efficiency` | 0 to 1 | of the gear: one number, or a pair (motor drives wheel, wheel drives motor) |
    | `rotor_inertia` | kg m^2 | on the motor's shaft, felt by the ratio squared |
    | `brake` | N m | torque that the brake holds, and with which it slips |

    All are at the motor's shaft. `lp.WheelDrive.of(motor, ratio=20)` takes the numbers of an `lp.Motor`.

    >>> import loadpath as lp
    >>> drive = lp.WheelDrive(intermittent_curve=[(0, 2.0), (300, 0.0)], ratio=20, efficiency=0.9, rotor_inertia=1e-4)
    >>> round(float(drive.most_torque(7.5)), 9), round(drive.felt_inertia, 9)         # at half of the no-load speed
    (18.0, 0.04)
    """

    peak_torque: float | None = field(default=None, metadata=measures("torque"))
    continuous_torque: float | None = field(default=None, metadata=measures("torque"))
    intermittent_curve: Sequence[tuple[float, float]] | None = field(default=None, metadata=measures("speed", "torque"))
    max_speed: float | None = field(default=None, metadata=measures("speed"))
    power: float | None = field(default=None, metadata=measures("power"))
    ratio: float = field(default=1.0, metadata=measures("plain number"))
    efficiency: float | tuple[float, float] = field(default=1.0, metadata=measures("share"))
    rotor_inertia: float = field(default=0.0, metadata=measures("moment of inertia"))
    brake: float | None = field(default=None, metadata=measures("torque"))
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ModelError(f"name of a WheelDrive is {self.name!r}: expected text")
        for part in _POSITIVE:
            value = getattr(self, part)
            if value is not None:
                value = number(value, f"{part} of {self._called}")
                if value <= 0:
                    raise ModelError(f"{part} of {self._called} is {value:g}: expected more than zero; leave it out "
                                     "where it is not limited")
                object.__setattr__(self, part, value)
        ratio, rotor = (number(getattr(self, part), f"{part} of {self._called}") for part in ("ratio", "rotor_inertia"))
        if ratio == 0:
            raise ModelError(f"ratio of {self._called} is 0: expected turns of the motor per turn of the wheel")
        if rotor < 0:
            raise ModelError(f"rotor_inertia of {self._called} is {rotor:g}: expected zero or more")
        object.__setattr__(self, "ratio", ratio)
        object.__setattr__(self, "rotor_inertia", rotor)
        object.__setattr__(self, "efficiency", self._pair())
        if self.intermittent_curve is not None:
            object.__setattr__(self, "intermittent_curve", self._curve(self.intermittent_curve))

    def _pair(self) -> tuple[float, float]:
        given: Any = self.efficiency
        pair = tuple(given) if isinstance(given, (tuple, list)) else (given, given)
        if len(pair) != 2:
            raise ModelError(f"efficiency of {self._called} is {given!r}: expected one number, or two: with the motor "
                             "driving the wheel, and with the wheel driving the motor")
        forward, backward = (number(value, f"efficiency of {self._called}") for value in pair)
        for value in (forward, backward):
            if not 0 < value <= 1:
                hint = f" ({value:g} % is {value / 100:g})" if 1 < value <= 100 else ""
                raise ModelError(f"efficiency of {self._called} is {value:g}: expected more than 0 and at most 1{hint}")
        return forward, backward

    def _curve(self, given: Any) -> tuple[tuple[float, float], ...]:
        what = f"intermittent_curve of {self._called}"
        try:
            points = tuple((number(speed, f"a speed of the {what}"), number(torque, f"a torque of the {what}"))
                           for speed, torque in given)
        except (TypeError, ValueError) as problem:
            if isinstance(problem, ModelError):
                raise
            raise ModelError(f"{what} is {given!r}: expected pairs (speed rad/s, torque N m)") from None
        if len(points) < 2 or points[0][0] != 0 or any(b[0] <= a[0] for a, b in pairwise(points)):
            raise ModelError(f"{what} is {given!r}: expected two or more pairs (speed rad/s, torque N m) with "
                             "increasing speeds from 0 on")
        if any(torque < 0 for _, torque in points) or points[0][1] == 0:
            raise ModelError(f"{what} is {given!r}: expected torques of zero or more, and more than zero at rest")
        return points

    @classmethod
    def of(cls, motor: object, **more: object) -> WheelDrive:
        """The drive with the numbers of an `lp.Motor`, and what is given besides: its gear and brake.

        >>> import loadpath as lp
        >>> lp.WheelDrive.of(lp.Motor(peak_torque=3.0, max_speed=400, name="M1"), ratio=20).peak_torque
        3.0
        """
        parts = ("peak_torque", "continuous_torque", "intermittent_curve", "max_speed", "rotor_inertia", "name")
        if getattr(motor, "kind", "") != "motor" or getattr(motor, "linear", False):
            raise ModelError(f"a WheelDrive of {motor!r}: expected an lp.Motor that turns")
        given: dict[str, Any] = {part: getattr(motor, part) for part in parts if getattr(motor, part) is not None}
        given.update(more)
        return cls(**given)

    def shared(self, share: float) -> WheelDrive:
        """The drive of one of several pieces of a track: torques, power, rotor and brake by its share."""
        parts = ("peak_torque", "continuous_torque", "power", "rotor_inertia", "brake")
        made: dict[str, Any] = {part: None if getattr(self, part) is None else share * getattr(self, part)
                                for part in parts}
        if self.intermittent_curve is not None:
            made["intermittent_curve"] = tuple((speed, share * torque) for speed, torque in self.intermittent_curve)
        return replace(self, **made)

    # At the wheel

    @property
    def efficiencies(self) -> tuple[float, float]:
        """With the motor driving the wheel, and the other way round."""
        pair = self.efficiency
        return pair if isinstance(pair, tuple) else (pair, pair)

    @property
    def felt_inertia(self) -> float:
        """kg m^2 that the rotor adds to the spin inertia of the wheel: N^2 J_r."""
        return self.ratio**2 * self.rotor_inertia

    @property
    def momentum_inertia(self) -> float:
        """kg m^2 that times the rate of the wheel is the angular momentum of the rotor along the axle: N J_r."""
        return self.ratio * self.rotor_inertia

    @property
    def most_brake(self) -> float | None:
        """N m about the axle with which the brake slips; None without one."""
        return None if self.brake is None else abs(self.ratio) * self.brake

    @property
    def limits_torque(self) -> bool:
        """Whether anything bounds its torque."""
        limits = self.peak_torque, self.intermittent_curve, self.max_speed, self.power
        return any(limit is not None for limit in limits)

    @property
    def largest_speed(self) -> float:
        """rad/s of the shaft beyond which nothing drives it on; infinite where there is no such speed."""
        last = np.inf if self.intermittent_curve is None else self.intermittent_curve[-1][0]
        return float(min(last, np.inf if self.max_speed is None else self.max_speed))

    def torque_at(self, speed: ArrayLike) -> Floats:
        """Most torque (N m) of the shaft at its speeds (rad/s), of either sign; infinite where nothing limits it."""
        n = np.abs(np.asarray(speed, dtype=float))
        most = np.full(n.shape, np.inf if self.peak_torque is None else self.peak_torque)
        if self.intermittent_curve is not None:
            speeds, torques = np.array(self.intermittent_curve).T
            most = np.minimum(most, np.interp(n, speeds, torques))
        if self.power is not None:
            most = np.minimum(most, self.power / np.maximum(n, 1e-300))
        return np.where(np.isnan(n), np.nan, most)

    def most_torque(self, rate: ArrayLike) -> Floats:
        """Most torque (N m) about the axle at rates (rad/s) of the wheel, driving or braking: |N| e T(|N b|), with the
        efficiency of driving. (What the gear loses helps to brake, which is left out.)
        """
        ratio = abs(self.ratio)
        result: Floats = ratio * self.efficiencies[0] * self.torque_at(ratio * np.asarray(rate, dtype=float))
        return result

    def limited(self, torque: float, rate: float) -> float:
        """What is left of a torque about the axle that is asked for at a rate of the wheel.

        >>> drive = WheelDrive(peak_torque=2.0, max_speed=300.0, ratio=20)
        >>> [round(drive.limited(50.0, rate), 6) for rate in (3.0, 15.15, 16.0)], drive.limited(-50.0, 16.0)
        ([40.0, 20.0, 0.0], -40.0)
        """
        most = float(self.most_torque(rate))
        torque = min(max(torque, -most), most)
        over = abs(self.ratio * rate) / self.largest_speed - 1.0
        if over > 0 and torque * rate > 0:
            torque *= max(1.0 - over / FADES, 0.0)
        return torque

    def motor_torque(self, torque: ArrayLike, rate: ArrayLike, acceleration: ArrayLike = 0.0) -> Floats:
        """Torque (N m) of the shaft for a torque about the axle that has what the rotor takes in it, as `wheel_loads`
        gives it: the gear passes on what is left of it, less its losses by the direction of the power.
        """
        tau, b, db = (np.asarray(part, dtype=float) for part in (torque, rate, acceleration))
        ratio, (forward, backward) = abs(self.ratio), self.efficiencies
        through = tau - self.felt_inertia * db
        power = through * b
        share = np.where(power > 0, 1.0 / forward, np.where(power < 0, backward, 1.0))
        result: Floats = through * share / ratio + ratio * self.rotor_inertia * db
        return result

    @property
    def _called(self) -> str:
        return f"WheelDrive '{self.name}'" if self.name else "a WheelDrive"
