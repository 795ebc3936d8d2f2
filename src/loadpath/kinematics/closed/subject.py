"""Robots with loops, as the kinematics of closed chains sees them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol, cast

import numpy as np

from loadpath.kinematics.starts import Ranges
from loadpath.robot.closed_mechanism import ClosedMechanism, ClosedModel, Split, with_loops
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.scalars.types import Floats

NO_SPLIT = Split((), (), ())
"""Of a mechanism that is only closed: which speeds have drives does not matter."""


class ClosedChain(ClosedModel, Protocol):
    """What a robot with loops has, in addition to what its tree has."""

    def __hash__(self) -> int:
        """Equal robots have equal ones."""

    @property
    def name(self) -> str:
        """Name, for messages."""

    @property
    def n(self) -> int:
        """Number of speeds."""

    @property
    def nq(self) -> int:
        """Number of coordinates."""

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Those of the tree."""

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links."""

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the speeds."""

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""

    @property
    def q_slices(self) -> Mapping[str, slice]:
        """Where the coordinates of joints are."""

    @property
    def v_slices(self) -> Mapping[str, slice]:
        """Where the speeds of joints are."""

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the speeds with a drive."""

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the speeds that determine all others."""

    @property
    def home(self) -> Floats:
        """A closed configuration."""


def tree_of(robot: ClosedChain) -> RobotModel:
    """The same object, as the tree that it also is."""
    return cast(RobotModel, robot)


def quantity(robot: ClosedChain, name: str, *arguments: Any) -> Floats:
    """A compiled quantity of the robot, as its users ask for it."""
    found: Floats = getattr(robot, name)(*arguments)
    return found


@lru_cache(maxsize=64)
def unsplit(robot: RobotModel) -> ClosedMechanism:
    """The robot in its own frames with its loops, before it is known which speeds determine the others."""
    chain = cast(ClosedChain, robot)
    return with_loops(plain(robot), robot, chain, NO_SPLIT)


@lru_cache(maxsize=64)
def ranges_of(robot: RobotModel) -> Ranges:
    """The limits of its coordinates."""
    return Ranges(robot, size_of(robot))


@lru_cache(maxsize=64)
def size_of(robot: RobotModel) -> float:
    """A length (m) of the size of the robot: the longest sum of distances from joint to joint, from the base to the end
    of a chain or to a loop.
    """
    reach = {robot.base.name: 0.0}
    for joint in robot.joints:
        length = float(np.linalg.norm(joint.origin.p) + np.linalg.norm(joint.link_offset.p))
        for limits, angular in zip(joint.limits, joint.motion.angular, strict=False):
            if not angular and np.isfinite([limits.lower, limits.upper]).all():
                length += max(abs(limits.lower), abs(limits.upper))
        reach[joint.child] = reach[joint.parent] + length
    chain = cast(ClosedChain, robot)
    ends = [reach[loop.first] + float(np.linalg.norm(loop.at.p)) for loop in chain.loops]
    ends += [reach[loop.second] + float(np.linalg.norm(loop.on.p)) for loop in chain.loops]
    total = max([*reach.values(), *ends])
    return total if total > 0 else 1.0


