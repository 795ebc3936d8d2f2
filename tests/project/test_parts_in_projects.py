"""Cells in TOML: what they make, their messages with file, line and key, and the command that judges them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app

PROJECT = """
[robot]
catalog = "planar:2"

[payload]            # at the tip
mass = "500 g"
center_of_mass = [0, 0, 0.05]
link = "tip"

[limits.joint1]
effort = 60.0

[drives.joint2]
ratio = 100
rotor_inertia = "0.2 kg cm^2"
efficiency = [0.8, 0.7]
friction = { viscous = 0.1, coulomb = "0.5 Nm" }

[[parts.joint1]]
kind = "crossed roller bearing"
name = "RB 3510"
C = "5.3 kN"
C0 = 6070
dp = "36 mm"

[[parts.joint1]]
kind = "bearing pair"
type = "deep groove"
spacing = ["-20 mm", "30 mm"]
C = 9360
C0 = 5000

[motion]
file = "log.csv"

[verdict]
hours = 20e3
"""


def write(folder: Path, text: str = PROJECT) -> Path:
    (folder / "project.toml").write_text(text)
    t = np.linspace(0, 2, 201)
    rows = "".join(f"{x:.4f},{0.8 * np.sin(np.pi * x):.12f},{0.5 * np.sin(np.pi * x):.12f}\n" for x in t)
    (folder / "log.csv").write_text("t,joint1,joint2\n" + rows)
    return folder / "project.toml"


def test_a_project_is_the_robot_that_python_makes(tmp_path: Path) -> None:
    project = lp.load_project(write(tmp_path))
    friction = lp.Friction(viscous=0.1, coulomb=0.5)
    drive = lp.Drive(ratio=100, rotor_inertia=2e-5, efficiency=(0.8, 0.7), friction=friction)
    arm = (
        lp.catalog.planar(2)
        .with_payload(0.5, (0, 0, 0.05), link="tip")
        .with_limits({"joint1": {"effort": 60.0}})
        .with_drives({"joint2": drive})
    )
    assert project.robot.without_parts() == arm
    assert [joint for joint, _ in project.robot.parts] == ["joint1", "joint1"]
    assert project.robot.parts[0][1].label == "RB 3510" and project.robot.parts[1][1].kind == "deep groove"
    assert project.robot.parts[0][1].dp == pytest.approx(0.036) and project.robot.parts[0][1].C == 5300.0
    assert project.robot.parts[1][1].spacing == pytest.approx((-0.02, 0.03))
    assert project.hours == 20e3 and len(project.motion) == 201
    again = project.robot.verdict(lp.Motion.from_csv(tmp_path / "log.csv", arm), hours=20e3)
    used = [row.utilisation for row in again]
    assert [row.utilisation for row in project.verdict()] == pytest.approx(used, nan_ok=True)


def test_cycles_loads_and_wrenches(tmp_path: Path) -> None:
    text = PROJECT.replace('[motion]\nfile = "log.csv"', """
[[cycle]]
file = "log.csv"
share = 0.75
name = "pick"
loads = [{ mass = 2.0, from = 0.5, to = 1.5, link = "tip", name = "box" }]

[[cycle]]
swing = true
share = 0.25

[external.tip]
force = [0, 0, -10]
""")
    project = lp.load_project(write(tmp_path, text))
    assert project.motion.shares == (0.75, 0.25) and project.motion.names[0] == "pick"
    assert project.motion.motions[0].loads[0].mass == 2.0
    assert project.external["tip"].force.tolist() == [0, 0, -10]
    assert project.verdict().motions == 2


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("mass = ", "mas = ", r"project\.toml, line 6, \[payload\]: 'mas' is not known; did you mean 'mass'\?"),
        ("[payload]", "[payloads]", r"'payloads' is not known; did you mean 'payload'"),
        ('catalog = "planar:2"', 'catalog = "pandas"', r"line 3, \[robot\]: no robot 'pandas'.*did you mean 'panda'"),
        ('catalog = "planar:2"', 'file = "arm.urdf"', r"line 3, \[robot\]: there is no file 'arm\.urdf'"),
        ("[limits.joint1]", "[limits.joint_1]", r"line 10, \[limits\.joint_1\].*did you mean 'joint1'"),
        ("ratio = 100", "ration = 100", r"line 14, \[drives\.joint2\]: 'ration' is not known of drive; did you"),
        ("coulomb =", "coulom =", r"\[drives\.joint2\]: 'coulom' is not known of friction; did you mean 'coulomb'"),
        ('kind = "crossed roller bearing"', 'kind = "crossed roler bearing"', r"line 20, .*mean 'crossed roller b"),
        ('dp = "36 mm"', "pitch = 3", r"line 24, \[parts\.joint1\]: 'pitch' is not known of crossed roller bearing"),
        ('dp = "36 mm"\n', "", r"line 20, \[parts\.joint1\]: crossed roller bearing needs dp"),
        ("C0 = 6070", "C0 = -6070", r"line 23, \[parts\.joint1\]: .*-6070"),
        ('type = "deep groove"', 'type = "deep grove"', r"\[parts\.joint1\]: .*deep grove"),
        ("[[parts.joint1]]\nkind = \"bearing", "[[parts.joint9]]\nkind = \"bearing", r"no joint 'joint9'; did"),
        ('"log.csv"', '"log.xls"', r"\[motion\]: there is no file 'log\.xls'"),
        ("hours = 20e3", "hours = -1", r"line 37, \[verdict\]: hours is -1"),
        ("hours = 20e3", "hors = 1", r"line 37, \[verdict\]: 'hors' is not known; did you mean 'hours'"),
        ("[verdict]", "[verdict", r"no TOML: .*line 36"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert PROJECT.count(old) >= 1
    with pytest.raises(lp.ModelError, match=words):
        lp.load_project(write(tmp_path, PROJECT.replace(old, new, 1)))


def test_a_verdict_needs_a_motion(tmp_path: Path) -> None:
    project = lp.load_project(write(tmp_path, PROJECT.replace('[motion]\nfile = "log.csv"', "")))
    assert project.motion is None
    with pytest.raises(lp.ModelError, match=r"project\.toml: no motion is given: expected \[motion\]"):
        project.verdict()


def test_shares_that_do_not_sum_to_one(tmp_path: Path) -> None:
    text = PROJECT.replace('[motion]\nfile = "log.csv"', '[[cycle]]\nfile = "log.csv"\nshare = 0.5\n')
    with pytest.raises(lp.ModelError, match=r"\[cycle\]: the shares of a duty spectrum sum to 0\.5"):
        lp.load_project(write(tmp_path, text))


def test_the_only_cycle_has_all_of_the_time(tmp_path: Path) -> None:
    cycle = '[[cycle]]\nfile = "log.csv"\n'
    texts = [PROJECT.replace('[motion]\nfile = "log.csv"', given) for given in (cycle, f"{cycle}share = 1.0\n")]
    projects = [lp.load_project(write(tmp_path, text)) for text in (*texts, PROJECT)]
    demands = [[row.demand for row in project.verdict().checks if row.checked] for project in projects]
    assert demands[0] == demands[1] == pytest.approx(demands[2], rel=1e-12)
    with pytest.raises(lp.ModelError, match=r"\[cycle\]: no share is given"):
        lp.load_project(write(tmp_path, texts[0] + f"{cycle}share = 0.5\n"))


def test_the_command_judges(tmp_path: Path) -> None:
    project = write(tmp_path)
    result = CliRunner().invoke(app, ["verdict", str(project), "--csv", str(tmp_path / "v.csv")])
    assert result.exit_code in (0, 1), result.output
    found = lp.load_project(project).verdict()
    assert result.exit_code == (0 if found.holds else 1)
    assert "RB 3510" in result.output and (tmp_path / "v.csv").read_text().startswith("part,joint,check")
    tight = write(tmp_path, PROJECT.replace("effort = 60.0", "effort = 1.0"))
    failed = CliRunner().invoke(app, ["verdict", str(tight), "--json"])
    assert failed.exit_code == 1
    assert json.loads(failed.stdout)["holds"] is False
    wrong = CliRunner().invoke(app, ["verdict", str(write(tmp_path, PROJECT.replace("mass", "mas")))])
    assert wrong.exit_code == 2 and "did you mean 'mass'" in wrong.output
    assert CliRunner().invoke(app, ["verdict", str(tmp_path / "none.toml")]).exit_code == 2
