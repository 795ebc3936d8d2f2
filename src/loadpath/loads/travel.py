"""How fast joints and loops turn or slide: what wears bearings and gears."""

from __future__ import annotations

import numpy as np

from loadpath.quantities.carriers import carriers
from loadpath.quantities.table import RobotQuantities
from loadpath.scalars.types import Floats


def travel(robot: RobotQuantities, q: Floats, qd: Floats) -> Floats:
    """(..., carriers): how fast each joint and loop with a single axis turns about it, or slides along it (of one that
    turns and slides, how it turns); zero for all others.
    """
    result = np.zeros((*qd.shape[:-1], len(carriers(robot))))
    of_speed = np.zeros((robot.n, len(robot.joints)))
    for column, joint in enumerate(robot.joints):
        if joint.motion.dof and joint.motion.axis_direction() is not None:
            of_speed[robot.v_slices[joint.name].start, column] = abs(robot.mimic_of(joint).multiplier)
    result[..., : len(robot.joints)] = np.abs(qd) @ of_speed
    with_axis = [(k, loop) for k, loop in enumerate(robot.loops, start=len(robot.joints))
                 if loop.motion.axis_direction() is not None]
    if not with_axis:
        return result
    poses, moving = np.asarray(robot.link_poses(q)), robot.link_velocities(q, qd)
    for k, loop in with_axis:
        first, second = (robot.link_names.index(name) for name in (loop.first, loop.second))
        R, p = poses[..., second, :3, :3], poses[..., second, :3, 3]
        axis = R @ (loop.on.R @ np.array(loop.motion.axis_direction()))
        spin = moving.angular[..., second, :] - moving.angular[..., first, :]
        if not loop.motion.turns_about_line():
            there = p + R @ loop.on.p
            spin = _velocity_at(poses, moving, second, there) - _velocity_at(poses, moving, first, there)
        result[..., k] = np.abs((axis * spin).sum(axis=-1))
    return result


def _velocity_at(poses: Floats, moving: object, link: int, point: Floats) -> Floats:
    linear, angular = (getattr(moving, part)[..., link, :] for part in ("linear", "angular"))
    found: Floats = linear + np.cross(angular, point - poses[..., link, :3, 3])
    return found
