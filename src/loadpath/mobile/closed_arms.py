"""Robots with loops on a base: what they keep, and what a rover does not compute of them.

Forces in loops act between the links of one robot, so they do not reach the wheels: wheel loads, stability and slip of
given states are those of the tree. How base and arm accelerate together under forces of the drives is not computed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loadpath.api import Robot
from loadpath.api.closed import ClosedRobot
from loadpath.errors import ModelError
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import RobotModel
from loadpath.structure.quantities import is_flexible

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def has_loops(robot: RobotModel) -> bool:
    """Whether loops or couplings close it."""
    return isinstance(robot, ClosedRobot)


def refuse_beams(root: Robot, robot: RobotModel) -> None:
    """A robot with loops and one with beams make no robot that all can be asked of."""
    bent = [part.name for part in (root, robot) if is_flexible(part) or type(part) not in (Robot, ClosedRobot)]
    if bent:
        closed = next(part.name for part in (root, robot) if has_loops(part))
        raise ModelError(f"a base cannot carry robot '{closed}', which has loops, together with beams or joint "
                         f"compliance (robot '{bent[0]}'): carry robot.without_beams()")  # fmt: skip


def closing_parts(root: Robot, robot: RobotModel, prefix: str) -> dict[str, Any]:
    """Loops, couplings, drives and start configuration of both robots as one."""
    parts: dict[str, Any] = {"loops": (), "couplings": ()}
    for part, start in ((root, ""), (robot, prefix)):
        if isinstance(part, ClosedRobot):
            parts["loops"] += tuple(_loop(loop, start) for loop in part.loops)
            parts["couplings"] += tuple(_coupling(coupling, start) for coupling in part.couplings)
    if any(isinstance(part, ClosedRobot) and part.drives for part in (root, robot)):
        parts["drives"] = tuple(start + name for part, start in ((root, ""), (robot, prefix))
                                for name in (part.driven if isinstance(part, ClosedRobot) else part.dof_names)
                                )  # fmt: skip
    if any(isinstance(part, ClosedRobot) and part.near for part in (root, robot)):
        near = [part.near if isinstance(part, ClosedRobot) and part.near else part.neutral().tolist()
                for part in (root, robot)]  # fmt: skip
        parts["near"] = (*near[0], *near[1])
    return parts


def _loop(loop: Loop, prefix: str) -> Loop:
    first, second = prefix + loop.first, prefix + loop.second
    return replace(loop, name=prefix + loop.name, first=first, second=second)


def _coupling(coupling: Coupling, prefix: str) -> Coupling:
    ratios = tuple((prefix + name, factor) for name, factor in coupling.ratios)
    return replace(coupling, name=prefix + coupling.name, ratios=ratios)


def refuse_elastic(rover: Rover, caller: str) -> None:
    """Refuse to bend a rover whose arm has loops."""
    if isinstance(rover.robot, ClosedRobot):
        raise ModelError(f"{caller}: rover '{rover.name}' carries a robot with loops, and what gives way under it or "
                         "in it is computed for trees alone: robot.with_beams(...) of the closed robot by itself, on a "
                         "base at rest, has deflection and stress")  # fmt: skip


def refuse_loops(rover: Rover, caller: str) -> None:
    """Refuse to move a rover whose arm has loops under forces."""
    if isinstance(rover.robot, ClosedRobot):
        names = [*rover.robot.loop_names, *(coupling.name for coupling in rover.robot.couplings)]
        raise ModelError(f"rover '{rover.name}' carries a robot with loops ({', '.join(names)}), and {caller} moves "
                         "trees: wheel_loads, stability and slip are computed of given motions, and the robot moves by "
                         "robot.simulate on a base at rest")  # fmt: skip
