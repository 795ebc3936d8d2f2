"""A free base whose robots have loops, as a system for the event-driven stepper.

As on the plane (`closed_rover_system`), the speeds of the joints count along the directions that the loops leave free
and those that they hold: what is held is given, like a joint that moves as given, and the forces along it are those of
the loops, which do no work. y has the joints themselves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.applied_wrenches import AppliedWrenches
from loadpath.mobile.contacts.forces import Mode
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.guidance import Guidance
from loadpath.mobile.spatial.forces import SpatialForces
from loadpath.mobile.spatial.input import Input
from loadpath.mobile.spatial.system import SpatialSystem
from loadpath.scalars.types import Floats
from loadpath.simulate.closed.manifold import Directions, Manifold
from loadpath.simulate.closed.system import KeptClosed
from loadpath.simulate.drive import Drive


class ClosedSpatialSystem(KeptClosed[Mode], SpatialSystem):
    """One rover with loops, and its drives."""

    def __init__(
        self, manifold: Manifold, forces: SpatialForces, guidance: Guidance, drive: Drive, applied: AppliedWrenches,
        begin: float, q: Floats, *, strict: bool,
    ) -> None:
        super().__init__(forces, guidance, drive, applied, begin)
        self.keep_closed(manifold, forces.rover.robot, q, strict=strict)
        self._known: tuple[Floats, Floats, Directions] | None = None

    def joints_of(self, y: Floats) -> tuple[Floats, Floats]:
        """q and qd."""
        return y[self._q], y[self._U][SPATIAL : SPATIAL + self.rover.n]

    def stuck_joints(self, mode: Mode) -> NDArray[np.intp]:
        """Numbers of the speeds that friction holds at zero."""
        every = self.contacts.every
        return np.array([e.joint for i, e in enumerate(every) if e.joint >= 0 and mode.stuck[i]], dtype=np.intp)

    def input(self, t: float, y: Floats) -> Input:
        """What the equations need, in the directions of the state."""
        at = super().input(t, y)
        at = at._replace(directions=self._directions(at.q, at.qd))
        assert at.directions is not None
        given = at.given.copy()
        given[SPATIAL : SPATIAL + self.rover.n] = at.directions.held
        return at._replace(U=at.along(at.U), given=given)

    def _directions(self, q: Floats, qd: Floats) -> Directions:
        known = self._known
        if known is None or not (np.array_equal(known[0], q) and np.array_equal(known[1], qd)):
            known = self._known = q.copy(), qd.copy(), self.manifold.directions(q, qd)
        return known[2]

    def on_loops(self, q: Floats) -> Floats:
        """The coordinates with closed loops."""
        return self.manifold.closed(q)

    def project(self, t: float, y: Floats, mode: Mode) -> Floats:
        """The nearest state with closed loops, whose contacts touch without gap, and stick without slip."""
        return SpatialSystem.project(self, t, KeptClosed.project(self, t, y, mode), mode)

    def passed(self, begin: float, end: float, at: Callable[[float], Floats], mode: Mode) -> None:
        """Look for dead points and bifurcations."""
        KeptClosed.passed(self, begin, end, at, mode)

    def failed(self, t: float, y: Floats, mode: Mode, problem: str) -> str:
        """The bifurcation that it runs into, or where the base is and the speeds."""
        return self.near_bifurcation(y) or super().failed(t, y, mode, problem)


__all__ = ["ClosedSpatialSystem"]
