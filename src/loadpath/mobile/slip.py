"""Friction used against friction available, wheel by wheel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.kinematics import scrub
from loadpath.mobile.loads import State, WheelLoads

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Slip:
    """Friction at every contact, (..., contacts) each; columns follow `names`.

    `used` (N): size of the longitudinal and lateral force together (friction circle). `available` (N): coefficient
    times normal force: static, or sliding where the motion of the base drags the contact (`sliding`). `loads` has the
    forces.
    """

    used: Floats
    available: Floats
    sliding: Bools
    loads: WheelLoads
    names: tuple[str, ...]

    @property
    def ratio(self) -> Floats:
        """(..., contacts): used over available: 1 at the limit; 0 where nothing is asked, infinite where nothing is
        there for what is asked.
        """
        some = self.available > 0
        result: Floats = np.where(some, self.used / np.where(some, self.available, 1.0), 0.0)
        return np.where(~some & (self.used > 0), np.inf, np.where(np.isnan(self.used), np.nan, result))

    @property
    def slips(self) -> Bools:
        """(..., contacts): which contacts cannot hold what is asked of them."""
        result: Bools = self.used > self.available * (1 + 1e-12)
        return result

    @property
    def worst_number(self) -> NDArray[np.intp]:
        """(...): number of the contact with the largest ratio."""
        result: NDArray[np.intp] = np.asarray(self.ratio.argmax(axis=-1))
        return result

    @property
    def worst(self) -> Any:
        """Name of the contact nearest to slipping (...); for one state, a text. Empty where the state has a NaN."""
        bad: Bools = np.asarray(np.isnan(self.used).any(axis=-1))
        found = np.array([*self.names, ""])[np.where(bad, -1, self.worst_number)]
        return found if bad.ndim else str(found)


def slip(rover: Rover, state: State, loads: WheelLoads) -> Slip:
    """Friction used and available in a state."""
    friction = rover.frictions
    speed = np.abs(state.velocity).max(axis=-1, keepdims=True)
    sliding = np.abs(scrub(rover.arrangement, state.placed, state.velocity)) > 1e-9 * speed
    coefficient = np.where(sliding, friction["sliding"], friction["static"])
    used = np.hypot(loads.longitudinal, loads.lateral)
    available = coefficient * np.maximum(loads.normal, 0.0)
    return Slip(used, available, np.broadcast_to(sliding, used.shape), loads, rover.contact_names)
