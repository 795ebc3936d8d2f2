"""The kinds of gears: strain wave, planetary, cycloidal, each with the numbers of its catalogue and their checks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

from loadpath.errors import ModelError
from loadpath.parts.catalogue import ask_of_gear, check_positive, compare, titled, warn_of_rpm
from loadpath.parts.gears.gear import FlangedExaminer, FlangedGear, Gear, GearExaminer
from loadpath.parts.part import Check, Part, Place, not_checked
from loadpath.robot.measures import measures

L50_OF_L10 = 5.0
"""L10 = L50 / 5 (Harmonic Drive SE, engineering data SHG-2UH/2SO/2SH, 1021387 12/2018, equation 32.3)."""
MOST_PEAKS = 1e4
"""Momentary peaks are counted in revolutions of the wave generator, two stress cycles each, and are never more
(ibid., equation 30.10).
"""


@dataclass(frozen=True)
class StrainWaveGear(Gear):
    """A strain wave gear by its catalogue numbers: torques at the output in N m, speeds in rad/s, lives in hours.

    | number | catalogues |
    |---|---|
    | `ratio` | reduction ratio i, input per output |
    | `rated_torque`, `rated_speed`, `rated_life` | T_N at the input speed n_N (often 2000 rpm); life there, of which `rated_life_percent` have failed: 10 (L10, 7000 or 10,000 h) or 50 (L50, 35,000 or 50,000 h) |
    | `average_torque` | T_A, limit for average torque |
    | `peak_torque` | T_R, limit for repeated peak torque |
    | `momentary_torque` | T_M, limit for momentary peak torque |
    | `average_input_speed`, `max_input_speed` | limits, by lubrication |
    | `stiffness`, `stiffness_torques` | (K1, K2, K3) N m/rad, and (T1, T2) N m between them |
    | `hysteresis` | rad, hysteresis loss |

    What no motion shows, the user adds: `emergency_torque`, what a collision or an emergency stop brings at the output,
    with `emergency_speed` (of the output, rad/s) and `emergency_time` (s) there and how many are expected,
    `emergency_count`; `torsion_limit`, the twist that accuracy allows (rad); `output_bearing`, any bearing, which is
    examined with the gear. On a joint that slides, `output_ratio` is rad of the gear's output per m. A number that is
    not given leaves its check out, which says so.

    The largest torque of a motion counts as repeated peak: a motion is repeated for life.

    >>> import loadpath as lp, math
    >>> gear = lp.StrainWaveGear(ratio=120, rated_torque=294, rated_speed=2000 * math.pi / 30, rated_life=7000,
    ...                          average_torque=451, peak_torque=617, momentary_torque=1180, name="CSF-40-120")
    >>> gear.label, gear.drive_ratio
    ('CSF-40-120', 120.0)
    """  # noqa: E501

    kind: ClassVar[str] = "strain wave gear"

    ratio: float = field(metadata=measures("plain number"))
    rated_torque: float | None = field(default=None, metadata=measures("torque"))
    rated_speed: float | None = field(default=None, metadata=measures("speed"))
    rated_life: float | None = field(default=None, metadata=measures("life"))
    average_torque: float | None = field(default=None, metadata=measures("torque"))
    peak_torque: float | None = field(default=None, metadata=measures("torque", "force"))
    momentary_torque: float | None = field(default=None, metadata=measures("torque"))
    average_input_speed: float | None = field(default=None, metadata=measures("speed"))
    max_input_speed: float | None = field(default=None, metadata=measures("speed"))
    stiffness: float | tuple[float, ...] | None = field(
        default=None, metadata=measures("torsional stiffness", "stiffness")
    )
    stiffness_torques: tuple[float, ...] | None = field(default=None, metadata=measures("torque"))
    hysteresis: float | None = field(default=None, metadata=measures("angle"))
    output_bearing: Part | None = None
    rated_life_percent: float = field(default=10, metadata=measures("plain number"))
    emergency_torque: float | None = field(default=None, metadata=measures("torque"))
    emergency_speed: float | None = field(default=None, metadata=measures("speed"))
    emergency_time: float | None = field(default=None, metadata=measures("time"))
    emergency_count: float | None = field(default=None, metadata=measures("plain number"))
    torsion_limit: float | None = field(default=None, metadata=measures("angle"))
    output_ratio: float | None = field(default=None, metadata=measures("plain number"))
    name: str = ""

    def __post_init__(self) -> None:
        self._read_common()
        speeds = ("rated_speed", "average_input_speed", "max_input_speed")
        check_positive(self, ("rated_torque", "rated_life", "average_torque", "peak_torque", "momentary_torque",
                              *speeds, "emergency_torque", "emergency_speed", "emergency_time",
                              "emergency_count"))
        warn_of_rpm(self, speeds)
        ask_of_gear(self)
        if self.rated_life_percent not in (10, 50):
            raise ModelError(f"rated_life_percent of {titled(self)} is {self.rated_life_percent!r}: expected 10, where "
                             "rated_life is L10, or 50, where it is L50")

    @property
    def rated_L10(self) -> float | None:
        """Hours at rated torque and speed after which one gear of ten has failed."""
        if self.rated_life is None:
            return None
        return self.rated_life if self.rated_life_percent == 10 else self.rated_life / L50_OF_L10

    def permitted_peaks(self, output_speed: float, duration: float) -> float:
        """How many momentary peaks of `duration` (s) the flexspline bears at an output speed in rad/s, 10,000 at most.

        >>> import loadpath as lp, math
        >>> lp.StrainWaveGear(ratio=120).permitted_peaks(14 * math.pi / 30, 0.15)
        1190.4761904761904
        """
        turns = abs(self.ratio) * abs(output_speed) / (2 * math.pi) * duration  # of the wave generator in one peak
        return MOST_PEAKS if turns == 0 else min(MOST_PEAKS, 1e4 / (2 * turns))  # eq. 30.10

    def examiner(self, place: Place) -> _StrainWaveExaminer:
        """Takes in the loads of the joint."""
        return _StrainWaveExaminer(self, place)


class _StrainWaveExaminer(GearExaminer):
    def __init__(self, gear: StrainWaveGear, place: Place) -> None:
        super().__init__(gear, place, 3.0)
        self.gear = gear

    def of_duty(self, required_hours: float | None) -> list[Check]:
        """Equation numbers: Harmonic Drive SE, engineering data SHG-2UH/2SO/2SH, 1021387 12/2018."""
        gear = self.gear
        found = [
            self.mean_torque("average torque", gear.average_torque, "average_torque"),  # eq. 30.2, 30.4
            self.largest_torque("repeated peak torque", gear.peak_torque, "peak_torque"),  # eq. 30.8
            self.emergency(gear.momentary_torque, "momentary_torque",
                             "momentary peak torque"),  # eq. 30.9
            *self.peaks(),
            *self.speeds(gear.ratio, gear.average_input_speed, gear.max_input_speed,
                         ("average_input_speed", "max_input_speed")),  # eq. 30.5 to 30.7
        ]
        rated = None if gear.rated_speed is None else gear.rated_speed / abs(gear.ratio)
        numbers = {"rated_torque": gear.rated_torque, "rated_speed": rated, "rated_life": gear.rated_L10}
        life = self.life("life L10", required_hours, numbers)  # eq. 30.11, 32.2, 32.3
        if life.life_hours is not None and math.isfinite(life.life_hours):
            notes = f"{life.note}; " if life.note else ""
            others = f"L50 {L50_OF_L10 * life.life_hours:.0f} h; of the wave generator's bearing"
            life = replace(life, note=notes + others)
        return [*found, life]

    def peaks(self) -> list[Check]:
        """How many momentary peaks are expected against how many are permitted."""
        gear, check = self.gear, "number of momentary peaks"
        if gear.emergency_torque is None:
            return []
        if gear.emergency_speed is None or gear.emergency_time is None:
            return [not_checked(check, "no emergency_speed and emergency_time given")]
        permitted = gear.permitted_peaks(gear.emergency_speed, gear.emergency_time)
        if gear.emergency_count is None:
            return [not_checked(check, f"no emergency_count given; {permitted:.0f} are permitted")]
        return [self.as_given(compare(check, gear.emergency_count, permitted, "", "emergency_count"))]


# Planetary gears, after the dimensioning of servo gearheads: nominal, acceleration and emergency torque, speeds.


@dataclass(frozen=True)
class PlanetaryGear(FlangedGear):
    """A planetary gear by its catalogue numbers: torques at the output in N m, speeds in rad/s.

    | number | catalogues |
    |---|---|
    | `ratio` | i, input per output |
    | `nominal_torque` | T_2N: against the mean torque, of exponent 3 or what is given as `exponent` |
    | `acceleration_torque` | T_2B: against the largest torque of the motion times `cycles_factor` |
    | `cycles_factor` | shock factor f_s for more than 1000 cycles an hour |
    | `emergency_stop_torque` | T_2Not, T_2Em.stop: against `emergency_torque` |
    | `nominal_input_speed`, `max_input_speed` | n_1N against the mean speed, n_1Max against the largest |
    | `rated_life` | hours at T_2N and n_1N (often 20,000), if the maker says so |
    | `allowable_moment`, `axial_force`, `radial_force` | M_2KMax N m, F_2AMax N, F_2RMax N |
    | `bearing_offset` | m along the joint's axis, from its origin to where the catalogue counts the moment |
    | `stiffness` | C_t21, N m/rad (1 N m/arcmin = 3437.7 N m/rad) |
    | `backlash` | j_t, rad: half of it is added to the torsion |

    `emergency_torque`, `torsion_limit`, `output_bearing` and `output_ratio` are as in `StrainWaveGear`.

    >>> import loadpath as lp, math
    >>> gear = lp.PlanetaryGear(ratio=10, nominal_torque=331, acceleration_torque=648, name="TP050")
    >>> gear.label, gear.drive_ratio
    ('TP050', 10.0)
    """

    kind: ClassVar[str] = "planetary gear"
    play_field: ClassVar[str] = "backlash"

    ratio: float = field(metadata=measures("plain number"))
    nominal_torque: float | None = field(default=None, metadata=measures("torque"))
    acceleration_torque: float | None = field(default=None, metadata=measures("torque"))
    emergency_stop_torque: float | None = field(default=None, metadata=measures("torque"))
    nominal_input_speed: float | None = field(default=None, metadata=measures("speed"))
    max_input_speed: float | None = field(default=None, metadata=measures("speed"))
    rated_life: float | None = field(default=None, metadata=measures("life"))
    cycles_factor: float = field(default=1.0, metadata=measures("plain number"))
    allowable_moment: float | tuple[tuple[float, float], ...] | None = field(
        default=None, metadata=measures("torque", "force")
    )
    axial_force: float | None = field(default=None, metadata=measures("force"))
    radial_force: float | None = field(default=None, metadata=measures("force"))
    bearing_offset: float = field(default=0.0, metadata=measures("length"))
    stiffness: float | tuple[float, ...] | None = field(
        default=None, metadata=measures("torsional stiffness", "stiffness")
    )
    stiffness_torques: tuple[float, ...] | None = field(default=None, metadata=measures("torque"))
    backlash: float | None = field(default=None, metadata=measures("angle"))
    output_bearing: Part | None = None
    emergency_torque: float | None = field(default=None, metadata=measures("torque"))
    torsion_limit: float | None = field(default=None, metadata=measures("angle"))
    exponent: float = field(default=3.0, metadata=measures("plain number"))
    output_ratio: float | None = field(default=None, metadata=measures("plain number"))
    name: str = ""

    def __post_init__(self) -> None:
        self._read_common()
        speeds = ("nominal_input_speed", "max_input_speed")
        check_positive(self, ("nominal_torque", "acceleration_torque", "emergency_stop_torque", *speeds, "rated_life",
                              "cycles_factor", "axial_force", "radial_force", "emergency_torque", "exponent"),
                       needed=("cycles_factor", "exponent"))
        warn_of_rpm(self, speeds)
        ask_of_gear(self)
        self._read_flange()

    def examiner(self, place: Place) -> _PlanetaryExaminer:
        """Takes in the loads of the joint."""
        return _PlanetaryExaminer(self, place)


class _PlanetaryExaminer(FlangedExaminer):
    def __init__(self, gear: PlanetaryGear, place: Place) -> None:
        super().__init__(gear, place, gear.exponent, gear.radial_force)
        self.gear = gear

    def of_duty(self, required_hours: float | None) -> list[Check]:
        """T_2m, T_2b f_s, n_1m and n_1Max as in catalogues of servo gearheads (WITTENSTEIN alpha, Beckhoff AG)."""
        gear = self.gear
        found = [
            self.mean_torque("mean torque", gear.nominal_torque, "nominal_torque"),
            self.largest_torque("acceleration torque", gear.acceleration_torque, "acceleration_torque",
                                gear.cycles_factor),
            self.emergency(gear.emergency_stop_torque, "emergency_stop_torque",
                             "emergency stop torque"),
            *self.speeds(gear.ratio, gear.nominal_input_speed, gear.max_input_speed,
                         ("nominal_input_speed", "max_input_speed")),
        ]
        if gear.rated_life is None:
            return found
        speed = None if gear.nominal_input_speed is None else gear.nominal_input_speed / abs(gear.ratio)
        rated = {"nominal_torque": gear.nominal_torque, "nominal_input_speed": speed, "rated_life": gear.rated_life}
        return [*found, self.life("life", required_hours, rated)]


# Cycloidal gears, after the selection procedure of Nabtesco's RV series: life with exponent 10/3, torques, moment.


FASTEST_RATED, FASTEST_OUTPUT = 12.0, 60.0
"""rad/s, 115 and 570 rpm: what is above was meant in rpm."""


@dataclass(frozen=True)
class CycloidalGear(FlangedGear):
    """A cycloidal (RV, Cyclo) gear by its catalogue numbers: torques at the output in N m, speeds in rad/s.

    | number | catalogues |
    |---|---|
    | `ratio` | speed ratio, input per output |
    | `rated_torque`, `rated_speed`, `rated_life` | T_0 at the *output* speed N_0 (often 15 rpm); K, hours there (often 6000) |
    | `acceleration_torque` | T_s1, allowable acceleration and deceleration torque: against the largest of the motion |
    | `momentary_torque` | T_s2, momentary maximum allowable torque: against `emergency_torque` |
    | `max_output_speed` | allowable output speed |
    | `allowable_moment` | M_o1, N m; or pairs (axial force N, moment N m) of the diagram of both |
    | `axial_force` | allowable thrust, N |
    | `bearing_offset` | m along the joint's axis, from its origin to the main bearing's centre, where the moment counts |
    | `stiffness`, `stiffness_torques` | N m/rad; with lost motion D at 3 % of T_0: (0.03 T_0/(D/2), b/a) and (0.03 T_0,) |

    The mean torque has the exponent 10/3 and is weighted with speed; life in hours of this duty, pauses included, is
    K (N_0/N_m) (T_0/T_m)^(10/3). `emergency_torque`, `torsion_limit`, `output_bearing` and `output_ratio` are as in
    `StrainWaveGear`.

    >>> import loadpath as lp, math
    >>> gear = lp.CycloidalGear(ratio=81, rated_torque=784, rated_speed=15 * math.pi / 30, rated_life=6000, name="RV-80")
    >>> gear.label, gear.exponent
    ('RV-80', 3.3333333333333335)
    """  # noqa: E501

    kind: ClassVar[str] = "cycloidal gear"

    ratio: float = field(metadata=measures("plain number"))
    rated_torque: float | None = field(default=None, metadata=measures("torque"))
    rated_speed: float | None = field(default=None, metadata=measures("speed"))
    rated_life: float | None = field(default=None, metadata=measures("life"))
    acceleration_torque: float | None = field(default=None, metadata=measures("torque"))
    momentary_torque: float | None = field(default=None, metadata=measures("torque"))
    max_output_speed: float | None = field(default=None, metadata=measures("speed"))
    allowable_moment: float | tuple[tuple[float, float], ...] | None = field(
        default=None, metadata=measures("torque", "force")
    )
    axial_force: float | None = field(default=None, metadata=measures("force"))
    bearing_offset: float = field(default=0.0, metadata=measures("length"))
    stiffness: float | tuple[float, ...] | None = field(
        default=None, metadata=measures("torsional stiffness", "stiffness")
    )
    stiffness_torques: tuple[float, ...] | None = field(default=None, metadata=measures("torque"))
    hysteresis: float | None = field(default=None, metadata=measures("angle"))
    output_bearing: Part | None = None
    emergency_torque: float | None = field(default=None, metadata=measures("torque"))
    torsion_limit: float | None = field(default=None, metadata=measures("angle"))
    exponent: float = field(default=10.0 / 3.0, metadata=measures("plain number"))
    output_ratio: float | None = field(default=None, metadata=measures("plain number"))
    name: str = ""

    def __post_init__(self) -> None:
        self._read_common()
        check_positive(self, ("rated_torque", "rated_speed", "rated_life", "acceleration_torque", "momentary_torque",
                              "max_output_speed", "axial_force", "emergency_torque", "exponent"),
                       needed=("exponent",))
        warn_of_rpm(self, ("rated_speed",), FASTEST_RATED)
        warn_of_rpm(self, ("max_output_speed",), FASTEST_OUTPUT)
        ask_of_gear(self)
        self._read_flange()

    def examiner(self, place: Place) -> _CycloidalExaminer:
        """Takes in the loads of the joint."""
        return _CycloidalExaminer(self, place)


class _CycloidalExaminer(FlangedExaminer):
    def __init__(self, gear: CycloidalGear, place: Place) -> None:
        super().__init__(gear, place, gear.exponent)
        self.gear = gear

    def of_duty(self, required_hours: float | None) -> list[Check]:
        """The selection procedure of the RV series (Nabtesco, Precision Reduction Gear RV, technical information)."""
        gear = self.gear
        rated = {"rated_torque": gear.rated_torque, "rated_speed": gear.rated_speed, "rated_life": gear.rated_life}
        return [
            self.largest_torque("acceleration torque", gear.acceleration_torque, "acceleration_torque"),
            self.emergency(gear.momentary_torque, "momentary_torque", "momentary torque"),
            *self.speeds(1.0, None, gear.max_output_speed, ("", "max_output_speed")),
            self.life("life", required_hours, rated),
        ]
