"""What joints and drives carry, as catalogues ask for it: parts along and across the axis, units, efforts, travel; and
which of it rigid statics leaves open.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadpath.closure.robot import ClosableRobot
from loadpath.quantities.carriers import Carrier, carriers, driven, is_closed
from loadpath.quantities.table import RobotQuantities
from loadpath.quantities.wrench import COMPONENTS, DETERMINATE, leverages_of
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Bools, Floats

# What bearing catalogues ask of a joint wrench: its parts along and across the joint's axis.

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
    parts, sizes = [], []
    for vector in (force, torque):
        along = np.einsum("...jk,jk->...j", vector, axes)
        across = vector - along[..., None] * axes
        parts += [along, np.sqrt(np.einsum("...k,...k->...", across, across))]
        sizes.append(np.sqrt(np.einsum("...k,...k->...", vector, vector)))
    return np.stack([*parts, *sizes], axis=-1)


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
        result[half] = unit_or_zero(vector)
    elif axis is None:
        raise ValueError(f"joint '{joint.name}' has no single axis, so it has no {quantity.replace('_', ' ')}")
    elif quantity.startswith("axial"):
        result[half] = axis
    else:
        result[half] = unit_or_zero(vector - (vector @ np.array(axis)) * np.array(axis))
    return result


def unit_or_zero(vector: Floats) -> Floats:
    """The direction of a vector (3,); zero of a vector that has none."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else np.zeros(3)


# Units of what joints and drives carry.

OF_DRIVES = ("drive", "speed", "acceleration", "power")
"""Quantities of a degree of freedom; all others are of a joint."""


def unit_of(robot: RobotModel | None, name: str, quantity: str) -> str:
    """The unit of a quantity of a joint or drive.

    >>> import loadpath as lp
    >>> arm = lp.catalog.lau_arm()
    >>> unit_of(arm, "d2", "drive"), unit_of(arm, "d2", "tilting_moment"), unit_of(arm, "theta1", "speed")
    ('N', 'N m', 'rad/s')
    """
    if quantity == "power":
        return "W"
    if quantity in OF_DRIVES and robot is not None:
        angular = [a for joint in robot.joints if joint.mimic is None for a in joint.motion.angular]
        turns = angular[robot.dof_names.index(name)]
        units = {"drive": ("N", "N m"), "speed": ("m/s", "rad/s"), "acceleration": ("m/s^2", "rad/s^2")}
        return units[quantity][turns]
    return "N" if "force" in quantity else "N m"


# What the drives of a robot can give at most.

def effort_limits(robot: ClosableRobot) -> NDArray[np.float64]:
    """(n,): the effort limit of each degree of freedom (N m or N), infinite where none is known, and
    of joints without a drive: passive joints of closed chains.

    >>> import loadpath as lp
    >>> effort_limits(lp.catalog.panda()).tolist()
    [87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0]
    """
    given = [limit.effort for joint in robot.joints if joint.mimic is None for limit in joint.limits]
    efforts = np.array(given, dtype=float)
    return np.where((efforts > 0) & driven(robot), efforts, np.inf)  # files write 0 where they know of no limit


# How fast joints and loops turn or slide: what wears bearings and gears.

def travel(robot: RobotQuantities, q: Floats, qd: Floats) -> Floats:
    """(..., carriers): how fast each joint and loop with a single axis turns about it, or slides along it (of one that
    turns and slides, how it turns); zero for all others.
    """
    result = np.zeros((*qd.shape[:-1], len(carriers(robot))))
    of_speed = np.zeros((robot.n, len(robot.joints)))
    for column, joint in enumerate(robot.joints):
        if joint.motion.dof and joint.motion.axis_direction() is not None:
            of_speed[robot.v_slices[joint.name].start, column] = abs(robot.mimic_of(joint).multiplier)
    result[..., : len(robot.joints)] = np.abs(qd) @ of_speed
    with_axis = [(k, loop) for k, loop in enumerate(robot.loops, start=len(robot.joints))
                 if loop.motion.axis_direction() is not None]
    if not with_axis:
        return result
    poses, moving = np.asarray(robot.link_poses(q)), robot.link_velocities(q, qd)
    for k, loop in with_axis:
        first, second = (robot.link_names.index(name) for name in (loop.first, loop.second))
        R, p = poses[..., second, :3, :3], poses[..., second, :3, 3]
        axis = R @ (loop.on.R @ np.array(loop.motion.axis_direction()))
        spin = moving.angular[..., second, :] - moving.angular[..., first, :]
        if not loop.motion.turns_about_line():
            there = p + R @ loop.on.p
            spin = _velocity_at(poses, moving, second, there) - _velocity_at(poses, moving, first, there)
        result[..., k] = np.abs((axis * spin).sum(axis=-1))
    return result


def _velocity_at(poses: Floats, moving: object, link: int, point: Floats) -> Floats:
    linear, angular = (getattr(moving, part)[..., link, :] for part in ("linear", "angular"))
    found: Floats = linear + np.cross(angular, point - poses[..., link, :3, 3])
    return found


# Which components of the joint wrenches rigid statics leaves open: where a chain is closed more often than needed, a
# rule settles them (see `ClosedRobot.joint_wrenches`), or what bends, and tables mark them.

OPEN = "~"
"""Mark of a number that rests on the rule, or on how far the links bend."""
MOST_STATES = 25
"""What is open changes in special poses only, so a few states of a motion show it."""


def meaning(robot: RobotModel) -> str:
    """The mark in words.

    >>> import loadpath as lp
    >>> meaning(lp.catalog.four_bar())
    '~ by the rule: rigid statics leaves it open'
    """
    settled = "beams and joint compliance" if robot.is_elastic else "the rule"
    return f"{OPEN} by {settled}: rigid statics leaves it open"


def open_components(robot: RobotModel, q: Floats) -> Bools:
    """(joints and loops, 6): which components, force first, rigid statics leaves open in some of the configurations q,
    (..., nq); none of a tree.

    >>> import loadpath as lp
    >>> bool(open_components(lp.catalog.planar(2), np.zeros(2)).any())
    False
    """
    result = np.zeros((len(carriers(robot)), 6), dtype=bool)
    if not is_closed(robot):
        return result
    rows = np.reshape(q, (-1, np.shape(q)[-1]))
    rows = rows[np.isfinite(rows).all(axis=-1)]
    few = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_STATES)).round().astype(int))
    leverages = leverages_of(robot, rows[few])
    result |= (leverages >= DETERMINATE).any(axis=0)
    return result


def open_resultants(robot: RobotModel, components: Bools) -> dict[tuple[str, str], bool]:
    """For every joint and loop, and every component and resultant of its wrench, whether any part of it is open."""
    found: dict[tuple[str, str], bool] = {}
    for carrier, part in zip(carriers(robot), components, strict=True):
        found |= {(carrier.name, name): bool(part[k]) for k, name in enumerate(COMPONENTS)}
        axis = np.array(carrier.motion.axis_direction() or (0.0, 0.0, 0.0))
        along, across = np.abs(axis) > 1e-9, np.abs(axis) < 1 - 1e-9
        halves = {"axial_force": along, "radial_force": across, "axial_torque": along, "tilting_moment": across}
        for name, involved in halves.items():
            half = part[:3] if name.endswith("force") else part[3:]
            found[carrier.name, name] = bool((half & involved).any())
        found[carrier.name, "force"], found[carrier.name, "torque"] = bool(part[:3].any()), bool(part[3:].any())
    return found
