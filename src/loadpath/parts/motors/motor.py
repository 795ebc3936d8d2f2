"""A motor by its catalogue numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from loadpath.errors import ModelError
from loadpath.parts.catalogue import ask_of_motor, at_curve, check_name, check_positive, compare, curve, titled
from loadpath.parts.motors.thermal import Electric, ThermalModel, Warming
from loadpath.parts.part import DRIVE, Check, JointLoads, Largest, MotorSide, Part, Place, Rule, not_checked
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.measures import measures
from loadpath.scalars.types import Bools, Floats

# Examines a motor: torque against curves, voltage and current, temperature of the winding, inertia of the load.

# Torque of a motor over a motion: RMS against the continuous limit, every sample against the intermittent one.


RMS, PEAK, FASTEST, OVERLOAD = "RMS torque", "peak torque", "largest speed", "overload time"
INERTIA = "inertia ratio"


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
    return np.full_like(speed, constant) if found is None else np.minimum(found, constant)


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
        """Of its checks."""
        motor = self.motor
        found = {FASTEST: Rule("largest", _speed), PEAK: Rule("largest", _torque), RMS: Rule("rms", _torque)}
        if motor.intermittent_curve is not None:
            found[PEAK] = Rule("largest", _torque, limit=self._at_peak, against=_speed)
        if motor.continuous_curve is not None:
            found[RMS] = Rule("rms", _torque, limit=self._lasting, against=_speed)
        if motor.overload_time is not None and (motor.continuous_torque or motor.continuous_curve):
            found[OVERLOAD] = Rule("longest", lambda loads: _torque(loads) - self._lasting(_speed(loads)),
                                   over_time=True)
        return found

    def _at_peak(self, speed: Floats) -> Floats:
        """The intermittent limit at these speeds."""
        found = limit_at(self.motor.peak_torque, self.motor.intermittent_curve, speed)
        assert found is not None
        return found

    def _lasting(self, speed: Floats) -> Floats:
        """The continuous limit at these speeds."""
        found = limit_at(self.motor.continuous_torque, self.motor.continuous_curve, speed)
        assert found is not None
        return found

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
        check = OVERLOAD
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
        if self.warming is not None:
            self.rules |= self.warming.rules
        if motor.rotor_inertia is not None:
            self.rules[INERTIA] = Rule("largest", partial(self._load_ratio, motor.rotor_inertia))

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

    def _load_ratio(self, rotor: float, loads: JointLoads) -> Floats:
        """Inertia of the load over the rotor's, of every sample: the mass matrix has the rotor in it."""
        assert loads.motor is not None
        return (self._at_shaft(loads, loads.motor) - rotor) / rotor

    def _at_shaft(self, loads: JointLoads, motor: MotorSide) -> Floats:
        """Inertia of all that moves at the shaft, kg m^2: nothing where the ratio is not known."""
        assert loads.inertia is not None
        ratio = motor.ratio_to(loads.speed)
        return np.zeros(0) if not ratio else loads.inertia / ratio**2

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
        check, rotor = INERTIA, self.motor.rotor_inertia
        if rotor is None:
            return not_checked(check, "no rotor_inertia given")
        if self.inertia.at is None:
            return not_checked(check, "the joint does not move, or its inertia is not known")
        load = self.inertia.value - rotor  # the mass matrix has the rotor in it
        return compare(check, load / rotor, permitted, "", "max_inertia_ratio", self.inertia.at,
                       note=f"load of {load:.4g} kg m^2 at the shaft")


Curve = tuple[tuple[float, float], ...] | Sequence[tuple[float, float]]

NUMBERS = ("continuous_torque", "peak_torque", "max_speed", "torque_constant", "back_emf_constant", "voltage",
           "resistance", "inductance", "peak_current", "overload_time", "rotor_inertia",
           "max_inertia_ratio")


@dataclass(frozen=True)
class Motor(Part):
    """A motor by its catalogue numbers, which are checked against the motor's side of the joint's drive train: give the
    joint one by `robot.with_drives`. Torques in N m, speeds in rad/s; of a `linear` motor forces in N, speeds in m/s.

    | number | what is checked |
    |---|---|
    | `continuous_torque`, or `continuous_curve` of pairs (speed, torque) | RMS torque, at the RMS speed of a curve |
    | `peak_torque`, or `intermittent_curve` of pairs (speed, torque) | every sample, at its speed |
    | `max_speed` | largest speed |
    | `voltage`, with `torque_constant` (N m/A), `resistance` (ohm), `inductance` (H) | what the terminals need |
    | `peak_current` | largest current, A |
    | `thermal`, an `lp.ThermalModel` | temperature of the winding when the cycle is repeated |
    | `overload_time` | s: longest time without a break above the continuous torque |
    | `max_inertia_ratio`, with `rotor_inertia` (kg m^2) | inertia of the load at the shaft, of the rotor's |

    Rotor, torque constant and resistance count wherever they are given, here or in the joint's `lp.Drive`: in the
    dynamics, too, if the joint has a drive train, whose ratio says how the rotor is felt. Given in both they must
    agree.

    Beyond the last speed of a curve nothing is promised. Both constants are of one phase: `phases=3` with RMS values of
    a phase (copper loss 3 R I^2, and k_e = k_t / 3 where `back_emf_constant` is not given), 1 of a DC motor. With
    `pole_pairs` the voltage is that of a synchronous motor, else that of a DC motor. Losses of iron and friction are
    left out: a motor that runs fast is warmer than its copper loss says, which continuous curves know.

    >>> import loadpath as lp
    >>> motor = lp.Motor(continuous_torque=1.2, intermittent_curve=[(0, 3.6), (300, 3.6), (450, 1.0)], name="M1")
    >>> motor.label, motor.intermittent_curve[-1]
    ('M1', (450.0, 1.0))
    """

    kind: ClassVar[str] = "motor"

    continuous_torque: float | None = field(default=None, metadata=measures("torque", "force"))
    peak_torque: float | None = field(default=None, metadata=measures("torque", "force"))
    continuous_curve: Curve | None = field(
        default=None, metadata=measures("speed", "speed of a slide", "torque", "force")
    )
    intermittent_curve: Curve | None = field(
        default=None, metadata=measures("speed", "speed of a slide", "torque", "force")
    )
    max_speed: float | None = field(default=None, metadata=measures("speed", "speed of a slide"))
    torque_constant: float | None = field(default=None, metadata=measures("motor constant"))
    voltage: float | None = field(default=None, metadata=measures("voltage"))
    resistance: float | None = field(default=None, metadata=measures("resistance"))
    inductance: float | None = field(default=None, metadata=measures("inductance"))
    thermal: ThermalModel | None = field(default=None, metadata=measures(ThermalModel))
    back_emf_constant: float | None = field(default=None, metadata=measures("motor constant"))
    pole_pairs: int | None = field(default=None, metadata=measures("plain number"))
    phases: int = field(default=1, metadata=measures("plain number"))
    peak_current: float | None = field(default=None, metadata=measures("current"))
    overload_time: float | None = field(default=None, metadata=measures("time"))
    rotor_inertia: float | None = field(default=None, metadata=measures("moment of inertia"))
    max_inertia_ratio: float | None = field(default=None, metadata=measures("plain number"))
    linear: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        check_positive(self, NUMBERS)
        for key in ("continuous_curve", "intermittent_curve"):
            if getattr(self, key) is not None:
                points = curve(self, key, f"(speed {self.speed_unit}, torque {self.unit})")
                object.__setattr__(self, key, points)
        for key in ("phases", "pole_pairs"):
            count = getattr(self, key)
            if count is None and key == "pole_pairs":
                continue
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise ModelError(f"{key} of {titled(self)} is {count!r}: expected a whole number from 1 on")
        given: object = self.thermal
        if isinstance(given, Mapping):  # as a table of a file
            try:
                object.__setattr__(self, "thermal", ThermalModel(**given))
            except TypeError as problem:
                numbers = "resistance, time_constant, ambient and limit of an lp.ThermalModel"
                raise ModelError(f"thermal of {titled(self)} is {dict(given)}: expected {numbers}") from problem
        elif given is not None and not isinstance(given, ThermalModel):
            raise ModelError(f"thermal of {titled(self)} is {given!r}: expected lp.ThermalModel(...)")
        ask_of_motor(self)

    @property
    def unit(self) -> str:
        """Of its torque, or force."""
        return "N" if self.linear else "N m"

    @property
    def speed_unit(self) -> str:
        """Of its speed."""
        return "m/s" if self.linear else "rad/s"

    def drive_data(self) -> Mapping[str, float]:
        """Its rotor and constants. Copper loss of a drive train is resistance times current squared: all phases'."""
        resistance = None if self.resistance is None else self.phases * self.resistance
        of = {"torque_constant": self.torque_constant, "resistance": resistance, "rotor_inertia": self.rotor_inertia}
        return {key: value for key, value in of.items() if value is not None}

    def with_drive_data(self, drive: Drive) -> Motor:
        """The motor with the constants that only its drive train has."""
        resistance = None if drive.resistance is None else drive.resistance / self.phases
        of = {"torque_constant": drive.torque_constant, "resistance": resistance, "rotor_inertia": drive.rotor_inertia}
        motor = copy(self)  # not made anew: what is to be asked of its numbers was asked
        for key, value in of.items():
            if value and getattr(self, key) is None:
                object.__setattr__(motor, key, value)
        return motor

    def examiner(self, place: Place) -> MotorExaminer:
        """Takes in the motor's side of the joint's loads."""
        return MotorExaminer(self, place)
