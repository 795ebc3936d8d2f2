"""The limits of each speed of a robot, with those of the joints that mimic it: where one stops, all stop."""

from __future__ import annotations

from dataclasses import replace

from loadpath.motion.checks import tracks
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Limits


def limits_with_followers(robot: RobotModel) -> list[Limits]:
    """For each speed the limits of its joint (position and speed), tightened by those of the joints that mimic it.

    Followers that leave no range at all are left out: their limits cannot all be kept.

    >>> from loadpath.robot.catalog import panda
    >>> limits_with_followers(panda(hand=True))[-1].upper
    0.04
    """
    own = {track.v: track.joint.limits[track.k] for track in tracks(robot) if track.joint.mimic is None}
    for track in tracks(robot):
        if track.joint.mimic is None or track.multiplier == 0:
            continue
        limits, before = track.joint.limits[track.k], own[track.v]
        ends = sorted((end - track.offset) / track.multiplier for end in (limits.lower, limits.upper))
        lower, upper = max(before.lower, ends[0]), min(before.upper, ends[1])
        if lower < upper:
            own[track.v] = replace(before, lower=lower, upper=upper)
        if limits.velocity > 0:
            speed = limits.velocity / abs(track.multiplier)
            slower = min(before.velocity, speed) if before.velocity > 0 else speed
            own[track.v] = replace(own[track.v], velocity=slower)
    return [own[v] for v in range(robot.n)]
