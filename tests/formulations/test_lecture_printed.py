"""The lecture notes: their misprints outside the trace form's own lines (those are in `test_lagrange_euler.py`)."""

from __future__ import annotations

import numpy as np

import loadpath as lp
from formulation_checks import deviation
from loadpath.formulations import lagrange_euler
from loadpath.robot.mechanism import plain
from on_scalars import entries
from references import luh_printed
from references.dh_chains import GRAVITY, as_robot, random_motion, random_rows


def test_the_sums_of_the_kinetic_energy_run_over_all_joints_before_the_link() -> None:
    """K = 1/2 sum_i sum_p sum_r Tr(U_ip J_i U_ir^T) qd_p qd_r; printed with p up to 3, for five joints too."""
    robot = as_robot(random_rows("RRPRR", 2))
    q, qd, _ = random_motion(5, 3)
    U = lagrange_euler.U_ij(plain(robot), entries(q)).astype(float)
    J = lagrange_euler.J(plain(robot)).astype(float)

    def energy(most: int) -> float:
        p = slice(0, most)
        return float(0.5 * np.einsum("ipab,ibc,irac,p,r->", U[:, p], J, U, qd[p], qd))

    assert deviation(energy(5), robot.kinetic_energy(q, qd)) < 1e-13
    assert deviation(energy(3), robot.kinetic_energy(q, qd)) > 0.01


def test_the_third_line_of_table_3_2_is_an_acceleration() -> None:
    """Printed v_i. At rest and without gravity velocities are zero, what the line gives is not."""
    robot = as_robot(random_rows("RRR", 2)).with_gravity((0, 0, 0))
    q, _, qdd = random_motion(3, 3)
    still = np.zeros(3)
    link = robot.link_names[-1]
    assert np.abs(robot.link_velocities(q, still)[link].linear).max() == 0
    assert np.abs(robot.link_accelerations(q, still, qdd)[link].linear).max() > 0.1


def test_the_handwritten_lines_are_velocities() -> None:
    rows = random_rows("RPRP", 2)
    q, qd, qdd = random_motion(4, 3)
    robot = as_robot(rows)
    expected = [robot.link_velocities(q, qd)[name].linear for name in robot.link_names[1:]]
    assert deviation(luh_printed.velocities(rows, q, qd), expected) < 1e-13
    assert deviation(luh_printed.velocities(rows, q, qd, as_printed=True), expected) > 0.01
    rates = [robot.link_accelerations(q, qd, qdd)[name].linear for name in robot.link_names[1:]]
    assert deviation(luh_printed.velocities(rows, q, qd), rates) > 0.1  # printed under vdot_i


def test_the_last_wrench_is_what_the_hand_exerts() -> None:
    """f_{n+1}, n_{n+1}: on the surroundings, so minus the wrench on the robot."""
    rows, motion = random_rows("RPR", 2), random_motion(3, 3)
    robot = as_robot(rows)
    f, n = np.array([3.0, -2.0, 5.0]), np.array([1.0, 2.0, -1.0])
    tau = robot.inverse_dynamics(*motion, external={robot.link_names[-1]: lp.Wrench(-f, -n)})
    assert deviation(luh_printed.inverse_dynamics(rows, *motion, vdot_0=-GRAVITY, hand=(f, n)), tau) < 1e-12
    assert deviation(luh_printed.inverse_dynamics(rows, *motion, vdot_0=-GRAVITY, hand=(-f, -n)), tau) > 0.01
