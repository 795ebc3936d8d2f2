"""Joints that follow a given law exactly, whatever force that takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loadpath.motion.interpolation import quintic_between
from loadpath.motion.motion import Motion
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.states.reading import refuse_loads_of

Law: TypeAlias = Callable[[float], Sequence[float]]
"""Position, speed and acceleration of a joint at a time."""
LawLike: TypeAlias = "Law | Motion | float"

_STEP = 1e-5
_AGREES = 1e-3
_SAME = 1e-6


class Prescribed(NamedTuple):
    """The joints that follow laws."""

    numbers: NDArray[np.intp]
    """Of their speeds, and of their coordinates."""
    coordinates: NDArray[np.intp]
    laws: tuple[Law, ...]

    def at(self, t: float) -> Floats:
        """(3, joints): position, speed and acceleration."""
        return np.array([law(t) for law in self.laws], dtype=float).reshape(-1, 3).T


def read_prescribed(robot: RobotModel, given: Mapping[str, LawLike] | None, duration: float) -> Prescribed:
    """The laws of the joints named, checked."""
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(f"simulate: 'prescribed' is a {type(given).__name__}: expected a mapping from names of joints "
                         "to their laws, {'joint': f}")
    speeds, coordinates, laws = [], [], []
    for name, law in (given or {}).items():
        joint = robot.joint(name)
        if joint.name not in robot.v_slices or joint.motion.dof != 1:
            why = f"it has {joint.motion.dof} speeds" if joint.name in robot.v_slices else "it has no speed of its own"
            raise ValueError(f"simulate: 'prescribed' names joint '{name}', and {why}: only joints with one speed "
                             "follow a law; robot.locked holds any joint")
        speeds.append(robot.v_slices[joint.name].start)
        coordinates.append(robot.q_slices[joint.name].start)
        laws.append(_law(joint.name, law, duration))
    return Prescribed(np.array(speeds, dtype=np.intp), np.array(coordinates, dtype=np.intp), tuple(laws))


def _law(name: str, given: LawLike, duration: float) -> Law:
    if isinstance(given, Motion):
        refuse_loads_of(given, "simulate(prescribed=...)")
        return _of_motion(name, given, duration)
    if callable(given):
        _check(name, given, duration)
        return given
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise ValueError(f"simulate: the law of joint '{name}' is {given!r}: expected a function of the time that "
                         "gives position, speed and acceleration, an lp.Motion with this joint, or a number to "
                         "hold it at")
    return lambda t: (value, 0.0, 0.0)


def _check(name: str, law: Law, duration: float) -> None:
    """Refuse a law whose speed is not the rate of its position, or whose acceleration is not that of its speed."""
    title = f"simulate: the law of joint '{name}'"
    for t in duration * np.array([0.0, 0.23, 0.61]):
        values = np.asarray(law(float(t)), dtype=float)
        if values.shape != (3,) or not np.isfinite(values).all():
            raise ValueError(f"{title} gives {law(float(t))!r} at t = {t:.6g} s: expected three finite numbers, "
                             "position, speed and acceleration")
        h = _STEP * max(duration, 1e-3)
        at = [np.asarray(law(float(t + k * h)), dtype=float) for k in (0, 1, 2)]
        for k, (what, of) in enumerate((("speed", "position"), ("acceleration", "speed"))):
            rate = (-3 * at[0][k] + 4 * at[1][k] - at[2][k]) / (2 * h)
            size = max(abs(values[k + 1]), abs(values[k]) / max(duration, 1e-3), 1e-6)
            if abs(rate - values[k + 1]) > _AGREES * size + 1e-9 * max(abs(values[k]), 1.0) / h:
                raise ValueError(f"{title} gives the {what} {values[k + 1]:.6g} at t = {t:.6g} s, but its {of} changes "
                                 f"at {rate:.6g} there: expected position, speed and acceleration of one motion"
                                 )


def _of_motion(name: str, motion: Motion, duration: float) -> Law:
    names = motion.dof_names
    if name not in names:
        raise ValueError(f"simulate: the motion for joint '{name}' has no such joint: there are {', '.join(names)} (a "
                         "motion knows its joints where it was made with robot=)")
    v, q = names.index(name), motion.coordinate_names.index(name)
    t = motion.t - motion.t[0]
    rows = np.stack([motion.q[:, q], motion.qd[:, v], motion.qdd[:, v]])
    if t[-1] < duration * (1 - 1e-9) and abs(rows[1, -1]) > _SAME * max(1.0, float(np.abs(rows[1]).max())):
        raise ValueError(f"simulate: the motion for joint '{name}' ends at {t[-1]:.6g} s with the speed "
                         f"{rows[1, -1]:.6g}, before the duration of {duration:.6g} s: give a longer motion, "
                         "or one that comes to rest")

    def law(time: float) -> tuple[float, float, float]:
        if time >= t[-1]:
            return float(rows[0, -1]), 0.0 if t[-1] < duration else float(rows[1, -1]), 0.0
        k = int(np.clip(np.searchsorted(t, time, side="right") - 1, 0, len(t) - 2))
        h = t[k + 1] - t[k]
        begin, end = ((rows[0, i : i + 1], rows[1, i : i + 1], rows[2, i : i + 1]) for i in (k, k + 1))
        values = quintic_between(np.array([(time - t[k]) / h]), np.array([h]), begin, end)
        position, speed, acceleration = (float(part.ravel()[0]) for part in values)
        return position, speed, acceleration

    return law


def start_of(robot: RobotModel, prescribed: Prescribed, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
    """The start with the laws' own numbers; a start that a law contradicts is refused."""
    q, qd = q.copy(), qd.copy()
    position, speed, _ = prescribed.at(0.0)
    for k, (i, j) in enumerate(zip(prescribed.coordinates, prescribed.numbers, strict=True)):
        for what, given, law in (("q", q[i], position[k]), ("qd", qd[j], speed[k])):
            if abs(given - law) > _SAME * max(1.0, abs(law)):
                raise ValueError(f"simulate: '{what}' of '{robot.dof_names[j]}' is {given:.6g} at the start, and its "
                                 f"prescribed law begins at {law:.6g}: give the same")
        q[i], qd[j] = position[k], speed[k]
    return q, qd
