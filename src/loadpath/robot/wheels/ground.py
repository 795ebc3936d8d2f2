"""The ground under a rover: a plane, level or sloping, with what it has of unevenness, patches of friction and motion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number
from loadpath.robot.wheels.friction import WheelFriction
from loadpath.robot.wheels.ground_motion import GroundMotion, GroundState
from loadpath.robot.wheels.patches import Patch
from loadpath.robot.wheels.surface import HeightMap, Kerb, Ramp, Surface
from loadpath.scalars import Array, Scalar, cos, is_zero, sin, vector
from loadpath.scalars.types import ArrayLike, Floats, Ints


def gravity_on_slope(strength: Scalar, slope: Scalar, heading: Scalar) -> Array:
    """Gravity in base axes, for a base whose x axis is turned by `heading` from the steepest ascent, to the left.

    >>> [round(g, 12) for g in gravity_on_slope(10.0, math.asin(0.6), 0.0)]
    [-6.0, 0.0, -8.0]
    """
    along, down = strength * sin(slope), strength * cos(slope)
    if is_zero(along):
        return vector(0.0, 0.0, -down)
    return vector(-along * cos(heading), along * sin(heading), -down)


@dataclass(frozen=True)
class Ground(Measured):
    """A plane that rises by the angle `slope` (rad), with its own friction and strength of gravity (m/s^2).

    Its frame has x along the steepest ascent and z along the normal. How a base stands on it is its `heading`: the
    angle of the base's x axis against the steepest ascent, about the normal: 0 looks uphill, pi/2 has the uphill
    side on the right, pi looks downhill. On level ground the heading makes no difference. Where it stands is its
    `position` (x, y) (m) in that frame, which counts where the ground is uneven, has patches or turns.

    `friction`, where given, holds for every contact that has none of its own, instead of that of the base.
    `surface` (an `lp.HeightMap`, `lp.Kerb`, `lp.Ramp`, or a sum of them) has heights over the plane. `patches` are
    places with a friction of their own; of those that lie on each other the last counts. `motion` (an
    `lp.GroundMotion`) moves all of it against inertial space.

    >>> Ground(slope=0.3).gravity_in_base(np.pi).round(3).tolist()         # looking downhill, pulled forward
    [2.899, 0.0, -9.372]
    """

    slope: float = field(default=0.0, metadata=measures("angle"))
    friction: WheelFriction | None = field(default=None, metadata=measures(WheelFriction))
    gravity: float = field(default=9.81, metadata=measures("acceleration"))
    surface: Surface | None = field(default=None, metadata=measures(HeightMap, Kerb, Ramp))
    patches: tuple[Patch, ...] = field(default=(), metadata=measures(Patch))
    motion: GroundMotion | None = field(default=None, metadata=measures(GroundMotion))

    def __post_init__(self) -> None:
        slope, gravity = number(self.slope, "slope of the ground"), number(self.gravity, "gravity of the ground")
        if not 0 <= slope < math.pi / 2:
            hint = f"; {slope} degrees are {math.radians(slope):.4g} rad" if slope > 0 else ""
            raise ModelError(f"slope of the ground is {slope} rad: expected 0 to below pi/2, uphill being where the "
                             f"heading counts from{hint}")
        if gravity < 0:
            raise ModelError(f"gravity of the ground is {gravity}: expected its strength, zero or more")
        if self.friction is not None and not isinstance(self.friction, WheelFriction):
            raise ModelError(f"friction of the ground is {self.friction!r}: expected a WheelFriction")
        if self.surface is not None and not isinstance(self.surface, Surface):
            raise ModelError(f"surface of the ground is {self.surface!r}: expected an lp.HeightMap, lp.Kerb, lp.Ramp "
                             "or a sum of them")
        if self.motion is not None and not isinstance(self.motion, GroundMotion):
            raise ModelError(f"motion of the ground is {self.motion!r}: expected an lp.GroundMotion(heave=..., ...)")
        patches = (self.patches,) if isinstance(self.patches, Patch) else self.patches
        patches = tuple(patches) if isinstance(patches, Iterable) else (patches,)
        for patch in patches:
            if not isinstance(patch, Patch):
                raise ModelError(f"patches of the ground have {patch!r}: expected an lp.Patch(corners, friction)")
        object.__setattr__(self, "patches", patches)
        object.__setattr__(self, "slope", slope)
        object.__setattr__(self, "gravity", gravity)

    def gravity_in_base(self, heading: ArrayLike = 0.0) -> NDArray[np.float64]:
        """Gravity (..., 3) in the axes of a base with that heading, which stands on the plane while that does not move;
        where the heading is not a number, none of it is known.
        """
        psi = np.asarray(heading, dtype=float)
        parts = [np.broadcast_to(g, psi.shape) for g in gravity_on_slope(self.gravity, self.slope, psi)]
        return np.stack(parts, axis=-1).astype(float) + np.where(np.isnan(psi), np.nan, 0.0)[..., None]

    @property
    def plane(self) -> Ground:
        """The plane alone: level, with one friction, and at rest."""
        if self.surface is None and not self.patches and self.motion is None:
            return self
        return replace(self, surface=None, patches=(), motion=None)

    @property
    def words(self) -> str:
        """What it is beside level, plain and at rest, as the end of a sentence; empty if nothing.

        >>> Ground(slope=0.1, motion=GroundMotion(heave=1.0)).words
        ', on a slope of 0.1 rad, on ground that moves'
        """
        parts = [f"on a slope of {self.slope:.4g} rad"] if self.slope else []
        parts += ["on uneven ground"] if self.surface is not None else []
        count = len(self.patches)
        parts += [f"with {count} patch{'es' if count > 1 else ''} of friction"] if count else []
        parts += ["on ground that moves"] if self.motion is not None else []
        return "".join(f", {part}" for part in parts)

    def height(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(...): height (m) over the plane at points of it, zero where no surface is given.

        >>> Ground().height([1.0, 2.0], 0.0).tolist()
        [0.0, 0.0]
        """
        flat = 0.0 * (np.asarray(x, dtype=float) + np.asarray(y, dtype=float))
        return np.asarray(flat if self.surface is None else self.surface.height(x, y))

    def normal(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 3): unit vector out of the ground at points of its plane, in its frame.

        >>> Ground().normal(1.0, 2.0).tolist()
        [0.0, 0.0, 1.0]
        """
        if self.surface is not None:
            return self.surface.normal(x, y)
        flat = 0.0 * (np.asarray(x, dtype=float) + np.asarray(y, dtype=float))
        return np.stack([flat, flat, flat + 1.0], axis=-1)

    def patch_number(self, x: ArrayLike, y: ArrayLike) -> Ints:
        """(...): number of the patch that counts at points of the plane, -1 where there is none.

        >>> ice = Patch(((0.0, 0.0), (4.0, 1.0)), WheelFriction(0.1))
        >>> Ground(patches=(ice,)).patch_number([1.0, 1.0], [0.5, -0.5]).tolist()
        [0, -1]
        """
        result = np.full(np.broadcast_shapes(np.shape(x), np.shape(y)), -1)
        for k, patch in enumerate(self.patches):
            result = np.where(patch.contains(x, y), k, result)
        return result

    def friction_at(self, x: float, y: float) -> WheelFriction | None:
        """Friction of the ground at a point of its plane: of the patch there, else that of the whole; None if not
        known.

        >>> ice = Patch(((0.0, 0.0), (4.0, 1.0)), WheelFriction(0.1))
        >>> Ground(friction=WheelFriction(0.7), patches=(ice,)).friction_at(1.0, 0.5).sliding
        0.1
        """
        number = int(self.patch_number(float(x), float(y)))
        return self.friction if number < 0 else self.patches[number].friction

    def state(self, t: ArrayLike = 0.0) -> GroundState:
        """How the ground moves at times (...), s.

        >>> Ground().state(1.0).acceleration.tolist()
        [0.0, 0.0, 0.0]
        """
        return GroundState() if self.motion is None else self.motion.at(t)


__all__ = ["Ground", "GroundMotion", "GroundState", "Patch", "WheelFriction", "gravity_on_slope"]
