"""What stops, collisions and jams are given, read: motions, instants, numbers with units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from loadpath.errors import ModelError
from loadpath.motion.motion import Motion
from loadpath.robot.numbers import number
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate.result import Simulation

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities


def motion_of(robot: RobotQuantities, motion: Motion | Simulation, call: str) -> Motion:
    """The motion, which goes with the robot."""
    if robot.is_elastic:
        raise ModelError(f"{call}: robot '{robot.name}' has beams or compliant joints, and brakes are of rigid ones: "
                         "robot.without_beams()")
    if isinstance(motion, Simulation):
        motion = Motion.from_simulation(motion, robot)
    if not isinstance(motion, Motion):
        raise TypeError(f"{call}: the motion is a {type(motion).__name__}: expected an lp.Motion or a simulation")
    if (motion.q.shape[1], motion.qd.shape[1]) != (robot.nq, robot.n):
        raise ValueError(f"{call}: the motion has {motion.q.shape[1]} coordinates and {motion.qd.shape[1]} speeds; "
                         f"robot '{robot.name}' has {robot.nq} and {robot.n}")
    if motion.loads:
        raise ModelError(f"{call}: the motion picks up loads on its way, which this does not know: take them off and "
                         "give the robot what it carries, robot.with_payload(...)")
    if not (np.isfinite(motion.q).all() and np.isfinite(motion.qd).all() and np.isfinite(motion.qdd).all()):
        raise ValueError(f"{call}: the motion has states that are not finite numbers")
    return motion


def instants_of(motion: Motion, at: float | str | Sequence[float] | Floats, call: str) -> Floats:
    """The instants that are asked for, s; "worst": all samples of the motion."""
    if isinstance(at, str) and at == "worst":
        return np.array(motion.t)
    if np.ndim(at):
        found = np.asarray(at, dtype=float)
        if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
            raise ValueError(f"{call}: 'at' is an array: expected one row of instants, s")
    else:
        found = np.array([number(in_si(at, ("time",), "at"), f"{call}: 'at'")])
    outside = found[(found < motion.t[0]) | (found > motion.t[-1])]
    if len(outside):
        raise ValueError(f"{call}: the instant {outside[0]:.6g} s is outside the motion, {motion.t[0]:.6g} to "
                         f"{motion.t[-1]:.6g} s")
    return found


def torques_of(robot: RobotQuantities, motion: Motion) -> Floats:
    """(samples, n): of the drives in a motion."""
    return np.asarray(robot.inverse_dynamics(motion))


def torques_from(robot: RobotQuantities, motion: Motion, tau: Floats, at: float) -> Callable[[float], Floats]:
    """Torques of the drives in a motion, `tau` at its samples, from an instant on: straight lines in between, and after
    its end the last ones.
    """
    here = motion.at(at)
    later = motion.t > at
    times = np.concatenate([[0.0], motion.t[later] - at])
    rows = np.concatenate([torques_of(robot, here), tau[later]])
    if len(times) == 1:
        return lambda t: np.asarray(rows[0])

    def torque(t: float) -> Floats:
        k = min(max(int(np.searchsorted(times, t, side="right")) - 1, 0), len(times) - 2)
        share = min(max((t - times[k]) / (times[k + 1] - times[k]), 0.0), 1.0)
        found: Floats = rows[k] + share * (rows[k + 1] - rows[k])
        return found

    return torque


def positive_of(call: str, value: object, name: str, measure: str) -> float:
    """A number above zero, in SI units."""
    found = not_negative_of(call, value, name, measure)
    if found == 0:
        raise ValueError(f"{call}: {name!r} is {value}: expected more than zero")
    return found


def not_negative_of(call: str, value: object, name: str, measure: str) -> float:
    """A number of zero or more, in SI units."""
    found = number(in_si(value, (measure,), name), f"{call}: {name!r}")
    if found < 0:
        raise ValueError(f"{call}: {name!r} is {value}: expected zero or more")
    return found


def vector_of(call: str, value: ArrayLike, name: str, measure: str) -> Floats:
    """Three finite numbers."""
    found = np.asarray(in_si(value, (measure,), name), dtype=float)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise ValueError(f"{call}: {name!r} is {value!r}: expected three finite numbers")
    return found
