"""Where one frame sits in another: a rotation and a translation, frozen and hashable."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from loadpath.converted import Converted
from loadpath.errors import ModelError
from loadpath.robot.numbers import Matrix3, Vector3, matrix3, shape_of, vector3
from loadpath.scalars import Scalar, cos, sin
from loadpath.scalars.types import ArrayLike, Floats

_EYE: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ORTHOGONAL = 1e-6
"""What a rotation matrix typed with seven digits may be off by."""


def rotation_faults(rotation: Floats) -> tuple[Floats, Floats]:
    """Of matrices (..., 3, 3): the largest entry of R R^T - 1, more than `ORTHOGONAL` if R is no rotation, and det R,
    negative if it is a reflection; each (...), NaN for NaN.
    """
    off = np.abs(rotation @ np.swapaxes(rotation, -1, -2) - np.eye(3)).max(axis=(-2, -1))
    with np.errstate(invalid="ignore"):
        return np.asarray(off), np.asarray(np.linalg.det(rotation))


def _turns(rotation: Matrix3) -> bool:
    """Whether it is a rotation by half of what is allowed, so that nothing is to be said of it. One matrix is looked at
    in a tenth of the time that arrays take.
    """
    (a, b, c), (d, e, f), (g, h, i) = rotation
    faults = (
        a * a + b * b + c * c - 1.0, d * d + e * e + f * f - 1.0, g * g + h * h + i * i - 1.0,
        a * d + b * e + c * f, a * g + b * h + c * i, d * g + e * h + f * i,
    )
    upright = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) > 0.0
    return upright and max(faults) < ORTHOGONAL / 2 and min(faults) > -ORTHOGONAL / 2


def rotation_by_rpy(r: Scalar, p: Scalar, y: Scalar) -> Matrix3:
    """The rotation by roll, pitch and yaw about fixed axes, one after the other, of any scalars."""
    cr, sr, cp, sp, cy, sy = cos(r), sin(r), cos(p), sin(p), cos(y), sin(y)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def angles_by_formula(r: Matrix3) -> Iterator[Vector3]:
    """Roll, pitch and yaw of a rotation: by its own entries,
    with the pitch beyond a quarter turn (as 1.5708 is), and for a pitch of
    a quarter turn, where roll and yaw turn about the same axis and all is taken for roll; near it, the yaw is what
    the roll leaves.
    """
    across = math.hypot(r[0][0], r[1][0])
    pitch = math.atan2(-r[2][0], across)
    yield math.atan2(r[2][1], r[2][2]), pitch, math.atan2(r[1][0], r[0][0])
    yield math.atan2(-r[2][1], -r[2][2]), math.atan2(-r[2][0], -across), math.atan2(-r[1][0], -r[0][0])
    yield math.atan2(-r[1][2], r[1][1]), pitch, 0.0
    roll = math.atan2(r[2][1], r[2][2])
    c, s = math.cos(roll), math.sin(roll)
    yield roll, pitch, math.atan2(s * r[0][2] - c * r[0][1], c * r[1][1] - s * r[1][2])


def rpy_of(rotation: Matrix3) -> Vector3:
    """Roll, pitch and yaw of a rotation, to rounding.

    >>> [round(angle, 12) for angle in rpy_of(rotation_by_rpy(0.1, -0.2, 0.3))]
    [0.1, -0.2, 0.3]
    """
    if rotation == _EYE:
        return 0.0, 0.0, 0.0
    wanted = np.array(rotation)
    return min(angles_by_formula(rotation), key=lambda angles: float(np.abs(rotation_by_rpy(*angles) - wanted).max()))


@dataclass(frozen=True)
class Pose:
    """The pose of frame B in frame A: `x_A = rotation @ x_B + translation`.

    >>> Pose.from_xyz_rpy((1, 0, 0), (0, 0, np.pi / 2)).transform((1, 0, 0)).round(12).tolist()
    [1.0, 1.0, 0.0]
    """

    rotation: Converted[Matrix3, ArrayLike] = _EYE  # type: ignore[assignment]
    translation: Converted[Vector3, ArrayLike] = (0.0, 0.0, 0.0)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        rotation = matrix3(self.rotation, "rotation of a pose")
        object.__setattr__(self, "rotation", rotation)
        object.__setattr__(self, "translation", vector3(self.translation, "translation of a pose"))
        if rotation == _EYE or _turns(rotation):
            return
        off, determinant = rotation_faults(np.array(rotation))
        if off > ORTHOGONAL or determinant < 0:
            raise ModelError(
                f"rotation of a pose is not a right-handed rotation matrix: R R^T differs from 1 by {off:.3g}, "
                f"det R = {determinant:.3g}"
            )

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """From a 4 x 4 homogeneous matrix."""
        try:
            a = np.asarray(matrix, dtype=float)
        except (TypeError, ValueError):
            raise ModelError(f"pose is {matrix!r}: expected a 4 x 4 matrix of numbers") from None
        if a.shape != (4, 4):
            raise ModelError(f"pose of the shape {a.shape}: expected a 4 x 4 matrix with last row 0 0 0 1")
        if not np.allclose(a[3], (0, 0, 0, 1)):
            last = " ".join(f"{x:g}" for x in a[3])
            raise ModelError(f"pose of the shape {a.shape} with the last row {last}: expected a 4 x 4 matrix with last "
                             "row 0 0 0 1")
        return cls(a[:3, :3].tolist(), a[:3, 3].tolist())

    @classmethod
    def from_xyz_rpy(cls, xyz: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0)) -> Pose:
        """From a translation and fixed-axis roll, pitch and yaw, as URDF writes them."""
        return cls(rotation_by_rpy(*vector3(rpy, "roll, pitch, yaw")), vector3(xyz, "xyz"))

    @property
    def R(self) -> Floats:
        """The rotation as a 3 x 3 array."""
        return np.array(self.rotation)

    @property
    def p(self) -> Floats:
        """The translation as an array."""
        return np.array(self.translation)

    @property
    def matrix(self) -> Floats:
        """The 4 x 4 homogeneous matrix."""
        result = np.eye(4)
        result[:3, :3], result[:3, 3] = self.rotation, self.translation
        return result

    def __matmul__(self, other: Pose) -> Pose:
        """The pose of C in A, from those of B in A (self) and C in B (other)."""
        r, p = self.R @ other.R, self.R @ other.p + self.p
        return Pose(r.tolist(), p.tolist())

    def inverse(self) -> Pose:
        """The pose of A in B."""
        r = self.R.T
        return Pose(r.tolist(), (-(r @ self.p)).tolist())

    def transform(self, point: ArrayLike) -> Floats:
        """Coordinates in A of a point given in B."""
        result: Floats = self.R @ np.asarray(point, dtype=float) + self.p
        return result


PoseLike: TypeAlias = Pose | ArrayLike
"""A pose, a 4 x 4 matrix, or a position."""


def pose_of(value: PoseLike, what: str) -> Pose:
    """The pose from what stands for one; `what` names it in the error.

    >>> pose_of((0, 0, 1), "origin").translation
    (0.0, 0.0, 1.0)
    >>> pose_of("x", "origin of joint 'elbow'")
    Traceback (most recent call last):
    loadpath.errors.ModelError: origin of joint 'elbow' is 'x': expected an lp.Pose, a 4 x 4 matrix, or a position (3,)
    """
    if isinstance(value, Pose):
        return value
    expected = "expected an lp.Pose, a 4 x 4 matrix, or a position (3,)"
    try:
        shape = shape_of(value, what)
    except ModelError:
        raise ModelError(f"{what} is {value!r}: {expected}") from None
    if shape == (3,):
        return Pose(translation=vector3(value, f"position of the {what}"))
    if shape != (4, 4):
        raise ModelError(f"{what} has the shape {shape}: {expected}")
    try:
        return Pose.from_matrix(value)
    except ModelError as problem:
        raise ModelError(f"{what}: {problem}") from None
