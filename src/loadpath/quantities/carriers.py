"""What carries loads: the joints of the tree, and the joints that close its loops."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from loadpath.closure.robot import ClosableRobot
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import known
from loadpath.robot.parts import Joint
from loadpath.scalars.types import Bools

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


def driven(robot: ClosableRobot) -> Bools:
    """(n,): which speeds have a drive; all of a tree."""
    result = np.ones(robot.n, dtype=bool)
    if is_closed(robot):
        result[:] = False
        result[list(robot.split.driven)] = True
    return result


def drive_names(robot: ClosableRobot) -> tuple[str, ...]:
    """Names of the degrees of freedom that have a drive; of a closed chain in the order in which drives were named."""
    if not is_closed(robot):
        return robot.dof_names
    return tuple(robot.dof_names[k] for k in robot.split.driven)
