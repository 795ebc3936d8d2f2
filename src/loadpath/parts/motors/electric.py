"""Current and voltage of a motor over a motion, against what its supply gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from loadpath.parts.catalogue import compare
from loadpath.parts.motors.thermal import Heating, ThermalModel
from loadpath.parts.part import DRIVE, Check, Instant, JointLoads, Largest, MotorSide, Rule, not_checked
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.parts.motors.motor import Motor


CURRENT = "peak current"


class Electric:
    """Current and voltage of a motor."""

    def __init__(self, motor: Motor) -> None:
        self.motor = motor
        self.most, self.highest = Largest(), Largest()
        self.last: tuple[int, float, float] | None = None
        """Motion, time and current of the sample before."""

    @property
    def rules(self) -> dict[str, Rule]:
        """Of the peak current."""
        return {CURRENT: Rule("largest", self._size)}

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
        if self.motor.voltage is not None and self.motor.resistance is not None and self._constant is not None:
            self.highest.add(self._voltage(loads, side, current, self._constant), loads)

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

    def _voltage(self, loads: JointLoads, side: MotorSide, current: Floats, constant: float) -> Floats:
        """V at the terminals (of a phase): DC u = k_e w + R i + L di/dt; synchronous, the sum of phasors in which the
        current is in phase with the induced voltage: u^2 = (k_e w + R i)^2 + (p w L i)^2.
        """
        motor, along = self.motor, constant * side.speed + self.hot_resistance * current
        if motor.inductance is None:
            return np.abs(along)
        if motor.pole_pairs is not None:
            return np.asarray(np.hypot(along, motor.pole_pairs * side.speed * motor.inductance * current))
        before = self.last if self.last is not None and self.last[0] == loads.motion else (0, loads.t[0], current[0])
        dt, di = np.diff(loads.t, prepend=before[1]), np.diff(current, prepend=before[2])
        self.last = loads.motion, float(loads.t[-1]), float(current[-1])
        slope = np.divide(di, dt, out=np.zeros_like(di), where=dt > 0)
        return np.abs(along + motor.inductance * slope)

    def checks(self) -> list[Check]:
        """Voltage, which an intermittent curve covers, and current where it is limited."""
        return [*self._voltage_check(), *self._current_check()]

    def _voltage_check(self) -> list[Check]:
        motor, check = self.motor, "voltage"
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

    def _loss(self, side: MotorSide, current: Floats | None) -> Floats | None:
        """W at the reference temperature: of the currents, else as a share of what the continuous torque may make."""
        motor, model = self.motor, self.model
        if motor.resistance is not None and current is not None:
            return motor.phases * motor.resistance * current**2
        if motor.continuous_torque is None:
            return None
        lasting = model.permitted_loss / model.growth(model.limit)
        return np.asarray(lasting * (side.torque / motor.continuous_torque) ** 2)

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
        model, name, unit = self.model, "winding temperature", "degrees C"
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
