"""Whether the states of a call are states of a closed robot: loops closed, speeds and accelerations that they allow,
and not at a dead point. What is not is an error that names the state, the loop, how far off it is, and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from loadpath.algorithms.loops.paths import length_of
from loadpath.algorithms.loops.residual import closure_sizes
from loadpath.algorithms.loops.status import Status
from loadpath.cached import kept
from loadpath.engine.method import CompiledMethod
from loadpath.errors import warn
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.robot.mechanism import plain
from loadpath.scalars import array
from loadpath.scalars.types import Bools, Floats
from loadpath.states.batch import place_of
from loadpath.states.unknown import NAMED, listed

ALLOWED = 2e-5
"""Speeds and accelerations count as allowed by the loops within this part of what they are made of."""
AT_REST = 1e-9
"""Speeds and accelerations in held directions below this (m/s, rad/s) are rounding of a robot at rest."""
DEAD = 1e-7
"""A smaller pivot is a dead point: forces and speeds would be larger than 1 / DEAD times those of the drives."""
SINGLE = 1e2
"""Numbers of single precision get this many times as much room."""


@kept()
def loop_length(robot: Any) -> float:
    """The length of the longest loop (m): links from joint to joint, at the robot's own frames."""
    mechanism = plain(robot)
    return max((length_of(mechanism, loop) for loop in mechanism.loops), default=1.0)


def verdict(method: CompiledMethod, arrays: Sequence[Any], results: tuple[Any, ...], strict: bool) -> tuple[Any, ...]:
    """The results without their status, if all states are states of the closed robot; otherwise an error or, without
    `strict`, a warning, and NaN at dead points.
    """
    passed, status = results[:-1], results[-1]
    if not status.size:
        return passed
    room = SINGLE if status.dtype == np.float32 else 1.0
    length = CLOSED_WITHIN * room * loop_length(method.robot)
    if status.ndim == 1:
        gap, angle, speed, speed_scale, acceleration, acceleration_scale, pivot = status.tolist()
        good = gap <= length and angle <= CLOSED_WITHIN * room and pivot >= DEAD
        good = good and speed <= (ALLOWED * speed_scale + AT_REST) * room
        if good and acceleration <= (ALLOWED * acceleration_scale + AT_REST) * room:
            return passed
    columns = Status(*(status[..., k] for k in range(status.shape[-1])))
    with np.errstate(invalid="ignore"):
        open_ = (columns.length > length) | (columns.angle > CLOSED_WITHIN * room)
        fast = columns.speed > (ALLOWED * columns.speed_scale + AT_REST) * room
        forced = columns.acceleration > (ALLOWED * columns.acceleration_scale + AT_REST) * room
        dead = columns.pivot < DEAD
    if not (open_.any() or fast.any() or forced.any() or dead.any()):
        return passed
    faults = open_, fast & ~open_, forced & ~open_ & ~fast, dead & ~open_
    messages = _messages(method, arrays, columns, faults, strict)
    if strict:
        raise ValueError(messages[0])
    for message in messages:
        warn(message)
    return tuple(_without(values, dead) for values in passed) if dead.any() else passed


def verdict_with_q(
    method: CompiledMethod, arrays: Sequence[Any], results: tuple[Any, ...], strict: bool
) -> tuple[Any, ...]:
    """The same, and the coordinates that the results are for."""
    return *verdict(method, arrays, results, strict), np.asarray(arrays[0])


def _without(values: Any, states: Bools) -> Any:
    """Results with NaN in some states."""
    if not np.ndim(states):
        return np.full_like(values, np.nan)
    values[states] = np.nan
    return values


def _messages(
    method: CompiledMethod,
    arrays: Sequence[Any],
    status: Status,
    faults: tuple[Bools, Bools, Bools, Bools],
    strict: bool,
) -> list[str]:
    robot, title = method.robot, method.__name__
    open_, fast, forced, dead = faults
    # By the function's own name: users may have come through another, which has no `strict`.
    path = getattr(robot, "known_as", "robot")  # a book of a robot is not the robot
    loose = f"; {path}.{method.quantity.name}(..., strict=False) gives " if strict else ""
    out = loose and f"{loose}the numbers and a warning"
    found = []
    if open_.any():
        where, place, shape = _states(open_)
        q = _configuration(method, arrays[0], place, shape)
        name, length, angle = _widest(robot, q)
        found.append(f"{title}: the loops of '{robot.name}' are open at {where}: '{name}' by {length:.3g} m and "
                     f"{angle:.3g} rad; close them with robot.assemble(..., near=q){out}")
    if fast.any():
        where, place, _ = _states(fast)
        found.append(f"{title}: qd is no motion of the closed robot '{robot.name}' at {where}: the loops would move by "
                     f"{_at(status.speed, place):.3g} (m/s, rad/s) where they hold; robot.complete(q, qd_driven) gives "
                     f"the passive speeds{out}")
    if forced.any():
        where, place, _ = _states(forced)
        found.append(f"{title}: qdd is no motion of the closed robot '{robot.name}' at {where}: the loops would "
                     f"accelerate by {_at(status.acceleration, place):.3g} (m/s^2, rad/s^2) where they hold; "
                     "robot.complete(q, qd_driven, qdd_driven) gives the passive accelerations, which are not zero "
                     f"when those of the drives are{out}")
    if dead.any():
        where, place, _ = _states(dead)
        found.append(f"{title}: '{robot.name}' is at a dead point at {where}: there {', '.join(robot.independent)} "
                     f"{'does' if len(robot.independent) == 1 else 'do'} not determine the motion (pivot "
                     f"{_at(status.pivot, place):.2g}), so drives cannot hold it; move away from it, or drive another "
                     f"joint with with_driven{loose and f'{loose}NaN and a warning'}")
    return found


def _states(which: Bools) -> tuple[str, int, tuple[int, ...]]:
    """Some states in words, the number of the first of them, and the shape of the batch."""
    shape = np.shape(which)
    if not shape:
        return "this state", 0, shape
    numbers = np.flatnonzero(which)
    places = [place_of(int(k), shape) for k in numbers[:NAMED]]
    return f"{len(numbers)} of {which.size} states ({listed(places, len(numbers))})", int(numbers[0]), shape


def _at(values: Any, place: int) -> float:
    return float(np.ravel(values)[place])


def _configuration(method: CompiledMethod, q: Any, place: int, shape: tuple[int, ...]) -> Floats:
    """The coordinates of one state, from the first argument of the call: q, or the state x = (q, qd)."""
    values = np.asarray(q, dtype=float)
    row: Floats = np.broadcast_to(values, (*shape, values.shape[-1])).reshape(-1, values.shape[-1])[place]
    return row[: method.robot.nq]


def _widest(robot: Any, q: Floats) -> tuple[str, float, float]:
    """The loop or coupling that is farthest from closed, and how far: by length and angle."""
    names = [*robot.loop_names, *(coupling.name for coupling in robot.couplings)]
    sizes = closure_sizes(plain(robot), array(q.tolist())).astype(float)
    k = int(np.argmax(sizes.max(axis=-1)))
    return names[k], float(sizes[k, 0]), float(sizes[k, 1])
