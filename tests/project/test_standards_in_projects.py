"""Tests of standards in project files, and hostile values in the tables of wheels, ground and standards."""

import math

import pytest

import loadpath as lp
from loadpath.mobile.standards import TESTS
from loadpath.project.standards import KINDS

BASE = """
[robot]
catalog = "planar:1"
[base]
name = "cart"
mass = 40.0
center_of_mass = [0, 0, 0.2]
position = [0.1, 0, 0.4]
friction = {{ sliding = 0.7 }}
wheels = [
  {{ kind = "fixed", position = [0.5, 0.3], radius = 0.1, driven = true{wheel} }},
  {{ kind = "fixed", position = [0.5, -0.3], radius = 0.1, driven = true{wheel} }},
  {{ kind = "fixed", position = [-0.5, 0.3], radius = 0.1{wheel} }},
  {{ kind = "fixed", position = [-0.5, -0.3], radius = 0.1{wheel} }},
]
{base}
[motion]
swing = true
{more}
"""


def project(tmp_path, *, base="", wheel="", more=""):
    file = tmp_path / "cart.toml"
    file.write_text(BASE.format(base=base, wheel=wheel, more=more))
    return lp.load_project(file)


ASKED = """
[[standards]]
kind = "braking"
speed = "1500 mm/s"
deceleration = 2
[[standards]]
kind = "emergency stop"
speed = 1
deceleration = 1
slope = "3 deg"
heading = 3.1
q = [0.2]
[[standards]]
kind = "parking_slope"
slope = "8 deg"
heading = [0.0, 1.5]
q = [[0.0], [0.5]]
"""


def test_tests_of_the_file_are_those_of_the_library(tmp_path):
    found = project(tmp_path, more=ASKED)
    rover = found.rover
    braking, stop, parking = found.standards()
    poses = found._poses()
    assert len(poses) == 20
    assert braking["slips"].limit == rover.standards.braking(poses, speed=1.5, deceleration=2.0)["slips"].limit
    by_hand = rover.standards.parking_slope([[[0.0]], [[0.5]]], slope=math.radians(8), heading=[0.0, 1.5])
    assert parking.worst.utilisation == by_hand.worst.utilisation
    assert stop.title == "emergency stop"
    rows = {row.check for row in found.verdict()}
    assert {"braking: tips over", "parking slope: tips over"} <= rows
    assert "braking: slips" in str(braking.checks()) and "\n" in str(braking)


def test_the_report_has_a_section_with_clause_assumption_number_and_result(tmp_path):
    found = project(tmp_path, more=ASKED.split("[[standards]]\nkind = \"emergency", maxsplit=1)[0])
    report = found.rover.report(found.motion, standards=found.standards(), only=["standards"], interactive=False)
    (section,) = report.sections
    table = section.blocks[0]
    assert table.title == "Braking" and {"result", "after", "with"} <= set(table.columns)
    assert "practice" in table.rows[0][6] and "speed (m/s) 1.5" in table.rows[0][7] and table.note
    with pytest.raises(lp.ModelError, match="'x' among the standards"):
        found.rover.report(found.motion, standards=["x"], only=["standards"])


def test_kinds_are_all_tests_and_need_a_rover(tmp_path):
    assert set(KINDS.values()) == set(TESTS)
    file = tmp_path / "arm.toml"
    file.write_text('[robot]\ncatalog = "planar:1"\n[[standards]]\nkind = "braking"\nspeed = 1\ndeceleration = 1\n')
    with pytest.raises(lp.ModelError, match=r"arm.toml, line 3: tests of standards are of robots on wheels"):
        lp.load_project(file)


STANDARDS = [
    ('speed = nan\ndeceleration = 1', "speed is nan: expected a finite number"),
    ('speed = "fast"\ndeceleration = 1', "speed is 'fast': expected a speed of a slide, in m/s or mm/s"),
    ('speed = "__import__(\'os\').system(\'id\')"\ndeceleration = 1', "speed is '__import__"),
    ('speed = 1\ndeceleration = {}', "expected a number"),
    ('speed = 1', "braking needs deceleration"),
    ('speed = 1\ndeceleration = 1\nspede = 2', "'spede' is not known; did you mean 'speed'"),
    ('speed = 1\ndeceleration = 1\ntests = 1', "'tests' is not known"),
    ('speed = 1\ndeceleration = 1\nbackward = "yes"', "backward is 'yes': expected true or false"),
    ('speed = 1\ndeceleration = 1\nq = "home"', "q is 'home': expected 1 numbers"),
    ('speed = 1\ndeceleration = 1\nq = [[1, 2]]', r"q has the shape \(1, 2\)"),
    ('speed = 1\ndeceleration = 1\nq = [inf]', "q has a number that is not finite"),
    ('speed = 1\ndeceleration = "5 kg"', "deceleration is '5 kg', a mass: expected an acceleration"),
    ('speed = true\ndeceleration = 1', "speed is True: expected a number"),
]


@pytest.mark.parametrize(("keys", "said"), STANDARDS)
def test_wrong_tests_of_standards_are_refused_with_their_place(tmp_path, keys, said):
    with pytest.raises(lp.ModelError, match=said) as caught:
        project(tmp_path, more=f'[[standards]]\nkind = "braking"\n{keys}\n')
    assert "cart.toml, line" in str(caught.value) and "[standards]" in str(caught.value)


def test_what_only_the_test_itself_knows_is_refused_with_its_place(tmp_path):
    found = project(tmp_path, more='[[standards]]\nkind = "braking"\nspeed = -1\ndeceleration = 1\n')
    with pytest.raises(lp.ModelError, match=r"cart.toml, line \d+, \[standards\]: speed is -1"):
        found.standards()
    for given in ('standards = "all"', "standards = [1]"):
        file = tmp_path / "cart.toml"
        file.write_text(given + "\n" + BASE.format(base="", wheel="", more=""))
        with pytest.raises(lp.ModelError, match=r"expected tables \[\[standards\]\]"):
            lp.load_project(file)


HOSTILE = {
    "ground": 'ground = "ice"', "slope": "ground = { slope = nan }", "unknown": "ground = { slop = 0.1 }",
    "friction": 'ground = { friction = "high" }', "sliding": "ground = { friction = { sliding = -1.0 } }",
    "surface": "ground = { surface = 3 }", "kind": 'ground = { surface = { kind = "cliff" } }',
    "kerb": 'ground = { surface = { kind = "kerb", at = nan, step = 0.1 } }',
    "map": 'ground = { surface = { kind = "height map", x = [0, 1], y = [0, 1], z = [[0, inf], [0, 0]] } }',
    "patches": "ground = { patches = [1] }", "corners": "ground = { patches = [{ corners = 1 }] }",
    "motion": 'ground = { motion = "ship" }', "heave": 'ground = { motion = { heave = "up" } }',
    "sinusoid": "ground = { motion = { heave = { amplitude = inf, frequency = 1.0 } } }",
    "log": "ground = { motion = { sway = { times = [0, 0, 0], values = [1, 2, 3] } } }",
    "bars": "anti_roll_bars = 5", "ends": 'anti_roll_bars = [{ left = "a", right = "b", stiffness = 1 }]',
    "bar": 'anti_roll_bars = [{ left = "wheel1", right = "wheel2", stiffness = nan }]',
    "points": 'body_points = [[1, 2, "x"]]',
}
HOSTILE_WHEELS = {
    "suspension": ", suspension = 4", "stiffness": ", suspension = { stiffness = -1.0 }",
    "nan": ", suspension = { stiffness = nan }", "key": ", suspension = { stiffnes = 1.0 }",
    "code": ", suspension = { stiffness = \"exec('x')\" }", "drive": ', drive = "big"',
    "torque": ", drive = { peak_torque = -1.0 }", "ratio": ", drive = { peak_torque = 1.0, ratio = 0.0 }",
    "efficiency": ", drive = { peak_torque = 1.0, efficiency = 1e308 }", "damping": ", damping = -5.0, stiffness = 1.0",
    "track": ", track = 5", "link": ", link = 3", "restitution": ", restitution = 2.0",
}


@pytest.mark.parametrize("case", [*HOSTILE, *HOSTILE_WHEELS])
def test_hostile_values_are_refused_with_file_and_table(tmp_path, case):
    text = {"base": HOSTILE[case]} if case in HOSTILE else {"wheel": HOSTILE_WHEELS[case]}
    with pytest.raises(lp.ModelError) as caught:
        project(tmp_path, **text)
    assert "cart.toml" in str(caught.value) and "[base" in str(caught.value) and len(str(caught.value)) < 1000
