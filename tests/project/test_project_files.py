"""Project files: rovers, flexible arms, DH tables and mounts equal those made in Python; mistakes have their line; the
schema and the page are those of the code.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app
from loadpath.project.kinds import keys_of, section_classes, wheel_classes
from loadpath.project.schema import schema
from loadpath.robot.measures import measured_by

sys.path.insert(0, str(Path(__file__).parents[2]))
from docs import project_tables

ROVER = """
[robot]
catalog = "two_link"
[payload]
mass = 2
[base]
name = "cart"
mass = "80 kg"
center_of_mass = [0.2, 0, "250 mm"]
inertia = [4, 5, 6]
friction = { sliding = "60 %", static = 0.8, rolling = 0.01 }
position = [0.2, 0, 0.5]
rpy = [0, 0, "90 deg"]
[base.ground]
slope = "5 deg"
[base.motion]
velocity = ["0.5 m/s", 0]
heading = "180 deg"
[[base.wheels]]
kind = "caster"
position = [0.7, 0]
radius = "100 mm"
[[base.wheels]]
kind = "fixed wheel"
position = [0, 0.35]
radius = 0.1
[[base.wheels]]
kind = "FixedWheel"
position = [0, -0.35]
radius = 0.1
driven = false
[[parts.wheel2]]
kind = "wheel"
load = "1.5 kN"
[motion]
swing = true
"""
ARM = """
[robot]
catalog = "planar:1"
inertia_from_beams = true
[beams.link1]
section = { kind = "rod", radius = "10 mm" }
material = "steel"
end = "tip_joint"
[motion]
swing = true
"""


def project_of(folder: Path, text: str) -> lp.Project:
    file = folder / "project.toml"
    file.write_text(text)
    return lp.load_project(file)


def test_a_rover_is_the_one_made_in_python(tmp_path: Path) -> None:
    project = project_of(tmp_path, ROVER)
    base = lp.WheeledBase(
        mass=80, center_of_mass=(0.2, 0, 0.25), inertia=np.diag([4, 5, 6]).tolist(), name="cart",
        friction=lp.WheelFriction(0.6, 0.8, 0.01),
        wheels=[lp.CasterWheel((0.7, 0), 0.1), lp.FixedWheel((0, 0.35), 0.1),
                lp.FixedWheel((0, -0.35), 0.1, driven=False)],
    )
    pose = lp.Pose.from_xyz_rpy((0.2, 0, 0.5), (0, 0, math.pi / 2))
    robot = lp.catalog.two_link().with_payload(2.0)
    wanted = base.carrying(robot, at=pose, ground=lp.Ground(slope=math.radians(5)))
    wanted = wanted.with_parts({"wheel2": lp.WheelRating(load=1500.0)})
    assert project.rover == wanted
    assert project.base_motion == {"velocity": (0.5, 0), "heading": pytest.approx(math.pi)}
    rows = project.verdict()
    assert rows["wheel2", "load"].capacity == 1500.0


def test_standing_wheels_carry_the_weight(tmp_path: Path) -> None:
    text = ROVER.replace('slope = "5 deg"', "slope = 0").replace("velocity", "# velocity")
    (tmp_path / "rover.toml").write_text(text)
    result = CliRunner().invoke(app, ["rover", str(tmp_path / "rover.toml"), "--q", "0,0", "--json"])
    assert result.exit_code == 0, result.output
    normal = sum(one["normal"]["max"] for one in json.loads(result.stdout)["contacts"])
    mass = 80 + 2 + sum(link.inertia.mass for link in lp.catalog.two_link().links)
    assert normal == pytest.approx(9.81 * mass, rel=1e-12)


def test_a_base_alone_is_a_rover(tmp_path: Path) -> None:
    text = re.sub(r"\[robot\].*?\[base\]", "[base]", ROVER, flags=re.DOTALL).split("[motion]")[0]
    text = text.replace("position = [0.2, 0, 0.5]\n", "").replace('rpy = [0, 0, "90 deg"]\n', "")
    project = project_of(tmp_path, text)
    assert project.rover is not None and project.rover.n == 0
    assert project.verdict()["wheel2", "load"].demand > 0


def test_a_flexible_arm_sags_as_the_book_says(tmp_path: Path) -> None:
    (tmp_path / "arm.toml").write_text(ARM)
    level = ["--q", "0"]
    result = CliRunner().invoke(app, ["deflect", str(tmp_path / "arm.toml"), *level, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    r, L, E, rho = 0.01, 1.0, 210e9, lp.STEEL.density
    J, A = math.pi * r**4 / 4, math.pi * r**2
    sag = rho * A * 9.81 * L**4 / (8 * E * J)
    assert found["frames"][-1]["size"] == pytest.approx(sag, rel=2e-3)  # shear adds a little
    stress = rho * A * 9.81 * L**2 / 2 * r / J
    assert found["beams"][0]["von_mises"] == pytest.approx(stress, rel=1e-3)
    first = 1.8751**2 / (2 * math.pi) * math.sqrt(E * J / (rho * A * L**4))
    assert found["frequencies"][0] == pytest.approx(first, rel=1e-2)


def test_a_tilted_mount_turns_gravity(tmp_path: Path) -> None:
    wall = project_of(tmp_path, '[robot]\ncatalog = "ur5"\n[base]\nrpy = [0, "90 deg", 0]\n')
    # The robot's z axis points along the world's x; up is then its -x axis.
    np.testing.assert_allclose(wall.robot.gravity, (9.81, 0, 0), atol=1e-12)
    assert wall.motion is None


def test_a_dh_table_is_that_of_python(tmp_path: Path) -> None:
    text = """
[robot]
name = "arm"
convention = "modified"
[[robot.dh]]
d = "300 mm"
alpha = "90 deg"
mass = 4
limits = ["-120 deg", 2]
[[robot.dh]]
joint = "prismatic"
a = 0.2
limits = { lower = 0, upper = "500 mm", velocity = "0.5 m/s" }
[motion]
through = [[0, 0], ["45 deg", "100 mm"]]
acceleration = 2.0
velocity = 1.0
"""
    project = project_of(tmp_path, text)
    rows = [lp.DHRow(d=0.3, alpha=math.pi / 2, mass=4, limits=(-math.radians(120), 2)),
            lp.DHRow(joint="prismatic", a=0.2, limits=lp.Limits(0, 0.5, 0.5))]
    assert project.robot == lp.from_dh(rows, "modified", name="arm")
    assert isinstance(project.motion, lp.Motion)
    np.testing.assert_allclose(project.motion.q[-1], (math.pi / 4, 0.1))


@pytest.mark.parametrize(("text", "old", "new", "words"), [
    (ROVER, '"caster"', '"castor"', r"line 20, \[base\.wheels\]: no wheel is a 'castor'; did you mean 'caster"),
    (ROVER, "0.1\ndriven", '"0.1 kg"\ndriven', r"line 30, \[base\.wheels\]: radius is '0\.1 kg', a mass"),
    (ROVER, "mass = \"80 kg\"", 'mas = "80 kg"', r"line 8, \[base\]: 'mas' is not known; did you mean 'mass'"),
    (ROVER, 'slope = "5 deg"', "slope = 2", r"line 15, \[base\.ground\]: slope of the ground is 2"),
    (ROVER, 'sliding = "60 %"', "sliding = 0.9", r"line 11, \[base\]: static friction 0\.8 is below"),
    (ROVER, "velocity = [\"0.5 m/s\", 0]", "velocity = [1]", r"\[base\.motion\]: .*velocity"),
    (ROVER, 'load = "1.5 kN"', "laod = 1", r"line 34, \[parts\.wheel2\]: 'laod' is not known of wheel; did you"),
    (ARM, '"rod"', '"rood"', r"line 6, \[beams\.link1\]: no section is a 'rood'; did you mean 'rod'"),
    (ARM, '"10 mm"', '"10 kg"', r"line 6, \[beams\.link1\]: radius is '10 kg'"),
    (ARM, '"steel"', '"steal"', r"line 7, \[beams\.link1\]: no material 'steal'; did you mean 'steel'"),
    (ARM, "beams.link1", "beams.link9", r"line 5, \[beams\.link9\]: robot 'planar1' has no link 'link9'"),
    (ARM, '"tip_joint"', '"elbow"', r"\[beams\.link1\]: .*elbow"),
    (ARM, "inertia_from_beams = true", "strict = true", r"line 4, \[robot\]: 'strict' is of a robot from a file"),
])
def test_mistakes_have_their_line(tmp_path: Path, text: str, old: str, new: str, words: str) -> None:
    assert old in text
    with pytest.raises(lp.ModelError, match=r"project\.toml.*" + words):
        project_of(tmp_path, text.replace(old, new, 1))


@pytest.mark.parametrize(
    "arguments", [["ur5"], ["ur5", "--base"], pytest.param(["ur5", "--beams"], marks=pytest.mark.slow)]
)
def test_new_writes_a_file_that_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["new", *arguments, "-o", "mine.toml"])
    assert result.exit_code == 0, result.output
    text = (tmp_path / "mine.toml").read_text()
    assert all(name in text for name in lp.catalog.ur5().dof_names)
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(tomllib.loads(text), schema())
    assert lp.load_project("mine.toml").verdict().holds
    again = CliRunner().invoke(app, ["new", *arguments, "-o", "mine.toml"])
    assert again.exit_code == 2 and "--force" in again.output
    # What is offered as comments is right as well.
    offered = [line for line in text.splitlines() if re.match(r"# (\[drives\]|\w+ = \{ ratio)", line)]
    drives = "\n".join(line[2:].split("  #")[0] for line in offered)
    (tmp_path / "more.toml").write_text(f"{text}\n{drives}\n")
    assert lp.load_project("more.toml").robot.joint("elbow_joint").gear_ratio == (100.0,)


def test_the_schema_takes_what_is_read_and_refuses_what_is_not() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for text in (ROVER, ARM):
        jsonschema.validate(tomllib.loads(text.replace('"FixedWheel"', '"fixed wheel"')), schema())
    for text, old, new in ((ROVER, '"caster"', '"castor"'), (ROVER, '"80 kg"', '"80 lb"'), (ARM, '"rod"', '"rood"'),
                           (ARM, "material", "matter")):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(text.replace(old, new, 1)), schema())


@pytest.mark.parametrize(
    ("robot", "joint", "velocity", "words"),
    [
        ("planar:2", "joint2", "180", r"limits of 'joint2': velocity is 180 rad/s: .*write velocity = \"180 deg/s\""),
        ("stanford_arm", "joint3", "500", r"limits of 'joint3': velocity is 500 m/s: .*write velocity = \"500 mm/s\""),
        ("planar:2", "joint2", '"180 deg/s"', None),
        ("stanford_arm", "joint3", '"500 mm/s"', None),
        ("planar:2", "joint2", "30.0", None),
        ("planar:2", "joint2", "10000.0", None),  # what files write for no limit
    ],
)
def test_velocity_limits_in_degrees_are_asked_about(
    tmp_path: Path, robot: str, joint: str, velocity: str, words: str | None
) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", lp.ModelWarning)
        project = project_of(tmp_path, f'[robot]\ncatalog = "{robot}"\n[limits.{joint}]\nvelocity = {velocity}\n')
    questions = [str(each.message) for each in said if "velocity" in str(each.message)]
    assert len(questions) == (words is not None) and all(re.search(words or "", each) for each in questions)
    assert math.isfinite(project.robot.joint(joint).limits[0].velocity)


def test_a_motor_may_stand_before_its_gear(tmp_path: Path) -> None:
    """J N^2 at the joint; alone, the question is written as the file would answer it."""
    motor = '[[parts.joint1]]\nkind = "motor"\nname = "EC"\nrotor_inertia = "1 kg cm^2"\n'
    gear = '[[parts.joint1]]\nkind = "strain wave gear"\nratio = 50\n'
    head = '[robot]\ncatalog = "planar:1"\n'
    with warnings.catch_warnings():
        warnings.simplefilter("error", lp.ModelWarning)
        for text in (head + motor + gear, head + gear + motor, f"{head}[drives.joint1]\nratio = 50\n{motor}"):
            assert project_of(tmp_path, text).robot.mass_matrix([0.0])[0, 0] == pytest.approx(1 / 3 + 50**2 * 1e-4)
    with pytest.warns(lp.ModelWarning, match=r"rotor of motor 'EC'.*write ratio = 100 in \[drives\.joint1\]"):
        project_of(tmp_path, head + motor)
    with pytest.raises(lp.ModelError, match=r"line 7, \[parts\.joint1\]: .*ratio is 60 in .* and 50 in"):
        project_of(tmp_path, head + gear + gear.replace("50", '60\nname = "second"') + motor)


def test_the_page_and_the_schema_beside_it_are_current() -> None:
    """If not: python -m docs.project_tables."""
    assert project_tables.SCHEMA.read_text() == project_tables.schema_text()
    assert project_tables.PAGE.read_text() == project_tables.page()


def test_the_examples_of_the_page_load(tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", project_tables.PAGE.read_text(), flags=re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        made = project_of(tmp_path, block)
        assert made.motion is not None
        assert "[study]" not in block or len(made.study()) == 210


WORDS = {
    "name", "driven", "section", "end_section", "material", "end", "end_condition", "wheels", "pads_on", "along",
    "torsion", "orthotropic", "source", "guess", "fully_reversed", "joint", "link", "left", "right",
}


def test_every_number_has_its_units() -> None:
    """A key that measures something and does not say so would take text for a number."""
    made = {*wheel_classes().values(), *section_classes().values(), lp.Beam, lp.Segment, lp.Material, lp.SNCurve,
            lp.Guide, lp.DHRow, lp.JointCompliance, lp.WheelRating, lp.WheeledBase, lp.Ground, lp.WheelFriction,
            lp.Suspension, lp.AntiRollBar}
    assert {key for one in made for key in set(keys_of(one)) - measured_by(one).keys()} == WORDS


@pytest.mark.parametrize("key", ["effort", "velocity"])
def test_a_limit_of_zero_is_asked_about(tmp_path: Path, key: str) -> None:
    """It counts as no limit, as in files that know of none: a check less, without a word."""
    file = tmp_path / "project.toml"
    limits = "effort = 40\nvelocity = 2\n".replace(f"{key} = {40 if key == 'effort' else 2}", f"{key} = 0")
    file.write_text(f'[robot]\ncatalog = "planar:1"\n[limits.joint1]\n{limits}')
    with pytest.warns(lp.ModelWarning, match=f"limits of 'joint1': {key} is 0, which counts as no limit"):
        lp.load_project(file)


@pytest.mark.parametrize("key", ["motion", "[cycle]"])
@pytest.mark.parametrize("way", ["through = [[0, 0], [1, 0.5]]\nvelocity = 1", 'file = "log.csv"', "swing = true"])
def test_a_duration_is_that_of_the_motion(tmp_path: Path, way: str, key: str) -> None:
    """Of points and files it was read and left out, and the verdict was one on another pace."""
    lp.Motion.through(lp.catalog.planar(2), [[0, 0], [1, 0.5]], times=[0, 1]).to_csv(tmp_path / "log.csv")
    project = project_of(tmp_path, f'[robot]\ncatalog = "planar:2"\n[{key}]\n{way}\nduration = "2.5 s"\n')
    motion = project.motion
    assert isinstance(motion, lp.Motion | lp.DutySpectrum)
    assert motion.duration == pytest.approx(2.5, rel=1e-12)


@pytest.mark.parametrize(("given", "words"), [
    ("through = [[0, 0], [1, 1]]\nduration = 2\nspeed = 0.5", "duration and speed both say how fast it is"),
    ("swing = true\nduration = 2\nspeed = 0.5", "duration and speed both say how fast it is"),
    ("through = [[0, 0], [1, 1]]\ntimes = [0, 1]\nduration = 2", "duration and times both say how fast it is"),
    ("swing = true\nshare = 0.5", r"share is that of one of several motions: expected it in \[\[cycle\]\]"),
    ("through = [{ joint1 = 0, joint3 = 1 }, [1, 1]]", "no coordinate 'joint3'; did you mean 'joint"),
    ("through = [{ joint1 = 0, joint2 = 1 }, { joint1 = 1 }]", "a point does not say where 'joint2' is"),
])
def test_motions_that_contradict_themselves(tmp_path: Path, given: str, words: str) -> None:
    with pytest.raises(lp.ModelError, match=rf"line \d, \[motion\]: .*{words}"):
        project_of(tmp_path, f'[robot]\ncatalog = "planar:2"\n[motion]\n{given}\n')


def test_points_may_name_their_joints(tmp_path: Path) -> None:
    points = 'through = [[0, 0], { joint2 = "30 deg", joint1 = 1 }]\nvelocity = 1'
    project = project_of(tmp_path, f'[robot]\ncatalog = "planar:2"\n[motion]\n{points}\n')
    assert isinstance(project.motion, lp.Motion)
    np.testing.assert_allclose(project.motion.q[-1], (1, math.pi / 6))


def test_a_closed_robot_on_wheels(tmp_path: Path) -> None:
    project = tmp_path / "cart.toml"
    project.write_text("""
[robot]
catalog = "four_bar"
[base]
mass = 60
center_of_mass = [0.2, 0, 0.25]
position = [0.1, 0, 0.4]
[base.motion]
velocity = [0.5, 0]
[[base.wheels]]
kind = "support"
position = [0.6, 0]
[[base.wheels]]
kind = "fixed wheel"
position = [0, 0.3]
radius = 0.1
[[base.wheels]]
kind = "fixed wheel"
position = [0, -0.3]
radius = 0.1
""")
    rover = lp.load_project(project).rover
    shown = CliRunner().invoke(app, ["info", str(project)])
    assert shown.exit_code == 0 and "their loads at home" in " ".join(shown.output.split())
    assert f"{rover.wheel_loads(rover.home).normal[0]:.1f}" in shown.output
