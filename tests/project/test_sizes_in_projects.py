"""Sizes in project files and `loadpath size`: the same as `robot.size`, and mistakes have their line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app
from loadpath.project.schema import schema

GEARS = """kind,name,ratio,average_torque (N m),peak_torque (N m),mass (kg),cost
strain wave gear,size 14,100,2,3,0.1,300
strain wave gear,size 20,100,56,82,0.5,600
strain wave gear,size 32,100,216,333,2.0,950
strain wave gear,size 40,50,372,568,3.7,400
"""
MOTORS = """kind,name,continuous_torque (N m),peak_torque (N m),rotor_inertia (kg cm^2),mass (kg),cost
motor,S,0.6,1.8,0.2,0.8,350
motor,M,9,27,0.6,1.4,300
"""
PROJECT = """
[robot]
catalog = "planar:2"
[payload]
mass = 2.0
[motion]
swing = true
duration = 1.2
[size]
minimise = ["mass", "cost"]
[size.choices]
joint1 = ["gears.csv", "motors.csv"]
joint2 = { file = "gears.csv", where = "ratio == 100" }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("gears.csv").write_text(GEARS)
    Path("motors.csv").write_text(MOTORS)
    Path("project.toml").write_text(PROJECT)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["size", *arguments], env={"COLUMNS": "120", "NO_COLOR": "1"})


def by_hand(minimise: object = ("mass", "cost")) -> lp.Sizing:
    arm = lp.catalog.planar(2).with_payload(2.0)
    gears, motors = lp.parts.read("gears.csv"), lp.parts.read("motors.csv")
    choices = {"joint1": [gears, motors], "joint2": gears.where("ratio == 100")}
    return arm.size(lp.Motion.swing(arm, duration=1.2), choices, minimise=minimise)  # type: ignore[arg-type]


def test_it_is_that_of_the_library() -> None:
    found, own = lp.load_project("project.toml").size(), by_hand()
    assert found.combinations == own.combinations == 4 * 2 * 3
    assert [choice.names for choice in found.feasible] == [choice.names for choice in own.feasible] and own.count
    assert [choice.aims for choice in found.front] == [choice.aims for choice in own.front]
    lightest = lp.load_project("project.toml").size(minimise="mass", exhaustive=False, count=1)
    assert lightest.method == "branch and bound" and lightest.best.names == by_hand("mass").best.names


def test_the_command_has_the_same_and_says_why_not() -> None:
    own = by_hand()
    result = run("project.toml", "--json", "--csv", "sizes.csv")
    said = json.loads(result.stdout)
    assert result.exit_code == 0 and said["combinations"] == 24 and said["holding"] == own.count
    assert said["best"]["joint1"] == " + ".join(own.best.names["joint1"])
    assert [row["mass"] for row in said["front"]] == [choice.aims["mass"] for choice in own.front]
    assert len(Path("sizes.csv").read_text().splitlines()) == own.count + 1
    shown = run("project.toml", "--why").stdout
    assert "None is better in all aims" in shown and "What does not hold" in shown and "size 14 + S" in shown
    of_options = json.loads(run("planar:2", "--payload", "2", "--duration", "1.2", "--minimise", "mass", "--json",
                                "--table", "joint1=gears.csv,motors.csv", "--table", "joint2=gears.csv").stdout)
    assert of_options["best"]["mass"] == by_hand("mass").best.aims["mass"]


def test_none_that_holds_is_exit_code_1_with_the_reasons() -> None:
    Path("gears.csv").write_text("\n".join(GEARS.splitlines()[:2]) + "\n")
    result = run("project.toml")
    assert result.exit_code == 1 and "none holds: nearest was" in result.stdout
    assert "What does not hold" in result.stdout and "of size 14" in result.stdout


@pytest.mark.parametrize(("change", "line", "said"), [
    (("joint1 = [", "joint7 = ["), 12, "robot 'planar2' has no joint 'joint7'"),
    (('"motors.csv"]', '"motor.csv"]'), 12, "there is no file 'motor.csv'"),
    (('"motors.csv"]', "3]"), 12, "'joint1' is 3: expected files of parts"),
    (('where = "ratio == 100"', 'wher = "ratio == 100"'), 13, "'wher' is not known; did you mean 'where'"),
    (('where = "ratio == 100"', 'where = "ratio =="'), 13, ""),
    (('where = "ratio == 100"', 'kind = "banana"'), 13, "no part is a 'banana'"),
    (('where = "ratio == 100"', 'kind = "motor"'), 13, "kind is 'motor', and 'size 14' of gears.csv is a strain wave"),
    (('where = "ratio == 100"', "where = 3"), 13, "where is 3: expected text"),
    (('minimise = ["mass", "cost"]', "minimise = 3"), 10, "minimise is 3"),
    (('minimise = ["mass", "cost"]', 'minimise = "size"'), None, "has no number 'size'"),
    (('minimise = ["mass", "cost"]', "count = 0"), 10, "count is 0"),
    (('minimise = ["mass", "cost"]', 'exhaustive = "yes"'), 10, "exhaustive is 'yes'"),
    (('minimise = ["mass", "cost"]', "minimize = 1"), 10, "did you mean 'minimise'"),
    (('"gears.csv", "motors.csv"', '"../../etc/passwd"'), 12, "outside of what a project file may read"),
    (('"gears.csv", "motors.csv"', '"gears.csv", "gears.csv"'), 12, "has two tables of gears"),
])
def test_mistakes_have_their_line(change: tuple[str, str], line: int | None, said: str) -> None:
    Path("project.toml").write_text(PROJECT.replace(*change))
    with pytest.raises(lp.ModelError) as problem:
        lp.load_project("project.toml").size()
    words = str(problem.value)
    assert said in words and "[size" in words and (line is None or f"line {line}," in words), words


@pytest.mark.parametrize(("arguments", "said"), [
    (["planar:2"], "nothing to choose from"),
    (["planar:2", "--table", "gears.csv"], "expected a joint and a file of parts"),
    (["planar:2", "--table", "joint9=gears.csv"], "has no joint 'joint9'"),
    (["planar:2", "--table", "joint1=no.csv"], "no.csv"),
    (["lau_rover", "--table", "joint1=gears.csv"], "is a rover"),
    (["project.toml", "--csv", "sizes.txt"], "sizes.txt"),
    (["project.toml", "--minimise", "weight"], "no number 'weight'"),
])
def test_what_is_wrong_is_one_line(arguments: list[str], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2 and said in result.stderr and len(result.stderr.strip().splitlines()) == 1


def test_exceptions_of_the_project_are_not_counted_and_that_is_said() -> None:
    Path("project.toml").write_text(PROJECT + '[[exception]]\nkind = "static"\npayload = "90 kg"\n')
    result = run("project.toml")
    assert result.exit_code == 0 and "1 exceptional case of the project not counted here" in " ".join(
        result.output.split())


def test_editors_know_the_keys() -> None:
    assert set(schema()["properties"]["size"]["properties"]) == {"choices", "minimise", "count", "exhaustive"}
