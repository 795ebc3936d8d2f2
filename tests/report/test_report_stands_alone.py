"""What a review asks first is on the page: the data of every part with source and defaults, what is left out, files
with hashes, the command, versions, revisions and lines to sign.
"""

from __future__ import annotations

import hashlib
import math
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app
from loadpath.report import Table

PROJECT = """
[robot]
file = "arm.urdf"
[[parts.joint1]]
kind = "strain wave gear"
name = "size 25"
ratio = 100
rated_torque = "67 N m"
rated_speed = "2000 rpm"
rated_life = "7000 h"
average_torque = "108 N m"
peak_torque = "200 N m"
[[parts.joint1]]
kind = "crossed roller bearing"
name = "ring"
C = "29.1 kN"
C0 = "40 kN"
dp = "70 mm"
load_factor = 1.2
[motion]
through = [[0, 0.5], [1.0, -0.5], [0, 0.5]]
times = [0, 0.5, 1.0]
[verdict]
hours = 20000
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("project")
    lp.catalog.planar(2).with_payload(1.0).to_urdf(made / "arm.urdf")
    (made / "arm.toml").write_text(PROJECT)
    return made


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_the_page_of_a_project_has_all_of_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["loadpath", "report", "arm.toml", "-o", "my page.html"])
    done = CliRunner().invoke(app, ["report", "arm.toml", "-o", "my page.html", "--revision", "A; 2026-03-01; first"])
    assert done.exit_code == 0, done.output
    text = unescape((folder / "my page.html").read_text(encoding="utf-8")).replace("<wbr>", "")
    for words in (
        "20,000 h", "29,100 N", "load factor 1.2", "reliability 0.9", "209.4 rad/s (2000 rpm)", "rated torque 67 N m",
        "arm.toml, line 4", "ratcheting", "loadpath report arm.toml -o 'my page.html'", "NumPy",
        f"Loadpath {lp.__version__}", "2026-03-01", "approved", "signature",
        "by default reliability 0.9, life factor 1",
    ):
        assert words in text, words
    for name in ("arm.toml", "arm.urdf"):
        assert f"{name}: SHA-256 {hashlib.sha256((folder / name).read_bytes()).hexdigest()}" in text
    assert "inf %" not in text and "no limit of it" not in text


def section(page: lp.report.Report, title: str) -> lp.report.Section:
    return next(one for one in page.sections if one.title == title)


def test_parts_have_source_edition_and_line(folder: Path) -> None:
    file = folder / "gears.csv"
    file.write_text("# source: catalogue of gears\n# edition: 2024\n"
                    "name,rated_torque [N m],rated_speed [rpm],rated_life [h],ratio\nG25,67,2000,7000,100\n")
    gear = lp.parts.read(file, kind="strain wave gear")["G25"].part
    arm = lp.catalog.planar(1).with_parts({"joint1": [gear]}).with_drives(
        {"joint1": lp.Drive(ratio=100, efficiency=0.75, friction=lp.Friction(viscous=2.0))})
    parts, trains, left_out = section(arm.report(only=["data"]), "Data of the parts").blocks
    assert isinstance(parts, Table) and isinstance(trains, Table) and isinstance(left_out, Table)
    ((name, joint, kind, data, default, pedigree, origin),) = parts.rows
    assert (name, joint, kind, pedigree) == ("G25", "joint1", "strain wave gear", "catalogue")
    assert origin == f"catalogue of gears, 2024 ({file}, line 4)"
    assert "rated torque 67 N m" in data and "rated life percent 10" in default and "67" not in default
    assert "efficiency (0.75" in trains.rows[0][1] and "viscous 2 N m s/rad" in trains.rows[0][1]
    assert [row[0] for row in left_out.rows] == ["gear"]


def test_small_angles_slides_and_nested_parts() -> None:
    ring = lp.CrossedRollerBearing(C=5300, C0=6070, dp=0.036)
    gear = lp.StrainWaveGear(ratio=100, rated_torque=67, torsion_limit=math.radians(1.5 / 60), output_bearing=ring)
    arm = lp.catalog.planar(1).with_parts({"joint1": [gear]})
    text = " ".join(row[3] for row in section(arm.report(only=["data"]), "Data of the parts").blocks[0].rows)
    assert "torsion limit 1.5 arcmin" in text and "C 5300 N" in text


def test_robots_without_parts_have_no_such_section_and_pages_can_be_signed() -> None:
    arm = lp.catalog.planar(1)
    assert [one.title for one in arm.report(only=["data", "signatures"]).sections] == ["Signatures"]
    page = arm.report(only=["signatures"], revisions=[("A", "2026-03-01", "first issue", "M. N."), ("B",)])
    history, signed = page.sections[0].blocks
    assert [row[0] for row in history.rows][:2] == ["A", "B"] and len(history.rows) == 3
    assert [row[0] for row in signed.rows] == ["made", "checked", "approved"]
    for wrong in (["first"], [("A", "b", "c", "d", "e")], [("A", 3)]):
        with pytest.raises(lp.ModelError, match="among the revisions: expected up to four texts"):
            arm.report(only=["signatures"], revisions=wrong)
