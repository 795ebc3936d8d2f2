"""Every command: success, a wrong file, a wrong option, interrupted, and its JSON."""

from __future__ import annotations

import importlib
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from loadpath.cli import app, commands
from loadpath.cli.app import command
from loadpath.cli.command_list import COMMANDS, EXAMPLES
from loadpath.cli.json_output import KEYS

ROVER = """
[robot]
catalog = "planar:1"
[base]
mass = 60
center_of_mass = [0, 0, 0.2]
friction = { sliding = 0.6 }
position = [0, 0, 0.3]
rpy = ["90 deg", 0, 0]
[[base.wheels]]
kind = "fixed wheel"
position = [0, 0.6]
radius = "100 mm"
[[base.wheels]]
kind = "fixed wheel"
position = [0, -0.6]
radius = "100 mm"
[[base.wheels]]
kind = "caster"
position = [1.2, 0]
radius = "100 mm"
[[base.wheels]]
kind = "caster"
position = [-1.2, 0]
radius = "100 mm"
[motion]
swing = true
duration = 3
"""
ARM = """
[robot]
catalog = "planar:1"
[limits.joint1]
effort = 50
[beams.link1]
section = { kind = "tube", outer_radius = "30 mm", wall = "3 mm" }
material = "steel"
end = "tip_joint"
[motion]
swing = true
duration = 2
"""

STUDY = """
[robot]
catalog = "planar:1"
[study]
answers = ["mass"]
[study.space]
"link1.mass" = ["1 kg", "2 kg"]
"""

GEARS = """kind,name,ratio,peak_torque (N m),mass (kg)
strain wave gear,size 14,100,3,0.1
strain wave gear,size 20,100,82,0.3
"""

WORKS: dict[str, list[str]] = {
    "new": ["planar:2", "-o", "-"],
    "info": ["rover.toml"],
    "view": ["arm.toml", "--record", "view.html"],
    "demo": ["planar:1", "--samples", "2"],
    "loads": ["planar:1", "--q", "0.1"],
    "deflect": ["arm.toml", "--q", "0"],
    "rover": ["rover.toml", "--q", "0"],
    "simulate": ["planar:1", "--duration", "0.1"],
    "report": ["planar:1", "--sections", "overview", "-o", "report.html"],
    "datasheet": ["planar:1", "--sections", "drives", "-o", "sheet.html"],
    "compare": ["planar:1", "planar:1"],
    "verdict": ["arm.toml"],
    "fastest": ["puma560", "--acceleration", "4"],
    "study": ["study.toml", "--in-memory"],
    "size": ["planar:1", "--table", "joint1=gears.csv"],
    "equations": ["planar:1"],
    "count": ["planar:1", "--function", "gravity_forces"],
    "verify": ["planar:1", "--states", "2"],
    "bench": ["planar:1", "--states", "10"],
}
"""Arguments with which each command does something; others have tests of their own, in the folders of their work."""
ELSEWHERE = {"check", "convert", "export"}
SLOW = {"view"}
NO_JSON = {"view"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rover.toml").write_text(ROVER)
    (tmp_path / "arm.toml").write_text(ARM)
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "gears.csv").write_text(GEARS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("loadpath.cli.commands.bench.AT_LEAST", 0.0)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80", "NO_COLOR": "1"})


def test_every_command_is_tried_here_or_elsewhere() -> None:
    assert set(COMMANDS) <= set(WORKS) | ELSEWHERE
    modules = {path.stem for path in Path(commands.__file__).parent.glob("*.py")} - {"__init__"}
    assert modules == set(COMMANDS)


@pytest.mark.parametrize("name", [name for name in WORKS if name not in SLOW])
def test_it_works(folder: Path, name: str) -> None:
    result = run(name, *WORKS[name])
    assert result.exit_code == 0, result.output
    assert result.stdout
    assert "Traceback" not in result.output


@pytest.mark.parametrize("name", [name for name in WORKS if name not in NO_JSON])
def test_its_json_is_strict_and_has_the_keys_that_are_documented(folder: Path, name: str) -> None:
    result = run(name, *WORKS[name], "--json")
    assert result.exit_code == 0, result.output

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    found = json.loads(result.stdout, parse_constant=refuse)
    assert list(found) == list(KEYS[name])
    assert isinstance(found["warnings"], list)
    assert not result.stderr


@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("file", ["missing.urdf", "missing.toml", "notes.xyz"])
def test_a_wrong_file_is_one_line(folder: Path, name: str, file: str) -> None:
    (folder / "notes.xyz").write_text("just words")
    others = WORKS[name][1:] if name != "compare" else ["arm.toml"]
    result = run(name, file, *others)
    assert result.exit_code == 2
    assert result.stderr.startswith("loadpath:") and result.stderr.count("\n") == 1
    assert file in result.stderr


@pytest.mark.parametrize("name", WORKS)
def test_a_wrong_option_says_where_help_is(folder: Path, name: str) -> None:
    result = run(name, *WORKS[name], "--no-such-option")
    assert result.exit_code == 2
    assert "--no-such-option" in result.stderr and f"{name} --help" in result.stderr


@pytest.mark.parametrize("name", WORKS)
def test_interrupted_it_ends_with_130_and_leaves_no_file(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(f"loadpath.cli.commands.{name}")

    def interrupt(*arguments: Any, **others: Any) -> None:
        raise KeyboardInterrupt

    at = "_settled" if name == "new" else "_write" if name == "simulate" else "find"
    if name in ("verdict", "study"):
        monkeypatch.setattr("loadpath.load_project", interrupt)
    else:
        monkeypatch.setattr(module, at, interrupt)
    before = sorted(folder.iterdir())
    arguments = [*WORKS[name][:1], "-o", "made.toml"] if name == "new" else WORKS[name]
    more = ["-o", "made.csv"] if name == "simulate" else []
    result = run(name, *arguments, *more)
    assert result.exit_code == 130, result.output
    assert "Traceback" not in result.output
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("name", WORKS)
def test_help_is_complete_and_fits(name: str) -> None:
    for parameter in command(name, COMMANDS[name]).params:
        assert getattr(parameter, "help", None), f"{name}: {parameter.name} has no help"
    shown = run(name, "--help").stdout
    assert max(len(line) for line in shown.splitlines()) <= 80
    assert "…" not in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_examples_that_the_command_takes(name: str) -> None:
    examples = [shlex.split(line, comments=True) for line in EXAMPLES[name]]
    shown = run(name, "--help").stdout
    assert shown.rstrip().endswith(EXAMPLES[name][-1])
    for program, called, *arguments in examples:
        assert (program, called) == ("loadpath", name)
        command(name, COMMANDS[name]).make_context(name, arguments)  # no unknown option, nothing missing


def test_the_package_runs_as_a_program() -> None:
    done = subprocess.run([sys.executable, "-m", "loadpath", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("loadpath ")


def test_debug_prints_a_traceback_and_nothing_else_does(folder: Path) -> None:
    assert "Traceback" not in run("info", "missing.urdf").stderr
    shown = run("info", "missing.urdf", "--debug").stderr
    assert "Traceback" in shown and "FileNotFoundError" in shown
    assert shown.splitlines()[-1].startswith("loadpath:")
    assert "Traceback" not in run("info", "missing.urdf").stderr  # it is of that run alone


def test_a_fault_of_the_program_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr("loadpath.cli.commands.info.find", fail)
    result = run("info", "panda")
    assert result.exit_code == 3
    assert "fault of loadpath" in result.stderr and "surprise" in result.stderr and "Traceback" not in result.stderr
    assert "Traceback" in run("info", "panda", "--debug").stderr
