"""What became of a base that was a free body in a simulation: when it left its stance, how far it tilted, whether it
fell, what hit the ground.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.mobile.support import TURNS, edges_of
from loadpath.mobile.tipping import across_edges
from loadpath.scalars.types import Floats
from loadpath.simulate.events import RoverEvent
from loadpath.simulate.result import Simulation

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


@dataclass(frozen=True, eq=False)
class OffThePlane:
    """A simulation whose base was a free body, on springs or off the ground."""

    rover: Rover
    run: Simulation

    @property
    def leaves(self) -> float | None:
        """s: when it first turned over an edge of its wheels, or had none on the ground; None if it never did."""
        rocks = self.run.of_kind("rocks")
        begins = [rocks[0].time] if rocks else []
        off = np.flatnonzero(~(self.run.margin > TURNS * self.rover.arrangement.size))
        begins += [float(self.run.times[off[0]])] if len(off) else []
        return min(begins, default=None)

    @property
    def edge(self) -> str:
        """The contacts over whose edge it turned first, or nothing."""
        rocks = self.run.of_kind("rocks")
        return rocks[0].part if rocks else ""

    @property
    def falls(self) -> float | None:
        """s: when it fell over; None if it did not."""
        if not self.run.tipped:
            return None
        over = self.run.of_kind("tips over")
        return over[0].time if over else float(self.run.times[-1])

    @property
    def flies(self) -> float | None:
        """s: when nothing touched the ground first; None if something always did."""
        presses = self.run.normal.sum(axis=1) + self.run.body_forces.sum(axis=1)
        off = np.flatnonzero(~(presses > 0))
        return float(self.run.times[off[0]]) if len(off) else None

    @property
    def tilt(self) -> Floats:
        """(times,): rad between the base's z axis and the normal of the plane of the ground."""
        x, y, _, _ = self.run.quaternion.T
        angle: Floats = np.arccos(np.clip(1 - 2 * (x * x + y * y), -1.0, 1.0))
        return angle

    @property
    def left_to_fall(self) -> tuple[Floats, Floats]:
        """(times,) each, rad: by how much the base could be turned further, standing still, until its mass center is
        over an edge; and by how much from where it stands flat on the ground. Wheels on links are where they are, and
        held there.
        """
        run = self.run
        edges = self.rover.edges if self.rover.linkage is None else edges_of(run.contact_points)
        center = np.asarray(self.rover.mass_center(run.q)).reshape(-1, 3)
        x, y, z, w = run.quaternion.T
        g = run.gravity
        # Gravity in the frame of the ground, and from there in the axes of a base that stands flat with its heading.
        u = np.stack([x, y, z], axis=-1)
        twice = 2 * np.cross(u, g)
        down = g + w[:, None] * twice + np.cross(u, twice)
        c, s = np.cos(run.pose[:, 2]), np.sin(run.pose[:, 2])
        flat = np.stack([c * down[:, 0] + s * down[:, 1], c * down[:, 1] - s * down[:, 0], down[:, 2]], axis=-1)
        now, standing = (across_edges(edges, center, each) for each in (g, flat))
        angles = [np.where(edges.there, np.arctan2(one.holding, one.potential), np.inf).min(axis=-1)
                  for one in (now, standing)]
        return angles[0], angles[1]

    @property
    def impacts(self) -> tuple[RoverEvent, ...]:
        """What hit the ground."""
        return self.run.of_kind("impacts")

    @property
    def hardest(self) -> RoverEvent | None:
        """The impact with the largest impulse."""
        return max(self.impacts, key=lambda event: event.impulse or 0.0, default=None)

    def restitution(self, contact: str) -> float:
        """Of a contact by its name; that of points of the body is 0."""
        names = self.rover.contact_names
        return self.rover.base.wheels[names.index(contact)].restitution if contact in names else 0.0

    @property
    def impact_words(self) -> str:
        """The hardest impact: "wheel1 hits the ground at 0.2 s with an impulse of 5 N s (restitution 0)"."""
        hit = self.hardest
        if hit is None:
            return ""
        return (f"{hit.part} hits the ground at {hit.time:.3g} s with an impulse of {hit.impulse or math.nan:.4g} N s "
                f"(restitution {self.restitution(hit.part):g})")

    @property
    def words(self) -> str:
        """What became of it, a sentence without its end, with the hardest impact."""
        return f"{self._course}; {self.impact_words}" if self.impacts else self._course

    @property
    def _course(self) -> str:
        leaves, falls = self.leaves, self.falls
        most = int(self.tilt.argmax())
        if leaves is None:
            return f"stays on its wheels, tilted by up to {math.degrees(self.tilt[most]):.3g}°"
        over = f"turns over the edge {self.edge}" if self.edge else "leaves its stance"
        text = f"{over} from {leaves:.4g} s on"
        if self.flies is not None:
            text += f", is in the air at {self.flies:.4g} s"
        text += f", is tilted by up to {math.degrees(self.tilt[most]):.3g}° (at {self.run.times[most]:.4g} s)"
        if falls is not None:
            return f"{text}, and falls over at {falls:.4g} s"
        back = bool(self.run.margin[-1] > TURNS * self.rover.arrangement.size)
        return f"{text}, and {'comes back' if back else 'has not come back by the end'}"
