"""Numbers with units in Python, as project files take them, and quantities of libraries by their base units."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, is_dataclass

import pytest

import loadpath as lp
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measured_by, measures
from loadpath.robot.quantities_with_units import DIMENSIONS, of_quantity
from loadpath.robot.units_of_text import UNITS

RPM = math.pi / 30


@dataclass
class Quantity:
    """As much of a quantity of Pint as is read: a number in base units, written as Pint writes them."""

    magnitude: object
    units: str

    def to_base_units(self) -> Quantity:
        return self


def test_every_class_that_says_what_it_measures_takes_units() -> None:
    kinds = [kind for name in lp.__all__ if is_dataclass(kind := getattr(lp, name)) and isinstance(kind, type)]
    measured = [kind for kind in kinds if measured_by(kind)]
    assert len(measured) > 40 and [kind for kind in measured if not issubclass(kind, Measured)] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lp.CrossedRollerBearing(C="29.1 kN", C0="61 kN", dp="36 mm"), lp.CrossedRollerBearing(C=29.1e3, C0=61e3,
                                                                                            dp=36 * 1e-3)),
        (lp.Motor(max_speed="5000 rpm", continuous_torque="444 mN m", torque_constant="70.5 mN m/A",
                  rotor_inertia="3.06 kg cm^2", thermal={"resistance": "2.1 K/W", "time_constant": "40 min",
                                                         "ambient": 25, "limit": "125 degC"}),
         lp.Motor(max_speed=5000 * RPM, continuous_torque=0.444, torque_constant=0.0705, rotor_inertia=3.06e-4,
                  thermal=lp.ThermalModel(2.1, 2400.0, 25, 125))),
        (lp.Motor(torque_constant="135 rpm/V"), lp.Motor(torque_constant=30 / (math.pi * 135))),
        (lp.Motor(continuous_curve=[("0 rpm", "3 N m"), ("3000 rpm", "2000 N mm")]),
         lp.Motor(continuous_curve=[(0, 3.0), (3000 * RPM, 2.0)])),
        (lp.Motor(linear=True, peak_torque="1.2 kN", max_speed="500 mm/s"),
         lp.Motor(linear=True, peak_torque=1200.0, max_speed=0.5)),
        (lp.StrainWaveGear(ratio=100, stiffness=("9 N m/arcmin", "14.5 N m/arcmin"), stiffness_torques=("14 N m",),
                           hysteresis="1 arcmin", rated_life="7 kh", rated_speed="2000 1/min"),
         lp.StrainWaveGear(ratio=100, stiffness=(9 * 10800 / math.pi, 14.5 * 10800 / math.pi), stiffness_torques=(14,),
                           hysteresis=math.pi / 10800, rated_life=7000, rated_speed=2000 * RPM)),
        (lp.Drive(ratio=50, rotor_inertia="0.3 kg cm^2", brake="1800 N mm", efficiency=("80 %", "70 %"),
                  friction=lp.Friction("2 N m s/rad", "500 mN m")),
         lp.Drive(ratio=50, rotor_inertia=3e-5, brake=1.8, efficiency=(0.8, 0.7), friction=lp.Friction(2.0, 0.5))),
        (lp.Drive(lead="10 mm"), lp.Drive(lead=0.01)),
        (lp.Limits("-170 deg", "170 deg", "30 rpm", "1.2 kN m"),
         lp.Limits(-170 * math.pi / 180, 170 * math.pi / 180, math.pi, 1200.0)),
        (lp.Tube("40 mm", wall="3 mm"), lp.Tube(0.04, wall=0.003)),
        (lp.WheelRating(load="1.5 kN", speed="1100 mm/s"), lp.WheelRating(load=1500.0, speed=1.1)),
        (lp.CrossedRollerBearing(C=Quantity(29100.0, "kilogram * meter / second ** 2"), dp=0.036),
         lp.CrossedRollerBearing(C=29100.0, dp=0.036)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_units_are_those_of_plain_numbers(one: object, other: object) -> None:
    """Equal but for the rounding of a factor."""
    for name in vars(other):
        a, b = getattr(one, name), getattr(other, name)
        if isinstance(b, (lp.ThermalModel, lp.Friction)):
            assert [*map(_known, vars(a).values())] == pytest.approx([*map(_known, vars(b).values())], rel=1e-15)
        elif isinstance(b, tuple) and b and isinstance(b[0], tuple):
            assert [*map(list, a)] == [pytest.approx(list(row), rel=1e-15) for row in b]
        else:
            assert a == (pytest.approx(b, rel=1e-15) if isinstance(b, (float, tuple)) else b), name


def _known(value: float | None) -> float:
    return -1.0 if value is None else value


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lp.Motor(max_speed="5000 N m", name="EC"),
         r"max_speed of motor 'EC' is '5000 N m', a torque: expected a speed or a speed of a slide|"
         r"max_speed of motor 'EC' is '5000 N m', a torque: expected a speed, in rad/s, deg/s, rpm or 1/min"),
        (lambda: lp.Motor(peak_torque="3 N"), r"peak_torque of motor is '3 N', a force: expected a torque, in N m"),
        (lambda: lp.StrainWaveGear(ratio="100 N"), r"ratio of strain wave gear is '100 N': expected a number, which"),
        (lambda: lp.Drive(rotor_inertia="0.3 kg cm"), r"rotor_inertia of a Drive is '0.3 kg cm': expected a moment of"),
        (lambda: lp.Motor(torque_constant="0 rpm/V"), "a speed constant is more than zero"),
        (lambda: lp.Motor(peak_torque="3"), r"peak_torque of motor is '3': expected a number"),
        (lambda: lp.Motor(peak_torque="1e400 N m"), "expected a smaller number"),
        (lambda: lp.CrossedRollerBearing(C=Quantity(3.0, "meter"), dp=0.1),
         r"C of crossed roller bearing is .*in base units 3.0 meter: expected a force"),
        (lambda: lp.CrossedRollerBearing(C=Quantity(3.0, "gram * centimeter / second ** 2"), dp=0.1),
         "expected kilogram, meter, second, ampere and kelvin"),
        (lambda: lp.Motor(torque_constant=Quantity(0.0, "ampere * second ** 2 / kilogram / meter ** 2")),
         "a speed constant is more than zero"),
        (lambda: lp.catalog.planar(1).with_payload("3 m"), "mass is '3 m', a length: expected a mass"),
        (lambda: lp.catalog.planar(1).with_gravity("9.81 N"), "gravity is '9.81 N', a force"),
        (lambda: lp.catalog.planar(1).with_limits({"joint1": {"effort": "3 kg"}}), "effort of a Limits is '3 kg'"),
        (lambda: lp.Motion.through(lp.catalog.planar(1), [["0 mm"], ["1 mm"]]), "through is '0 mm', a length"),
    ],
)
def test_other_units_are_refused_by_field(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    ("number", "units", "kind", "expected"),
    [
        (2.0, "kilogram * meter ** 2 / second ** 2", "torque", 2.0),
        (2.0, "radian * kilogram * meter ** 2 / ampere / second ** 2", "motor constant", 2.0),
        (4.0, "ampere * radian * second ** 2 / kilogram / meter ** 2", "motor constant", 0.25),
        (4.0, "kilogram * meter / ampere / second ** 2", "motor constant", 4.0),
        (7200.0, "second", "life", 2.0), (7200.0, "second", "time", 7200.0),
        (398.15, "kelvin", "temperature", 125.0), (0.02, "1 / kelvin", "temperature coefficient", 0.02),
        (0.5, "dimensionless", "share", 0.5), (0.5, "radian", "angle", 0.5), (10.0, "radian / second", "speed", 10.0),
        (3.0, "meter ** 3", "section modulus", 3.0), (5.0, "s^-1", "frequency", 5.0),
        (2.0, "kelvin * second ** 3 / kilogram / meter ** 2", "thermal resistance", 2.0),
    ],
)
def test_quantities_in_base_units(number: float, units: str, kind: str, expected: float) -> None:
    assert of_quantity(Quantity(number, units), [kind], "key") == pytest.approx(expected, rel=1e-15)
    assert DIMENSIONS.keys() == UNITS.keys()


def test_motions_and_edits_take_units() -> None:
    arm = lp.catalog.planar(2)
    motion = lp.Motion.through(arm, [["0 deg", 0.1], {"joint1": "90 deg", "joint2": 0.2}], velocity="30 deg/s",
                               acceleration={"joint1": "100 deg/s^2"})
    plain = lp.Motion.through(arm, [[0, 0.1], [math.pi / 2, 0.2]], velocity=math.pi / 6,
                              acceleration={"joint1": 100 * math.pi / 180})
    assert motion.duration == pytest.approx(plain.duration, rel=1e-12)
    assert lp.Motion.swing(arm, duration="1500 ms").duration == pytest.approx(1.5)
    loaded = arm.with_payload("1500 g", ("10 mm", 0, 0), inertia=[["1 kg cm^2", 0, 0], [0, 1e-4, 0], [0, 0, 1e-4]])
    assert loaded == arm.with_payload(1.5, (0.01, 0, 0), inertia=[[1e-4, 0, 0], [0, 1e-4, 0], [0, 0, 1e-4]])
    assert arm.with_gravity("1.62 m/s^2").gravity == (0.0, 0.0, -1.62)
    assert arm.with_limits({"joint1": {"velocity": "30 rpm"}}).joint("joint1").limits[0].velocity == pytest.approx(
        math.pi)
    geared = arm.with_drives({"joint1": lp.Drive(ratio=50)}).with_parts(
        {"joint1": lp.StrainWaveGear(ratio=50, rated_torque=87, rated_speed="2000 rpm", rated_life="7 kh")})
    one, other = (geared.verdict(motion, hours=hours)["joint1", "life L10"] for hours in ("20 kh", 20_000))
    assert one.utilisation == other.utilisation > 0


def test_a_part_of_one_s_own_takes_units() -> None:
    @dataclass(frozen=True)
    class Belt(lp.Part):
        pull: float = field(metadata=measures("force"))
        name: str = ""

        def examiner(self, place):
            raise NotImplementedError

    assert Belt("1.2 kN").pull == 1200.0
