"""Motions of closed robots: made from those of the drives, closed at every sample, in files too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loadpath as lp
from closed.linkages_by_hand import by_circles, four_bar, same_angles

CRANK_ROCKER = (0.3, 0.8, 0.6, 0.7)
BAR = four_bar(*CRANK_ROCKER).with_home(by_circles(*CRANK_ROCKER, 0.4, 1))


def _is_closed(motion: lp.Motion) -> bool:
    closed = float(np.abs(BAR.closure(motion.q)).max()) < 1e-12
    rows = BAR.constraint_jacobian(motion.q)
    still = float(np.abs(np.einsum("kij,kj->ki", rows, motion.qd)).max()) < 1e-11
    return closed and still


def test_a_motion_of_the_crank_moves_all() -> None:
    t = np.linspace(0, 2, 401)
    angle = 0.4 + np.sin(2 * t)
    motion = BAR.motion(t, {"crank_joint": angle})
    assert _is_closed(motion) and motion.problems() == []
    assert same_angles(motion.q, by_circles(*CRANK_ROCKER, angle, 1)) < 1e-11
    given = BAR.motion(t, angle[:, None], 2 * np.cos(2 * t)[:, None], -4 * np.sin(2 * t)[:, None])
    np.testing.assert_allclose(given.qdd, motion.qdd, atol=1e-4)
    assert (np.abs(motion.qdd - given.qdd).max(axis=0) <= motion.qdd_error + 1e-9).all()
    assert (given.qd_error == 0).all()
    np.testing.assert_allclose(given.qd, np.gradient(given.q, t, axis=0, edge_order=2), atol=2e-3)
    of_drives = BAR.motion(lp.Motion(t, angle[:, None]))
    np.testing.assert_allclose(of_drives.q, motion.q, atol=1e-12)
    whole = lp.Motion(t, motion.q, robot=BAR)  # speeds are derived for the drive, and completed
    assert _is_closed(whole)
    np.testing.assert_allclose(BAR.inverse_dynamics(whole), BAR.inverse_dynamics(motion), atol=1e-6)


def test_between_samples_the_loops_are_closed_too() -> None:
    t = np.linspace(0, 1, 41)
    motion = BAR.motion(t, {"crank_joint": 0.4 + 0.5 * t**2})
    for part in (motion.at(np.linspace(0.01, 0.99, 30)), motion.resampled(77.0), motion.between(0.2, 0.7)):
        assert _is_closed(part)
    np.testing.assert_allclose(motion.at([0.5]).q[0, 0], 0.4 + 0.125, atol=1e-9)
    assert _is_closed(motion.scaled(speed=2))


def test_swing_and_points_are_of_the_drives() -> None:
    swing = lp.Motion.swing(BAR, samples=101)
    assert _is_closed(swing) and np.ptp(swing.q[:, 0]) > 0.5
    through = lp.Motion.through(BAR, [[0.4], [1.2], [0.6]], velocity=1.0, rate=100.0)
    assert _is_closed(through) and np.abs(through.qd[:, 0]).max() == pytest.approx(1.0, abs=1e-3)
    other = by_circles(*CRANK_ROCKER, [0.4, 1.2], -1)
    mirrored = lp.Motion.through(BAR, other, times=[0.0, 1.0], rate=100.0)
    assert same_angles(mirrored.q[-1], other[-1]) < 1e-10  # the first configuration says which mode


def test_files_of_drives_are_enough(tmp_path: Path) -> None:
    t = np.linspace(0, 1, 51)
    motion = BAR.motion(t, {"crank_joint": 0.4 + 0.3 * t})
    motion.to_csv(tmp_path / "all.csv")
    np.testing.assert_allclose(lp.Motion.from_csv(tmp_path / "all.csv", BAR).q, motion.q, atol=1e-12)
    table = np.stack([t, motion.q[:, 0]], axis=1)
    np.savetxt(tmp_path / "drive.csv", table, delimiter=",", header="time,crank_joint", comments="")
    read = lp.Motion.from_csv(tmp_path / "drive.csv", BAR)
    assert _is_closed(read)
    np.testing.assert_allclose(read.q, motion.q, atol=1e-12)
    np.savetxt(tmp_path / "other.csv", table, delimiter=",", header="time,rocker_joint", comments="")
    with pytest.raises(ValueError, match=r"there is no column 'q.crank_joint'"):
        lp.Motion.from_csv(tmp_path / "other.csv", BAR)


def test_what_is_no_motion_of_a_closed_robot() -> None:
    t = np.linspace(0, 1, 11)
    words = r"as many as robot 'four_bar' has drives \(crank_joint\).*robot.motion\(t, q\)"
    with pytest.raises(ValueError, match=words):
        lp.Motion(t, np.zeros((11, 1)), robot=BAR)
    still = np.zeros((11, 3))
    with pytest.warns(lp.ModelWarning, match="'pin' is open by"):
        lp.Motion(t, np.tile([0.4, 0.1, 0.2], (11, 1)), still, still, robot=BAR)
    with pytest.raises(ValueError, match="expected times and coordinates of the drives crank_joint"):
        BAR.motion(t)
    with pytest.raises(ValueError, match="has no speed 'crank'"):
        BAR.motion(t, {"crank": t})
    rocker = four_bar(0.6, 0.4, 0.5, 0.8)
    turn = np.linspace(0.8, 3.0, 40)
    with pytest.raises(ValueError, match="cannot be assembled in"):
        rocker.motion(np.linspace(0, 1, 40), {"crank_joint": turn})
    with pytest.warns(lp.ModelWarning, match="cannot be assembled in"):
        part = rocker.motion(np.linspace(0, 1, 40), {"crank_joint": turn}, strict=False)
    assert 2 <= len(part) < 40
