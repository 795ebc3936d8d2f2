"""The largest of a quantity over all samples, with its instant and the wrench that the joint carries then."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from loadpath.parts.part import Instant, JointLoads
from loadpath.scalars.types import Floats


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
