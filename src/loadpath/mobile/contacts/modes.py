"""What the contact solver is asked with: what every element and contact does, and where the rover is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import Bools, Floats

Key = tuple[bytes, bytes, bytes, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Mode:
    """What every element and contact does."""

    stuck: Bools
    """(elements,)."""
    direction: tuple[Floats, ...]
    """Of every element the direction in which it slides, a unit vector; of stuck ones, nothing of meaning."""
    touching: Bools
    """(contacts,)."""
    spinning: Floats
    """(contacts,): 1 or -1 where a wheel without spin inertia has lost its grip to its drive, else 0."""
    armed: Bools
    """(elements,): which sliding elements have moved fast enough since they began that stopping would be news."""
    under: tuple[int, ...] = ()
    """Of every contact the number of the patch of the ground on which it stands, -1 beside them; nothing where the
    ground has none."""

    @cached_property
    def key(self) -> Key:
        """What the solver keeps as long as it is the same."""
        return self.stuck.tobytes(), self.touching.tobytes(), self.spinning.tobytes(), self.under

    @cached_property
    def sticks(self) -> bool:
        """Whether anything does."""
        return bool(self.stuck.any())

    @cached_property
    def spins(self) -> bool:
        """Whether any wheel spins without grip."""
        return bool(self.spinning.any())

    @cached_property
    def directions(self) -> Floats:
        """(rows,): the directions one after the other."""
        return np.concatenate(self.direction) if self.direction else np.zeros(0)


class Input(NamedTuple):
    """Where the rover is and what is done to it at one moment."""

    q: Floats
    qd: Floats
    heading: float
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
    """Wrenches on links."""
    brakes: Floats | None = None
    """(contacts,): torques with which their brakes slip."""
    in_space: Floats | None = None
    """(15,): the base in inertial space, where the ground moves: see `loadpath.mobile.base_in_space`."""
    stands: Floats | None = None
    """(contacts, 2): where the contacts are in the frame of the ground (m), where that has patches of friction."""
    swivel: Floats | None = None
    """(casters,): rates of their angles; None: as they follow from U."""


