"""Where data come from is said by part and by kind of data, and rows of the verdict that rest on estimates or defaults
say so, on the page, in JSON and in Python.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import loadpath as lp
from loadpath.report import Table

PROJECT = """
[robot]
catalog = "planar:2"
[payload]
mass = 2.0
[pedigree]
masses = "measured 2026-03, balance"
friction = "estimated"
[limits.joint1]
effort = 60
[limits.joint2]
effort = 40
guess = true
[[parts.joint1]]
kind = "crossed roller bearing"
C = "29.1 kN"
C0 = "40 kN"
dp = "70 mm"
source = "HIWIN"
edition = "2021"
[[parts.joint2]]
kind = "crossed roller bearing"
C = "9 kN"
C0 = "12 kN"
dp = "40 mm"
source = "by a supplier's mail"
pedigree = "estimated"
[motion]
swing = true
"""


@pytest.fixture
def project(tmp_path: Path) -> lp.Project:
    (tmp_path / "arm.toml").write_text(PROJECT)
    return lp.load_project(tmp_path / "arm.toml")


def tables(page: lp.report.Report) -> dict[str, Table]:
    return {block.title: block for section in page.sections for block in section.blocks if isinstance(block, Table)}


def test_the_page_and_the_rows_say_it(project: lp.Project) -> None:
    found = project.verdict()
    assert found["joint2", "static safety"].rests_on == "data estimated (by a supplier's mail)"
    assert found["joint1", "static safety"].rests_on == ""
    assert found["joint1", "life L10"].rests_on.startswith("by default load factor 1, reliability 0.9")
    assert found["joint2", "effort"].rests_on == "limits are a guess" and found["joint1", "effort"].rests_on == ""
    assert found.basis.estimated == ("friction", "crossed roller bearing of 'joint2'")
    assert "estimated: friction, crossed roller bearing of 'joint2'" in found.headline
    assert {row["rests_on"] for row in found.as_dict()["checks"]} >= {"limits are a guess", ""}
    page = project.robot.report(project.motion, only=["verdict", "basis", "data"])
    shown = tables(page)
    assert [row[5:] for row in shown["Parts"].rows] == [
        ["catalogue", "HIWIN, 2021 (arm.toml, line 14)"], ["estimated", "by a supplier's mail (arm.toml, line 21)"]]
    whole = {row[0]: tuple(row[1:]) for row in shown["Where the data of the robot come from"].rows}
    assert whole["masses and mass centers"] == ("measured", "measured 2026-03, balance")
    assert whole["friction"] == ("estimated", "estimated") and whole["rotor inertias"] == ("default", "none")
    assert whole["limits"][0] == "estimated" and whole["motion"][0] == "default"
    notes = [cell[1] for row in shown["Checks"].rows for cell in row if isinstance(cell, tuple)]
    assert any(note.endswith("data estimated (by a supplier's mail)") for note in notes)


@pytest.mark.parametrize(
    ("line", "words"),
    [('pedigree = "measuerd"', r"line 2\d, .*pedigree of a part is 'measuerd': expected one .*mean 'measured'"),
     ("source = 3", r"source of a part is 3: expected words")],
)
def test_words_that_are_not_known_are_refused_with_their_line(tmp_path: Path, line: str, words: str) -> None:
    text = PROJECT.replace('pedigree = "estimated"', line).replace('source = "by a supplier\'s mail"\n', "")
    (tmp_path / "arm.toml").write_text(text)
    with pytest.raises(lp.ModelError, match=words):
        lp.load_project(tmp_path / "arm.toml")


def test_data_that_a_robot_does_not_have_are_refused() -> None:
    with pytest.raises(lp.ModelError, match="no pedigree of 'mass'; did you mean 'masses'"):
        lp.catalog.panda().with_pedigree(mass="measured")
    with pytest.raises(lp.ModelError, match="pedigree of masses of robot 'panda' is ' '"):
        lp.catalog.panda().with_pedigree(masses=" ")


def test_sources_stay_with_copies() -> None:
    """Where a drive train completes a part, and where a robot is made from another."""
    brake = lp.Brake(energy_per_stop=50).with_source("estimated")
    arm = lp.catalog.planar(1).with_parts({"joint1": [brake]})
    arm = arm.with_drives({"joint1": lp.Drive(ratio=50, brake=1.5)}).with_pedigree(masses="CAD").with_payload(1.0)
    found = arm.verdict(lp.Motion.swing(arm))
    assert found["joint1", "holding torque"].rests_on == "data estimated" and arm.pedigrees == (("masses", "CAD"),)
    assert lp.Brake(energy_per_stop=50) == brake  # its numbers are the same


def test_meshes_are_hashed_with_the_other_files(tmp_path: Path) -> None:
    from loadpath.report.record import files_in_words, mesh_files

    corners = "".join(f"v {x} {y} {z}\n" for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
    mesh = tmp_path / "arm.obj"
    mesh.write_text(f"{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    shapes = [lp.MeshShape(str(mesh)), lp.MeshShape(str(mesh), scale=(2, 2, 2)), lp.MeshShape("gone.stl")]
    links = [lp.Link("base"), lp.Link("arm", lp.Inertia(1.0, (0, 0, 0)), shapes=shapes)]
    robot = lp.Robot("meshed", links, [lp.Joint("joint1", "base", "arm", lp.Revolute((0, 0, 1)))])
    assert mesh_files(robot) == [str(mesh)]
    assert hashlib.sha256(mesh.read_bytes()).hexdigest() in files_in_words(mesh_files(robot))[0]
