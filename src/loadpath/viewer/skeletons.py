"""Links without a shape, drawn from the kinematics: tubes between the joints of a link, and the joints as solids. All
in the frame of the link, so that the browser moves them; only what slides is longer or shorter in every picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from loadpath.drawing.robot_figure import RADIUS, joint_solid
from loadpath.drawing.skeleton import Pin, apart, free_end, outline_of
from loadpath.drawing.solids import Solid, ball, prism, together
from loadpath.quantities.carriers import Carrier, carriers
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.pose import Pose
from loadpath.scalars.types import Floats

TUBE = 0.6
"""Radius of a link, of that of a joint."""


class Ends(NamedTuple):
    """What a joint or loop joins: two links, and where it is on each."""

    first: str
    second: str
    at: Pose
    on: Pose


def ends_of_carrier(carrier: Carrier) -> Ends:
    """The links that a joint or loop joins, and its frames on them."""
    if isinstance(carrier, Loop):
        return Ends(carrier.first, carrier.second, carrier.at, carrier.on)
    return Ends(carrier.parent, carrier.child, carrier.origin, carrier.link_offset.inverse())


class Skeleton(NamedTuple):
    """A link as surfaces in its frame."""

    tubes: Solid | None
    joints: Solid | None


def skeletons(robot: RobotModel, size: float) -> dict[str, Skeleton]:
    """Every link as tubes, with the joints that it hangs on.

    >>> import loadpath as lp
    >>> found = skeletons(lp.catalog.planar(2), 2.0)
    >>> float(found["link1"].tubes.points[:, 0].max().round(3)), found["tip"].joints is None
    (1.026, True)
    """
    radius = RADIUS * size
    points: dict[str, list[Floats]] = {name: [] for name in robot.link_names}
    pins: dict[str, list[Solid]] = {name: [] for name in robot.link_names}
    for carrier in carriers(robot):
        ends = ends_of_carrier(carrier)
        points[ends.first].append(ends.at.p)
        points[ends.second].append(ends.on.p)
        if carrier.motion.dof:
            direction = carrier.motion.axis_direction()
            axis = None if direction is None else ends.on.R @ np.array(direction)
            pin = Pin(carrier.name, ends.on.p, np.zeros(3), True, isinstance(carrier, Loop), axis,
                      any(carrier.motion.angular))
            pins[ends.second].append(joint_solid(pin, radius))
    found = {}
    for name, places in points.items():
        if len(apart(np.array(places).reshape(-1, 3))) < 2:
            places.extend([np.zeros(3)] if name == robot.base.name else free_end(robot, name, np.eye(4)))
        tubes = list(_tubes(outline_of(np.array(places).reshape(-1, 3)), TUBE * radius))
        joints = pins[name]
        found[name] = Skeleton(together(tubes) if tubes else None, together(joints) if joints else None)
    return found


def _tubes(outline: Floats, radius: float) -> Iterator[Solid]:
    for start, end in pairwise(outline):
        yield prism(0.5 * (start + end), end - start, radius, float(np.linalg.norm(end - start)), sides=12)
    if len(outline) > 1:
        for corner in outline:
            yield ball(corner, radius, sides=8)


def sliding(robot: RobotModel) -> list[Carrier]:
    """Joints and loops that can slide: between their two frames there is a rod.

    >>> import loadpath as lp
    >>> [joint.name for joint in sliding(lp.catalog.lau_arm())]
    ['d2']
    """
    return [carrier for carrier in carriers(robot) if carrier.motion.dof and not all(carrier.motion.angular)]
