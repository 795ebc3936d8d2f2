"""What a gear goes through: mean torque weighted with speed, mean speed, the largest of both, block by block."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from loadpath.parts.largest import Largest
from loadpath.parts.part import DRIVE, GEAR, Instant, JointLoads
from loadpath.scalars.types import Floats


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
