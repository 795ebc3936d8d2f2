"""Where the search for a configuration begins: in the middle of the joints' ranges, or anywhere in them."""

from __future__ import annotations

import math

import numpy as np

from loadpath.algorithms.pose_steps import bounds
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats


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
