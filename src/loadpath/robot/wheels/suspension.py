"""What lies between a base and its wheels: springs with their travel, and anti-roll bars.

A suspension acts along z between the base and the hub of a wheel. Its deflection s (m) counts from the **design
position**, the one in which the base frame lies on level ground under tyres without load; it is positive in bump, as
the base comes nearer to the hub. The force (N) with which it presses them apart is piecewise linear and grows with s,

    F(s) = preload + k s + k_bump max(0, s - bump_travel) - k_rebound max(0, -rebound_travel - s) + c ds/dt,

so `preload` is what the spring carries in the design position, k times what it is shorter there than by itself. Without
preload, the design position is that of no load. A wheel in the air hangs at the s where F(s) is minus its own weight:
at the rebound stop, if there is preload enough. A load below that preload does not move it but for what the stop gives.

The tyre (`stiffness` of the contact) is in series, below the hub. Its deflection counts from no load.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import overload

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import name, number
from loadpath.scalars.types import ArrayLike, Floats


@dataclass(frozen=True, kw_only=True)
class Suspension(Measured):
    """A spring, a damper and the ends of their travel between a base and the hub of a wheel, along z.

    `stiffness` (N/m) and `damping` (N s/m; None where it is not known) act at the wheel: of a spring with a motion
    ratio, the ratio squared times its own. `preload` (N) is its force in the design position, from which deflections
    count. From `bump_travel` (m, upwards) on the bump stop pushes besides, with `bump_stop_stiffness` (N/m); from
    `rebound_travel` (m, downwards, positive) on the rebound stop pulls with `rebound_stop_stiffness`. None: no such
    end. `unsprung_mass` (kg) of wheel and hub, a part of the mass of the base, rests on the tyre, not on the spring.

    >>> car = Suspension(stiffness=20e3, damping=1500.0, preload=4000.0, bump_travel=0.08, bump_stop_stiffness=200e3,
    ...                  rebound_travel=0.1, rebound_stop_stiffness=400e3)
    >>> car.force(0.0), car.force(0.05), car.force(0.1)
    (4000.0, 5000.0, 10000.0)
    >>> car.deflection([4000.0, 10000.0]).round(12).tolist()
    [0.0, 0.1]
    >>> car.force(0.0, rate=0.2)
    4300.0
    """

    stiffness: float = field(metadata=measures("stiffness"))
    damping: float | None = field(default=None, metadata=measures("damping of a slide"))
    preload: float = field(default=0.0, metadata=measures("force"))
    bump_travel: float | None = field(default=None, metadata=measures("length"))
    rebound_travel: float | None = field(default=None, metadata=measures("length"))
    bump_stop_stiffness: float | None = field(default=None, metadata=measures("stiffness"))
    rebound_stop_stiffness: float | None = field(default=None, metadata=measures("stiffness"))
    unsprung_mass: float = field(default=0.0, metadata=measures("mass"))

    def __post_init__(self) -> None:
        if not self._read("stiffness") > 0:
            raise ModelError(f"stiffness of a suspension is {self.stiffness}: expected more than zero (N/m); a wheel "
                             "that is rigid on its base has no suspension")
        for part in ("damping", "preload", "bump_travel", "rebound_travel", "unsprung_mass"):
            if getattr(self, part) is not None and self._read(part) < 0:
                hint = "; it counts downwards from the design position" if part == "rebound_travel" else ""
                raise ModelError(f"{_words(part)} of a suspension is {getattr(self, part)}: expected zero or more"
                                 f"{hint}")
        for end in ("bump", "rebound"):
            travel, stop = f"{end}_travel", f"{end}_stop_stiffness"
            if (getattr(self, travel) is None) != (getattr(self, stop) is None):
                missing, there = (stop, travel) if getattr(self, stop) is None else (travel, stop)
                raise ModelError(f"a suspension has a {there} of {getattr(self, there):g} and no {missing}: give both, "
                                 "or none where the travel has no end")
            if getattr(self, stop) is not None and not self._read(stop) > 0:
                raise ModelError(f"{_words(stop)} of a suspension is {getattr(self, stop)}: expected more than zero")

    def _read(self, part: str) -> float:
        value = number(getattr(self, part), f"{_words(part)} of a suspension")
        object.__setattr__(self, part, value)
        return value

    # One number or arrays of them

    @overload
    def force(self, deflection: float, rate: float = 0.0) -> float: ...
    @overload
    def force(self, deflection: ArrayLike, rate: ArrayLike = 0.0) -> Floats: ...
    def force(self, deflection: ArrayLike, rate: ArrayLike = 0.0) -> float | Floats:
        """Force (N) that presses hub and base apart at a deflection (m, from the design position, bump positive) and
        its rate (m/s); negative where it pulls. One state as floats, or arrays that broadcast.

        >>> Suspension(stiffness=1e4, preload=500.0).force([-0.1, 0.0, 0.1]).tolist()
        [-500.0, 500.0, 1500.0]
        """
        if isinstance(deflection, (float, int)) and isinstance(rate, (float, int)):
            result = self.preload + self.stiffness * deflection
            if self.bump_travel is not None and deflection > self.bump_travel:
                result += (self.bump_stop_stiffness or 0.0) * (deflection - self.bump_travel)
            if self.rebound_travel is not None and deflection < -self.rebound_travel:
                result += (self.rebound_stop_stiffness or 0.0) * (deflection + self.rebound_travel)
            return result + self._damping() * rate if rate else result
        s, ds = np.asarray(deflection, dtype=float), np.asarray(rate, dtype=float)
        forces: Floats = self.preload + self.stiffness * s
        if self.bump_travel is not None:
            forces = forces + (self.bump_stop_stiffness or 0.0) * np.maximum(s - self.bump_travel, 0.0)
        if self.rebound_travel is not None:
            forces = forces + (self.rebound_stop_stiffness or 0.0) * np.minimum(s + self.rebound_travel, 0.0)
        return forces + self._damping() * ds if ds.any() else np.broadcast_to(forces, np.broadcast(s, ds).shape)

    def _damping(self) -> float:
        if self.damping is None:
            raise ModelError("the damping of a suspension is not known: give damping= (N s/m), 0 for none")
        return self.damping

    def deflection(self, force: ArrayLike) -> Floats:
        """Deflection (m) at rest under a force (N): the inverse of `force`.

        >>> float(Suspension(stiffness=1e4, preload=500.0).deflection(700.0))
        0.02
        """
        f = np.asarray(force, dtype=float)
        result: Floats = (f - self.preload) / self.stiffness
        if self.bump_travel is not None:
            beyond = f - self.force(self.bump_travel)
            stiff = self.stiffness + (self.bump_stop_stiffness or 0.0)
            result = np.where(beyond > 0, self.bump_travel + beyond / stiff, result)
        if self.rebound_travel is not None:
            beyond = f - self.force(-self.rebound_travel)
            stiff = self.stiffness + (self.rebound_stop_stiffness or 0.0)
            result = np.where(beyond < 0, beyond / stiff - self.rebound_travel, result)
        return result

    def tangent_stiffness(self, deflection: ArrayLike) -> Floats:
        """dF/ds (N/m) at a deflection; at the very end of the travel that without the stop.

        >>> stop = Suspension(stiffness=1e4, bump_travel=0.1, bump_stop_stiffness=9e4)
        >>> stop.tangent_stiffness([0.0, 0.2]).tolist()
        [10000.0, 100000.0]
        """
        s = np.asarray(deflection, dtype=float)
        result: Floats = np.full(s.shape, self.stiffness)
        if self.bump_travel is not None:
            result = result + np.where(s > self.bump_travel, self.bump_stop_stiffness or 0.0, 0.0)
        if self.rebound_travel is not None:
            result = result + np.where(s < -self.rebound_travel, self.rebound_stop_stiffness or 0.0, 0.0)
        return np.where(np.isnan(s), np.nan, result)

    def energy(self, deflection: ArrayLike) -> Floats:
        """Work (J) done on it from the design position to a deflection, at rest: the integral of `force`.

        >>> float(Suspension(stiffness=1e4, preload=500.0).energy(0.02))
        12.0
        """
        s = np.asarray(deflection, dtype=float)
        result: Floats = (self.preload + 0.5 * self.stiffness * s) * s
        if self.bump_travel is not None:
            result = result + 0.5 * (self.bump_stop_stiffness or 0.0) * np.maximum(s - self.bump_travel, 0.0) ** 2
        if self.rebound_travel is not None:
            stop = self.rebound_stop_stiffness or 0.0
            result = result + 0.5 * stop * np.minimum(s + self.rebound_travel, 0.0) ** 2
        return result

    def travel_used(self, deflection: ArrayLike) -> Floats:
        """Share of the travel that a deflection takes: 1 at the bump stop, -1 at the rebound stop, beyond where a stop
        is pressed in; 0 where the travel on that side has no end.

        >>> stop = Suspension(stiffness=1e4, bump_travel=0.1, bump_stop_stiffness=9e4)
        >>> stop.travel_used([-0.3, 0.05, 0.12]).round(9).tolist()
        [0.0, 0.5, 1.2]
        """
        s = np.asarray(deflection, dtype=float)
        share = np.where(np.isnan(s), np.nan, 0.0)
        for travel, side in ((self.bump_travel, s), (self.rebound_travel, -s)):
            if travel is not None:
                with np.errstate(divide="ignore"):
                    used = np.where(side > 0, np.abs(s) / travel, 0.0) if travel else np.where(side > 0, np.inf, 0.0)
                share = share + np.copysign(used, s)
        return share


@dataclass(frozen=True)
class AntiRollBar(Measured):
    """A bar between the hubs of two wheels, `left` and `right` by their names: it presses the base away from the left
    hub by stiffness (N/m) times (s_left - s_right), the difference of their suspensions' deflections, and draws it to
    the right hub by as much.

    A bar that holds by c (N m/rad), with levers of the length r, has the stiffness c / r^2 here, and gives a base of
    the track t the roll stiffness c (t / r)^2 at rigid tyres.

    >>> AntiRollBar("front left", "front right", 8e3).stiffness
    8000.0
    """

    left: str
    right: str
    stiffness: float = field(metadata=measures("stiffness"))

    def __post_init__(self) -> None:
        for side in ("left", "right"):
            name(getattr(self, side), f"{side} wheel of an anti-roll bar")
        if self.left == self.right:
            raise ModelError(f"an anti-roll bar is between '{self.left}' and itself: expected two wheels")
        stiffness = number(self.stiffness, "stiffness of an anti-roll bar")
        if not stiffness > 0:
            raise ModelError(f"stiffness of an anti-roll bar is {stiffness}: expected more than zero (N/m)")
        object.__setattr__(self, "stiffness", stiffness)


def _words(part: str) -> str:
    return part.replace("_", " ")
