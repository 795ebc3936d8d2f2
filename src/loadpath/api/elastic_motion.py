"""Steps in time of many robots with beams or compliant joints at once: not computed, and not passed off as the rigid
robot's. `simulate` moves one flexible arm.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from loadpath.algorithms.movable import check_movable
from loadpath.errors import ModelError
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.model import RobotModel

P = ParamSpec("P")
R = TypeVar("R")


def refuse_elastic(robot: RobotModel, what: str) -> None:
    """Refuse to move a robot in time as if it were rigid where it has beams or compliant joints."""
    beams: tuple[tuple[str, object], ...] = getattr(robot, "beams", ())
    joints: tuple[tuple[str, object], ...] = getattr(robot, "joint_compliances", ())
    if not beams and not joints:
        return
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


def rigid_only(method: Callable[P, R]) -> Callable[P, R]:
    """The same method of a robot, refusing one with beams or compliant joints."""

    @functools.wraps(method)
    def checked(*arguments: P.args, **options: P.kwargs) -> R:
        robot: Any = arguments[0]
        refuse_elastic(robot, method.__name__)
        return method(*arguments, **options)

    return checked


def check_steppable(robot: RobotModel, mechanism: Mechanism) -> None:
    """Refuse to step a robot that forces do not move, and one that is not rigid."""
    refuse_elastic(robot, "step")
    check_movable(robot, mechanism)
