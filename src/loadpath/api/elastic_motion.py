"""Steps in time of many robots with beams or compliant joints at once: not computed, and not passed off as the rigid
robot's. `simulate` moves one flexible arm.
"""

from __future__ import annotations

from typing import NoReturn

from loadpath.algorithms.movable import check_movable
from loadpath.errors import ModelError
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.model import RobotModel


def refuse_elastic(robot: RobotModel, what: str) -> NoReturn:
    """Refuse to move a robot with beams or compliant joints in time as if it were rigid."""
    beams, joints = robot.beams, robot.joint_compliances
    parts = []
    if beams:
        parts.append(f"beams ({', '.join(dict.fromkeys(link for link, _ in beams))})")
    if joints:
        parts.append(f"joint compliance ({', '.join(name for name, _ in joints)})")
    raise ModelError(
        f"robot '{robot.name}': {what} moves rigid links on stiff joints, and the robot has {' and '.join(parts)}, "
        f"which it would ignore. robot.simulate(...) moves the flexible arm, robot.without_beams().{what}(...) the "
        "rigid one; robot.deflection(simulation) and robot.stress(simulation) are of that motion"
    )


def check_steppable(robot: RobotModel, mechanism: Mechanism) -> None:
    """Refuse to step a robot that forces do not move, and one that is not rigid."""
    if robot.is_elastic:
        refuse_elastic(robot, "step")
    check_movable(robot, mechanism)
