"""What all gears have in common: a ratio, where they may sit, an output bearing, stiffness, and checks of a duty."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import ClassVar

import numpy as np

from loadpath.errors import ModelError
from loadpath.parts.catalogue import check_name, check_not_negative, check_positive, compare, titled
from loadpath.parts.gears.duty import Duty
from loadpath.parts.gears.torsion import read_stiffness, torsion
from loadpath.parts.part import Check, Examiner, JointLoads, Part, Place, not_checked
from loadpath.parts.rules import Rule
from loadpath.robot.numbers import number
from loadpath.scalars.types import ArrayLike, Floats

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
        if self.stiffness is None:
            raise ModelError(f"{titled(self)} has no stiffness: how far it twists is not known")
        pieces = self.stiffness if isinstance(self.stiffness, tuple) else (self.stiffness,)
        given = np.asarray(torque, dtype=float)
        return np.asarray(torsion(given, pieces, self.stiffness_torques or ()) + np.sign(given) * 0.5 * self.play)

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

    def of_torsion(self) -> list[Check]:
        """The largest twist against what the user allows; nothing where neither stiffness nor limit is given."""
        gear, check = self.part, "torsion"
        if gear.stiffness is None and gear.torsion_limit is None:
            return []
        if gear.stiffness is None:
            return [not_checked(check, "no stiffness given", "rad")]
        if not self.duty.seen:
            return [not_checked(check, f"joint '{self.place.joint}' has no drive", "rad")]
        worst = self.duty.strongest
        angle = float(gear.torsion(worst.value))
        note = f"{angle / ARC_MINUTE:.3g} arc minutes at {worst.value:.4g} N m"
        if gear.play:
            note += f", half of the {gear.play_field} included"
        if gear.torsion_limit is None:
            return [replace(not_checked(check, f"no torsion_limit given; {note}", "rad"), at=worst.at)]
        return [compare(check, angle, gear.torsion_limit, "rad", "torsion_limit", worst.at, note=note)]


def emergency_torque(given: float | None, capacity: float | None, field: str, check: str) -> Check:
    """What a collision or an emergency stop brings, which no motion shows and the user gives."""
    if given is None:
        return not_checked(check, "no emergency_torque given: what a collision or an emergency stop brings", "N m")
    return compare(check, given, capacity, "N m", field, note="as given, not of the motion")
