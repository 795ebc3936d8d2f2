"""Where a free base is and what is done to it at one moment: what contacts, springs and equations are functions of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.quantities.wrench import Wrench
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import Floats
from loadpath.simulate.closed.manifold import Directions


class Place(NamedTuple):
    """Where the base frame is in the frame of the ground."""

    position: Floats
    rotation: Floats
    """(3, 3): base axes as its columns."""


class Input(NamedTuple):
    """Where the rover is and what is done to it at one moment."""

    t: float
    q: Floats
    qd: Floats
    place: Place
    U: Floats
    """(speeds,), given ones included; of joints with loops along the `directions`."""
    given: Floats
    """(speeds,): accelerations of the speeds that are given."""
    tau: Floats
    wheel_torques: Floats
    angles: Floats
    """(steerable,)."""
    angle_rates: Floats
    external: Mapping[str, Wrench] | None
    inner: Floats
    """Internal states of springs (deflections of suspensions), which have rates of their own."""
    brakes: Floats | None = None
    """(wheels,): torques with which their brakes slip."""
    ground: GroundState | None = None
    """How the ground moves, where that is not what its motion says at t."""
    directions: Directions | None = None
    """Along which the speeds of joints count that loops tie to each other, instead of along the joints."""

    def in_joints(self, speeds: Floats) -> Floats:
        """Speeds or accelerations (speeds,) with those of the joints along the joints."""
        return speeds if self.directions is None else self._turned(speeds, self.directions.speeds)

    def along(self, speeds: Floats) -> Floats:
        """The same with those of the joints along the directions."""
        return speeds if self.directions is None else self._turned(speeds, self.directions.along)

    def forces_along(self, forces: Floats) -> Floats:
        """Forces (..., speeds), or rows of them, with those of the joints along the directions."""
        return forces if self.directions is None else self._turned(forces, self.directions.speeds.T)

    def _turned(self, values: Floats, matrix: Floats) -> Floats:
        joints = slice(SPATIAL, SPATIAL + len(matrix))
        result = values.copy()
        result[..., joints] = values[..., joints] @ matrix.T
        return result
