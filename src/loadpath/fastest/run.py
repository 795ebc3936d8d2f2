"""`robot.fastest(path, limits=...)`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Never

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.fastest.asked import Given, asked_limits
from loadpath.fastest.closing import Closing, closed_path
from loadpath.fastest.gradual import gradual
from loadpath.fastest.infeasible import NoMotionError, no_motion
from loadpath.fastest.limits import Limits
from loadpath.fastest.means import Means
from loadpath.fastest.pace import in_time
from loadpath.fastest.path import Path, refuse_quaternions, with_timing
from loadpath.fastest.power import Power
from loadpath.fastest.rates import Rates
from loadpath.fastest.result import Fastest, warned_of_positions
from loadpath.fastest.search import Found, Problem, search
from loadpath.fastest.within_means import MeansTooHighError
from loadpath.motion.motion import Motion
from loadpath.robot.numbers import number
from loadpath.scalars.types import ArrayLike
from loadpath.states.keywords import refuse_keywords
from loadpath.states.reading import MotionLike

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities
    from loadpath.quantities.wrench import Wrench

End = float | Literal["rest", "any"]
CLOSED = 1e-4
"""By so much a certificate may be above 1 without a word."""


def fastest(
    robot: RobotQuantities,
    path: Path | MotionLike | ArrayLike,
    limits: Given | None = None,
    *,
    factor: float | Mapping[str, float] = 1.0,
    start: End = "rest",
    end: End = "rest",
    also: Sequence[RobotQuantities] = (),
    intervals: int | None = None,
    external: Mapping[str, Wrench] | None = None,
    **others: Never,
) -> Fastest:
    """The fastest motion on a path within limits, certified between points: `robot.fastest([q0, q1, q2])`.

    `path` is an `lp.Path`, an `lp.Motion` or a simulation, whose geometry is kept and whose timing is not, or
    configurations (points, n), through which a spline goes. It begins and ends at rest, or with a speed along the path
    (ds/dt in joint space), or with "any".

    `limits` are `"torque"` (of the drives, friction included), `"speed"` and `"acceleration"`: one number, one for each
    degree of freedom, or a dict by names; True for the robot's own, False for none. `"torque_rate"` (N m/s) and
    `"jerk"` (rad/s^3) likewise; `"power"` (W) is of all drives together. Of joints `"tilting_moment"`,
    `"radial_force"`, `"axial_force"`, `"axial_torque"`, `"force"` and `"moment"` of their wrenches, as in `peak_loads`:
    one number, or a dict by joints; and `"friction"`, a dict from joints to `lp.FrictionCone`. `"parts": False` leaves
    out what the robot's parts can take. What is not named is the robot's own: its efforts and velocities, and every
    check of its parts that is the largest of a load (peak torques of gears, torque-speed curves of motors with losses
    of their drive trains, static loads of bearings, bolts).

    `external={"link": lp.Wrench(force=, torque=)}` are wrenches of the surroundings that act all along the path, as a
    tool that presses.

    `factor` multiplies all limits, or by kind: `{"torque": 0.8}`. `also` are robots whose limits hold as well on the
    same motion, as this one with another payload or friction.

    The motion is a sequence of intervals with constant s'', of about so many `intervals` (1,600, or 400 with limits of
    wrenches), which are halved where that is needed; with rates, s'' goes evenly along each of 300. Loads are bounded
    within each of them by ranges of their second derivatives, not by samples: see `Fastest.certificate`.

    >>> import loadpath as lp
    >>> found = lp.catalog.panda().fastest([[0, -0.5, 0, -2, 0, 1.5, 0], [1, 0.3, 0.2, -1.5, 0.4, 2, 0.5]])
    >>> found.certificate < 1.0001, found.rules[0].limit
    (True, "torque of 'panda_joint2'")
    """
    refuse_keywords("fastest", others, NO_LOADS)
    return within(robot, with_timing(robot, path), limits, factor=factor, start=start, end=end, also=also,
                  intervals=intervals, external=external)


NO_LOADS = {
    "base": "its base stands still: the fastest motion of one that rolls is that of a rover, base.carrying(robot)",
    "gravity": "robot.with_gravity(...) has another gravity",
    "under": "robot.with_gravity(...) has another gravity, and external= takes wrenches",
}
"""Why the fastest motion does not take other loads than wrenches, and what to do."""


def within(
    robot: RobotQuantities,
    path: Path | Motion | ArrayLike,
    limits: Given | None,
    *,
    factor: float | Mapping[str, float],
    start: End,
    end: End,
    also: Sequence[RobotQuantities],
    intervals: int | None,
    more: Sequence[Limits] = (),
    external: Mapping[str, Wrench] | None = None,
) -> Fastest:
    """`fastest`, with `more` limits than robots have, as of wheels."""
    if isinstance(path, Path) and path.passes:
        untimed = replace(path, passes={})
        return in_time(path, lambda paces: within(
            robot, untimed, limits, factor=factor, start=start, end=end, also=also, intervals=intervals,
            external=external, more=[*more, *paces]))
    every = [robot, *also]
    for other in also:
        if tuple(other.dof_names) != tuple(robot.dof_names):
            raise ModelError(f"fastest: robot '{other.name}' of 'also' has other degrees of freedom than "
                             f"'{robot.name}'")
    way, closing = _path_of(robot, path, tuple(also))
    asked, left_out = asked_limits(every, limits, factor, external)
    problem = Problem(way, [*asked, *more], _speed(start, "start"), _speed(end, "end"), closing)
    if not problem.limits:
        raise ValueError(f"nothing limits a motion of robot '{robot.name}': it has no efforts and velocities; give "
                         "limits={'torque': ..., 'speed': ...}")
    if all(isinstance(each, Rates | Power | Means) for each in problem.limits):
        raise ValueError("power, mean_torque, torque_rate and jerk limit a motion beside torques, speeds or "
                         "accelerations: give one of these, too")
    if problem.means and (problem.start > 0 or any(isinstance(each, Rates) for each in problem.limits)):
        raise ValueError("mean_torque is not for motions within torque_rate or jerk, and not for those that begin at a "
                         "speed: leave it out, and hold the torque of the joint lower")
    rates = any(isinstance(each, Rates) for each in problem.limits)
    try:
        found = gradual(problem, intervals) if rates else search(problem, intervals)
    except MeansTooHighError:
        names = ", ".join(name.name for each in problem.means for name in each.names)
        raise NoMotionError(f"no motion of robot '{robot.name}' on this path was found that keeps the mean torques of "
                            f"its gears, {names}: what gravity and friction take alone is more, or limits are exceeded "
                            "at rest: raise them, or go another way") from None
    if not found.possible:
        raise no_motion(found, robot)
    _refuse_unbounded(found)
    _warn_of_excess(found, robot)
    return warned_of_positions(Fastest(robot, found, tuple(left_out)))


def _refuse_unbounded(found: Found) -> None:
    """An error where what a limit may be exceeded by between nodes has no bound, on the finest grid."""
    lost = np.argwhere(~np.isfinite(found.bound))
    if len(lost):
        k, limit = lost[0].tolist()
        raise ModelError(f"{found.problem.names[limit]} has no bound between points near s = {found.grid.s[k]:.6g}, "
                         f"with {len(found.grid.h)} intervals: is the path near a singular configuration there? Go "
                         "another way, or leave the limit out")


def _warn_of_excess(found: Found, robot: RobotQuantities) -> None:
    """Where the search has ended without closing: what is found is not what was asked for."""
    most = float(found.bound.max())
    if most > 1 + CLOSED:
        k, limit = np.unravel_index(int(found.bound.argmax()), found.bound.shape)
        warn(f"fastest: of the motion found for robot '{robot.name}', {found.problem.names[limit]} may be used by "
             f"{100 * most:.4g} % near s = {found.grid.s[k]:.6g}: the search did not close there; give more intervals, "
             f"or factor={0.99 / most:.3g}")


def _path_of(
    robot: RobotQuantities, path: Path | Motion | ArrayLike, others: tuple[RobotQuantities, ...]
) -> tuple[Path, Closing | None]:
    """The path, and of a robot with loops how they close along it."""
    if robot.closing_names:
        return closed_path(robot, path, others)
    refuse_quaternions(robot)
    way = Path.of(path)
    if way.n != robot.n:
        raise ValueError(f"the path has {way.n} coordinates, and robot '{robot.name}' has {robot.n} degrees of freedom"
                         f": {', '.join(robot.dof_names)}")
    return way, None


def _speed(given: Any, what: str) -> float:
    """ds/dt at an end of a path; infinite for any."""
    if given in ("rest", "any"):
        return 0.0 if given == "rest" else math.inf
    found = number(given, what)
    if found < 0:
        raise ValueError(f"{what} is {given}: expected a speed along the path, zero or more, 'rest' or 'any'")
    return found
