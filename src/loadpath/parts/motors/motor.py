"""A motor by its catalogue numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import ClassVar

from loadpath.errors import ModelError
from loadpath.parts.catalogue import check_name, check_positive, curve, titled
from loadpath.parts.motors.motor_examiner import MotorExaminer
from loadpath.parts.motors.thermal import ThermalModel
from loadpath.parts.part import Part, Place
from loadpath.parts.plausible import ask_of_motor
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.measures import measures

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
