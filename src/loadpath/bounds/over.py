"""The worst states of a box, one for each load: what `peak_loads` and `verdict` go through in place of a motion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.bounds.asked import DRIVE, Sense
from loadpath.bounds.box import Box
from loadpath.bounds.result import WorstCase
from loadpath.bounds.search import checked_effort
from loadpath.loads.peaks.result import MARGIN, OF_WHEELS
from loadpath.loads.resultants import RESULTANTS
from loadpath.progress import Report, reporting
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

MANY = 8
"""Times as much time for the margin of a rover, for which each edge is searched, more than once."""


@dataclass(frozen=True, eq=False)
class WorstStates:
    """For each load over a box the state with its largest value, and what bounds it."""

    q: Floats
    """(states, n), as `qd` and `qdd`."""
    qd: Floats
    qdd: Floats
    base: Mapping[str, Floats]
    """How a rover's base moves in these states, as keywords."""
    worst: tuple[WorstCase, ...]


def worst_states(
    robot: RobotQuantities, over: Box | Mapping[str, object], seconds: float, progress: bool | Report, caller: str,
    acting: Mapping[str, Any],
) -> WorstStates:
    """Of all resultants of the joint wrenches, of all drives, of the wheels and of the margin of a rover. Each search
    has the same share of the time.
    """
    checked_effort(1e-3, seconds)
    box = Box.read(over, robot)
    if box.payload is not None:
        raise ValueError(f"{caller} is of one robot, and the box has a range of payloads: give it the payload by "
                         "with_payload, or ask worst_case, which takes both")
    asked = list(_loads(robot))
    of_robot: Any = robot
    worst: list[WorstCase] = []
    with reporting(progress, f"{caller} over a box of states of {robot.name}") as report:
        for number, (name, quantity, sense) in enumerate(asked):
            share = seconds * (MANY if quantity == MARGIN else 1) / (len(asked) + MANY * bool(robot.on_wheels))
            worst.append(of_robot.worst_case(name, quantity, over=box, sense=sense, seconds=share, **acting))
            report((number + 1) / len(asked))
    base: dict[str, Floats] = {}
    if robot.on_wheels:
        base = {part: np.array([one.acting[part] for one in worst]) for part in ("velocity", "acceleration", "heading")
                if part in worst[0].acting}
    q, qd, qdd = (np.array([one.state[k] for one in worst]).reshape(len(worst), robot.n) for k in range(3))
    return WorstStates(q, qd, qdd, base, _by_parts(worst))


def _by_parts(worst: list[WorstCase]) -> tuple[WorstCase, ...]:
    """A force is not above the root of the squares of what bounds its parts along and across the axis, nor are they
    above it; the same of a torque.
    """
    bounds = {(one.name, one.quantity): one.bound for one in worst}
    for whole, *parts in (("force", "axial_force", "radial_force"), ("torque", "axial_torque", "tilting_moment")):
        for name in {one.name for one in worst if one.quantity == parts[0]}:
            bounds[name, whole] = min(bounds[name, whole], math.hypot(*(bounds[name, part] for part in parts)))
            for part in parts:
                bounds[name, part] = min(bounds[name, part], bounds[name, whole])
    return tuple(replace(one, bound=bound, certified=one.certified or bound - one.value <= one.tolerance * one.value)
                 if one.sense == "magnitude" and (bound := max(bounds[one.name, one.quantity], one.value)) < one.bound
                 else one for one in worst)


def _loads(robot: RobotQuantities) -> Iterator[tuple[str, str, Sense]]:
    for joint in robot.joints:
        axis = joint.motion.axis_direction()
        for quantity in RESULTANTS[4:] if axis is None else RESULTANTS:
            yield joint.name, quantity, "magnitude"
    for name in robot.dof_names:
        yield name, DRIVE, "magnitude"
    if robot.on_wheels:
        rover: Any = robot
        for contact in rover.contact_names:
            yield contact, OF_WHEELS[0], "max"
            yield contact, OF_WHEELS[0], "min"
        yield robot.name, MARGIN, "min"
