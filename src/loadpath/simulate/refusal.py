"""What closed chains are not asked for yet: words that name the loops and what to do instead."""

from __future__ import annotations

from loadpath.errors import ModelError
from loadpath.robot.model import RobotModel


def refuse_loops(robot: RobotModel, what: str, instead: str) -> None:
    """Refuse a robot with loops or couplings.

    >>> from loadpath.robot.catalog import planar
    >>> refuse_loops(planar(2), "rollout", "...")
    """
    names = [part.name for kind in ("loops", "couplings") for part in getattr(robot, kind, ())]
    if names:
        raise ModelError(f"{what} moves open chains, and robot '{robot.name}' is closed by {', '.join(names)}: "
                         f"{instead}")  # fmt: skip
