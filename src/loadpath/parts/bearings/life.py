"""Life and static safety of one bearing over a motion: equivalent loads come in, checks come out (ISO 281, ISO 76)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.parts.part import Check, Direction, JointLoads, Largest, Place, along_six, not_checked
from loadpath.robot.numbers import number, positive
from loadpath.scalars.types import Floats

# How far a joint swings between its reversals: small oscillation wears bearings in a way that no rating covers.


@dataclass(eq=False)
class Swings:
    """Adds up the travel of a joint, swing by swing from one reversal to the next."""

    critical: float
    """rad (of slides m): swings below it are small."""
    turning: bool = True
    """Else it slides."""
    largest: float = 0.0
    """rad: the largest swing that has ended."""
    small: float = 0.0
    """rad/s: mean speed by swings below the critical angle that have ended."""
    total: float = 0.0
    """rad/s: mean speed by all travel."""
    known: bool = False
    """Whether there were samples one after the other in time; of single states nothing is known of swings."""
    _motion: int | None = None
    _last: float = 0.0
    """rad: where the last sample was."""
    _open: float = 0.0
    """rad: how far the swing went that has not ended yet, with its sense."""
    _open_speed: float = 0.0

    def add(self, loads: JointLoads) -> None:
        """The next block of samples."""
        if not len(loads.position) or np.isnan(loads.t[0]):
            return
        self.known |= len(loads.position) > 1 or loads.motion == self._motion
        if loads.motion != self._motion:
            self.end()
            self._motion, self._last = loads.motion, float(loads.position[0])
        speeds = np.abs(loads.speed) * loads.weight
        self.total += float(speeds.sum())
        steps = np.concatenate([[self._open], np.diff(loads.position, prepend=self._last)])
        speeds = np.concatenate([[self._open_speed], speeds])
        self._last = float(loads.position[-1])
        moving = np.flatnonzero(steps)
        turning = moving[1:][np.diff(np.sign(steps[moving])) != 0]
        edges = np.concatenate([[0], turning])
        swings, speeds = np.add.reduceat(steps, edges), np.add.reduceat(speeds, edges)
        self._ended(np.abs(swings[:-1]), speeds[:-1])
        self._open, self._open_speed = float(swings[-1]), float(speeds[-1])

    def end(self) -> None:
        """The last swing ends with its motion."""
        self._ended(np.abs([self._open]), np.array([self._open_speed]))
        self._open = self._open_speed = 0.0

    def _ended(self, swings: Floats, speeds: Floats) -> None:
        self.small += float(speeds[swings < self.critical].sum())
        self.largest = max(self.largest, float(swings.max(initial=0.0)))

    @property
    def named(self) -> str:
        """The user's word for what is critical."""
        return "critical_angle" if self.turning else "critical_stroke"

    def said(self, swing: float) -> str:
        """A swing in words: degrees, or mm."""
        return f"{math.degrees(swing):.3g} deg" if self.turning else f"{1e3 * swing:.3g} mm"

    @property
    def small_share(self) -> float:
        """Share of the travel that lies in small swings."""
        return self.small / self.total if self.total > 0 else 0.0


# Numbers that all rolling bearings have in common: how they are read, and what reliability costs (ISO 281).


BALLS, ROLLERS = 3.0, 10.0 / 3.0
"""Exponents of the life (ISO 281, 5.3 and 7.3): point and line contact."""

RELIABILITIES = np.array(
    [0.90, 0.95, 0.96, 0.97, 0.98, 0.99, 0.992, 0.994, 0.996, 0.998, 0.999, 0.9992, 0.9994, 0.9995]
)
A1 = np.array([1.0, 0.64, 0.55, 0.47, 0.37, 0.25, 0.22, 0.19, 0.16, 0.12, 0.093, 0.087, 0.080, 0.077])
"""Life adjustment factor for reliability: ISO 281:2007, table 12, which ISO/TR 1281-2 derives as
0.05 + 0.95 (ln(1/S) / ln(1/0.9))^(1/1.5). Catalogues of ISO 281:1990 have 0.62, 0.53, 0.44, 0.33 and 0.21 to 99 %."""


def reliability_factor(reliability: float) -> float:
    """a1 of ISO 281:2007, table 12, between its rows linear: the share of the L10 life that more bearings reach.

    >>> reliability_factor(0.95)
    0.64
    """
    return float(np.interp(reliability, RELIABILITIES, A1))


def life_name(reliability: float) -> str:
    """L10, L5, L0.1: the share of bearings that fail before, in per cent.

    >>> life_name(0.9), life_name(0.999)
    ('L10', 'L0.1')
    """
    return f"L{100 * (1 - reliability):.3g}"


def read_reliability(value: object, of: str) -> float:
    """A share from 0.9 to 0.9995, those of the table."""
    read = number(value, f"reliability {of}")
    if not 0.9 <= read <= 0.9995:
        raise ModelError(f"reliability {of} is {read:g}: expected a share from 0.9 to 0.9995 (ISO 281, table 12)")
    return read


def read_rating(value: object, what: str) -> float | None:
    """A load rating in N, or None; a rating that must be one of kN is asked about."""
    if value is None:
        return None
    read = positive(value, what)
    if read < 100.0:
        warn(f"{what} is {read:g} N: is it in N? 69.3 kN is 69.3e3")
    return read


def read_diameter(value: object, what: str) -> float:
    """m; one that must be in mm is asked about."""
    read = positive(value, what)
    if read > 15.0:
        warn(f"{what} is {read:g} m: is it in m? 277.5 mm is 0.2775")
    return read


def read_angle(value: object, what: str, largest: float = math.pi / 2) -> float:
    """rad, above zero; one that must be in degrees is refused."""
    read = positive(value, what)
    if read > largest:
        raise ModelError(f"{what} is {read:g} rad: expected at most {largest:.4g} rad; from degrees: "
                         f"np.radians({read:g})")
    return read


def read_length(value: object, what: str) -> float:
    """m, either way; one that must be in mm is asked about."""
    read = number(value, what)
    if abs(read) > 15.0:
        warn(f"{what} is {read:g} m: is it in m? 35 mm is 0.035")
    return read


def needs_turning(part: str, place: Place) -> None:
    """Refuse joints that do not turn about a single axis; one that is locked only holds, and may."""
    if place.has_axis and (place.turns or not place.moves):
        return
    if place.has_axis:
        raise ModelError(f"joint '{place.joint}' slides: {part} is for a joint that turns about "
                         "one axis; lp.LinearGuide is for slides")
    raise ModelError(f"joint '{place.joint}' is fixed or has several freedoms: {part} is for a "
                     f"joint that turns about one axis; robot.without_parts('{place.joint}') takes it off")


NOTED_SHARE = 0.1
"""Share of the travel in small swings from which on it is noted."""
STILL_SWING = 1e-9
"""rad (of slides m): swings below it are the rounding of positions that do not change."""

Along = Callable[[Floats, Floats], Floats]
"""Of a force and torque (3,) each: six numbers whose product with them is the equivalent load."""


@dataclass(frozen=True)
class Rating:
    """The numbers of one bearing that its life and static safety need."""

    C: float | None
    C0: float | None
    exponent: float
    load_factor: float
    static_safety: float
    reliability: float
    life_factor: float
    rated_travel: float = 1e6 * 2.0 * math.pi
    """rad, of slides m: how far the rating C holds."""
    of: str = ""
    """Which bearing of several, in the names of the checks, as " of a"."""

    @property
    def life_check(self) -> str:
        """Name of the check of its life."""
        return f"life {life_name(self.reliability)}{self.of}"

    @property
    def static_check(self) -> str:
        """Name of the check of its static safety."""
        return f"static safety{self.of}"

    @property
    def adjusted(self) -> float:
        """a1 times the user's own factor a_ISO."""
        return reliability_factor(self.reliability) * self.life_factor


@dataclass(eq=False)
class Life:
    """Takes in equivalent loads, block by block."""

    rating: Rating
    weight: float = 0.0
    """Share of all time that was seen: states that are not numbers are left out of the means."""
    turned: float = 0.0
    """Sum of |speed| times weight."""
    powered: float = 0.0
    """Sum of |speed| P^p times weight."""
    hardest: Largest = field(default_factory=Largest)
    """The sample that adds most to `powered`."""
    heaviest: Largest = field(default_factory=Largest)
    """The largest static equivalent load."""
    largest_dynamic: float = 0.0

    def add(self, loads: JointLoads, dynamic: Floats, static: Floats) -> None:
        """A block of samples: equivalent loads (samples,), N."""
        turned = np.abs(loads.speed) * loads.weight
        added = turned * dynamic**self.rating.exponent
        self.weight += float(loads.weight.sum())
        self.turned += float(turned.sum())
        self.powered += float(added.sum())
        self.largest_dynamic = max(self.largest_dynamic, float(dynamic.max(initial=0.0)))
        self.hardest.add(added, loads)
        self.heaviest.add(static, loads)

    @property
    def speed(self) -> float:
        """rad/s (of slides m/s): mean of the speed's magnitude over all time that was seen."""
        return self.turned / self.weight if self.turned else 0.0

    @property
    def mean(self) -> float:
        """N: the constant load of the same life, the load factor included (catalogues: mean load)."""
        if self.turned == 0.0:
            return 0.0
        return self.rating.load_factor * float((self.powered / self.turned) ** (1.0 / self.rating.exponent))

    def hours_at(self, load: float) -> float:
        """Life in hours under a constant load (N, with its load factor), at the mean speed of the motion."""
        if self.rating.C is None or self.speed == 0.0 or load == 0.0:
            return math.inf
        ratio = self.rating.C / load
        travel = self.rating.adjusted * self.rating.rated_travel * ratio**self.rating.exponent  # ISO 281, (1), (31)
        return float(travel / self.speed / 3600.0)

    @property
    def hours(self) -> float:
        """Life in hours of this duty."""
        return self.hours_at(self.mean)

    def life_check(self, required_hours: float | None, swings: Swings, along: Along, notes: list[str]) -> Check:
        """Mean load against what may be carried for the required hours."""
        rating = self.rating
        name = rating.life_check
        if rating.C is None:
            return not_checked(name, "no C given, the dynamic load rating", "N")
        stands = self.turned == 0.0 or (swings.known and swings.largest < STILL_SWING)
        if swings.known and not stands and swings.largest < swings.critical:
            return not_checked(name, f"swings {swings.said(swings.largest)} at most, less than the {swings.named} of "
                               f"{swings.said(swings.critical)}: ratings do not cover the wear by small oscillation; "
                               f"a smaller {swings.named} counts them", "N")
        mean, hours = (0.0, math.inf) if stands else (self.mean, self.hours)
        if stands:
            notes = [f"does not {'turn' if swings.turning else 'move'}: static safety decides", *notes]
        elif swings.known and swings.small_share > NOTED_SHARE:
            notes = [*notes, f"{100 * swings.small_share:.0f} % of the travel is in swings below "
                     f"{swings.said(swings.critical)}, whose wear ratings do not cover"]
        capacity = utilisation = math.nan
        if required_hours is None:
            notes = ["no hours are asked for", *notes]
        elif math.isinf(hours):
            capacity, utilisation = rating.C, 0.0
        else:
            capacity = mean * (hours / required_hours) ** (1.0 / rating.exponent)
            utilisation = mean / capacity
        return Check(name, mean, capacity, "N", utilisation, self.hardest.at, self._scaled(self.hardest, along, mean),
                     hours, "; ".join(notes))

    def static_check(self, along: Along, notes: list[str]) -> Check:
        """Largest static equivalent load against the static rating (ISO 76)."""
        rating, name = self.rating, self.rating.static_check
        if rating.C0 is None:
            return not_checked(name, "no C0 given, the static load rating", "N")
        demand = max(self.heaviest.value, 0.0)
        capacity = rating.C0 / rating.static_safety
        safety = rating.C0 / demand if demand > 0 else math.inf
        said = [f"C0/P0 = {safety:.3g}, required {rating.static_safety:.3g}", *notes]
        return Check(name, demand, capacity, "N", demand / capacity, self.heaviest.at,
                     self._scaled(self.heaviest, along, demand), note="; ".join(said))

    @staticmethod
    def _scaled(worst: Largest, along: Along, demand: float) -> Direction | None:
        """The direction of the load at the deciding instant, such that the causes there sum to the demand: a mean is
        shared among causes as the load of the instant that adds most to it.
        """
        if worst.at is None or demand == 0.0:
            return None
        direction = along(worst.force, worst.torque)
        there = float(direction @ np.concatenate([worst.force, worst.torque]))
        if there <= 0.0:
            return None
        return along_six(direction * (demand / there))
