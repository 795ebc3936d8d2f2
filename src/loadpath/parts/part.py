"""What a part is: catalogue numbers that know how to be examined. What a check is: a demand against a capacity.

The loads of a motion come to a part in blocks of samples, in the order of time, so that a year's log takes no more
memory than a block. A part therefore gives an *examiner*, which takes in the blocks and in the end returns the checks.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, Self, TypeAlias

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.parts import Fitted
from loadpath.robot.pedigree import pedigree_of, read_pedigree
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.parts.motors.thermal import ThermalModel

DRIVE = "drive"
"""In the place of a direction: causes are measured along the freedom of the drive."""
GEAR = "gear"
"""Likewise, without what the rotor takes: a gear's output does not carry it (`JointLoads.gear`)."""
HOLDING = "holding"
"""Likewise, of the same pose at rest: what a brake must hold (`JointLoads.holding`)."""
GROUND = "ground"
"""In the place of a direction: causes are those of what the ground gives a rover (`wheel_load_breakdown`)."""

Direction: TypeAlias = tuple[float, float, float, float, float, float] | str
"""Six numbers, force first, whose product with the joint wrench is the demand at that instant; or `DRIVE`, `GEAR`,
`HOLDING`, whose causes have the demand for their sum, or its negative: demands of drives are magnitudes; or `GROUND`.
"""


@dataclass(frozen=True, eq=False)
class Place:
    """Where a part sits: a joint, what it is called in tables, and its axis.

    >>> Place("joint2", np.array([0.0, 0.0, 1.0]), turns=True, moves=True).has_axis
    True
    """

    joint: str
    axis: Floats
    """(3,): unit vector along the joint's axis, in the child's joint frame; NaN of a joint without a single one."""
    turns: bool
    """Whether the joint turns about its axis (rad); else it slides along it (m), or does not move."""
    moves: bool
    """Whether it has a freedom along (about) that axis."""

    @property
    def has_axis(self) -> bool:
        """Whether there is a single axis: what lies along and across it is known."""
        return not bool(np.isnan(self.axis).any())


@dataclass(frozen=True, eq=False)
class MotorSide:
    """What the motor of a joint does, (samples,) each: positive torque and speed in the joint's positive sense.

    >>> MotorSide(torque=np.array([0.5]), speed=np.array([100.0]), current=np.array([np.nan])).torque.tolist()
    [0.5]
    """

    torque: Floats
    """N m (N of a linear motor), at the shaft, what accelerates the rotor included."""
    speed: Floats
    """rad/s."""
    current: Floats
    """A; NaN where the torque constant is not known."""
    ratio: float | None = None
    """rad (m) of the motor per rad (m) of the joint. None: not known but by the speeds of both."""

    def ratio_to(self, speed: Floats) -> float | None:
        """Its size: as given, else by these speeds of the joint; None where that says nothing, at rest.

        >>> nothing = np.zeros(2)
        >>> MotorSide(nothing, np.array([0.0, -300.0]), nothing).ratio_to(np.array([0.0, 3.0]))
        100.0
        """
        if self.ratio is not None:
            return abs(self.ratio)
        k = int(np.argmax(np.abs(speed))) if len(speed) else 0
        return abs(float(self.speed[k] / speed[k])) if len(speed) and speed[k] != 0.0 else None


@dataclass(frozen=True, eq=False)
class JointLoads:
    """A block of samples of what a joint carries, in the order of time. Arrays are (samples,) or (samples, 3).

    Forces and torques are exerted by the parent on the child, at the joint's origin, in the child's joint frame.

    >>> import loadpath as lp
    >>> sorted(lp.JointLoads.__dataclass_fields__)[:3]
    ['acceleration', 'axial_force', 'axial_torque']
    """

    motion: int
    """Number of the motion in a spectrum of several; examiners with a memory begin anew where it changes."""
    first: int
    """Number of the first sample in its motion."""
    t: Floats
    """s."""
    weight: Floats
    """Share of each sample in all time of the spectrum; over all blocks of all motions they sum to one."""
    position: Floats
    """rad or m; zeros of joints that do not move."""
    speed: Floats
    acceleration: Floats
    force: Floats
    torque: Floats
    axial_force: Floats
    """Along the axis, with sign, N; NaN without an axis."""
    radial_force: Floats
    """Across it, a magnitude, N."""
    axial_torque: Floats
    """About it, with sign, N m."""
    tilting_moment: Floats
    """Across it, a magnitude, N m."""
    drive: Floats
    """What the drive gives at the joint, N m or N, friction and rotor included; NaN where there is none."""
    motor: MotorSide | None
    """The same on the motor's side, if the joint has a drive train (`robot.with_drives`)."""
    gear: Floats | None = None
    """What the drive's gear gives to the joint: `drive` without what its rotor takes to accelerate, N m or N; NaN where
    there is no drive. None: not known, and gears take `drive`.
    """
    holding: Floats | None = None
    """What the drive would give in the same pose at rest, N m or N: inverse dynamics without speed, acceleration and
    friction, with gravity, payload and springs; NaN where there is no drive. None: not known.
    """
    inertia: Floats | None = None
    """What a torque at the joint accelerates in this pose: the diagonal of the mass matrix, rotors included, kg m^2
    (kg of a joint that slides). None: not known.
    """


@dataclass(frozen=True)
class Instant:
    """When something happens: motion of the spectrum, number of the sample, time in s.

    >>> Instant(motion=0, sample=25, time=0.2).time
    0.2
    """

    motion: int
    sample: int
    time: float


@dataclass(frozen=True)
class Check:
    """A demand against a capacity. `utilisation` above 1 means that the part does not hold.

    A check that could not be made has `demand`, `capacity` and `utilisation` NaN, and `note` says why and what to give:
    "not checked: no peak_torque given".

    >>> check = Check("peak torque", 80.0, 100.0, "N m", 0.8)
    >>> check.checked, check.holds
    (True, True)
    """

    check: str
    """Its name in tables, as "static safety", "life L10", "peak torque"."""
    demand: float
    capacity: float
    unit: str
    utilisation: float
    at: Instant | None = None
    """The instant that decides it; for means and lives, the instant that adds most."""
    along: Direction | None = None
    """How causes are measured at that instant."""
    life_hours: float | None = None
    """Of a life: hours of this duty."""
    note: str = ""

    @property
    def checked(self) -> bool:
        """Whether it could be made."""
        return not math.isnan(self.utilisation)

    @property
    def not_given(self) -> bool:
        """Whether it is of an emergency that nobody described: no motion shows it, only the user knows of it."""
        return not self.checked and self.note.startswith(NOT_GIVEN)

    @property
    def holds(self) -> bool:
        """Whether it was made and the part holds: what was not checked does not."""
        return self.utilisation <= 1.0


def along_six(form: Floats) -> Direction:
    """Six numbers (6,) as a direction."""
    x, y, z, a, b, c = (float(part) for part in form)
    return x, y, z, a, b, c


def not_checked(check: str, why: str, unit: str = "") -> Check:
    """A check that cannot be made.

    >>> not_checked("peak torque", "no peak_torque given").note
    'not checked: no peak_torque given'
    """
    return Check(check, math.nan, math.nan, unit, math.nan, note=f"not checked: {why}")


NOT_GIVEN = "not given: "


def not_given(check: str, why: str, unit: str = "") -> Check:
    """A check of an emergency that nobody described.

    >>> not_given("momentary torque", "what a collision brings").not_given, not_checked("life", "no C given").not_given
    (True, False)
    """
    return Check(check, math.nan, math.nan, unit, math.nan, note=f"{NOT_GIVEN}{why}")


class Examiner(Protocol):
    """Takes in the loads of a joint, block by block, and gives the checks of a part."""

    def add(self, loads: JointLoads) -> None:
        """The next block; samples that are not numbers have been left out."""

    def checks(self, required_hours: float | None) -> list[Check]:
        """What was found; `required_hours` is the life that the user asks for (None: none is asked for)."""


@dataclass(frozen=True)
class Origin:
    """Where the numbers of a part come from.

    >>> str(Origin("catalogue of motors", "2019", "motors.csv, line 3"))
    'catalogue of motors, 2019 (motors.csv, line 3)'
    """

    source: str = ""
    """Catalogue or data sheet."""
    edition: str = ""
    place: str = ""
    """File and line."""
    pedigree: str = ""
    """file, catalogue, measured, estimated or default; not given, it is what the first word of `source` says."""

    def __post_init__(self) -> None:
        for key in ("source", "edition"):
            if not isinstance(getattr(self, key), str):
                raise ModelError(f"{key} of a part is {getattr(self, key)!r}: expected words")
        object.__setattr__(self, "pedigree", read_pedigree(self.pedigree, "pedigree of a part"))

    @property
    def grade(self) -> str:
        """Its pedigree, also where only the source says it; empty where nothing does."""
        return self.pedigree or pedigree_of(self.source) or ("file" if self.place else "")

    @property
    def named(self) -> str:
        """Source and edition."""
        return ", ".join(part for part in (self.source, self.edition) if part)

    def __str__(self) -> str:
        named = self.named
        return f"{named} ({self.place})" if named and self.place else named or self.place


class Part(Fitted, ABC):
    """A part at a joint. Subclasses are frozen dataclasses of catalogue numbers with a last field `name: str = ""`, the
    user's own word for it (as a catalogue's number), and check their numbers when they are made.

    >>> import loadpath as lp
    >>> lp.CrossedRollerBearing(C=5300, C0=6070, dp=0.036, name="RB 3510").label
    'RB 3510'
    """

    kind: ClassVar[str] = "part"
    """What it is, in tables and messages."""
    origin: ClassVar[Origin | None] = None
    """Where its numbers come from, of a part from a table; not a number of the part itself."""
    name: str

    @property
    def label(self) -> str:
        """Its name in tables: the user's, else its kind."""
        return self.name or self.kind

    def with_source(self, source: str, *, edition: str = "", pedigree: str = "", place: str = "") -> Self:
        """The part with where its numbers come from, and how well they are known: `pedigree` is "file", "catalogue",
        "measured", "estimated" or "default"; without it the first word of the source says it, else it is a catalogue.

        >>> import loadpath as lp
        >>> motor = lp.Motor(continuous_torque=1.2).with_source("measured 2026-03, dyno")
        >>> motor.origin.grade, str(motor.origin)
        ('measured', 'measured 2026-03, dyno')
        """
        made = copy(self)  # not made anew: what is to be asked of its numbers was asked
        object.__setattr__(made, "origin", Origin(source, edition, place, pedigree))
        return made

    @abstractmethod
    def examiner(self, place: Place) -> Examiner:
        """Something that takes in the loads at this place."""


# How a check follows from the loads, sample by sample and then as one number: for pages that make it again.


@dataclass(frozen=True, eq=False)
class Rule:
    """A demand as a reduction of a signal: the function of the loads that the examiner itself takes it from.

    | reduction | demand | capacity |
    |---|---|---|
    | largest | the largest of all samples | stays |
    | mean | (sum of w n x^p / sum of w n)^(1/p), w the share of time, n the speed's magnitude | stays |
    | average | sum of w x | stays |
    | rms | (sum of w x^2)^(1/2) | stays |
    | life | as mean | goes with n^(-1/p), n the mean speed: the same hours at another speed |
    | longest | the longest time (s) without a break in which it is above zero | stays |
    | temperature | of a winding (degrees Celsius), whose loss (W) it is, when the motion is repeated for good | stays |

    All are multiplied by `factor`. Of a life, hours go with demand^(-p) / n. With a `limit` the capacity is that of
    the same reduction of `against`: of the largest, the utilisation is that of its worst sample.
    """

    reduction: Literal["largest", "mean", "average", "rms", "life", "longest", "temperature"]
    signal: Callable[[JointLoads], Floats]
    """(samples,) of a block of loads: sums, products, powers, magnitudes, cases; no loops over samples."""
    factor: float = 1.0
    exponent: float = 1.0
    limit: Callable[[Floats], Floats] | None = None
    """The capacity as a function of `against`."""
    against: Callable[[JointLoads], Floats] | None = None
    thermal: ThermalModel | None = None
    """Of a temperature."""
    over_time: bool = False
    """Whether neighbours in time count, so that all samples of one motion must be there, in their order."""
    among: tuple[str, ...] = ()
    """Names of checks of which only the one with the largest demand is reported: each has its rule."""

    @property
    def of_samples(self) -> bool:
        """Whether it is a plain reduction of samples against a capacity that stays, or is a life."""
        return self.limit is None and self.thermal is None and not (self.over_time or self.among)


# The largest of a quantity over all samples, with its instant and the wrench that the joint carries then.


@dataclass(eq=False)
class Largest:
    """Keeps the largest value of what it sees, block by block."""

    value: float = -np.inf
    at: Instant | None = None
    force: Floats = field(default_factory=lambda: np.zeros(3))
    torque: Floats = field(default_factory=lambda: np.zeros(3))

    def add(self, values: Floats, loads: JointLoads) -> bool:
        """See a block, (samples,); whether the largest of all is in it."""
        if not len(values):
            return False
        k = int(np.argmax(values))
        if self.at is not None and not values[k] > self.value:
            return False
        self.value, self.at = float(values[k]), instant(loads, k)
        self.force, self.torque = loads.force[k].copy(), loads.torque[k].copy()
        return True


def instant(loads: JointLoads, k: int) -> Instant:
    """The instant of the k-th sample of a block."""
    return Instant(loads.motion, loads.first + k, float(loads.t[k]))
