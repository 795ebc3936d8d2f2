"""A short smooth motion for any robot: every joint swings from one side of its range to the other and stops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.robot.model import Limits, RobotModel

Array = NDArray[np.float64]

SWING = 0.6
"""Largest amplitude to either side, rad or m."""
SHARE_OF_RANGE = 0.3
SHARE_OF_SPEED = 0.8
SHORTEST = 1.0
PEAK_SPEED = 15 / 8
"""Largest speed of a quintic step of height and duration one."""


class Motion(NamedTuple):
    """A motion over time: `t` is (states,), `q` (states, nq), `qd` and `qdd` (states, n)."""

    t: Array
    q: Array
    qd: Array
    qdd: Array


def quintic_step(s: Array) -> tuple[Array, Array, Array]:
    """From 0 to 1 as s goes from 0 to 1, with its first two derivatives; these are zero at both ends."""
    return s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2, 60 * s * (1 - s) * (1 - 2 * s)


def swing(robot: RobotModel, states: int, duration: float | None = None) -> Motion:
    """The swing of a robot. Without a duration (s) it is as quick as four fifths of the speed limits let it be.

    Joints with a quaternion stay where they are.
    """
    start, height = robot.neutral(), np.zeros(robot.nq)
    speed_of, shortest = np.zeros((robot.n, robot.nq)), SHORTEST
    for joint in robot.joints:
        if joint.mimic is not None or joint.motion.coordinates != joint.motion.dof:
            continue
        for k, limits in enumerate(joint.limits):
            i, v = robot.q_slices[joint.name].start + k, robot.v_slices[joint.name].start + k
            start[i], height[i] = _span(limits)
            speed_of[v, i] = 1.0
            if limits.velocity > 0:
                shortest = max(shortest, PEAK_SPEED * height[i] / (SHARE_OF_SPEED * limits.velocity))
    duration = shortest if duration is None else duration
    s = np.linspace(0.0, 1.0, states)
    step, first, second = (part[:, None] for part in quintic_step(s))
    speed = speed_of @ height / duration
    return Motion(s * duration, start + step * height, first * speed, second * speed / duration)


def _span(limits: Limits) -> tuple[float, float]:
    """Where a coordinate starts, and how far it goes."""
    lower, upper = limits.lower, limits.upper
    amplitude = min(SWING, SHARE_OF_RANGE * (upper - lower))
    if np.isfinite(lower) and np.isfinite(upper):
        middle = (lower + upper) / 2
    elif np.isfinite(lower):
        middle = max(0.0, lower + amplitude)
    else:
        middle = min(0.0, upper - amplitude)
    return middle - amplitude, 2 * amplitude
