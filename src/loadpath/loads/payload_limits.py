"""Limits that a payload can bring a robot to: efforts of drives, and components or resultants of joint wrenches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.closure.robot import ClosableRobot
from loadpath.loads.efforts import effort_limits
from loadpath.loads.peaks.resultants import RESULTANTS
from loadpath.quantities.carriers import carrier, drive_names
from loadpath.quantities.wrench import COMPONENTS
from loadpath.scalars.types import Floats

SIGNED = (*COMPONENTS, "axial_force", "axial_torque")
"""Quantities that may have bounds to both sides; the others are magnitudes."""


SLACK = 1e-9
"""Relatively, a load may be beyond its limit by so much and still be at it: that is rounding."""


@dataclass(frozen=True)
class Limit:
    """Bounds of one quantity of a joint or drive; infinite where there is none."""

    name: str
    """Of the joint, or of the drive's degree of freedom."""
    quantity: str
    lower: float
    upper: float


def limits_of(robot: ClosableRobot, given: Mapping[str, Any] | None, model_limits: bool) -> list[Limit]:
    """All finite limits: the given ones, and those of the model's drives that are not given."""
    found: dict[tuple[str, str], Limit] = {}
    if model_limits:
        for name, effort in zip(robot.dof_names, effort_limits(robot).tolist(), strict=True):
            found[name, "drive"] = Limit(name, "drive", -effort, effort)
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(f"limits are {given!r}: expected a dict by names, like {{'{(*robot.dof_names, 'joint1')[0]}': "
                         "80.0}")
    for name, value in (given or {}).items():
        parts = value if isinstance(value, Mapping) else {"drive": value}
        for quantity, bound in parts.items():
            found[name, quantity] = _limit(robot, name, quantity, bound)
    return [limit for limit in found.values() if math.isfinite(limit.lower) or math.isfinite(limit.upper)]


def _limit(robot: ClosableRobot, name: str, quantity: str, bound: Any) -> Limit:
    what = f"limit of '{name}', {quantity}"
    names = drive_names(robot) if quantity == "drive" else robot.closed_joint_names
    if quantity not in ("drive", *COMPONENTS, *RESULTANTS):
        known = ", ".join(("drive", *COMPONENTS, *RESULTANTS))
        raise ValueError(f"{what}: there is no such quantity; there are {known}")
    if name not in names:
        kind = "joint" if quantity != "drive" else "drive" if name in robot.dof_names else "degree of freedom"
        raise ValueError(f"{what}: robot '{robot.name}' has no such {kind}; it has {', '.join(names)}")
    needs_axis = quantity in ("axial_force", "radial_force", "axial_torque", "tilting_moment")
    if needs_axis and carrier(robot, name).motion.axis_direction() is None:
        raise ValueError(f"{what}: the joint has no single axis; limit its force, torque or their components")
    pair = np.asarray(bound)
    if pair.dtype.kind not in "iuf":
        raise ValueError(f"{what} is {bound!r}: expected a number")
    if pair.shape == (2,) and (quantity in SIGNED or quantity == "drive"):
        lower, upper = float(pair[0]), float(pair[1])
    elif pair.shape == ():
        lower, upper = -float(pair), float(pair)
    else:
        raise ValueError(f"{what} is {bound!r}: expected a number"
                         f"{'' if quantity in RESULTANTS[1:] else ' or a pair (lowest, highest)'}")
    if not lower <= upper or upper < 0 or lower > 0:
        raise ValueError(f"{what} is {bound!r}: expected zero or more, or a pair around zero")
    return Limit(name, quantity, lower, upper)


def mass_to_bounds(lower: float, upper: float, start: Floats, slope: Floats) -> Floats:
    """The largest m >= 0 with lower <= start + m slope <= upper, per state; -1 where m = 0 is outside already.

    >>> mass_to_bounds(-10.0, 10.0, np.array([4.0, 4.0, 4.0, 11.0]), np.array([2.0, -2.0, 0.0, -1.0])).tolist()
    [3.0, 7.0, inf, -1.0]
    """
    room = np.where(slope > 0, np.maximum(upper - start, 0.0), np.minimum(lower - start, 0.0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mass = np.where(slope == 0, np.inf, room / slope)
    slack = SLACK * (np.abs([bound for bound in (lower, upper) if np.isfinite(bound)]).max())
    return np.where((start > upper + slack) | (start < lower - slack), -1.0, mass)


def mass_to_length(limit: float, start: Floats, slope: Floats) -> Floats:
    """The largest m >= 0 with |start + m slope| <= limit, for vectors (states, 3); -1 where m = 0 is outside already.

    >>> mass_to_length(5.0, np.array([[3.0, 0, 0], [3, 4, 1]]), np.array([[0.0, 2, 0], [1, 0, 0]])).tolist()
    [2.0, -1.0]
    """
    a = np.einsum("sk,sk->s", slope, slope)
    b = np.einsum("sk,sk->s", start, slope)
    square = np.einsum("sk,sk->s", start, start)
    c = np.minimum(square - limit**2, 0.0)
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Of the two ways to write the larger root, the one that adds numbers of one sign.
        mass = np.where(b > 0, -c / (b + root), (root - b) / a)
    return np.where(square > (limit * (1 + SLACK)) ** 2, -1.0, np.where(a == 0, np.inf, mass))
