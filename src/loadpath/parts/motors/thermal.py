"""What a motor's winding goes through: its temperature, of one or two bodies that store heat, warmed by copper loss and
solved without error of step; and the current and voltage against what its supply gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from loadpath.errors import ModelError
from loadpath.parts.catalogue import compare
from loadpath.parts.part import DRIVE, Check, Instant, JointLoads, Largest, MotorSide, Rule, not_checked
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number, positive
from loadpath.scalars.types import ArrayLike, Floats

if TYPE_CHECKING:
    from loadpath.parts.motors.motor import Motor

# Chains of affine maps x -> A x + b of two states, all of their compositions at once.


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


COPPER = 0.0039
"""1/K: resistance of copper grows by so much, of its value at 25 degrees."""


@dataclass(frozen=True)
class ThermalModel(Measured):
    """How a motor's winding warms, by catalogue numbers. Temperatures are in degrees Celsius.

    One body: `resistance` from the winding to the surroundings in K/W and `time_constant` in s. Two bodies: the pairs
    (winding to housing, housing to surroundings) and (winding, motor). `ambient` is the temperature around, `limit`
    the highest permitted of the winding. Copper loss grows with temperature by `copper_coefficient` (1/K) from what it
    is at `reference`, where the motor's resistance is given; 0 leaves that out.

    >>> import loadpath as lp
    >>> winding = lp.ThermalModel(resistance=(0.74, 8.96), time_constant=(4.12, 968), ambient=25, limit=155)
    >>> winding.steady(10.0).round(2).tolist()  # 10 W at 25 degrees are 16.1 W when hot
    181.02
    """

    resistance: float | tuple[float, float] = field(metadata=measures("thermal resistance"))
    time_constant: float | tuple[float, float] = field(metadata=measures("time"))
    ambient: float = field(metadata=measures("temperature"))
    limit: float = field(metadata=measures("temperature"))
    copper_coefficient: float = field(default=COPPER, metadata=measures("temperature coefficient"))
    reference: float = field(default=25.0, metadata=measures("temperature"))

    def __post_init__(self) -> None:
        for key in ("resistance", "time_constant"):
            object.__setattr__(self, key, _one_or_two(getattr(self, key), f"{key} of a ThermalModel"))
        if isinstance(self.resistance, tuple) != isinstance(self.time_constant, tuple):
            raise ModelError(f"a ThermalModel has the resistance {self.resistance} and the time_constant "
                             f"{self.time_constant}: expected one number each (one body) or two each (winding and "
                             "housing)")
        for key in ("ambient", "limit", "copper_coefficient", "reference"):
            object.__setattr__(self, key, number(getattr(self, key), f"{key} of a ThermalModel"))
        if self.limit <= self.ambient:
            raise ModelError(f"a ThermalModel has the limit {self.limit:g} and the ambient {self.ambient:g} degrees: "
                             "expected a limit above it")
        if self.copper_coefficient < 0:
            raise ModelError(f"copper_coefficient of a ThermalModel is {self.copper_coefficient}: expected zero or "
                             "more")
        if 1.0 + self.copper_coefficient * (self.ambient - self.reference) <= 0:
            raise ModelError(f"ambient of a ThermalModel is {self.ambient:g} degrees: copper has no resistance there")

    @property
    def resistances(self) -> tuple[float, float]:
        """K/W: winding to housing and housing to surroundings, the second zero of one body."""
        return self.resistance if isinstance(self.resistance, tuple) else (self.resistance, 0.0)

    @property
    def permitted_loss(self) -> float:
        """W: the loss that, kept up for good, brings the winding to its limit."""
        return (self.limit - self.ambient) / sum(self.resistances)

    def growth(self, temperature: float) -> float:
        """Copper's resistance at a temperature, of that at the reference."""
        return 1.0 + self.copper_coefficient * (temperature - self.reference)

    def steady(self, loss: ArrayLike) -> Floats:
        """Temperature of the winding under a loss that lasts for good; `loss` in W at the reference temperature.
        Infinite where the loss grows faster with temperature than the heat that leaves.
        """
        given = np.asarray(loss, dtype=float)
        total = sum(self.resistances)
        left = 1.0 - given * self.copper_coefficient * total
        with np.errstate(divide="ignore"):
            rise = np.where(left > 0, given * self.growth(self.ambient) * total / left, np.inf)
        return np.asarray(self.ambient + np.where(given == 0, 0.0, rise))

    def temperatures(self, t: ArrayLike, loss: ArrayLike, *, repeated: bool = True) -> Floats:
        """Temperature of the winding at the times `t` (s) under losses (W at the reference temperature) there.

        Between samples the loss is the mean of both ends. `repeated`: as it is once the same has been repeated for so
        long that nothing changes any more (infinite where it never does); else the first time, from the surroundings'.

        >>> import loadpath as lp, numpy as np
        >>> winding = lp.ThermalModel(resistance=2.0, time_constant=600, ambient=20, limit=120, copper_coefficient=0)
        >>> winding.temperatures([0, 600], [30, 30], repeated=False).round(2).tolist()  # 20 + 60 (1 - 1/e)
        [20.0, 57.93]
        >>> winding.temperatures([0, 600], [30, 30]).round(2).tolist()
        [80.0, 80.0]
        """
        times, losses = np.broadcast_arrays(np.asarray(t, dtype=float), np.asarray(loss, dtype=float))
        if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or not (np.diff(times) >= 0).all():
            raise ValueError("temperatures: t must be a row of rising times")
        heating = Heating(self)
        heating.add(times, losses)
        return self.ambient + (heating.repeated_rises() if repeated else heating.first_rises())

    def maps(self, dt: Floats, loss: Floats) -> Maps:
        """What intervals of length dt (s) with constant losses (W at the reference) do to the rises (winding, housing)
        above the surroundings, (n,): exact solutions of C1 x1' = P - (x1 - x2)/R1, C2 x2' = (x1 - x2)/R1 - x2/R2, in
        which P grows with x1.
        """
        c, first = self._rates
        grown = loss * self.copper_coefficient * c
        # A = [[a11 + grown, a12], [a21, a22]]; its eigenvalues are real and apart, m + d and m - d.
        a11, a12, a21, a22 = first[0] + grown, first[1], first[2], first[3]
        m, half = 0.5 * (a11 + a22), 0.5 * (a11 - a22)
        d = np.sqrt(half * half + a12 * a21)
        low, high = m - d, m + d
        # f(A) = (f(high) - f(low))/(2 d) (A - m I) + (f(high) + f(low))/2 I, of f = exp(. dt) and its integral.
        spread = np.exp(high * dt) * -np.expm1(-2.0 * d * dt) / (2.0 * d)
        A = _of_matrix(spread, 0.5 * (np.exp(high * dt) + np.exp(low * dt)), half, a12, a21)
        to_high, to_low = _integral(high, dt), _integral(low, dt)
        kept = _of_matrix((to_high - to_low) / (2.0 * d), 0.5 * (to_high + to_low), half, a12, a21)
        heat = loss * self.growth(self.ambient) * c
        return Maps(A, kept[..., 0] * heat[..., None])

    def plain(self) -> dict[str, float]:
        """What solves its equations, as plain numbers: 1/C1, the matrix without loss, and how losses grow.

        >>> model = ThermalModel(resistance=2.0, time_constant=600, ambient=20, limit=120)
        >>> {name: round(value, 6) for name, value in model.plain().items() if name in ("c", "a11", "limit")}
        {'c': 0.003333, 'a11': -0.001667, 'limit': 120.0}
        """
        c, (a11, a12, a21, a22) = self._rates
        return {"c": c, "a11": a11, "a12": a12, "a21": a21, "a22": a22, "copper": self.copper_coefficient,
                "ambient": self.ambient, "limit": self.limit, "grown": float(self.growth(self.ambient))}

    @property
    def _rates(self) -> tuple[float, tuple[float, float, float, float]]:
        """1/C1, and the matrix without loss. Catalogues: C = time constant / resistance of each body."""
        if not isinstance(self.resistance, tuple) or not isinstance(self.time_constant, tuple):
            one = 1.0 / self._float(self.time_constant)
            return one * self._float(self.resistance), (-one, 0.0, 0.0, -3.0 * one)  # no housing: any rate serves
        (r1, r2), (t1, t2) = self.resistance, self.time_constant
        c1, c2 = r1 / t1, r2 / t2
        return c1, (-c1 / r1, c1 / r1, c2 / r1, -c2 / r1 - c2 / r2)

    @staticmethod
    def _float(value: object) -> float:
        assert isinstance(value, float)
        return value


def _one_or_two(value: object, what: str) -> float | tuple[float, float]:
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
        return positive(value, what)
    several = [positive(part, what) for part in value]
    if len(several) != 2:
        raise ModelError(f"{what} has {len(several)} numbers: expected one, or two of winding and housing")
    return several[0], several[1]


def _of_matrix(spread: Floats, middle: Floats, half: Floats, a12: float, a21: float) -> Floats:
    rows = np.empty((*np.broadcast(spread, middle).shape, 2, 2))
    rows[..., 0, 0], rows[..., 0, 1] = middle + spread * half, spread * a12
    rows[..., 1, 0], rows[..., 1, 1] = spread * a21, middle - spread * half
    return rows


def _integral(rate: Floats, dt: Floats) -> Floats:
    """Integral of exp(rate s) for s from 0 to dt."""
    small = np.abs(rate * dt) < 1e-12
    return np.where(small, dt, np.expm1(rate * dt) / np.where(small, 1.0, rate))


class Heating:
    """The rises of a winding over one motion, block by block, as functions of the rises at its start."""

    def __init__(self, model: ThermalModel) -> None:
        self.model = model
        self.whole = identity()
        """From the start of the motion to the last sample."""
        self.last: tuple[float, float] | None = None
        self.loss = 0.0
        """J over the motion, at the reference temperature."""
        self.time = 0.0
        self.rows: list[Floats] = []
        """(samples, 3) a block: a, b, c of the winding's rise a x1 + b x2 + c at each sample. Kept, since the start of
        a repeated motion is known at its end only.
        """

    def add(self, t: Floats, loss: Floats) -> None:
        """The next samples: times, s, and losses, W at the reference temperature."""
        if not len(t):
            return
        ahead = (t[0], loss[0]) if self.last is None else self.last
        dt = np.diff(t, prepend=ahead[0])
        mean = 0.5 * (loss + np.concatenate([[ahead[1]], loss[:-1]]))
        chain = chained(self.model.maps(dt, mean)).after(self.whole)
        self.rows.append(np.concatenate([chain.A[:, 0], chain.b[:, :1]], axis=1))
        self.whole = chain.at(-1)
        self.last = (float(t[-1]), float(loss[-1]))
        self.time += float(dt.sum())
        self.loss += float((mean * dt).sum())

    def first_rises(self) -> Floats:
        """Rises of the winding above the surroundings at all samples, K, the first time."""
        return np.concatenate([rows[:, 2] for rows in self.rows])

    def repeated_rises(self) -> Floats:
        """Those once the motion has been repeated for long; infinite where they never settle."""
        rows = np.concatenate(self.rows)
        if self.time == 0.0:
            assert self.last is not None
            steady = float(self.model.steady(self.last[1])) - self.model.ambient
            return np.full(len(rows), steady)
        if np.abs(np.linalg.eigvals(self.whole.A)).max() >= 1.0:
            return np.full(len(rows), math.inf)
        start = np.linalg.solve(np.eye(2) - self.whole.A, self.whole.b)
        return np.asarray(rows[:, :2] @ start + rows[:, 2])


# Current and voltage of a motor over a motion, against what its supply gives.

CURRENT, VOLTAGE, WARMTH = "peak current", "voltage", "winding temperature"


class Electric:
    """Current and voltage of a motor."""

    def __init__(self, motor: Motor) -> None:
        self.motor = motor
        self.most, self.highest = Largest(), Largest()
        self.last: tuple[int, float, float] | None = None
        """Motion, time and current of the sample before."""

    @property
    def rules(self) -> dict[str, Rule]:
        """Of current and voltage."""
        found = {CURRENT: Rule("largest", self._size)}
        if self._voltage_known:
            found[VOLTAGE] = Rule("largest", self._volts, over_time=self._changes)
        return found

    @property
    def _voltage_known(self) -> bool:
        return self.motor.voltage is not None and self.motor.resistance is not None and self._constant is not None

    @property
    def _changes(self) -> bool:
        """Whether the voltage depends on how fast the current changes: of a DC motor with an inductance."""
        return self.motor.inductance is not None and self.motor.pole_pairs is None

    def _size(self, loads: JointLoads) -> Floats:
        """Of the current, of every sample."""
        assert loads.motor is not None
        constant = self.motor.torque_constant
        return np.abs(loads.motor.current if constant is None else loads.motor.torque / constant)

    def current(self, side: MotorSide) -> Floats | None:
        """A: by the motor's own torque constant, else as the drive train knows it; None where neither does."""
        if self.motor.torque_constant is not None:
            return side.torque / self.motor.torque_constant
        return None if np.isnan(side.current).all() else side.current

    def add(self, loads: JointLoads, side: MotorSide, current: Floats | None) -> None:
        """The next block."""
        if current is None:
            return
        self.most.add(np.abs(current), loads)
        if self._voltage_known:
            last = self.last if self.last is not None and self.last[0] == loads.motion else None
            self.highest.add(self._voltage(loads, side, current, last), loads)
            if len(loads.t):
                self.last = loads.motion, float(loads.t[-1]), float(current[-1])

    def _volts(self, loads: JointLoads) -> Floats:
        """Of every sample of a whole motion."""
        assert loads.motor is not None
        constant = self.motor.torque_constant
        current = loads.motor.current if constant is None else loads.motor.torque / constant
        return self._voltage(loads, loads.motor, current, None)

    @property
    def _constant(self) -> float | None:
        """k_e in V s/rad: power is k_t i w = phases k_e w i."""
        motor = self.motor
        if motor.back_emf_constant is not None or motor.torque_constant is None:
            return motor.back_emf_constant
        return motor.torque_constant / motor.phases

    @property
    def hot_resistance(self) -> float:
        """ohm: that of the hottest permitted winding, where that is known."""
        thermal, cold = self.motor.thermal, self.motor.resistance
        assert cold is not None
        return cold if thermal is None else cold * thermal.growth(thermal.limit)

    def _voltage(
        self, loads: JointLoads, side: MotorSide, current: Floats, last: tuple[int, float, float] | None
    ) -> Floats:
        """V at the terminals (of a phase): DC u = k_e w + R i + L di/dt; synchronous, the sum of phasors in which the
        current is in phase with the induced voltage: u^2 = (k_e w + R i)^2 + (p w L i)^2. `last` are motion, time and
        current of the sample before.
        """
        assert self._constant is not None
        motor, along = self.motor, self._constant * side.speed + self.hot_resistance * current
        if motor.inductance is None:
            return np.abs(along)
        if motor.pole_pairs is not None:
            return np.hypot(along, motor.pole_pairs * side.speed * motor.inductance * current)
        _, time, before = (0, loads.t[:1], current[:1]) if last is None else last
        dt, di = np.diff(loads.t, prepend=time), np.diff(current, prepend=before)
        later = dt > 0
        slope = np.where(later, di / np.where(later, dt, 1.0), 0.0)
        return np.abs(along + motor.inductance * slope)

    def checks(self) -> list[Check]:
        """Voltage, which an intermittent curve covers, and current where it is limited."""
        return [*self._voltage_check(), *self._current_check()]

    def _voltage_check(self) -> list[Check]:
        motor, check = self.motor, VOLTAGE
        if motor.voltage is None:
            why = "no voltage given, nor an intermittent_curve, which covers it"
            return [] if motor.intermittent_curve is not None else [not_checked(check, why, "V")]
        if motor.resistance is None or self._constant is None:
            return [not_checked(check, "no resistance and torque_constant (or back_emf_constant) given", "V")]
        if self.highest.at is None:
            return [not_checked(check, "no current known: give torque_constant", "V")]
        note = "" if motor.thermal is None else f"with the winding at {motor.thermal.limit:g} degrees"
        return [compare(check, self.highest.value, motor.voltage, "V", "voltage", self.highest.at, DRIVE, note)]

    def _current_check(self) -> list[Check]:
        if self.motor.peak_current is None:
            return []
        if self.most.at is None:
            return [not_checked(CURRENT, "no torque_constant given", "A")]
        return [compare(CURRENT, self.most.value, self.motor.peak_current, "A", "peak_current", self.most.at,
                        DRIVE)]


# How hot a motor's winding gets when a motion is repeated for good.


class Warming:
    """Temperature of the winding: each motion of a spectrum by itself, repeated until nothing changes."""

    def __init__(self, motor: Motor, model: ThermalModel, electric: Electric) -> None:
        self.motor, self.model, self.electric = motor, model, electric
        self.motion: int | None = None
        self.heating = Heating(model)
        self.samples: list[tuple[int, Floats]] = []
        """Number of the first sample and times of each block of the motion under way."""
        self.hottest, self.first_time = -math.inf, -math.inf
        """Rises, K, over all motions that are done."""
        self.at: Instant | None = None
        self.motions = 0
        self.unknown = ""

    def add(self, loads: JointLoads, side: MotorSide, current: Floats | None) -> None:
        """The next block."""
        loss = self._loss(side, current)
        if loss is None:
            self.unknown = "no resistance and torque_constant given, nor a continuous_torque"
        elif np.isnan(loads.t).any():
            self.unknown = "the states have no times"
        else:
            if self.motion != loads.motion:
                self._finish()
                self.motion = loads.motion
            self.samples.append((loads.first, loads.t))
            self.heating.add(loads.t, loss)

    @property
    def rules(self) -> dict[str, Rule]:
        """Of its check; not of a spectrum."""
        return {WARMTH: Rule("temperature", self._losses, thermal=self.model, over_time=True)}

    def _losses(self, loads: JointLoads) -> Floats:
        """W at the reference temperature, of every sample."""
        assert loads.motor is not None
        current = None if self.motor.resistance is None else self.electric.current(loads.motor)
        found = self._loss(loads.motor, current)
        assert found is not None
        return found

    def _loss(self, side: MotorSide, current: Floats | None) -> Floats | None:
        """W at the reference temperature: of the currents, else as a share of what the continuous torque may make."""
        motor, model = self.motor, self.model
        if motor.resistance is not None and current is not None:
            return motor.phases * motor.resistance * current**2
        if motor.continuous_torque is None:
            return None
        lasting = model.permitted_loss / model.growth(model.limit)
        return lasting * (side.torque / motor.continuous_torque) ** 2

    def _finish(self) -> None:
        """The motion under way is over: how hot it gets when it is repeated."""
        if not self.samples:
            return
        rises = self.heating.repeated_rises()
        k = int(np.argmax(rises))
        if rises[k] > self.hottest:
            self.hottest = float(rises[k])
            numbers = np.concatenate([first + np.arange(len(t)) for first, t in self.samples])
            times = np.concatenate([t for _, t in self.samples])
            assert self.motion is not None
            self.at = Instant(self.motion, int(numbers[k]), float(times[k]))
        self.first_time = max(self.first_time, float(self.heating.first_rises().max()))
        self.motions += 1
        self.heating, self.samples = Heating(self.model), []

    def check(self) -> Check:
        """Temperature reached against the limit; utilisation is of the rise above the surroundings."""
        model, name, unit = self.model, WARMTH, "degrees C"
        if self.unknown:
            return not_checked(name, self.unknown, unit)
        self._finish()
        first = model.ambient + self.first_time
        notes = [f"{first:.1f} degrees the first time" if first < 1e4 else "more than 10,000 the first time"]
        if math.isinf(self.hottest):
            notes = ["never settles: the loss grows faster with temperature than the heat that leaves", *notes]
        else:
            notes = ["when repeated for good", *notes]
        if self.motions > 1:
            notes.append("each motion of the spectrum by itself")
        if self.motor.resistance is None or (self.motor.torque_constant is None and self.electric.most.at is None):
            notes.append("losses from the continuous torque")
        used = self.hottest / (model.limit - model.ambient)
        return Check(name, model.ambient + self.hottest, model.limit, unit, used, self.at, DRIVE, note="; ".join(notes))
