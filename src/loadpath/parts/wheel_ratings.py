"""Ratings of the wheels and tyres of a rover: load standing and rolling, side force, speed and drive torque."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.parts.part import Check, Instant, not_checked
from loadpath.robot.fitted import Fitted
from loadpath.robot.numbers import positive
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.loads import WheelLoads
    from loadpath.mobile.rover import Rover

_ROLLS = 1e-6
"""m/s: slower is standing."""


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
    load: float | None = None
    dynamic_load: float | None = None
    speed: float | None = None
    torque: float | None = None
    side_force: float | None = None
    name: str = ""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name != "name" and value is not None:
                object.__setattr__(self, each.name, positive(value, f"{each.name} of the rating of a {self.label}"))
        if self.load is not None and self.dynamic_load is not None and self.load < self.dynamic_load:
            warn(f"rating of a {self.label}: its load is {self.load:g} N, less than its dynamic_load of "
                 f"{self.dynamic_load:g} N: are they swapped?")  # fmt: skip

    @property
    def label(self) -> str:
        """Its name in tables: the user's, else its kind."""
        return self.name or self.kind


def wheel_checks(
    rover: Rover, ratings: Mapping[str, WheelRating], motion: Any = None, **base: Any
) -> list[tuple[str, Check]]:
    """Whether the wheels of a rover hold: pairs of a wheel and a check, in the order of the rover's contacts.

    `ratings` are by the names of the contacts. `motion` is a motion of the robots on the rover, a simulation, which
    brings the motion of the base, or a spectrum with `motions`; a base alone needs none. The motion of the base is
    `velocity=`, `acceleration=`, `heading=`, `steering=` as in `rover.wheel_loads`. States that are not numbers are
    left out, with a warning.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(driven=True)
    >>> rating = WheelRating(load=60.0, speed=2.0)
    >>> found = wheel_checks(rover, {"wheel1": rating}, [[0, 0, 0.5]], velocity=[[1.0, 0.0]])
    >>> [(wheel, check.check, check.holds) for wheel, check in found if check.checked]
    [('wheel1', 'load', True), ('wheel1', 'speed', True)]
    """
    for name, rating in ratings.items():
        if name not in rover.contact_names:
            raise ModelError(f"a rating is given for '{name}', which rover '{rover.name}' does not stand on; its "
                             f"contacts are {', '.join(rover.contact_names)}")  # fmt: skip
        if not isinstance(rating, WheelRating):
            raise ModelError(f"rating of '{name}' is {rating!r}: expected an lp.WheelRating(load=...)")
    motions = list(motion.motions) if hasattr(motion, "motions") else [motion]
    seen = [_Seen(k, getattr(each, "t", None), rover.wheel_loads(*_states(each), **base))
            for k, each in enumerate(motions)]  # fmt: skip
    rows = []
    for column, name in enumerate(rover.contact_names):
        if name in ratings:
            rows += [(name, check) for check in _checks(ratings[name], column, seen)]
    return rows


def _states(motion: Any) -> tuple[Any, ...]:
    if motion is None:
        return ()
    return motion if isinstance(motion, tuple) and not hasattr(motion, "t") else (motion,)


@dataclass(frozen=True, eq=False)
class _Seen:
    """The loads of all wheels in one motion."""

    number: int
    times: Floats | None
    loads: WheelLoads

    def column(self, values: Floats, k: int) -> Floats:
        """(samples,): of one contact; NaN where the state is not a number."""
        return np.reshape(values, (-1, len(self.loads.names)))[:, k]

    @property
    def speeds(self) -> Floats:
        """(..., contacts): speed over the ground along the rolling direction, m/s."""
        x, y = self.loads.points[..., 0], self.loads.points[..., 1]
        vx, vy, w = (self.loads.state.velocity[..., k, None] for k in range(3))
        ahead = self.loads.forward
        along = (vx - w * y) * ahead[..., 0] + (vy + w * x) * ahead[..., 1]
        return np.broadcast_to(np.abs(along), self.loads.normal.shape)

    def at(self, sample: int) -> Instant:
        """The instant of a sample."""
        return Instant(self.number, sample, math.nan if self.times is None else float(self.times[sample]))


def _checks(rating: WheelRating, column: int, seen: list[_Seen]) -> list[Check]:
    """All checks of one wheel."""
    normal = [one.column(one.loads.normal, column) for one in seen]
    speeds = [one.column(one.speeds, column) for one in seen]
    rolling = [np.where(speed > _ROLLS, load, np.nan) for speed, load in zip(speeds, normal, strict=True)]
    sideways = [np.abs(one.column(one.loads.lateral, column)) for one in seen]
    torques = [np.abs(one.column(one.loads.drive_torque, column)) for one in seen]
    tips = any(one.loads.tips_over.any() for one in seen)
    found = [_check("load", "load", rating.load, "N", normal, seen),
             _check("load while rolling", "dynamic_load", rating.dynamic_load, "N", rolling, seen),
             _check("speed", "speed", rating.speed, "m/s", speeds, seen)]  # fmt: skip
    if rating.torque is not None:
        found.append(_check("torque", "torque", rating.torque, "N m", torques, seen))
    if rating.side_force is not None:
        found.append(_check("side force", "side_force", rating.side_force, "N", sideways, seen))
    return [_noted(check) for check in found] if tips else found


def _check(name: str, field: str, capacity: float | None, unit: str, values: list[Floats], seen: list[_Seen]) -> Check:
    """The largest value of all motions against what may be."""
    if capacity is None:
        return not_checked(name, f"no {field} given", unit)
    largest, at = -math.inf, None
    for one, row in zip(seen, values, strict=True):
        if np.isfinite(row).any():
            k = int(np.nanargmax(row))
            if row[k] > largest:
                largest, at = float(row[k]), one.at(k)
    if at is None:
        if name == "load while rolling":
            return Check(name, 0.0, capacity, unit, 0.0, note="does not roll")
        return not_checked(name, "no state is a number", unit)
    demand = max(largest, 0.0)
    return Check(name, demand, capacity, unit, demand / capacity, at)


def _noted(check: Check) -> Check:
    note = "; ".join(part for part in (check.note, "the rover tips over in this motion") if part)
    return Check(check.check, check.demand, check.capacity, check.unit, check.utilisation, check.at, check.along,
                 check.life_hours, note)  # fmt: skip
