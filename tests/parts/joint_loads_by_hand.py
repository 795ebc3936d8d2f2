"""Loads of a joint written down by hand, for the tests of parts."""

from __future__ import annotations

import numpy as np

from loadpath.parts.part import JointLoads, Place

Z = np.array([0.0, 0.0, 1.0])


def place(joint="joint1", axis=Z, turns=True, moves=True):
    """Where a part sits: a joint that turns about z unless said otherwise."""
    return Place(joint, np.asarray(axis, dtype=float), turns, moves)


def loads(force, torque, *, speed=0.0, position=None, t=None, weight=None, axis=Z, motion=0, first=0):
    """A block of samples: wrenches (samples, 3), or one; speeds and weights (equal shares unless given)."""
    force = np.atleast_2d(np.asarray(force, dtype=float))
    torque = np.atleast_2d(np.asarray(torque, dtype=float))
    force, torque = np.broadcast_arrays(force, torque)
    count = len(force)
    t = np.arange(count, dtype=float) if t is None else np.asarray(t, dtype=float)
    weight = np.full(count, 1.0 / count) if weight is None else np.asarray(weight, dtype=float)
    speed = np.broadcast_to(np.asarray(speed, dtype=float), (count,))
    position = 100.0 * np.arange(count) if position is None else np.asarray(position, dtype=float)
    axial, about = force @ axis, torque @ axis
    across = np.linalg.norm(force - axial[:, None] * axis, axis=1)
    tilt = np.linalg.norm(torque - about[:, None] * axis, axis=1)
    none = np.zeros(count)
    return JointLoads(motion=motion, first=first, t=t, weight=weight, position=position, speed=speed, acceleration=none,
                      force=force, torque=torque, axial_force=axial, radial_force=across, axial_torque=about,
                      tilting_moment=tilt, drive=about, motor=None)


def split(block, at):
    """A block in two, as it comes from a stream."""
    parts = []
    for rows in (slice(0, at), slice(at, None)):
        arrays = {name: getattr(block, name)[rows] for name in (
            "t", "weight", "position", "speed", "acceleration", "force", "torque", "axial_force", "radial_force",
            "axial_torque", "tilting_moment", "drive")}
        parts.append(JointLoads(motion=block.motion, first=block.first + (rows.start or 0), motor=None, **arrays))
    return parts


def examined(part, *blocks, hours=None, where=None):
    """The checks of a part, by name."""
    examiner = part.examiner(where or place())
    for block in blocks:
        examiner.add(block)
    return {check.check: check for check in examiner.checks(hours)}


def causes_sum(check, blocks):
    """What `along` makes of the wrench at the check's instant: it must be the demand."""
    for block in blocks:
        k = check.at.sample - block.first
        if block.motion == check.at.motion and 0 <= k < len(block.t):
            return float(np.dot(check.along, np.concatenate([block.force[k], block.torque[k]])))
    raise AssertionError("the instant is in no block")
