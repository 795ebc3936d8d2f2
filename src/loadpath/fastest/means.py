"""Means of torques as limits: what a gear carries on average, by the cube root of the mean cube over its turns,

    T_m = (integral of |T|^3 |q'| ds / integral of |q'| ds)^(1/3),

T as the gear passes it on. On a path the turns are given, so faster motions only have larger torques. A mean is of the
whole and no row at a point: its torque is held below a share of it instead, as high as the mean allows, found by
halving. So what is found keeps the means and is certified as any motion, and is not quite the fastest that does: that
one would have high torques where they save most time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from loadpath.fastest.friction import friction, speed
from loadpath.fastest.infeasible import NoMotionError
from loadpath.fastest.limits import Limits, Magnitudes, Name
from loadpath.fastest.loads import GEAR, Model
from loadpath.fastest.result import Fastest
from loadpath.fastest.search import Found
from loadpath.robot.numbers import known, number
from loadpath.scalars.types import Floats

KIND = "mean_torque"
HIGHEST = 64.0
"""Of a mean, the highest peak that is tried."""
NEAR = 2e-3
"""Relatively, of the peak."""
TRIES = 16
KEPT = 1 - 1e-4
"""Of a mean is allowed: it is summed over nodes."""


def under_means(
    robot: Any, given: Any, share: float, external: Mapping[str, Any] | None,
    find: Callable[[Sequence[Limits]], Fastest],
) -> Fastest:
    """The motion that `find` finds with torques of gears held so low that their means are kept."""
    if not isinstance(given, Mapping):
        raise ValueError(f"{KIND} is {given!r}: expected a dict from joints with drives to torques, like "
                         "{'joint1': 50.0}")
    model, most = Model(robot, external), {}
    for joint, value in given.items():
        known(joint, robot.dof_names, "degree of freedom")
        most[joint] = share * number(value, f"{KIND} of '{joint}'")
        if most[joint] <= 0:
            raise ValueError(f"{KIND} of '{joint}' is {value}: expected more than zero")
    columns = [robot.dof_names.index(joint) for joint in most]
    allowed = np.array(list(most.values()))

    def at(peak: float) -> Fastest:
        names = [Name("torque of the gear, for its mean,", joint, peak * value, "N m") for joint, value in most.items()]
        return find([Magnitudes(model, GEAR, names, columns, peak * allowed)])

    def kept(found: Fastest) -> bool:
        return bool((mean_torques(found.found, model)[columns] <= KEPT * allowed).all())

    without = find([])
    if kept(without):
        return without
    best: Fastest | None = None
    missing: NoMotionError | None = None
    low, high = 0.5, HIGHEST
    for _ in range(TRIES):
        peak = float(np.sqrt(low * high))
        try:
            found = at(peak)
        except NoMotionError as problem:
            missing, low = problem, peak
            continue
        if kept(found):
            best, low = found, peak
        else:
            high = peak
        if high <= low * (1 + NEAR):
            break
    if best is None:
        raise NoMotionError(f"no motion of robot '{robot.name}' on this path was found that keeps the mean torques of "
                            f"its gears, {', '.join(most)}: raise them, or go another way"
                            + (f"\n{missing}" if missing is not None else ""))
    return best


def mean_torques(found: Found, model: Model) -> Floats:
    """(n,): of each joint, by Simpson's rule over the nodes of each interval."""
    course, state = found.course, found.state
    torque = course.loads(model, GEAR).at(state.u, state.x)
    if model.rubs:
        torque = torque + friction(model, course, speed(state))
    turns = np.abs(course.first)
    each = course.grid.h[:, None, None] * _simpson(turns.shape[1])[:, None]
    whole = (each * turns).sum(axis=(0, 1))
    cubes = (each * turns * np.abs(torque) ** 3).sum(axis=(0, 1))
    result: Floats = np.cbrt(cubes / np.where(whole > 0, whole, 1.0))
    return result


def _simpson(nodes: int) -> Floats:
    """Weights over evenly spaced nodes, an odd number of them, with the sum one."""
    weights = np.ones(nodes)
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    found: Floats = weights / weights.sum()
    return found
