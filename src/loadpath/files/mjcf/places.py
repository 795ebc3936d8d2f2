"""Poses from MuJoCo's positions and quaternions (w first), and back."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from loadpath.robot.joints.base import quaternions_of
from loadpath.robot.pose import Pose
from loadpath.scalars import array
from loadpath.scalars.quaternion import rotation_matrix


def unit_quaternion(quaternion: Sequence[float]) -> tuple[float, float, float, float]:
    """A quaternion w, x, y, z of length one, as MuJoCo makes it: none is no rotation. It is scaled before it is
    squared, so that its numbers may be as large or small as they like.

    >>> unit_quaternion((0, 0, 3e200, 4e200)), unit_quaternion((0, 0, 0, 0))
    ((0.0, 0.0, 0.6, 0.8), (1.0, 0.0, 0.0, 0.0))
    """
    largest = max(abs(entry) for entry in quaternion)
    if not largest:
        return 1.0, 0.0, 0.0, 0.0
    scaled = [entry / largest for entry in quaternion]
    length = math.hypot(*scaled)
    w, x, y, z = (entry / length for entry in scaled)
    return w, x, y, z


def pose_at(position: Sequence[float], quaternion: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> Pose:
    """A pose from a position and a quaternion w, x, y, z.

    >>> pose_at((1, 2, 3)).translation
    (1.0, 2.0, 3.0)
    """
    w, x, y, z = (float(entry) for entry in quaternion)
    turn = rotation_matrix(array([x, y, z, w]))
    return Pose(turn.tolist(), tuple(float(entry) for entry in position))  # type: ignore[arg-type]


def quaternion_of(pose: Pose) -> tuple[float, float, float, float]:
    """The quaternion w, x, y, z of a pose.

    >>> quaternion_of(Pose())
    (1.0, 0.0, 0.0, 0.0)
    """
    x, y, z, w = (float(entry) for entry in quaternions_of(np.array(pose.rotation)))
    return w, x, y, z
