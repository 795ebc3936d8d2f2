"""Units in projects: each key takes those of what it measures, and every key has been given its own."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app
from loadpath.parts.kinds import part_classes
from loadpath.project.motions import OF_MOTIONS
from loadpath.robot.measures import measured_by
from loadpath.robot.units_of_text import UNITS, in_si

DRIVES = (lp.Drive, lp.Friction, lp.TorsionSpring, lp.LineSpring)
MADE = {*part_classes().values(), *DRIVES, lp.Wrench, lp.Carried, lp.Limits, lp.ThermalModel}
WORDS = {"guess", "name", "kind", "link", "on", "rolling", "arrangement", "shaft", "locating", "axes", "linear",
         "output_bearing"}
"""Keys that are no numbers; the bearing is a table with a kind."""
PROJECT = """
[robot]
catalog = "planar:2"
gravity = 0.0

[drives.joint1]
ratio = 100

[[parts.joint1]]
kind = "motor"
name = "20 A"
continuous_torque = "500 mNm"
intermittent_curve = [["0 rpm", "2 Nm"], ["3000 rpm", 1.0]]
thermal = { resistance = "0.9 K/W", time_constant = "1 h", ambient = "25 °C", limit = "120 degC" }

[[parts.joint1]]
kind = "crossed roller bearing"
C = 5300
C0 = 6070
dp = "36 mm"

[motion]
swing = true
loads = [{ mass = 2.0, to = "500 ms" }]

[verdict]
hours = "20 kh"
"""


def converted(text: str, key: str) -> object:
    """Text in SI units as a key of a class, or of a motion, takes it."""
    made, _, name = key.partition(".")
    return in_si(text, (OF_MOTIONS if made == "motion" else measured_by(getattr(lp, made)))[name], name)


def test_every_key_has_its_units() -> None:
    """At its field; units that there are, and tables of classes that say theirs."""
    keys = {(made, part.name.removesuffix("_")) for made in MADE for part in fields(made) if part.init}
    assert {key for made, key in keys if key not in measured_by(made)} == WORDS
    for made in MADE:
        for what in itertools.chain(*measured_by(made).values()):
            assert what in UNITS if isinstance(what, str) else what in MADE, (made, what)


@pytest.mark.parametrize(("text", "key", "value"), [
    ("29.1 kN", "CrossedRollerBearing.C", 29.1e3), ("5. N", "BearingPair.C", 5.0),
    ("-20 mm", "BearingPair.spacing", -0.02), ("3000 rpm", "Motor.max_speed", 100 * math.pi),
    ("2 h", "motion.duration", 7200.0), ("2 h", "StrainWaveGear.rated_life", 2.0),
    ("0.3 kg·cm²", "Motor.rotor_inertia", 3e-5), ("75 %", "Drive.efficiency", 0.75),
    ("1 Nm/arcmin", "StrainWaveGear.stiffness", 3437.7467707849396),
])
def test_units_are_converted(text: str, key: str, value: float) -> None:
    assert converted(text, key) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(("text", "key", "words"), [
    ("29 kN m", "CrossedRollerBearing.C", "C is '29 kN m', a torque: expected a force, in N or kN"),
    ("80 deg", "CrossedRollerBearing.dp", "dp is '80 deg', an angle: expected a length"),
    ("60 min", "PlanetaryGear.rated_life", "a time: expected a life, in h or kh"),
    ("3 lb", "Carried.mass", "mass is '3 lb': expected a mass, in kg, g or t"),
    ("29,1 kN", "BearingPair.C", "expected a force"),
    ("5 kN m", "BoltedFlange.preload", "expected a force"),
    ("10 %", "StrainWaveGear.rated_life_percent", "expected a number, which has no unit"),
])
def test_other_units_are_refused(text: str, key: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        converted(text, key)


def test_a_motor_with_its_winding_and_infinite_lives_as_json(tmp_path: Path) -> None:
    file = tmp_path / "project.toml"
    file.write_text(PROJECT)
    project = lp.load_project(file)
    motor = project.robot.parts[0][1]
    assert motor.name == "20 A" and motor.continuous_torque == 0.5 and project.hours == 20e3
    assert motor.thermal == lp.ThermalModel(0.9, 3600.0, 25.0, 120.0)
    still = PROJECT.replace("swing = true", 'file = "still.csv"').replace("loads", "# loads")
    file.write_text(still)
    (tmp_path / "still.csv").write_text("t,joint1,joint2\n" + "".join(f"{0.1 * k:.1f},0.2,0.1\n" for k in range(9)))
    said = CliRunner().invoke(app, ["verdict", str(file), "--json"]).stdout
    rows = json.loads(said, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["checks"]
    assert next(row for row in rows if row["check"] == "life L10")["life_hours"] == "Infinity"


@pytest.mark.parametrize(("old", "new", "words"), [
    ('dp = "36 mm"', 'dp = "36 Nm"', r"line 20, \[parts.joint1\]: dp is '36 Nm', a torque"),
    ('resistance = "0.9 K/W"', 'resistance = "0.9 ohm"', r"line 14, .*resistance is '0.9 ohm', a resistance: exp"),
    ("swing = true", "swing = false", "line 23, .*swing is False: expected swing = true"),
    ('to = "500 ms"', 'form = "500 ms"', "line 24, .*'form' is not known of a load; did you mean 'from'"),
    ("[drives.joint1]", "[drive.joint1]", "line 6: 'drive' is not known; did you mean 'drives'"),
    ("dp =", "DP =", "line 20, .*'DP' is not known of crossed roller bearing; did you mean 'dp'"),
    ("ratio = 100", 'ratio = 100\n[limits.joint1]\neffort = "3 N"', r"line 9, \[limits.joint1\]: effort is '3 N', a f"),
    ("gravity = 0.0", 'gravity = "9.81 N"', "line 4, .*a force: expected an acceleration, in m/s"),
    ("ratio = 100", 'friction = { coulomb = "2 N" }', r"line 7, .*coulomb is '2 N', a force: expected a t"),
    ("ratio = 100", 'friction = { viscous = "2 N s/m" }', r"line 7, .*a damping of a slide: expected a damping, in"),
    ("ratio = 100", 'brake = "2 N"', r"line 7, .*brake is '2 N', a force: expected a torque"),
    ("ratio = 100", 'spring = { stiffness = "2 N/m" }', r"line 7, .*a stiffness: expected a torsional stiffness"),
    ("ratio = 100", 'spring = { stiffness = "2 N m/rad", on_parent = [0, 0, 0] }', "expected a stiffness, in N/m"),
    ("ratio = 100", 'ratio = 1\n[joint_compliance.joint1]\ndrive = "2 N/mm"', r"line 9, .*a stiffness: exp"),
    ('continuous_torque = "500 mNm"', 'max_speed = "500 mm/s"', r"line 12, .*a speed of a slide: expected"),
    ('continuous_torque = "500 mNm"', 'linear = true\npeak_torque = "5 Nm"', r"line 13, .*a torque: expected a force"),
    ('["0 rpm", "2 Nm"]', '["0 rpm", "2 N"]', r"line 13, .*a force: expected a speed or torque"),
    ("swing = true", 'through = [[0, 0], [1, "30 mm"]]', r"line 23, .*through is '30 mm', a length: expected an angle"),
    ("swing = true", 'through = [[0, 0], [1, 1]]\nvelocity = ["30 rpm", "2 m/s"]', "velocity is '2 m/s', a speed of"),
])
def test_their_place_is_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    file = tmp_path / "project.toml"
    assert old in PROJECT
    file.write_text(PROJECT.replace(old, new))
    with pytest.raises(lp.ModelError, match=words):
        lp.load_project(file)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("70.5 mN m/A", "Motor.torque_constant", 0.0705),
        ("70.5 mNm/A", "Motor.torque_constant", 0.0705),
        ("135.5 rpm/V", "Drive.torque_constant", 60 / (2 * math.pi * 135.5)),  # k_t k_n = 1 in SI units
        ("7.38 V/krpm", "Motor.back_emf_constant", 7.38 / (1000 * 2 * math.pi / 60)),
        ("87000 N mm", "StrainWaveGear.rated_torque", 87.0),
        ("87 Nmm", "Brake.holding_torque", 0.087),
        ("12 N·cm", "Motor.peak_torque", 0.12),
        ("1.5 arcmin", "CycloidalGear.hysteresis", math.radians(1.5 / 60)),
        ("0.3 kg cm²", "Drive.rotor_inertia", 3e-5),
        ("3060 g cm^2", "Motor.rotor_inertia", 3.06e-4),
        ("450 g", "WheeledBase.mass", 0.45),
        ("3000 1/min", "Motor.max_speed", 100 * math.pi),
        ("0.00393 1/K", "ThermalModel.copper_coefficient", 0.00393),
    ],
)
def test_units_of_motor_catalogues(text: str, key: str, value: float) -> None:
    assert converted(text, key) == pytest.approx(value, rel=1e-14)


def test_a_speed_constant_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="torque_constant is '0 rpm/V': a speed constant is more than zero"):
        converted("0 rpm/V", "Motor.torque_constant")


def test_what_slides_takes_units_of_slides(tmp_path: Path) -> None:
    """Friction in N and points in mm at a slide, whose brake may hold its screw; degrees there are refused."""
    file = tmp_path / "project.toml"
    text = """
[robot]
catalog = "stanford_arm"
[drives.joint3]
lead = "10 mm"
brake = "2 N m"
friction = { coulomb = "20 N", viscous = "30 N s/m" }
[motion]
through = [[0, 0, "500 mm", 0, 0, 0], ["30 deg", 0, 0.6, 0, 0, 0]]
times = [0, "2 s"]
"""
    file.write_text(text)
    project = lp.load_project(file)
    joint = project.robot.joint("joint3")
    assert joint.drives[0] is not None
    assert (joint.coulomb_friction, joint.viscous_friction, joint.drives[0].brake) == ((20.0,), (30.0,), 2.0)
    assert isinstance(project.motion, lp.Motion)
    assert project.motion.q[0, 2] == 0.5 and project.motion.q[-1, 0] == pytest.approx(math.pi / 6)
    for old, new in (("500 mm", "30 deg"), ("30 deg", "30 mm"), ("20 N", "20 N m")):
        file.write_text(text.replace(f'"{old}"', f'"{new}"'))
        with pytest.raises(lp.ModelError, match=f"is '{new}', an? (angle|length|torque): expected an? "):
            lp.load_project(file)


def test_points_where_beams_end_are_lengths(tmp_path: Path) -> None:
    text = """
[robot]
catalog = "planar:1"
[beams.link1]
section = { kind = "rod", radius = "10 mm" }
material = "steel"
start = ["100 mm", 0, 0]
end = ["90 cm", 0, 0.0]
[joint_compliance.joint1]
drive = "2 kN m/rad"
"""
    path = tmp_path / "arm.toml"
    path.write_text(text)
    arm = lp.load_project(path).robot
    ((_, beam),) = arm.beams
    assert (beam.start, beam.end) == ((0.1, 0, 0), (0.9, 0, 0))
    assert arm.joint_compliances[0][1].drive == (2000.0,)
    path.write_text(text.replace('"90 cm"', '"90 deg"'))
    with pytest.raises(lp.ModelError, match=r"line 8, \[beams\.link1\]: end is '90 deg', an angle: expected a length"):
        lp.load_project(path)
