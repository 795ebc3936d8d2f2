"""What users give of a drive train: motor, gear, friction, springs and brake of one degree of freedom."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar, TypeAlias

from loadpath.errors import ModelError
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import LARGEST_LENGTH, Vector3, number, vector3, within

# Friction of a joint as catalogues and measurements give it: viscous, Coulomb, and more of it near standstill.


EXPONENTS = (1, 2)


@dataclass(frozen=True)
class Stribeck:
    """What friction has beyond Coulomb friction c near standstill: (static - c) exp(-|v / speed|^exponent)."""

    static: float
    """N m (N): friction at which the joint breaks away."""
    speed: float
    """rad/s (m/s): at this speed 1/e of the surplus is left."""
    exponent: int = 2


@dataclass(frozen=True)
class Friction(Measured):
    """Friction at a joint against its speed v, on the side of the joint (after the gear):

        sign(v) (c + (s - c) exp(-|v / v_s|^d)) + b v

    with `viscous` b (N m s/rad, N s/m), `coulomb` c (N m, N), and the Stribeck effect if `static` s (at least c, the
    friction at which the joint breaks away) and `stribeck_speed` v_s (rad/s, m/s) are given. The `exponent` d is 2
    (Gaussian) or 1 (Tustin). Source: B. Armstrong-Hélouvry, P. Dupont, C. Canudas de Wit, A survey of models, analysis
    tools and compensation methods for the control of machines with friction, Automatica 30 (1994), eq. 8.

    >>> import loadpath as lp
    >>> friction = lp.Friction(viscous=2.0, coulomb=5.0, static=8.0, stribeck_speed=0.05)
    >>> round(friction.at(0.05), 6)                                                        # 5 + 3/e + 0.1 N m
    6.203638
    """

    viscous: float = field(default=0.0, metadata=measures("damping", "damping of a slide"))
    coulomb: float = field(default=0.0, metadata=measures("torque", "force"))
    static: float | None = field(default=None, metadata=measures("torque", "force"))
    stribeck_speed: float | None = field(default=None, metadata=measures("speed", "speed of a slide"))
    exponent: int = field(default=2, metadata=measures("plain number"))

    def __post_init__(self) -> None:
        for part in ("viscous", "coulomb", "static", "stribeck_speed"):
            value = getattr(self, part)
            if value is None and part in ("static", "stribeck_speed"):
                continue
            value = number(value, f"{part} of a Friction")
            if value < 0:
                raise ModelError(f"{part} of a Friction is {value}: expected zero or more")
            object.__setattr__(self, part, value)
        if (self.static is None) != (self.stribeck_speed is None):
            missing = "stribeck_speed" if self.stribeck_speed is None else "static"
            raise ModelError(f"a Friction with the Stribeck effect needs static and stribeck_speed: {missing} is not "
                             "given")
        if self.static is not None and self.static < self.coulomb:
            raise ModelError(f"static friction {self.static} is below the Coulomb friction {self.coulomb}: expected it "
                             "at least as large")
        if self.stribeck_speed == 0:
            raise ModelError("stribeck_speed of a Friction is 0: expected a speed (rad/s, m/s) at which 1/e of the "
                             "surplus of static friction is left")
        if self.exponent not in EXPONENTS:
            raise ModelError(f"exponent of a Friction is {self.exponent!r}: expected 1 or 2")

    @property
    def stribeck(self) -> Stribeck | None:
        """What there is beyond viscous and Coulomb friction."""
        if self.static is None or self.stribeck_speed is None or self.static == self.coulomb:
            return None
        return Stribeck(self.static, self.stribeck_speed, int(self.exponent))

    def at(self, speed: float) -> float:
        """The force (N m, N) at a speed, in its direction: what the drive must give in addition."""
        size = self.coulomb
        if (more := self.stribeck) is not None:
            size += (more.static - self.coulomb) * math.exp(-(abs(speed / more.speed) ** more.exponent))
        return math.copysign(size, speed) * (speed != 0) + self.viscous * speed


# Springs at a joint: in parallel with its drive, or on a line between its two links (balancers, gas springs).


@dataclass(frozen=True)
class TorsionSpring(Measured):
    """A spring in parallel with the drive: it turns the joint by preload - stiffness (q - rest), in the joint's
    positive sense. Like friction and rotor it acts inside the drive and loads no bearing.

    `stiffness` in N m/rad, `rest` in rad, `preload` in N m (what it gives at `rest`); N/m, m and N at a sliding joint.

    >>> import loadpath as lp
    >>> spring = lp.TorsionSpring(stiffness=20, rest=0.1)
    >>> arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": lp.Drive(spring=spring)})
    >>> arm.inverse_dynamics([0.3], [0], [0]).round(9).tolist()
    [4.0]
    """

    stiffness: float = field(metadata=measures("torsional stiffness", "stiffness"))
    rest: float = field(default=0.0, metadata=measures("angle", "length"))
    preload: float = field(default=0.0, metadata=measures("torque", "force"))

    def __post_init__(self) -> None:
        for part in ("stiffness", "rest", "preload"):
            object.__setattr__(self, part, number(getattr(self, part), f"{part} of a TorsionSpring"))
        if self.stiffness < 0:
            raise ModelError(f"stiffness of a TorsionSpring is {self.stiffness}: expected zero or more")


@dataclass(frozen=True)
class LineSpring(Measured):
    """A spring on the line between a point of the parent link and a point of the child link, each in the frame of its
    link (m). It pulls the two together by preload + stiffness (length - free_length).

    `stiffness` in N/m. A gas spring pushes: its `preload` is negative, its stiffness small. With stiffness alone it is
    the ideal balancer, a spring of free length zero. Its force goes past the joint's bearing, so it changes the joint
    wrench as well as the force of the drive. Where the two points meet, a spring with a free length or a preload has no
    direction: its force is not a number there.

    >>> import loadpath as lp
    >>> balancer = lp.LineSpring(on_parent=(0, 0, 0.5), on_child=(0.5, 0, 0), stiffness=19.62)
    >>> arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(spring=balancer)})    # m g = k a
    >>> bool(abs(arm.inverse_dynamics([[0.3], [1.0]], [0], [0])).max() < 1e-12)
    True
    """

    on_parent: Vector3 = field(metadata=measures("length"))
    on_child: Vector3 = field(metadata=measures("length"))
    stiffness: float = field(default=0.0, metadata=measures("stiffness"))
    free_length: float = field(default=0.0, metadata=measures("length"))
    preload: float = field(default=0.0, metadata=measures("force"))

    def __post_init__(self) -> None:
        for part in ("on_parent", "on_child"):
            what = f"{part} of a LineSpring"
            point = vector3(getattr(self, part), what)
            within(max(point, key=abs), LARGEST_LENGTH, f"a coordinate of {what}", "m")
            object.__setattr__(self, part, point)
        for part in ("stiffness", "free_length", "preload"):
            object.__setattr__(self, part, number(getattr(self, part), f"{part} of a LineSpring"))
        for part in ("stiffness", "free_length"):
            if getattr(self, part) < 0:
                raise ModelError(f"{part} of a LineSpring is {getattr(self, part)}: expected zero or more")


Spring: TypeAlias = TorsionSpring | LineSpring


def springs_of(given: object, what: str) -> tuple[Spring, ...]:
    """One spring or several, as a tuple."""
    if isinstance(given, (TorsionSpring, LineSpring)):
        return (given,)
    if isinstance(given, (list, tuple)) and all(isinstance(each, (TorsionSpring, LineSpring)) for each in given):
        return tuple(given)
    raise ModelError(f"{what} is {given!r}: expected a spring, or several, like lp.TorsionSpring(stiffness=20.0) or "
                     "lp.LineSpring(on_parent=(0, 0, 0.3), on_child=(0.2, 0, 0), stiffness=500.0)")


@dataclass(frozen=True)
class Drive(Measured):
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
