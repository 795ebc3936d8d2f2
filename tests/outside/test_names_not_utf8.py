"""Files whose names are not UTF-8, as archives of others unpack them: commands read and write them, or say why not."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names there are text")
URDF = (Path(__file__).parents[1] / "bad_files" / "arm.urdf").read_text()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with such a name, and an arm and a project in it."""
    inner = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    try:
        inner.mkdir()
    except OSError:
        pytest.skip("the file system has no such names")
    (inner / os.fsdecode(b"b\xff.urdf")).write_text(URDF)
    (inner / "c.toml").write_text('[robot]\nfile = "arm.urdf"\n[motion]\nswing = true\n')
    (inner / "arm.urdf").write_text(URDF)
    monkeypatch.chdir(inner)
    return inner


NAME, HTML = os.fsdecode(b"b\xff.urdf"), os.fsdecode(b"r\xff.html")
COMMANDS = [
    ["report", NAME, "-o", HTML],
    ["report", "c.toml", "-o", HTML],
    ["compare", NAME, "arm.urdf", "-o", HTML],
    ["info", NAME, "--json"],
    ["check", NAME, "--json"],
    ["loads", NAME],
    ["convert", NAME, os.fsdecode(b"x\xff.sdf")],
    ["equations", NAME, "-o", os.fsdecode(b"e\xff.txt")],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: f"{command[0]} {len(command[1])}")
def test_commands(folder: Path, command: list[str]) -> None:
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    if HTML in command:
        text = (folder / HTML).read_text(encoding="utf-8")  # an error if it is not
        assert "\\udcff" in text or command[1] == "c.toml"
    (result.stdout + result.stderr).encode()


def test_a_project_cannot_name_it(folder: Path) -> None:
    result = CliRunner().invoke(app, ["new", NAME, "-o", "n.toml"])
    assert result.exit_code == 2 and "is not in UTF-8, and a project file is: rename the file" in result.stderr
    assert not (folder / "n.toml").exists()


def test_errors_and_results_in_python(folder: Path) -> None:
    (folder / NAME).write_text("<robot/>")
    with pytest.raises(lp.ModelError) as caught:
        lp.load(folder / NAME)
    str(caught.value).encode()
    robot = lp.load(folder / "arm.urdf")
    renamed = replace(robot, name=os.fsdecode(b"r\xff"))
    renamed.report(lp.Motion.swing(renamed)).save(folder / HTML)
    assert "r\\udcff" in (folder / HTML).read_text(encoding="utf-8")
