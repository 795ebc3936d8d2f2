"""What the sources print: numbers where they are right, corrected formulas where they are not."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

import loadpath as lp

# Course notes MECEE 4602, section 1.3: point masses of 1 kg (printed: 1 g) on links of 1 m, 9.8 m/s^2

POSE_1, POSE_2 = (math.pi / 2, 0.0), (math.pi / 2, math.pi / 2)


@pytest.fixture(scope="module")
def two_link() -> lp.Robot:
    return lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1)


def test_mass_matrix_and_gravity_of_pose_1(two_link: lp.Robot) -> None:
    """(27)."""
    gravity = two_link.gravity_forces(POSE_1)
    assert_allclose(gravity, [29.4, 9.8], rtol=1e-14)
    columns = two_link.inverse_dynamics(POSE_1, [0, 0], np.eye(2)) - gravity
    assert_allclose(columns.T, [[5, 2], [2, 1]], rtol=1e-14)


def test_forward_dynamics_of_pose_1(two_link: lp.Robot) -> None:
    """(28): torques 29.4, 19.6 give the accelerations -19.6, 49.0."""
    assert_allclose(two_link.inverse_dynamics(POSE_1, [0, 0], [-19.6, 49.0]), [29.4, 19.6], rtol=1e-13)


@pytest.mark.parametrize(
    ("q", "qd", "qdd", "printed"),
    [
        (POSE_1, (0, 0), (0, 25.0), (79.4, 34.8)),
        (POSE_2, (0, 0), (0, 0), (19.6, 0)),
        (POSE_2, (0, 2), (0, 0), (15.6, 0)),
    ],
)
def test_torques_of_the_example_poses(two_link: lp.Robot, q: tuple, qd: tuple, qdd: tuple, printed: tuple) -> None:
    assert_allclose(two_link.inverse_dynamics(q, qd, qdd), printed, atol=1e-13)


def test_velocity_terms_as_derived_and_not_as_printed_in_19_and_20() -> None:
    """-2 m2 l1 l2 S2 qd1 qd2 - m2 l1 l2 S2 qd2^2; the printed line loses an l2 and gains a factor 2."""
    m2, l1, l2 = 1.7, 0.8, 0.6
    arm = lp.catalog.two_link(m1=1.3, m2=m2, l1=l1, l2=l2, gravity=0.0)
    q, (qd1, qd2) = (0.4, 0.9), (1.1, 0.7)
    s2 = math.sin(q[1])
    found = arm.inverse_dynamics(q, (qd1, qd2), (0, 0))
    assert_allclose(found, [-m2 * l1 * l2 * s2 * (2 * qd1 * qd2 + qd2**2), m2 * l1 * l2 * s2 * qd1**2])
    printed = -2 * m2 * l1 * s2 * qd1 * qd2 - 2 * m2 * l1 * s2 * qd2**2
    assert abs(found[0] - printed) > 0.1


# Lau's thesis, the three-degree-of-freedom example, with the corrections of its formulas


class Lau(NamedTuple):
    m1: float = 3.0
    m2: float = 2.0
    d1: float = 0.35
    length: float = 1.2
    g: float = 9.81

    def robot(self) -> lp.Robot:
        return lp.catalog.lau_arm(m1=self.m1, m2=self.m2, d0=0.2, d1=self.d1, length=self.length, gravity=self.g)

    @property
    def i1zz(self) -> float:
        return self.m1 * self.d1**2 / 2

    @property
    def rod(self) -> float:
        """Iyy = Izz of the rod about its center; Ixx is zero."""
        return self.m2 * self.length**2 / 12


LAU = Lau()
LAU_POSES = [(0.3, 0.5, 1.0), (-1.1, 2.0, 0.7), (2.5, -0.8, 1.3)]


@pytest.fixture(scope="module")
def lau() -> lp.Robot:
    return LAU.robot()


def lau_terms(q: tuple, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """D, h and g of the corrected example."""
    M, d1, rod = LAU.m2, LAU.d1, LAU.rod
    c, s, r = math.cos(q[1]), math.sin(q[1]), q[2] - LAU.length / 2
    ixx, iyy, izz = 0.0, rod, rod
    w1, w2, u = qd
    D = np.array(
        [
            [LAU.i1zz + M * d1**2 + ixx * s**2 + (izz + M * r**2) * c**2, -M * d1 * r * s, M * d1 * c],
            [-M * d1 * r * s, iyy + M * r**2, 0.0],
            [M * d1 * c, 0.0, M],
        ]
    )
    h = np.array(
        [
            2 * (ixx - izz - M * r**2) * s * c * w1 * w2
            + 2 * M * r * c**2 * w1 * u
            - M * d1 * r * c * w2**2
            - 2 * M * d1 * s * w2 * u,
            (izz + M * r**2 - ixx) * s * c * w1**2 + 2 * M * r * w2 * u,
            -M * r * (c**2 * w1**2 + w2**2),
        ]
    )
    return D, h, np.array([0.0, M * LAU.g * r * c, M * LAU.g * s])


@pytest.mark.parametrize("q", LAU_POSES)
def test_lau_mass_matrix_and_gravity(lau: lp.Robot, q: tuple) -> None:
    D, _, g = lau_terms(q, np.zeros(3))
    assert_allclose(lau.gravity_forces(q), g, atol=1e-13)
    assert_allclose(lau.inverse_dynamics(q, np.zeros(3), np.eye(3)) - g, D, atol=1e-13)


@pytest.mark.parametrize("q", LAU_POSES)
def test_lau_velocity_terms(lau: lp.Robot, q: tuple) -> None:
    """Unit speeds one by one and in pairs: every product of speeds is seen by itself."""
    pairs = [np.eye(3)[i] + np.eye(3)[k] * (i != k) for i in range(3) for k in range(i, 3)]
    for qd in [*pairs, np.array([0.7, -1.3, 0.4])]:
        _, h, g = lau_terms(q, qd)
        assert_allclose(lau.inverse_dynamics(q, qd, np.zeros(3)) - g, h, atol=1e-13)


@pytest.mark.parametrize("q", LAU_POSES)
def test_lau_joint_wrenches(lau: lp.Robot, q: tuple) -> None:
    """Inertial and gravity loads at joints 2 and 1, corrected; the demand is minus the gravity load."""
    M, d1, izz = LAU.m2, LAU.d1, LAU.rod
    iyy, ixx = izz, 0.0
    c, s, r = math.cos(q[1]), math.sin(q[1]), q[2] - LAU.length / 2
    alpha1, alpha2, a2 = qdd = (1.3, -0.8, 0.6)
    at_rest = lau.joint_wrenches(q, np.zeros(3), np.zeros(3))
    found = lau.joint_wrenches(q, np.zeros(3), qdd)

    weight = M * LAU.g
    assert_allclose(at_rest["theta2"].force, [-weight * s, 0, weight * c], atol=1e-13)
    assert_allclose(at_rest["theta2"].torque, [0, weight * r * c, 0], atol=1e-13)
    assert_allclose(at_rest["theta1"].torque, [weight * d1, weight * r * c, 0], atol=1e-13)

    force2 = M * np.array([-a2 - alpha1 * d1 * c, -alpha1 * r * c, alpha2 * r - alpha1 * d1 * s])
    force1 = M * np.array([-a2 * c - alpha1 * d1 + alpha2 * r * s, -alpha1 * r * c, a2 * s + alpha2 * r * c])
    about_y = (iyy + M * r**2) * alpha2 - M * d1 * r * s * alpha1
    torque2 = [-ixx * s * alpha1, about_y, (izz + M * r**2) * c * alpha1]
    torque1 = [
        M * d1 * (a2 * s + r * c * alpha2) + (izz + M * r**2 - ixx) * s * c * alpha1,
        about_y,
        M * d1 * (a2 * c - r * s * alpha2) + (LAU.i1zz + M * d1**2 + ixx * s**2 + (izz + M * r**2) * c**2) * alpha1,
    ]
    assert_allclose(found["theta2"].force - at_rest["theta2"].force, force2, atol=1e-12)
    assert_allclose(found["theta1"].force - at_rest["theta1"].force, force1, atol=1e-12)
    assert_allclose(found["theta2"].torque - at_rest["theta2"].torque, torque2, atol=1e-12)
    assert_allclose(found["theta1"].torque - at_rest["theta1"].torque, torque1, atol=1e-12)
