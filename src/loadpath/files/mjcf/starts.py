"""Where a model with loops starts: its first keyframe, or as it is written."""

from __future__ import annotations

from typing import Any

from loadpath.files.mjcf.names import Names
from loadpath.robot.model import RobotModel


def start_of(mujoco: Any, model: Any, tree: RobotModel, names: Names) -> tuple[float, ...]:
    """Coordinates of the tree near a closed configuration."""
    qpos = model.key_qpos[0] if model.nkey else model.qpos0
    number = {name: k for k, name in enumerate(names.joints)}
    found: list[float] = []
    for joint in tree.joints:
        if joint.mimic is not None or not joint.motion.dof:
            continue
        turned = joint.name not in number  # the ball of a free joint
        first = int(model.jnt_qposadr[number[joint.name.removesuffix(".turn") if turned else joint.name]]) + 3 * turned
        values = [float(entry) for entry in qpos[first : first + joint.motion.coordinates]]
        if joint.motion.coordinates > joint.motion.dof:  # a quaternion: MuJoCo has w first
            *place, w, x, y, z = values
            values = [*place, x, y, z, w]
        found += values
    return tuple(found)
