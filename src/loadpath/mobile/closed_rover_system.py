"""A rover whose robots have loops, as a system for the event-driven stepper.

What contacts hold and what loops hold are rows of one linear system. Those of the loops are put in by other speeds of
the joints: qd = E (s, r), with s along the directions that the loops leave free and r along those that they hold. In
these

    E' M E (sdot, rdot) + E' h = E' tau + ...,        rdot as closed loops ask for it, s sought.

So to the contact solver r is like a joint that moves as given, and it finds base, wheels and s together; what stays as
the force along r is that of the loops, which does no work. E comes from singular values (`closed.manifold`), no joints
are chosen as independent, and nothing happens at dead points. Friction of a joint acts along a row of E: it sticks and
slips whichever joints have drives, and where more joints stick than there are freedoms they share what they hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.applied_wrenches import AppliedWrenches
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.contacts.elements import Elements
from loadpath.mobile.contacts.forces import ContactForces, Decided, Input, Mode, Outcome
from loadpath.mobile.equations import BASE
from loadpath.mobile.guidance import Guidance
from loadpath.mobile.rover_system import RoverSystem
from loadpath.scalars.types import Floats
from loadpath.simulate.closed.manifold import Directions, Manifold
from loadpath.simulate.closed.system import KeptClosed
from loadpath.simulate.drive import Drive


class ClosedElements(Elements):
    """The elements of a rover, friction of joints along the `directions` of the moment."""

    directions: Directions

    def matrix(self, placed: Placed) -> Floats:
        """D (rows, speeds) with contacts in their places and joints in theirs."""
        D = super().matrix(placed)
        for row, column in self._joints:
            D[row, BASE : BASE + self.rover.n] = self.directions.speeds[column - BASE]
        return D


class ClosedForces(ContactForces):
    """The equations of a rover in the directions that its loops leave free and those that they hold."""

    elements: ClosedElements
    closed = True

    def __init__(self, manifold: Manifold, *contacts: Any) -> None:
        """`contacts`: as of all rovers."""
        super().__init__(*contacts)
        self.manifold = manifold
        self._joints = slice(BASE, BASE + self.rover.n)
        self._known: tuple[Floats, Floats, Directions] | None = None

    def turn_to(self, q: Floats, qd: Floats) -> Directions:
        """Take the directions of a state."""
        known = self._known
        if known is None or not (np.array_equal(known[0], q) and np.array_equal(known[1], qd)):
            known = self._known = q.copy(), qd.copy(), self.manifold.directions(q, qd)
        self.elements.directions = known[2]
        return known[2]

    def evaluate(self, at: Input, mode: Mode) -> Outcome:
        """Accelerations and forces in a state."""
        self.turn_to(at.q, at.qd)
        return super().evaluate(at, mode)

    def speeds_of_joints(self, U: Floats, qd: Floats) -> Floats:
        """The speeds of the joints are along other directions than U, and are kept with the loops."""
        return qd

    def without_loops(self, reaction: Floats) -> Floats:
        """Forces of loops do no work, and are none of what holds given speeds."""
        reaction[self._joints] = 0.0
        return reaction

    def _equations(self, at: Input, external: Any) -> Floats:
        in_joints = at.U.copy()
        in_joints[self._joints] = at.qd
        row = super()._equations(at._replace(U=in_joints), external)
        along = self.layout.equations.equations(row).along(self.elements.directions)
        return np.concatenate([*(part.ravel() for part in along), row[self.layout.equations.rates]])

    def geometry(self, at: Input, of: Decided) -> Floats:
        row = super().geometry(at, of)
        if self.elements.count > self.elements.contact_rows:  # rows of joints turn with their directions
            row = row.copy()
            row[self.layout.geometry.at["D"]] = self.elements.matrix(self.placed(at.angles)).ravel()
        return row

    def decided(self, mode: Mode) -> Decided:
        return super().decided(mode)._replace(steady=False)


class ClosedRoverSystem(KeptClosed[Mode], RoverSystem):
    """One rover with loops, and its drives."""

    forces: ClosedForces

    def __init__(
        self, forces: ClosedForces, guidance: Guidance, drive: Drive, applied: AppliedWrenches, begin: float,
        q: Floats, *, strict: bool,
    ) -> None:
        super().__init__(forces, guidance, drive, applied, begin)
        self.keep_closed(forces.manifold, forces.rover.robot, q, strict=strict)
        self._joints = slice(BASE, BASE + self.rover.n)

    def joints_of(self, y: Floats) -> tuple[Floats, Floats]:
        """q and qd."""
        return y[self._q], y[self._U][self._joints]

    def stuck_joints(self, mode: Mode) -> NDArray[np.intp]:
        """Numbers of the speeds that friction holds at zero."""
        every = self.elements.all
        return np.array([e.joint for i, e in enumerate(every) if e.joint >= 0 and mode.stuck[i]], dtype=np.intp)

    def input(self, t: float, y: Floats) -> Input:
        """What the equations need, in the directions of the state."""
        at = super().input(t, y)
        directions = self.forces.turn_to(at.q, at.qd)
        U, given = at.U.copy(), at.given.copy()
        U[self._joints] = directions.along @ at.qd
        given[self._joints] = directions.held
        return at._replace(U=U, given=given, tau=directions.speeds.T @ at.tau)

    def _input(self, t: float, y: Floats) -> Input:
        at = super()._input(t, y)
        self.forces.turn_to(at.q, at.qd)
        return at

    def in_joints(self, at: Input, speeds: Floats) -> Floats:
        """Speeds or accelerations of base, joints and wheels from those along the directions."""
        result = speeds.copy()
        result[self._joints] = self.forces.turn_to(at.q, at.qd).speeds @ speeds[self._joints]
        return result

    def joint_forces(self, at: Input, outcome: Outcome) -> Floats:
        """Forces along the joints."""
        result: Floats = self.forces.turn_to(at.q, at.qd).along.T @ at.tau
        return result

    def failed(self, t: float, y: Floats, mode: Mode, problem: str) -> str:
        """The bifurcation that it runs into, or where the base is and the speeds."""
        return self.near_bifurcation(y) or super().failed(t, y, mode, problem)


__all__ = ["ClosedElements", "ClosedForces", "ClosedRoverSystem"]
