"""What a robot with loops refuses of what a tree has, each with the reason and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.engine.refused import Refused

_FREEDOMS = (
    "its loops were closed with the freedoms that its joints have: change those of robot.tree, and close the loops "
    "again with with_loop(...); robot.locked(...) holds whole joints"
)
_OPEN = (
    "it is there of trees alone: robot.inverse_dynamics_derivatives and forward_dynamics_derivatives are those of the "
    "closed robot, robot.tree has it of the open tree"
)


class ClosedRefusals:
    """In front of what `lp.Robot` has under these names."""

    if not TYPE_CHECKING:  # to type checkers a robot has all names that it may have
        mixed_dynamics = Refused(
            "which of its accelerations may be prescribed together depends on its loops; robot.inverse_dynamics and "
            "robot.forward_dynamics are those of the closed robot, robot.tree.mixed_dynamics is that of the open tree",
            of_loops=True,
        )
        joint_wrench_derivatives = Refused(_OPEN, of_loops=True)
        inverse_dynamics_second_derivatives = Refused(_OPEN, of_loops=True)
        forward_dynamics_second_derivatives = Refused(_OPEN, of_loops=True)
        generalized = Refused(_FREEDOMS, of_loops=True)
        reduced = Refused(_FREEDOMS, of_loops=True)
