"""Friction of a wheel or foot on the ground (Lau's thesis, 6-1 to 6-5)."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from loadpath.errors import ModelError, warn
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number

_MUCH = 5.0


@dataclass(frozen=True)
class WheelFriction(Measured):
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
