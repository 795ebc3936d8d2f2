"""The base of a robot that moves as given, and gravity that changes, over time.

In the axes of the base, a change of gravity is an acceleration of the base the other way: in the equations of motion
both are one thing. The result has them as they were given, and hands them on to what is computed of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from loadpath.mechanics.wrenches import BASE_MOTION
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate.drive import numbers

InTime = ArrayLike | Callable[[float], ArrayLike]
"""Numbers, or a function of t that gives them."""

_CHECKED = (0.0, 0.23, 0.61)
"""Shares of the duration at which functions are compared with each other."""
_STEP, _AGREES = 1e-5, 1e-3


class BaseInTime:
    """Velocity and acceleration (6,) of the base, linear first, in its own axes; gravity (3,) in these axes."""

    def __init__(self, robot: RobotModel, velocity: Any, acceleration: Any, gravity: Any, duration: float) -> None:
        self._own = np.array(robot.gravity, dtype=float)
        self._velocity = _read(velocity, "base_velocity", 6, np.zeros(6))
        self._acceleration = _read(acceleration, "base_acceleration", 6, np.zeros(6))
        self._gravity = _read(gravity, "gravity", 3, self._own)
        laws = {"base_velocity": self._velocity, "base_acceleration": self._acceleration, "gravity": self._gravity}
        given = (velocity, acceleration, gravity)
        self._given = {name: law for (name, law), part in zip(laws.items(), given, strict=True) if part is not None}
        self.is_function = any(callable(part) for part in given)
        for t in duration * np.array(_CHECKED):
            self._check(float(t), max(duration, 1e-3) * _STEP, callable(gravity))

    def _check(self, t: float, h: float, gravity_turns: bool) -> None:
        """Refuse a turning whose acceleration is another's, and gravity that does not turn with the base."""
        before, now, after = (self._velocity(t + k * h)[3:] for k in (-1, 0, 1))
        rate, given = (after - before) / (2 * h), self._acceleration(t)[3:]
        size = max(float(np.abs(given).max()), float(np.abs(rate).max()), 1e-6)
        if np.abs(rate - given).max() > _AGREES * size + 1e-9 * max(float(np.abs(now).max()), 1.0) / h:
            raise ValueError(f"simulate: 'base_acceleration' turns the base at {given.round(6).tolist()} rad/s^2 at "
                             f"t = {t:.6g} s, but its 'base_velocity' changes at {rate.round(6).tolist()} there: give "
                             "both of one motion")
        g = self._gravity(t)
        if not gravity_turns and np.abs(np.cross(now, g)).max() > 1e-9 * max(float(np.abs(now).max()), 1.0) * max(
            float(np.abs(g).max()), 1.0
        ):
            raise ValueError("simulate: the base turns about another axis than gravity's, which turns in its axes: "
                             "give 'gravity' as a function of t, in the axes of the base")

    def at(self, t: float) -> tuple[Floats, Floats]:
        """Velocity, and acceleration with what has changed of gravity in it."""
        acceleration = self._acceleration(t).copy()
        acceleration[:3] -= self._gravity(t) - self._own
        return self._velocity(t), acceleration

    def over(self, times: Floats) -> dict[str, Floats]:
        """What is given at all times, by the names that functions take it under."""
        return {name: np.array([law(float(t)) for t in times]) for name, law in self._given.items()}


def base_in_time(robot: RobotModel, options: Any, duration: float) -> BaseInTime | None:
    """What is given of the base's motion and of gravity; None where the base stands under the robot's own gravity."""
    velocity, acceleration, gravity = (options.get(name) for name in (*BASE_MOTION, "gravity"))
    if velocity is None and acceleration is None and gravity is None:
        return None
    return BaseInTime(robot, velocity, acceleration, gravity, duration)


def _read(given: Any, name: str, size: int, unless: Floats) -> Callable[[float], Floats]:
    if given is None:
        return lambda t: unless
    if callable(given):
        return lambda t: _checked(given(t), name, size, f" at t = {t:.6g} s")
    constant = _checked(given, name, size, "")
    return lambda t: constant


def _checked(value: Any, name: str, size: int, when: str) -> Floats:
    array = numbers(value, name)
    if array.shape != (size,):
        parts = "linear and angular" if size == 6 else "x, y, z"
        raise ValueError(f"simulate: '{name}' has the shape {array.shape}{when}: expected ({size},), {parts}, in the "
                         "axes of the base, or a function of t that gives them")
    return array
