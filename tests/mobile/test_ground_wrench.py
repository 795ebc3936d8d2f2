"""The wrench of the ground: against the corrected formulas of Lau's thesis, a planar joint, and by hand."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from rovers import motions, random_base

import loadpath as lp


@pytest.fixture(scope="module")
def rover():
    base = random_base(3, 3, kinds=("fixed",))
    return base.carrying(lp.catalog.random_chain(3, 5), at=lp.Pose.from_xyz_rpy((0.1, -0.2, 0.5), (0.3, -0.2, 0.4)))


def without_spin(rover):
    from dataclasses import replace

    wheels = [replace(wheel, spin_inertia=0.0) for wheel in rover.base.wheels]
    return replace(rover, wheeled_base=replace(rover.base, wheels=wheels))


def body_sums(rover, q, qd):
    """Over base and arm: M, h, S, T of the errata (section 6.9), and h', all about O in base axes."""
    robot = rover.robot
    poses = robot.link_poses(q)
    masses, hs, hd, S, T = 0.0, np.zeros(3), np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    for k, link in enumerate(robot.links):
        R, p = poses[k, :3, :3], poses[k, :3, 3]
        jacobian = robot.jacobian(q, link.name) if robot.n else np.zeros((6, 0))
        velocity, omega = jacobian[:3] @ qd, jacobian[3:] @ qd
        m, c = link.inertia.mass, R @ np.array(link.inertia.center_of_mass)
        vc = velocity + np.cross(omega, c)
        c = p + c
        central = R @ np.array(link.inertia.tensor) @ R.T
        spread = np.trace(central) / 2 * np.eye(3) - central
        skew = np.array([[0, -omega[2], omega[1]], [omega[2], 0, -omega[0]], [-omega[1], omega[0], 0]])
        masses, hs, hd = masses + m, hs + m * c, hd + m * vc
        S += spread + m * np.outer(c, c)
        T += m * np.outer(c, vc) + spread @ skew.T
    return masses, hs / masses, hd / masses, S, T


def test_formulas_of_the_errata(rover):
    """Section 6.9: the wrench from M, h, S, T and the wrench of the arm on a base at rest without gravity."""
    rover = without_spin(rover)
    g = 9.81
    weightless = rover.on(lp.Ground(gravity=0.0))
    for q, qd, qdd, speed, change in zip(*motions(rover, 5, 1), strict=True):
        (v, _, w), (vdot, _, wdot) = speed, change
        M, h, hd, S, T = body_sums(rover, q, qd)
        still = weightless.ground_wrench(q, qd, qdd)
        F0, N0 = still.force, still.torque
        Izz, Izz_dot = S[0, 0] + S[1, 1], 2 * (T[0, 0] + T[1, 1])
        force = [M * (vdot - h[1] * wdot - h[0] * w**2 - 2 * w * hd[1]) + F0[0],
                 M * (v * w + h[0] * wdot - h[1] * w**2 + 2 * w * hd[0]) + F0[1],
                 M * g + F0[2]]
        torque = [
            N0[0] + M * g * h[1] - M * h[2] * v * w - S[0, 2] * wdot + S[1, 2] * w**2 - 2 * w * T[2, 0],
            N0[1] - M * g * h[0] + M * h[2] * vdot - S[1, 2] * wdot - S[0, 2] * w**2 - 2 * w * T[2, 1],
            N0[2] + Izz * wdot - M * h[1] * vdot + M * h[0] * v * w + Izz_dot * w,
        ]
        got = rover.ground_wrench(q, qd, qdd, velocity=(v, w), acceleration=(vdot, wdot))
        np.testing.assert_allclose(got.force, force, rtol=1e-11, atol=1e-9)
        np.testing.assert_allclose(got.torque, torque, rtol=1e-11, atol=1e-9)
        np.testing.assert_allclose(rover.mass_center(q), h, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("slope", [0.0, 0.4])
def test_planar_joint_carries_the_same(rover, slope):
    """The rover on a planar joint: the wrench at that joint, for speeds turned into the ground's axes."""
    rover = without_spin(rover).on(lp.Ground(slope=slope))
    q, qd, qdd, speed, change = motions(rover, 20, 2)
    heading = np.linspace(-3, 3, 20)
    c, s = np.cos(heading), np.sin(heading)
    turn = np.array([[c, -s], [s, c]]).transpose(2, 0, 1)
    (vx, vy, w), (ax, ay, wdot) = speed.T, change.T
    acceleration = np.stack([ax - w * vy, ay + w * vx], axis=-1)
    planar_q = np.column_stack([np.zeros((20, 2)), heading, q])
    planar_v = np.column_stack([(turn @ speed[:, :2, None])[..., 0], w, qd])
    planar_a = np.column_stack([(turn @ acceleration[..., None])[..., 0], wdot, qdd])
    joint = rover.planar.joint_wrenches(planar_q, planar_v, planar_a)["ground_joint"]
    got = rover.ground_wrench(q, qd, qdd, velocity=speed, acceleration=change, heading=heading)
    np.testing.assert_allclose(got.force, joint.force, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(got.torque, joint.torque, rtol=1e-11, atol=1e-9)


def test_spinning_wheels():
    """Errata 6.9: N_x gains -w J (b2 + b3), N_y gains J (b2' + b3')."""
    J, R, d = 0.3, 0.1, 0.4
    spinning = [lp.FixedWheel((0, d), R, spin_inertia=J), lp.FixedWheel((0, -d), R, spin_inertia=J)]
    plain = [lp.FixedWheel((0, d), R), lp.FixedWheel((0, -d), R)]
    arm = lp.catalog.two_link()
    caster = lp.CasterWheel((0.7, 0), R)
    bases = [lp.WheeledBase(mass=30, center_of_mass=(0.2, 0, 0.3), wheels=[caster, *w]) for w in (spinning, plain)]
    rovers = [base.carrying(arm, at=(0, 0, 0.4)) for base in bases]
    v, w, vdot, wdot = 0.7, -0.5, 1.1, 0.3
    one, other = (r.ground_wrench([0.3, 0.4], velocity=(v, w), acceleration=(vdot, wdot)) for r in rovers)
    rates, changes = ([(x - y * d) / R, (x + y * d) / R] for x, y in ((v, w), (vdot, wdot)))
    np.testing.assert_allclose(one.torque - other.torque, [-w * J * sum(rates), J * sum(changes), 0], atol=1e-12)
    np.testing.assert_allclose(one.force, other.force, atol=1e-12)


def test_slope_by_hand():
    feet = [lp.Support(p) for p in ((1, 1), (-1, 1), (0, -1))]
    box = lp.WheeledBase(mass=10, center_of_mass=(0.1, 0.2, 0.5), wheels=feet)
    rover = box.carrying(ground=lp.Ground(slope=np.pi / 6))
    wrench = rover.ground_wrench([], heading=[0.0, np.pi / 2, np.pi])
    weight = 98.1
    along, down = weight / 2, weight * np.sqrt(3) / 2
    np.testing.assert_allclose(wrench.force, [[along, 0, down], [0, -along, down], [-along, 0, down]], atol=1e-12)
    np.testing.assert_allclose(wrench.torque, np.cross((0.1, 0.2, 0.5), wrench.force), atol=1e-12)


def test_several_robots_trees_and_external_wrenches():
    base = random_base(1, 4, kinds=("fixed",))
    tree, arm = lp.catalog.random_tree(4, 2), lp.catalog.two_link()
    rover = base.carrying(arm, at=(0.2, 0, 0.3)).carrying(arm, at=(-0.2, 0, 0.3)).carrying(tree, at=(0, 0, 0.3))
    assert rover.n == 4 + tree.n
    assert len(set(rover.robot.link_names)) == 1 + 2 * len(arm.links) + len(tree.links)
    q = np.full(rover.nq, 0.2)
    total = sum(link.inertia.mass for link in rover.robot.links)
    assert rover.ground_wrench(q).force[2] == pytest.approx(9.81 * total, rel=1e-12)
    tip = rover.robot.link_names[-1]
    pushed = rover.ground_wrench(q, external={tip: lp.Wrench(force=(3.0, 2.0, 1.0))})
    at = rover.robot.link_poses(q)[-1, :3, 3]
    calm = rover.ground_wrench(q)
    np.testing.assert_allclose(calm.force - pushed.force, (3, 2, 1), atol=1e-10)
    np.testing.assert_allclose(calm.torque - pushed.torque, np.cross(at, (3, 2, 1)), atol=1e-10)
    on_base = rover.ground_wrench(q, external={"rover": lp.Wrench(force=(3.0, 2.0, 1.0))})
    np.testing.assert_allclose(calm.torque, on_base.torque, atol=1e-12)


def test_pickled_and_equal(rover):
    rover.ground_wrench(np.zeros(rover.nq))
    again = pickle.loads(pickle.dumps(rover))
    assert again == rover and hash(again) == hash(rover)
    np.testing.assert_array_equal(again.mass_center(np.zeros(rover.nq)), rover.mass_center(np.zeros(rover.nq)))


def test_batches_and_bad_rows(rover):
    q, qd, qdd, speed, change = motions(rover, 6, 4)
    q[2, 0] = np.nan
    got = rover.wheel_loads(q, qd, qdd, velocity=speed[:, None][:, :, [0, 2]], acceleration=change[0])
    assert got.normal.shape == (6, 6, 3)
    assert np.isnan(got.normal[:, 2]).all() and np.isfinite(np.delete(got.normal, 2, axis=1)).all()
    standing = rover.stability(q)
    assert np.isnan(standing.margin[2]) and np.isfinite(np.delete(standing.margin, 2)).all()
