"""What a reader of robot files returns, whatever the format."""

from __future__ import annotations

from dataclasses import dataclass

from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import RobotModel


@dataclass(frozen=True)
class ReadRobot:
    """What a file says of a robot: the tree, and what closes it."""

    tree: RobotModel
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    drives: tuple[str, ...] = ()
    """Speeds that drive a robot with loops; none: chosen by rule."""
    near: tuple[float, ...] = ()
    """Coordinates near a closed configuration of a robot with loops; none: the unmoved robot."""
