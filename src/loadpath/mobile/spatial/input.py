"""Where a free base is and what is done to it at one moment: what contacts, springs and equations are functions of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from loadpath.quantities.wrench import Wrench
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import Floats


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
    """(speeds,), given ones included."""
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
