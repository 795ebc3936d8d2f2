"""Examines a motor: torque against curves, voltage and current, temperature of the winding, inertia of the load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from loadpath.parts.catalogue import at_curve, compare
from loadpath.parts.motors.electric import Electric, Warming
from loadpath.parts.part import DRIVE, Check, JointLoads, Largest, MotorSide, Place, Rule, not_checked
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.parts.motors.motor import Motor


# Torque of a motor over a motion: RMS against the continuous limit, every sample against the intermittent one.


RMS, PEAK, FASTEST = "RMS torque", "peak torque", "largest speed"


def _torque(loads: JointLoads) -> Floats:
    assert loads.motor is not None
    return np.abs(loads.motor.torque)


def _speed(loads: JointLoads) -> Floats:
    assert loads.motor is not None
    return np.abs(loads.motor.speed)


def limit_at(constant: float | None, points: Sequence[tuple[float, float]] | None, speed: Floats) -> Floats | None:
    """The smaller of a torque and a torque-speed curve at these speeds; None where neither is given."""
    found = None if points is None else at_curve(points, np.abs(speed))
    if constant is None:
        return found
    return np.full(np.shape(speed), constant) if found is None else np.minimum(found, constant)


class TorqueLimits:
    """Takes in torque and speed of the shaft, block by block."""

    def __init__(self, motor: Motor) -> None:
        self.motor = motor
        self.sums: dict[int, Floats] = {}
        """By motion: weight, weight times torque squared, weight times speed squared."""
        self.heaviest, self.worst, self.fastest = Largest(), Largest(), Largest()
        self.point = (math.nan, math.nan)
        """Torque and speed at the worst sample."""
        self.overload = Overload()

    @property
    def rules(self) -> dict[str, Rule]:
        """Of its checks; limits that change with speed have none."""
        found = {FASTEST: Rule("largest", _speed)}
        if self.motor.intermittent_curve is None:
            found[PEAK] = Rule("largest", _torque)
        return found if self.motor.continuous_curve is not None else {**found, RMS: Rule("rms", _torque)}

    def add(self, loads: JointLoads, motor: MotorSide) -> None:
        """The next block."""
        torque, speed = _torque(loads), _speed(loads)
        added = np.array([loads.weight.sum(), loads.weight @ torque**2, loads.weight @ speed**2])
        self.sums[loads.motion] = self.sums.get(loads.motion, np.zeros(3)) + added
        self.heaviest.add(loads.weight * torque**2, loads)
        self.fastest.add(speed, loads)
        share = self._share(torque, speed)
        if self.worst.add(share, loads):
            k = int(np.argmax(share))
            self.point = float(torque[k]), float(speed[k])
        lasting = limit_at(self.motor.continuous_torque, self.motor.continuous_curve, speed)
        if lasting is not None:
            self.overload.add(loads, torque > lasting)

    def _share(self, torque: Floats, speed: Floats) -> Floats:
        """Of the intermittent limit; of nothing, where there is none."""
        limit = limit_at(self.motor.peak_torque, self.motor.intermittent_curve, speed)
        if limit is None:
            return torque
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(limit > 0, torque / limit, np.where(torque > 0, np.inf, 0.0))

    def checks(self) -> list[Check]:
        """RMS and peak torque, largest speed, and how long an overload lasts where that is limited."""
        motor = self.motor
        fastest = compare(FASTEST, self.fastest.value, motor.max_speed, motor.speed_unit, "max_speed",
                          self.fastest.at)
        found = [self._rms(), self._peak(), fastest]
        if motor.overload_time is not None:
            found.append(self._overload(motor.overload_time))
        return found

    def _overload(self, permitted: float) -> Check:
        check = "overload time"
        if self.motor.continuous_torque is None and self.motor.continuous_curve is None:
            return not_checked(check, "no continuous_torque or continuous_curve given", "s")
        if self.overload.untimed:
            return not_checked(check, "the states have no times", "s")
        return compare(check, self.overload.longest, permitted, "s", "overload_time")

    def _rms(self) -> Check:
        weight, torque, speed = sum(self.sums.values(), np.zeros(3))
        weight = weight or 1.0  # samples that last no time
        rms, effective = math.sqrt(torque / weight), math.sqrt(speed / weight)
        motor = self.motor
        limit = limit_at(motor.continuous_torque, motor.continuous_curve, np.array(effective))
        notes = [] if motor.continuous_curve is None else [f"at the RMS speed of {effective:.4g} {motor.speed_unit}"]
        single = max((math.sqrt(each[1] / each[0]) for each in self.sums.values() if each[0] > 0), default=0.0)
        if single > rms * (1 + 1e-9):
            notes.append(f"over the whole spectrum; a motion by itself has {single:.4g} {motor.unit}")
        capacity = None if limit is None else float(limit)
        return compare(RMS, rms, capacity, motor.unit, "continuous_torque or continuous_curve",
                       self.heaviest.at, DRIVE, "; ".join(notes))

    def _peak(self) -> Check:
        motor = self.motor
        torque, speed = self.point
        limit = limit_at(motor.peak_torque, motor.intermittent_curve, np.array(speed))
        note = ""
        if motor.intermittent_curve is not None:
            beyond = " beyond the intermittent_curve" if speed > motor.intermittent_curve[-1][0] else ""
            note = f"at {speed:.4g} {motor.speed_unit}{beyond}"
        capacity = None if limit is None else float(limit)
        return compare(PEAK, torque, capacity, motor.unit, "peak_torque or intermittent_curve", self.worst.at,
                       DRIVE, note)


class Overload:
    """The longest time without a break in which something is exceeded."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.began: float | None = None
        """When the one began that is going on."""
        self.motion = -1
        self.untimed = False

    def add(self, loads: JointLoads, over: Bools) -> None:
        """The next samples. An overload lasts from its first sample to the first one after it."""
        if loads.motion != self.motion:
            self.motion, self.began = loads.motion, None
        if not len(over):
            return
        if np.isnan(loads.t).any():
            self.untimed = True
            return
        edges = np.flatnonzero(np.diff(over.astype(int), prepend=int(self.began is not None)))
        times = loads.t[edges]
        if self.began is not None:
            times = np.concatenate([[self.began], times])
        going_on = len(times) % 2 == 1
        ends = np.append(times[1::2], loads.t[-1]) if going_on else times[1::2]
        self.began = float(times[-1]) if going_on else None
        if len(ends):
            self.longest = float(np.fmax(self.longest, np.max(ends - times[0::2])))


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
