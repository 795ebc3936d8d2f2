"""`[base.ground]` of project files: surfaces, patches, motions."""

from pathlib import Path

import pytest

import loadpath as lp

BASE = """
[base]
mass = 40
center_of_mass = [0.2, 0, 0.3]
[[base.wheels]]
kind = "caster"
position = [0.6, 0]
radius = "10 cm"
[[base.wheels]]
kind = "fixed"
position = [0, 0.3]
radius = 0.1
[[base.wheels]]
kind = "fixed"
position = [0, -0.3]
radius = 0.1
[base.ground]
slope = "3 deg"
"""


def ground(tmp_path: Path, text: str) -> lp.Ground:
    path = tmp_path / "rover.toml"
    path.write_text(BASE + text)
    return lp.load_project(path).rover.ground


def test_all_of_a_ground(tmp_path: Path) -> None:
    found = ground(tmp_path, """
[[base.ground.surface]]
kind = "kerb"
at = 2
step = "12 cm"
[[base.ground.surface]]
kind = "ramp"
at = 5
slope = "10 deg"
across = [-1, "100 cm"]
[[base.ground.patches]]
corners = [[0, 0], ["400 cm", 1]]
friction = { sliding = 0.1 }
[base.ground.motion]
heave = { amplitude = "150 cm", frequency = 0.1 }
roll = [{ amplitude = "5 deg", frequency = 0.08 }, { amplitude = 0.01, frequency = 0.3, phase = "90 deg" }]
pitch = { times = [0, 1, 2, 3, 4, 5], values = [0, 0, 0, "1 deg", 0, 0] }
about = [-3, 0, "-200 cm"]
""")
    deg = 3.141592653589793 / 180
    assert found.surface == lp.Kerb(2, 0.12) + lp.Ramp(5, 10 * deg, across=(-1, 1))
    assert found.patches == (lp.Patch(((0, 0), (4, 1)), lp.WheelFriction(0.1)),)
    roll = (lp.Sinusoid(5 * deg, 0.08), lp.Sinusoid(0.01, 0.3, 90 * deg))
    pitch = lp.TimeSeries(range(6), (0, 0, 0, deg, 0, 0))
    assert found.motion == lp.GroundMotion(heave=lp.Sinusoid(1.5, 0.1), roll=roll, pitch=pitch, about=(-3, 0, -2))


@pytest.mark.parametrize(("text", "words"), [
    ('surface = { kind = "kreb", at = 1 }', "the kind of a surface is 'kreb'; did you mean 'kerb'?"),
    ('surface = { kind = "kerb", at = 1 }', "kerb needs step"),
    ('surface = { kind = "kerb", at = 1, step = 120 }', "is it in millimetres?"),
    ('surface = 3', "surface: expected a table with a kind"),
    ('patches = [{ corners = [[0, 0]], friction = { sliding = 0.1 } }]', "a patch has 1 corners"),
    ('motion = 3', "expected a table [base.ground.motion]"),
    ('motion = { heave = { amplitude = 1 } }', "sinusoid needs frequency"),
    ('motion = { heave = { amplitude = "1 N", frequency = 1 } }', "expected a length or angle"),
    ('motion = { heaves = 1 }', "did you mean 'heave'?"),
])
def test_wrong_tables_are_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(lp.ModelError) as problem:
        ground(tmp_path, text)
    assert words in str(problem.value)
