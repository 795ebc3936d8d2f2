"""Exceptional cases in project files: what they say is what the library computes, and mistakes have their line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app
from loadpath.project.schema import schema

ARM = """
[robot]
catalog = "planar:2"
[payload]
mass = 4.0
[drives.joint1]
ratio = 100
rotor_inertia = "0.1 kg cm^2"
[[parts.joint1]]
kind = "strain wave gear"
ratio = 100
rated_torque = 300
rated_speed = "2000 rpm"
rated_life = 7000
average_torque = 500
peak_torque = 400
momentary_torque = 950
average_input_speed = "3500 rpm"
max_input_speed = "7000 rpm"
[[parts.joint1]]
kind = "brake"
holding_torque = 1.5
response_time = "30 ms"
energy_per_stop = 80
"""
CYCLES = """
[[cycle]]
name = "fast"
through = [[0, 0], ["60 deg", -0.5]]
times = [0, 1]
share = 0.5
[[cycle]]
name = "slow"
through = [[0, 0], [1.0, -0.5]]
times = [0, 2]
share = 0.5
[verdict]
hours = 2000
"""
EXCEPTIONS = """
[[exception]]
name = "e-stop"
kind = "stop"
at = "400 ms"
cycle = "fast"
count = 50
brakes = { joint1 = [{ holding_torque = 1.5, response_time = "30 ms", energy_per_stop = "80 J" }], joint2 = "80 N m" }

[[exception]]
name = "crash"
kind = "Static"
q = ["45 deg", 0]
external = { link2 = { force = [0, 0, "-0.5 kN"], point = ["1 m", 0, 0] } }
torques = { joint1 = "700 N m" }
"""


def written(folder: Path, more: str, cycles: str = CYCLES) -> Path:
    file = folder / "project.toml"
    file.write_text(ARM + cycles + more)
    return file


def test_the_cases_of_the_file_are_those_of_the_library(tmp_path: Path) -> None:
    project = lp.load_project(written(tmp_path, EXCEPTIONS))
    stop = project.exceptions[0]
    assert (stop.name, stop.kind, stop.cycle, stop.count, stop.options["at"]) == ("e-stop", "stop", "fast", 50.0, 0.4)
    found = project.verdict()
    brakes = {"joint1": lp.Brake(holding_torque=1.5, response_time=0.03, energy_per_stop=80.0), "joint2": 80.0}
    alone = project.robot.stop(project.motion.motions[0], at=0.4, brakes=brakes)
    assert found["e-stop", "joint1", "energy of a stop"].demand == alone.heat[0]
    torque = found["e-stop", "joint1", "momentary peak torque"]
    assert torque.demand == pytest.approx(alone.gear_torques["joint1"], rel=1e-12)
    wrench = lp.Wrench(force=(0, 0, -500), point=(1, 0, 0))
    held = project.robot.inverse_dynamics([np.pi / 4, 0], [0, 0], [0, 0], external={"link2": wrench})[0]
    assert abs(held) > 700
    assert found["crash", "joint1", "momentary peak torque"].demand == pytest.approx(abs(held), rel=1e-12)
    assert [case.name for case in found.exceptions] == ["e-stop", "crash"] and found.holds


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "140", "NO_COLOR": "1"})


def test_one_verdict_of_cycles_and_exceptions_in_every_command(tmp_path: Path) -> None:
    file = written(tmp_path, EXCEPTIONS)
    found = lp.load_project(file).verdict()
    result = run("verdict", file, "--json")
    said = json.loads(result.stdout)
    assert result.exit_code == 0
    assert said["headline"] == found.headline and [one["name"] for one in said["exceptions"]] == ["e-stop", "crash"]
    assert {row["exception"] for row in said["checks"]} == {"", "e-stop", "crash"}
    page = tmp_path / "report.html"
    report = json.loads(run("report", file, "-o", page, "--json", "--sections", "verdict,exceptions").stdout)
    assert report["verdict"]["headline"] == found.headline
    assert [title for title in report["sections"] if "xception" in title] == ["Exception: e-stop", "Exception: crash"]
    compared = json.loads(run("compare", file, file, "--json").stdout)
    both = [row for row in compared["checks"] if row["check"] == "momentary peak torque (e-stop)"]
    assert len(both) == 1 and both[0]["first"] == both[0]["second"] > 0


def test_exit_codes_follow(tmp_path: Path) -> None:
    failing = run("verdict", written(tmp_path, EXCEPTIONS.replace("700 N m", "1000 N m")))
    assert failing.exit_code == 1 and "crash: a given pose" in failing.output
    silent = run("verdict", written(tmp_path, ""))
    words = " ".join(silent.output.split())
    assert silent.exit_code == 1 and words.count("emergencies of the gears at") == 1
    assert "holds, emergencies not given, over 2 motions" in words
    assert run("verdict", written(tmp_path, ""), "--allow-unchecked").exit_code == 0


def line_of(text: str, key: str) -> int:
    return next(k for k, line in enumerate(text.splitlines(), start=1) if line.startswith(key))


@pytest.mark.parametrize(("change", "key", "said"), [
    (('kind = "stop"', 'kind = "stopp"'), "kind", "no exceptional case is a 'stopp'; did you mean 'stop'"),
    (('kind = "stop"', ""), None, "no kind is given"),
    (('at = "400 ms"', 'at = "400 mm"'), "at", "at is '400 mm', a length: expected a time"),
    (('at = "400 ms"', "att = 3"), "att", "'att' is not known; did you mean 'at'"),
    (('cycle = "fast"', 'cycle = "fats"'), "cycle", "there is no cycle 'fats'; did you mean 'fast'"),
    (("count = 50", "count = 0"), "count", "count of exceptional case 'e-stop' is 0"),
    (("count = 50", 'count = "often"'), "count", "count"),
    (("joint2 = ", "joint9 = "), "brakes", "brakes: robot 'planar2' has no joint 'joint9'"),
    (('"80 N m"', '"80 kg"'), "brakes", "brakes is '80 kg'"),
    (("holding_torque = 1.5, resp", "holding = 1.5, resp"), "brakes", "'holding' is not known of brake"),
    (('at = "400 ms"', "at = 30"), "at", "the instant 30 s is outside the motion"),
    (('name = "e-stop"', 'name = ""'), None, "the name of an exceptional case is ''"),
    (('name = "e-stop"', 'name = "crash"'), None, "there is an exceptional case 'crash' already"),
    (('"80 N m" }', "[] }"), "brakes", "a joint has an empty list"),
    (('"80 N m" }', "-3 }"), "brakes", "the brake of 'joint2' is -3"),
    (('"80 N m" }', "{} }"), "brakes", "brake at 'joint2' has no torque"),
    (("external = { link2", "external = { link9"), "external", "external: robot 'planar2' has no link 'link9'"),
    (('force = [0, 0, "-0.5 kN"]', 'forse = [0, 0, "-0.5 kN"]'), "external", "'forse' is not known"),
    (('kind = "Static"', 'kind = "collision"'), "q", "'q' is not known"),
    (('kind = "stop"\n', 'kind = "collision"\n'), "kind", "a collision needs stiffness"),
    (('q = ["45 deg", 0]', 'q = ["45 mm", 0]'), "q", "expected an angle"),
    (('q = ["45 deg", 0]', "q = [0.1]"), "q", "expected 2 finite numbers"),
    (('torques = { joint1 = "700 N m" }', 'torques = { joint1 = "700 J" }'), "torques", "torques"),
])
def test_mistakes_have_their_line(
    tmp_path: Path, change: tuple[str, str], key: str | None, said: str
) -> None:
    file = written(tmp_path, EXCEPTIONS.replace(*change))
    with pytest.raises(lp.ModelError) as problem:
        lp.load_project(file).verdict()
    words = str(problem.value)
    assert said in words and "[exception]" in words and str(file) in words
    if key is not None:
        where = next(k for k, line in enumerate(file.read_text().splitlines(), start=1)
                     if line.startswith(f"{key} ") and k > line_of(file.read_text(), "[[exception]]"))
        assert f"line {where}," in words


@pytest.mark.parametrize("more", ["exception = 3", 'exception = ["stop"]', "[exception]\nkind = 'stop'"])
def test_what_is_no_list_of_cases_is_refused(tmp_path: Path, more: str) -> None:
    file = tmp_path / "project.toml"
    file.write_text(more + "\n" + ARM + CYCLES if "[" not in more[:1] else ARM + CYCLES + more)
    with pytest.raises(lp.ModelError, match=r"expected tables \[\[exception\]\]"):
        lp.load_project(file)


def test_rovers_have_none(tmp_path: Path) -> None:
    file = tmp_path / "project.toml"
    wheels = ", ".join(f'{{ kind = "fixed", position = [{x}, {y}], radius = 0.1 }}' for x in (1, -1) for y in (1, -1))
    file.write_text(f"""
[robot]
catalog = "planar:1"
[base]
mass = 40.0
center_of_mass = [0, 0, 0.2]
wheels = [{wheels}]
[[exception]]
kind = "stop"
""")
    with pytest.raises(lp.ModelError, match="exceptional cases are of robots without wheels"):
        lp.load_project(file)


def test_editors_know_the_keys() -> None:
    cases = schema()["properties"]["exception"]["items"]["anyOf"]
    by_kind = {case["properties"]["kind"]["enum"][0]: case["properties"] for case in cases}
    assert {"stop", "static"} <= set(by_kind) and {"category", "at", "brakes", "cycle", "count"} <= set(by_kind["stop"])
    assert {"q", "external", "torques", "payload"} <= set(by_kind["static"])
