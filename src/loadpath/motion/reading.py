"""What comes into a motion: rising times, rows of numbers without gaps, unit quaternions, rates given or derived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loadpath.motion import checks
from loadpath.motion.derivatives import derived_accelerations, derived_speeds
from loadpath.motion.layout import Layout, layout_of, numbered
from loadpath.motion.noise import Noise, noise_of
from loadpath.motion.rates import same_side
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
                         f"{k + 1}")  # fmt: skip
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
                         f"the {len(names)} columns{whose}: {listed}")  # fmt: skip
    if count is not None and len(values) != count:
        raise ValueError(f"{what} has {len(values)} samples, t has {count}")
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        row, column = bad[0]
        raise ValueError(f"{what} of '{names[column]}' is {values[row, column]} at sample {row}"
                         f"{f' (and in {len(bad) - 1} other places)' if len(bad) > 1 else ''}: expected a finite "
                         "number")  # fmt: skip
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
                             f"length {length[k, 0]:.6g}: expected x, y, z, w of length 1")  # fmt: skip
        q[:, four] /= length
    return q


def completed(
    layout: Layout, t: Floats, q: Floats, qd: Floats | None, qdd: Floats | None
) -> tuple[Floats, Floats, tuple[Floats, Floats], list[str]]:
    """Speeds and accelerations, given or derived, their estimated errors, and what may be wrong with these."""
    speed_error, acceleration_error = np.zeros(layout.n), np.zeros(layout.n)
    problems: list[str] = []
    if qd is None:
        first, second = derived_speeds(layout, t, q)
        qd, speed_error = first
        qdd, acceleration_error = second
        noise = _noise_of_coordinates(layout, t, q)
        problems += checks.uncertain(layout, "speeds", qd, speed_error, noise)
        problems += checks.uncertain(layout, "accelerations", qdd, acceleration_error, noise)
    elif qdd is None:
        qdd, acceleration_error = derived_accelerations(t, qd)
        problems += checks.uncertain(layout, "accelerations", qdd, acceleration_error, noise_of(t, qd), "qd")
    for what, values in (("speed", qd), ("acceleration", qdd)):
        lost = np.flatnonzero(~np.isfinite(values).all(axis=0))
        if lost.size:
            raise ValueError(f"the {what} of joint '{layout.dof_names[lost[0]]}' cannot be derived: its samples are "
                             "too large or too close in time")  # fmt: skip
    return qd, qdd, (speed_error, acceleration_error), problems


def _noise_of_coordinates(layout: Layout, t: Floats, q: Floats) -> Noise:
    """Noise of the coordinates, for each speed; of joints with a quaternion the largest of their coordinates' noise."""
    q = q.copy()
    for joint in layout.turning:
        four = slice(joint.q.stop - 4, joint.q.stop)
        q[:, four] = same_side(q[:, four])
    every = noise_of(t, q)
    found = Noise(np.zeros(layout.n), np.zeros(layout.n, dtype=bool), np.zeros(layout.n, dtype=bool))
    for part, of_coordinates in zip(found, every, strict=True):
        part[layout.plain_v] = of_coordinates[layout.plain_q]
        for joint in layout.turning:
            part[joint.v] = of_coordinates[joint.q].max()
    return found
