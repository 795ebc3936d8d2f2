"""Friction of a joint as catalogues and measurements give it: viscous, Coulomb, and more of it near standstill."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from loadpath.errors import ModelError
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number

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
class Friction:
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
