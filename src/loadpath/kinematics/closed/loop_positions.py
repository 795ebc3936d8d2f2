"""`robot.loop_positions`: where the joints that close loops stand, pin angles and the like."""

from __future__ import annotations

import numpy as np

from loadpath.kinematics.closed.subject import ClosedChain, quantity
from loadpath.robot.arrays import array_of
from loadpath.robot.joints import JointType
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.batch import state_array


def loop_positions(robot: ClosedChain, q: ArrayLike, *, unwrap: bool = False) -> dict[str, Floats]:
    """Coordinates (..., coordinates) of the joints that close loops, by the names of the loops: the angle of a pin, the
    stroke of a slide, the quaternion of a ball; in the order and with the zero that a joint of the tree would have.

    Angles are between -pi and pi. With `unwrap` they go on without jumps along the first axis, that of time.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> [angle.shape for angle in bar.loop_positions(bar.home).values()]
    [(1,)]
    """
    config = state_array(array_of(q, robot.coordinate_names, "loop_positions: 'q'"), "q", robot.nq, "loop_positions")
    poses = quantity(robot, "link_poses", config)
    place = {link: k for k, link in enumerate(robot.link_names)}
    found = {}
    for loop in robot.loops:
        at = poses[..., place[loop.first], :, :] @ loop.at.matrix
        on = poses[..., place[loop.second], :, :] @ loop.on.matrix
        back = np.swapaxes(at[..., :3, :3], -2, -1)
        turns = back @ on[..., :3, :3]
        shifts = (back @ (on - at)[..., :3, 3:])[..., 0]
        values = loop.motion.coordinates_at(turns, shifts)
        found[loop.name] = _without_jumps(loop.motion, values) if unwrap and values.ndim > 1 else values
    return found


def _without_jumps(motion: JointType, values: Floats) -> Floats:
    """The same with angles and quaternions that go on along the first axis."""
    result = values.copy()
    if motion.coordinates == motion.dof:
        for k in np.flatnonzero(motion.angular):
            result[..., k] = np.unwrap(values[..., k], axis=0)
        return result
    four = result[..., -4:]
    turned = np.sign(np.einsum("...i,...i->...", four[1:], four[:-1]))
    sides = np.cumprod(np.where(turned < 0, -1.0, 1.0), axis=0)
    result[1:, ..., -4:] *= sides[..., None]
    return result
