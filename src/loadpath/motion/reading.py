"""What comes into a motion: rising times, rows of numbers without gaps, unit quaternions, rates given or derived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loadpath.motion.layout import Layout, layout_of, numbered, units_of
from loadpath.motion.smoothing import Completed, LowPass, Smooth, from_positions, from_speeds
from loadpath.robot.arrays import array_of, without_labels
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats


def layout_for(robot: RobotModel | None, q: ArrayLike) -> Layout:
    if robot is not None:
        return layout_of(robot)
    shape = np.shape(q) if hasattr(q, "shape") else floats("q", q).shape
    if len(shape) != 2:
        raise ValueError(f"q has the shape {shape}: expected (samples, coordinates)")
    return numbered(shape[1])


def rising_times(t: ArrayLike, what: str = "t", count: int | None = None, fewest: int = 2) -> Floats:
    times = floats(what, without_labels(t, what))  # labels of times are those of rows
    if times.ndim != 1 or len(times) < fewest:
        least = "two times" if fewest == 2 else "one time"
        raise ValueError(f"{what} has the shape {times.shape}: expected {least} or more, (samples,)")
    if count is not None and len(times) != count:
        raise ValueError(f"{len(times)} {what} for {count} points")
    bad = np.flatnonzero(~np.isfinite(times))
    if bad.size:
        raise ValueError(f"{what} is {times[bad[0]]} at sample {bad[0]}: expected a finite time (s)")
    back = np.flatnonzero(np.diff(times) <= 0)
    if back.size:
        k = int(back[0])
        raise ValueError(f"{what} does not rise: it is {times[k]:.9g} at sample {k} and {times[k + 1]:.9g} at sample "
                         f"{k + 1}")
    return times


def floats(what: str, given: Any, names: Sequence[str] | None = None) -> Floats:
    """A copy as numbers, columns in the order of the names where both have names."""
    try:
        values = np.array(array_of(given, names, what))
    except ValueError as problem:
        if str(problem).startswith(what):
            raise
        raise ValueError(f"{what} has rows of different lengths") from None
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{what} has the dtype {values.dtype}: expected real numbers")
    return values.astype(float, copy=False)


def rows_of(what: str, given: Any, count: int | None, names: Sequence[str], robot: RobotModel | None) -> Floats:
    """Rows of the right width without gaps."""
    values = floats(what, given, None if robot is None else names)
    whose = "" if robot is None else f" of robot '{robot.name}'"
    if values.ndim != 2 or values.shape[1] != len(names):
        listed = f"{', '.join(names[:12])}{' ...' if len(names) > 12 else ''}"
        raise ValueError(f"{what} has the shape {values.shape}: expected (samples, {len(names)}), a column for each of "
                         f"the {len(names)} columns{whose}: {listed}")
    if count is not None and len(values) != count:
        raise ValueError(f"{what} has {len(values)} samples, t has {count}")
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        row, column = bad[0]
        raise ValueError(f"{what} of '{names[column]}' is {values[row, column]} at sample {row}"
                         f"{f' (and in {len(bad) - 1} other places)' if len(bad) > 1 else ''}: expected a finite "
                         "number")
    return values


def unit_quaternions(layout: Layout, q: Floats) -> Floats:
    """The same with unit quaternions."""
    for joint in layout.turning:
        four = slice(joint.q.stop - 4, joint.q.stop)
        length = np.linalg.norm(q[:, four], axis=1, keepdims=True)
        off = np.abs(length[:, 0] - 1)
        if off.max(initial=0.0) > 0.1:
            k = int(off.argmax())
            raise ValueError(f"the quaternion of joint '{joint.name}' is {q[k, four].tolist()} at sample {k}, of "
                             f"length {length[k, 0]:.6g}: expected x, y, z, w of length 1")
        q[:, four] /= length
    return q


def completed(
    layout: Layout, t: Floats, q: Floats, qd: Floats | None, qdd: Floats | None, smooth: Smooth = False,
    robot: RobotModel | None = None,
) -> Completed:
    """Speeds and accelerations, given or derived, their estimated errors, and what may be wrong with these. What is
    derived is derived from smoothed samples, where they are noisy or it is asked for.
    """
    if not (smooth is None or isinstance(smooth, (bool, LowPass))):
        raise ValueError(f"smooth is {smooth!r}: expected True, False, None (where it is noisy) or lp.LowPass(cutoff)")
    if qd is not None and qdd is not None:
        if smooth:
            raise ValueError(f"smooth={smooth}: speeds and accelerations are given, so that nothing is derived from "
                             "smoothed samples: motion.smoothed() derives them anew from the positions")
        zeros = np.zeros(layout.n)
        return Completed(q, qd, qdd, (zeros, zeros.copy()), [])
    with np.errstate(over="ignore", invalid="ignore"):
        done = (from_positions(layout, t, q, smooth, units_of(robot)) if qd is None
                else from_speeds(layout, t, q, qd, smooth, units_of(robot)))
    for what, values in (("speed", done.qd), ("acceleration", done.qdd)):
        lost = np.flatnonzero(~np.isfinite(values).all(axis=0))
        if lost.size:
            raise ValueError(f"the {what} of joint '{layout.dof_names[lost[0]]}' cannot be derived: its samples are "
                             "too large or too close in time")
    return done
