"""Two bearings on one axis: deep-groove, angular contact or tapered, which share a joint's force and tilting moment."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from loadpath.errors import ModelError
from loadpath.parts.bearings.life import (
    BALLS,
    ROLLERS,
    Rating,
    needs_turning,
    read_angle,
    read_length,
    read_rating,
    read_reliability,
)
from loadpath.parts.bearings.pair_examiner import (
    Factors,
    PairExaminer,
    Single,
    angle_of_taper,
    angular_contact,
    catalogue_factors,
    deep_groove,
    tapered,
)
from loadpath.parts.part import Part, Place
from loadpath.robot.measures import measures
from loadpath.robot.numbers import numbers, positive

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
