"""Cycles made of motions: the same again, and standing still before and after."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from loadpath.motion import carried
from loadpath.robot.numbers import number

if TYPE_CHECKING:
    from loadpath.motion.motion import Motion

AT_REST = 1e-9
"""rad/s or m/s: a joint that is slower stands."""
SETTLES = 1e-6
"""Of the dwell: within this share of it an acceleration that there still was at the stop is gone."""
SAMPLES = 10
"""Of a dwell, unless a rate is given."""
MOST_SAMPLES = 100_000_000


def repeated(motion: Motion, count: int) -> Motion:
    """The motion so many times, one after the other."""
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ValueError(f"repeated: count is {count!r}: expected a whole number of times, one or more")
    if count * len(motion) > MOST_SAMPLES:
        raise ValueError(f"repeated: {count} times {len(motion)} samples are more than {MOST_SAMPLES:,}: a DutySpectrum "
                         "of the motion needs them once")  # fmt: skip
    if count == 1:
        return motion
    twice = motion.followed_by(motion)  # which says where it does not close
    length, first = len(motion) - 1, float(motion.t[0])
    again = np.concatenate([np.arange(length + 1), np.tile(np.arange(1, length + 1), count - 1)])
    t = motion.t[again] + motion.duration * np.repeat(np.arange(count), [length + 1, *[length] * (count - 1)])
    arrays = (np.concatenate([getattr(motion, name)[:1], np.tile(getattr(motion, name)[1:], (count, 1))])
              for name in ("q", "qd", "qdd"))  # fmt: skip
    many = motion.from_checked(t, *arrays, motion.robot, like=twice)
    if not motion.loads:
        return many._with(loads=())
    moved = [k * motion.duration for k in range(count + 1)]  # as the samples are: a pick at a sample stays at one
    parts = [(motion.loads, moved[k], first + moved[k], first + moved[k + 1]) for k in range(count)]
    return many._with(loads=carried.one_after_the_other(parts))


def dwell(motion: Motion, seconds: float, before: float, rate: float | None) -> Motion:
    """The motion with rest before and after it."""
    wait, ahead = number(seconds, "dwell: seconds"), number(before, "dwell: before")
    for what, value in (("seconds", wait), ("before", ahead)):
        if value < 0:
            raise ValueError(f"dwell: {what} is {value:g}: expected zero or more")
    if wait == 0 and ahead == 0:
        raise ValueError("dwell: give seconds=, at the end, or before=, at the beginning")
    pace = None if rate is None else number(rate, "rate")
    if pace is not None and pace <= 0:
        raise ValueError(f"rate is {pace}: expected samples a second, more than zero")
    q, qd, qdd, t = motion.q, motion.qd, motion.qdd, motion.t
    pieces = {"t": [t], "q": [q], "qd": [qd], "qdd": [qdd]}
    for duration, end in ((wait, -1), (ahead, 0)):
        if not duration:
            continue
        moving = np.abs(qd[end]) > AT_REST
        if moving.any():
            k = int(moving.argmax())
            where = "ends" if end else "begins"
            raise ValueError(f"dwell: joint '{motion.dof_names[k]}' moves with {qd[end, k]:.6g} where the motion "
                             f"{where}, so it cannot stand there: let it come to rest first")  # fmt: skip
        times = _instants(duration, pace, bool(np.abs(qdd[end]).max(initial=0.0) > AT_REST))
        still = np.zeros((len(times), qd.shape[1]))
        rest = {"t": t[end] + times if end else t[0] - times[::-1], "q": np.tile(q[end], (len(times), 1)), "qd": still,
                "qdd": still}  # fmt: skip
        for name, part in rest.items():
            pieces[name] = [*pieces[name], part] if end else [part, *pieces[name]]
    arrays = [np.concatenate(parts) for parts in pieces.values()]
    return motion.from_checked(arrays[0], arrays[1], arrays[2], arrays[3], motion.robot, like=motion)


def _instants(duration: float, rate: float | None, settles: bool) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Times after the stop, the last the end of the dwell."""
    count = SAMPLES if rate is None else max(math.ceil(duration * rate * (1 - 1e-12)), 1)
    if count > MOST_SAMPLES:
        raise ValueError(f"dwell: {duration:g} s at {rate:g} samples a second are more than {MOST_SAMPLES:,} samples")
    times = duration * np.arange(1, count + 1) / count
    return np.concatenate([[SETTLES * duration], times]) if settles else times
