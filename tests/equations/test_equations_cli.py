"""`loadpath equations`, `loadpath verify`, and the figures of the sources under `loadpath count`."""

from __future__ import annotations

import pytest
from click.testing import Result
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80", "NO_COLOR": "1"})


def test_equations_of_two_links() -> None:
    result = run("equations", "two_link")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert "M11 = l1**2*(m1 + m2) + 2*l1*l2*m2*cos(q2) + l2**2*m2" in lines
    assert "G2 = g*l2*m2*sin(q1 + q2)" in lines
    assert lines[-1] == "l1 = 1, l2 = 1, m1 = 1, m2 = 1, g = 9.8"


def test_every_formulation_prints_the_same() -> None:
    texts = {
        tuple(run("equations", "lau_arm", "--formulation", name).output.splitlines()[1:])
        for name in lp.Robot.inverse_dynamics.formulations
    }
    assert len(texts) == 1


def test_latex_and_numbers() -> None:
    latex = run("equations", "two_link", "--latex").output
    assert latex.startswith(r"\begin{aligned}") and r"\sin{\left(q_{1} + q_{2} \right)}" in latex
    numbers = run("equations", "two_link", "--parameters", "numbers").output
    assert "M11 = 2*cos(q2) + 3" in numbers
    six = run("equations", "puma560", "--digits", "3").output
    assert "M66 = " in six and "sign(qd6)" in six  # numbers by themselves, and friction


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("equations", "two_lnk"), "did you mean 'two_link'"),
        (("equations", "--formulation", "kane"), "there are newton-euler"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr.replace("\n", " ") and "Traceback" not in result.stderr


def test_verify_prints_a_table_that_fits() -> None:
    result = run("verify", "random_chain:6:1", "--states", "3")
    assert result.exit_code == 0, result.output
    assert max(len(line) for line in result.output.splitlines()) <= 81
    for name in lp.Robot.inverse_dynamics.formulations:
        assert name in result.output
    assert "every pair agrees to 1e-12" in " ".join(result.output.split())


def test_verify_of_a_wrong_formulation_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    quantity = lp.Robot.inverse_dynamics
    right = quantity.formulations["luh"]
    monkeypatch.setitem(
        quantity.formulations, "luh", right._replace(formulation=lambda *a: 1.001 * right.formulation(*a))
    )
    result = run("verify", "two_link")
    assert result.exit_code == 1 and "NOT every pair" in result.output


def test_count_prints_the_figures_of_the_sources() -> None:
    result = run("count", "planar:6")
    assert result.exit_code == 0, result.output
    numbers = [line.split()[-2:] for line in result.output.splitlines() if "printed," in line]
    assert ["101,348", "77,405"] in numbers and ["792", "662"] in numbers and ["800", "646"] in numbers
    two = run("count", "two_link").output
    quoted = {line.split(" quoted")[0].strip(): line.split()[-2:] for line in two.splitlines() if "quoted," in line}
    assert quoted["Li & Sankar (1992)"] == ["107", "86"] and len(quoted) == 7  # 88 n - 69, 76 n - 66
    assert "printed" not in run("count", "two_link", "--function", "inverse_dynamics").output
