"""What a base stands on: wheels and feet, each a frozen dataclass that says what it can hold and what it lets go.

All positions and directions are in the base frame: on the ground, x forward, y left, z up. A wheel that rolls forward
turns about its axle, which points to the left of its rolling direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from loadpath.errors import ModelError, warn
from loadpath.mobile.friction import WheelFriction
from loadpath.robot.numbers import number, numbers


@dataclass(frozen=True, kw_only=True)
class Contact:
    """A point on the ground that carries: `position` (x, y) in m.

    `compliance` (m/N) is how much it gives under load: with more than three contacts it decides how they share the
    weight. `grip_compliance` (m/N) does the same for the forces in the plane. Only ratios between contacts count, so
    that equal contacts need none. `friction` overrides that of ground and base.
    """

    position: tuple[float, float] = field(kw_only=False)
    name: str = ""
    friction: WheelFriction | None = None
    compliance: float = 1.0
    grip_compliance: float = 1.0

    kind: ClassVar[str] = "contact"
    steerable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        x, y = numbers(self.position, f"position of {self._told}", 2)
        object.__setattr__(self, "position", (x, y))
        if not isinstance(self.name, str):
            raise ModelError(f"name of a {self.kind} is {self.name!r}: expected text")
        if self.friction is not None and not isinstance(self.friction, WheelFriction):
            raise ModelError(f"friction of {self._told} is {self.friction!r}: expected a WheelFriction")
        for part in ("compliance", "grip_compliance"):
            self._set(part)
            if getattr(self, part) <= 0:
                raise ModelError(f"{part} of {self._told} is {getattr(self, part)}: expected more than zero")

    def _set(self, part: str) -> float:
        value = number(getattr(self, part), f"{part.replace('_', ' ')} of {self._told}")
        object.__setattr__(self, part, value)
        return value

    def _set_angle(self, part: str) -> float:
        value = self._set(part)
        if abs(value) > 2 * math.pi:
            warn(f"{part.replace('_', ' ')} of {self._told} is {value} rad, more than a whole turn; {value} degrees "
                 f"are {math.radians(value):.4g} rad")  # fmt: skip
        return value

    def _check_driven(self, driven: object) -> None:
        if not isinstance(driven, bool):
            raise ModelError(f"driven of {self._told} is {driven!r}: expected True or False")

    @property
    def _told(self) -> str:
        return f"{self.kind} '{self.name}'" if self.name else f"a {self.kind}"


@dataclass(frozen=True)
class Support(Contact):
    """A foot: holds in every direction up to its static friction, and does not roll. Its longitudinal and lateral
    forces are along x and y of the base.

    >>> Support((0.3, 0.2)).position
    (0.3, 0.2)
    """

    kind: ClassVar[str] = "support"


@dataclass(frozen=True, kw_only=True)
class Wheel(Contact):
    """A wheel of a radius (m)."""

    radius: float = field(kw_only=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._set("radius") <= 0:
            raise ModelError(f"radius of {self._told} is {self.radius}: expected more than zero")


@dataclass(frozen=True, kw_only=True)
class FixedWheel(Wheel):
    """A wheel on a fixed axle: rolls along `direction` (angle to x, rad) and holds across it.

    `driven`: a motor or brake gives it whatever longitudinal force the motion asks for; else it rolls freely and
    carries its rolling resistance only. `spin_inertia` (kg m^2) about the axle; its mass and its other inertia are
    part of the base's.

    >>> FixedWheel((0, 0.3), 0.1, driven=False).direction
    0.0
    >>> FixedWheel((0, 0.3), 0)
    Traceback (most recent call last):
    loadpath.errors.ModelError: radius of a fixed wheel is 0.0: expected more than zero
    """

    direction: float = 0.0
    driven: bool = True
    spin_inertia: float = 0.0

    kind: ClassVar[str] = "fixed wheel"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_angle("direction")
        self._check_driven(self.driven)
        if self._set("spin_inertia") < 0:
            raise ModelError(f"spin inertia of {self._told} is {self.spin_inertia}: expected zero or more")


@dataclass(frozen=True, kw_only=True)
class SteeredWheel(Wheel):
    """A wheel turned by a steering drive about the vertical through its contact: at its steering angle (to x, rad) it
    rolls and holds as a fixed wheel does. Its spin inertia is left out.

    >>> SteeredWheel((0.5, 0.2), 0.1).driven
    True
    """

    driven: bool = True

    kind: ClassVar[str] = "steered wheel"
    steerable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_driven(self.driven)


@dataclass(frozen=True, kw_only=True)
class CasterWheel(Wheel):
    """A free wheel under a free pivot at `position`, which it trails by `trail` (m): its contact lies that far behind
    the pivot, against its rolling direction, and so moves as the caster swivels.

    A caster turns into the velocity of its pivot (not into the force, as the thesis says) and holds the base in no
    direction: the pivot takes no torque about the vertical, so no side force acts at the trailing contact. It
    carries its normal force and, along its rolling direction, its rolling resistance. With no trail (a ball, or the
    thesis's free spinning wheel) the same is assumed, the contact being under the pivot. Its mass is the base's, its
    spin and swivel inertia are left out.

    >>> CasterWheel((0.6, 0), 0.05, trail=0.02).trail
    0.02
    """

    trail: float = 0.0

    kind: ClassVar[str] = "caster wheel"
    steerable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._set("trail") < 0:
            raise ModelError(f"trail of {self._told} is {self.trail}: expected zero or more, the contact being behind "
                             "the pivot")  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class OmniWheel(FixedWheel):
    """A wheel with rollers on its rim, which let it go across their axes and hold along them.

    `roller_angle` (rad) is the angle, seen from above, from the wheel's rolling direction to the axis of the roller
    that touches the ground: 0 for an omni wheel, which is free sideways; see `MecanumWheel` for others.

    >>> OmniWheel((0.2, 0), 0.05, direction=1.57).roller_angle
    0.0
    """

    roller_angle: float = 0.0

    kind: ClassVar[str] = "omni wheel"

    def __post_init__(self) -> None:
        super().__post_init__()
        if abs(self._set("roller_angle")) >= math.pi / 2 - 1e-9:
            raise ModelError(f"roller angle of {self._told} is {self.roller_angle} rad: expected between -pi/2 and pi/2"
                             ", where the wheel can drive nothing")  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MecanumWheel(OmniWheel):
    """A wheel with slanting rollers. The roller's axis on the ground stands at `roller_angle` to the rolling
    direction: usually -pi/4 at the front left and rear right, +pi/4 at the other two.

    >>> MecanumWheel((0.3, 0.2), 0.1, roller_angle=-math.pi / 4).kind
    'mecanum wheel'
    """

    roller_angle: float = field()

    kind: ClassVar[str] = "mecanum wheel"
