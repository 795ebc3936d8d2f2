"""The robot as it stands, without loads: the still picture of a data sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.drawing.surfaces import bodies_of
from loadpath.report.blocks import Chart
from loadpath.report.bodies import sent_bodies, sent_rods
from loadpath.report.robot_picture import rods_at, scene_of
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.datasheet.workspace import Workspace
    from loadpath.quantities.table import RobotQuantities


def still_picture(robot: RobotQuantities, q: Floats, title: str, note: str = "") -> Chart:
    """The bodies of a robot in one configuration, as the report's picture draws them.

    >>> import loadpath as lp
    >>> still_picture(lp.catalog.planar(1), np.zeros(1), "A rod").traces[0]["type"]
    'robot'
    """
    poses = np.asarray(robot.link_poses(q[None]), dtype=float)
    origins = poses[0, :, :3, 3]
    size = float(np.ptp(origins, axis=0).max(initial=0.0)) or 1.0
    bodies, rods = sent_bodies(robot, size), sent_rods(robot)
    of_bodies = poses[0, [body["link"] for body in bodies], :3].reshape(-1, 12)
    frame = {"points": [], "force": [], "torque": [], "poses": of_bodies, "shares": [None] * len(bodies),
             "rods": rods_at(rods, poses[0]), "ground": None}
    plain = [{**body, "limit": None} for body in bodies]
    trace = {"type": "robot", "names": [], "moves": [], "named": [], "arrows": {}, "size": size, "numbers": [],
             "payload": None, "bodies": plain, "rods": rods, "samples": [0], "ring": None, "frames": [frame]}
    return Chart(title, [trace], {"scene": scene_of(_corners(robot, poses[0], origins)), "hovermode": "closest"}, 460,
                 None, note)


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


def _corners(robot: RobotQuantities, poses: Floats, origins: Floats) -> Floats:
    """Points that are to be in view: origins of all frames, and the bodies as they are drawn."""
    size = float(np.ptp(origins, axis=0).max(initial=0.0)) or 1.0
    found = [origins]
    for link, surfaces in bodies_of(robot, size)[0].items():
        pose = poses[robot.link_names.index(link)]
        found += [surface.points @ pose[:3, :3].T + pose[:3, 3] for surface in surfaces if len(surface.points)]
    every = np.concatenate(found)
    foot = every.min(axis=0) - 0.12 * np.ptp(every, axis=0)  # room below, which the perspective takes
    return np.concatenate([every, [[every[:, 0].mean(), every[:, 1].mean(), foot[2]]]])
