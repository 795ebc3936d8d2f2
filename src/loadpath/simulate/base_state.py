"""How a base on wheels moves and stands, by the names under which it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, TypedDict

from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import ArrayLike

Steering: TypeAlias = ArrayLike | Mapping[str, ArrayLike] | None
"""Steering angles over all wheels that can be steered, or by their names; None: as the velocity asks."""


class BaseState(TypedDict, total=False):
    """How the base moves and stands; each may be left out."""

    velocity: ArrayLike | None
    acceleration: ArrayLike | None
    heading: ArrayLike | None
    steering: Steering
    external: Mapping[str, Wrench] | None
