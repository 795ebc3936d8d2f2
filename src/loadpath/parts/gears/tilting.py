"""What an output flange carries beside the torque: tilting moment about the main bearing, axial and radial force."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from loadpath.parts.catalogue import at_curve, check_positive, curve, titled
from loadpath.parts.gears.gear import Gear
from loadpath.parts.part import Check, Direction, JointLoads, Largest, Place, Rule, not_checked
from loadpath.robot.numbers import number
from loadpath.scalars.types import Floats

TILTING, AXIAL, RADIAL = "tilting moment", "axial force", "radial force"
Moment = float | tuple[tuple[float, float], ...]
"""N m, or pairs (axial force N, moment N m) of the catalogue's diagram."""


class FlangedGear(Gear):
    """A gear whose catalogue limits what its output flange carries."""

    allowable_moment: Moment | None
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
        """Of its checks; a moment whose limit changes with the axial force has none."""
        found = {AXIAL: Rule("largest", _pushing), RADIAL: Rule("largest", _across)}
        return found if isinstance(self.moment, tuple) else {**found, TILTING: Rule("largest", self._size)}

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
            along = _six(-self.offset * np.cross(unit, self.place.axis), unit)
        note = f"with an axial force of {abs(worst.force @ self.place.axis):.4g} N" if limit != self.moment else ""
        return Check(check, demand, limit, "N m", worst.value, worst.at, along, note=note)

    @staticmethod
    def _force(check: str, worst: Largest, limit: float, along: Direction | None) -> Check:
        if worst.at is None:
            return not_checked(check, "nothing was examined", "N")
        return Check(check, worst.value, limit, "N", worst.value / limit, worst.at, along)

    def _along_axis(self, worst: Largest) -> Direction:
        return _six(np.copysign(1.0, worst.force @ self.place.axis) * self.place.axis, np.zeros(3))

    def _across_axis(self, worst: Largest) -> Direction | None:
        across = worst.force - (worst.force @ self.place.axis) * self.place.axis
        size = float(np.linalg.norm(across))
        return _six(across / size, np.zeros(3)) if size > 0 else None


def _pushing(loads: JointLoads) -> Floats:
    return np.abs(loads.axial_force)


def _across(loads: JointLoads) -> Floats:
    return loads.radial_force


def _shares(size: Floats, limits: Floats) -> Floats:
    """Of the limit, infinite where it is zero and anything is carried."""
    return np.where(limits > 0, size / limits, np.where(size > 0, np.inf, 0.0))


def _six(force: Floats, torque: Floats) -> Direction:
    x, y, z, a, b, c = (float(part) for part in (*force, *torque))
    return x, y, z, a, b, c
