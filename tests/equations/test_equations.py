"""Equations against the compiled functions, with numbers and with symbols; names, errors, printing."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import loadpath as lp

FORMULATIONS = list(lp.Robot.inverse_dynamics.formulations)
ROBOTS = {
    "puma560": lp.catalog.puma560,
    "stanford_arm": lp.catalog.stanford_arm,
    "planar": lambda: lp.catalog.planar(4),
    "spherical": lambda: lp.catalog.random_chain(2, seed=5, joints=["spherical", "revolute"]),
    "free": lambda: lp.catalog.random_chain(1, seed=5, joints="free"),
    "planar joint": lambda: lp.catalog.random_chain(2, seed=5, joints=["planar", "translational"]),
    "general frames": lambda: lp.catalog.random_chain(2, seed=3, general=True, drives=True),
    "tree": lambda: lp.catalog.random_tree(4, seed=2, joints=["revolute", "prismatic"], drives=True),
    "helical": lambda: lp.catalog.random_chain(3, seed=4, joints=["helical", "cylindrical", "universal"]),
}


def states(robot: lp.Robot, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    q = robot.integrate(robot.neutral(), rng.uniform(-1, 1, (count, robot.n)))
    return q, rng.uniform(-1, 1, (count, robot.n)), rng.uniform(-1, 1, (count, robot.n))


def evaluated(found: object, expression: sympy.Matrix, *state: np.ndarray, parameters: bool = False) -> np.ndarray:
    values = found.parameters if parameters else {}
    function = sympy.lambdify([found.q, found.qd, found.qdd, list(values)], expression, cse=not parameters)
    return np.array([function(*row, values.values()) for row in zip(*state, strict=True)], dtype=float)


def assert_same(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-11) -> None:
    assert np.abs(found.reshape(expected.shape) - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("name", ROBOTS)
def test_equations_are_the_compiled_functions(name: str) -> None:
    robot = ROBOTS[name]()
    found = robot.equations()
    q, qd, qdd = states(robot, 3)
    assert_same(evaluated(found, found.torques, q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))
    assert_same(evaluated(found, found.mass_matrix, q, qd, qdd), robot.mass_matrix(q))
    assert_same(evaluated(found, found.gravity, q, qd, qdd), robot.gravity_forces(q))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_formulation_gives_the_same_equations(formulation: str) -> None:
    robot = lp.catalog.random_chain(3, seed=9, joints=["revolute", "prismatic", "revolute"])
    expected = robot.equations()
    found = robot.equations(formulation)
    q, qd, qdd = states(robot, 3)
    assert_same(evaluated(found, found.torques, q, qd, qdd), evaluated(expected, expected.torques, q, qd, qdd))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_symbolic_equations_are_equal_term_by_term(formulation: str) -> None:
    upright = lp.DHRow(alpha=np.pi / 2, d=0.3, mass=2, center_of_mass=(0, 0.1, 0.02), inertia=(0.1, 0.2, 0.3))
    robot = lp.from_dh([upright, lp.DHRow(a=0.4, mass=1, center_of_mass=(-0.2, 0, 0), inertia=(0.01, 0.02, 0.03))])
    assert (
        str(robot.equations(formulation, "symbols")).splitlines()[1:]
        == (str(robot.equations(parameters="symbols")).splitlines()[1:])
    )


@pytest.mark.slow
def test_symbolic_three_joints_with_angles_that_are_not_special() -> None:
    robot = lp.catalog.random_dh_arm(3, seed=1)
    found = robot.equations(parameters="symbols")
    q, qd, qdd = states(robot, 2)
    assert {"alpha1", "a1", "d1", "m1", "c1x", "I1xy", "g"} <= {str(symbol) for symbol in found.parameters}
    assert_same(evaluated(found, found.mass_matrix, q, qd, qdd, parameters=True), robot.mass_matrix(q))
    assert_same(evaluated(found, found.gravity, q, qd, qdd, parameters=True), robot.gravity_forces(q))


def test_coriolis_arrangements_are_the_same_forces() -> None:
    found = lp.catalog.puma560().locked(dict.fromkeys(("joint4", "joint5", "joint6"), 0.0)).equations()
    qd = sympy.Matrix(found.qd)
    squares = sympy.Matrix([speed**2 for speed in found.qd])
    products = sympy.Matrix([found.qd[j] * found.qd[k] for j, k in found.speed_pairs])
    state = dict(zip((*found.q, *found.qd), (0.3, -0.4, 0.5, 1.0, -2.0, 3.0), strict=True))
    one = (found.centrifugal * squares + found.coriolis * products).subs(state)
    assert np.allclose(np.array(one, float), np.array((found.coriolis_matrix * qd).subs(state), float), rtol=1e-12)
    assert np.allclose(np.array(one, float), np.array(found.velocity_forces.subs(state), float), rtol=1e-12)


def test_mass_matrix_rate_less_twice_coriolis_is_skew() -> None:
    found = lp.catalog.lau_arm().equations(parameters="symbols")
    rate = sum((found.mass_matrix.diff(x) * v for x, v in zip(found.q, found.qd, strict=True)), sympy.zeros(3, 3))
    skew = rate - 2 * found.coriolis_matrix
    assert all(sympy.expand(sympy.expand_trig(entry)) == 0 for entry in skew + skew.T)


def test_right_angles_and_thirty_degrees_are_exact() -> None:
    joint = lp.Joint("j", "base", "link", lp.Revolute((1, 0, 0)), lp.Pose.from_xyz_rpy((0, 0, 0), (0, np.pi / 6, 0)))
    robot = lp.Robot("tilted", (lp.Link("base"), lp.Link("link", lp.Inertia(1.0, (0, 0, 1.0)))), (joint,))
    found = robot.equations(parameters={"gravity": "g"}).gravity[0]
    assert found == -sympy.sqrt(3) * sympy.Symbol("g") * sympy.sin(sympy.Symbol("q1")) / 2


def test_sums_of_parallel_angles() -> None:
    found = lp.catalog.planar(3).equations(parameters="symbols")
    functions = found.gravity.atoms(sympy.cos, sympy.sin)
    assert functions == {sympy.cos(sum(found.q[:k], sympy.Integer(0))) for k in (1, 2, 3)}


def test_friction_and_rotors_are_there() -> None:
    found = lp.catalog.puma560().equations(parameters={"joint1.viscous_friction": "b", "joint1.reflected_inertia": "J"})
    assert found.friction[0].coeff(sympy.Symbol("b")) == found.qd[0]
    assert found.friction[0].has(sympy.sign(found.qd[0]))
    assert found.mass_matrix[0, 0].coeff(sympy.Symbol("J")) == 1


def test_names_of_constants() -> None:
    symbols = {str(s) for s in lp.catalog.two_link().equations(parameters="symbols").parameters}
    assert symbols == {"m1", "m2", "l1", "l2", "g"}


@pytest.mark.parametrize(
    ("formulation", "parameters", "words"),
    [
        ("newton", "numbers", "newton-euler"),
        ("newton-euler", "letters", "'symbols'"),
        ("newton-euler", {"link1.mas": "m"}, "did you mean 'link1.mass'"),
        ("newton-euler", {"link1.mass": "q1"}, "take another name"),
        ("newton-euler", {"link1.mass": "1/m"}, "polynomial"),
        ("newton-euler", {"link1.mass": 3}, "expected a name"),
    ],
)
def test_mistakes_are_told(formulation: str, parameters: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lp.catalog.two_link().equations(formulation, parameters)


def test_a_robot_that_cannot_move_has_no_equations() -> None:
    with pytest.raises(ValueError, match="no moving joints"):
        lp.catalog.two_link().locked({"joint1": 0.0, "joint2": 0.0}).equations()


def test_latex_and_text() -> None:
    found = lp.catalog.two_link().equations(parameters="symbols")
    latex = found.latex()
    assert r"\ddot{q}_{1}" in latex and r"\cos{\left(q_{2} \right)}" in latex and latex.startswith(r"\begin{aligned}")
    assert "M12 = l1*l2*m2*cos(q2) + l2**2*m2" in str(found)
    assert "0.564025" in str(lp.catalog.planar(2, mass=0.56402533).equations())  # six digits are shown, all are there
