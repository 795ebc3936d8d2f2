"""Bearings that carry force and tilting moment by themselves: crossed roller bearings and slewing rings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from loadpath.errors import ModelError
from loadpath.loads.resultants import unit_or_zero
from loadpath.parts.bearings.life import (
    BALLS,
    ROLLERS,
    STILL_SWING,
    Life,
    Rating,
    Swings,
    needs_turning,
    read_angle,
    read_diameter,
    read_length,
    read_rating,
    read_reliability,
)
from loadpath.parts.catalogue import titled
from loadpath.parts.part import Check, JointLoads, Largest, Part, Place, Rule, along_six
from loadpath.robot.measures import measures
from loadpath.robot.numbers import positive
from loadpath.scalars.types import Floats

# IKO, needle roller bearing catalogue, crossed roller bearings, p. 428, eq. (1), (2), table 5; Harmonic Drive, FHA-C,
# eq. (5), (6), (9); THK 382-3E, the same.
LIMIT, X_BELOW, Y_BELOW, X_ABOVE, Y_ABOVE = 1.5, 1.0, 0.45, 0.67, 0.67
Y_STATIC = 0.44
TILTING = "tilting moment"


@dataclass(frozen=True, kw_only=True)
class CrossedRollerBearing(Part):
    """A crossed roller bearing at a joint that turns: one bearing takes force and tilting moment.

    `C` and `C0` (N) are its dynamic and static radial load ratings and `dp` (m) the pitch circle diameter of the
    rollers, as in its catalogue. `offset` (m) is where its middle is, from the joint's origin along the joint's axis.
    `load_factor` (catalogues: f_w) multiplies the load for its life: 1 to 1.2 smooth, 1.2 to 1.5 usual, 1.5 to 3 with
    shock. `static_safety` is what C0/P0 must be at least, `reliability` the share of bearings that reach the life
    (0.9: L10), `life_factor` the a_ISO of ISO 281 (or a temperature factor to the power 10/3). Swings below
    `critical_angle` (rad, from reversal to reversal) are not covered by its life. `permitted_moment` (N m) is checked
    if given.

    P = X (F_r + 2 M / d_p) + Y F_a with X, Y = 1, 0.45 for F_a <= 1.5 (F_r + 2 M / d_p), else 0.67, 0.67;
    P_0 = F_r + 2 M / d_p + 0.44 F_a; L = 10^6 (C / (f_w P))^(10/3) revolutions.

    >>> ring = CrossedRollerBearing(C=69.3e3, C0=150e3, dp=0.2775)
    >>> round(ring.dynamic_load(radial=2000.0, axial=1500.0, moment=400.0), 1)
    5557.9
    """

    kind: ClassVar[str] = "crossed roller bearing"
    C: float | None = field(default=None, metadata=measures("force"))
    C0: float | None = field(default=None, metadata=measures("force"))
    dp: float = field(metadata=measures("length"))
    offset: float = field(default=0.0, metadata=measures("length"))
    load_factor: float = field(default=1.0, metadata=measures("plain number"))
    static_safety: float = field(default=1.0, metadata=measures("plain number"))
    reliability: float = field(default=0.9, metadata=measures("share"))
    life_factor: float = field(default=1.0, metadata=measures("plain number"))
    critical_angle: float = field(default=math.radians(5.0), metadata=measures("angle"))
    """Harmonic Drive SE, SHG series (1021387), 4.7.1: fretting below 5 degrees."""
    permitted_moment: float | None = field(default=None, metadata=measures("torque"))
    name: str = ""

    def __post_init__(self) -> None:
        of, put = f"of {titled(self)}", object.__setattr__
        put(self, "C", read_rating(self.C, f"dynamic load rating C {of}"))
        put(self, "C0", read_rating(self.C0, f"static load rating C0 {of}"))
        put(self, "dp", read_diameter(self.dp, f"pitch diameter dp {of}"))
        put(self, "offset", read_length(self.offset, f"offset {of}"))
        for key in ("load_factor", "static_safety", "life_factor"):
            put(self, key, positive(getattr(self, key), f"{key} {of}"))
        put(self, "reliability", read_reliability(self.reliability, of))
        put(self, "critical_angle", read_angle(self.critical_angle, f"critical_angle {of}", math.pi))
        if self.permitted_moment is not None:
            put(self, "permitted_moment", positive(self.permitted_moment, f"permitted_moment {of}"))

    @property
    def exponent(self) -> float:
        """Of the life: 10/3 for rollers, 3 for balls."""
        return ROLLERS

    def dynamic_load(self, radial: float, axial: float, moment: float) -> float:
        """P, N: of a radial and axial force (N) and a tilting moment (N m) at the bearing, magnitudes.

        >>> ring = CrossedRollerBearing(C=69.3e3, C0=150e3, dp=0.2)
        >>> ring.dynamic_load(radial=0.0, axial=1000.0, moment=0.0)
        670.0
        """
        return float(_dynamic(np.asarray(radial + 2.0 * moment / self.dp), np.asarray(axial)))

    def static_load(self, radial: float, axial: float, moment: float) -> float:
        """P0, N: of a radial and axial force (N) and a tilting moment (N m) at the bearing, magnitudes.

        >>> CrossedRollerBearing(C0=150e3, dp=0.2).static_load(radial=0.0, axial=1000.0, moment=0.0)
        440.0
        """
        return radial + 2.0 * moment / self.dp + Y_STATIC * axial

    def examiner(self, place: Place) -> RingExaminer:
        """Takes in the loads of a joint that turns; others are refused."""
        needs_turning(titled(self), place)
        return RingExaminer(self, place)


@dataclass(frozen=True, kw_only=True)
class SlewingBearing(CrossedRollerBearing):
    """A slewing ring with radial load ratings: as `lp.CrossedRollerBearing`, of rollers or of balls.

    `rolling` is "rollers" or "balls", which decides the exponent of the life: 10/3 or 3. Rings whose catalogue has a
    limiting moment are checked against it as `permitted_moment`.

    >>> SlewingBearing(C=120e3, C0=250e3, dp=0.4, rolling="balls").exponent
    3.0
    """

    kind: ClassVar[str] = "slewing bearing"
    rolling: str = "rollers"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rolling not in ("rollers", "balls"):
            raise ModelError(f"rolling of {titled(self)} is {self.rolling!r}: expected 'rollers' or "
                             "'balls'")

    @property
    def exponent(self) -> float:
        """Of the life: 10/3 for rollers, 3 for balls."""
        return BALLS if self.rolling == "balls" else ROLLERS


def _dynamic(together: Floats, axial: Floats) -> Floats:
    """P from F_r + 2 M / d_p and F_a."""
    below = axial <= LIMIT * together
    return np.where(below, X_BELOW * together + Y_BELOW * axial, X_ABOVE * together + Y_ABOVE * axial)


class RingExaminer:
    """The loads of a joint at a ring, and what they make of it."""

    def __init__(self, ring: CrossedRollerBearing, place: Place) -> None:
        self.ring, self.axis = ring, place.axis
        rating = Rating(ring.C, ring.C0, ring.exponent, ring.load_factor, ring.static_safety, ring.reliability,
                        ring.life_factor)
        self.life, self.swings, self.moment = Life(rating), Swings(ring.critical_angle), Largest()
        self.rules = {
            rating.life_check: Rule("life", self.dynamic_load, ring.load_factor, ring.exponent),
            rating.static_check: Rule("largest", self.static_load),
            TILTING: Rule("largest", self.tilting_moment),
        }
        self._last: tuple[JointLoads, tuple[Floats, Floats, Floats]] | None = None
        self.powers = np.zeros(3)  # of radial force, axial force and moment apart: the catalogue's mean of parts

    def add(self, loads: JointLoads) -> None:
        """The next block of samples."""
        radial, axial, moment = self._of(loads)
        self.life.add(loads, self.dynamic_load(loads), self.static_load(loads))
        self.swings.add(loads)
        self.moment.add(moment, loads)
        turned = np.abs(loads.speed) * loads.weight
        self.powers += [float(turned @ part**self.ring.exponent) for part in (radial, axial, moment)]

    def dynamic_load(self, loads: JointLoads) -> Floats:
        """P of every sample, N."""
        radial, axial, moment = self._of(loads)
        return _dynamic(radial + 2.0 * moment / self.ring.dp, axial)

    def static_load(self, loads: JointLoads) -> Floats:
        """P0 of every sample, N."""
        radial, axial, moment = self._of(loads)
        return radial + 2.0 * moment / self.ring.dp + Y_STATIC * axial

    def tilting_moment(self, loads: JointLoads) -> Floats:
        """N m, of every sample."""
        return self._of(loads)[2]

    def _of(self, loads: JointLoads) -> tuple[Floats, Floats, Floats]:
        """The components of a block, which several checks ask for one after the other."""
        if self._last is None or self._last[0] is not loads:
            self._last = loads, self._components(loads.force, loads.torque)
        return self._last[1]

    def checks(self, required_hours: float | None) -> list[Check]:
        """Life, static safety, and the tilting moment where one is permitted."""
        self.swings.end()
        notes = [] if self.swings.known and self.swings.largest < STILL_SWING else self._notes()
        found = [self.life.life_check(required_hours, self.swings, self._along_dynamic, notes),
                 self.life.static_check(self._along_static, [])]
        if self.ring.permitted_moment is not None:
            most, permitted = max(self.moment.value, 0.0), self.ring.permitted_moment
            along = self._forms(self.moment.force, self.moment.torque)[2]
            found.append(Check(TILTING, most, permitted, "N m", most / permitted, self.moment.at,
                               along_six(along) if most else None))
        return found

    def mean_of_parts(self) -> float:
        """N: the catalogue's mean load, from means of the radial force, the axial force and the moment by themselves
        (Harmonic Drive CSF-2UH, eq. 11 to 16). Parts that do not peak together make it too large.
        """
        if self.life.speed == 0.0:
            return 0.0
        radial, axial, moment = (self.powers / self.life.turned) ** (1.0 / self.ring.exponent)
        return self.ring.load_factor * float(_dynamic(radial + 2.0 * moment / self.ring.dp, axial))

    def _notes(self) -> list[str]:
        load = self.mean_of_parts()
        if load == 0.0 or self.ring.C is None:
            return []
        return [f"with the catalogue's means of each component P = {load:.4g} N, {self.life.hours_at(load):.4g} h"]

    def _components(self, force: Floats, torque: Floats) -> tuple[Floats, Floats, Floats]:
        """Magnitudes of radial force, axial force and tilting moment at the bearing's middle, (samples,)."""
        axis = self.axis
        axial = force @ axis
        radial = np.linalg.norm(force - axial[..., None] * axis, axis=-1)
        there = torque - np.cross(self.ring.offset * axis, force)
        moment = np.linalg.norm(there - (there @ axis)[..., None] * axis, axis=-1)
        return radial, np.abs(axial), moment

    def _forms(self, force: Floats, torque: Floats) -> tuple[Floats, Floats, Floats]:
        """The three components at one instant as six numbers each, whose products with the wrench they are."""
        axis, arm = self.axis, self.ring.offset * self.axis
        axial = float(force @ axis)
        there = torque - np.cross(arm, force)
        across, tilt = force - axial * axis, there - float(there @ axis) * axis
        direction, turn = unit_or_zero(across), unit_or_zero(tilt)
        # turn . (torque - arm x force) = turn . torque - (turn x arm) . force
        none, sense = np.zeros(3), math.copysign(1.0, axial)
        return (np.concatenate([direction, none]), np.concatenate([sense * axis, none]),
                np.concatenate([-np.cross(turn, arm), turn]))

    def _along_dynamic(self, force: Floats, torque: Floats) -> Floats:
        radial, axial, moment = self._forms(force, torque)
        wrench = np.concatenate([force, torque])
        together = radial + 2.0 / self.ring.dp * moment
        if float(axial @ wrench) <= LIMIT * float(together @ wrench):
            return self.ring.load_factor * (X_BELOW * together + Y_BELOW * axial)
        return self.ring.load_factor * (X_ABOVE * together + Y_ABOVE * axial)

    def _along_static(self, force: Floats, torque: Floats) -> Floats:
        radial, axial, moment = self._forms(force, torque)
        return radial + 2.0 / self.ring.dp * moment + Y_STATIC * axial
