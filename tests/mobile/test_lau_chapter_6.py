"""Chapter 6 of Lau's thesis as printed, beside what is right: normal forces, acceleration of the mass center, coupling.

The base frame is the thesis's: wheels 2 and 3 at (0, d), (0, -d), wheel 1 at (s, 0). (F, N) is the wrench of the arm on
the base, about the origin, without gravity; M, h are mass and mass center of the whole.
"""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

S, D, MASS, G = 0.6, 0.3, 12.0, 9.81
Q = np.array([0.4, -0.3, 0.7])


@pytest.fixture(scope="module")
def rover():
    return lp.catalog.lau_rover(s=S, d=D)


@pytest.fixture(scope="module")
def states(rover):
    """Arm motions on a base that stands, with the arm's wrench on the base: what the ground does not feel of weight."""
    rng = np.random.default_rng(6)
    q = Q + 0.3 * rng.normal(size=(40, 3))
    qd, qdd = rng.normal(size=(2, 40, 3))
    wrench = rover.on(lp.Ground(gravity=0.0)).ground_wrench(q, qd, qdd)
    return q, qd, qdd, -wrench.force, -wrench.torque, rover.mass_center(q)


def test_normal_forces_corrected_and_as_printed(rover, states):
    """(6-33), (6-37): N1 = (M g h_x + N_y)/s; printed with s - h_x. (6-42), (6-43): the other two."""
    q, qd, qdd, F, N, h = states
    normal = rover.wheel_loads(q, qd, qdd).normal
    weight = MASS * G
    one = (weight * h[:, 0] + N[:, 1]) / S
    rest = weight * (1 - h[:, 0] / S) - F[:, 2] - N[:, 1] / S
    two, three = (0.5 * (rest + sign * (weight * h[:, 1] / D - N[:, 0] / D)) for sign in (1, -1))
    np.testing.assert_allclose(normal, np.stack([one, two, three], axis=-1), rtol=1e-10, atol=1e-10)
    printed_one = (N[:, 1] + weight * (S - h[:, 0])) / S
    printed_two = 0.5 * (F[:, 2] + weight * (h[:, 0] / S + h[:, 1] / D) - (N[:, 1] / S + N[:, 0] / D))
    assert np.abs(printed_one - normal[:, 0]).min() > 0.1 * weight
    assert np.abs(printed_two - normal[:, 1]).max() > 0.1 * weight
    # As printed, the three do not even carry the weight: (6-31) has the normal forces with the wrong sign.
    printed_three = 0.5 * (F[:, 2] + weight * (h[:, 0] / S - h[:, 1] / D) - (N[:, 1] / S - N[:, 0] / D))
    assert np.abs(printed_one + printed_two + printed_three - normal.sum(axis=-1)).max() > 0.01 * weight


def test_stable_region_is_a_triangle_not_a_box(rover):
    """(6-38), (6-44), (6-45) bound h_x and h_y each by itself; the region is the triangle of the wheels."""
    stand = rover.base.carrying()
    # A downward pull beside the base moves the zero-moment point to (0.5, 0.2): inside the box, outside the triangle.
    x, y = 0.5, 0.2
    weight = 10.0 * G
    external = {"rover": lp.Wrench(torque=(-weight * y, weight * (x - S / 3), 0.0))}
    standing = stand.stability([], external=external)
    np.testing.assert_allclose(standing.zero_moment_point, (x, y), atol=1e-12)
    assert 0 <= x <= S and -D <= y <= D
    assert standing.tips_over and standing.edge == ("wheel1", "wheel2")


def test_acceleration_of_the_mass_center(rover):
    """(6-68), (6-69), arm at rest: printed without - h_x w^2 and + w^2 (s cot - h_y)."""
    rng = np.random.default_rng(7)
    theta = rng.uniform(0.4, 1.2, 20)
    w, alpha, Omega = rng.normal(size=(3, 20))
    cot, csc2 = 1 / np.tan(theta), 1 / np.sin(theta) ** 2
    v, vdot = w * S * cot, alpha * S * cot - w * S * csc2 * Omega
    hx, hy, _ = rover.mass_center(Q)
    wrench = rover.ground_wrench(Q, velocity=(v, w), acceleration=(vdot, alpha))
    printed_x, printed_y = -S * csc2 * Omega * w + (S * cot - hy) * alpha, hx * alpha
    np.testing.assert_allclose(wrench.force[:, 0], MASS * (printed_x - hx * w**2), atol=1e-10)
    np.testing.assert_allclose(wrench.force[:, 1], MASS * (printed_y + w**2 * (S * cot - hy)), atol=1e-10)
    assert np.abs(wrench.force[:, 1] - MASS * printed_y).max() > 1.0


def test_coupling_of_a_turning_base(rover):
    """(6-91), (6-95) hold for a base that does not turn; else Coriolis, centrifugal and inertia-rate terms come in."""
    qd, qdd = np.array([0.5, -0.8, 0.3]), np.array([1.0, 0.5, -0.4])
    weightless = rover.on(lp.Ground(gravity=0.0))
    arm = weightless.ground_wrench(Q, qd, qdd)
    a = np.array([0.7, 0.0, 0.0])
    h = rover.mass_center(Q)
    straight = weightless.ground_wrench(Q, qd, qdd, velocity=(0.6, 0.0), acceleration=(0.7, 0.0))
    np.testing.assert_allclose(straight.force, arm.force + MASS * a, atol=1e-10)
    np.testing.assert_allclose(straight.torque, arm.torque + MASS * np.cross(h, a), atol=1e-10)
    turning = weightless.ground_wrench(Q, qd, qdd, velocity=(0.6, 0.9), acceleration=(0.7, 0.0))
    centripetal = a + np.array([0, 0.6 * 0.9, 0])
    step = 1e-6
    hdot = (rover.mass_center(Q + step * qd) - rover.mass_center(Q - step * qd)) / (2 * step)
    w = np.array([0, 0, 0.9])
    corrected = MASS * (centripetal + np.cross(w, np.cross(w, h)) + 2 * np.cross(w, hdot)) + arm.force
    np.testing.assert_allclose(turning.force, corrected, atol=1e-7)
    assert np.abs(turning.force - arm.force - MASS * a).max() > 1.0


def test_rates_of_the_mass_center_as_printed():
    """(6-60) to (6-67): theta_m rests in a steady turn, w does not; r_m changes with Omega, not with alpha."""
    hx, hy, h = 0.17, 0.04, 1e-6

    def polar(theta):
        across = S / np.tan(theta) - hy
        return np.hypot(hx, across), np.arctan2(hx, across)

    theta, Omega, w, alpha = 0.7, 0.5, 0.9, -0.4
    (r, at), (r0, at0), (r1, at1) = polar(theta), polar(theta - h * Omega), polar(theta + h * Omega)
    r_dot, at_dot = (r1 - r0) / (2 * h), (at1 - at0) / (2 * h)
    assert r_dot == pytest.approx(-S * Omega * (S / np.tan(theta) - hy) / (r * np.sin(theta) ** 2), rel=1e-8)
    assert abs(r_dot + S * alpha * (S / np.tan(theta) - hy) / (r * np.sin(theta) ** 2)) > 0.1  # as printed
    assert at_dot == pytest.approx(S * np.sin(at) ** 2 * Omega / (hx * np.sin(theta) ** 2), rel=1e-8)
    assert abs(at_dot - w) > 0.1  # (6-62)
    # (6-64), (6-65) differentiated: r_m w (cos, sin) of theta_m, in axes that turn with w.
    slope = np.array([np.cos(at), np.sin(at)])
    inner = (r_dot * w + r * alpha) * slope + r * w * at_dot * np.array([-slope[1], slope[0]])
    turning = inner + w * np.array([-r * slope[1], r * slope[0]]) * w
    a_x = -S / np.sin(theta) ** 2 * Omega * w + (S / np.tan(theta) - hy) * alpha - hx * w**2
    a_y = hx * alpha + w**2 * (S / np.tan(theta) - hy)
    np.testing.assert_allclose(turning, [a_x, a_y], rtol=1e-8)
    printed = (r_dot * w + r * alpha) * slope + r * w * np.array([-slope[1], slope[0]])
    assert np.abs(printed - turning).max() > 0.05


def test_equations_of_motion_corrected_and_as_printed():
    """(6-73) to (6-78), (6-81) to (6-87): a rigid base that rolls under a wrench (F, N) about O."""
    mu, M = 0.05, 12.0
    (hx, hy), Ic = (0.17, 0.04), 0.9
    base = lp.WheeledBase(
        mass=M,
        center_of_mass=(hx, hy, 0.0),  # on the ground: no load shifts by accelerations
        inertia=np.diag([0.5, 0.5, Ic]),
        wheels=[lp.CasterWheel((S, 0), 0.1), lp.FixedWheel((0, D), 0.1), lp.FixedWheel((0, -D), 0.1)],
        friction=lp.WheelFriction(0.6, rolling=mu),
    )
    (F_x, F_y, _), (_, _, N_z) = force, moment = (3.0, 1.0, -5.0), (0.4, -0.7, 2.0)
    v, w = 1.0, 0.5
    none = np.zeros(0)
    ours = base.carrying().base_acceleration(
        none, none, none, velocity=(v, w), external={"rover": lp.Wrench(force, moment, axes="world")}
    )
    vdot, _, alpha = ours.acceleration
    N1, N2, N3 = ours.normal
    theta = np.arctan2(S * w, v)
    sin, cos, cot = np.sin(theta), np.cos(theta), 1 / np.tan(theta)
    Omega = (S * alpha * v - S * w * vdot) / (v**2 + (S * w) ** 2)
    f = -ours.lateral[1:].sum()
    a_x = -S / sin**2 * Omega * w + (S * cot - hy) * alpha - hx * w**2
    a_y = hx * alpha + w**2 * (S * cot - hy)
    close = {"rel": 1e-9, "abs": 1e-9}
    assert M * a_x == pytest.approx(F_x - mu * (N2 + N3) - mu * N1 * cos, **close)  # (6-73)
    assert M * a_y == pytest.approx(F_y - f - mu * N1 * sin, **close)  # (6-74)
    assert abs(M * a_y - (F_y - f - mu * sin)) > 0.3  # printed without N1
    moments = N_z + F_x * S * cot - mu * N2 * (S * cot - D) - mu * N3 * (S * cot + D) - mu * N1 * S / sin
    assert M * a_x * (S * cot - hy) + M * a_y * hx + Ic * alpha == pytest.approx(moments, **close)  # (6-75)
    printed = M * a_x * (S * cot - hy) + (M * a_y * hx + Ic + M * S**2 * cot**2) * alpha
    assert abs(printed - moments) > 0.5
    C_11, C_13 = M * hx, mu * N1 * sin - F_y
    assert C_11 * alpha + M * w**2 * (S * cot - hy) + C_13 == pytest.approx(-f, **close)  # (6-76), (6-81)
    assert abs(C_11 * alpha + C_13 + f) > 0.5
    C_21, C_22 = M * S * (cot - hy / S), -M * S / sin**2
    C_23 = mu * (N2 + N3) + mu * N1 * cos - F_x
    assert C_21 * alpha + C_22 * Omega * w - M * hx * w**2 + C_23 == pytest.approx(0, abs=1e-9)  # (6-77), (6-84)
    C_31, C_32 = Ic + M * hx**2 + M * (S * cot - hy) ** 2, -M * S * (S * cot - hy) / sin**2
    C_33 = mu * (N2 + N3) * S * cot - F_x * S * cot + mu * N1 * S / sin - mu * D * (N2 - N3) - N_z
    # The centrifugal parts of (6-76) and (6-77) have no moment about the axis of rotation: they point at it.
    assert C_31 * alpha + C_32 * Omega * w + C_33 == pytest.approx(0, abs=1e-9)  # (6-78), (6-85), (6-87)
    assert abs((C_31 + M * S**2 * cot**2) * alpha + C_32 * Omega * w + C_33) > 0.5  # (6-85) as printed


def test_the_mass_center_is_a_mean(rover):
    """(6-96) to (6-98), printed without the division by M."""
    arm = rover.robot
    poses = np.asarray(arm.link_poses(Q))
    centers = [
        (link.inertia.mass, (pose @ [*link.inertia.center_of_mass, 1.0])[:3])
        for link, pose in zip(arm.links, poses, strict=True)
    ]
    total = sum(m for m, _ in centers)
    assert total == pytest.approx(MASS)
    np.testing.assert_allclose(rover.mass_center(Q), sum(m * p for m, p in centers) / total, atol=1e-12)
