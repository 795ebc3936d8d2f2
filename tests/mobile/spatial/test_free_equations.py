"""The equations of a base that is a free body, against the robot with a floating base and those of the plane."""

import numpy as np
import pytest

import loadpath as lp
from loadpath.mobile.equations import equations_of, kernel

ROVER = lp.catalog.lau_rover()


def test_mass_matrix_and_bias_are_those_of_the_floating_robot():
    rng = np.random.default_rng(5)
    q, qd, twist = rng.normal(size=3), rng.normal(size=3), rng.normal(size=6)
    gravity = np.array([1.0, -2.0, -9.0])
    M, h = kernel(ROVER, "free_equations")(q, qd, twist, gravity)
    floating = ROVER.robot.with_gravity(gravity).floating()
    place = np.concatenate([np.zeros(6), [1.0], q])
    speeds = np.concatenate([twist, qd])
    assert pytest.approx(floating.mass_matrix(place), abs=1e-12) == M
    assert h == pytest.approx(floating.inverse_dynamics(place, speeds, np.zeros(9)), abs=1e-10)


def test_the_plane_has_a_selection_of_rows_and_columns():
    rng = np.random.default_rng(6)
    q, qd, (vx, vy, w) = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    M, h = kernel(ROVER, "free_equations")(q, qd, np.array([vx, vy, 0, 0, 0, w]), ROVER.ground.gravity_in_base(0.0))
    plane = equations_of(ROVER, q, qd, (vx, vy, w))
    moving, carried = [0, 1, 5, 6, 7, 8], [2, 3, 4]
    assert M[np.ix_(moving, moving)] == pytest.approx(plane.mass_matrix, abs=1e-13)
    assert M[np.ix_(carried, moving)] == pytest.approx(plane.vertical_matrix, abs=1e-13)
    assert h == pytest.approx(np.insert(plane.bias, 2, plane.vertical_bias), abs=1e-12)
