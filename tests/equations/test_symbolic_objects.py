"""Poses, velocities, Jacobians, energies and the orthogonal complement in symbols: against what the robot computes."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import loadpath as lp
from equations.evaluated import ROBOTS, at, equations_of, robot_of, same, state_of

SIX = ("stanford_arm", "puma560")
HEAVY = ("quaternion", "floating", "several freedoms", *SIX)
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in HEAVY else name for name in ROBOTS]


@pytest.mark.parametrize("name", NAMES)
def test_poses(name: str) -> None:
    robot, found = robot_of(name), equations_of(name)
    state = state_of(robot)
    expected = robot.link_poses.uncompiled(state[0])
    for link, pose in zip(robot.link_names, expected, strict=True):
        same(at(found, found.link_poses[link], state), pose)
    last, first = robot.link_names[-1], robot.link_names[1]
    relative = np.linalg.inv(expected[1]) @ expected[-1]
    same(at(found, found.pose(last, of=first), state), relative)
    same(at(found, found.pose(first, of=last), state), np.linalg.inv(relative))


def test_the_kinematic_model_of_the_thesis() -> None:
    """(2-93) to (2-98): the pose of every frame in every other."""
    q1, q2, d2, d0, d1 = sympy.symbols("q1 q2 q3 d0 d1")
    c1, s1, c2, s2 = sympy.cos(q1), sympy.sin(q1), sympy.cos(q2), sympy.sin(q2)
    found = lp.catalog.lau_arm().equations(parameters={"theta1.origin.z": "d0", "theta2.origin.y": "d1"})
    T01 = sympy.Matrix([[c1, -s1, 0, 0], [s1, c1, 0, 0], [0, 0, 1, d0], [0, 0, 0, 1]])
    T12 = sympy.Matrix([[c2, 0, s2, 0], [0, 1, 0, d1], [-s2, 0, c2, 0], [0, 0, 0, 1]])
    T23 = sympy.Matrix([[1, 0, 0, -d2], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert found.pose("turntable") == T01
    assert found.pose("carriage", of="turntable") == T12
    assert found.pose("rod", of="carriage") == T23
    assert found.pose("carriage") == T01 * T12
    assert found.link_poses["rod"] == sympy.expand(T01 * T12 * T23)
    assert found.pose("rod", of="turntable") == T12 * T23


@pytest.mark.parametrize("name", NAMES)
def test_velocities_and_jacobians(name: str) -> None:
    robot, found = robot_of(name), equations_of(name)
    state = state_of(robot)
    expected = robot.link_velocities.uncompiled(state[0], state[1])
    same(at(found, found.velocities.linear, state), expected.linear)
    same(at(found, found.velocities.angular, state), expected.angular)
    last = robot.link_names[-1]
    same(at(found, found.jacobians[last], state), robot.jacobian.uncompiled(state[0], last))


def test_the_jacobian_at_a_point_is_that_of_a_link_there() -> None:
    robot, found = robot_of("lau_arm"), equations_of("lau_arm")
    state, p = state_of(robot), np.array([0.3, -0.2, 0.5])
    expected = robot.jacobian.uncompiled(state[0], "rod")
    arm = robot.link_poses.uncompiled(state[0])[-1, :3, :3] @ p
    expected[:3] += np.cross(expected[3:].T, arm).T
    same(at(found, found.jacobian("rod", point=p), state), expected)
    named = found.jacobian("rod", point=("x", "y/2", 0.5)).subs({"x": 0.3, "y": -0.4})
    same(at(found, named, state), expected)
    for point, words in (((1, 2), "three coordinates"), (("q1", 0, 0), "motion"), ("xyz", "three coordinates")):
        with pytest.raises(ValueError, match=words):
            found.jacobian("rod", point=point)


@pytest.mark.parametrize("name", NAMES)
def test_energies_and_momenta(name: str) -> None:
    robot, found = robot_of(name), equations_of(name)
    state = q, qd, _ = state_of(robot)
    kinetic, potential = robot.kinetic_energy.uncompiled(q, qd), robot.potential_energy.uncompiled(q)
    same(at(found, [found.kinetic_energy, found.potential_energy], state), [kinetic, potential])
    same(at(found, [found.lagrangian], state), [kinetic - potential])
    parts = sum(found.kinetic_energies.values()) + found.rotor_energy
    same(at(found, [parts, sum(found.potential_energies.values())], state), [kinetic, potential])
    same(at(found, found.momenta, state), robot.mass_matrix.uncompiled(q) @ qd)


@pytest.mark.parametrize("name", NAMES)
def test_the_orthogonal_complement(name: str) -> None:
    robot, found = robot_of(name), equations_of(name)
    state = q, qd, _ = state_of(robot)
    book = robot.books.angeles
    same(at(found, found.T, state), book.T.uncompiled(q))
    same(at(found, found.T_dot, state), book.T_dot.uncompiled(q, qd))
    same(at(found, found.K, state), book.K.uncompiled(q))


@pytest.mark.parametrize("name", [*(pytest.param(name, marks=pytest.mark.slow) for name in SIX),
                                  "two_link", "lau_arm", "tree"])
def test_multipliers(name: str) -> None:
    robot, found = robot_of(name), equations_of(name)
    state, book = state_of(robot), robot.books.angeles
    w = book.w_C.uncompiled(*state)
    same(at(found, found.constraint_wrenches, state), w)
    multipliers = at(found, found.multipliers, state)
    same(multipliers, book.multipliers.uncompiled(*state))
    same(book.K.uncompiled(state[0]).T @ multipliers, w)


# Lagrange


def test_lagrange_equations_of_two_links() -> None:
    """d/dt dL/dqd - dL/dq are the torques, by symbols alone."""
    found = lp.catalog.two_link().equations(parameters="symbols")
    rates = dict(zip((*found.q, *found.qd), (*found.qd, *found.qdd), strict=True))
    for k, torque in enumerate(found.torques):
        rate = sum(sympy.diff(found.dL_dqd[k], symbol) * rate for symbol, rate in rates.items())
        slope = sympy.diff(found.lagrangian, found.q[k])
        assert sympy.expand(sympy.expand_trig(slope - found.dL_dq[k])) == 0
        assert sympy.expand(sympy.expand_trig(rate - found.dL_dq[k] - torque)) == 0


@pytest.mark.parametrize("name", ["lau_arm", "standard DH", pytest.param("puma560", marks=pytest.mark.slow)])
def test_christoffel_symbols_are_derivatives_of_the_mass_matrix(name: str) -> None:
    found = equations_of(name)
    M, c, q, n = found.mass_matrix, found.christoffel, found.q, len(found.q)
    slopes = [M.diff(x) for x in q]
    expected = [(slopes[k][i, j] + slopes[j][i, k] - slopes[i][j, k]) / 2
                for i in range(n) for j in range(n) for k in range(n)]
    state = state_of(robot_of(name))
    same(at(found, [c[i, j, k] for i in range(n) for j in range(n) for k in range(n)], state),
         at(found, expected, state))
    same(at(found, found.coriolis_matrix, state), robot_of(name).coriolis_matrix.uncompiled(*state[:2]))


def test_mimicking_joints_count_twice() -> None:
    links = [lp.Link("base"), *(lp.Link(name, lp.Inertia(1.0, (0.4, 0, 0), np.diag([0.1, 0.2, 0.3]).tolist()))
                                for name in ("one", "two"))]
    pose = lp.Pose(translation=(0.8, 0.0, 0.0))
    geared = lp.Mimic("first", -2.0, 0.3)
    joints = (lp.Joint("first", "base", "one", lp.Revolute((0, 1, 0))),
              lp.Joint("second", "one", "two", lp.Revolute((0, 0, 1)), pose, mimic=geared))
    robot = lp.Robot("geared", tuple(links), joints)
    found, state = robot.equations(), state_of(robot)
    same(at(found, [found.kinetic_energy], state), [robot.kinetic_energy.uncompiled(*state[:2])])
    same(at(found, found.joint_wrenches.torque, state), robot.joint_wrenches.uncompiled(*state).torque)
    same(at(found, found.dL_dq, state),
         at(found, [sympy.diff(found.lagrangian, found.q[0])], state))
    assert list(found.wrenches_by_cause["second"]) == [("inertial", "first"), ("centrifugal", "first"), ("gravity",)]


def test_quaternions_have_no_derivative_of_the_lagrangian() -> None:
    with pytest.raises(ValueError, match="quaternions"):
        _ = equations_of("quaternion").dL_dq


def test_closed_robots_have_the_poses_and_energies_of_their_tree() -> None:
    bar = lp.catalog.four_bar()
    found, state = bar.equations(), state_of(bar)
    tree = bar.tree
    same(at(found, found.link_poses[tree.link_names[-1]], state), tree.link_poses.uncompiled(state[0])[-1])
    same(at(found, found.jacobian(tree.link_names[-1]), state), tree.jacobian.uncompiled(state[0], tree.link_names[-1]))
    same(at(found, [found.kinetic_energy, found.potential_energy], state),
         [tree.kinetic_energy.uncompiled(*state[:2]), tree.potential_energy.uncompiled(state[0])])


def test_constants_may_be_expressions() -> None:
    """A rod of length l: l/2, m l^2/12, and a mass that is a sum."""
    names = {"link1.mass": "m + p", "link1.center_of_mass.x": "l/2", "link1.inertia.yy": "(m + p)*l**2/12",
             "link1.inertia.zz": "(m + p)*l**2/12", "link2.mass": "m"}
    found = lp.catalog.two_link(distributed=True).equations(parameters=names)
    m, p, length, rate = sympy.symbols("m p l qd1")
    assert sympy.expand(found.kinetic_energies["link1"] - (m + p) * length**2 * rate**2 / 6) == 0
    assert found.T[3, 0] == length * sympy.cos(found.q[0]) / 2
    assert found.K.shape == (18, 18)  # the tip is a link, too


def test_nothing_is_derived_before_it_is_asked_for() -> None:
    """Poses of a robot whose torques would take minutes."""
    found = lp.catalog.random_dh_arm(7, seed=1).equations(parameters="symbols")
    assert found.pose("link1")[3, 3] == 1
    assert "terms" not in vars(found._derivation)
