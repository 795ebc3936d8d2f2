"""What bearing catalogues ask of a joint wrench: its parts along and across the joint's axis."""

from __future__ import annotations

import numpy as np

from loadpath.quantities.carriers import Carrier, carriers
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

RESULTANTS = ("axial_force", "radial_force", "axial_torque", "tilting_moment", "force", "torque")
"""Along the axis (with sign), across it; the same of the torque; and the magnitudes of both vectors."""


def axes_of(robot: RobotModel) -> Floats:
    """(joints and loops, 3): unit vectors along their axes, NaN for those without a single one."""
    none = (np.nan, np.nan, np.nan)
    return np.array([joint.motion.axis_direction() or none for joint in carriers(robot)], dtype=float).reshape(-1, 3)


def resultants(axes: Floats, force: Floats, torque: Floats) -> Floats:
    """(..., joints, 6) in the order of RESULTANTS; NaN where they need an axis that is not there.

    >>> parts = resultants(np.array([[0, 0, 1.0]]), np.array([[3, 4, -7.0]]), np.array([[0, 2, 5.0]]))
    >>> parts[0, :4].tolist()
    [-7.0, 5.0, 5.0, 2.0]
    """
    result = np.empty((*force.shape[:-1], 6))
    for k, vector in ((0, force), (2, torque)):
        along = np.einsum("...jk,jk->...j", vector, axes)
        across = vector - along[..., None] * axes
        result[..., k], result[..., k + 1] = along, np.sqrt(np.einsum("...k,...k->...", across, across))
        result[..., 4 + k // 2] = np.sqrt(np.einsum("...k,...k->...", vector, vector))
    return result


def direction(joint: Carrier, quantity: str, force: Floats, torque: Floats) -> Floats:
    """Six numbers whose product with the wrench (force first) gives the quantity, at this wrench: the direction along
    which causes are to be measured so that they sum to it.
    """
    result = np.zeros(6)
    if quantity in COMPONENTS:
        result[COMPONENTS.index(quantity)] = 1.0
        return result
    half, vector = (
        (slice(0, 3), force) if quantity in ("axial_force", "radial_force", "force") else (slice(3, 6), torque)
    )
    axis = joint.motion.axis_direction()
    if quantity in ("force", "torque"):
        result[half] = _unit(vector)
    elif axis is None:
        raise ValueError(f"joint '{joint.name}' has no single axis, so it has no {quantity.replace('_', ' ')}")
    elif quantity.startswith("axial"):
        result[half] = axis
    else:
        result[half] = _unit(vector - (vector @ np.array(axis)) * np.array(axis))
    return result


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
