"""How a base on wheels moves and stands, by the names under which it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from loadpath.quantities.wrench import Wrench
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import ArrayLike, Bools, Floats

Steering: TypeAlias = ArrayLike | Mapping[str, ArrayLike] | None
"""Steering angles over all wheels that can be steered, or by their names; None: as the velocity asks."""


@dataclass(frozen=True, eq=False)
class FreeBase:
    """A base that was a free body in a simulation, (samples, ...) each: how it moved against inertial space, in base
    axes, and the forces of the ground on it. Loads of such states are these: they do not follow from the motion.
    """

    gravity: Floats
    """(samples, 3)."""
    velocity: Floats
    """(samples, 6): of its origin, and angular."""
    acceleration: Floats
    wrench: Floats
    """(samples, 6): force of the ground, and its moment about the origin, of all that touches it."""
    frames: Floats
    """(samples, contacts, 3, 4): directions forward, to the left and normal, and the point that touches."""
    normal: Floats
    """(samples, contacts)."""
    longitudinal: Floats
    lateral: Floats
    wheel_torques: Floats
    wheel_rates: Floats
    wheel_accelerations: Floats
    sliding: Bools
    forces: Floats
    """(samples, contacts, 3): of the ground on each contact, of all pieces of ground that it touches."""

    def rows(self, some: slice | NDArray[np.intp]) -> FreeBase:
        """Some of the samples."""
        return FreeBase(**{part.name: getattr(self, part.name)[some] for part in fields(self)})

    @property
    def points(self) -> Floats:
        """(samples, contacts, 2): where the contacts touch, along x and y of the base."""
        return self.frames[..., :2, 3]

    @property
    def vertical(self) -> Floats:
        """(samples, 3): the sum of the normal forces, and their moments about x and y."""
        x, y = self.points[..., 0], self.points[..., 1]
        parts: list[Any] = [self.normal, self.normal * y, -self.normal * x]
        return np.stack([part.sum(axis=-1) for part in parts], axis=-1)


class BaseState(TypedDict, total=False):
    """How the base moves and stands; each may be left out."""

    velocity: ArrayLike | None
    acceleration: ArrayLike | None
    heading: ArrayLike | None
    position: ArrayLike | None
    """(..., 2): x and y of the base's origin, in the frame of the ground (m)."""
    time: ArrayLike | None
    """(...): s, where the ground moves."""
    ground_state: GroundState | None
    """How the ground moves at this instant, in place of its motion over time."""
    heights: ArrayLike | Mapping[str, ArrayLike] | None
    """By names of contacts, or (..., contacts): how much higher the ground is under them than its surface (m): blocks,
    planks, jacks that are out.
    """
    steering: Steering
    in_space: FreeBase | None
    """What a simulation has of a base that was a free body in it: `simulation.base_state` brings it."""
    external: Mapping[str, Wrench] | None
