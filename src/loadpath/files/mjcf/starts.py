"""Where a model with loops starts: its first keyframe, or as it is written."""

from __future__ import annotations

from loadpath.files.mjcf.names import Names
from loadpath.files.mjcf.places import unit_quaternion
from loadpath.foreign.mujoco_model import MujocoModel
from loadpath.robot.model import RobotModel


def start_of(model: MujocoModel, tree: RobotModel, names: Names) -> tuple[float, ...]:
    """Coordinates of the tree near a closed configuration."""
    number = {name: k for k, name in enumerate(names.joints)}
    found: list[float] = []
    for joint in tree.joints:
        if joint.mimic is not None or not joint.motion.dof:
            continue
        turned = joint.name not in number  # the ball of a free joint
        first = int(model.jnt_qposadr[number[joint.name.removesuffix(".turn") if turned else joint.name]]) + 3 * turned
        values = [float(entry) for entry in model.start[first : first + joint.motion.coordinates]]
        if joint.motion.coordinates > joint.motion.dof:  # a quaternion: MuJoCo has w first
            w, x, y, z = unit_quaternion(values[-4:])
            values = [*values[:-4], x, y, z, w]
        found += values
    return tuple(found)
