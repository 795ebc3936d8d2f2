"""Poses given by the caller: checked, and made exact rotations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats

TOLERANCE = 1e-5
"""How far the product of a rotation matrix with its transpose may be from the identity."""


def checked_poses(pose: Any, caller: str = "inverse_kinematics", what: str = "pose") -> Floats:
    """Poses (..., 4, 4) with the rotations nearest to those given, or an error that names the first bad one.

    >>> checked_poses(np.diag([1.0, 1.0, -1.0, 1.0]))
    Traceback (most recent call last):
    ValueError: inverse_kinematics: pose is a reflection, not a rotation (determinant -1)
    """
    try:
        poses = np.asarray(pose, dtype=float)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{caller}: '{what}' is not an array of numbers ({problem}): expected homogeneous "
                         "matrices (..., 4, 4), as link_poses and lp.Pose(...).matrix give them") from None
    if poses.ndim < 2 or poses.shape[-2:] != (4, 4):
        raise ValueError(f"{caller}: '{what}' has the shape {poses.shape}: expected (..., 4, 4)")
    title = caller, what
    _refuse(title, ~np.isfinite(poses).all(axis=(-2, -1)), "has entries that are not finite numbers")
    _refuse(title, np.abs(poses[..., 3, :] - [0, 0, 0, 1]).max(axis=-1) > 1e-9, "has a last row that is not 0, 0, 0, 1")
    R = poses[..., :3, :3]
    _refuse(title, np.linalg.det(R) < 0, "is a reflection, not a rotation (determinant -1)")
    stretch = np.abs(np.swapaxes(R, -2, -1) @ R - np.eye(3)).max(axis=(-2, -1))
    skewed = "is not a rotation: its columns are not perpendicular units (off by {:.3g})"
    _refuse(title, stretch > TOLERANCE, skewed, stretch)
    exact = poses.copy()
    for _ in range(2):  # each squares how far they are from the nearest rotation
        R = R @ (1.5 * np.eye(3) - 0.5 * np.swapaxes(R, -2, -1) @ R)
    exact[..., :3, :3] = R
    return exact


def _refuse(title: tuple[str, str], bad: NDArray[np.bool_], why: str, number: Floats | None = None) -> None:
    if not bad.any():
        return
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    caller, what = title
    row = f"{what} {list(first)}" if first else what
    raise ValueError(f"{caller}: {row} {why.format('' if number is None else number[first])}")
