"""The robot as it stands, without loads: the still picture of a data sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.report.blocks import Chart
from loadpath.report.scene import Instants, scene_of, size_of, view_of
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.datasheet.workspace import Workspace
    from loadpath.quantities.table import RobotQuantities


def still_picture(robot: RobotQuantities, q: Floats, title: str) -> Chart:
    """The bodies of a robot in one configuration, as the report's picture draws them.

    >>> import loadpath as lp
    >>> still_picture(lp.catalog.planar(1), np.zeros(1), "A rod").traces[0]["type"]
    'robot'
    """
    carried = len(robot.closed_joint_names)
    at = Instants(np.asarray(robot.link_poses(q[None]), dtype=float), np.zeros((1, carried, 6)), np.zeros((1, robot.n)))
    skeleton = at.skeleton(robot).reshape(-1, 3)
    trace, reach, _ = scene_of(robot, at, (), size_of(skeleton))
    for body in trace["bodies"]:
        body["limit"] = None
    trace |= {"samples": [0], "times": None, "ring": None, "payload": None, "arrows": {}}
    trace["frames"][0] |= {"ground": None, "shares": [None] * len(trace["bodies"])}
    return Chart(title, [trace], {"scene": view_of(reach, skeleton, False), "hovermode": "closest"}, 460)


POSES = 3_000
"""Among which one is chosen for a picture."""


def standing(robot: RobotQuantities, where: Workspace) -> Floats:
    """(n,): of many configurations the one that looks most like an arm at work: its tip at two thirds of its reach and
    above its base, nothing far below the base, its joints near the middle of their ranges.

    >>> import loadpath as lp
    >>> from loadpath.datasheet.workspace import workspace
    >>> arm = lp.catalog.planar(2)
    >>> standing(arm, workspace(arm, count=2000)).shape
    (2,)
    """
    low, high = where.ranges.low, where.ranges.high
    q = where.ranges.draw(POSES)
    middle = np.clip(0.0, low, high)
    q = middle + 0.6 * (q - middle)
    joint = next(joint for joint in robot.joints if joint.name == where.axis)
    q[:, robot.v_slices[joint.name].start] = middle[robot.v_slices[joint.name].start]
    origins = np.asarray(robot.link_poses(q))[:, :, :3, 3]
    tip = origins[:, robot.link_names.index(where.tip)]
    reach = where.reach or 1.0
    away = np.hypot(tip[:, 0], tip[:, 1])
    below = np.minimum(origins[:, :, 2].min(axis=1) - origins[:, 0, 2], 0.0)
    span = np.where(high > low, high - low, 1.0)
    bent = (((q - middle) / span) ** 2).mean(axis=1)
    score = np.abs(away - 0.65 * reach) + np.abs(tip[:, 2] - 0.45 * reach) - 2.0 * below + 1.5 * reach * bent
    score -= 0.5 * origins[:, :, 2].mean(axis=1)
    found: Floats = q[int(np.argmin(score))]
    return found
