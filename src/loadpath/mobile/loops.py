"""Closed robots on a base: what their loops mean there.

The forces in loops are internal: wheels carry what they carry under the tree, as long as the states are those of the
closed robot. Under torques what loops hold is given, see `closed_rover_system`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.api.kinds import ClosedRobot
from loadpath.engine.arguments import is_lazy
from loadpath.errors import ModelError
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.scalars.types import Bools
from loadpath.simulate.closed.manifold import Directions
from loadpath.simulate.closed.start import MANY_WAYS, manifold_of
from loadpath.states.batch import place_of
from loadpath.states.on_manifold import ALLOWED, AT_REST, loop_length

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

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


def free_directions(rover: Rover, q: Any, qd: Any) -> Directions | None:
    """The directions in the space of the joints' speeds that loops leave free and hold, at states; None without loops.
    States that are not of the closed robot are refused; in those that are not numbers, what is held is NaN.
    """
    robot = rover.robot
    if not robot.closing_names:
        return None
    check_closed(rover, q)
    manifold = manifold_of(robot, robot.home)
    q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    sound = np.isfinite(q).all(axis=-1, keepdims=True)
    found = manifold.directions(np.where(sound, q, robot.home), qd)
    off, size = (np.abs((found.along @ qd[..., None])[..., part, 0]).max(axis=-1, initial=0.0)
                 for part in (slice(manifold.freedoms, None), slice(None)))
    _refuse_states(robot, off > ALLOWED * size + AT_REST, "qd is no motion of the closed robot, the loops would come "
                   "open: robot.complete(q, speeds of the drives) gives all speeds")
    _refuse_states(robot, (found.distinct < MANY_WAYS) & sound[..., 0], "the loops hold a direction less than nearby: "
                   "it is at a bifurcation, and can go on in more than one way; take a state beside it")
    return found._replace(held=np.where(sound, found.held, np.nan))


def _refuse_states(robot: Any, wrong: Bools, why: str) -> None:
    if not wrong.any():
        return
    first = int(np.flatnonzero(wrong)[0])
    where = f" at {wrong.sum()} of {wrong.size} states, first {place_of(first, wrong.shape)}" if wrong.ndim else ""
    raise ValueError(f"forward_dynamics of robot '{robot.name}' on wheels{where}: {why}")


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
