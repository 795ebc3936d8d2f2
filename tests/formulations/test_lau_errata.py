"""Rows of docs/errata.md on Lau's thesis, chapters 2 to 5, that no other test has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.formulations import newton_euler
from loadpath.formulations.generalized_coefficients import coefficients
from loadpath.robot.mechanism import plain
from on_scalars import on_arrays

cross = np.cross
M1, M, D0, D1, D, G = 1.3, 0.7, 0.1, 0.35, 0.9, 9.81
T1, T2 = 0.4, 0.6
Q = np.array([T1, T2, D])
C, S = np.cos(T2), np.sin(T2)
STILL = np.zeros(3)


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    """The thesis's arm; at Q its rod ends in joint 2, the instant of the printed values."""
    return lp.catalog.lau_arm(M1, M, D0, D1, D, gravity=G)


def wrenches(arm: lp.Robot, q: np.ndarray = Q, qd: np.ndarray = STILL, qdd: np.ndarray = STILL):
    """Force and torque of every joint on its child link, in the child's axes about its origin: (joints, 3) each."""
    force, torque = on_arrays(newton_euler.joint_wrenches, plain(arm), q, qd, np.asarray(qdd, dtype=float))
    return np.asarray(force, dtype=float), np.asarray(torque, dtype=float)


def skew(w: np.ndarray) -> np.ndarray:
    return cross(np.eye(3), w)


def turned(axis: int, angle: float) -> np.ndarray:
    """Rot(axis; angle) of (2-50) to (2-52)."""
    S = skew(np.eye(3)[axis])
    return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S


# Chapter 2


def test_forward_and_inverse_are_named_the_usual_way(arm: lp.Robot) -> None:
    """Section 3.1 has them the other way round."""
    qdd = np.array([0.3, -0.2, 0.5])
    tau = arm.inverse_dynamics(Q, STILL, qdd)
    np.testing.assert_allclose(arm.forward_dynamics(Q, STILL, tau), qdd, atol=1e-12)


def test_cross_products_need_right_handed_axes() -> None:
    """(2-46): perpendicular axes that are left-handed keep (2-35) to (2-43) and change the sign."""
    p, q = np.random.default_rng(0).normal(size=(2, 3))
    A = turned(0, 0.7) @ turned(2, -0.4)
    mirror = A @ np.diag([1.0, 1.0, -1.0])
    np.testing.assert_allclose(mirror.T @ mirror, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(cross(A @ p, A @ q), A @ cross(p, q))
    np.testing.assert_allclose(cross(mirror @ p, mirror @ q), -mirror @ cross(p, q))


def test_which_frame_turns_in_2_50() -> None:
    """iA^j has the axes of j, seen from i, in its columns: y of j is y of i turned by +theta about x."""
    iAj = np.array([[1, 0, 0], [0, np.cos(0.3), -np.sin(0.3)], [0, np.sin(0.3), np.cos(0.3)]])
    np.testing.assert_allclose(iAj, turned(0, 0.3))
    np.testing.assert_allclose(iAj[:, 1], [0, np.cos(0.3), np.sin(0.3)])
    pose = lp.Pose(iAj)
    np.testing.assert_allclose(np.asarray(pose.rotation) @ [0, 1, 0], iAj[:, 1])


def test_angular_velocities_add() -> None:
    """(2-63) to (2-66)."""
    w = np.array([0.4, -0.7, 1.1])
    parts = [skew(w * np.eye(3)[k]) for k in range(3)]
    np.testing.assert_allclose(sum(parts), skew(w), atol=1e-15)
    assert np.abs(parts[0] @ parts[1] @ parts[2] - skew(w)).max() > 0.1
    assert np.abs(parts[0] @ parts[1] - parts[1] @ parts[0]).max() > 0.1


def test_rates_of_a_displacement() -> None:
    """(2-75a) to (2-80) against differences of a frame that turns, moves and has something moving in it."""
    w, alpha, u, a, d0 = np.random.default_rng(4).normal(size=(5, 3))
    A0 = turned(1, 0.8) @ turned(0, 0.5)
    origin = np.array([0.3, -0.2, 0.1])

    def A(t: float) -> np.ndarray:
        v = w * t + alpha * t**2 / 2  # a rotation vector whose first two derivatives at 0 are w and alpha
        size = np.linalg.norm(v)
        K = skew(v)
        if size < 1e-12:
            return A0
        return (np.eye(3) + np.sin(size) / size * K + (1 - np.cos(size)) / size**2 * K @ K) @ A0

    def d(t: float) -> np.ndarray:
        return d0 + u * t + a * t**2 / 2

    def place(t: float) -> np.ndarray:
        return origin + A(t) @ d(t)

    h = 1e-4
    rate, second = (place(h) - place(-h)) / (2 * h), (place(h) - 2 * place(0) + place(-h)) / h**2
    assert np.abs(place(0) - A0 @ d0).max() > 0.05  # (2-75a) without the origin of frame i
    np.testing.assert_allclose(rate, A0 @ u + cross(w, A0 @ d0), atol=1e-7)
    corrected = A0 @ a + cross(alpha, A0 @ d0) + cross(w, cross(w, A0 @ d0)) + 2 * cross(w, A0 @ u)
    np.testing.assert_allclose(second, corrected, atol=1e-6)
    printed = A0 @ a + cross(alpha, d0) + cross(w, cross(w, d0)) + 2 * cross(w, A0 @ u)
    assert np.abs(second - printed).max() > 0.1
    # In frame i: u + w x d is the velocity resolved there (2-79), and (2-80) the acceleration resolved there, ...
    wi, ai = A0.T @ w, A0.T @ alpha
    np.testing.assert_allclose(A0.T @ rate, u + cross(wi, d0), atol=1e-7)
    resolved = a + cross(ai, d0) + cross(wi, cross(wi, d0)) + 2 * cross(wi, u)
    np.testing.assert_allclose(A0.T @ second, resolved, atol=1e-6)
    # ... which is not the rate of the components of v.
    v = [A(t).T @ (place(t + h) - place(t - h)) / (2 * h) for t in (-h, h)]
    assert np.abs((v[1] - v[0]) / (2 * h) - resolved).max() > 0.1


def test_the_product_of_four_vectors() -> None:
    """(2-86) for any p and s."""
    p, q, r, s = np.random.default_rng(2).normal(size=(4, 3))
    product = cross(p, cross(q, cross(r, s)))
    np.testing.assert_allclose(product, q * (p @ cross(r, s)) - (p @ q) * cross(r, s))


# Chapter 3


def test_products_of_inertia_are_negative() -> None:
    """(3-65) and (3-67) of two point masses: the library's tensor has -int xy dm."""
    points, masses = np.array([[0.3, 0.2, -0.1], [-0.1, 0.5, 0.4]]), np.array([1.5, 0.8])
    by_3_65 = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, points, strict=True))
    assert by_3_65[0, 1] == pytest.approx(-(masses * points[:, 0] * points[:, 1]).sum())
    # The torque of an angular acceleration about z is what the masses take: sum of m r x (alpha x r).
    alpha = np.array([0.0, 0.0, 2.0])
    torque = sum(m * cross(r, cross(alpha, r)) for m, r in zip(masses, points, strict=True))
    np.testing.assert_allclose(by_3_65 @ alpha, torque)


def moments(points: np.ndarray, mass: float) -> np.ndarray:
    """About the origin, of equal point masses."""
    return mass * (np.einsum("ni,ni->", points, points) * np.eye(3) - points.T @ points) / len(points)


def test_moments_of_the_disc_and_of_the_rod(arm: lp.Robot) -> None:
    """(3-100) to (3-107), (4-106) to (4-112), and the last table of chapter 4."""
    r, phi = np.meshgrid(D1 * np.sqrt((np.arange(60) + 0.5) / 60), 2 * np.pi * np.arange(60) / 60)
    disc = np.column_stack([(r * np.cos(phi)).ravel(), (r * np.sin(phi)).ravel(), np.zeros(3600)])
    of_disc = np.asarray(arm.link("turntable").inertia.tensor)
    np.testing.assert_allclose(np.diag(of_disc), M1 * D1**2 * np.array([1, 1, 2]) / 4)
    np.testing.assert_allclose(moments(disc, M1), of_disc, atol=1e-4)
    x = (np.arange(2000) + 0.5) / 2000 * D
    about_end = moments(np.column_stack([x, 0 * x, 0 * x]), M)
    rod = arm.link("rod").inertia
    about_tip = np.asarray(rod.tensor) + moments(np.asarray(rod.center_of_mass)[None], rod.mass)
    np.testing.assert_allclose(about_tip, about_end, atol=1e-6)
    assert about_tip[1, 1] == pytest.approx(M * D**2 / 3) != pytest.approx(M * D**2 / 12 + M * D**2)


def test_the_rod_is_rigid(arm: lp.Robot) -> None:
    """Its mass center accelerates as the slide does, not at half of it: F along the slide is M a2, at any d2."""
    for slide in (0.3, D, 1.4):
        force, _ = wrenches(arm.with_gravity((0, 0, 0)), np.array([T1, T2, slide]), qdd=np.array([0, 0, 1.0]))
        np.testing.assert_allclose(force[2], [-M, 0, 0], atol=1e-13)


def test_mass_centers_of_the_example(arm: lp.Robot) -> None:
    """(3-116), (3-117), (4-114) to (4-119), in the frames of all links."""
    poses = dict(zip(arm.link_names, arm.link_poses(Q), strict=True))
    center = poses["rod"] @ [*arm.link("rod").inertia.center_of_mass, 1.0]
    found = {name: (np.linalg.inv(pose) @ center)[:3] for name, pose in poses.items()}
    np.testing.assert_allclose(found["rod"], [D / 2, 0, 0], atol=1e-14)
    np.testing.assert_allclose(found["carriage"], [-D / 2, 0, 0], atol=1e-14)
    np.testing.assert_allclose(found["turntable"], [-D / 2 * C, D1, D / 2 * S], atol=1e-14)
    for printed in ([D / 2 * C, 0, -D / 2 * S], [D / 2 * C, D1, -D / 2 * S]):  # (4-115), (4-116)
        assert np.abs(found["carriage"] - printed).max() > 0.1 and np.abs(found["turntable"] - printed).max() > 0.1
    carriage = np.linalg.inv(poses["turntable"]) @ poses["carriage"][:, 3]
    np.testing.assert_allclose(carriage[:3], [0, D1, 0], atol=1e-14)  # (4-118)
    # (3-109): from the tip, p_2 = -d2/2 would put it at -3/2 d2 cos.
    tip = np.linalg.inv(poses["turntable"]) @ poses["rod"]
    assert (tip @ [-D / 2, 0, 0, 1])[0] == pytest.approx(-1.5 * D * C)


def test_the_pose_of_the_rod(arm: lp.Robot) -> None:
    """(2-97), (3-110): sin1 cos2 in the second row, printed sin1 sin2."""
    c1, s1 = np.cos(T1), np.sin(T1)
    expected = [
        [c1 * C, -s1, c1 * S, -D1 * s1 - D * c1 * C],
        [s1 * C, c1, s1 * S, D1 * c1 - D * s1 * C],
        [-S, 0, C, D0 + D * S],
        [0, 0, 0, 1],
    ]
    pose = arm.link_poses(Q)[3]
    np.testing.assert_allclose(pose, expected, atol=1e-14)
    assert abs(pose[1, 0] - s1 * S) > 0.05


def test_gravity_torques_of_the_example(arm: lp.Robot) -> None:
    """(3-114) to (3-120), (4-124), (4-125): what the joints supply is minus the load that is printed."""
    force, torque = wrenches(arm)
    np.testing.assert_allclose(force[1], -M * G * np.array([S, 0, -C]), atol=1e-13)
    np.testing.assert_allclose(force[0], [0, 0, (M1 + M) * G], atol=1e-13)
    np.testing.assert_allclose(torque[1], [0, M * G * D / 2 * C, 0], atol=1e-13)
    np.testing.assert_allclose(torque[0], M * G * np.array([D1, D / 2 * C, 0]), atol=1e-13)
    assert np.abs(torque[0] - 0.5 * M * G * np.array([D1, D * C, 0])).max() > 0.1
    D_i = on_arrays(coefficients, plain(arm), Q)[0].astype(float)
    np.testing.assert_allclose(D_i, [0, M * G * D / 2 * C, M * G * S], atol=1e-13)


def test_inertial_force_at_the_first_joint(arm: lp.Robot) -> None:
    """(3-122): a force, with the cosine of theta2 in y."""
    al1, al2, a2 = 1.1, 1.7, -1.3
    force, _ = wrenches(arm.with_gravity((0, 0, 0)), qdd=np.array([al1, al2, a2]))
    x, z = -a2 * C + D / 2 * al2 * S - D1 * al1, a2 * S + D / 2 * al2 * C
    np.testing.assert_allclose(force[0], M * np.array([x, -D / 2 * C * al1, z]), atol=1e-13)
    assert abs(force[0][1] + M * D / 2 * S * al1) > 0.05


# Chapter 4


def test_the_inertia_per_mass_of_4_47() -> None:
    points = np.random.default_rng(1).normal(size=(7, 3))
    K = moments(points, 1.0)
    sums = sum(np.trace(np.outer(r, r)) * np.eye(3) - np.outer(r, r) for r in points) / len(points)
    np.testing.assert_allclose(K, sums)
    assert np.linalg.matrix_rank(sums) == 3  # printed: the trace of nothing


def test_the_actuators_count_once() -> None:
    """(4-98): a rotor of J behind a gear of ratio r is J r^2 on the diagonal of D_ik, and nowhere else."""
    arm = lp.catalog.lau_arm(M1, M, D0, D1, D)
    geared = replace(arm, joints=tuple(replace(j, rotor_inertia=(2e-4,), gear_ratio=(50.0,)) for j in arm.joints))
    more = np.asarray(geared.mass_matrix(Q)) - np.asarray(arm.mass_matrix(Q))
    np.testing.assert_allclose(more, 2e-4 * 50.0**2 * np.eye(3), atol=1e-12)


def test_inertial_force_of_the_slide(arm: lp.Robot) -> None:
    """(4-127): along +x of the rod -M (a2 + alpha1 d1 cos2); printed with a1 and cos1."""
    al1, a2 = 1.1, -1.3
    force, _ = wrenches(arm.with_gravity((0, 0, 0)), qdd=np.array([al1, 0.0, a2]))
    assert force[2][0] == pytest.approx(-M * (a2 + al1 * D1 * C))
    assert abs(force[2][0] + M * (a2 + al1 * D1 * np.cos(T1))) > 0.01
    # (4-129) by a2: +M d1 cos2 for a slide along -x.
    assert on_arrays(coefficients, plain(arm), Q)[1][0, 2] == pytest.approx(M * D1 * C)


# Chapter 5


def test_who_acts_on_whom(arm: lp.Robot) -> None:
    """(5-13), (5-19): the integral over link i and those after it is what link i-1 does to link i: it holds them up."""
    force, _ = wrenches(arm)
    assert force[0][2] == pytest.approx((M1 + M) * G)


def test_points_of_a_rigid_link_move_differently(arm: lp.Robot) -> None:
    """(5-24), (5-25) and below (5-83): at the rod's tip u + w x r, not u; its mass center accelerates otherwise."""
    poses = arm.link_poses(Q)
    qd, qdd, h = np.array([0.8, -0.6, 0.4]), np.array([0.3, 0.9, -0.5]), 1e-4

    def at(t: float, point: tuple[float, float, float]) -> np.ndarray:
        """A point of the rod, in the axes of the turntable as it stands."""
        moved = arm.link_poses(Q + qd * t + qdd * t**2 / 2)[3]
        return poses[1][:3, :3].T @ (moved @ [*point, 1.0])[:3]

    tip, center = ((at(h, p) - 2 * at(0, p) + at(-h, p)) / h**2 for p in ((0, 0, 0), (D / 2, 0, 0)))
    assert np.abs(tip - center).max() > 0.1
    force, _ = wrenches(arm.with_gravity((0, 0, 0)), qd=qd, qdd=qdd)
    carried = poses[1][:3, :3].T @ poses[2][:3, :3] @ force[1]
    np.testing.assert_allclose(carried, M * center, atol=1e-6)
    # Relative to joint 2 alone: the tip moves with u + w2 x r in the turntable.
    before, after = (arm.link_poses(Q + step) for step in h * np.array([[0, -1, -1], [0, 1, 1]]))
    rate = ((np.linalg.inv(after[1]) @ after[3] - np.linalg.inv(before[1]) @ before[3])[:3, 3]) / (2 * h)
    u, r = turned(1, T2) @ [-1.0, 0, 0], turned(1, T2) @ [-D, 0, 0]
    np.testing.assert_allclose(rate, u + cross([0, 1.0, 0], r), atol=1e-6)
    assert np.abs(rate - u).max() > 0.1


def test_the_mass_center_of_5_77(arm: lp.Robot) -> None:
    """i+1_p is turned by 0A^{i+1}, the axes of the link itself; by the axes of the link before it lands elsewhere."""
    poses = arm.link_poses(Q)
    p = np.array(arm.link("rod").inertia.center_of_mass)
    center = poses[3][:3, 3] + poses[3][:3, :3] @ p
    np.testing.assert_allclose(center, poses[1][:3, 3] + poses[1][:3, :3] @ [-D / 2 * C, D1, D / 2 * S], atol=1e-14)
    assert np.abs(poses[3][:3, 3] + poses[1][:3, :3] @ p - center).max() > 0.1


def test_moments_about_a_moving_point() -> None:
    """(5-84): with L about the mass center N = dL/dt + r x dp/dt; with L about a moving O, N = dL_O/dt + v_O x p."""
    rng = np.random.default_rng(8)
    m = np.array([1.0, 2.0, 0.7])
    r0, v0, a0 = rng.normal(size=(3, 3, 3))
    o0, vo, ao = rng.normal(size=(3, 3))

    def state(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return r0 + v0 * t + a0 * t**2 / 2, v0 + a0 * t, o0 + vo * t + ao * t**2 / 2, vo + ao * t

    def about(t: float, point: np.ndarray) -> np.ndarray:
        r, v, _, _ = state(t)
        return (m[:, None] * cross(r - point, v)).sum(axis=0)

    def center(t: float) -> np.ndarray:
        return (m[:, None] * state(t)[0]).sum(axis=0) / m.sum()

    h = 1e-5
    N = (m[:, None] * cross(r0 - o0, a0)).sum(axis=0)
    central = (about(h, center(h)) - about(-h, center(-h))) / (2 * h)
    pdot = (m[:, None] * a0).sum(axis=0)
    np.testing.assert_allclose(central + cross(center(0) - o0, pdot), N, atol=1e-8)
    around = (about(h, state(h)[2]) - about(-h, state(-h)[2])) / (2 * h)
    p = (m[:, None] * v0).sum(axis=0)
    np.testing.assert_allclose(around + cross(vo, p), N, atol=1e-8)
    assert np.abs(around + cross(center(0) - o0, pdot) - N).max() > 0.1
