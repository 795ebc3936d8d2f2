"""What is refused of a closed robot before anything is computed."""

from __future__ import annotations

from typing import Any

from loadpath.errors import ModelError
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.robot.loops import idle_rods_in_words


def check_driven(robot: Any, mechanism: ClosedMechanism) -> None:
    """Refuse a robot that its drives do not hold, naming what moves freely."""
    free = [robot.dof_names[k] for k in mechanism.split.independent if k not in mechanism.split.driven]
    if free:
        raise ModelError(
            f"robot '{robot.name}': its drives {', '.join(robot.driven)} leave {len(free)} of its {robot.mobility} "
            f"freedoms to themselves, so no forces of theirs give a motion: {', '.join(free)} can still move while "
            "they stand; drive more joints with with_driven, or lock them with robot.locked"
            + idle_rods_in_words(robot, free)
        )
