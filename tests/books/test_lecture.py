"""The objects of the trace form: against poses stepped to both sides, Pinocchio, and Christoffel symbols."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
from book_checks import ask, close, states, times

import loadpath as lp
from formulation_checks import ROBOTS, with_mimic
from references.to_pinocchio import to_pinocchio

SMALL = {
    "chain of R and P": lp.catalog.random_chain(3, 4, ["revolute", "prismatic"], general=True, drives=True),
    "tree": lp.catalog.random_tree(4, 7, ["universal", "spherical", "planar"], general=True, drives=True),
    "mimic": with_mimic(lp.catalog.random_tree(4, 8, ["revolute", "prismatic"], general=True, drives=True)),
    "welds": lp.catalog.random_tree(2, 7, "fixed", general=True),
}
SLOW = {name: robot for name, robot in ROBOTS.items() if robot.n < 13}
ALL = SMALL | SLOW
EVERY = pytest.mark.parametrize("name", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])


@EVERY
def test_matrices_are_poses_and_their_slopes(name: str) -> None:
    robot, (q, qd, _) = ALL[name], states(ALL[name], 2)
    book = robot.books.lecture
    A, U, U_jk = (ask(book, letter, q) for letter in ("A", "U", "U_jk"))
    links = [robot.link_names.index(joint.child) for joint in robot.joints]
    close(A, robot.link_poses.uncompiled(q)[:, links])
    h = 1e-6
    unit = np.eye(robot.n)[:, None] * np.ones((robot.n, len(q), robot.n))
    after, before = (robot.integrate.uncompiled(np.broadcast_to(q, (robot.n, *q.shape)), sign * h * unit)
                     for sign in (1, -1))
    slopes = (ask(book, "A", after) - ask(book, "A", before)) / (2 * h)
    close(U, np.moveaxis(slopes, 0, 2), 1e-8, 1.0)
    # Of speeds that are not rates of coordinates, along a motion: d/dt U_ij = sum of U_ijk qdot_k
    ahead, back = (ask(book, "U", robot.integrate.uncompiled(q, sign * h * qd)) for sign in (1, -1))
    close(np.einsum("sijkab,sk->sijab", U_jk, qd), (ahead - back) / (2 * h), 1e-7, 1.0)


@EVERY
def test_equations_of_motion(name: str) -> None:
    robot, (q, qd, qdd) = ALL[name], states(ALL[name], 2)
    book, peer = robot.books.lecture, to_pinocchio(robot)
    D, h, c = ask(book, "D", q), ask(book, "h", q, qd), ask(book, "c", q)
    close(D, [peer.mass_matrix(one, rotors=False) for one in q], 1e-11)
    close(c, [peer.gravity_forces(one) for one in q], 1e-11)
    tau = [peer.inverse_dynamics(*one, drives=False) for one in zip(q, qd, qdd, strict=True)]
    close(times(D, qdd) + h + c, tau, 1e-11)
    h_ikm = ask(book, "h_ikm", q)
    close(np.einsum("sikm,sk,sm->si", h_ikm, qd, qd), h, 1e-12)


@pytest.mark.parametrize("name", ["chain of R and P", "mimic"])
def test_coefficients_are_christoffel_symbols(name: str) -> None:
    """Of the first kind, from the mass matrix by automatic differentiation (CasADi)."""
    robot, (q, *_) = ALL[name].without_rotors(), states(ALL[name], 3)
    n = robot.n
    x = casadi.SX.sym("q", n)
    M = robot.casadi_function("mass_matrix")(x)
    slope = casadi.Function("slope", [x], [casadi.jacobian(casadi.vec(M), x)])
    for one, found in zip(q, ask(robot.books.lecture, "h_ikm", q), strict=True):
        d = np.array(slope(one)).reshape(n, n, n, order="F")  # d[i, j, k] = dM_ij/dq_k
        expected = np.array([[[0.5 * (d[i, k, m] + d[i, m, k] - d[k, m, i]) for m in range(n)] for k in range(n)]
                             for i in range(n)])
        close(found, expected, 1e-11)
        close(found, found.transpose(0, 2, 1), 1e-12)


def test_pseudo_inertia_is_the_integral_over_the_link() -> None:
    """Of two point masses on a link, by hand."""
    points, masses = np.array([[0.1, 0.2, 0.3, 1.0], [-0.3, 0.5, 0.1, 1.0]]), np.array([2.0, 3.0])
    wanted = np.einsum("k,ki,kj->ij", masses, points, points)
    c = wanted[3, :3] / 5.0
    S = wanted[:3, :3]
    at_origin = np.trace(S) * np.eye(3) - S
    central = at_origin - 5.0 * (c @ c * np.eye(3) - np.outer(c, c))
    link = lp.Link("link", lp.Inertia(5.0, c, central))
    robot = lp.Robot("arm", (lp.Link("base"), link), (lp.Joint("joint", "base", "link", lp.Revolute()),))
    close(robot.books.lecture.J()[0], wanted, 1e-12)


def test_joint_matrices_of_a_dh_table_are_the_two_of_the_notes() -> None:
    robot = lp.catalog.stanford_arm()
    found = ask(robot.books.lecture, "Q", np.linspace(0.1, 0.6, 6))
    turn, slide = np.zeros((2, 4, 4))
    turn[0, 1], turn[1, 0], slide[2, 3] = -1.0, 1.0, 1.0
    close(found, [slide if k == 2 else turn for k in range(6)], 1e-12)


def test_large_robots_run_uncompiled_and_say_so() -> None:
    robot = lp.catalog.planar(9)
    q = np.full(9, 0.1)
    with pytest.warns(lp.UncompiledWarning, match="D runs uncompiled: robot 'planar9' has 9 degrees of freedom"):
        close(robot.books.lecture.D(q), robot.without_rotors().mass_matrix.uncompiled(q), 1e-11)
