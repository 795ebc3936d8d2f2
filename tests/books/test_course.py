"""The Lagrangian of the course notes: energies, Lagrange's equation in time, both arrangements against Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest
from book_checks import ask, close, states, times, transposed

import loadpath as lp
from formulation_checks import ROBOTS
from loadpath.formulations.lagrangian import commutators
from loadpath.robot.mechanism import plain
from references.lau_robots import with_mimics
from references.to_pinocchio import to_pinocchio

SMALL = {
    "lau_arm": lp.catalog.lau_arm(),
    "chain": lp.catalog.random_chain(3, 1, ["revolute", "prismatic", "universal"], general=True, drives=True),
    "tree with mimics": with_mimics(lp.catalog.random_tree(5, 2, ["revolute", "prismatic", "helical"], drives=True)),
    "tree with quaternions": lp.catalog.random_tree(3, 7, ["spherical", "revolute", "planar"], drives=True),
    "floating": lp.catalog.random_chain(2, 6, general=True).floating(),
    "one joint": lp.catalog.planar(1),
    "welds": lp.catalog.random_tree(2, 7, "fixed", general=True),
}
SLOW = {f"{name}, slow": robot for name, robot in ROBOTS.items() if robot.n < 13}
ALL = SMALL | SLOW
EVERY = pytest.mark.parametrize("name", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])


@EVERY
def test_energies(name: str) -> None:
    robot, (q, qd, _) = ALL[name], states(ALL[name])
    book = robot.books.course
    K, P, L = ask(book, "K", q, qd), ask(book, "P", q), ask(book, "L", q, qd)
    close(K, robot.kinetic_energy.uncompiled(q, qd))
    close(P, robot.potential_energy.uncompiled(q))
    close(L, K - P, 1e-12, float(np.abs([K, P]).max()))
    close(0.5 * np.einsum("si,si->s", ask(book, "dL_dqd", q, qd), qd), K)


@EVERY
def test_derivatives_of_the_lagrangian(name: str) -> None:
    """By differences along the motion of one speed, and by one speed."""
    robot, (q, qd, _) = ALL[name], states(ALL[name])
    book, h = robot.books.course, 1e-5
    by_q, by_qd = np.zeros(qd.shape), np.zeros(qd.shape)
    for k in range(robot.n):
        step = h * np.eye(robot.n)[k]
        ahead, back = (robot.integrate.uncompiled(q, np.broadcast_to(sign * step, qd.shape)) for sign in (1, -1))
        by_q[:, k] = (ask(book, "L", ahead, qd) - ask(book, "L", back, qd)) / (2 * h)
        by_qd[:, k] = (ask(book, "L", q, qd + step) - ask(book, "L", q, qd - step)) / (2 * h)
    size = float(np.abs(ask(book, "L", q, qd)).max()) or 1.0
    close(ask(book, "dL_dq", q, qd), by_q, 1e-8, size)
    close(ask(book, "dL_dqd", q, qd), by_qd, 1e-8, size)


@EVERY
def test_equation_4_gives_the_torques(name: str) -> None:
    """d/dt dL/dqd - dL/dq, the rate by differences over a motion with constant qdd; with Hamel's term where speeds
    are no rates of coordinates. Friction of the drives is not in it.
    """
    robot, (q, qd, qdd) = ALL[name].without_friction(), states(ALL[name])
    book, h = robot.books.course, 1e-4
    moved = [(robot.integrate.uncompiled(q, sign * h * qd + h * h / 2 * qdd), qd + sign * h * qdd) for sign in (1, -1)]
    ahead, back = (ask(book, "dL_dqd", *state) for state in moved)
    momenta = times(ask(robot.books.lau, "D_ik", q), qd)  # of the links: rotors have no gyroscopic effect here
    hamel = np.zeros(qd.shape)
    for (i, j, k), c in commutators(plain(robot)).items():
        hamel[:, i] += c * qd[:, j] * momenta[:, k]
    tau = (ahead - back) / (2 * h) - ask(book, "dL_dq", q, qd) + hamel
    expected = robot.inverse_dynamics.uncompiled(q, qd, qdd)
    close(tau, expected, 1e-6, float(np.abs(momenta).max(initial=0.0)))
    if name in ("tree with quaternions", "floating"):
        assert np.abs(hamel).max() > 1e-3 * np.abs(expected).max()  # so the term is needed


@EVERY
def test_both_arrangements_give_the_torques(name: str) -> None:
    robot, (q, qd, qdd) = ALL[name].without_friction(), states(ALL[name])
    book, peer = robot.books.course, to_pinocchio(robot)
    M, B, C = ask(book, "three_terms", q)
    n = robot.n
    assert C.shape == (3, n, n * (n - 1))
    products = [qd[:, robot.dof_names.index(j)] * qd[:, robot.dof_names.index(k)] for j, k in book.speed_pairs()]
    of_products = times(C, np.stack(products, axis=-1)) if products else 0.0
    G = ask(book, "G", q)
    three = times(M, qdd) + times(B, qd**2) + of_products + G
    inertia, coriolis = ask(book, "two_terms", q, qd)
    two = times(inertia, qdd) + times(coriolis, qd) + G
    expected = [peer.inverse_dynamics(*one) for one in zip(q, qd, qdd, strict=True)]
    close(three, expected, 1e-11)
    close(two, expected, 1e-11)
    close(M, robot.mass_matrix.uncompiled(q))
    close(G, robot.gravity_forces.uncompiled(q), 1e-12, float(np.abs(np.array(expected)).max(initial=0.0)))


@pytest.mark.parametrize("name", ["chain", "tree with quaternions"])
def test_the_rate_of_the_mass_matrix_less_twice_c_is_skew(name: str) -> None:
    robot, (q, qd, _) = ALL[name], states(ALL[name])
    book, h = robot.books.course, 1e-5
    ahead, back = (ask(book, "two_terms", robot.integrate.uncompiled(q, sign * h * qd), qd).M for sign in (1, -1))
    C = ask(book, "two_terms", q, qd).C
    close(C + transposed(C), (ahead - back) / (2 * h), 1e-7)


def test_the_two_poses_of_the_notes() -> None:
    """(22), (23), (27) in numbers: m = 1 kg, l = 1 m, q = (pi/2, 0) and (pi/2, pi/2)."""
    book = lp.catalog.two_link().books.course
    M, B, C = book.three_terms([[np.pi / 2, 0], [np.pi / 2, np.pi / 2]])
    close(M, [[[5, 2], [2, 1]], [[3, 1], [1, 1]]])
    close(B[1], [[0, -1], [1, 0]])
    close(C[1], [[-1, -1], [0, 0]])
    assert book.speed_pairs() == (("joint1", "joint2"), ("joint2", "joint1"))
    close(book.G([np.pi / 2, 0]), [29.4, 9.8])
    close(book.dL_dq([np.pi / 2, 0], [0, 0]), [-29.4, -9.8])  # (16)
    close(book.two_terms([np.pi / 2, np.pi / 2], [0, 2]).C @ [0, 2], [-4, 0])  # 15.6 = 19.6 - 4


def test_many_states_and_nan() -> None:
    robot = lp.catalog.two_link()
    q = np.random.default_rng(0).uniform(-1, 1, (100_000, 2))
    q[5] = np.nan
    for letter in ("K", "dL_dq", "two_terms"):
        found = getattr(robot.books.course, letter)(q, np.ones(2))
        for part in found if isinstance(found, tuple) else (found,):
            assert np.flatnonzero(np.isnan(part.reshape(len(q), -1)).any(axis=1)).tolist() == [5]


def test_loops_are_refused() -> None:
    with pytest.raises(lp.ModelError, match=r"has loops.*books\.course"):
        _ = lp.catalog.four_bar().books.course
