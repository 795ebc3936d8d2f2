"""Patches of the ground with a friction of their own: ice, oil, a mat, a steel plate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import numbers
from loadpath.robot.wheels.friction import WheelFriction
from loadpath.scalars.types import ArrayLike, Bools, Floats

Corner = tuple[float, float]


@dataclass(frozen=True)
class Patch(Measured):
    """A part of the ground with its own friction, which counts for every contact that stands on it, before a friction
    of the wheel, of the ground or of the base.

    `corners` (m) are points of the ground's plane, in its frame: two opposite corners of a box along its axes, or three
    or more around a polygon, whose sides do not cross. Its border belongs to it.

    >>> ice = Patch(((0.0, 0.0), (4.0, 1.0)), WheelFriction(0.1))
    >>> ice.contains([2.0, 2.0], [0.5, -0.5]).tolist()
    [True, False]
    """

    corners: tuple[Corner, ...] = field(metadata=measures("length"))
    friction: WheelFriction = field(metadata=measures(WheelFriction))

    def __post_init__(self) -> None:
        if not isinstance(self.friction, WheelFriction):
            raise ModelError(f"friction of a patch is {self.friction!r}: expected a WheelFriction")
        if not isinstance(self.corners, Iterable):
            raise ModelError(f"corners of a patch are {self.corners!r}: expected two points of a box, or three or more "
                             "of a polygon")
        corners = tuple((x, y) for x, y in (numbers(corner, "a corner of a patch", 2) for corner in self.corners))
        if len(corners) < 2:
            raise ModelError(f"a patch has {len(corners)} corners: expected two points of a box, or three or more of a "
                             "polygon")
        object.__setattr__(self, "corners", corners)
        if not abs(self.area) > 0:
            raise ModelError(f"a patch with the corners {list(corners)} has no area")

    @cached_property
    def polygon(self) -> Floats:
        """(corners, 2): all corners, of a box as well."""
        if len(self.corners) > 2:
            return np.array(self.corners)
        (x1, y1), (x2, y2) = self.corners
        return np.array([(x1, y1), (x2, y1), (x2, y2), (x1, y2)])

    @property
    def area(self) -> float:
        """Area (m^2), positive where the corners go counterclockwise."""
        x, y = self.polygon.T
        return float(0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum())

    def contains(self, x: ArrayLike, y: ArrayLike) -> Bools:
        """(...): which points lie in it; those that are not numbers do not."""
        result: Bools = self.distance(x, y) >= 0
        return result

    def distance(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(...): distance (m) of points from the border, positive inside.

        >>> Patch(((0.0, 0.0), (4.0, 1.0)), WheelFriction(0.1)).distance([2.0, 5.0], [0.25, 0.5]).tolist()
        [0.25, -1.0]
        """
        px, py = (part[..., None] for part in np.broadcast_arrays(np.asarray(x, dtype=float),
                                                                  np.asarray(y, dtype=float)))
        start = self.polygon
        side = np.roll(start, -1, axis=0) - start
        dx, dy = px - start[:, 0], py - start[:, 1]
        share = np.clip((dx * side[:, 0] + dy * side[:, 1]) / (side**2).sum(axis=1), 0.0, 1.0)
        least = np.hypot(dx - share * side[:, 0], dy - share * side[:, 1]).min(axis=-1)
        # A ray along x crosses the border an odd number of times from inside.
        crosses = (start[:, 1] > py) != (start[:, 1] + side[:, 1] > py)
        with np.errstate(divide="ignore", invalid="ignore"):
            ahead = dx < side[:, 0] * dy / side[:, 1]
        inside = (crosses & ahead).sum(axis=-1) % 2 == 1
        return np.asarray(np.where(inside, least, -least)) + 0.0
