"""Closed robots on a base: what their loops mean there.

The forces in loops are internal: wheels carry what they carry under the tree, as long as the states are those of the
closed robot. Motions of arm and base under torques alone are not computed with loops yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.api.kinds import ClosedRobot
from loadpath.engine.arguments import is_lazy
from loadpath.errors import ModelError
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.states.batch import place_of
from loadpath.states.on_manifold import loop_length

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

GIVEN_MOTION = (
    "the arm can move as a motion says, rover.simulate(motion=...), and rover.base_acceleration(q, qd, qdd) is that of "
    "the base under a given motion of the arm"
)
"""What there is in place of motions under torques."""


def check_closed(rover: Rover, q: Any) -> None:
    """Refuse states in which loops of a robot on the base are open."""
    robot = rover.robot
    if not isinstance(robot, ClosedRobot) or is_lazy(q):
        return
    off = robot.closure(q)
    wide = off > np.array([CLOSED_WITHIN * loop_length(robot), CLOSED_WITHIN])
    if not wide.any():
        return
    states = wide.any(axis=(-2, -1))
    first = int(np.flatnonzero(states)[0])
    place = place_of(first, states.shape)
    where = f" at {states.sum()} of {states.size} states, first {place}" if states.ndim else ""
    length, angle = off.reshape(-1, *off.shape[-2:])[first].max(axis=0)
    raise ValueError(f"rover '{rover.name}': loops of its robot are open{where}, by {length:.3g} m and {angle:.3g} "
                     "rad: robot.assemble(..., near=q) closes them")


def forces_of_drives(rover: Rover, q: Any, tau: Any) -> Any:
    """Forces (..., n) of the drives, from those that the tree's joints take together: those of joints without a drive
    go through the loops. With more drives than freedoms, those of least effort.
    """
    robot = rover.robot
    if not isinstance(robot, ClosedRobot):
        return tau
    loose = [robot.dof_names[k] for k in robot.split.independent if k not in robot.split.driven]
    if loose:
        raise ModelError(f"rover '{rover.name}': the drives of robot '{robot.name}' do not hold {', '.join(loose)}, so "
                         "no forces of theirs give the motion: drive more joints with robot.with_driven")
    driven, T = list(robot.split.driven), robot.complement(q)
    result = np.zeros(np.shape(tau))
    share = np.linalg.pinv(np.swapaxes(T[..., driven, :], -1, -2))
    result[..., driven] = np.einsum("...df,...nf,...n->...d", share, T, tau)
    return result
