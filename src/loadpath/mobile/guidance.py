"""What is given over time in a simulation of a rover: the robots' motion, the base's, wheel rates, steering angles."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.mobile.corners import corners
from loadpath.mobile.equations import BASE
from loadpath.mobile.motions import by_names
from loadpath.mobile.rate_limits import RateLimited
from loadpath.mobile.wheel_drives import ALWAYS, WheelDrives, derivative_at, number_of
from loadpath.motion.interpolation import at_times, one_jump_between, upper_coefficients
from loadpath.motion.motion import Motion
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_TIMES = 32

class Steering:
    """Angles of steered wheels over time, and of casters at the beginning. A steering drive with a largest speed
    follows a function of time no faster than that.
    """

    def __init__(self, rover: Rover, given: Any) -> None:
        self.rover = rover
        wheels, names = rover.arrangement, rover.steerable_names
        self.is_steered = wheels.steered[wheels.steerable]
        self.given: dict[int, Any] = {}
        given = by_names(given)
        if isinstance(given, Mapping):
            for name, value in given.items():
                if name not in names:
                    known = ", ".join(names) or "none that can be steered"
                    raise ValueError(f"simulate: 'steering' names '{name}'; there are {known}")
                k = names.index(name)
                if callable(value) and not self.is_steered[k]:
                    raise ValueError(f"simulate: '{name}' is a caster, which turns by itself: give its first angle")
                self.given[k] = value if callable(value) else float(value)
        elif given is not None:
            angles = wheels.read_steering(given)
            if angles.ndim != 1 or not np.isfinite(angles).all():
                raise ValueError(f"simulate: 'steering' is {given!r}: expected one finite angle for each of {names}")
            self.given = {k: float(angle) for k, angle in enumerate(angles)}
        self.followed: dict[int, RateLimited] = {}

    def follow(self, begin: float, end: float) -> list[float]:
        """Let steering drives follow what is given, within their rates; times at which angles then have corners."""
        for k, value in self.given.items():
            drive = self.rover.arrangement.wheels[self.rover.arrangement.steerable[k]].steering_drive
            if drive is not None and drive.max_speed is not None and callable(value) and end > begin:
                self.followed[k] = RateLimited(self._angle(k), drive.max_speed / abs(drive.ratio), begin, end)
        return sorted({t for each in self.followed.values() for t in each.breaks if begin < t < end})

    def _angle(self, k: int) -> Callable[[float], float]:
        given, called = self.given[k], f"the steering angle of '{self.rover.steerable_names[k]}'"
        return lambda t: number_of(given(t), called)

    def first(self, velocity: Floats) -> Floats:
        """Angles at the beginning: given ones; casters else follow the velocity, steered wheels look ahead."""
        angles = np.where(self.is_steered, 0.0, self.rover.arrangement.aligned(velocity))
        for k, value in self.given.items():
            if not callable(value):
                angles[k] = value
        return angles

    def begins(self, t: float, velocity: Floats) -> Floats:
        """Angles of all wheels that can be steered at the beginning."""
        steered, _ = self.at(t)
        return np.where(self.is_steered, steered, self.first(velocity))

    @property
    def changes(self) -> bool:
        """Whether any angle that matters changes: of casters without trail none does."""
        return bool(len(self.rover.arrangement.swivelling)) or self.timed

    @property
    def timed(self) -> bool:
        """Whether any angle is a function of time."""
        return any(callable(value) for value in self.given.values())

    def at(self, t: float, within: tuple[float, float] = ALWAYS) -> tuple[Floats, Floats]:
        """Angles of steered wheels, and their rates, smooth `within` a time; zero for casters."""
        angles, rates = np.zeros(len(self.is_steered)), np.zeros(len(self.is_steered))
        for k, value in self.given.items():
            if k in self.followed:
                angles[k], rates[k] = self.followed[k].at(t)
            elif self.is_steered[k]:
                name = self.rover.steerable_names[k]
                called = f"the steering angle of '{name}' at t = {t:.6g} s"
                angles[k], rates[k] = derivative_at(value, t, called, within)
        return angles, rates


class Guidance:
    """All that is given."""

    def __init__(
        self, rover: Rover, motion: Motion | None, base_motion: Motion | None, drives: WheelDrives, steering: Steering
    ) -> None:
        self.rover, self.motion, self.base_motion = rover, motion, base_motion
        self.drives, self.steering = drives, steering
        self._robots = None if motion is None else _Given(motion)
        self._base = None if base_motion is None else _Given(base_motion)
        self.within = ALWAYS

    @property
    def within(self) -> tuple[float, float]:
        """The time in which all that is given is smooth."""
        return self._within

    @within.setter
    def within(self, time: tuple[float, float]) -> None:
        self._within = time
        # An integrator asks for the same few times again and again: an implicit one at each of its iterations.
        self._rate_at = lru_cache(_TIMES)(lambda k, t: self.drives.rate(k, t, time))
        self._steered_at = lru_cache(_TIMES)(self._steered)

    def _steered(self, t: float) -> tuple[Floats, Floats]:
        both = self.steering.at(t, self.within)
        for part in both:
            part.flags.writeable = False
        return both

    def robots(self, t: float) -> tuple[Floats, Floats, Floats]:
        """q, qd and qdd of a given motion of the robots."""
        assert self._robots is not None
        return self._robots.at(t)

    def base(self, t: float) -> tuple[Floats, Floats, Floats]:
        """Pose, velocity and acceleration of a given motion of the base, these in base axes."""
        assert self._base is not None
        pose, rate, second = self._base.at(t)
        c, s = np.cos(pose[2]), np.sin(pose[2])
        turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        velocity = turn @ rate
        w = rate[2]
        acceleration = turn @ second + w * np.array([velocity[1], -velocity[0], 0.0])
        return pose, velocity, acceleration

    def wheel_rate(self, k: int, t: float) -> tuple[float, float]:
        """Given rate of a wheel, and its rate of change."""
        return self._rate_at(k, t)

    def steered(self, t: float) -> tuple[Floats, Floats]:
        """Angles of steered wheels, and their rates."""
        return self._steered_at(t)

    @property
    def timed(self) -> bool:
        """Whether a rate of a wheel or a steering angle is a function of time, which may bend suddenly."""
        return self.steering.timed or any(callable(rate) for rate in self.drives.rates.values())

    def corners(self, begin: float, end: float) -> list[float]:
        """Times at which rates of wheels or steering angles have a corner."""
        given = [*self.drives.rates.values(), *self.steering.given.values()]
        return sorted({t for law in given if callable(law) for t in corners(law, begin, end)})


class _Given:
    """A motion at any one time."""

    def __init__(self, motion: Motion) -> None:
        self._motion, self._layout = motion, motion._layout
        self._begin, self._end = float(motion.t[0]), float(motion.t[-1])
        self._times: list[float] = motion.t.tolist()
        self._interval = -1
        self._powers: Floats | None = None
        """(3, 6, n): coefficients of q, qd and qdd in the last interval that was asked for; None where it has none."""

    def at(self, t: float) -> tuple[Floats, Floats, Floats]:
        """Coordinates, speeds and accelerations."""
        motion = self._motion
        if motion.q.shape[1] == 0:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        t = min(max(t, self._begin), self._end)
        k = min(max(bisect_right(self._times, t) - 1, 0), len(self._times) - 2)
        if k != self._interval:
            self._interval, self._powers = k, self._coefficients(k)
        if self._powers is None:
            q, qd, qdd = at_times(self._layout, motion.t, (motion.q, motion.qd, motion.qdd), np.array([t]))
            return q[0], qd[0], qdd[0]
        s = (t - self._times[k]) / (self._times[k + 1] - self._times[k])
        s2 = s * s
        q, qd, qdd = np.array([1.0, s, s2, s2 * s, s2 * s2, s2 * s2 * s]) @ self._powers
        return q, qd, qdd

    def _coefficients(self, k: int) -> Floats | None:
        """Those of one interval, where it is a quintic of every coordinate."""
        motion, h = self._motion, self._times[k + 1] - self._times[k]
        begin, end = ((motion.q[i], motion.qd[i], motion.qdd[i]) for i in (k, k + 1))
        if self._layout.turning or not h > 0 or not np.isnan(one_jump_between(np.zeros(()), np.asarray(h), begin,
                                                                              end)[0]).all():
            return None
        p0, v0, a0 = begin
        c = np.stack([p0, h * v0, h**2 * a0 / 2, *upper_coefficients(h, begin, end)])
        result = np.zeros((3, 6, c.shape[1]))
        result[0] = c
        result[1, :5] = c[1:] * np.arange(1.0, 6.0)[:, None] / h
        result[2, :4] = result[1, 1:5] * np.arange(1.0, 5.0)[:, None] / h
        return result


__all__ = ["BASE", "Guidance", "Steering"]
