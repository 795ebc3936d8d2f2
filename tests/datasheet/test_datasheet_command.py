"""`loadpath datasheet`: its files, its JSON, and its mistakes as one line."""

import json

import numpy as np
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app

PROJECT = """
[robot]
file = "arm.urdf"
[payload]
mass = "1.5 kg"
[drives.joint1]
ratio = 100
[[parts.joint1]]
kind = "brake"
holding_torque = "0.8 N m"
response_time = "30 ms"
"""


def run(*arguments):
    return CliRunner().invoke(app, ["datasheet", *map(str, arguments)])


def test_a_project_is_written_with_its_files_and_its_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    limits = {name: lp.Limits(lower=-2, upper=2, velocity=2.0, effort=90.0) for name in ("joint1", "joint2")}
    lp.catalog.planar(2).with_limits(limits).to_urdf(tmp_path / "arm.urdf")
    (tmp_path / "arm.toml").write_text(PROJECT)
    revision = "A; 2026-03-01; first issue; M. N."
    result = run("arm.toml", "--sections", "stopping", "-o", "sheet.html", "--revision", revision)
    assert result.exit_code == 0, result.output
    html = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    for words in ("Data sheet. 2 degrees of freedom", "1.5 kg", "SHA-256", "arm.urdf", "Made again by", "first issue",
                  "category 0", "category 1"):
        assert words in html, words
    assert "left out: Stops of category 0 of 'joint2'" in result.output.replace("\n", " ")


def test_its_json_has_the_numbers_of_the_library(tmp_path):
    sections = "workspace,drives,stopping"
    result = run("planar:1", "--payload", "500g", "--json", "--sections", sections, "-o", tmp_path / "s.html")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["payload"] == 0.5 and found["link"] == "tip" and found["stopping"] == []
    assert np.isclose(found["workspace"]["reach"], 1.0)
    sheet = lp.catalog.planar(1).datasheet(payload=0.5, only=["workspace", "drives", "stopping"])
    assert found["drives"][0]["rms_torque"] == sheet.drives[0].rms_torque
    assert found["left_out"] == list(sheet.left_out)


def test_a_rover_is_taken_on_its_standing_base(tmp_path):
    result = run("lau_rover", "--sections", "drives", "-o", tmp_path / "s.html")
    assert result.exit_code == 0, result.output
    assert "is a rover: the numbers are those of its robots on the standing base" in result.output.replace("\n", " ")


def test_mistakes_are_one_line(tmp_path):
    for arguments, words in (
        (["planar:1", "-o", tmp_path / "s.docx"], ".html"),
        (["planar:1", "--link", "tool", "-o", tmp_path / "s.html"], "tool"),
        (["planar:1", "--payload", "-2", "-o", tmp_path / "s.html"], "payload is -2"),
        (["planar:1", "--json", "-o", "-"], "give -o a file"),
        (["random_tree:5:3", "-o", tmp_path / "s.html"], "--link"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2 and words in result.output.replace("\n", " "), result.output
        assert "Traceback" not in result.output
    assert not list(tmp_path.iterdir())
