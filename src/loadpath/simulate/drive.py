"""What the drives do over time, from whatever the caller gave: nothing, a constant, samples over time, a function.

A drive cuts the time into pieces within which its force is smooth, so that the integrator never steps over a kink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from loadpath.robot.arrays import array_of, without_labels
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats

Force = Callable[[float, Floats, Floats], Floats]
"""Drive forces (n,) for time, q and qd."""
Torque = ArrayLike | Callable[[float, Floats, Floats], ArrayLike]
"""Drive forces as they are given: numbers, rows over time, or a function of t, q and qd."""
Interpolation = Literal["linear", "previous"]


class Drive(Protocol):
    """Forces of the drives over time."""

    def breaks(self, duration: float) -> Floats:
        """Times between 0 and the duration at which the force is not smooth."""

    def piece(self, begin: float, end: float, q: Floats, qd: Floats) -> Force:
        """The force between two breaks, from the state at the first."""


def make_drive(
    robot: RobotModel,
    torque: Any,
    duration: float,
    torque_times: Any = None,
    interpolation: Interpolation = "linear",
    control_rate: float | None = None,
) -> Drive:
    """The drive for what the caller gave, or an error that says what is wrong with it."""
    if control_rate is not None:
        if not callable(torque):
            raise ValueError("simulate: 'control_rate' goes with a torque that is a function")
        if not (np.isfinite(control_rate) and control_rate > 0):
            raise ValueError(f"simulate: 'control_rate' is {control_rate}: expected a positive number of Hz")
        return _Sampled(_checked(robot, torque), float(control_rate))
    if torque_times is not None:
        return _samples(robot, torque, torque_times, duration, interpolation)
    if callable(torque):
        return _Feedback(_checked(robot, torque))
    constant = np.zeros(robot.n) if torque is None else numbers(torque, "torque", names=robot.dof_names)
    if constant.shape != (robot.n,):
        hint = "; forces over time need their 'torque_times'" if constant.ndim == 2 else ""
        raise ValueError(f"simulate: 'torque' has the shape {constant.shape}: expected ({robot.n},), one force for "
                         f"each degree of freedom{hint}")
    return _Constant(constant)


def times_of(value: Any, what: str) -> Floats:
    """Finite times; labels of a series are those of its rows."""
    return numbers(without_labels(value, f"simulate: '{what}'"), what)


def numbers(value: Any, what: str, where: str = "simulate", names: Sequence[str] | None = None) -> Floats:
    """Finite real numbers as an array; labels of its last axis are matched to the names."""
    title = f"{where}: '{what}'"
    if hasattr(value, "q") and hasattr(value, "qd") and not hasattr(value, "dtype"):
        raise ValueError(f"{title} is a {type(value).__name__}, and {where} starts from one state: give q and qd of "
                         "one of its samples, like motion.q[0] and motion.qd[0]")
    plain = array_of(value, names, title)
    try:
        array = np.asarray(plain)
        if array.dtype.kind not in "biuf":
            raise ValueError(f"its dtype is {array.dtype}")
    except ValueError as problem:
        raise ValueError(f"{where}: '{what}' is not an array of real numbers: {problem}") from None
    array = array.astype(float)
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{where}: '{what}' has the entry {array[at]} at {list(at)}: expected finite numbers")
    return array


def seconds(value: Any, name: str, where: str) -> float:
    """A time that is longer than none, or an error that says what came."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 < value < np.inf:
        raise ValueError(f"{where}: '{name}' is {value!r}: expected a positive number of seconds")
    return float(value)


def _checked(robot: RobotModel, torque: Callable[..., Any]) -> Force:
    """The caller's function, its result checked at every call."""
    name = getattr(torque, "__name__", type(torque).__name__)
    n = robot.n

    def force(t: float, q: Floats, qd: Floats) -> Floats:
        given = torque(t, q.copy(), qd.copy())  # functions that change their arguments do not change the motion
        if type(given) is not np.ndarray:
            given = array_of(given, robot.dof_names, f"simulate: what the torque function '{name}' returned")
        result = np.asarray(given)
        if result.dtype.kind not in "biuf" or result.shape != (n,):
            raise ValueError(f"simulate: the torque function '{name}' returned the shape {result.shape} and dtype "
                             f"{result.dtype} at t = {t:.6g} s: expected ({n},) real numbers")
        result = result.astype(float)
        if not np.isfinite(result).all():
            k = int(np.argmin(np.isfinite(result)))
            raise ValueError(f"simulate: the torque function '{name}' returned {result[k]} for '{robot.dof_names[k]}' "
                             f"at t = {t:.6g} s")
        return result

    return force


class _Constant:
    def __init__(self, tau: Floats) -> None:
        self.tau = tau

    def breaks(self, duration: float) -> Floats:
        return np.empty(0)

    def piece(self, begin: float, end: float, q: Floats, qd: Floats) -> Force:
        return lambda t, q, qd: self.tau


class _Feedback:
    """A function of time and state, called whenever the integrator needs it."""

    def __init__(self, force: Force) -> None:
        self.force = force

    def breaks(self, duration: float) -> Floats:
        return np.empty(0)

    def piece(self, begin: float, end: float, q: Floats, qd: Floats) -> Force:
        return self.force


class _Sampled:
    """A function called at a fixed rate, its force held in between, as a digital controller does."""

    def __init__(self, force: Force, rate: float) -> None:
        self.force = force
        self.rate = rate

    def breaks(self, duration: float) -> Floats:
        ticks = np.arange(1, int(np.ceil(duration * self.rate)) + 1) / self.rate
        inside: Floats = ticks[ticks < duration]
        return inside

    def piece(self, begin: float, end: float, q: Floats, qd: Floats) -> Force:
        held = self.force(begin, q, qd)
        return lambda t, q, qd: held


class _Table:
    """Forces at given times, with straight lines between them or each held until the next."""

    def __init__(self, times: Floats, forces: Floats, linear: bool) -> None:
        self.times = times
        self.forces = forces
        self.linear = linear

    def breaks(self, duration: float) -> Floats:
        inside: Floats = self.times[(self.times > 0) & (self.times < duration)]
        return inside

    def piece(self, begin: float, end: float, q: Floats, qd: Floats) -> Force:
        k = int(np.searchsorted(self.times, begin, side="right")) - 1
        force = self.forces[k]
        if not self.linear or k + 1 == len(self.times):
            return lambda t, q, qd: force
        start = float(self.times[k])
        slope = (self.forces[k + 1] - force) / (self.times[k + 1] - start)
        return lambda t, q, qd: force + (t - start) * slope


def _samples(robot: RobotModel, torque: Any, torque_times: Any, duration: float, interpolation: str) -> Drive:
    if interpolation not in ("linear", "previous"):
        raise ValueError(f"simulate: 'torque_interpolation' is {interpolation!r}: expected 'linear' or 'previous'")
    if torque is None or callable(torque):
        raise ValueError("simulate: 'torque_times' goes with a torque that is an array over time")
    times, forces = times_of(torque_times, "torque_times"), numbers(torque, "torque", names=robot.dof_names)
    if times.ndim != 1 or len(times) == 0 or (np.diff(times) <= 0).any():
        raise ValueError("simulate: 'torque_times' must be one row of increasing times")
    if forces.shape != (len(times), robot.n):
        raise ValueError(f"simulate: 'torque' has the shape {forces.shape}: expected ({len(times)}, {robot.n}), a row "
                         "for each of the torque_times")
    linear = interpolation == "linear"
    if times[0] > 0 or (linear and times[-1] < duration * (1 - 1e-12)):
        raise ValueError(f"simulate: 'torque_times' go from {times[0]:.6g} s to {times[-1]:.6g} s, but the simulation "
                         f"from 0 s to {duration:.6g} s: forces beyond are not known")
    return _Table(times, forces, linear)
