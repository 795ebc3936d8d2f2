"""What users give of a drive train: motor, gear, friction, springs and brake of one degree of freedom."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

from loadpath.errors import ModelError
from loadpath.robot.drive_train.friction import Friction
from loadpath.robot.drive_train.springs import LineSpring, Spring, TorsionSpring, springs_of
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number


@dataclass(frozen=True)
class Drive:
    """The drive train of a degree of freedom; what is not given stays as it is at the joint, or is not known.

    | field | unit | where it acts |
    |---|---|---|
    | `ratio` | rad of the motor per rad (m) of the joint | gear or screw; instead `lead`, m per turn of a screw |
    | `rotor_inertia` | kg m^2 | motor's shaft (with brake and coupling); reflected by the ratio squared |
    | `friction` | see `lp.Friction` | joint, after the gear |
    | `spring` | see `lp.TorsionSpring`, `lp.LineSpring`; one or several | joint |
    | `efficiency` | 0 to 1 | gear: one number, or a pair (motor drives load, load drives motor) |
    | `no_load_torque` | N m | motor's shaft: what turning the gear takes, whatever it carries |
    | `brake` | N m | motor's shaft: torque that the brake holds |
    | `torque_constant` | N m/A | motor |
    | `resistance` | ohm | motor: copper loss is resistance times current squared |

    The second efficiency is that of back driving, at most 1; zero or less of a gear that locks itself, which the motor
    must then drive down too (a worm gear of forward efficiency e has 2 - 1/e). One number stands for both.

    >>> import loadpath as lp
    >>> lp.Drive(lead=0.01).ratio
    628.3185307179587
    """

    ratio: float | None = field(default=None, metadata=measures("plain number"))
    rotor_inertia: float | None = field(default=None, metadata=measures("moment of inertia"))
    efficiency: float | tuple[float, float] | None = field(default=None, metadata=measures("share"))
    friction: Friction | None = field(default=None, metadata=measures(Friction))
    spring: Spring | tuple[Spring, ...] | None = field(default=None, metadata=measures(TorsionSpring, LineSpring))
    brake: float | None = field(default=None, metadata=measures("torque", "force"))
    torque_constant: float | None = field(default=None, metadata=measures("motor constant"))
    resistance: float | None = field(default=None, metadata=measures("resistance"))
    no_load_torque: float | None = field(default=None, metadata=measures("torque"))
    lead: float | None = field(default=None, metadata=measures("length"))
    is_screw: ClassVar[bool] = False
    """Whether its ratio was given by a lead, which a joint that turns has not."""

    def __post_init__(self) -> None:
        for part in ("ratio", "rotor_inertia", "brake", "torque_constant", "resistance", "no_load_torque", "lead"):
            value = getattr(self, part)
            if value is not None:
                object.__setattr__(self, part, number(value, f"{part} of a Drive"))
        for part in ("rotor_inertia", "brake", "resistance", "no_load_torque"):
            if (getattr(self, part) or 0.0) < 0:
                raise ModelError(f"{part} of a Drive is {getattr(self, part)}: expected zero or more")
        for part in ("torque_constant", "lead"):
            if getattr(self, part) is not None and getattr(self, part) <= 0:
                raise ModelError(f"{part} of a Drive is {getattr(self, part)}: expected a positive number")
        self._read_ratio()
        self._read_efficiency()
        if self.friction is not None and not isinstance(self.friction, Friction):
            raise ModelError(f"friction of a Drive is {self.friction!r}: expected lp.Friction(viscous=..., "
                             "coulomb=...)")
        if self.spring is not None:
            object.__setattr__(self, "spring", springs_of(self.spring, "spring of a Drive"))

    def _read_ratio(self) -> None:
        if self.lead is not None:
            if self.ratio is not None:
                raise ModelError(f"a Drive has the ratio {self.ratio} and the lead {self.lead}: give one of the two "
                                 "(ratio = 2 pi / lead)")
            object.__setattr__(self, "ratio", 2.0 * math.pi / self.lead)
            object.__setattr__(self, "lead", None)
            object.__setattr__(self, "is_screw", True)
        if self.ratio == 0:
            raise ModelError("ratio of a Drive is 0: expected turns of the motor per turn of the joint (rad per m of a "
                             "sliding one)")

    def _read_efficiency(self) -> None:
        if self.efficiency is None:
            return
        given: object = self.efficiency
        pair = given if isinstance(given, (tuple, list)) else (given, given)
        if len(pair) != 2:
            raise ModelError(f"efficiency of a Drive is {given!r}: expected one number, or two: with the motor driving "
                             "the load, and with the load driving the motor")
        forward, backward = (number(value, "efficiency of a Drive") for value in pair)
        if not 0 < forward <= 1:
            hint = f" ({forward:g} % is {forward / 100:g})" if 1 < forward <= 100 else ""
            raise ModelError(f"efficiency of a Drive is {forward:g}: expected more than 0 and at most 1{hint}")
        if backward > 1:
            raise ModelError(f"efficiency of a Drive when the load drives it is {backward:g}: expected at most 1, and "
                             "zero or less of a gear that locks itself")
        object.__setattr__(self, "efficiency", (forward, backward))

    @property
    def efficiencies(self) -> tuple[float, float]:
        """With the motor driving the load, and the other way round; 1 where they are not known."""
        pair = self.efficiency
        if pair is None:
            return 1.0, 1.0
        return pair if isinstance(pair, tuple) else (pair, pair)

    @property
    def springs(self) -> tuple[Spring, ...]:
        """Its springs; none where none are given."""
        if self.spring is None:
            return ()
        return self.spring if isinstance(self.spring, tuple) else (self.spring,)

    @property
    def motor_side(self) -> Drive:
        """What concerns the motor and the gear alone, and no equation of motion."""
        return replace(self, ratio=None, rotor_inertia=None, friction=None, spring=None)

    def changed_by(self, other: Drive) -> Drive:
        """This drive with all that the other gives."""
        given = {part.name: getattr(other, part.name) for part in fields(other)}
        return replace(self, **{name: value for name, value in given.items() if value is not None})
