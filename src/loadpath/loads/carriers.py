"""What carries loads: the joints of the tree, and the joints that close its loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from loadpath.loads.names import known
from loadpath.robot.closed_mechanism import ClosedModel
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.api.load_quantities import LoadQuantities

Carrier: TypeAlias = Joint | Loop
"""Both have a name and a motion, and carry a wrench at a frame on their second link."""


def is_closed(robot: RobotModel | None) -> bool:
    """Whether loops or couplings hold a robot together in addition to its tree of joints."""
    return robot is not None and bool(robot.loops or robot.couplings)


def carriers(robot: RobotModel) -> tuple[Carrier, ...]:
    """All that carry a wrench: the joints, fixed ones too, then the loops.

    >>> import loadpath as lp
    >>> [carrier.name for carrier in carriers(lp.catalog.planar(1))]
    ['joint1', 'tip_joint']
    """
    return (*robot.joints, *robot.loops)


def carrier(robot: RobotModel, name: str) -> Carrier:
    """The joint or loop of that name."""
    if not robot.loops:
        return robot.joint(name)
    known(name, robot.closed_joint_names, "joint")
    return next(found for found in carriers(robot) if found.name == name)


def driven(robot: RobotModel) -> Bools:
    """(n,): which speeds have a drive; all of a tree."""
    result = np.ones(robot.n, dtype=bool)
    if is_closed(robot):
        result[:] = False
        result[list(cast(ClosedModel, robot).split.driven)] = True
    return result


def drive_names(robot: RobotModel) -> tuple[str, ...]:
    """Names of the degrees of freedom that have a drive; of a closed chain in the order in which drives were named."""
    if not is_closed(robot):
        return robot.dof_names
    return tuple(robot.dof_names[k] for k in cast(ClosedModel, robot).split.driven)


def travel(robot: LoadQuantities, q: Floats, qd: Floats) -> Floats:
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
                 if loop.motion.axis_direction() is not None]  # fmt: skip
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
