"""Two bearings on one axis: deep-groove, angular contact or tapered, which share a joint's force and tilting moment."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import numpy as np

from loadpath.errors import ModelError
from loadpath.parts.bearings.life import (
    BALLS,
    ROLLERS,
    Along,
    Life,
    Rating,
    Swings,
    needs_turning,
    read_angle,
    read_length,
    read_rating,
    read_reliability,
)
from loadpath.parts.part import Check, JointLoads, Part, Place, Rule
from loadpath.robot.measures import measures
from loadpath.robot.numbers import numbers, positive
from loadpath.scalars.types import Floats

# How two bearings on an axis share force and tilting moment, and what they make of it.

# Factors of equivalent loads: ISO 281, table 3 (balls) and table 8 (rollers), and ISO 76, tables 2 and 3.


# ISO 281:2007, table 3, single-row radial contact: e and Y by f0 Fa / C0r; X = 0.56.
DEEP_GROOVE_LOADS = np.array([0.172, 0.345, 0.689, 1.03, 1.38, 2.07, 3.45, 5.17, 6.89])
DEEP_GROOVE_E = np.array([0.19, 0.22, 0.26, 0.28, 0.30, 0.34, 0.38, 0.42, 0.44])
DEEP_GROOVE_Y = np.array([2.30, 1.99, 1.71, 1.55, 1.45, 1.31, 1.15, 1.04, 1.00])
F0_OF_OLD_TABLES = 12.3
"""Catalogues without f0 have the same table by Fa / C0: 0.172 / 0.014."""

# The same table, contact angle 15 degrees; X = 0.44 (Koyo, Ball & roller bearings, B 20, the same).
FIFTEEN = math.radians(15.0)
FIFTEEN_LOADS = np.array([0.178, 0.357, 0.714, 1.07, 1.43, 2.14, 3.57, 5.35, 7.14])
FIFTEEN_E = np.array([0.38, 0.40, 0.43, 0.46, 0.47, 0.50, 0.55, 0.56, 0.56])
FIFTEEN_Y = np.array([1.47, 1.40, 1.30, 1.23, 1.19, 1.12, 1.02, 1.00, 1.00])

# The same table, contact angles from 20 degrees on, whatever the load (30 and 40 degrees: Koyo, B 20, the same).
ANGLES = np.radians([20.0, 25.0, 30.0, 35.0, 40.0, 45.0])
ANGULAR_E = np.array([0.57, 0.68, 0.80, 0.95, 1.14, 1.34])
ANGULAR_X = np.array([0.43, 0.41, 0.39, 0.37, 0.35, 0.33])
ANGULAR_Y = np.array([1.00, 0.87, 0.76, 0.66, 0.57, 0.50])
# ISO 76:2006, table 2: X0 = 0.5.
ANGULAR_Y0 = np.array([0.42, 0.38, 0.33, 0.29, 0.26, 0.22])
FIFTEEN_Y0 = 0.46


@dataclass(frozen=True, eq=False)
class Factors:
    """e, X and Y of a single-row bearing: P = F_r for F_a <= e F_r, else X F_r + Y F_a; P0 = max(F_r, X0 F_r + Y0 F_a).

    `loads`, if there are, are values of f0 F_a / C0 at which `e` and `Y` hold: between them they are linear.
    """

    e: Floats
    X: float
    Y: Floats
    X0: float
    Y0: float
    loads: Floats | None = None
    per_newton: float = 0.0
    """f0 / C0."""

    def at(self, axial: Floats) -> tuple[Floats, Floats]:
        """e and Y under axial forces (N)."""
        if self.loads is None:
            return self.e, self.Y
        relative = self.per_newton * axial
        return np.interp(relative, self.loads, self.e), np.interp(relative, self.loads, self.Y)

    def shares(self, radial: Floats, axial: Floats) -> tuple[Floats, Floats]:
        """By how much radial and axial force enter P: X and Y, or 1 and 0."""
        e, Y = self.at(axial)
        beyond = axial > e * radial
        return np.where(beyond, self.X, 1.0), np.where(beyond, Y, 0.0)

    def static_shares(self, radial: Floats, axial: Floats) -> tuple[Floats, Floats]:
        """By how much radial and axial force enter P0."""
        beyond = self.X0 * radial + self.Y0 * axial > radial
        return np.where(beyond, self.X0, 1.0), np.where(beyond, self.Y0, 0.0)


def deep_groove(C0: float | None, f0: float | None) -> Factors:
    """Of deep-groove ball bearings. Without C0 the smallest row of the table, which is on the safe side."""
    per_newton = 0.0 if C0 is None else (F0_OF_OLD_TABLES if f0 is None else f0) / C0
    return Factors(DEEP_GROOVE_E, 0.56, DEEP_GROOVE_Y, 0.6, 0.5, DEEP_GROOVE_LOADS, per_newton)


def angular_contact(angle: float, C0: float | None, f0: float | None, of: str) -> Factors:
    """Of angular contact ball bearings, by their contact angle (rad)."""
    if abs(angle - FIFTEEN) < 1e-3:
        per_newton = 0.0 if C0 is None else (F0_OF_OLD_TABLES if f0 is None else f0) / C0
        return Factors(FIFTEEN_E, 0.44, FIFTEEN_Y, 0.5, FIFTEEN_Y0, FIFTEEN_LOADS, per_newton)
    if not ANGLES[0] - 1e-3 <= angle <= ANGLES[-1] + 1e-3:
        raise ModelError(f"contact_angle {of} is {math.degrees(angle):.4g} degrees: expected 15, or from 20 to 45 "
                         "(ISO 281, table 3); of others give the catalogue's factors=(e, X, Y) and "
                         "static_factors=(X0, Y0)")
    e, X, Y, Y0 = (float(np.interp(angle, ANGLES, row)) for row in (ANGULAR_E, ANGULAR_X, ANGULAR_Y, ANGULAR_Y0))
    return Factors(np.asarray(e), X, np.asarray(Y), 0.5, Y0)


def tapered(angle: float) -> Factors:
    """Of single-row tapered roller bearings, by their contact angle (rad): ISO 281, table 8, ISO 76, table 3."""
    cot = 1.0 / math.tan(angle)
    return Factors(np.asarray(1.5 / cot), 0.4, np.asarray(0.4 * cot), 0.5, 0.22 * cot)


def catalogue_factors(given: object, static: object, of: str) -> Factors:
    """(e, X, Y) and (X0, Y0) of a catalogue; without the latter P0 counts both forces in full."""
    e, X, Y = (positive(each, f"factors {of}") for each in numbers(given, f"factors {of}", 3))
    X0, Y0 = (1.0, 1.0) if static is None else numbers(static, f"static_factors {of}", 2)
    return Factors(np.asarray(e), X, np.asarray(Y), X0, Y0)


def angle_of_taper(Y: float) -> float:
    """Contact angle (rad) from the factor Y of the catalogue, Y = 0.4 cot(angle).

    >>> round(math.degrees(angle_of_taper(1.6)), 2)
    14.04
    """
    return math.atan2(0.4, Y)


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

    def equivalent(self, radial: Floats, axial: Floats, *, static: bool) -> Floats:
        """P0 (static) or P, N, of radial and axial loads."""
        X, Y = (self.factors.static_shares if static else self.factors.shares)(radial, axial)
        return X * radial + Y * axial

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
        self.rules: dict[str, Rule] = {}
        for k, single in enumerate(self.singles):
            rating = single.rating
            self.rules[rating.life_check] = Rule("life", partial(self._equivalent, k, static=False),
                                                 rating.load_factor, rating.exponent)
            self.rules[rating.static_check] = Rule("largest", partial(self._equivalent, k, static=True))

    def add(self, loads: JointLoads) -> None:
        """The next block of samples."""
        self.swings.add(loads)
        radials, axials = self._shared(loads)
        for k, (single, life) in enumerate(zip(self.singles, self.lives, strict=True)):
            life.add(loads, single.equivalent(radials[k], axials[k], static=False),
                     single.equivalent(radials[k], axials[k], static=True))
            self.most_axial[k] = max(self.most_axial[k], float(axials[k].max(initial=0.0)))

    def _shared(self, loads: JointLoads) -> tuple[list[Floats], list[Floats]]:
        """Radial and axial loads of a and b, (samples,) each, magnitudes."""
        radials = [np.linalg.norm(reaction, axis=-1) for reaction in self._reactions(loads.force, loads.torque)]
        return radials, self._axials(loads.force @ self.axis, radials)

    def _equivalent(self, k: int, loads: JointLoads, *, static: bool) -> Floats:
        radials, axials = self._shared(loads)
        return self.singles[k].equivalent(radials[k], axials[k], static=static)

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


KINDS = ("deep groove", "angular contact", "tapered")
ARRANGEMENTS = ("back-to-back", "face-to-face")

OneOrTwo: TypeAlias = "float | tuple[float, float] | None"
"""A number of both bearings, or one of each, in the order of `spacing`."""


@dataclass(frozen=True, kw_only=True)
class BearingPair(Part):
    """Two single-row bearings, a and b, on the axis of a joint that turns.

    `spacing` (m) is where they are from the joint's origin along its axis: (a, b). Of angular contact and tapered
    bearings these are the load centers, where the contact lines meet the axis (in catalogues: dimension a). `kind` is
    "deep groove", "angular contact" or "tapered". `C` and `C0` (N) are load ratings, one number for both or two.

    Deep-groove: the axial force goes to the `locating` bearing, "a" or "b"; `f0` is the catalogue's factor (older ones
    have none: 12.3). Angular contact and tapered: `contact_angle` (rad), or of tapered ones `Y` of the catalogue;
    `arrangement` is "back-to-back" (O) or "face-to-face" (X), and `shaft` says whose the inner rings are, "child" or
    "parent". Each presses the other by `induced` times its radial load, 0.5 / Y unless given (NSK: 0.6 / Y; SKF, 40
    degrees: 1.14), without preload and play. `factors=(e, X, Y)` and `static_factors=(X0, Y0)` of a catalogue replace
    those of ISO 281 and ISO 76. The rest is as in `lp.CrossedRollerBearing`.

    >>> pair = BearingPair(spacing=(-0.02, 0.03), C=29.1e3, C0=17.9e3, kind="deep groove", f0=14.0)
    >>> X, Y = pair.bearings[0].factors.shares(2500.0, 1000.0)
    >>> print(X, Y.round(2))
    0.56 1.67
    """

    kind: str  # type: ignore[misc]  # of other parts a word of the class
    spacing: tuple[float, float] = field(metadata=measures("length"))
    C: OneOrTwo = field(default=None, metadata=measures("force"))
    C0: OneOrTwo = field(default=None, metadata=measures("force"))
    contact_angle: OneOrTwo = field(default=None, metadata=measures("angle"))
    Y: OneOrTwo = field(default=None, metadata=measures("plain number"))
    f0: OneOrTwo = field(default=None, metadata=measures("plain number"))
    factors: tuple[float, float, float] | None = field(default=None, metadata=measures("plain number"))
    static_factors: tuple[float, float] | None = field(default=None, metadata=measures("plain number"))
    induced: OneOrTwo = field(default=None, metadata=measures("plain number"))
    arrangement: str = "back-to-back"
    shaft: str = "child"
    locating: str = "a"
    load_factor: float = field(default=1.0, metadata=measures("plain number"))
    static_safety: float = field(default=1.0, metadata=measures("plain number"))
    reliability: float = field(default=0.9, metadata=measures("share"))
    life_factor: float = field(default=1.0, metadata=measures("plain number"))
    critical_angle: float = field(default=math.radians(5.0), metadata=measures("angle"))
    name: str = ""

    def __post_init__(self) -> None:
        of, put = self._of, object.__setattr__
        a, b = numbers(self.spacing, f"spacing {of}", 2)
        put(self, "spacing", (read_length(a, f"spacing {of}"), read_length(b, f"spacing {of}")))
        if a == b:
            raise ModelError(f"spacing {of} is ({a:g}, {b:g}): expected two places, else no moment is carried")
        self._choice("kind", KINDS)
        self._choice("arrangement", ARRANGEMENTS)
        self._choice("shaft", ("child", "parent"))
        self._choice("locating", ("a", "b"))
        for key in ("load_factor", "static_safety", "life_factor"):
            put(self, key, positive(getattr(self, key), f"{key} {of}"))
        put(self, "reliability", read_reliability(self.reliability, of))
        put(self, "critical_angle", read_angle(self.critical_angle, f"critical_angle {of}", math.pi))
        self._refuse_foreign()
        for key in ("C", "C0", "contact_angle", "Y", "f0", "induced"):
            one, other = (self._number(key, k) for k in range(2))
            put(self, key, (one, other) if isinstance(getattr(self, key), Iterable) else one)
        for key in ("factors", "static_factors"):
            if getattr(self, key) is not None:
                put(self, key, numbers(getattr(self, key), f"{key} {of}"))
        _ = self.bearings  # so that what cannot be read is refused here

    @property
    def label(self) -> str:
        """Its name in tables: the user's, else what it is."""
        return self.name or f"pair of {self.kind} bearings"

    @property
    def exponent(self) -> float:
        """Of the life: 3 for balls, 10/3 for rollers."""
        return ROLLERS if self.kind == "tapered" else BALLS

    @property
    def weibull(self) -> float:
        """Exponent of the scatter of lives: 10/9 for balls, 9/8 for rollers (NTN 2202, eq. 3.6)."""
        return 9.0 / 8.0 if self.kind == "tapered" else 10.0 / 9.0

    @property
    def bearings(self) -> tuple[Single, Single]:
        """The two bearings, a and b, with all their numbers."""
        first, second = (self._single(k) for k in range(2))
        return first, second

    @property
    def upper_sense(self) -> float:
        """+1 if the bearing farther along the axis can push the child along the axis, -1 if against it.

        Back-to-back, the load center of the farther bearing is beyond it, and its outer ring pushes the inner ring
        towards that center.
        """
        sense = 1.0 if self.arrangement == "back-to-back" else -1.0
        return sense if self.shaft == "child" else -sense

    def examiner(self, place: Place) -> PairExaminer:
        """Takes in the loads of a joint that turns; others are refused."""
        needs_turning(self._titled, place)
        return PairExaminer(self, place)

    @property
    def _of(self) -> str:
        return f"of {self._titled}"

    @property
    def _titled(self) -> str:
        return f"bearing pair '{self.name}'" if self.name else f"a pair of {self.kind} bearings"

    def _choice(self, key: str, choices: tuple[str, ...]) -> None:
        value = getattr(self, key)
        if value not in choices:
            expected = " or ".join(repr(each) for each in choices)
            raise ModelError(f"{key} {self._of} is {value!r}: expected {expected}")

    def _refuse_foreign(self) -> None:
        """Numbers that this kind does not use are refused: they were meant to count."""
        unused = {"deep groove": ("contact_angle", "Y", "induced"), "angular contact": ("Y",), "tapered": ("f0",)}
        for key in unused[self.kind]:
            if getattr(self, key) is not None:
                raise ModelError(f"{key} {self._of} is given, but {self.kind} bearings have none: leave it out")

    def _number(self, key: str, k: int) -> float | None:
        """That of bearing a (0) or b (1)."""
        value = getattr(self, key)
        if isinstance(value, Iterable) and not isinstance(value, str):
            several = list(value)
            if len(several) != 2:
                raise ModelError(f"{key} {self._of} has {len(several)} numbers: expected one, or two for a and b")
            value = several[k]
        return None if value is None else positive(value, f"{key} {self._of}")

    def _single(self, k: int) -> Single:
        letter = "ab"[k]
        C, C0 = (read_rating(self._number(key, k), f"{key} {self._of}") for key in ("C", "C0"))
        factors = self._factors(k, C0)
        induced = self._number("induced", k)
        if induced is None and self.kind != "deep groove":
            induced = 0.5 / float(factors.Y) if factors.loads is None else None
        rating = Rating(C, C0, self.exponent, self.load_factor, self.static_safety, self.reliability, self.life_factor,
                        of=f" of {letter}")
        return Single(rating, factors, self.spacing[k], induced)

    def _factors(self, k: int, C0: float | None) -> Factors:
        of, angle = f"{self._of} ({'ab'[k]})", self._number("contact_angle", k)
        if self.factors is not None:
            return catalogue_factors(self.factors, self.static_factors, of)
        if self.static_factors is not None:
            raise ModelError(f"static_factors {of} are given without factors=(e, X, Y): give both of one catalogue")
        if self.kind == "deep groove":
            return deep_groove(C0, self._number("f0", k))
        if self.kind == "tapered" and self.Y is not None:
            if angle is not None:
                raise ModelError(f"contact_angle and Y {of} are given: one follows from the other, leave one out")
            return tapered(angle_of_taper(self._number("Y", k) or 0.0))
        if angle is None:
            other = ", or Y= of the catalogue" if self.kind == "tapered" else ""
            raise ModelError(f"contact_angle {of} is missing: give it in rad, as np.radians(40){other}")
        angle = read_angle(angle, f"contact_angle {of}")
        return tapered(angle) if self.kind == "tapered" else angular_contact(angle, C0, self._number("f0", k), of)
