"""How two bearings on an axis share force and tilting moment, and what they make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.parts.bearings.factors import Factors
from loadpath.parts.bearings.life import Along, Life, Rating
from loadpath.parts.bearings.swings import Swings
from loadpath.parts.part import Check, JointLoads, Place
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.parts.bearings.pair import BearingPair

MUCH_AXIAL = 0.5
"""Of C0: axial loads of deep-groove bearings above it are warned of by catalogues (SKF: pure axial load)."""


LEAST_BALLS, LEAST_ROLLERS = 0.01, 0.02
"""Of C: requisite minimum load (SKF, General Catalogue, Russian edition of 2006, p. 75)."""


@dataclass(frozen=True, eq=False)
class Single:
    """One bearing of the pair."""

    rating: Rating
    factors: Factors
    at: float
    """m: from the joint's origin along its axis."""
    induced: float | None
    """Axial over radial load that it makes by itself; None if it follows from Y at that load."""

    def pressing(self, radial: Floats) -> Floats:
        """N: the axial load that comes of the radial load alone."""
        if self.induced is not None:
            return self.induced * radial
        if self.factors.loads is None:
            return np.zeros_like(radial)
        # Y depends on the axial load that is sought: F = 0.5 Fr / Y(F), which a few rounds settle (Y changes little).
        axial: Floats = 0.5 * radial / float(self.factors.Y[0])
        for _ in range(12):
            axial = 0.5 * radial / self.factors.at(axial)[1]
        return axial


class PairExaminer:
    """The loads of a joint at a pair of bearings."""

    def __init__(self, pair: BearingPair, place: Place) -> None:
        self.pair, self.axis, self.singles = pair, place.axis, pair.bearings
        self.lives = tuple(Life(single.rating) for single in self.singles)
        self.swings = Swings(pair.critical_angle)
        self.most_axial = [0.0, 0.0]

    def add(self, loads: JointLoads) -> None:
        """The next block of samples."""
        self.swings.add(loads)
        radials = [np.linalg.norm(reaction, axis=-1) for reaction in self._reactions(loads.force, loads.torque)]
        axials = self._axials(loads.force @ self.axis, radials)
        for k, (single, life) in enumerate(zip(self.singles, self.lives, strict=True)):
            X, Y = single.factors.shares(radials[k], axials[k])
            X0, Y0 = single.factors.static_shares(radials[k], axials[k])
            life.add(loads, X * radials[k] + Y * axials[k], X0 * radials[k] + Y0 * axials[k])
            self.most_axial[k] = max(self.most_axial[k], float(axials[k].max(initial=0.0)))

    def checks(self, required_hours: float | None) -> list[Check]:
        """Life and static safety of both; the life of the pair is in the notes."""
        self.swings.end()
        notes = self._notes()
        found = [life.life_check(required_hours, self.swings, self._along(k, static=False),
                                 [*notes, *self._light_notes(k)])
                 for k, life in enumerate(self.lives)]
        found += [life.static_check(self._along(k, static=True), self._axial_notes(k))
                  for k, life in enumerate(self.lives)]
        return found

    @property
    def hours(self) -> float:
        """Life of the pair: the first of both to fail, with the same reliability (NTN 2202, eq. 3.6)."""
        e = self.pair.weibull
        total = sum(life.hours**-e for life in self.lives)
        return float(total ** (-1.0 / e)) if total > 0 else np.inf

    def _notes(self) -> list[str]:
        if any(single.rating.C is None for single in self.singles) or not np.isfinite(self.hours):
            return []
        return [f"both together last {self.hours:.4g} h"]

    def _light_notes(self, k: int) -> list[str]:
        """Rolling elements that are hardly loaded slide."""
        rating, life = self.singles[k].rating, self.lives[k]
        least = LEAST_ROLLERS if self.pair.kind == "tapered" else LEAST_BALLS
        if rating.C is None or life.largest_dynamic >= least * rating.C:
            return []
        return [f"never loaded by more than {least:g} C, the least that catalogues ask for: preload it"]

    def _axial_notes(self, k: int) -> list[str]:
        C0 = self.singles[k].rating.C0
        if self.pair.kind != "deep groove" or C0 is None or self.most_axial[k] <= MUCH_AXIAL * C0:
            return []
        return [f"its axial load is {self.most_axial[k] / C0:.2g} C0; catalogues warn of more than {MUCH_AXIAL:g} C0"]

    def _reactions(self, force: Floats, torque: Floats) -> tuple[Floats, Floats]:
        """(..., 3): radial forces of a and b on the child. R_a + R_b = F and a z x R_a + b z x R_b = M, across z."""
        axis, (a, b) = self.axis, self.pair.spacing
        across = force - (force @ axis)[..., None] * axis
        turned = np.cross(torque, axis)  # = a R_a + b R_b
        return (b * across - turned) / (b - a), (turned - a * across) / (b - a)

    def _axials(self, axial: Floats, radials: list[Floats]) -> list[Floats]:
        """Axial loads of a and b, magnitudes, of the axial force on the child and the radial loads."""
        none = np.zeros_like(axial)
        if self.pair.kind == "deep groove":
            return [np.abs(axial), none] if self.pair.locating == "a" else [none, np.abs(axial)]
        own = [single.pressing(radial) for single, radial in zip(self.singles, radials, strict=True)]
        # Each can only push, in opposite senses, and each at least as its own radial load makes it: the smallest pair
        # of loads with push_b - push_a = K (NTN 2202, table 4.5; the same in all catalogues).
        K = self._pushes_b * axial
        return [np.maximum(own[0], own[1] - K), np.maximum(own[1], own[0] + K)]

    @property
    def _pushes_b(self) -> float:
        """+1 if bearing b pushes the child along the axis, -1 if against it."""
        a, b = self.pair.spacing
        return self.pair.upper_sense if b > a else -self.pair.upper_sense

    def _along(self, k: int, *, static: bool) -> Along:
        """Six numbers whose product with the wrench is the equivalent load of bearing k, X and Y as they are there."""

        def along(force: Floats, torque: Floats) -> Floats:
            reactions = self._reactions(force, torque)
            forms, radials = [], []
            for j, reaction in enumerate(reactions):
                length = float(np.linalg.norm(reaction))
                forms.append(self._radial_form(j, reaction / length if length > 0 else np.zeros(3)))
                radials.append(np.asarray(length))
            axials = self._axials(np.asarray(force @ self.axis), radials)
            axial_form = self._axial_form(k, float(force @ self.axis), radials, axials, forms)
            factors = self.singles[k].factors
            shares = factors.static_shares if static else factors.shares
            X, Y = (float(each) for each in shares(radials[k], axials[k]))
            scale = 1.0 if static else self.pair.load_factor
            return scale * (X * forms[k] + Y * axial_form)

        return along

    def _radial_form(self, k: int, direction: Floats) -> Floats:
        """Six numbers of the radial load of bearing k, which acts in this direction."""
        a, b = self.pair.spacing
        # direction . (torque x axis) = (axis x direction) . torque
        turned = np.concatenate([np.zeros(3), np.cross(self.axis, direction)])
        across = np.concatenate([direction, np.zeros(3)])
        return (b * across - turned if k == 0 else turned - a * across) / (b - a)

    def _axial_form(
        self, k: int, axial: float, radials: list[Floats], axials: list[Floats], forms: list[Floats]
    ) -> Floats:
        """Six numbers of the axial load of bearing k."""
        straight = np.concatenate([self.axis, np.zeros(3)])
        if self.pair.kind == "deep groove":
            return np.sign(axial) * straight if float(axials[k]) > 0 else np.zeros(6)
        own = [float(single.pressing(radial)) for single, radial in zip(self.singles, radials, strict=True)]
        pressing = [form * (push / float(radial)) if float(radial) > 0 else np.zeros(6)
                    for form, push, radial in zip(forms, own, radials, strict=True)]
        other = 1 - k
        sense = self._pushes_b if k == 1 else -self._pushes_b
        return pressing[k] if own[k] >= own[other] + sense * axial else pressing[other] + sense * straight
