"""Planetary gears, after the dimensioning of servo gearheads: nominal, acceleration and emergency torque, speeds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from loadpath.parts.catalogue import check_positive, warn_of_rpm
from loadpath.parts.gears.gear import GearExaminer, emergency_torque
from loadpath.parts.gears.tilting import Flange, FlangedGear
from loadpath.parts.part import Check, JointLoads, Part, Place
from loadpath.parts.plausible import ask_of_gear
from loadpath.robot.measures import measures


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

    def examiner(self, place: Place) -> _Examiner:
        """Takes in the loads of the joint."""
        return _Examiner(self, place)


class _Examiner(GearExaminer):
    def __init__(self, gear: PlanetaryGear, place: Place) -> None:
        super().__init__(gear, place, gear.exponent)
        self.gear = gear
        self.flange = Flange(place, gear.bearing_offset, gear.allowable_moment, gear.axial_force, gear.radial_force)

    def add(self, loads: JointLoads) -> None:
        super().add(loads)
        self.flange.add(loads)

    def of_duty(self, required_hours: float | None) -> list[Check]:
        """T_2m, T_2b f_s, n_1m and n_1Max as in catalogues of servo gearheads (WITTENSTEIN alpha, Beckhoff AG)."""
        gear = self.gear
        found = [
            self.mean_torque("mean torque", gear.nominal_torque, "nominal_torque"),
            self.largest_torque("acceleration torque", gear.acceleration_torque, "acceleration_torque",
                                gear.cycles_factor),
            emergency_torque(gear.emergency_torque, gear.emergency_stop_torque, "emergency_stop_torque",
                             "emergency stop torque"),
            *self.speeds(gear.ratio, gear.nominal_input_speed, gear.max_input_speed,
                         ("nominal_input_speed", "max_input_speed")),
        ]
        if gear.rated_life is None:
            return found
        speed = None if gear.nominal_input_speed is None else gear.nominal_input_speed / abs(gear.ratio)
        rated = {"nominal_torque": gear.nominal_torque, "nominal_input_speed": speed, "rated_life": gear.rated_life}
        return [*found, self.life("life", required_hours, rated)]

    def of_torsion(self) -> list[Check]:
        """And what the flange carries."""
        self.rules |= self.flange.rules
        return [*super().of_torsion(), *self.flange.checks()]
