"""CSV files: no cell that comes from a name is a formula to a spreadsheet, and our own files read back."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hostile import urdf
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app

EVIL = ('=HYPERLINK("http://x","y")', "@SUM(1)", "+1-2", "-x")


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    path = tmp_path_factory.mktemp("robot") / "evil.urdf"
    path.write_text(urdf(EVIL, robot="=cmd|' /C calc'!A0"), encoding="utf-8")
    return path, lp.load(path)


def cells(path: Path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return [cell for row in csv.reader(file) for cell in row]


def refuse_formulas(path: Path) -> None:
    """Fail if a cell that is not a number begins as a formula does; and if none of the names is there at all."""
    found = cells(path)
    for cell in found:
        if cell.lstrip().startswith(("=", "+", "-", "@", "\t", "\r")):
            float(cell)
    assert any(name in cell for cell in found for name in EVIL), found[:20]


def test_results_of_parts(arm, tmp_path):
    robot = arm[1]
    motion = lp.Motion.swing(robot, 40)
    refuse_formulas(robot.load_cases(motion).to_csv(tmp_path / "cases.csv"))
    spectra = robot.load_spectra(motion)
    refuse_formulas(spectra.to_csv(tmp_path / "levels.csv"))
    refuse_formulas(spectra.cycles_to_csv(tmp_path / "cycles.csv"))
    refuse_formulas(robot.verdict(motion).to_csv(tmp_path / "verdict.csv"))


def test_tables_of_the_commands(arm, tmp_path):
    path = str(arm[0])
    for name, arguments in {
        "state": ("loads", path),
        "motion": ("loads", path, "--motion", "swing"),
    }.items():
        target = tmp_path / f"{name}.csv"
        done = CliRunner().invoke(app, [*arguments, "--csv", str(target)])
        assert target.exists(), done.output
        refuse_formulas(target)
    target = tmp_path / "simulation.csv"
    done = CliRunner().invoke(app, ["simulate", path, "--duration", "0.01", "-o", str(target)])
    assert target.exists(), done.output
    refuse_formulas(target)


def test_a_motion_reads_back_with_its_names(arm, tmp_path):
    robot = arm[1]
    motion = lp.Motion.swing(robot, 11)
    path = tmp_path / "motion.csv"
    motion.to_csv(path)
    refuse_formulas(path)
    again = lp.Motion.from_csv(path, robot)
    for name in ("t", "q", "qd", "qdd"):
        np.testing.assert_array_equal(getattr(again, name), getattr(motion, name))
