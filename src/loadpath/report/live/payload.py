"""The payload that the page's control changes: the one that the robot carries, or one at the end of the arm."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.quantities.table import RobotQuantities
from loadpath.report.collecting import collected_warnings
from loadpath.report.numbers import vector
from loadpath.robot.edit import with_payload

NAME = "payload"
SHARE = 0.15
"""Of a robot's mass: so much payload the control reaches where there is none to begin with."""


class Payload(NamedTuple):
    """A payload whose mass is an argument."""

    robot: RobotQuantities
    """With the payload as a link of its own."""
    link: str
    mass: float
    """kg, as the report was made."""
    largest: float
    """kg, at the end of the control."""
    words: str


def payload_of(robot: RobotQuantities) -> Payload | str:
    """The payload, or why there is none to change.

    >>> import loadpath as lp
    >>> payload_of(lp.catalog.panda().with_payload(2.0)).words
    "on 'panda_link8', its mass center at (0, 0, 0) m, a point mass"
    """
    worn = [j for j in robot.joints if j.child.startswith(NAME) and not j.motion.dof]
    worn = [j for j in worn if not any(other.parent == j.child for other in robot.joints)]
    if len(worn) > 1:
        return f"it carries {len(worn)} payloads: {', '.join(j.child for j in worn)}"
    if worn:
        link, loaded = worn[0].child, robot
    else:
        try:
            with collected_warnings():
                loaded = with_payload(robot, 0.0, name=NAME)
        except (ValueError, ModelError) as problem:
            return str(problem)
        link = NAME
    joint, body = next(j for j in loaded.joints if j.child == link), loaded.link(link).inertia
    if not body.mass and np.any(body.tensor):
        return f"its payload '{link}' has inertia and no mass"
    spread = "its inertia in proportion to its mass" if np.any(body.tensor) else "a point mass"
    words = f"on '{joint.parent}', its mass center at {vector(body.center_of_mass)} m, {spread}"
    whole = sum(part.inertia.mass for part in robot.links if part.name != link)
    return Payload(loaded, link, body.mass, _round_up(max(2.5 * body.mass, SHARE * whole)), words)


def _round_up(mass: float) -> float:
    """To 1, 2 or 5 times a power of ten.

    >>> _round_up(3.1), _round_up(0.0)
    (5.0, 1.0)
    """
    if mass <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(mass))
    return float(next(m * power for m in (1, 2, 5, 10) if m * power >= mass * (1 - 1e-9)))
