"""`robot.loop_positions`: where the joints that close loops stand, pin angles and the like."""

from __future__ import annotations

import numpy as np

from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.arrays import array_of
from loadpath.robot.joints import JointType
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.batch import state_array


def loop_positions(robot: ClosedQuantities, q: ArrayLike, *, unwrap: bool = False) -> dict[str, Floats]:
    """Coordinates (..., coordinates) of the joints that close loops, by the names of the loops: the angle of a pin, the
    stroke of a slide, the quaternion of a ball; in the order and with the zero that a joint of the tree would have.

    Angles are between -pi and pi. With `unwrap` they go on without jumps along the first axis, that of time.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> [angle.shape for angle in bar.loop_positions(bar.home).values()]
    [(1,)]
    """
    config = state_array(array_of(q, robot.coordinate_names, "loop_positions: 'q'"), "q", robot.nq, "loop_positions")
    poses = robot.link_poses(config)
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
    last = _last_known(values)
    if motion.coordinates == motion.dof:
        for k in np.flatnonzero(motion.angular):
            result[..., k] = np.unwrap(last[..., k], axis=0) + (values[..., k] - last[..., k])
        return result
    four = last[..., -4:]
    turned = np.sign(np.einsum("...i,...i->...", four[1:], four[:-1]))
    sides = np.cumprod(np.where(turned < 0, -1.0, 1.0), axis=0)
    result[1:, ..., -4:] *= sides[..., None]
    return result


def _last_known(values: Floats) -> Floats:
    """The same, with the last numbers before them in place of states that are not numbers: NaN stays in its state."""
    known = np.isfinite(values)
    if known.all():
        return values
    rows = np.arange(len(values)).reshape(-1, *[1] * (values.ndim - 1))
    before = np.maximum.accumulate(np.where(known, rows, 0), axis=0)
    return np.nan_to_num(np.take_along_axis(values, before, axis=0), nan=0.0, posinf=0.0, neginf=0.0)
