"""Poses given by the caller: checked, and made exact rotations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats

TOLERANCE = 1e-5
"""How far the product of a rotation matrix with its transpose may be from the identity."""


def checked_poses(pose: Any) -> Floats:
    """Poses (..., 4, 4) with the rotations nearest to those given, or an error that names the first bad one.

    >>> checked_poses(np.diag([1.0, 1.0, -1.0, 1.0]))
    Traceback (most recent call last):
    ValueError: inverse_kinematics: pose is a reflection, not a rotation (determinant -1)
    """
    try:
        poses = np.asarray(pose, dtype=float)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"inverse_kinematics: 'pose' is not an array of numbers ({problem}): expected homogeneous "
                         "matrices (..., 4, 4), as link_poses and lp.Pose(...).matrix give them") from None  # fmt: skip
    if poses.ndim < 2 or poses.shape[-2:] != (4, 4):
        raise ValueError(f"inverse_kinematics: 'pose' has the shape {poses.shape}: expected (..., 4, 4)")
    _refuse(~np.isfinite(poses).all(axis=(-2, -1)), "has entries that are not finite numbers")
    _refuse(np.abs(poses[..., 3, :] - [0, 0, 0, 1]).max(axis=-1) > 1e-9, "has a last row that is not 0, 0, 0, 1")
    R = poses[..., :3, :3]
    _refuse(np.linalg.det(R) < 0, "is a reflection, not a rotation (determinant -1)")
    stretch = np.abs(np.swapaxes(R, -2, -1) @ R - np.eye(3)).max(axis=(-2, -1))
    _refuse(stretch > TOLERANCE, "is not a rotation: its columns are not perpendicular units (off by {:.3g})", stretch)
    exact = poses.copy()
    for _ in range(2):  # each squares how far they are from the nearest rotation
        R = R @ (1.5 * np.eye(3) - 0.5 * np.swapaxes(R, -2, -1) @ R)
    exact[..., :3, :3] = R
    return exact


def _refuse(bad: NDArray[np.bool_], why: str, number: Floats | None = None) -> None:
    if not bad.any():
        return
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    row = f"pose {list(first)}" if first else "pose"
    raise ValueError(f"inverse_kinematics: {row} {why.format('' if number is None else number[first])}")
