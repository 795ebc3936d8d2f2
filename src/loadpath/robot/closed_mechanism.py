"""What the equations of closed chains read: the mechanism of the tree, and where its loops sit on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import NamedTuple

from loadpath.robot.joints import JointType
from loadpath.robot.mechanism import Frame, Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.robot.pose import Pose
from loadpath.robot.reduction import reduced, reframed
from loadpath.scalars import Array, array, compose, rotation_from_matrix, zeros

_ROUNDING = 4e-15


class Split(NamedTuple):
    """Which speeds are which, by their numbers."""

    driven: tuple[int, ...]
    """Speeds with a drive."""
    independent: tuple[int, ...]
    """Speeds that determine all others: driven ones first, as many as there are freedoms."""
    dependent: tuple[int, ...]
    """The others."""


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """A loop with its frames on bodies."""

    name: str
    motion: JointType
    at: Frame
    on: Frame


@dataclass(frozen=True, eq=False)
class ClosedMechanism(Mechanism):
    """A mechanism with loops."""

    loops: tuple[ClosedLoop, ...]
    coupling_rows: Array
    """(couplings, n): factors of the speeds."""
    coupling_positions: Array
    """(couplings, nq): factors of the coordinates."""
    coupling_offsets: Array
    """(couplings,)"""
    split: Split

    @property
    def rows(self) -> int:
        """How many directions are held: those of all loops, then one for each coupling."""
        return sum(6 - loop.motion.dof for loop in self.loops) + len(self.coupling_rows)


def closed_plain(robot: RobotModel) -> ClosedMechanism:
    """The robot in its own frames, with its loops."""
    return _closed(robot, plain)


def closed_reframed(robot: RobotModel) -> ClosedMechanism:
    """The robot with its frames on the joint axes and every link's inertia its own, with its loops."""
    return _closed(robot, reframed)


def closed_reduced(robot: RobotModel) -> ClosedMechanism:
    """The robot with its frames on the joint axes and its inertias regrouped, with its loops."""
    return _closed(robot, reduced)


def with_loops(tree: Mechanism, robot: RobotModel, split: Split) -> ClosedMechanism:
    """A mechanism of the tree with the loops of a robot put on."""
    loops = tuple(
        ClosedLoop(
            loop.name,
            loop.motion,
            _placed(tree.link_frames[loop.first], loop.at),
            _placed(tree.link_frames[loop.second], loop.on),
        )
        for loop in robot.loops
    )
    speeds, coordinates = zeros(len(robot.couplings), robot.n), zeros(len(robot.couplings), robot.nq)
    for row, coupling in enumerate(robot.couplings):
        for dof, factor in coupling.ratios:
            speeds[row, robot.dof_names.index(dof)] = factor
            coordinates[row, robot.coordinate_names.index(dof)] = factor
    return ClosedMechanism(
        **{part.name: getattr(tree, part.name) for part in fields(Mechanism)},
        loops=loops,
        coupling_rows=speeds,
        coupling_positions=coordinates,
        coupling_offsets=array([coupling.offset for coupling in robot.couplings]),
        split=split,
    )


def _closed(robot: RobotModel, make: Callable[[RobotModel], Mechanism]) -> ClosedMechanism:
    split: Split = robot.split  # type: ignore[attr-defined]  # of all that are more than their data
    return with_loops(make(robot), robot, split)


def _placed(link: Frame, pose: Pose) -> Frame:
    """A frame that is given in the frame of a link, on the body that carries the link."""
    turn = compose(link.rotation, rotation_from_matrix(pose.rotation))
    origin = link.origin + link.rotation @ array(pose.translation)
    matrix = turn.matrix()
    if all(isinstance(x, (int, float)) for x in (*matrix.flat, *origin)):  # no symbols: without the sum's rounding
        turn = rotation_from_matrix(matrix.tolist())
        size = max(abs(x) for x in (*link.origin, *pose.translation))
        origin = array([0.0 if abs(x) <= _ROUNDING * size else x for x in origin])
    return Frame(link.body, turn, origin)
