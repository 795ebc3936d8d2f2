"""Cycloidal gears, after the selection procedure of Nabtesco's RV series: life with exponent 10/3, torques, moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from loadpath.parts.catalogue import check_positive, warn_of_rpm
from loadpath.parts.gears.gear import GearExaminer, emergency_torque
from loadpath.parts.gears.tilting import Flange, FlangedGear
from loadpath.parts.part import Check, JointLoads, Part, Place
from loadpath.parts.plausible import ask_of_gear
from loadpath.robot.measures import measures

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

    def examiner(self, place: Place) -> _Examiner:
        """Takes in the loads of the joint."""
        return _Examiner(self, place)


class _Examiner(GearExaminer):
    def __init__(self, gear: CycloidalGear, place: Place) -> None:
        super().__init__(gear, place, gear.exponent)
        self.gear = gear
        self.flange = Flange(place, gear.bearing_offset, gear.allowable_moment, gear.axial_force, None)

    def add(self, loads: JointLoads) -> None:
        super().add(loads)
        self.flange.add(loads)

    def of_duty(self, required_hours: float | None) -> list[Check]:
        """The selection procedure of the RV series (Nabtesco, Precision Reduction Gear RV, technical information)."""
        gear = self.gear
        rated = {"rated_torque": gear.rated_torque, "rated_speed": gear.rated_speed, "rated_life": gear.rated_life}
        return [
            self.largest_torque("acceleration torque", gear.acceleration_torque, "acceleration_torque"),
            emergency_torque(gear.emergency_torque, gear.momentary_torque, "momentary_torque", "momentary torque"),
            *self.speeds(1.0, None, gear.max_output_speed, ("", "max_output_speed")),
            self.life("life", required_hours, rated),
        ]

    def of_torsion(self) -> list[Check]:
        """And what the flange carries."""
        self.rules |= self.flange.rules
        return [*super().of_torsion(), *self.flange.checks()]
