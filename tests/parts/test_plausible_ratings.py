"""Ratings in other units are asked about: each slip of a unit by itself, and nothing of parts as they are made."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

import loadpath as lp

RPM = math.pi / 30
ARM = lp.catalog.ur5().with_drives({"shoulder_lift_joint": lp.Drive(ratio=100)})
JOINT = "shoulder_lift_joint"  # its limit of effort is 150 N m


def questions(make: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    return [str(entry.message) for entry in caught if issubclass(entry.category, lp.ModelWarning)]


def fitted(*parts: lp.Part) -> lp.Robot:
    return ARM.with_parts({JOINT: parts})


def thermal(*time_constant: float) -> lp.ThermalModel:
    two = len(time_constant) == 2
    return lp.ThermalModel((1.0, 2.0) if two else 3.0, time_constant if two else time_constant[0], 25, 125)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lp.Motor(max_speed=5000), "give max_speed=5000 * math.pi / 30"),
        (lambda: lp.Motor(intermittent_curve=[(0, 3.0), (3000, 2.0)]), "if 3000 rpm was meant"),
        (lambda: lp.Motor(max_speed=5000, voltage=48, torque_constant=0.07), "if 5000 rpm was meant"),
        (lambda: lp.Motor(continuous_torque=444, rotor_inertia=3.06e-4), "in mN m? give continuous_torque=0.444"),
        (lambda: lp.Motor(continuous_torque=444, torque_constant=0.0705, resistance=0.343), "in mN m?"),
        (lambda: lp.Motor(continuous_torque=444, max_speed=5000 * RPM), "232 kW: is it in mN m?"),
        (lambda: lp.Motor(continuous_torque=0.444, torque_constant=70.5, resistance=0.343), "torque_constant=0.0705"),
        (lambda: lp.Motor(voltage=48, torque_constant=70.5, max_speed=5000 * RPM), "where the supply has 48 V"),
        (lambda: lp.Motor(peak_torque=4, peak_current=60, torque_constant=70.5), "60 A would give 4230 N m"),
        (lambda: lp.Motor(torque_constant=70.5), "is it in mN m/A?"),
        (lambda: lp.Motor(continuous_torque=0.444, rotor_inertia=3.06), "kg cm^2? give rotor_inertia=0.000306"),
        (lambda: lp.Motor(peak_torque=1.2, rotor_inertia=0.3), "give rotor_inertia=3e-05"),
        (lambda: lp.Motor(rotor_inertia=0.3), "give rotor_inertia=3e-05"),
        (lambda: lp.Motor(continuous_torque=2.4, thermal=thermal(40)), "is it in minutes? give time_constant=40 * 60"),
        (lambda: lp.Motor(thermal=thermal(4.0, 25)), "time_constant of the thermal model of motor is 25 s"),
        (lambda: lp.StrainWaveGear(ratio=100, rated_torque=67000, stiffness=3.1e4), "in N mm, give rated_torque=67,"),
        (lambda: lp.StrainWaveGear(ratio=100, peak_torque=157, stiffness=9.0), "N m/arcmin, give stiffness=9 * 10800"),
        (lambda: lp.CycloidalGear(ratio=100, rated_torque=784000), "in N mm? give rated_torque=784"),
        (lambda: lp.Motor(torque_constant=70.5, back_emf_constant=0.0705), "is one of them in mN m/A"),
        (lambda: lp.Motor(torque_constant=0.21, back_emf_constant=7.3, phases=3), "3 times the other"),
        (lambda: lp.StrainWaveGear(ratio=100, rated_torque=67000), "in N mm? give rated_torque=67"),
        (lambda: lp.PlanetaryGear(ratio=0.1), "ratio of planetary gear is 0.1: expected turns of the input per turn"),
        (lambda: fitted(lp.Motor(continuous_torque=444)), "444 N m (continuous_torque) times 100 at the joint"),
        (lambda: fitted(lp.StrainWaveGear(ratio=100, peak_torque=157000)), "bears 157000 N m (peak_torque), and its"),
        (lambda: fitted(lp.Brake(holding_torque=800)), "brake has 800 N m (holding_torque) times 100 at the joint"),
        (lambda: lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=100)}).with_parts(
            {"joint1": [lp.Motor(peak_torque=1400), lp.StrainWaveGear(ratio=100, peak_torque=157)]}),
         "bears 157 N m (peak_torque), and motor has 1400 N m"),
        (lambda: ARM.with_drives({JOINT: lp.Drive(rotor_inertia=1e-4)}).with_parts({JOINT: lp.Motor(peak_torque=140)}),
         "its rotor of 0.0001 kg m^2 would gain 1.4e+06 rad/s in a second"),
        (lambda: ARM.with_drives({JOINT: lp.Drive(rotor_inertia=0.3)}), "3000 kg m^2 at the joint, where its effort"),
        (lambda: lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=50, rotor_inertia=0.3)}), "in kg cm^2?"),
        (lambda: ARM.with_drives({JOINT: lp.Drive(ratio=0.01)}), "its ratio is 0.01: expected turns of the motor"),
        (lambda: ARM.with_drives({JOINT: lp.Drive(torque_constant=70.5)}), "mN m/A? give torque_constant=0.0705"),
        (lambda: ARM.with_drives({JOINT: lp.Drive(brake=800)}), "its brake is 800 N m, 8e+04 N m at the joint"),
        (lambda: ARM.with_payload(3000), "mass of 3000 kg, where all that moves of the robot weighs 17 kg"),
    ],
)
def test_a_slip_of_a_unit_is_asked_about(make: Callable[[], object], words: str) -> None:
    asked = questions(make)
    assert any(words in question for question in asked), asked


CATALOGUE = [
    # of the size of: a flat motor of 90 mm, one of 40 mm, a DC motor of 10 mm, one of 8 mm for 100,000 rpm
    lambda: lp.Motor(continuous_torque=0.964, peak_torque=15.9, max_speed=3120 * RPM, torque_constant=0.231,
                     voltage=60, resistance=0.655, rotor_inertia=5060e-7, thermal=lp.ThermalModel((1.8, 1.25),
                     (52.8, 344), 25, 125)),
    lambda: lp.Motor(continuous_torque=0.207, max_speed=8000 * RPM, torque_constant=0.0516, voltage=48, resistance=0.7,
                     rotor_inertia=24.2e-7, thermal=lp.ThermalModel((1.2, 6.4), (9.9, 1000), 25, 155)),
    lambda: lp.Motor(continuous_torque=1.73e-3, peak_torque=3.6e-3, max_speed=14000 * RPM, torque_constant=4.11e-3,
                     voltage=6, resistance=6.85, rotor_inertia=0.0808e-7),
    lambda: lp.Motor(continuous_torque=0.9e-3, max_speed=1e5 * RPM, torque_constant=2.15e-3, voltage=24, resistance=8,
                     rotor_inertia=0.0093e-7, thermal=lp.ThermalModel((8, 35), (0.8, 62), 25, 125)),
    # a servo motor of 1 kW, and a torque motor that drives a table without a gear
    lambda: lp.Motor(continuous_torque=3.18, peak_torque=9.55, max_speed=6000 * RPM, rotor_inertia=1.74e-4,
                     torque_constant=0.61, phases=3, resistance=0.5, voltage=200, peak_current=17),
    lambda: lp.Motor(continuous_torque=1400, peak_torque=2600, max_speed=10, torque_constant=38, rotor_inertia=0.9),
    lambda: lp.Motor(continuous_torque=100, max_speed=2, linear=True, torque_constant=80),
    # a strain wave gear of size 25, a cycloidal gear of 412 N m, a planetary gear
    lambda: lp.StrainWaveGear(ratio=100, rated_torque=87, rated_speed=2000 * RPM, average_torque=140, peak_torque=204,
                              momentary_torque=369, max_input_speed=7500 * RPM, stiffness=(3.1e4, 5.0e4, 5.7e4),
                              stiffness_torques=(14, 48)),
    lambda: lp.CycloidalGear(ratio=121, rated_torque=412, rated_speed=15 * RPM, momentary_torque=2058,
                             acceleration_torque=1029, stiffness=108 * 10800 / math.pi),
    lambda: lp.PlanetaryGear(ratio=10, nominal_torque=81, acceleration_torque=126, max_input_speed=8500 * RPM,
                             stiffness=10 * 10800 / math.pi),
    lambda: fitted(lp.StrainWaveGear(ratio=100, peak_torque=204), lp.Brake(holding_torque=1.8),
                   lp.Motor(continuous_torque=0.444, peak_torque=2.9, torque_constant=0.0705, resistance=0.343)),
    lambda: fitted(lp.Brake(holding_torque=180, on="joint")),
    lambda: lp.catalog.stewart_platform().with_payload(60.0, link="platform"),
    lambda: lp.catalog.ur5().with_payload(10.0).largest("payload", lp.Motion.swing(lp.catalog.ur5())),
    lambda: lp.catalog.puma560().with_drives({"joint1": lp.Drive(efficiency=0.8)}),
    lambda: lp.catalog.stanford_arm().with_drives({"joint3": lp.Drive(lead=0.02, rotor_inertia=1e-4)}),
]


@pytest.mark.parametrize("make", CATALOGUE)
def test_no_question_of_what_catalogues_have(make: Callable[[], object]) -> None:
    assert [question for question in questions(make) if "is it in" in question or "meant" in question] == []


def _gear_at_a_joint(torque: float) -> lp.Robot:
    """Beside a brake of 1 N m at the joint, which has no limit of effort."""
    arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=100)})
    return arm.with_parts({"joint1": [lp.Brake(holding_torque=1, on="joint"),
                                      lp.StrainWaveGear(ratio=100, peak_torque=torque)]})


@pytest.mark.parametrize(
    ("make", "bound", "words"),
    [
        # T / J = 1e6 rad/s^2 and 50 rad/s^2
        (lambda x: lp.Motor(continuous_torque=x, rotor_inertia=2e-6), 2.0, "in mN m?"),
        (lambda x: lp.Motor(continuous_torque=0.5, rotor_inertia=x), 0.01, "in kg cm^2?"),
        # T w = 200 kW; of 14,000 rpm or more the speed is asked about
        (lambda x: lp.Motor(continuous_torque=x, max_speed=400), 500.0, "kW: is it in mN m?"),
        (lambda x: lp.Motor(max_speed=x), 1500.0, "rpm was meant"),
        # a supply of 1000 V and 0.5 V s reach 2000 rad/s, and a fifth more at full weakening
        (lambda x: lp.Motor(voltage=1000, back_emf_constant=0.5, max_speed=x), 2400.0, "rpm was meant"),
        # R (T / k)^2 = 20 kW, of three phases with 10 A each 3 R I^2 = 20 kW, and 0.02 W
        (lambda x: lp.Motor(continuous_torque=x, torque_constant=0.1, resistance=0.5), 20.0, "kW in the copper"),
        (lambda x: lp.Motor(continuous_torque=10, torque_constant=1, resistance=x, phases=3), 200 / 3,
         "take 10 A and lose 20."),
        (lambda x: lp.Motor(continuous_torque=0.1, torque_constant=x, resistance=2), 1.0, "W in the copper: is it in"),
        # k w = 5 times the supply; of three phases a third of k each
        (lambda x: lp.Motor(voltage=10, torque_constant=x, max_speed=100), 0.5, "where the supply has 10 V"),
        (lambda x: lp.Motor(voltage=10, torque_constant=x, max_speed=100, phases=3), 1.5, "the supply has 10 V"),
        (lambda x: lp.Motor(peak_torque=3, peak_current=12, torque_constant=x), 5.0, "where the peak torque is 3 N m"),
        (lambda x: lp.Motor(torque_constant=x), 50.0, "no motor has as much"),
        (lambda x: lp.StrainWaveGear(ratio=100, peak_torque=x, stiffness=1000.0), 300.0, "it would twist by"),
        (lambda x: lp.StrainWaveGear(ratio=100, peak_torque=x, stiffness=(99.0, 1e3), stiffness_torques=(1,)), 300.0,
         "it would twist by"),
        (lambda x: lp.CycloidalGear(ratio=100, rated_torque=x), 3e5, "in N mm?"),
        (lambda x: lp.StrainWaveGear(ratio=100, rated_torque=x), 3e4, "in N mm?"),
        (lambda x: lp.PlanetaryGear(ratio=1 / x), 1.0, "expected turns of the input"),
        (_gear_at_a_joint, 100.0, "is one of them in mN m or N mm?"),
        (lambda x: _gear_at_a_joint(1 / x), 100.0, "is one of them in mN m or N mm?"),
        # minutes: below 30 s, of motors of 0.5 N m and more below 100 s
        (lambda x: lp.Motor(thermal=thermal(1 / x)), 1 / 30, "in minutes?"),
        (lambda x: lp.Motor(continuous_torque=0.5, thermal=thermal(4.0, 1 / x)), 1 / 100, "in minutes?"),
        (lambda x: lp.Motor(continuous_torque=x, thermal=thermal(50)), 0.5, "in minutes?"),
    ],
)
def test_questions_begin_where_the_bounds_are(make: Callable[[float], object], bound: float, words: str) -> None:
    """A hundredth below nothing is asked, a hundredth above it is. The bounds are by hand from the numbers above."""
    assert not any(words in question for question in questions(lambda: make(0.99 * bound)))
    assert any(words in question for question in questions(lambda: make(1.01 * bound)))


def test_a_project_file_is_answered_in_its_own_words(tmp_path: Path) -> None:
    file = tmp_path / "cell.toml"
    file.write_text("""
[robot]
catalog = "ur5"
[drives.shoulder_lift_joint]
ratio = 100
rotor_inertia = 0.3
[[parts.shoulder_lift_joint]]
kind = "motor"
max_speed = 5000
""")
    asked = questions(lambda: lp.load_project(file))
    assert any('write max_speed = "5000 rpm"' in question for question in asked), asked
    assert any('write rotor_inertia = "0.3 kg cm^2"' in question for question in asked), asked
    assert not any("math.pi" in question for question in asked)
    assert questions(lambda: lp.Motor(max_speed=5000))[0].endswith("give max_speed=5000 * math.pi / 30")


WHOLE = {
    lp.BoltedFlange: {"bolts": 8, "circle": 0.1, "preload": 8e3, "proof_load": 12e3, "friction": 0.12},
    lp.CrossedRollerBearing: {"C": 5300, "C0": 6070, "dp": 0.036},
    lp.StrainWaveGear: {"ratio": 100, "peak_torque": 157.0},
    lp.CycloidalGear: {"ratio": 100},
    lp.PlanetaryGear: {"ratio": 100},
    lp.Motor: {"peak_torque": 2.0},
    lp.Brake: {"holding_torque": 2.0},
}


@pytest.mark.parametrize("bad", [None, "x", math.nan, -1, [], True])
def test_a_wrong_number_is_refused_in_words_or_does_no_harm(bad: object) -> None:
    """Every number that has a default, when the part is made or when it is examined."""
    arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=100)})
    motion = lp.Motion.swing(arm, 21)
    for kind, numbers in WHOLE.items():
        for part in fields(kind):
            if part.default is not MISSING and part.default is not None:
                with suppress(lp.ModelError):
                    arm.with_parts({"joint1": kind(**{**numbers, part.name: bad})}).verdict(motion, hours=100)
