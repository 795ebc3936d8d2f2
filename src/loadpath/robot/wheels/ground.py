"""The ground under a rover, a plane, level or sloping; and friction of a wheel or foot on it (Lau's thesis, 6-1 to
6-5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError, warn
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number
from loadpath.scalars import Array, Scalar, cos, sin, vector
from loadpath.scalars.types import ArrayLike

_MUCH = 5.0


@dataclass(frozen=True)
class WheelFriction:
    """Three coefficients: each times the normal force is a force.

    `sliding` holds while the contact slides (kinetic), `static` is the most that it carries before it slides, `rolling`
    resists rolling. `static` is not below `sliding` (6-3), and equals it unless given. The rolling resistance acts at
    the contact against the wheel's velocity; that it also moves the normal force forward by `rolling` times the radius
    is left out, as in the thesis.

    >>> WheelFriction(sliding=0.6, static=0.8, rolling=0.01)
    WheelFriction(sliding=0.6, static=0.8, rolling=0.01)
    >>> WheelFriction(sliding=0.6, static=0.5)
    Traceback (most recent call last):
    loadpath.errors.ModelError: static friction 0.5 is below the sliding friction 0.6: a contact that sticks holds more
    """

    sliding: float = field(metadata=measures("share"))
    static: float = field(default=None, metadata=measures("share"))  # type: ignore[assignment]  # made a number below
    rolling: float = field(default=0.0, metadata=measures("share"))

    def __post_init__(self) -> None:
        if self.static is None:
            object.__setattr__(self, "static", self.sliding)
        for part in fields(self):
            value = number(getattr(self, part.name), f"{part.name} friction")
            if value < 0:
                raise ModelError(f"{part.name} friction is {value}: expected zero or more")
            object.__setattr__(self, part.name, value)
        if self.static < self.sliding:
            raise ModelError(f"static friction {self.static} is below the sliding friction {self.sliding}: "
                             "a contact that sticks holds more")
        if self.static > _MUCH:
            warn(f"static friction is {self.static}: a coefficient above {_MUCH:g} is rare (of rubber, 1); is it given "
                 "in percent?")
        if self.rolling > self.sliding:
            warn(f"rolling friction {self.rolling} is above the sliding friction {self.sliding}: "
                 "such a wheel would rather slide than roll")


# The ground under a rover: a plane, level or sloping.


def gravity_on_slope(strength: float, slope: float, heading: Scalar) -> Array:
    """Gravity in base axes, for a base whose x axis is turned by `heading` from the steepest ascent, to the left.

    >>> [round(g, 12) for g in gravity_on_slope(10.0, math.asin(0.6), 0.0)]
    [-6.0, 0.0, -8.0]
    """
    along, down = strength * math.sin(slope), strength * math.cos(slope)
    if not along:
        return vector(0.0, 0.0, -down)
    return vector(-along * cos(heading), along * sin(heading), -down)


@dataclass(frozen=True)
class Ground:
    """A plane that rises by the angle `slope` (rad), with its own friction and strength of gravity (m/s^2).

    Its frame has x along the steepest ascent and z along the normal. How a base stands on it is its `heading`: the
    angle of the base's x axis against the steepest ascent, about the normal: 0 looks uphill, pi/2 has the uphill
    side on the right, pi looks downhill. On level ground the heading makes no difference.

    `friction`, where given, holds for every contact that has none of its own, instead of that of the base.

    >>> Ground(slope=0.3).gravity_in_base(np.pi).round(3).tolist()         # looking downhill, pulled forward
    [2.899, 0.0, -9.372]
    """

    slope: float = field(default=0.0, metadata=measures("angle"))
    friction: WheelFriction | None = field(default=None, metadata=measures(WheelFriction))
    gravity: float = field(default=9.81, metadata=measures("acceleration"))

    def __post_init__(self) -> None:
        slope, gravity = number(self.slope, "slope of the ground"), number(self.gravity, "gravity of the ground")
        if not 0 <= slope < math.pi / 2:
            hint = f"; {slope} degrees are {math.radians(slope):.4g} rad" if slope > 0 else ""
            raise ModelError(f"slope of the ground is {slope} rad: expected 0 to below pi/2, uphill being where the "
                             f"heading counts from{hint}")
        if gravity < 0:
            raise ModelError(f"gravity of the ground is {gravity}: expected its strength, zero or more")
        if self.friction is not None and not isinstance(self.friction, WheelFriction):
            raise ModelError(f"friction of the ground is {self.friction!r}: expected a WheelFriction")
        object.__setattr__(self, "slope", slope)
        object.__setattr__(self, "gravity", gravity)

    def gravity_in_base(self, heading: ArrayLike = 0.0) -> NDArray[np.float64]:
        """Gravity (..., 3) in the axes of a base with that heading; where that is not a number, none of it is known."""
        psi = np.asarray(heading, dtype=float)
        parts = [np.broadcast_to(g, psi.shape) for g in gravity_on_slope(self.gravity, self.slope, psi)]
        return np.stack(parts, axis=-1).astype(float) + np.where(np.isnan(psi), np.nan, 0.0)[..., None]
