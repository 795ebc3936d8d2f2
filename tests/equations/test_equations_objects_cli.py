"""`loadpath equations` with letters, objects, code and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["equations", *arguments], env={"COLUMNS": "80", "NO_COLOR": "1"})


def test_all_of_an_arm_as_a_latex_file(tmp_path: Path) -> None:
    target = tmp_path / "equations.tex"
    result = run("two_link", "--all", "--latex", "--letters", "lau", "-o", str(target))
    assert result.exit_code == 0, result.output
    text = target.read_text(encoding="utf-8")
    assert text.startswith("\\documentclass") and text.rstrip().endswith("\\end{document}")
    for title in ("Link poses", "Jacobians", "Lagrangian", "Mass matrix", "Joint wrenches", "Wrenches by cause"):
        assert f"\\section*{{{title}}}" in text
    assert (
        r"f_{\mathrm{joint2}}^{\mathrm{inertial},\mathrm{joint1}}" in text and "M_{2}" in text and "q_{1}" not in text
    )
    assert [path.name for path in tmp_path.iterdir()] == ["equations.tex"]


def test_objects_as_text_and_latex() -> None:
    result = run("two_link", "--object", "lagrangian", "--object", "link_poses")
    assert result.exit_code == 0, result.output
    assert "lagrangian: Lagrangian, kinetic less potential energy." in result.output
    assert "tip[1, 4] = l1*sin(q1) + l2*sin(q1 + q2)" in result.output
    latex = run("two_link", "--object", "gravity", "--latex").output
    assert latex.startswith("\\begin{aligned}\nG &=") and "documentclass" not in latex
    assert "joint_wrenches: " in run("two_link", "--all").output


def test_code_runs(tmp_path: Path) -> None:
    target = tmp_path / "arm.py"
    assert run("two_link", "--code", "python", "-o", str(target)).exit_code == 0
    space: dict[str, object] = {}
    exec(target.read_text(), space)
    q, qd, qdd = [0.3, 0.2], [1.0, 2.0], [0.5, 0.1]
    expected = lp.catalog.two_link().inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(space["torques"](q, qd, qdd), expected, rtol=1e-12)
    assert "void mass_matrix(const double q[2]" in run("two_link", "--code", "c").output
    assert "function out = gravity(q" in run("two_link", "--code", "matlab", "--object", "gravity").output


def test_closed_robots_and_rovers() -> None:
    result = run("four_bar", "--object", "constraints", "--object", "complement")
    assert result.exit_code == 0 and "phi1 = l0 - l1*cos(q1)" in result.output
    result = run("lau_rover", "--object", "gravity", "--letters", "lau")
    assert result.exit_code == 0 and "standing base" in result.stderr and "theta2" in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("two_link", "--object", "mass_matrx"), "mass_matrix"),
        (("two_link", "--latex", "--code", "c"), "choose one"),
        (("two_link", "--object", "gravity", "--all"), "choose one"),
        (("two_link", "--letters", "luh"), "lau"),
        (("two_link", "--latex", "-o", "x.pdf"), "ends in .pdf"),
        (("two_link", "--latex", "-o", "nowhere/x.tex"), "there is no folder"),
        (("two_link", "--code", "matlab", "-o", "x.m"), "--object mass_matrix"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr.replace("\n", " ") and "Traceback" not in result.stderr
