"""Angeles, chapter 7: every printed line that is wrong is run as printed, and found wrong; what is right is run too."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import loadpath as lp
from loadpath.counting.printed import Turn
from references import angeles_printed as angeles
from references.dh_chains import GRAVITY, as_robot, dh_matrix, random_motion, random_rows

OFF = 0.01


@pytest.mark.parametrize("kinds", ["RRR", "RPR", "PPR", "RRP"])
def test_the_corrected_algorithm_holds_and_the_printed_one_does_not(kinds: str) -> None:
    rows, motion = random_rows(kinds, 7), random_motion(3, 8)
    tau = as_robot(rows).inverse_dynamics(*motion)
    assert_allclose(angeles.inverse_dynamics(rows, *motion, GRAVITY), tau, rtol=1e-12, atol=1e-11)
    assert_allclose(angeles.inverse_dynamics(rows, *motion, GRAVITY, "form A"), tau, rtol=1e-12, atol=1e-11)
    # Printed inward recursion: Q_i f_{i+1} is added to vectors in other axes, wrong even for revolute arms.
    assert np.abs(angeles.inverse_dynamics(rows, *motion, GRAVITY, "7.4.2") - tau).max() > OFF
    # Printed outward recursion, P branch: b_i e_i is added in the wrong axes.
    printed = angeles.inverse_dynamics(rows, *motion, GRAVITY, "outward")
    if "P" in kinds:
        assert np.abs(printed - tau).max() > OFF
    else:
        assert_allclose(printed, tau, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("printed", ["rho", "u", "cddot", "7.38d"])
def test_each_line_of_the_prismatic_branch(printed: str) -> None:
    """A revolute joint before and after, fast: the slide is carried round, and carries the others."""
    rows, motion = random_rows("RPR", 3), random_motion(3, 4)
    tau = as_robot(rows).inverse_dynamics(*motion)
    assert np.abs(angeles.inverse_dynamics(rows, *motion, GRAVITY, printed) - tau).max() > OFF


def test_velocities_of_mass_centers() -> None:
    """7.4.1, cdot_i: the rate of the slide is bdot e_i in F_i, not in F_{i+1}. (7.34e) itself is right."""
    rows, (q, qd, qdd) = random_rows("RPR", 3), random_motion(3, 4)
    robot = as_robot(rows)
    velocities = robot.link_velocities(q, qd)
    expected = []
    for name, row in zip(robot.link_names[1:], rows, strict=True):
        R = robot.link_poses(q)[robot.link_names.index(name), :3, :3]
        linear, angular = R.T @ velocities[name].linear, R.T @ velocities[name].angular
        expected.append(linear + np.cross(angular, row.center))
    found = [link.cdot for link in angeles.outward(rows, q, qd, qdd, GRAVITY)]
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    printed = [link.cdot for link in angeles.outward(rows, q, qd, qdd, GRAVITY, "cdot")]
    assert np.abs(np.array(printed) - expected).max() > OFF


def test_rows_of_7_24_need_v_of_7_24b() -> None:
    """[v]_i = Q_i [v]_{i+1}; rows 1 and 2 are printed with v_2 in place of v = v_2 lambda - v_3 mu. (7.23) is right."""
    row = random_rows("R", 5)[0]
    x, (v1, v2, v3) = 0.4, (1.0, -2.0, 3.0)
    Q = dh_matrix(row, x)[:3, :3]
    c, s, lam, mu = Q[0, 0], Q[1, 0], np.cos(row.alpha), np.sin(row.alpha)
    turn = Turn(c, s, lam, mu)
    v = np.array([v1, v2, v3], dtype=object)
    assert_allclose(turn.inward(v).astype(float), Q @ [v1, v2, v3], rtol=1e-14)
    assert_allclose(turn.outward(v).astype(float), Q.T @ [v1, v2, v3], rtol=1e-14)
    printed = [v1 * c - v2 * s, v1 * s + v2 * c, v2 * mu + v3 * lam]
    assert np.abs(Q @ [v1, v2, v3] - printed)[:2].min() > OFF
    assert_allclose((Q @ [v1, v2, v3])[2], printed[2], rtol=1e-14)


def test_gravity_is_an_acceleration_of_the_base() -> None:
    """(7.44): cddot_0 = -g gives the torques that the weight of the links gives."""
    rows, (q, qd, qdd) = random_rows("RPR", 6), random_motion(3, 7)
    robot = as_robot(rows)
    lifted = robot.with_gravity((0, 0, 0)).inverse_dynamics(q, qd, qdd, base_acceleration=[*-GRAVITY, 0, 0, 0])
    assert_allclose(lifted, robot.inverse_dynamics(q, qd, qdd), rtol=1e-12)


def test_constraint_and_active_parts_of_7_36_and_7_37() -> None:
    """tau_i is the third component of n_i for R, of f_i for P; the other five are constraint forces and moments."""
    robot = lp.catalog.random_chain(4, 3, ["revolute", "prismatic"])
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, 4))
    tau, wrenches = robot.inverse_dynamics(q, qd, qdd), robot.joint_wrenches(q, qd, qdd)
    for i, joint in enumerate(robot.joints):
        part = wrenches[joint.name].force if isinstance(joint.motion, lp.Prismatic) else wrenches[joint.name].torque
        assert_allclose(part[2], tau[i], rtol=1e-12, atol=1e-12)
    assert {type(joint.motion).__name__ for joint in robot.joints} == {"Revolute", "Prismatic"}
