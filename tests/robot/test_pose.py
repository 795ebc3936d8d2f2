"""Poses: what is a rotation, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.robot.pose import rotation_faults


def test_reflections_and_skewed_axes_are_refused() -> None:
    with pytest.raises(lp.ModelError, match=r"R R\^T differs from 1 by 0, det R = -1"):
        lp.Pose(np.diag([1.0, 1.0, -1.0]).tolist())
    skewed = np.eye(3)
    skewed[0, 1] = 0.1
    with pytest.raises(lp.ModelError, match=r"differs from 1 by 0\.1, det R = 1"):
        lp.Pose(skewed.tolist())
    with pytest.raises(lp.ModelError, match="expected a 4 x 4 matrix with last row 0 0 0 1"):
        lp.Pose.from_matrix(np.diag([1.0, 1.0, 1.0, 2.0]))


def test_seven_digits_are_enough() -> None:
    rounded = np.round(lp.Pose.from_xyz_rpy(rpy=(0.3, -0.7, 1.1)).R, 7)
    assert lp.Pose(rounded.tolist()).R.tolist() == rounded.tolist()
    with pytest.raises(lp.ModelError, match="not a right-handed rotation"):
        lp.Pose(np.round(rounded, 3).tolist())


def test_faults_of_a_batch() -> None:
    turn = lp.Pose.from_xyz_rpy(rpy=(0.1, 0.2, 0.3)).R
    off, determinant = rotation_faults(np.stack([turn, 2 * turn, -turn, np.full((3, 3), np.nan)]))
    np.testing.assert_allclose(off, [0, 3, 0, np.nan], atol=1e-15)
    np.testing.assert_allclose(determinant, [1, 8, -1, np.nan])
