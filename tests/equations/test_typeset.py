"""Equations on paper: names, widths, broken lines that still say the same, and documents that LaTeX takes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import lettered
import numpy as np
import pytest
import sympy
from latex_reader import left_and_right, value_of

import loadpath as lp
from loadpath.equations.symbolic import gathered
from loadpath.equations.typeset import PAGE, Section, Typesetter, document, label_latex, sentence, symbol_latex, width

pdflatex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("c3x", "c_{3x}"),
        ("I1yy", "I_{1,yy}"),
        ("alpha1", r"\alpha_{1}"),
        ("theta_1", r"\theta_{1}"),
        ("l1", "l_{1}"),
        ("l1x_2", "l_{1x,2}"),
        ("Ixx", "I_{xx}"),
        ("b3_0", "b_{3,0}"),
        ("M", "M"),
        ("mass", r"\mathrm{mass}"),
        ("m_rod", r"m_{\mathrm{rod}}"),
        ("J1_wx", r"J_{1,\mathrm{wx}}"),
        ("l0_end_pin", r"l_{0,\mathrm{end\_pin}}"),
        (r"\hat{m}_{2}", r"\hat{m}_{2}"),
        ("50%", r"\mathrm{50\%}"),
        ("m_{", r"\mathrm{m\_\{}"),
    ],
)
def test_names_in_latex(name: str, latex: str) -> None:
    assert symbol_latex(name) == latex


def test_names_of_links_in_latex() -> None:
    assert label_latex("arm_link & co") == r"\mathrm{arm\_link \& co}"


LARGER = pytest.param("stanford3", "angeles", marks=pytest.mark.slow)
SMALL = [("lau_arm", "lau"), ("two_link", "course"), LARGER]


@pytest.mark.parametrize(("name", "letters"), SMALL)
def test_what_is_printed_is_what_was_derived(name: str, letters: str) -> None:
    """Every printed line is read again, put together with those that continue it, and evaluated."""
    found = lettered.equations(name, letters)
    state = lettered.state(found)
    numbers = {found._latex_names[symbol]: value for symbol, value in state.items()}
    for each in found.objects:
        made, expected, latex = found[each], lettered.values(found[each], state), found.latex(each, digits=15)
        flat = np.concatenate([np.ravel(value_of(text, numbers)) for _, text in left_and_right(latex)])
        shown = [printed_entries(piece.value, expected[piece.name], found._typesetter, latex) for piece in made.pieces]
        np.testing.assert_allclose(flat, np.concatenate(shown), rtol=1e-9, atol=1e-12, err_msg=each)


def printed_entries(value: sympy.Expr, numbers: np.ndarray, setter: Typesetter, latex: str) -> np.ndarray:
    """All entries of a matrix that is printed as one; of others those that are not zero, one half if symmetric."""
    if numbers.ndim == 0 or f" &= {setter.text(value)}" in latex:
        return np.ravel(numbers)
    if not np.any(numbers):
        return np.zeros(1)
    symmetric = value.rows == value.cols > 1 and value == value.T
    return np.array([numbers[i, j] for i in range(value.rows) for j in range(value.cols)
                     if value[i, j] != 0 and (i <= j or not symmetric)])


def test_long_sums_are_broken_at_their_signs() -> None:
    x = sympy.symbols("x1:40")
    long = sum((x[k] * x[k + 1] * sympy.cos(x[k + 2]) for k in range(36)), sympy.Integer(0))
    nested = x[0] * (long + x[1] * (long - x[3] ** 2) ** 2) / (x[5] * x[6]) - x[2] * sympy.prod(x[:38])
    nested += (x[7] - x[8]) * (long + x[9]) - (long + x[10]) * (long - x[11]) / 3
    setter = Typesetter({symbol: symbol_latex(str(symbol)) for symbol in x})
    lines = setter.block([("y", nested, None)])
    assert len(lines) > 6
    assert max(width(line.replace("&", "")) for line in lines) <= PAGE
    numbers = {symbol: 0.5 + 0.01 * k for k, symbol in enumerate(x)}
    ((_, right),) = left_and_right("\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}")
    names = {symbol_latex(str(symbol)): value for symbol, value in numbers.items()}
    assert value_of(right, names) == pytest.approx(float(nested.subs(numbers)), rel=1e-12)


@pytest.mark.parametrize(("name", "letters"), [*SMALL, ("four_bar", None)])
def test_documents_are_sound(name: str, letters: str | None) -> None:
    text = lettered.equations(name, letters).document()
    for left, right in (("{", "}"), (r"\left", r"\right"), (r"\bigl(", r"\bigr)")):
        bare = re.sub(r"\\[{}]", "", text)
        assert bare.count(left) == bare.count(right), left
    assert sorted(re.findall(r"\\begin\{(\w+\*?)\}", text)) == sorted(re.findall(r"\\end\{(\w+\*?)\}", text))
    prose = re.sub(r"\\begin\{align\*\}.*?\\end\{align\*\}|\$[^$]*\$", "", text, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)[_&#%^](?![^\n]*\\\\)", prose.split(r"\maketitle")[1])
    for block in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end\{align\*\}", text, flags=re.DOTALL):
        heads = [width(line.partition("&")[0]) for line in block.split(" \\\\\n")]
        bodies = [width(line.partition("&")[2]) for line in block.split(" \\\\\n")]
        assert max(heads) + max(bodies) <= PAGE + 1.0


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("Jacobian of the constraints: J qd = 0.", r"Jacobian of the constraints: $J \dot{q} = 0$."),
        ("M(q) qdd = tau + J' lambda; phi(q) = 0", r"$M(q) \ddot{q} = \tau + J^{T} \lambda$; $\phi(q) = 0$"),
        ("A frame of a link, 50% of T", r"A frame of a link, 50\% of T"),
        ("by lambda_1 (q) and h", r"by lambda\_1 (q) and h"),
    ],
)
def test_formulas_in_sentences_are_formulas(text: str, latex: str) -> None:
    assert sentence(text) == latex


def test_headings_are_words() -> None:
    text = lettered.equations("lau_arm", "lau").document()
    headings = re.findall(r"\\section\*\{(.*)\}", text)
    assert {"Natural orthogonal complement", "Constraint matrix", "Generalized momenta"} <= set(headings)
    assert all(len(heading) > 5 for heading in headings)
    assert r"Derived by newton-euler: $\tau = M(q) \ddot{q} + h(q, \dot{q}) + G(q)$." in text


def test_a_symbol_that_is_no_constant_itself_says_what_it_makes() -> None:
    """The rod's mass center is at half of its length L, and the number is that of L."""
    text = lettered.equations("lau_arm", "lau").document().replace(r"\allowbreak{}", "")
    assert r"$L$ & rod.center\_of\_mass.x $= \frac{L}{2}$ & $1.1$ \\" in text


def awkward() -> lp.Robot:
    """Names that LaTeX would trip over."""
    inertia = lp.Inertia(1.3, (0.2, 0.1, 0.0), np.diag([0.1, 0.2, 0.25]))
    links = (lp.Link("base"), lp.Link("50%_of & b", inertia), lp.Link("a^b~c{d}\\e$", inertia))
    joints = (lp.Joint("shoulder_#1_with_a_rather_long_name", "base", "50%_of & b", lp.Revolute((0, 0, 1))),
              lp.Joint("肘\u202e_ä", "50%_of & b", "a^b~c{d}\\e$", lp.Prismatic((1, 0, 0)), (0.3, 0.1, 0)))
    return lp.Robot("my_arm 100% {new}", links, joints)


@pdflatex
@pytest.mark.parametrize("name", ["lau_arm", "awkward", pytest.param("four_bar", marks=pytest.mark.slow)])
def test_documents_compile(name: str, tmp_path: Path) -> None:
    found = awkward().equations(parameters="symbols") if name == "awkward" else lettered.equations(name, "lau")
    (tmp_path / "equations.tex").write_text(found.document(), encoding="utf-8")
    run = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "equations.tex"], cwd=tmp_path,
                         capture_output=True, check=False, timeout=120)
    log = (tmp_path / "equations.log").read_text(encoding="latin-1")
    assert run.returncode == 0, log[-3000:]
    wide = [float(size) for size in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)]
    assert not wide or max(wide) < 2.0


def test_notebooks_show_the_formula() -> None:
    found = lettered.equations("two_link", "course")
    assert found._repr_latex_().startswith("$\\displaystyle \\begin{aligned}")
    assert found["mass_matrix"]._repr_latex_() == f"$\\displaystyle {found.latex('mass_matrix')}$"
    assert lp.catalog.generalized(2).equations()._repr_latex_() is None


def test_large_robots_are_written_entry_by_entry() -> None:
    latex = lp.catalog.puma560().locked(dict.fromkeys(("joint4", "joint5", "joint6"), 0.0)).equations().latex()
    assert latex.startswith("\\begin{aligned}\n\\tau &= M \\ddot{q} + h + G + F") and "M_{11} &=" in latex
    lines = latex.split(" \\\\\n")
    assert max(width(line.replace("&", "")) for line in lines) <= PAGE


def test_unknown_objects_are_named() -> None:
    with pytest.raises(ValueError, match="mass_matrix"):
        lettered.equations("two_link", "course").latex("mass_matrx")


def test_expressions_in_the_table_of_symbols_are_formulas() -> None:
    """A length that the robot has no joint at: it is known from the middle and from the moments of a rod."""
    rod = lp.Link("rod", lp.Inertia(2.0, (0.4, 0, 0), np.diag([0, 1, 1]) * 2.0 * 0.8**2 / 12))
    arm = lp.Robot("rod", (lp.Link("base"), rod), (lp.Joint("hinge", "base", "rod", lp.Revolute((0, 0, 1))),))
    text = arm.equations(parameters="symbols").document(["mass_matrix"])
    rows = text.partition(r"\begin{longtable}")[2].partition(r"\end{longtable}")[0].splitlines()
    length = next(row for row in rows if row.startswith("$l_{1}$"))
    assert (
        r"$= \frac{l_{1}}{2}$" in length
        and r"$= \frac{l_{1}^{2} m_{1}}{12}$" in length
        and length.endswith(r"$0.8$ \\")
    )
    for row in rows:
        outside = re.sub(r"\$[^$]*\$", "", row)
        assert "^" not in outside.replace(r"\textasciicircum", "^") and "*" not in outside, row


def test_long_displays_are_split_between_equations() -> None:
    """One display up to forty lines; a longer one ends before an equation, not before a line that continues one."""
    lines = [f"x_{{{k}}} &= {k}" if k not in (40, 41) else "&\\quad + 1" for k in range(100)]
    text = document(
        "Title", "Introduction.", [], [Section("long", "Many.", lines), Section("short", "Few.", lines[:3])], []
    )
    displays = [
        part.partition(r"\end{align*}")[0].strip().split(" \\\\\n") for part in text.split(r"\begin{align*}")[1:]
    ]
    assert [len(display) for display in displays] == [42, 40, 18, 3]
    assert all(not display[0].startswith("&") for display in displays)


def test_decimal_coefficients_are_gathered_by_small_whole_ratios() -> None:
    a, u, v = sympy.symbols("a u v")
    speeds = {1: u**2, 2: u * v}.__getitem__
    twice, thrice = (gathered({1: sympy.Float(0.25) * a, 2: sympy.Float(0.25 * k) * a}, speeds) for k in (2, 3))
    assert twice == 0.25 * a * u * (u + 2 * v)
    assert isinstance(thrice, sympy.Mul) and sympy.expand(thrice) == 0.25 * a * u**2 + 0.75 * a * u * v
    assert not thrice.has(u + 3 * v)
