"""How hot a motor's winding gets when a motion is repeated for good."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from loadpath.parts.motors.electric import Electric
from loadpath.parts.motors.thermal import Heating, ThermalModel
from loadpath.parts.part import DRIVE, Check, Instant, JointLoads, MotorSide, not_checked
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.parts.motors.motor import Motor


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
