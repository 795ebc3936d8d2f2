"""A short smooth motion for any robot: every joint swings from one side of its range to the other and stops."""

from __future__ import annotations

import numpy as np

from loadpath.motion.closed import closed_swing, driven_robot
from loadpath.motion.joint_limits import limits_with_followers
from loadpath.motion.layout import has_quaternion, refuse_no_robot
from loadpath.motion.profiles import PEAK_SPEED, quintic_step
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.robot.parts import Limits
from loadpath.scalars.types import Floats

SWING = 0.6
"""Largest amplitude to either side, rad or m."""
SHARE_OF_RANGE = 0.3
SHARE_OF_SPEED = 0.8
SHORTEST = 1.0


def swing(
    robot: RobotModel, samples: int = 501, duration: float | None = None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Times, coordinates, speeds and accelerations of the swing of a robot. Without a duration (s) it is as quick as
    four fifths of the speed limits let it be. Joints with a quaternion stay where they are. Of a robot with loops the
    drives swing about where they are at home.
    """
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or samples < 2:
        raise ValueError(f"a swing of {samples!r} samples: expected a whole number, two or more")
    if duration is not None:
        duration = number(duration, "duration of the swing")
        if duration <= 0:
            raise ValueError(f"duration of the swing is {duration:g} s: expected more than zero")
    refuse_no_robot(robot)
    closed = driven_robot(robot)
    if closed is not None:
        return closed_swing(closed, limits_with_followers(robot), samples, duration)
    start, height = robot.neutral(), np.zeros(robot.nq)
    speed_of, shortest = np.zeros((robot.n, robot.nq)), SHORTEST
    every = limits_with_followers(robot)
    for joint in robot.joints:
        if joint.mimic is not None or has_quaternion(joint.motion):
            continue
        for k in range(joint.motion.dof):
            i, v = robot.q_slices[joint.name].start + k, robot.v_slices[joint.name].start + k
            limits = every[v]
            start[i], height[i] = _span(limits)
            speed_of[v, i] = 1.0
            if limits.velocity > 0:
                shortest = max(shortest, PEAK_SPEED * height[i] / (SHARE_OF_SPEED * limits.velocity))
    duration = shortest if duration is None else duration
    s = np.linspace(0.0, 1.0, samples)
    step, first, second = (part[:, None] for part in quintic_step(s))
    speed = speed_of @ height / duration
    return s * duration, start + step * height, first * speed, second * speed / duration


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
