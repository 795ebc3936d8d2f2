"""Letters of the sources: what they are, and that the equations in them are the robot's."""

from __future__ import annotations

from collections.abc import Callable

import lettered
import numpy as np
import pytest
import sympy

import loadpath as lp
from loadpath.equations.letters.names import names_of
from loadpath.equations.letters.schemes import SCHEMES
from loadpath.equations.parameters import constants
from loadpath.equations.typeset import symbol_latex
from real_robots import REAL_ROBOTS, REFUSED


def names(symbols: object) -> list[str]:
    return [str(symbol) for symbol in symbols]


def test_the_arm_of_the_thesis_has_the_letters_of_chapter_3() -> None:
    found = lettered.equations("lau_arm", "lau")
    assert names(found.q) == ["theta1", "theta2", "d2"]
    assert names(found.qd) == ["w1", "w2", "u2"]
    assert names(found.qdd) == ["alpha1", "alpha2", "a2"]
    assert set(names(found.parameters)) >= {"d0", "d1", "M1", "M2", "L", "I1zz", "I2yy", "I2zz", "g"}
    M2, d1, d2, L, g, theta2 = sympy.symbols("M2 d1 d2 L g theta2")
    assert sympy.expand(found.mass_matrix[0, 1] + M2 * d1 * (d2 - L / 2) * sympy.sin(theta2)) == 0
    assert sympy.expand(found.gravity[1] - M2 * g * (d2 - L / 2) * sympy.cos(theta2)) == 0


def test_the_same_arm_in_two_links_has_the_same_letters_and_equations() -> None:
    found = lettered.equations("lau_arm", "lau")
    other = lp.catalog.lau_arm(1.5, 0.8, 0.2, 0.4, 1.1, joints=2).equations(letters="lau")
    assert (other.q, other.qd, other.qdd) == (found.q, found.qd, found.qdd)
    assert dict(other.parameters) == dict(found.parameters)
    assert sympy.expand(other.mass_matrix - found.mass_matrix) == sympy.zeros(3, 3)
    assert sympy.expand(other.gravity - found.gravity) == sympy.zeros(3, 1)


def test_equation_2_97_of_the_thesis_in_its_letters() -> None:
    d0, d1, d2, t1, t2 = sympy.symbols("d0 d1 d2 theta1 theta2")
    c1, s1, c2, s2 = sympy.cos(t1), sympy.sin(t1), sympy.cos(t2), sympy.sin(t2)
    expected = sympy.Matrix([
        [c1 * c2, -s1, c1 * s2, -d1 * s1 - d2 * c1 * c2],
        [s1 * c2, c1, s1 * s2, d1 * c1 - d2 * s1 * c2],
        [-s2, 0, c2, d0 + d2 * s2],
        [0, 0, 0, 1],
    ])
    assert sympy.expand(lettered.equations("lau_arm", "lau").link_poses["rod"] - expected) == sympy.zeros(4, 4)


def test_rods_of_the_course_notes_without_a_map() -> None:
    found = lettered.equations("rods", "course")
    m1, m2, l1, l2, q2 = sympy.symbols("m1 m2 l1 l2 q2")
    off = m2 * l2**2 / 3 + m2 * l1 * l2 * sympy.cos(q2) / 2
    first = m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * sympy.cos(q2))
    expected = sympy.Matrix([[first, off], [off, m2 * l2**2 / 3]])
    assert sympy.expand(found.mass_matrix - expected) == sympy.zeros(2, 2)
    assert found.heading.startswith("lambda = ")


CASES = [
    ("lau_arm", "lau"),
    ("rods", "course"),
    ("stanford3", "angeles"),
    ("tilted", "angeles"),
]
CASES += [
    pytest.param(name, letters, marks=pytest.mark.slow)
    for name in ("lau_arm", "rods", "stanford3", "tilted", "cylindrical")
    for letters in (None, *SCHEMES)
    if (name, letters) not in CASES
]


@pytest.mark.parametrize(("name", "letters"), CASES)
def test_symbols_put_back_are_the_numbers(name: str, letters: str | None) -> None:
    robot, found = lettered.robot(name), lettered.equations(name, letters)
    numbers = lettered.state(found)
    free = found.mass_matrix.free_symbols | found.gravity.free_symbols
    assert free <= set(numbers)
    q, qd, qdd = lettered.arrays(found, numbers)
    ours = {name: lettered.values(found[name], numbers)[""] for name in ("mass_matrix", "velocity_forces", "gravity")}
    expected = robot.mass_matrix(q)
    np.testing.assert_allclose(ours["mass_matrix"], expected, atol=1e-12 * np.abs(expected).max())
    bias = (ours["velocity_forces"] + ours["gravity"])[:, 0]
    expected = robot.inverse_dynamics(q, qd, 0 * qdd) - found.friction.subs(numbers).evalf().__array__(float)[:, 0]
    np.testing.assert_allclose(bias, expected, atol=1e-11 * max(np.abs(expected).max(), 1e-3))


def test_angeles_measures_mass_centers_from_the_joint() -> None:
    arm = lettered.robot("stanford3")
    found = names_of(arm, letters="angeles")
    b2, rho2z, rho2y = sympy.symbols("b2 rho2z rho2y")
    # Link 2 of the Stanford arm: frame 2 lies b2 along the axis of joint 2, which is its -y.
    assert found.expressions["link2.center_of_mass.y"] == rho2y - b2
    assert rho2z not in found.values
    assert found.values[rho2y] == pytest.approx(-0.1054 + 0.154, abs=1e-15)
    assert names(found.q) == ["theta1", "theta2", "b3"]
    assert names(found.qd) == ["thetadot1", "thetadot2", "bdot3"]


def test_angles_that_are_not_special_keep_their_letter() -> None:
    found = lettered.equations("tilted", "angeles")
    text = str(found.names.expressions["link1.center_of_mass.y"])
    assert "rho1y" in text and "sin(alpha1)" in text
    assert "delta" not in " ".join(names(found.parameters))


def with_payload(arm: lp.Robot) -> lp.Robot:
    return arm.with_payload(0.5, (0.1, 0.05, 0.0))


def with_another_rod(arm: lp.Robot) -> lp.Robot:
    rod = lp.Link("rod", lp.Inertia(0.8, (0.5, 0.01, 0.0), np.diag([0.01, 0.08, 0.09])))
    return lp.Robot("mine", (*arm.links[:3], rod), arm.joints, arm.gravity, known_faults=arm.known_faults)


@pytest.mark.parametrize("change", [with_payload, with_another_rod])
def test_a_changed_arm_keeps_the_letters_that_hold(change: Callable[[lp.Robot], lp.Robot]) -> None:
    arm = change(lettered.robot("lau_arm"))
    found = arm.equations(letters="lau")
    assert names(found.q) == ["theta1", "theta2", "d2"]
    symbols = names(found.parameters)
    if change is with_payload:
        assert {"L", "M2", "M4", "p4y"} <= set(symbols) and not found.notes()
    else:
        assert "L" not in symbols and {"p2x", "p2y", "I2xx"} <= set(symbols)
        assert any("'rod.center_of_mass.y' is 0.01, which has no letter there" in note for note in found.notes())
    numbers = lettered.state(found)
    q, _, _ = lettered.arrays(found, numbers)
    np.testing.assert_allclose(lettered.values(found["gravity"], numbers)[""][:, 0], arm.gravity_forces(q), atol=1e-12)


def test_another_arm_with_the_same_joints_gets_the_rule() -> None:
    arm = lettered.robot("lau_arm")
    joints = (*arm.joints[:2], lp.Joint("d2", "carriage", "rod", arm.joints[2].motion, (0.0, 0.0, 0.02)))
    found = lp.Robot("other", arm.links, joints, known_faults=arm.known_faults).equations(letters="lau")
    assert names(found.q) == ["theta1", "theta2", "d3"]
    assert any("'d2.origin.z' is 0.02, which has no letter there" in note for note in found.notes())
    assert "d3" not in names(found.parameters)  # d3 is the coordinate; a length of that name would be d3_0


def test_letters_of_a_user() -> None:
    found = lp.catalog.two_link().equations(letters={"joint1.q": "theta_1", "joint2.q": "phi", "link2.mass": "M"})
    assert names(found.q) == ["theta_1", "phi"] and names(found.qd) == ["thetadot_1", "phidot"]
    assert str(found.gravity[1]) == "M*g*l2*sin(phi + theta_1)"
    assert r"\dot{\theta}_{1}" in found.latex() and r"\ddot{\phi}" in found.latex()
    numbers = lp.catalog.two_link().equations(parameters="numbers", letters={"joint1.q": "a"})
    assert str(numbers.gravity[1]) == "9.8*sin(a + q2)"
    rods = lp.catalog.two_link(distributed=True).equations(letters={"link2.mass": "M", "joint2.origin.x": "L"})
    assert str(rods.mass_matrix[1, 1]) == "M*l2**2/3"
    assert set(names(rods.parameters)) == {"m1", "M", "L", "l2", "g"}
    mixed = lp.catalog.two_link().equations(parameters={"link1.mass": "M"}, letters="angeles")
    assert names(mixed.parameters) == ["M"] and names(mixed.q) == ["theta1", "theta2"]


@pytest.mark.parametrize(
    ("letters", "words"),
    [
        ("luh", "did you mean 'lau'"),
        (3, "expected one of 'course'"),
        ({"joint3.q": "x"}, "did you mean 'joint2.q'"),
        ({"joint1.q": "x", "joint2.q": "x"}, "are both to be x"),
        ({"joint1.q": "x/2"}, "expected the name of a symbol"),
        ({"joint1.q": "a", "link1.mass": "a"}, "robot's motion"),
        ({"link1.mass": "m", "gravity": "m"}, "take another name"),
    ],
)
def test_letters_that_do_not_do(letters: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lp.catalog.two_link().equations(letters=letters)


def assert_sound(robot: lp.Robot, letters: str | None) -> None:
    """Symbols that differ, also on paper, and numbers that are the robot's."""
    found, known = names_of(robot, "symbols", letters), constants(robot)
    motion = {*found.q, *found.qd, *found.qdd}
    assert len(motion) == robot.nq + 2 * robot.n
    for key, expression in found.expressions.items():
        assert expression.free_symbols <= set(found.values) and not expression.free_symbols & motion
        value = found.values[expression] if expression.is_Symbol else float(expression.subs(found.values))
        assert value == pytest.approx(known[key].value, rel=1e-12, abs=1e-15), key
    symbols = (*found.values, *found.q)
    assert len({symbol_latex(str(symbol)) for symbol in symbols}) == len(symbols)


JOINTS = ["helical", "cylindrical", "universal", "planar", "spherical", "free"]
MANY = {
    "all joints": lambda: lp.catalog.random_chain(6, seed=2, joints=JOINTS, general=True, drives=True),
    "tree": lambda: lp.catalog.random_tree(5, seed=2, drives=True),
    "loops": lp.catalog.parallelogram_palletizer,
    "Stanford": lp.catalog.stanford_arm,
}


@pytest.mark.parametrize("name", MANY)
def test_letters_of_all_kinds_of_robots_are_sound(name: str) -> None:
    robot = MANY[name]()
    for letters in (None, *SCHEMES):
        assert_sound(robot, letters)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(REAL_ROBOTS) - set(REFUSED)))
@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_letters_of_real_robots_are_sound(name: str) -> None:
    robot = lp.load(REAL_ROBOTS[name])
    for letters in SCHEMES:
        assert_sound(robot, letters)
