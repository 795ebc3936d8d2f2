"""The wheels of a base as arrays: where they touch the ground and which way they roll, at any steering angles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.base import WheeledBase
from loadpath.mobile.motions import as_numbers, velocity_at
from loadpath.mobile.wheels import CasterWheel, Contact, FixedWheel, OmniWheel, SteeredWheel, Support, Wheel

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Placed(NamedTuple):
    """Contacts at given steering angles, in base axes; without batch axes where nothing can be steered."""

    points: Floats
    """(..., contacts, 2): where they touch the ground."""
    forward: Floats
    """(..., contacts, 2): unit vectors along which they roll."""

    @property
    def left(self) -> Floats:
        """(..., contacts, 2): unit vectors across, to the left: along the axles."""
        return np.stack([-self.forward[..., 1], self.forward[..., 0]], axis=-1)


@dataclass(frozen=True)
class Arrangement:
    """The contacts of a base, kind by kind."""

    base: WheeledBase

    def _each(self, part: str, default: float = 0.0) -> Floats:
        return np.array([float(getattr(wheel, part, default)) for wheel in self.base.wheels])

    def _are(self, kind: type[Contact]) -> Bools:
        return np.array([isinstance(wheel, kind) for wheel in self.base.wheels])

    @cached_property
    def pivots(self) -> Floats:
        """(contacts, 2)."""
        return self.base.positions

    @cached_property
    def casters(self) -> Bools:
        """Which contacts are casters."""
        return self._are(CasterWheel)

    @cached_property
    def steered(self) -> Bools:
        """Which have a steering drive."""
        return self._are(SteeredWheel)

    @cached_property
    def omni(self) -> Bools:
        """Which have rollers."""
        return self._are(OmniWheel)

    @cached_property
    def supports(self) -> Bools:
        """Which are feet."""
        return self._are(Support)

    @cached_property
    def holds_across(self) -> Bools:
        """Which hold across their rolling direction: fixed and steered wheels, and feet."""
        return (self._are(FixedWheel) & ~self.omni) | self.steered | self.supports

    @cached_property
    def axled(self) -> Bools:
        """Wheels whose rate is tied to the motion of the base alone: all but casters."""
        return self._are(Wheel) & ~self.casters

    @cached_property
    def driven(self) -> Bools:
        """Which have a drive or brake."""
        return self._each("driven") > 0

    @cached_property
    def steerable(self) -> NDArray[np.intp]:
        """Numbers of the contacts with a steering angle: steered wheels and casters."""
        return np.flatnonzero(self.steered | self.casters)

    @cached_property
    def radius(self) -> Floats:
        """(contacts,); 1 for feet, which have none."""
        return self._each("radius", 1.0)

    @cached_property
    def trail(self) -> Floats:
        """(contacts,)."""
        return self._each("trail")

    @cached_property
    def direction(self) -> Floats:
        """(contacts,): rolling direction of wheels that are not steerable."""
        return self._each("direction")

    @cached_property
    def roller_angle(self) -> Floats:
        """(contacts,); 0 for wheels without rollers."""
        return self._each("roller_angle")

    @cached_property
    def spin_inertia(self) -> Floats:
        """(contacts,)."""
        return self._each("spin_inertia")

    @cached_property
    def compliance(self) -> Floats:
        """(contacts,)."""
        return self._each("compliance")

    @cached_property
    def grip_compliance(self) -> Floats:
        """(contacts,)."""
        return self._each("grip_compliance")

    @cached_property
    def size(self) -> float:
        """Root mean square distance of the contacts from their middle: a length to weigh turning against moving."""
        return float(np.sqrt(((self.pivots - self.pivots.mean(axis=0)) ** 2).sum(axis=1).mean()))

    @cached_property
    def at_rest(self) -> Placed:
        """With every steering angle zero."""
        return self.placed(np.zeros(len(self.steerable)))

    @cached_property
    def fixed_points(self) -> bool:
        """Whether the contacts stay where they are: no caster trails."""
        return not self.trail.any()

    def read_steering(self, steering: Any) -> Floats:
        """Steering angles as an array (..., steerable); from a mapping by names of wheels, zero where not named."""
        count = len(self.steerable)
        if isinstance(steering, Mapping):
            return self._steering_by_names(steering)
        angles = as_numbers(steering, "steering")
        if angles.ndim == 0 or angles.shape[-1] != count:
            names = ", ".join(f"'{self.base.contact_names[k]}'" for k in self.steerable) or "none"
            raise ValueError(f"steering has the shape {angles.shape}: expected (..., {count}), an angle to the base's "
                             f"x axis for each wheel that can be steered ({names})")  # fmt: skip
        return angles

    def _steering_by_names(self, steering: Mapping[str, Any]) -> Floats:
        names = [self.base.contact_names[k] for k in self.steerable]
        wrong = [name for name in steering if name not in names]
        if wrong:
            raise ValueError(f"steering names '{wrong[0]}'; there are {', '.join(names) or 'none that can be steered'}")
        given = {name: as_numbers(value, f"steering of '{name}'") for name, value in steering.items()}
        angles = np.zeros((*np.broadcast_shapes(*(value.shape for value in given.values())), len(names)))
        for name, value in given.items():
            angles[..., names.index(name)] = value
        return angles

    def aligned(self, velocity: Floats) -> Floats:
        """Steering angles (..., steerable) of wheels that roll with their pivots, 0 for pivots at rest: casters trail
        behind the velocity; steered wheels turn no further than a quarter turn and roll backwards rather.
        """
        at = velocity_at(velocity, self.pivots[self.steerable])
        angles = np.arctan2(at[..., 1], at[..., 0])
        angles = np.where((at == 0).all(axis=-1), 0.0, angles)
        beyond = np.abs(angles) > np.pi / 2
        folded = angles - np.where(beyond, np.copysign(np.pi, angles), 0.0)
        return np.where(self.steered[self.steerable], folded, angles)

    def placed(self, steering: Floats) -> Placed:
        """Where the contacts are and which way they roll at steering angles (..., steerable)."""
        forward = np.empty((*steering.shape[:-1], len(self.direction), 2))
        forward[..., 0], forward[..., 1] = np.cos(self.direction), np.sin(self.direction)
        for i, k in enumerate(self.steerable):
            forward[..., k, 0], forward[..., k, 1] = np.cos(steering[..., i]), np.sin(steering[..., i])
        points = self.pivots if self.fixed_points else self.pivots - self.trail[:, None] * forward
        return Placed(points, forward)

    def grip(self, placed: Placed) -> Floats:
        """(..., contacts, 2): direction in which a driven wheel pushes: forward, or along the roller's axis."""
        if not self.roller_angle.any():
            return placed.forward
        c, s = np.cos(self.roller_angle)[:, None], np.sin(self.roller_angle)[:, None]
        return c * placed.forward + s * placed.left
