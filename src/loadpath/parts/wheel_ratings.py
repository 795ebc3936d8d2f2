"""Ratings of the wheels and tyres of a rover: load standing and rolling, side force, speed and drive torque."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar

from loadpath.errors import warn
from loadpath.robot.measures import measures
from loadpath.robot.numbers import positive
from loadpath.robot.parts import Fitted


@dataclass(frozen=True, kw_only=True)
class WheelRating(Fitted):
    """What a wheel, tyre or caster may carry, as in its catalogue; what is not given is not checked.

    `load` (N) at any time, standing or not; `dynamic_load` (N) while it rolls; `speed` (m/s) along its rolling
    direction; `torque` (N m) of its drive or brake; `side_force` (N) across the rolling direction. Casters are rated
    by ISO 22883 and EN 12532 for a dynamic load at a speed, and a static load that is larger.

    >>> WheelRating(load=1500.0, dynamic_load=1200.0, speed=1.1, name="caster 100 mm").label
    'caster 100 mm'
    """

    kind: ClassVar[str] = "wheel"
    load: float | None = field(default=None, metadata=measures("force"))
    dynamic_load: float | None = field(default=None, metadata=measures("force"))
    speed: float | None = field(default=None, metadata=measures("speed of a slide"))
    torque: float | None = field(default=None, metadata=measures("torque"))
    side_force: float | None = field(default=None, metadata=measures("force"))
    name: str = ""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name != "name" and value is not None:
                object.__setattr__(self, each.name, positive(value, f"{each.name} of the rating of a {self.label}"))
        if self.load is not None and self.dynamic_load is not None and self.load < self.dynamic_load:
            warn(f"rating of a {self.label}: its load is {self.load:g} N, less than its dynamic_load of "
                 f"{self.dynamic_load:g} N: are they swapped?")

    @property
    def label(self) -> str:
        """Its name in tables: the user's, else its kind."""
        return self.name or self.kind
