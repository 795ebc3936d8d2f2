"""How much of its limits a robot uses: of the position, the speed and the effort of every freedom."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.viewer.state import Frame

PARTS = ("position", "speed", "effort")


class Bounds(NamedTuple):
    """Limits of every freedom, (n,) each; infinite where unknown."""

    middle: Floats
    half: Floats
    """Half of the range of the position, about its middle."""
    speed: Floats
    effort: Floats
    coordinate: list[int | None]
    """Where the freedom's position stands in q; none of a freedom with a quaternion."""


def bounds_of(robot: RobotModel) -> Bounds:
    """The limits of a robot."""
    middle, half = np.zeros(robot.n), np.full(robot.n, math.inf)
    speed, effort = np.full(robot.n, math.inf), np.full(robot.n, math.inf)
    coordinate: list[int | None] = [None] * robot.n
    for joint in robot.joints:
        if joint.mimic is not None or not joint.motion.dof:
            continue
        plain = joint.motion.coordinates == joint.motion.dof
        for k in range(joint.motion.dof):
            at = robot.v_slices[joint.name].start + k
            coordinate[at] = robot.q_slices[joint.name].start + k if plain else None
            if k >= len(joint.limits):
                continue
            limits = joint.limits[k]
            speed[at], effort[at] = limits.velocity or math.inf, limits.effort or math.inf  # 0: none is known
            if plain and math.isfinite(limits.lower) and math.isfinite(limits.upper):
                middle[at], half[at] = 0.5 * (limits.lower + limits.upper), 0.5 * (limits.upper - limits.lower)
    return Bounds(middle, half, speed, effort, coordinate)


def use_of(bounds: Bounds, frame: Frame) -> Floats:
    """(n, 3): shares of the limits of position (how far from the middle of the range), speed and effort; zero where
    there is no limit.

    >>> import loadpath as lp
    >>> from loadpath.viewer.subject import subject_of
    >>> arm = lp.catalog.planar(1).with_limits({"joint1": {"lower": -1.0, "upper": 1.0, "effort": 9.81}})
    >>> subject = subject_of(arm)
    >>> use_of(bounds_of(arm), subject.frame(subject.at([0.5]))).round(4).tolist()    # cos 0.5 of half the weight
    [[0.5, 0.0, 0.4388]]
    """
    state = frame.state
    q = np.array([0.0 if at is None else state.q[at] for at in bounds.coordinate])
    tau = np.zeros_like(state.qd) if frame.loads is None else frame.loads.tau
    parts = ((q - bounds.middle, bounds.half), (state.qd, bounds.speed), (tau, bounds.effort))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [np.where(limit > 0, np.abs(value) / limit, np.where(np.abs(value) > 0, np.inf, 0.0))
                  for value, limit in parts]
    return np.stack(shares, axis=-1)
