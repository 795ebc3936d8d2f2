"""A robot with loops in numbers: its size, its ranges, its rows, how far its loops are open. Nothing is compiled."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.algorithms.loops import closing_steps, closure_sizes, constraint_jacobian
from loadpath.algorithms.loops.residual import angular_speeds
from loadpath.algorithms.pose_steps import bounds
from loadpath.engine.program import Operand
from loadpath.engine.uncompiled import Uncompiled
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

# Where the search for a configuration begins: in the middle of the joints' ranges, or anywhere in them.

class Ranges:
    """Limits of the coordinates of a robot (nq); none for quaternions."""

    def __init__(self, robot: RobotModel, size: float) -> None:
        self.robot = robot
        self.size = size
        self.lower = np.full(robot.nq, -math.inf)
        self.upper = np.full(robot.nq, math.inf)
        self.angular = np.zeros(robot.nq, dtype=bool)
        self.quaternions: list[int] = []
        limits = bounds(plain(robot))
        for joint in robot.joints:
            if joint.mimic is not None or joint.motion.dof == 0:
                continue
            at, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
            if joint.motion.coordinates != joint.motion.dof:
                self.quaternions.append(at.stop - 4)
                continue
            self.angular[at] = joint.motion.angular
            self.lower[at] = [limits[k][0] for k in range(v.start, v.stop)]
            self.upper[at] = [limits[k][1] for k in range(v.start, v.stop)]

    def middle(self) -> Floats:
        """The middle of each range; neutral where it is open, or as near as the limit allows."""
        neutral = self.robot.neutral()
        closed = np.isfinite(self.lower) & np.isfinite(self.upper)
        with np.errstate(invalid="ignore"):
            return np.where(closed, 0.5 * (self.lower + self.upper), self.clipped(neutral))

    def clipped(self, q: Floats) -> Floats:
        """The nearest configuration within the limits."""
        return np.clip(q, self.lower, self.upper)

    def anywhere(self, q: Floats, rng: np.random.Generator) -> Floats:
        """Random configurations, one for each of q: uniform between limits. Open ranges are a turn, or the robot's size
        to either side of q; open on one side only, that much from the limit.
        """
        wide = np.where(self.angular, math.pi, self.size)
        about = np.where(self.angular, 0.0, q)
        low = np.where(np.isfinite(self.lower), self.lower, about - wide)
        high = np.where(np.isfinite(self.upper), self.upper, about + wide)
        low = np.where(np.isfinite(self.lower) | ~np.isfinite(self.upper), low, self.upper - 2 * wide)
        high = np.where(np.isfinite(self.upper) | ~np.isfinite(self.lower), high, self.lower + 2 * wide)
        result: Floats = rng.uniform(low, high)
        for start in self.quaternions:
            turn = rng.normal(size=(*result.shape[:-1], 4))
            result[..., start : start + 4] = turn / np.linalg.norm(turn, axis=-1, keepdims=True)
        return result


@lru_cache(maxsize=64)
def mechanism_of(robot: RobotModel) -> Mechanism:
    """The robot in its own frames with its loops: one for all that closes them."""
    return plain(robot)


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
    ends = [reach[loop.first] + float(np.linalg.norm(loop.at.p)) for loop in robot.loops]
    ends += [reach[loop.second] + float(np.linalg.norm(loop.on.p)) for loop in robot.loops]
    total = max([*reach.values(), *ends])
    return total if total > 0 else 1.0


@lru_cache(maxsize=64)
def column_scales(mechanism: Mechanism, size: float) -> Floats:
    """(n,): the size for speeds that slide, 1 for those that turn."""
    return np.array([1.0 if turning else size for turning in angular_speeds(mechanism)])


@lru_cache(maxsize=64)
def row_scales(mechanism: Mechanism, size: float) -> Floats:
    """(rows,): one over the size for rows that slide, 1 for those that turn."""
    return np.array(closing_steps.row_scales(mechanism, size))


@lru_cache(maxsize=64)
def loop_lengths(robot: RobotModel) -> Floats:
    """(loops and couplings,): lengths (m) against which they count as open."""
    return np.array(closing_steps.loop_lengths(mechanism_of(robot), size_of(robot)))


def uncompiled_rows(mechanism: Mechanism, q: Floats) -> Floats:
    """(states, rows, n): the rows of loops and couplings of a few states, SI units, without compiling."""
    shape = (mechanism.rows, mechanism.n)
    function = Uncompiled(
        "rows",
        lambda q: constraint_jacobian(mechanism, q),
        [Operand("q", (mechanism.nq,))],
        [Operand("J", shape)],
    )
    found: Floats = function(q) if shape[0] else np.zeros((*q.shape[:-1], *shape))
    return found


class LoopErrors(NamedTuple):
    """Errors by part: the loops, the couplings, then the links that have poses to take."""

    names: tuple[str, ...]
    distances: Floats
    """(..., parts): m."""
    angles: Floats
    """(..., parts): rad."""

    def shaped(self, batch: tuple[int, ...]) -> LoopErrors:
        """The same with other batch axes."""
        parts = len(self.names)
        return LoopErrors(self.names, self.distances.reshape(*batch, parts), self.angles.reshape(*batch, parts))


def loop_errors(robot: RobotModel, sizes: Floats, links: tuple[str, ...], of_links: Floats) -> LoopErrors:
    """By part, from the sizes (states, loops and couplings, 2) and those of links (states, links, 2)."""
    names = (*(loop.name for loop in robot.loops), *(coupling.name for coupling in robot.couplings), *links)
    every = np.concatenate([sizes, of_links], axis=1)
    # Rotations come as twice the tangent of half the angle.
    angles = every[..., 1].copy()
    angles[:, : len(robot.loops)] = 2.0 * np.arctan(0.5 * angles[:, : len(robot.loops)])
    return LoopErrors(names, every[..., 0], angles)


def uncompiled_errors(robot: RobotModel, mechanism: Mechanism, q: Floats) -> LoopErrors:
    """The same of a few states (states, nq), without compiling."""
    count = len(robot.loops) + len(robot.couplings)
    function = Uncompiled(
        "closure", lambda q: closure_sizes(mechanism, q), [Operand("q", (mechanism.nq,))], [Operand("e", (count, 2))]
    )
    return loop_errors(robot, function(q), (), np.zeros((len(q), 0, 2)))


def uncompiled_step(mechanism: Mechanism, size: float, free: Floats, *, limits: bool = True) -> Any:
    """A step for a few rows of a mechanism, on NumPy batches: nothing is compiled."""
    q, n = Operand("q", (mechanism.nq,)), Operand("free", (mechanism.n,))

    def run(q: Any, free: Any, caution: Any) -> Any:
        return closing_steps.assembly_step(mechanism, q, free, caution, limits=limits, size=size)

    function = Uncompiled("assemble", run, [q, n, Operand("caution", ())], [q, Operand("error", ())])

    def step(q: Floats, rows: NDArray[np.intp], caution: Floats | float) -> tuple[Floats, Floats]:
        following, error = function(q, free, caution)
        return following, np.asarray(error)

    return step
