"""Which components of the joint wrenches rigid statics leaves open: where a chain is closed more often than needed, a
rule settles them (see `ClosedRobot.joint_wrenches`), or what bends, and tables mark them.
"""

from __future__ import annotations

import numpy as np

from loadpath.quantities.carriers import carriers, is_closed
from loadpath.quantities.wrench import COMPONENTS, DETERMINATE, leverages_of
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Bools, Floats

OPEN = "~"
"""Mark of a number that rests on the rule, or on how far the links bend."""
MOST_STATES = 25
"""What is open changes in special poses only, so a few states of a motion show it."""


def meaning(robot: RobotModel) -> str:
    """The mark in words.

    >>> import loadpath as lp
    >>> meaning(lp.catalog.four_bar())
    '~ by the rule: rigid statics leaves it open'
    """
    settled = "beams and joint compliance" if robot.is_elastic else "the rule"
    return f"{OPEN} by {settled}: rigid statics leaves it open"


def open_components(robot: RobotModel, q: Floats) -> Bools:
    """(joints and loops, 6): which components, force first, rigid statics leaves open in some of the configurations q,
    (..., nq); none of a tree.

    >>> import loadpath as lp
    >>> bool(open_components(lp.catalog.planar(2), np.zeros(2)).any())
    False
    """
    result = np.zeros((len(carriers(robot)), 6), dtype=bool)
    if not is_closed(robot):
        return result
    rows = np.reshape(q, (-1, np.shape(q)[-1]))
    rows = rows[np.isfinite(rows).all(axis=-1)]
    few = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_STATES)).round().astype(int))
    leverages = leverages_of(robot, rows[few])
    result |= (leverages >= DETERMINATE).any(axis=0)
    return result


def open_resultants(robot: RobotModel, components: Bools) -> dict[tuple[str, str], bool]:
    """For every joint and loop, and every component and resultant of its wrench, whether any part of it is open."""
    found: dict[tuple[str, str], bool] = {}
    for carrier, part in zip(carriers(robot), components, strict=True):
        found |= {(carrier.name, name): bool(part[k]) for k, name in enumerate(COMPONENTS)}
        axis = np.array(carrier.motion.axis_direction() or (0.0, 0.0, 0.0))
        along, across = np.abs(axis) > 1e-9, np.abs(axis) < 1 - 1e-9
        halves = {"axial_force": along, "radial_force": across, "axial_torque": along, "tilting_moment": across}
        for name, involved in halves.items():
            half = part[:3] if name.endswith("force") else part[3:]
            found[carrier.name, name] = bool((half & involved).any())
        found[carrier.name, "force"], found[carrier.name, "torque"] = bool(part[:3].any()), bool(part[3:].any())
    return found
