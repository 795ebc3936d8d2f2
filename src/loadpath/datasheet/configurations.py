"""The configurations that a robot can take: drawn at random, and led to where something is largest."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.errors import ModelError
from loadpath.motion.checks import limits_with_followers
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities
    from loadpath.robot.parts import Joint

SEED = 31
AT_ENDS = 0.15
"""Share of the drawn coordinates that lie at an end of their range: the edges of a workspace are there."""
BLOCK = 10_000
"""Configurations whose links' poses are in memory at a time."""
SWEEPS, TRIED, NARROWER = 26, 17, 0.4
"""Of a climb: rounds through all joints, values of a joint that are tried, and the window of the next round."""


@dataclass(frozen=True, eq=False)
class Ranges:
    """Where the coordinates of a robot may be, (n,) each; a joint that turns without limits turns once round."""

    low: Floats
    high: Floats

    @classmethod
    def of(cls, robot: RobotQuantities) -> Ranges:
        """Those of the joints' limits, with what limits of joints that follow them leave.

        >>> import loadpath as lp
        >>> Ranges.of(lp.catalog.planar(1)).high.round(4).tolist()
        [3.1416]
        """
        if robot.closing_names:
            raise ModelError(f"robot '{robot.name}' has loops: which configurations it can take is not drawn at random")
        if robot.nq != robot.n:
            names = [joint.name for joint in robot.joints if joint.motion.dof > 1]
            raise ModelError(f"joint '{names[0]}' of robot '{robot.name}' turns about more than one axis: "
                             "configurations are drawn of joints that turn or slide")
        turns = [turns for joint in robot.joints if joint.mimic is None for turns in joint.motion.angular]
        low, high = [], []
        for name, turning, limit in zip(robot.dof_names, turns, limits_with_followers(robot), strict=True):
            finite = math.isfinite(limit.lower) and math.isfinite(limit.upper)
            if not finite and not turning:
                raise ModelError(f"joint '{name}' slides without limits: give it a range, robot.with_limits({{'{name}':"
                                 " lp.Limits(lower=0.0, upper=1.0)})")
            low.append(limit.lower if finite else -math.pi)
            high.append(limit.upper if finite else math.pi)
        return cls(np.array(low), np.array(high))

    def draw(self, count: int) -> Floats:
        """(count, n): the same at every call, some coordinates at the ends of their ranges."""
        random = np.random.default_rng(SEED)
        share = random.random((count, len(self.low)))
        at_end = random.random(share.shape)
        share = np.where(at_end < AT_ENDS / 2, 0.0, np.where(at_end > 1 - AT_ENDS / 2, 1.0, share))
        found: Floats = self.low + share * (self.high - self.low)
        return found

    def climb(
        self, size: Callable[[Floats], Floats], q: Floats, fixed: tuple[int, ...] = (), rounds: int = SWEEPS
    ) -> tuple[Floats, Floats]:
        """Configurations (count, n) led uphill joint by joint, in ever narrower windows, and the `size` (count,) of
        each. `fixed` coordinates stay.

        >>> ranges = Ranges(np.array([-1.0, -1.0]), np.array([2.0, 2.0]))
        >>> q, height = ranges.climb(lambda q: -(q[:, 0] - 0.3) ** 2 + q[:, 1], np.zeros((1, 2)))
        >>> q.round(6).tolist(), height.round(9).tolist()
        ([[0.3, 2.0]], [2.0])
        """
        found, best = np.array(q), size(q)
        window = 0.5 * (self.high - self.low)
        steps = np.linspace(-1.0, 1.0, TRIED)
        rows = np.arange(len(found))
        for _ in range(rounds):
            for k in range(found.shape[1]):
                if k in fixed:
                    continue
                tried = np.repeat(found[:, None], TRIED, axis=1)
                tried[:, :, k] = np.clip(found[:, None, k] + window[k] * steps, self.low[k], self.high[k])
                sizes = size(tried.reshape(-1, found.shape[1])).reshape(len(found), TRIED)
                place = sizes.argmax(axis=1)
                better = sizes[rows, place] > best
                found[better], best = tried[rows, place][better], np.where(better, sizes[rows, place], best)
            window = window * NARROWER
        return found, best


def places(robot: RobotQuantities, q: Floats, link: str) -> Floats:
    """(count, 3), m: where a link's origin is in the world."""
    place = robot.link_names.index(link)
    found: Floats = np.concatenate([np.zeros((0, 3)), *(
        np.asarray(robot.link_poses(q[first : first + BLOCK]))[:, place, :3, 3] for first in range(0, len(q), BLOCK))])
    return found


def lines_of(robot: RobotQuantities, q: Floats, joint: Joint) -> tuple[Floats, Floats]:
    """(count, 3) each: a point of a joint's axis, and its direction, in the world."""
    child = np.asarray(robot.link_poses(q))[:, robot.link_names.index(joint.child)]
    frame = child @ joint.link_offset.inverse().matrix
    axis: Floats = frame[:, :3, :3] @ np.array(joint.motion.axis_direction(), dtype=float)
    return frame[:, :3, 3], axis


def extension(robot: RobotQuantities, q: Floats, joint: Joint, tip: str) -> Floats:
    """(count,), m: how far the tip is from a joint's axis.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> extension(arm, np.array([[0.3, 0.0], [0.3, np.pi]]), arm.joints[0], "tip").round(9).tolist()
    [2.0, 0.0]
    """
    point, axis = lines_of(robot, q, joint)
    away = places(robot, q, tip) - point
    found: Floats = np.linalg.norm(away - (away * axis).sum(axis=1, keepdims=True) * axis, axis=1)
    return found
