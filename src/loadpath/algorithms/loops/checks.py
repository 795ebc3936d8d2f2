"""What is refused of a closed robot before anything is computed."""

from __future__ import annotations

from typing import Any

from loadpath.algorithms.loops.forward_dynamics import is_regular
from loadpath.algorithms.loops.idle import idle_columns, idle_mass_matrix, idle_motions
from loadpath.errors import ModelError
from loadpath.robot.loops import idle_rods_in_words
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import array


def check_driven(robot: Any, mechanism: Mechanism) -> None:
    """Refuse a robot that its drives do not hold, naming what moves freely."""
    free = [robot.dof_names[k] for k in mechanism.split.independent if k not in mechanism.split.driven]
    if free:
        raise ModelError(
            f"robot '{robot.name}': its drives {', '.join(robot.driven)} leave {len(free)} of its {robot.mobility} "
            f"freedoms to themselves, so no forces of theirs give a motion: {', '.join(free)} can still move while "
            "they stand; drive more joints with with_driven, or lock them with robot.locked"
            + idle_rods_in_words(robot, free)
        )


def check_moved(robot: Any, mechanism: Mechanism) -> None:
    """Refuse a robot with a freedom that neither drives nor inertia have a say in."""
    idle = idle_columns(mechanism)
    if not idle:
        return
    if len(idle) + len(mechanism.split.driven) != len(mechanism.split.independent):
        check_driven(robot, mechanism)  # more drives than they need for what they move, and freedoms that they leave
    q = array(robot.home.tolist())
    if not is_regular(idle_mass_matrix(mechanism, q, idle_motions(mechanism, q))):
        names = [robot.independent[place] for place in idle]
        raise ModelError(
            f"robot '{robot.name}': no drive moves {', '.join(names)}, and one of them moves without inertia, so its "
            "acceleration is not determined: give the link a moment of inertia about its axis, drive more joints with "
            "with_driven, or lock them with robot.locked" + idle_rods_in_words(robot, names)
        )
