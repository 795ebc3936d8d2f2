"""`loadpath check`: table, JSON, exit codes, and the mended file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from arm_to_check import arm
from click.testing import Result
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["check", *map(str, arguments)], env={"COLUMNS": "90", "NO_COLOR": "1"})


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("arm.urdf")
    path.write_text(arm(('izz="0.031"', 'izz="0.0325"'), ('<axis xyz="0 1 0"/>', '<axis xyz="0 2 0"/>')))
    return path


def test_a_sound_robot_ends_with_0() -> None:
    result = run("panda")
    assert (result.exit_code, result.stdout) == (0, "panda: nothing found\n")


def test_findings_end_with_1_and_are_listed(broken: Path) -> None:
    result = run(broken)
    assert result.exit_code == 1
    assert result.stdout.startswith("arm.urdf: 1 error, 1 note\n")
    assert "error    link 'upper'  inertia" in result.stdout and "[--fix]" in result.stdout
    assert "triangle inequality" in result.stdout and result.stderr == ""
    assert all(len(line) <= 90 for line in result.stdout.splitlines())


def test_notes_alone_end_with_0(broken: Path) -> None:
    result = run(broken, "--ignore", "inertia")
    assert result.exit_code == 0 and "axis" in result.stdout


def test_the_mended_file_is_written_and_checked(broken: Path) -> None:
    result = run(broken, "--fix", "-o", "fixed.urdf")
    assert (result.exit_code, result.stdout) == (0, "fixed.urdf: nothing found\n")
    assert "inertias of 1 links (upper) and axes of 1 joints mended" in result.stderr
    assert lp.check("fixed.urdf").sound and "a comment that stays" in Path("fixed.urdf").read_text()


def test_json(broken: Path) -> None:
    result = run(broken, "--json")
    made = json.loads(result.stdout)
    assert result.exit_code == 1 and made["counts"] == {"error": 1, "warning": 0, "note": 1}


def test_a_refused_file_is_a_finding(broken: Path) -> None:
    broken.write_text(arm(('value="2.7"', 'value="heavy"')))
    result = run(broken)
    assert result.exit_code == 1 and "expected a finite number" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gone.urdf",), "there is no such URDF file"),
        (("arm.urdf", "--fix"), "--output fixed.urdf"),
        (("arm.urdf", "-o", "b.urdf"), "give --fix"),
        (("arm.urdf", "--also", "magic", "-o", "b.urdf"), "there is no fix 'magic'"),
        (("arm.urdf", "--also", "estimate", "-o", "b.urdf"), "--density 1300"),
        (("arm.urdf", "--ignore", "magic"), "there is no rule 'magic'"),
        (("arm.urdf", "--fix", "-o", "nowhere/b.urdf"), "there is no folder"),
        (("pandas",), "did you mean 'panda'"),
    ],
)
def test_wrong_requests_end_with_2(broken: Path, arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("loadpath: ") and result.stderr.count("\n") == 1 and words in result.stderr
    assert not Path("b.urdf").exists()


def test_what_a_file_that_is_written_anew_leaves_out_is_said(tmp_path: Path) -> None:
    """A URDF is mended in its own text and keeps it."""
    pytest.importorskip("mujoco")
    body = "<body name='b'><joint name='j'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
    sensor = "<sensor><jointpos joint='j'/></sensor>"
    (tmp_path / "a.xml").write_text(f"<mujoco><worldbody>{body}</worldbody>{sensor}</mujoco>")
    result = run(tmp_path / "a.xml", "--fix", "-o", tmp_path / "b.xml")
    assert "b.xml is written anew, without what is not read" in result.stderr and "1 sensors" in result.stderr
    (tmp_path / "a.urdf").write_text("<robot name='r'><link name='a'/><gazebo/></robot>")
    assert "anew" not in run(tmp_path / "a.urdf", "--fix", "-o", tmp_path / "b.urdf").stderr
    assert "<gazebo/>" in (tmp_path / "b.urdf").read_text()
