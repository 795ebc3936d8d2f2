"""What all gears have in common: a ratio, where they may sit, an output bearing, stiffness, and checks of a duty."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from loadpath.errors import ModelError
from loadpath.parts.catalogue import at_curve, check_name, check_not_negative, check_positive, compare, curve, titled
from loadpath.parts.part import (
    DRIVE,
    GEAR,
    Check,
    Direction,
    Examiner,
    Instant,
    JointLoads,
    Largest,
    Part,
    Place,
    Rule,
    along_six,
    not_checked,
    not_given,
)
from loadpath.robot.numbers import number, numbers, positive
from loadpath.scalars.types import ArrayLike, Floats

# What a gear goes through: mean torque weighted with speed, mean speed, the largest of both, block by block.


@dataclass(eq=False)
class Duty:
    """Takes in the loads of a joint; torque and speed are those of the gear's output."""

    exponent: float
    """Of the mean torque: 3 of ball bearings, 10/3 of roller bearings."""
    output_ratio: float = 1.0
    """rad of the gear's output per rad (m) of the joint."""
    weight: float = 0.0
    turned: float = 0.0
    """Sum of |speed| times weight."""
    worn: float = 0.0
    """Sum of |speed| |torque|^exponent times weight."""
    held: float = 0.0
    """Sum of |torque|^exponent times weight."""
    hardest: Largest = field(default_factory=Largest)
    """The sample that adds most to `worn`."""
    strongest: Largest = field(default_factory=Largest)
    fastest: Largest = field(default_factory=Largest)
    along: str = GEAR

    def add(self, loads: JointLoads) -> None:
        """The next block of samples. A joint without a drive is left out."""
        if loads.gear is None:
            self.along = DRIVE
        torque = self.torque(loads)
        if not len(torque) or np.isnan(torque).all():
            return
        speed = self.speed(loads)
        powered = torque**self.exponent
        turned = speed * loads.weight
        self.weight += float(loads.weight.sum())
        self.turned += float(turned.sum())
        worn = turned * powered
        self.worn += float(worn.sum())
        self.held += float((loads.weight * powered).sum())
        self.hardest.add(worn, loads)
        self.strongest.add(torque, loads)
        self.fastest.add(speed, loads)

    def torque(self, loads: JointLoads) -> Floats:
        """Its magnitude at the output, N m, of every sample."""
        return np.abs(loads.drive if loads.gear is None else loads.gear) / self.output_ratio

    def speed(self, loads: JointLoads) -> Floats:
        """Its magnitude at the output, rad/s, of every sample."""
        return np.abs(loads.speed) * self.output_ratio

    @property
    def seen(self) -> bool:
        """Whether any sample had a drive."""
        return self.weight > 0.0

    @property
    def stands(self) -> bool:
        """Whether the joint never moves."""
        return self.turned == 0.0

    @property
    def mean_torque(self) -> float:
        """N m: the constant torque that wears as much over the same turns; of a joint that stands, the mean in time."""
        mean = self.held / self.weight if self.stands else self.worn / self.turned
        return float(mean ** (1.0 / self.exponent))

    @property
    def decisive(self) -> Instant | None:
        """The instant that adds most to the mean torque."""
        return self.strongest.at if self.stands else self.hardest.at

    @property
    def mean_speed(self) -> float:
        """rad/s of the output: mean of its magnitude over all time, pauses included."""
        return self.turned / self.weight

    def life(self, rated_life: float, rated_torque: float, rated_output_speed: float) -> float:
        """Hours of this duty: L = L_r (T_r / T_m)^p (n_r / n_m)."""
        if self.worn == 0.0:
            return math.inf
        return float(
            rated_life
            * (rated_torque / self.mean_torque) ** self.exponent
            * (rated_output_speed / self.mean_speed)
        )


# How far a gear twists under torque: stiffness in pieces, as catalogues give it, lost motion and hysteresis.


def read_stiffness(part: Part, stiffness: object, torques: object) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """One stiffness or several, N m/rad, and the torques at which one goes over into the next, N m."""
    what = f"stiffness of {titled(part)}"
    several = tuple(stiffness) if isinstance(stiffness, Iterable) and not isinstance(stiffness, (str, bytes)) else (
        stiffness,
    )
    pieces = tuple(positive(value, what) for value in several)
    if not pieces:
        raise ModelError(f"{what} is empty: expected N m/rad, one number or several")
    ends = () if torques is None else numbers(torques, f"stiffness_torques of {titled(part)}")
    if len(ends) != len(pieces) - 1:
        raise ModelError(f"{titled(part)} has {len(pieces)} stiffnesses and {len(ends)} stiffness_torques: expected "
                         f"{len(pieces) - 1}, the torques at which one stiffness goes over into the next")
    if any(low >= high for low, high in zip((0.0, *ends), ends, strict=False)):
        raise ModelError(f"stiffness_torques of {titled(part)} are {list(ends)}: expected rising torques above zero")
    return pieces, ends


def torsion(torque: ArrayLike, stiffness: tuple[float, ...], torques: tuple[float, ...]) -> Floats:
    """Angle in rad by which the output turns against the input, of the sign of the torque (N m).

    Harmonic Drive catalogues, "torsional stiffness": T/K1 up to T1, then T1/K1 + (T - T1)/K2 up to T2, and so on.

    >>> torsion([20.0, -20.0], (1e4, 2e4), (10.0,)).tolist()
    [0.0015, -0.0015]
    """
    given = np.asarray(torque, dtype=float)
    return np.asarray(np.copysign(_twist(np.abs(given), stiffness, torques), given))


def _twist(size: Floats, stiffness: tuple[float, ...], torques: tuple[float, ...]) -> Floats:
    """The same of magnitudes."""
    pieces = [np.minimum(np.maximum(size - low, 0.0), high - low) / k
              for k, low, high in zip(stiffness, (0.0, *torques), (*torques, math.inf), strict=True)]
    return sum(pieces[1:], start=pieces[0])


OUTPUT = "output bearing: "
ARC_MINUTE = math.pi / 180 / 60


class Gear(Part):
    """A gear between a motor and a joint. Torques are those at the gear's output, in N m, speeds are in rad/s."""

    kind: ClassVar[str] = "gear"
    play_field: ClassVar[str] = "hysteresis"
    """Which field has the angle by which the position depends on where the torque came from."""

    ratio: float
    output_ratio: float | None
    stiffness: float | tuple[float, ...] | None
    stiffness_torques: tuple[float, ...] | None
    torsion_limit: float | None
    output_bearing: Part | None

    def _read_common(self) -> None:
        check_name(self)
        ratio = number(self.ratio, f"ratio of {titled(self)}")
        if ratio == 0:
            raise ModelError(f"ratio of {titled(self)} is 0: expected turns of the input per turn of the output")
        object.__setattr__(self, "ratio", ratio)
        check_positive(self, ("output_ratio", "torsion_limit"))
        check_not_negative(self, (self.play_field,))
        if self.stiffness is not None:
            pieces, ends = read_stiffness(self, self.stiffness, self.stiffness_torques)
            object.__setattr__(self, "stiffness", pieces if ends else pieces[0])
            object.__setattr__(self, "stiffness_torques", ends or None)
        elif self.stiffness_torques is not None:
            raise ModelError(f"{titled(self)} has stiffness_torques and no stiffness: give both")
        if self.output_bearing is not None and not isinstance(self.output_bearing, Part):
            raise ModelError(f"output_bearing of {titled(self)} is {self.output_bearing!r}: expected a bearing like "
                             "lp.CrossedRollerBearing(...)")

    @property
    def play(self) -> float:
        """rad: hysteresis or backlash, from one end to the other."""
        return getattr(self, self.play_field) or 0.0

    @property
    def drive_ratio(self) -> float:
        """Turns of the gear's input per rad (m) of the joint: that of the joint's drive train."""
        return self.ratio * (self.output_ratio or 1.0)

    def torsion(self, torque: ArrayLike) -> Floats:
        """Angle in rad by which the output turns against the input under a torque at the output (N m), any shape.

        Half of its hysteresis or backlash is added: by so much the position depends on where the torque came from.

        >>> import loadpath as lp
        >>> gear = lp.StrainWaveGear(ratio=100, stiffness=(3.1e4, 5.0e4, 5.7e4), stiffness_torques=(14, 48))
        >>> gear.torsion([2.9, 39.0]).round(6).tolist()
        [9.4e-05, 0.000952]
        """
        given = np.asarray(torque, dtype=float)
        return np.asarray(np.copysign(self.twist(np.abs(given)), given))

    def twist(self, size: Floats) -> Floats:
        """The same of magnitudes of torques, a magnitude.

        >>> import loadpath as lp
        >>> lp.StrainWaveGear(ratio=100, stiffness=1e4, hysteresis=2e-4).twist(np.array([0.0, 20.0])).tolist()
        [0.0, 0.0021]
        """
        if self.stiffness is None:
            raise ModelError(f"{titled(self)} has no stiffness: how far it twists is not known")
        pieces = self.stiffness if isinstance(self.stiffness, tuple) else (self.stiffness,)
        return _twist(size, pieces, self.stiffness_torques or ()) + np.sign(size) * 0.5 * self.play

    def at(self, place: Place) -> float:
        """rad of the output per rad (m) of the joint; refused where a gear can drive nothing."""
        if not place.moves:
            raise ModelError(f"{titled(self)} sits at '{place.joint}', which does not move along or about one axis: "
                             "gears belong to joints that turn or slide")
        if not place.turns and self.output_ratio is None:
            raise ModelError(f"{titled(self)} sits at joint '{place.joint}', which slides: give output_ratio, the "
                             "rad of the gear's output per m of the joint (1 / radius of a pinion, 2 pi / lead of a "
                             "screw)")
        return self.output_ratio or 1.0


NO_EMERGENCY = "what an emergency brings: no emergency_torque of the gear, and no exceptional case"
AS_GIVEN = "as given, not of the motion"


class GearExaminer(ABC):
    """Takes in the loads of a gear and of its output bearing. Kinds of gears say in `of_duty` what they check."""

    def __init__(self, gear: Gear, place: Place, exponent: float) -> None:
        self.part, self.place = gear, place
        self.duty = Duty(exponent, gear.at(place))
        self.bearing: Examiner | None = None if gear.output_bearing is None else gear.output_bearing.examiner(place)
        self.rules: dict[str, Rule] = {}
        """Of the checks that were made."""

    def add(self, loads: JointLoads) -> None:
        """The next block."""
        self.duty.add(loads)
        if self.bearing is not None:
            self.bearing.add(loads)

    def checks(self, required_hours: float | None) -> list[Check]:
        """Those of torque, speed and life, of torsion, and of the output bearing."""
        found = self.of_duty(required_hours)
        if not self.duty.seen:
            why = f"joint '{self.place.joint}' has no drive, or nothing was examined"
            found = [not_checked(check.check, why, check.unit) for check in found]
        found += self.of_torsion()
        if self.bearing is not None:
            found += [replace(check, check=f"{OUTPUT}{check.check}") for check in self.bearing.checks(required_hours)]
            self.rules |= {f"{OUTPUT}{check}": rule for check, rule in getattr(self.bearing, "rules", {}).items()}
        return found

    @abstractmethod
    def of_duty(self, required_hours: float | None) -> list[Check]:
        """Torque, speed and life. Names and units must not depend on whether anything was seen."""

    def mean_torque(self, check: str, capacity: float | None, field: str) -> Check:
        """Mean torque against a limit."""
        duty = self.duty
        self.rules[check] = Rule("mean", duty.torque, exponent=duty.exponent)
        note = "the joint stands still: mean over time" if duty.seen and duty.stands else ""
        demand = duty.mean_torque if duty.seen else math.nan
        return compare(check, demand, capacity, "N m", field, duty.decisive, duty.along, note)

    def largest_torque(self, check: str, capacity: float | None, field: str, factor: float = 1.0) -> Check:
        """The largest torque of the motion against a limit."""
        worst = self.duty.strongest
        self.rules[check] = Rule("largest", self.duty.torque, factor)
        note = "" if factor == 1.0 else f"{worst.value:.4g} N m times the factor {factor:g}"
        return compare(check, factor * worst.value, capacity, "N m", field, worst.at, self.duty.along, note)

    def speeds(self, ratio: float, mean: float | None, largest: float | None, names: tuple[str, str]) -> list[Check]:
        """Mean and largest speed, `ratio` times those of the output."""
        duty, side = self.duty, "input" if ratio != 1.0 else "output"
        average = abs(ratio) * duty.mean_speed if duty.seen else math.nan
        found = []
        if names[0]:
            self.rules[f"average {side} speed"] = Rule("average", duty.speed, abs(ratio))
            found.append(compare(f"average {side} speed", average, mean, "rad/s", names[0], duty.fastest.at))
        fastest = abs(ratio) * duty.fastest.value
        self.rules[f"largest {side} speed"] = Rule("largest", duty.speed, abs(ratio))
        found.append(compare(f"largest {side} speed", fastest, largest, "rad/s", names[1], duty.fastest.at))
        return found

    def life(self, check: str, required: float | None, rated: dict[str, float | None], note: str = "") -> Check:
        """Hours of this duty from rated torque, output speed and life, by their names in the part."""
        missing = [name for name, value in rated.items() if value is None]
        if missing:
            return not_checked(check, f"no {', '.join(missing)} given", "N m")
        duty = self.duty
        self.rules[check] = Rule("life", duty.torque, exponent=duty.exponent)
        if not duty.seen:
            return not_checked(check, "", "N m")
        torque, speed, life = (value for value in rated.values() if value is not None)
        hours = duty.life(life, torque, speed)
        mean, capacity, used = duty.mean_torque, math.nan, math.nan
        notes = [note] if note else []
        if required is None:
            notes = ["not checked: no hours required", *notes]
        elif math.isinf(hours):
            capacity, used = torque, 0.0
        else:  # life goes with the power of the torque: the torque that would last as long as is required
            capacity = mean * (hours / required) ** (1.0 / duty.exponent)
            used = mean / capacity
        if duty.stands:
            notes.append("the joint stands still")
        return Check(check, mean, capacity, "N m", used, duty.decisive, duty.along, hours, "; ".join(notes))

    def emergency(self, capacity: float | None, field: str, check: str) -> Check:
        """What a collision or an emergency stop brings, which no motion shows and the user gives."""
        given = getattr(self.part, "emergency_torque", None)
        if given is None:
            return not_given(check, NO_EMERGENCY, "N m")
        return self.as_given(compare(check, given, capacity, "N m", field, note=AS_GIVEN))

    def as_given(self, check: Check) -> Check:
        """A check that is the same over any motion."""
        self.rules[check.check] = Rule("largest", lambda loads: np.full_like(loads.speed, check.demand))
        return check

    def of_torsion(self) -> list[Check]:
        """The largest twist against what the user allows; nothing where neither stiffness nor limit is given."""
        gear, check = self.part, "torsion"
        if gear.stiffness is None and gear.torsion_limit is None:
            return []
        if gear.stiffness is None:
            return [not_checked(check, "no stiffness given", "rad")]
        self.rules[check] = Rule("largest", lambda loads: gear.twist(self.duty.torque(loads)))
        if not self.duty.seen:
            return [not_checked(check, f"joint '{self.place.joint}' has no drive", "rad")]
        worst = self.duty.strongest
        angle = float(gear.torsion(worst.value))
        note = f"{angle / ARC_MINUTE:.3g} arc minutes at {worst.value:.4g} N m"
        if gear.play:
            note += f", half of the {gear.play_field} included"
        if gear.torsion_limit is None:
            return [replace(not_checked(check, f"no torsion_limit given; {note}", "rad"), at=worst.at)]
        return [compare(check, angle, gear.torsion_limit, "rad", "torsion_limit", worst.at, self.duty.along, note)]


# What an output flange carries beside the torque: tilting moment about the main bearing, axial and radial force.

TILTING, AXIAL, RADIAL = "tilting moment", "axial force", "radial force"
Moment = float | tuple[tuple[float, float], ...]
"""N m, or pairs (axial force N, moment N m) of the catalogue's diagram."""


class FlangedGear(Gear):
    """A gear whose catalogue limits what its output flange carries."""

    allowable_moment: Moment | None
    axial_force: float | None
    bearing_offset: float

    def _read_flange(self) -> None:
        offset = number(self.bearing_offset, f"bearing_offset of {titled(self)}")
        object.__setattr__(self, "bearing_offset", offset)
        if isinstance(self.allowable_moment, (list, tuple)):
            pairs = curve(self, "allowable_moment", "(axial force N, moment N m)")
            object.__setattr__(self, "allowable_moment", pairs)
        else:
            check_positive(self, ("allowable_moment",))


@dataclass(eq=False)
class Flange:
    """Takes in the wrenches of a joint. The main bearing's centre lies on the axis, `offset` (m) from the joint's
    origin along it.
    """

    place: Place
    offset: float
    moment: Moment | None
    axial: float | None
    radial: float | None
    tilted: Largest = field(default_factory=Largest)
    """By utilisation, where there is a limit."""
    pushed: Largest = field(default_factory=Largest)
    across: Largest = field(default_factory=Largest)

    def add(self, loads: JointLoads) -> None:
        """The next block."""
        size = self._size(loads)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.tilted.add(size if self.moment is None else _shares(size, self._limits(loads.axial_force)), loads)
        self.pushed.add(_pushing(loads), loads)
        self.across.add(_across(loads), loads)

    @property
    def rules(self) -> dict[str, Rule]:
        """Of its checks."""
        tilting = Rule("largest", self._size)
        if isinstance(self.moment, tuple):
            tilting = replace(tilting, limit=self._limits, against=_pushing)
        return {AXIAL: Rule("largest", _pushing), RADIAL: Rule("largest", _across), TILTING: tilting}

    def _size(self, loads: JointLoads) -> Floats:
        """Moment about the bearing's centre, a magnitude, of every sample."""
        found: Floats = np.linalg.norm(self._moments(loads.force, loads.torque), axis=-1)
        return found

    def _moments(self, force: Floats, torque: Floats) -> Floats:
        """Moments about the bearing's centre, across the axis: M - d z x F, its part along z left out."""
        axis = self.place.axis
        moved = torque - self.offset * np.cross(axis, force)
        return moved - (moved @ axis)[..., None] * axis

    def _limits(self, axial: Floats) -> Floats:
        if isinstance(self.moment, tuple):
            return at_curve(self.moment, np.abs(axial))
        return np.full_like(axial, self.moment)

    def checks(self) -> list[Check]:
        """Tilting moment, axial and radial force; of these, the forces only where a limit is given."""
        if self.moment is None and self.axial is None and self.radial is None:
            return []
        found = [self._moment()]
        if self.axial is not None:
            found.append(self._force(AXIAL, self.pushed, self.axial, self._along_axis(self.pushed)))
        if self.radial is not None:
            found.append(self._force(RADIAL, self.across, self.radial, self._across_axis(self.across)))
        return found

    def _moment(self) -> Check:
        worst, check = self.tilted, TILTING
        if self.moment is None:
            return not_checked(check, "no allowable_moment given", "N m")
        if worst.at is None:
            return not_checked(check, "nothing was examined", "N m")
        vector = self._moments(worst.force[None], worst.torque[None])[0]
        demand = float(np.linalg.norm(vector))
        limit = float(self._limits(np.array([worst.force @ self.place.axis]))[0])
        along = None
        if demand > 0:
            unit = vector / demand
            along = along_six(np.concatenate([-self.offset * np.cross(unit, self.place.axis), unit]))
        note = f"with an axial force of {abs(worst.force @ self.place.axis):.4g} N" if limit != self.moment else ""
        return Check(check, demand, limit, "N m", worst.value, worst.at, along, note=note)

    @staticmethod
    def _force(check: str, worst: Largest, limit: float, along: Direction | None) -> Check:
        if worst.at is None:
            return not_checked(check, "nothing was examined", "N")
        return Check(check, worst.value, limit, "N", worst.value / limit, worst.at, along)

    def _along_axis(self, worst: Largest) -> Direction:
        axis = np.copysign(1.0, worst.force @ self.place.axis) * self.place.axis
        return along_six(np.concatenate([axis, np.zeros(3)]))

    def _across_axis(self, worst: Largest) -> Direction | None:
        across = worst.force - (worst.force @ self.place.axis) * self.place.axis
        size = float(np.linalg.norm(across))
        return along_six(np.concatenate([across / size, np.zeros(3)])) if size > 0 else None


def _pushing(loads: JointLoads) -> Floats:
    return np.abs(loads.axial_force)


def _across(loads: JointLoads) -> Floats:
    return loads.radial_force


def _shares(size: Floats, limits: Floats) -> Floats:
    """Of the limit, infinite where it is zero and anything is carried."""
    return np.where(limits > 0, size / limits, np.where(size > 0, np.inf, 0.0))


class FlangedExaminer(GearExaminer):
    """Takes in the loads of a gear and of its output flange; `radial` (N) is what that carries across the axis."""

    def __init__(self, gear: FlangedGear, place: Place, exponent: float, radial: float | None = None) -> None:
        super().__init__(gear, place, exponent)
        self.flange = Flange(place, gear.bearing_offset, gear.allowable_moment, gear.axial_force, radial)

    def add(self, loads: JointLoads) -> None:
        super().add(loads)
        self.flange.add(loads)

    def of_torsion(self) -> list[Check]:
        """And what the flange carries."""
        self.rules |= self.flange.rules
        return [*super().of_torsion(), *self.flange.checks()]
