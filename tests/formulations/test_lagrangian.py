"""Lagrange's equations: against everything else, the two-link arm of the notes, printed lines that are wrong."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import loadpath as lp
from formulation_checks import (
    ROBOTS,
    check_compiled,
    check_example_poses,
    check_forward_dynamics,
    check_gravity_forces,
    check_inverse_dynamics,
    check_mass_matrix,
    check_scalars,
    deviation,
    states,
)
from loadpath.algorithms import energy
from loadpath.formulations import lagrangian, newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.scalars import array
from on_scalars import applied, entries, on_arrays
from references.to_pinocchio import to_pinocchio

MOVING = {name: robot for name, robot in ROBOTS.items() if robot.n}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_inverse_dynamics(robot: RobotModel) -> None:
    check_inverse_dynamics(lagrangian.inverse_dynamics, robot)


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_mass_matrix_gravity_and_forward_dynamics(robot: RobotModel) -> None:
    check_mass_matrix(lagrangian.mass_matrix, robot)
    check_gravity_forces(lagrangian.gravity_forces, robot)
    if robot.n and robot is not ROBOTS["massless links"]:
        check_forward_dynamics(lagrangian.forward_dynamics, robot)


def test_on_all_scalars() -> None:
    check_scalars(lagrangian.inverse_dynamics)


def test_compiled() -> None:
    check_compiled("lagrangian")


def test_example_poses() -> None:
    check_example_poses(lagrangian.inverse_dynamics)


@pytest.mark.parametrize("robot", MOVING.values(), ids=MOVING)
def test_energies(robot: RobotModel) -> None:
    q, qd, _ = states(robot)[0]
    bare = plain(lp.Robot(robot.name, robot.links, robot.joints, robot.gravity).without_rotors())
    q, qd = entries(q), entries(qd)
    assert np.isclose(lagrangian.K(bare, q, qd), energy.kinetic_energy(bare, q, qd), rtol=1e-12)
    assert np.isclose(lagrangian.P(bare, q), energy.potential_energy(bare, q), rtol=1e-12)
    expected = energy.kinetic_energy(bare, q, qd) - energy.potential_energy(bare, q)
    assert np.isclose(lagrangian.L(bare, q, qd), expected, rtol=1e-12)


@pytest.mark.parametrize("robot", MOVING.values(), ids=MOVING)
def test_arrangements_and_skew_symmetry(robot: RobotModel) -> None:
    """(22) and (23) give the same forces, and dM/dt - 2 C is skew, with quaternions too."""
    mechanism = plain(robot)
    q, qd = (entries(part) for part in states(robot)[0][:2])
    squares = qd * qd
    products = array([qd[j] * qd[k] for j, k in lagrangian.speed_pairs(robot.n)])
    three = lagrangian.centripetal(mechanism, q) @ squares
    if robot.n > 1:
        three = three + lagrangian.coriolis(mechanism, q) @ products
    C = lagrangian.coriolis_matrix(mechanism, q, qd)
    assert deviation((C @ qd).astype(float), three.astype(float)) < 1e-12
    peer = to_pinocchio(robot)
    state = [part.astype(float) for part in (q, qd)]
    still = np.zeros(robot.n)
    velocity = peer.inverse_dynamics(*state, still, drives=False) - peer.gravity_forces(state[0])
    assert deviation(three.astype(float), velocity) < 1e-11
    _, dM = lagrangian.differentiated(lambda x: lagrangian.M(mechanism, x), mechanism, q)
    rate = sum(speed * slope.astype(float) for speed, slope in zip(state[1], dM, strict=True))
    skew = rate - 2 * C.astype(float)
    assert np.abs(skew + skew.T).max() < 1e-12 * np.abs(rate).max(initial=1.0)


def test_derivatives_along_quaternion_speeds() -> None:
    """dM/dq along each speed of a spherical and a free joint, against a small motion."""
    robot = lp.catalog.random_chain(3, 5, ["free", "revolute", "spherical"], general=True)
    mechanism = plain(robot)
    q = states(robot)[0][0]
    _, dM = lagrangian.differentiated(lambda x: lagrangian.M(mechanism, x), mechanism, entries(q))
    step = 1e-6
    for k in range(robot.n):
        rate = robot.coordinate_rate(q, np.eye(robot.n)[k])
        ahead, behind = (on_arrays(lagrangian.M, mechanism, q + sign * step * rate) for sign in (1, -1))
        assert np.abs(dM[k].astype(float) - (ahead - behind) / (2 * step)).max() < 1e-8


# The two-link arm of section 1.1, symbolically


def test_the_equations_of_the_notes() -> None:
    """M, centripetal and Coriolis coefficients and G of (22), C of (23), with m1 = 2, m2 = 3, l1 = 1/2, l2 = 1/4."""
    m1, m2, l1, l2, g = 2, 3, sympy.Rational(1, 2), sympy.Rational(1, 4), sympy.Rational(49, 5)
    mechanism = plain(lp.catalog.two_link(m1=2, m2=3, l1=0.5, l2=0.25))
    q1, q2, v1, v2 = sympy.symbols("q1 q2 v1 v2")
    c2, s1, s2, s12 = sympy.cos(q2), sympy.sin(q1), sympy.sin(q2), sympy.sin(q1 + q2)
    q, qd = array([q1, q2]), array([v1, v2])
    M12, h = m2 * l2**2 + m2 * l1 * l2 * c2, m2 * l1 * l2 * s2
    expected = {
        "M": [[(m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * c2, M12], [M12, m2 * l2**2]],
        "centripetal": [[0, -h], [h, 0]],
        "coriolis": [[-h, -h], [0, 0]],
        "C": [[-h * v2, -h * (v1 + v2)], [h * v1, 0]],
        "G": [[g * (m1 + m2) * l1 * s1 + g * m2 * l2 * s12], [g * m2 * l2 * s12]],
    }
    found = {
        "M": lagrangian.M(mechanism, q),
        "centripetal": lagrangian.centripetal(mechanism, q),
        "coriolis": lagrangian.coriolis(mechanism, q),
        "C": lagrangian.coriolis_matrix(mechanism, q, qd),
        "G": lagrangian.G(mechanism, q)[:, None],
    }
    # Equal as functions: polynomials of low degree in sines and cosines that agree at many angles.
    rng = np.random.default_rng(1)
    for values in rng.uniform(-3, 3, (12, 4)):
        at = dict(zip((q1, q2, v1, v2), values, strict=True))
        for name, printed in expected.items():
            numbers = [
                np.array(sympy.Matrix(matrix).subs(at), dtype=float) for matrix in (found[name].tolist(), printed)
            ]
            assert deviation(*numbers) < 1e-13, name


# Printed lines


def test_the_jacobians_of_40_are_printed_with_transposes_on_the_wrong_side() -> None:
    """m J_v J_v^T + J_w R I R^T J_w^T is 3 x 3 whatever the number of joints; with three joints it can be compared."""
    robot = lp.catalog.random_chain(3, 4, "revolute", general=True)
    mechanism, q = plain(robot), states(robot)[0][0]
    expected = to_pinocchio(robot).mass_matrix(q)
    right, printed = np.zeros((3, 3)), np.zeros((3, 3))
    for body, link in zip(mechanism.bodies, lagrangian.link_jacobians(mechanism, entries(q)), strict=True):
        m, _, tensor = lagrangian.central_inertia(body)
        tensor = link.R.tensor(tensor).astype(float)
        J_v, J_w = (
            np.array([part.get(k, np.zeros(3)) for k in range(3)], dtype=float).T for part in (link.J_v, link.J_w)
        )
        right += m * J_v.T @ J_v + J_w.T @ tensor @ J_w
        printed += m * J_v @ J_v.T + J_w @ tensor @ J_w.T
    assert deviation(right, expected) < 1e-13
    assert deviation(printed, expected) > 0.1


def test_a_wrench_on_the_robot_has_a_minus_in_25() -> None:
    robot = ROBOTS["DH arm"]
    mechanism = plain(robot)
    state = states(robot)[0]
    wrench = {robot.link_names[-1]: applied([3.0, -2.0, 5.0], [1.0, 2.0, -1.0])}
    tau = on_arrays(newton_euler.inverse_dynamics, mechanism, *state, external=wrench)
    without = on_arrays(lagrangian.inverse_dynamics, mechanism, *state)
    load = lagrangian.external_forces(mechanism, entries(state[0]), wrench).astype(float)
    assert deviation(without - load, tau) < 1e-13
    assert deviation(without + load, tau) > 0.01


def test_34_measures_the_angle_from_the_horizontal() -> None:
    """From the downward vertical, as in the rest of the notes, P = -g m1 l1/2 C1 - g m2 (l1 C1 + l2/2 C12)."""
    m1, m2, l1, l2, g = 2.0, 3.0, 0.5, 0.25, 9.8
    mechanism = plain(lp.catalog.two_link(m1, m2, l1, l2, distributed=True))
    q1, q2 = 0.3, 0.8
    found = lagrangian.P(mechanism, array([q1, q2]))
    below = -g * m1 * l1 / 2 * np.cos(q1) - g * m2 * (l1 * np.cos(q1) + l2 / 2 * np.cos(q1 + q2))
    printed = g * m1 * l1 / 2 * np.sin(q1) + g * m2 * (l1 * np.sin(q1) + l2 / 2 * np.sin(q1 + q2))
    assert np.isclose(found, below, rtol=1e-13)
    assert abs(found - printed) > 1
