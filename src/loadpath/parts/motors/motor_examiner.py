"""Examines a motor: torque against curves, voltage and current, temperature of the winding, inertia of the load."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.parts.catalogue import compare
from loadpath.parts.largest import Largest
from loadpath.parts.motors.electric import Electric
from loadpath.parts.motors.torque_limits import TorqueLimits
from loadpath.parts.motors.warming import Warming
from loadpath.parts.part import Check, JointLoads, MotorSide, Place, not_checked
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.parts.motors.motor import Motor

NO_DRIVE_TRAIN = "no drive train on joint '{}': robot.with_drives or a gear there gives it one"


class MotorExaminer:
    """Takes in the motor's side of a joint, block by block."""

    def __init__(self, motor: Motor, place: Place) -> None:
        self.motor, self.place = motor, place
        self.seen = False
        self.limits = TorqueLimits(motor)
        self.electric = Electric(motor)
        self.warming = None if motor.thermal is None else Warming(motor, motor.thermal, self.electric)
        self.inertia = Largest()
        self.rules = {**self.limits.rules, **self.electric.rules}

    def add(self, loads: JointLoads) -> None:
        """The next block; without a drive train, nothing is known of the motor."""
        if loads.motor is None or not len(loads.t):
            return
        self.seen = True
        self.limits.add(loads, loads.motor)
        current = self.electric.current(loads.motor)
        self.electric.add(loads, loads.motor, current)
        if self.warming is not None:
            self.warming.add(loads, loads.motor, current)
        if loads.inertia is not None:
            self.inertia.add(self._at_shaft(loads, loads.motor), loads)

    def _at_shaft(self, loads: JointLoads, motor: MotorSide) -> Floats:
        """Inertia of all that moves at the shaft, kg m^2: nothing where the ratio is not known."""
        assert loads.inertia is not None
        ratio = motor.ratio_to(loads.speed)
        return np.zeros(0) if not ratio else np.asarray(loads.inertia / ratio**2)

    def checks(self, required_hours: float | None) -> list[Check]:
        """All of them; a motor's life is that of its bearings, of which nothing is known here."""
        if not self.seen:
            why = NO_DRIVE_TRAIN.format(self.place.joint)
            return [not_checked(check, why, unit) for check, unit in self._names()]
        found = [*self.limits.checks(), *self.electric.checks()]
        if self.warming is not None:
            found.append(self.warming.check())
        elif self.motor.continuous_torque is None and self.motor.continuous_curve is None:
            found.append(not_checked("winding temperature", "no thermal given", "degrees C"))
        if self.motor.max_inertia_ratio is not None:
            found.append(self._inertia_ratio(self.motor.max_inertia_ratio))
        return found

    def _names(self) -> list[tuple[str, str]]:
        motor = self.motor
        return [("RMS torque", motor.unit), ("peak torque", motor.unit), ("largest speed", motor.speed_unit),
                *([("winding temperature", "degrees C")] if motor.thermal is not None else [])]

    def _inertia_ratio(self, permitted: float) -> Check:
        check, rotor = "inertia ratio", self.motor.rotor_inertia
        if rotor is None:
            return not_checked(check, "no rotor_inertia given")
        if self.inertia.at is None:
            return not_checked(check, "the joint does not move, or its inertia is not known")
        load = self.inertia.value - rotor  # the mass matrix has the rotor in it
        return compare(check, load / rotor, permitted, "", "max_inertia_ratio", self.inertia.at,
                       note=f"load of {load:.4g} kg m^2 at the shaft")
