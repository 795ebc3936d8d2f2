"""Life and static safety of one bearing over a motion: equivalent loads come in, checks come out (ISO 281, ISO 76)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from loadpath.parts.bearings.ratings import life_name, reliability_factor
from loadpath.parts.bearings.swings import Swings
from loadpath.parts.largest import Largest
from loadpath.parts.part import Check, Direction, JointLoads, not_checked
from loadpath.scalars.types import Floats

NOTED_SHARE = 0.1
"""Share of the travel in small swings from which on it is noted."""
STILL = 1e-9
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
        stands = self.turned == 0.0 or (swings.known and swings.largest < STILL)
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
        x, y, z, a, b, c = (float(part) for part in direction * (demand / there))
        return x, y, z, a, b, c
