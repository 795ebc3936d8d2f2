"""Angles that are kept within one turn: where such a joint passes half a turn, its angle jumps by a whole one."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from loadpath.motion.layout import Layout, units_of
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

TURN = 2 * math.pi
LEAST = 0.75
"""Part of a turn that a joint must jump from one sample to the next, to be the jump of an angle and not a motion."""
USUAL = 0.1
"""Part of a turn below which its other steps are, most of them."""
GAP = 5.0
"""Usual times between samples, after which it is not known what happened in between."""
CLOSE = 1e-3
"""Turns by which a joint may be outside of its limits."""


def jumps_by_turns(t: Floats, q: Floats) -> Floats:
    """Turns, plus or minus one, by which angles (samples, columns) jump from one sample to the next.

    >>> jumps_by_turns(np.arange(6.0), np.array([[3.0], [3.1], [-3.1], [-3.0], [-3.1], [3.1]])).ravel().tolist()
    [0.0, -1.0, 0.0, 0.0, 1.0]
    """
    steps, lengths = np.diff(q, axis=0), np.diff(t)[:, None]
    quiet = np.median(np.abs(steps), axis=0, keepdims=True) < USUAL * TURN
    soon = lengths < GAP * np.median(lengths)  # in a time without samples it may well have turned
    sure = (np.abs(steps) > LEAST * TURN) & (np.abs(steps) < (2 - LEAST) * TURN)
    turns: Floats = np.where(sure & quiet & soon, np.sign(steps), 0.0)
    return turns


def without_turns(
    t: Floats, q: Floats, robot: RobotModel, layout: Layout, place: Callable[[int], str]
) -> tuple[Floats, list[str]]:
    """Coordinates whose angles do not jump, within the limits of their joints where whole turns lead there, and a
    sentence for each that did.
    """
    units = units_of(robot)
    angles = [k for k, name in enumerate(layout.coordinate_names) if units.get(name) == "rad"]
    jumps = jumps_by_turns(t, q[:, angles]) if len(t) > 1 else np.zeros((0, len(angles)))
    if not jumps.any():
        return q, []
    q, said = q.copy(), []
    for column, of in zip(angles, jumps.T, strict=True):
        places = np.flatnonzero(of)
        if places.size:
            q[1:, column] -= TURN * np.cumsum(of)
            name = layout.coordinate_names[column]
            q[:, column] += TURN * _shift(robot, name, q[:, column])
            more = f" and {places.size - 1} other places" if places.size > 1 else ""
            said.append(f"{place(int(places[0]) + 1)}{more}: the angle of '{name}' jumps by a turn, as angles do that "
                        "are kept within one; it was made continuous")
    return q, said


def _shift(robot: RobotModel, name: str, angles: Floats) -> float:
    """Whole turns after which angles are within the limits of their joint; zero where none are."""
    limits = next((joint.limits[0] for joint in robot.joints if joint.name == name and joint.motion.dof == 1), None)
    if limits is None:
        return 0.0
    fewest = (limits.lower - float(angles.min())) / TURN
    most = (limits.upper - float(angles.max())) / TURN
    low = math.ceil(fewest - CLOSE) if fewest > -math.inf else -math.inf
    high = math.floor(most + CLOSE) if most < math.inf else math.inf
    return float(min(max(0.0, low), high)) if low <= high else 0.0
