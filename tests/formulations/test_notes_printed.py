"""Course notes MECEE 4602: small misprints of section 1, as printed and as they hold. The larger ones are in
`test_lagrangian.py`, `test_constraint_system.py` and `test_printed_numbers.py`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import loadpath as lp

M1, M2, L1, L2 = 2.0, 3.0, 0.5, 0.25
Q, QD = (0.4, 0.9), (1.6, -0.7)


@pytest.fixture(scope="module")
def rods() -> lp.Robot:
    return lp.catalog.two_link(M1, M2, L1, L2, distributed=True)


@pytest.fixture(scope="module")
def masses() -> lp.Robot:
    return lp.catalog.two_link(M1, M2, L1, L2)


def test_potential_energy_depends_on_q_alone(masses: lp.Robot) -> None:
    """(3): printed P(q, qdot); then lambda would hold d/dt dP/dqdot. (4) with P(q) gives the gravity forces."""
    step = 1e-6
    for k in range(2):
        ahead, behind = (masses.potential_energy(Q + sign * step * np.eye(2)[k]) for sign in (1, -1))
        assert (ahead - behind) / (2 * step) == pytest.approx(masses.gravity_forces(Q)[k], abs=1e-7)
    with pytest.raises(TypeError):
        masses.potential_energy(Q, QD)


def test_the_mass_of_5_is_m1(masses: lp.Robot) -> None:
    """(5) prints m v1^2 / 2 before m1 l1^2 qdot1^2 / 2: with joint 1 alone moving it is (m1 l1^2 + m2 (l1 + l2)^2)."""
    energy = masses.kinetic_energy((0.3, 0.0), (2.0, 0.0))
    assert energy == pytest.approx(0.5 * (M1 * L1**2 + M2 * (L1 + L2) ** 2) * 4, rel=1e-14)


def test_the_torques_of_pose_2_are_inverse_dynamics() -> None:
    """The notes say "solving forward dynamics for joint torques": torques from accelerations are inverse dynamics."""
    arm = lp.catalog.two_link()
    tau = arm.inverse_dynamics((math.pi / 2, math.pi / 2), (0, 2), (0, 0))
    np.testing.assert_allclose(tau, (15.6, 0), atol=1e-13)
    np.testing.assert_allclose(arm.forward_dynamics((math.pi / 2, math.pi / 2), (0, 2), tau), 0, atol=1e-12)


def test_squares_of_velocities_and_not_of_positions(rods: lp.Robot) -> None:
    """After (35): v_i^2 = xdot_i^2 + ydot_i^2, printed x_i^2 + y_i^2; it must give (33)."""
    (q1, q2), (v1, v2) = Q, QD
    c2 = math.cos(q2)
    of_33 = (
        (L1**2 + 0.25 * L2**2 + L1 * L2 * c2) * v1**2 + 0.25 * L2**2 * v2**2 + (0.5 * L2**2 + L1 * L2 * c2) * v1 * v2
    )
    x, y = L1 * math.sin(q1) + L2 / 2 * math.sin(q1 + q2), -L1 * math.cos(q1) - L2 / 2 * math.cos(q1 + q2)
    velocity = rods.link_velocities(Q, QD)["link2"]
    pose = rods.link_poses(Q)[rods.link_names.index("link2")]
    arm = pose[:3, :3] @ rods.link("link2").inertia.center_of_mass
    v = velocity.linear + np.cross(velocity.angular, arm)
    assert v @ v == pytest.approx(of_33, rel=1e-13)
    assert abs(x**2 + y**2 - of_33) > 0.01


def test_j_v_and_j_omega_stand_above_each_other(rods: lp.Robot) -> None:
    """(39): side by side, [J_v J_omega] has 2 n columns and cannot be multiplied by qdot."""
    J = rods.jacobian(Q, "link2")
    J_v, J_omega = J[:3], J[3:]
    velocity = rods.link_velocities(Q, QD)["link2"]
    stacked = np.vstack([J_v, J_omega]) @ QD
    np.testing.assert_allclose(stacked, [*velocity.linear, *velocity.angular], atol=1e-14)
    with pytest.raises(ValueError):
        np.hstack([J_v, J_omega]) @ QD


def test_48_and_49_are_accelerations(rods: lp.Robot) -> None:
    """Above (48) stands "linear velocities": at rest (48), (49) give is not zero if the joints accelerate."""
    found = rods.link_accelerations(Q, (0, 0), (1.0, 0.0))["link2"].linear
    assert np.linalg.norm(found) == pytest.approx(L1, rel=1e-12)
    assert np.abs(rods.link_velocities(Q, (0, 0))["link2"].linear).max() == 0
