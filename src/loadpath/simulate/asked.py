"""What a simulation is asked for, read once for all robots: the start, the times, the drives, how to integrate.

What loops, beams and wheels take in addition are its `options`, which they read themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.errors import warn
from loadpath.mechanics import configuration
from loadpath.motion.checks import in_other_units
from loadpath.motion.motion import Motion
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate.base_in_time import BaseInTime
from loadpath.simulate.drive import Drive, Interpolation, Torque, make_drive, numbers, times_of
from loadpath.simulate.hybrid import Run, Settings
from loadpath.simulate.power_off import PowerOff, read_brakes, read_losses
from loadpath.simulate.result import Simulation

RTOL, RATE = 1e-8, 100.0
MOST_SAMPLES = 1e8
"""More than memory holds with any robot."""


class _Kernels:
    normalised = Compiled(configuration.normalised, "(q)->(q)", plain, "The same with unit quaternions.")


@dataclass(frozen=True, eq=False, kw_only=True)
class Asked:
    """The arguments of `simulate`."""

    robot: Any
    q: Any
    qd: Any
    torque: Torque | None
    duration: float | None
    times: ArrayLike | None
    sample_rate: float | None
    torque_times: ArrayLike | None
    torque_interpolation: Interpolation
    control_rate: float | None
    external: Any
    method: str
    rtol: float | None
    atol: float | None
    max_step: float | None
    options: Mapping[str, Any]
    """Those that are given of what not all robots take."""

    def start(self, robot: RobotModel) -> tuple[Floats, Floats]:
        """q and qd of a robot at the beginning, at rest unless given."""
        parts = []
        for name, value, names in (("q", self.q, robot.coordinate_names), ("qd", self.qd, robot.dof_names)):
            size = len(names)
            if value is None and name == "q" and size:
                instead = ", or a 'motion'" if self.robot.on_wheels else ""
                raise ValueError(f"simulate: 'q' is missing: {size} coordinates of the robot at the start{instead}")
            array = np.zeros(size) if value is None else numbers(value, name, names=names)
            if array.shape != (size,):
                hint = "; for many states at once there is robot.rollout" if array.ndim > 1 else ""
                raise ValueError(f"simulate: '{name}' has the shape {array.shape}: expected ({size},){hint}")
            parts.append(array)
        q, qd = parts
        for joint, where in robot.q_slices.items():
            motion = robot.joint(joint).motion
            if motion.coordinates != motion.dof and not q[where][-4:].any():
                raise ValueError(f"simulate: the quaternion of joint '{joint}' in 'q' is zero: expected x, y, z, w")
        for question in in_other_units(robot, q, qd):
            warn(f"simulate: {question}")
        return normalised_coordinates(robot, q), qd

    def moments(self, **leaders: Motion | None) -> Floats:
        """Times at which the motion is reported. Given motions lead, the first of them with its own times where none
        are asked for, and must be known at all of them.
        """
        leader = next((motion for motion in leaders.values() if motion is not None), None)
        if self.times is not None:
            if self.duration is not None:
                raise ValueError("simulate: give 'duration' or 'times', not both: the last of the times is the "
                                 "duration")
            moments = times_of(self.times, "times")
            early = len(moments) and leader is None and moments.ravel()[0] < 0
            if moments.ndim != 1 or len(moments) == 0 or early or (np.diff(moments) <= 0).any():
                raise ValueError("simulate: 'times' must be one row of increasing times"
                                 f"{', from 0 on' if leader is None else ''}")
        else:
            moments = self._ticks(leader)
        for name, known in leaders.items():
            if known is not None and (moments[0] < known.t[0] or moments[-1] > known.t[-1] + 1e-12 * known.duration):
                what = "the motion" if name == "motion" else "the base's motion"
                raise ValueError(f"simulate: {what} is known from {known.t[0]:.6g} s to {known.t[-1]:.6g} s, not from "
                                 f"{moments[0]:.6g} s to {moments[-1]:.6g} s")
        return moments

    def _ticks(self, leader: Motion | None) -> Floats:
        duration = self.duration
        if duration is None:
            if leader is None:
                raise ValueError("simulate: needs a 'duration' in seconds, or 'times'")
            duration = leader.duration
        duration = number(duration, "simulate: 'duration'")
        if duration < 0:
            raise ValueError(f"simulate: 'duration' is {duration}: expected seconds, zero or more")
        if leader is not None and self.sample_rate is None and duration == leader.duration:
            return np.array(leader.t)
        rate = RATE if self.sample_rate is None else self.sample_rate
        if not (np.isfinite(rate) and rate > 0):
            raise ValueError(f"simulate: 'sample_rate' is {rate}: expected a positive number of Hz")
        if duration * rate > MOST_SAMPLES:
            raise ValueError(f"simulate: a 'duration' of {duration:g} s at a 'sample_rate' of {rate:g} Hz are "
                             f"{duration * rate:.3g} samples: expected at most {MOST_SAMPLES:g}; give a lower "
                             "sample_rate, or 'times'")
        ticks = np.arange(int(np.floor(duration * rate)) + 1) / rate
        begin = 0.0 if leader is None else float(leader.t[0])
        return begin + np.append(ticks[ticks < duration * (1 - 1e-12)], duration)

    def drive(self, robot: RobotModel, duration: float) -> Drive:
        """What the drives of a robot do over a duration."""
        return make_drive(
            robot, self.torque, duration, self.torque_times, self.torque_interpolation, self.control_rate
        )

    def power_off(self, robot: RobotModel) -> PowerOff:
        """Brakes of its joints, and what its gears lose."""
        brakes = read_brakes(robot, self.options.get("brakes"))
        return PowerOff(robot.n, brakes, read_losses(robot, self.options.get("gear_losses")))

    def settings(
        self, longest: float, *, rtol: float = RTOL, atol_per_rtol: float = 1.0, if_stiff: str | None = "Radau"
    ) -> Settings:
        """How to integrate, `longest`, `rtol` and what follows being those unless given."""
        rtol = rtol if self.rtol is None else self.rtol
        atol = rtol * atol_per_rtol if self.atol is None else self.atol
        return Settings.checked(self.method, rtol, atol, self.max_step, longest, if_stiff=if_stiff)

    def longest_step(self, duration: float, base: BaseInTime | None, *, led: bool = False) -> float:
        """So short that no pulse of a function is stepped over; not of rovers."""
        led = led or callable(self.torque) or (base is not None and base.is_function)
        return duration / 100 if led and duration > 0 else np.inf


@dataclass(frozen=True, eq=False)
class Prepared:
    """A system for the stepper, with what its robot has, at its start."""

    system: Any
    """A `System` that keeps `samples`."""
    y: Floats
    how: Settings
    moments: Floats
    ends: list[float]
    """Of the pieces of time in which all that is given is smooth."""
    state: Callable[[float, Floats], tuple[Any, ...]]
    """What the caller's condition `stop` is asked about, after the time."""
    recorded: Callable[[Run], dict[str, Any]]
    """What the `Simulation` has."""
    check: Callable[[Simulation], None]
    """The guard: an error where the numbers do not go together."""
    begin: float = 0.0


def normalised_coordinates(robot: RobotModel, q: Floats) -> Floats:
    """The same coordinates with unit quaternions."""
    result: Floats = CompiledMethod(robot, _Kernels.normalised)(q)
    return result
