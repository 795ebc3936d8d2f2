"""Arithmetic of transport: cross products and turns of batches of vectors, and what counts as a turn.

Only operators and indexing are used, so Dask and JAX arrays go through as NumPy arrays do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loadpath.robot.pose import ORTHOGONAL, Pose, rotation_faults

_NEXT, _AFTER = [1, 2, 0], [2, 0, 1]


def crossed(a: Any, b: Any) -> Any:
    """a x b of batches of vectors, (..., 3).

    >>> crossed(np.array([1.0, 0, 0]), np.array([[0.0, 1, 0], [0, 0, 1]])).tolist()
    [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
    """
    return a[..., _NEXT] * b[..., _AFTER] - a[..., _AFTER] * b[..., _NEXT]


def turned_back(rotation: Any, v: Any) -> Any:
    """R^T v: components in the turned axes of vectors (..., 3) in the axes that R, (..., 3, 3), turns from.

    >>> turned_back(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), np.array([0.0, 2, 0])).tolist()
    [2.0, 0.0, 0.0]
    """
    return (rotation * v[..., :, None]).sum(axis=-2)


def rotation_and_origin(pose: Any) -> tuple[Any, Any]:
    """Rotation (..., 3, 3) and translation (..., 3) of an `lp.Pose`, of 4 x 4 matrices, or of 3 x 3 turns alone.

    >>> rotation_and_origin(np.diag([1.0, 1, -1]))
    Traceback (most recent call last):
    ValueError: pose: its rotation is not right-handed: det R = -1
    """
    if isinstance(pose, Pose):
        return pose.R, pose.p
    matrix = pose if hasattr(pose, "dtype") and hasattr(pose, "shape") else np.asarray(pose)
    if matrix.dtype.kind not in "biuf" or matrix.shape[-2:] not in ((3, 3), (4, 4)):
        raise ValueError(f"pose has the shape {matrix.shape} and dtype {matrix.dtype}: expected an lp.Pose, real "
                         "matrices of the shape (..., 4, 4), or rotations of the shape (..., 3, 3)")
    rotation = matrix[..., :3, :3]
    origin = matrix[..., :3, 3] if matrix.shape[-1] == 4 else np.zeros(3)
    if isinstance(matrix, np.ndarray):  # the values of others are not there yet
        _check(matrix, rotation)
    return rotation, origin


def _check(matrix: Any, rotation: Any) -> None:
    if matrix.shape[-1] == 4:
        bottom = np.abs(matrix[..., 3, :] - (0, 0, 0, 1)).max(axis=-1)
        if (bottom > ORTHOGONAL).any():
            raise ValueError(f"pose{_where(bottom > ORTHOGONAL)}: expected 0 0 0 1 as the last row of a 4 x 4 matrix")
    off, determinant = rotation_faults(rotation)
    if (off > ORTHOGONAL).any():
        worst = float(np.nanmax(off))
        raise ValueError(f"pose{_where(off > ORTHOGONAL)}: its rotation is not orthogonal: R R^T differs from 1 by "
                         f"{worst:.3g}")
    if (determinant < 0).any():
        raise ValueError(f"pose{_where(determinant < 0)}: its rotation is not right-handed: "
                         f"det R = {float(np.nanmin(determinant)):.3g}")


def _where(bad: Any) -> str:
    """Which one of a batch."""
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    return f" {first}" if first else ""
