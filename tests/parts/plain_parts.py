"""Parts that are simple enough to be checked by hand, for tests of what leads loads past them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from loadpath.parts.part import DRIVE, Check, Examiner, Instant, JointLoads, Part, Place, not_checked


@dataclass(frozen=True)
class Pin(Part):
    """Holds so much force; life falls with the cube of the mean force."""

    strength: float | None = None
    """N."""
    life: float = 1.0
    """Hours at 1 N."""
    name: str = ""
    kind: ClassVar[str] = "pin"

    def examiner(self, place: Place) -> Examiner:
        return _OfPin(self)


@dataclass
class _OfPin:
    part: Pin
    most: float = -1.0
    at: Instant | None = None
    along: tuple[float, ...] | None = None
    cubes: float = 0.0
    blocks: list[JointLoads] = field(default_factory=list)

    def add(self, loads: JointLoads) -> None:
        sizes = np.linalg.norm(loads.force, axis=-1)
        k = int(sizes.argmax())
        self.cubes += float(loads.weight @ sizes**3)
        if sizes[k] > self.most:
            self.most = float(sizes[k])
            self.at = Instant(loads.motion, loads.first + k, float(loads.t[k]))
            self.along = (*(loads.force[k] / sizes[k]), 0.0, 0.0, 0.0)

    def checks(self, required_hours: float | None) -> list[Check]:
        hours = self.part.life / self.cubes
        used = math.nan if required_hours is None else required_hours / hours
        asked = math.nan if required_hours is None else required_hours
        lives = Check("life", asked, hours, "h", used, self.at, self.along, hours)
        if self.part.strength is None:
            return [not_checked("force", "no strength given", "N"), lives]
        used = self.most / self.part.strength
        return [Check("force", self.most, self.part.strength, "N", used, self.at, self.along), lives]


@dataclass(frozen=True)
class Coupling(Part):
    """Holds so much torque of the drive, and is warmed by its square over time."""

    torque: float = 1.0
    ratio: float | None = None
    name: str = ""
    kind: ClassVar[str] = "coupling"

    def examiner(self, place: Place) -> Examiner:
        return _OfCoupling(self)


class _OfCoupling:
    def __init__(self, part: Coupling) -> None:
        self.part, self.most, self.heat = part, -1.0, 0.0
        self.at: Instant | None = None
        self.timed = True
        self.seen: list[JointLoads] = []

    def add(self, loads: JointLoads) -> None:
        self.timed &= not np.isnan(loads.t).any()
        self.seen.append(loads)
        sizes = np.abs(loads.drive)
        k = int(sizes.argmax())
        self.heat += float(loads.weight @ sizes**2)
        if sizes[k] > self.most:
            self.most, self.at = float(sizes[k]), Instant(loads.motion, loads.first + k, float(loads.t[k]))

    def checks(self, required_hours: float | None) -> list[Check]:
        peak = Check("torque", self.most, self.part.torque, "N m", self.most / self.part.torque, self.at, DRIVE)
        if not self.timed:
            return [peak, not_checked("heat", "no times", "N m")]
        rms = math.sqrt(self.heat)
        return [peak, Check("heat", rms, self.part.torque, "N m", rms / self.part.torque)]


@dataclass(frozen=True)
class Seen(Part):
    """Keeps the blocks that it sees."""

    name: str = ""
    kind: ClassVar[str] = "witness"
    blocks: ClassVar[list[JointLoads]] = []

    def examiner(self, place: Place) -> Examiner:
        return _Witness()


class _Witness:
    def add(self, loads: JointLoads) -> None:
        Seen.blocks.append(loads)

    def checks(self, required_hours: float | None) -> list[Check]:
        return [Check("seen", 0.0, 1.0, "", 0.0)]
