"""Parts on robots: what they see is the joint wrench, and the causes of each row sum to its demand."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

RING = lp.CrossedRollerBearing(C=9600, C0=15100, dp=0.062, offset=0.02, load_factor=1.3)
PAIR = lp.BearingPair(spacing=(-0.03, 0.05), C=29.1e3, C0=17.9e3, kind="tapered", Y=1.6)
FLANGE = lp.BoltedFlange(bolts=8, circle=0.09, preload=8e3, proof_load=12e3, friction=0.12, normal=(0, 0, 1))


@pytest.fixture(scope="module")
def robot():
    arm = lp.catalog.planar(2, mass=8.0).with_gravity((0, -6.0, -7.0))  # out of the plane, too
    return arm.with_payload(6.0, (0.0, 0.0, 0.2)).with_parts({"joint1": [RING, PAIR], "joint2": FLANGE})


@pytest.fixture(scope="module")
def motion(robot):
    return lp.Motion.through(robot, [[0.0, 0.5], [2.0, -1.0], [0.0, 0.5]], [0.0, 0.8, 2.0], rate=200)


def test_a_ring_sees_the_joint_wrench(robot, motion):
    """Mean load and largest static load, written out anew from the wrenches and the weights of a trapezoid."""
    found = {row.check: row for row in robot.verdict(motion, hours=1e4).checks if row.part == RING.kind}
    wrenches = robot.joint_wrenches(motion.q, motion.qd, motion.qdd)
    k = robot.joint_names.index("joint1")
    F, T = wrenches.force[:, k], wrenches.torque[:, k]
    radial, axial = np.hypot(F[:, 0], F[:, 1]), np.abs(F[:, 2])
    moment = np.hypot(T[:, 0] + 0.02 * F[:, 1], T[:, 1] - 0.02 * F[:, 0])  # T - (0, 0, 0.02) x F
    both = radial + 2 * moment / 0.062
    P = np.where(axial <= 1.5 * both, both + 0.45 * axial, 0.67 * (both + axial))
    P0 = both + 0.44 * axial
    w = np.gradient(motion.t)
    w[[0, -1]] = 0.5 * np.diff(motion.t)[[0, -1]]
    turned = np.abs(motion.qd[:, 0]) * w
    mean = 1.3 * (turned @ P ** (10 / 3) / turned.sum()) ** 0.3
    hours = 1e6 * (9600 / mean) ** (10 / 3) / (turned.sum() / motion.t[-1] / (2 * np.pi)) / 3600
    assert axial.max() > 50 and moment.max() > 5  # all six components count here
    assert found["static safety"].demand == pytest.approx(P0.max(), rel=1e-12)
    assert found["static safety"].at.sample == P0.argmax()
    assert found["life L10"].demand == pytest.approx(mean, rel=1e-6)
    assert found["life L10"].life_hours == pytest.approx(hours, rel=1e-5)


def test_causes_sum_to_every_demand(robot, motion):
    found = robot.verdict(motion, hours=1e4)
    rows = [row for row in found.checks if row.kind in (RING.kind, PAIR.kind, FLANGE.kind)]
    assert len(rows) == 9
    for row in rows:
        assert sum(found.causes(row).values()) == pytest.approx(row.demand, rel=1e-9)


def test_joints_that_are_locked_name_the_part(robot):
    with pytest.raises(lp.ModelError, match=r"joint 'joint1' is fixed.*robot\.without_parts\('joint1'\)"):
        still = robot.locked({"joint1": 0.3})
        still.verdict(lp.Motion.swing(still))
