"""`loadpath report`: its files, and its mistakes as one line."""

import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app


def run(*arguments):
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


def test_a_robot_of_the_catalog(tmp_path):
    result = run("planar:2", "--payload", 1.5, "-o", tmp_path / "r.html")
    assert result.exit_code == 0, result.output
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Carries 1.5 kg of payload." in html and "gravity payload" in html


def test_a_motion_from_a_file(tmp_path):
    arm = lp.catalog.planar(2)
    lp.Motion.swing(arm, 101, duration=2.5).to_csv(tmp_path / "m.csv")
    result = run("planar:2", "--motion", tmp_path / "m.csv", "-o", tmp_path / "r.html")
    assert result.exit_code == 0, result.output
    assert "Motion of 2.5 s, 101 samples." in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["pnda"], "did you mean 'panda'"),
        (["planar:2", "--motion", "m.txt"], "expected 'swing' or a file ending in .csv or .npz"),
        (["planar:2", "--motion", "missing.csv"], "missing.csv"),
        (["planar:2", "--duration", "-1"], "duration is -1 s"),
        (["planar:2", "--motion", "m.csv", "--duration", "1"], "--duration is of the swing"),
        (["planar:2", "-o", "no/such/folder/r.html"], "there is no folder"),
        (["planar:2", "--payload", "-1"], "mass"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert told in result.output.replace("\n", " ") and "Traceback" not in result.output
    assert not list(tmp_path.iterdir())
