"""The motion within a mode whose numbers stay the same from one state to the next: what an integrator asks for most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.mobile.equations import BASE
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.contacts.forces import ContactForces
    from loadpath.mobile.contacts.modes import Input, Mode


class SteadyMotion:
    """Rates of a mode at states in which nothing is given but the forces of drives. It has the numbers of the mode at
    hand, and calls the compiled programs with them: the same ones, in the same order as `ContactForces.evaluate`.
    """

    def __init__(self, forces: ContactForces, at: Input, mode: Mode) -> None:
        self.mode, self._forces = mode, forces
        of = forces.decided(mode)
        geometry = forces.geometry(at, of)
        held = forces.held_by(mode, of, geometry)
        self._off = held.off if len(of.rows) else None
        self._numbers = forces.numbers_of(at, mode, of, held)
        self._of, self._geometry = of, of.geometry
        self._own = BASE + forces.rover.n

    def rates(self, q: Floats, U: Floats, heading: Floats, angles: Floats, tau: Floats, torques: Floats) -> Floats:
        """The row of `Layout.result`: `heading` is (1,), `angles` are those of steerable wheels."""
        forces, of = self._forces, self._of
        forces.evaluations += 1
        forces.spend(1)
        if self._off is not None:
            U = U - self._off.dot(U)
        equations = forces.kernel(q, U[: self._own], heading)
        geometry = self._geometry
        if geometry is None:
            assert forces.contact_geometry is not None
            geometry = forces.contact_geometry(angles, U[:BASE], of.carrying)
        given, _ = forces.pushed(tau, torques, of, geometry)
        return forces.solved((heading, U, equations, geometry, given), self._numbers)


__all__ = ["SteadyMotion"]
