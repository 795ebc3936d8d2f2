"""The quickest stop along the rest of a motion's path, within the limits of drives and parts.

The shortest way to rest is the one with s'' as low as the limits let it be all the way: on a path that ends there, the
fastest motion from the present speed to rest is this stop, and on any shorter one there is none. So its length is found
by bisection over whether `robot.fastest` finds a motion.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.asked import Given
from loadpath.fastest.infeasible import NoMotionError
from loadpath.fastest.path import Path, refuse_quaternions
from loadpath.fastest.result import Fastest
from loadpath.fastest.run import fastest
from loadpath.motion.motion import Motion
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

COARSE = 100
"""Intervals of a path while its length is looked for."""
CLOSE, SEARCHED = 1e-6, 1e-3
"""Of the length: how closely it is found on such a grid; where only the worst instant is looked for."""
LONGER = (0.0, 1e-6, 1e-5, 1e-4, 1e-3)
"""By so much the path is longer on the final, finer grid, until there is a motion on it."""
STANDS = 1e-7
"""Of the largest speed of a motion: what is slower stands."""


def stands(motion: Motion, qd: Floats) -> bool:
    """Whether the motion rests at speeds."""
    return bool(np.linalg.norm(qd) <= STANDS * max(float(np.linalg.norm(motion.qd, axis=1).max()), 1e-300))


def braking(
    robot: RobotQuantities, motion: Motion, at: float, limits: Given | None, factor: Any, *, final: bool = True
) -> Fastest:
    """The quickest stop from an instant of a motion at which it moves."""
    if at >= motion.t[-1]:
        raise ModelError(f"stop: the motion ends at {motion.t[-1]:.6g} s and does not rest there: no path is left to "
                         "brake on; take an earlier instant, or category=0")
    rest = motion.between(at, float(motion.t[-1]))
    robot, path, speed = _path(robot, rest)

    def on(length: float, intervals: int | None) -> Fastest | None:
        try:
            return fastest(robot, shortened(path, length), limits, factor=factor, start=speed, end="rest",
                           intervals=intervals)
        except NoMotionError:
            return None

    end = float(path.breaks[min(path.stops, default=path.pieces)] - path.breaks[0])
    low, high = 0.0, end
    found = on(high, COARSE)
    if found is None:
        raise _impossible(robot, path, end, speed, at, limits, factor)
    while high - low > (CLOSE if final else SEARCHED) * high:
        middle = 0.5 * (low + high)
        shorter = on(middle, COARSE)
        low, high, found = (middle, high, found) if shorter is None else (low, middle, shorter)
    if final:
        for more in LONGER:
            finer = on(min(high * (1 + more), end), None)
            if finer is not None:
                return finer
    return found


def _path(robot: RobotQuantities, motion: Motion) -> tuple[RobotQuantities, Path, float]:
    """The path of a motion, and ds/dt where it begins: with loops, of the independent joints, of the robot as it is
    assembled there.
    """
    if not robot.closing_names:
        refuse_quaternions(robot)
        return robot, Path.of(motion), float(np.linalg.norm(motion.qd[0]))
    joints = [name for name in robot.independent if name in robot.coordinate_names]
    speeds = [robot.dof_names.index(name) for name in joints]
    path = Path.of_columns(motion, [robot.coordinate_names.index(name) for name in joints], speeds)
    return replace(robot, near=tuple(motion.q[0].tolist())), path, float(np.linalg.norm(motion.qd[0, speeds]))


def shortened(path: Path, length: float) -> Path:
    """The beginning of a path, so long in its parameter."""
    end = float(path.breaks[0]) + length
    pieces = max(1, int(np.searchsorted(path.breaks, end, side="left")))
    breaks = np.append(path.breaks[:pieces], end)
    return Path(breaks, path.coefficients[:, :pieces], {}, path.deviation)


def _impossible(
    robot: RobotQuantities, path: Path, length: float, speed: float, at: float, limits: Given | None, factor: Any
) -> ModelError:
    """What hinders it: the error of `fastest` with what it is about."""
    try:
        fastest(robot, shortened(path, length), limits, factor=factor, start=speed, end="rest", intervals=COARSE)
    except NoMotionError as why:
        return NoMotionError(f"stop: from t = {at:.6g} s robot '{robot.name}' cannot brake to rest along the rest of "
                             f"its path ({length:.4g} rad or m of joints, up to where the motion rests or ends) within "
                             f"its limits; category=0 needs none. {why}", why.at_rest, why.pair)
    raise AssertionError
