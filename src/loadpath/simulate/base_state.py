"""How a base on wheels moves and stands, by the names under which it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, TypedDict

from loadpath.quantities.wrench import Wrench
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import ArrayLike

Steering: TypeAlias = ArrayLike | Mapping[str, ArrayLike] | None
"""Steering angles over all wheels that can be steered, or by their names; None: as the velocity asks."""


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
    external: Mapping[str, Wrench] | None
