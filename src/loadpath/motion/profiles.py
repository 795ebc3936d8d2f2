"""How a step from 0 to 1 is made in time: by a quintic polynomial, or at constant acceleration, speed and braking."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats

PEAK_SPEED = 15 / 8
"""Largest speed of a quintic step of height and duration one."""
PEAK_ACCELERATION = 10 / math.sqrt(3)
"""Its largest acceleration."""


def quintic_step(s: Floats) -> tuple[Floats, Floats, Floats]:
    """From 0 to 1 as s goes from 0 to 1, with its first two derivatives; these are zero at both ends.

    >>> [float(part[0]) for part in quintic_step(np.array([0.5]))]
    [0.5, 1.875, 0.0]
    """
    return s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2, 60 * s * (1 - s) * (1 - 2 * s)


class Trapezoid(NamedTuple):
    """A step from 0 to 1 at constant acceleration, constant speed, constant braking; speeds in 1/s."""

    blend: float
    """Time of accelerating, and of braking, s."""
    duration: float

    @property
    def speed(self) -> float:
        """Largest speed."""
        return 1 / (self.duration - self.blend)

    @property
    def acceleration(self) -> float:
        """Acceleration, and braking."""
        return self.speed / self.blend

    def at(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        """Height, speed and acceleration at times t from 0 to the duration; where the acceleration jumps, it is the
        one that begins there, at the end the one that ends.
        """
        v, a, left = self.speed, self.acceleration, self.duration - t
        # Beginnings of phases are found with some slack: t comes out of sums.
        slack = 1e-12 * self.duration
        rising, braking = t < self.blend - slack, t >= self.duration - self.blend - slack
        height = np.where(rising, a * t**2 / 2, np.where(braking, 1 - a * left**2 / 2, v * (t - self.blend / 2)))
        speed = np.where(rising, a * t, np.where(braking, a * left, v))
        return height, speed, np.where(rising, a, np.where(braking, -a, 0.0))


def fastest_trapezoid(speed: float, acceleration: float) -> Trapezoid:
    """The quickest step within a speed and an acceleration; a triangle where the speed is never reached.

    >>> fastest_trapezoid(speed=0.5, acceleration=1.0)
    Trapezoid(blend=0.5, duration=2.5)
    >>> fastest_trapezoid(speed=9.0, acceleration=1.0)
    Trapezoid(blend=1.0, duration=2.0)
    """
    if speed * speed >= acceleration:
        blend = 1 / math.sqrt(acceleration)
        return Trapezoid(blend, 2 * blend)
    blend = speed / acceleration
    return Trapezoid(blend, 1 / speed + blend)


def timed_trapezoid(duration: float, speed: float, acceleration: float) -> Trapezoid | None:
    """A step of given duration within a speed and an acceleration, or None if there is none: a third of the time to
    accelerate and a third to brake, or as near to that as the limits let it be.

    >>> timed_trapezoid(3.0, speed=np.inf, acceleration=np.inf)
    Trapezoid(blend=1.0, duration=3.0)
    >>> timed_trapezoid(3.0, speed=0.4, acceleration=np.inf)
    Trapezoid(blend=0.5, duration=3.0)
    """
    shortest = 0.0 if math.isinf(acceleration) else None
    longest = duration - 1 / speed  # a longer blend needs a higher speed
    if shortest is None:
        # acceleration = 1 / (blend (duration - blend))
        root = duration**2 - 4 / acceleration
        if root < -1e-12 * duration**2:
            return None
        shortest = (duration - math.sqrt(max(root, 0.0))) / 2
    blend = min(max(duration / 3, shortest), longest, duration / 2)
    if blend <= 0 or blend < shortest * (1 - 1e-9):
        return None
    return Trapezoid(blend, duration)
