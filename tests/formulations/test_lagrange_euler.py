"""The trace form: against everything else, its pieces one by one, and the printed lines that are wrong."""

from __future__ import annotations

import numpy as np
import pytest

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
from loadpath.formulations import lagrange_euler, lagrangian, newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from on_scalars import entries, on_arrays
from references import trace_form_printed
from references.dh_chains import GRAVITY, as_robot, dh_matrix, random_motion, random_rows

COORDINATES = {name: robot for name, robot in ROBOTS.items() if robot.n == robot.nq and robot.n}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_inverse_dynamics(robot: RobotModel) -> None:
    check_inverse_dynamics(lagrange_euler.inverse_dynamics, robot)


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_mass_matrix_gravity_and_forward_dynamics(robot: RobotModel) -> None:
    check_mass_matrix(lagrange_euler.mass_matrix, robot)
    check_gravity_forces(lagrange_euler.gravity_forces, robot)
    if robot.n and robot is not ROBOTS["massless links"]:
        check_forward_dynamics(lagrange_euler.forward_dynamics, robot)


def test_on_all_scalars() -> None:
    check_scalars(lagrange_euler.inverse_dynamics)


def test_compiled() -> None:
    check_compiled("lagrange-euler")


def test_example_poses() -> None:
    check_example_poses(lagrange_euler.inverse_dynamics)


# The pieces


def test_matrices_of_a_dh_table_are_those_of_the_lecture() -> None:
    rows = random_rows("RPR", 2)
    mechanism = plain(as_robot(rows))
    q = random_motion(3, 3)[0]
    A = lagrange_euler.A(mechanism, entries(q)).astype(float)
    expected = np.eye(4)
    for i, (row, x) in enumerate(zip(rows, q, strict=True)):
        expected = expected @ dh_matrix(row, x)
        np.testing.assert_allclose(A[i], expected, atol=1e-14)
    Q = lagrange_euler.Q(mechanism, entries(q)).astype(float)
    revolute, prismatic = np.zeros((4, 4)), np.zeros((4, 4))
    revolute[0, 1], revolute[1, 0], prismatic[2, 3] = -1, 1, 1
    np.testing.assert_array_equal(Q, [revolute, prismatic, revolute])


@pytest.mark.parametrize("robot", COORDINATES.values(), ids=COORDINATES)
def test_u_are_derivatives(robot: RobotModel) -> None:
    """U_ij = dA_i/dq_j and U_ijk = dU_ij/dq_k, with derivatives taken by dual numbers."""
    mechanism, q = plain(robot), entries(states(robot)[0][0])
    _, slopes = lagrangian.differentiated(lambda x: lagrange_euler.A(mechanism, x), mechanism, q)
    U = lagrange_euler.U_ij(mechanism, q).astype(float)
    assert deviation(np.moveaxis(U, 1, 0), np.array(slopes).astype(float)) < 1e-13
    _, slopes = lagrangian.differentiated(lambda x: lagrange_euler.U_ij(mechanism, x), mechanism, q)
    UU = lagrange_euler.U_ijk(mechanism, q).astype(float)
    assert deviation(np.moveaxis(UU, 2, 0), np.array(slopes).astype(float)) < 1e-13


def test_h_are_the_christoffel_symbols() -> None:
    robot = ROBOTS["R and P, placed anyhow"]
    mechanism, q = plain(robot), entries(states(robot)[0][0])
    h = lagrange_euler.h(mechanism, q).astype(float)
    assert deviation(h, np.swapaxes(h, 1, 2)) < 1e-14
    assert deviation(h, lagrangian.terms(mechanism, q).Gamma.astype(float)) < 1e-13


def test_pseudo_inertia_is_the_integral_over_point_masses() -> None:
    rng = np.random.default_rng(1)
    points, masses = rng.normal(size=(8, 3)), rng.uniform(0.1, 1, 8)
    center = masses @ points / masses.sum()
    arms = points - center
    tensor = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
    body = lp.Inertia(masses.sum(), center.tolist(), tensor.tolist())
    robot = lp.Robot("one", (lp.Link("base"), lp.Link("body", body)), (lp.Joint("j", "base", "body", lp.Revolute()),))
    homogeneous = np.column_stack([points, np.ones(8)])
    expected = (homogeneous * masses[:, None]).T @ homogeneous
    assert deviation(lagrange_euler.J(plain(robot))[0], expected) < 1e-14


# Printed lines


@pytest.mark.parametrize("printed", ["DH", "Q", "D", "h", "U_ijk", "c"])
def test_the_corrected_lines_hold_and_the_printed_ones_do_not(printed: str) -> None:
    rows = random_rows("RRPR", 4)
    motion = random_motion(4, 5)
    tau = on_arrays(newton_euler.inverse_dynamics, plain(as_robot(rows)), *motion)
    assert deviation(trace_form_printed.inverse_dynamics(rows, *motion, GRAVITY), tau) < 1e-12
    assert deviation(trace_form_printed.inverse_dynamics(rows, *motion, GRAVITY, printed), tau) > 0.01


def test_potential_energy_needs_the_minus() -> None:
    """P = -sum m g A r; printed with a plus, it makes links fall upwards."""
    rows = random_rows("RRR", 6)
    robot = as_robot(rows)
    q = random_motion(3, 7)[0]
    A = lagrange_euler.A(plain(robot), entries(q)).astype(float)
    printed = sum(r.mass * np.array([*GRAVITY, 0.0]) @ A[i] @ np.array([*r.center, 1.0]) for i, r in enumerate(rows))
    assert np.isclose(lagrangian.P(plain(robot), entries(q)), -printed, rtol=1e-13)
    assert abs(printed) > 0.1
