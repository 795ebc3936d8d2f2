"""Accelerations and forces of a rover in one state, while every contact keeps doing what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.contacts.modes import Input, Mode
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.mobile.contacts.elements import Coefficients
    from loadpath.mobile.contacts.forces import ContactForces, Decided
    from loadpath.mobile.contacts.holding import Holding


class Shares(NamedTuple):
    """Forces of the stuck elements, which share what they hold by `sharing`."""

    forces: Floats
    """(rows of the stuck elements,)."""
    reserve: float
    """1 where all are within their limits by compliance alone, positive as long as there is any share within all
    limits, towards zero the more the contacts creep; negative where there is none."""
    slips: Bools
    """(elements,): which begin to slip where there is none."""


class Evaluated(NamedTuple):
    """What an outcome was computed from."""

    at: Input
    mode: Mode
    of: Decided
    holding: Holding
    geometry: Floats
    """The row that `Layout.geometry` describes."""
    equations: Floats
    """The row of `EquationsRow`."""
    asked: Floats
    """(pulled,): forces along their tractions that drives ask for."""
    change: Floats | None
    """Rate of D times U; None where it was not needed."""


class Outcome:
    """Accelerations and forces. What an integrator does not need is computed where it is asked for."""

    def __init__(self, owner: ContactForces, of: Evaluated, row: Floats, strife: float) -> None:
        self._owner, self._of, self.row = owner, of, row
        self.strife = strife
        """How far what sticks cannot stick together, in shares of what is rounding: up to 1 it can."""
        self.applied: Floats | None = None
        """(speeds,): forces of external wrenches along every speed; None where there are none."""
        self.carried: Floats | None = None
        """(speeds,): inertial forces of ground that moves, and what its turning makes of gravity, along every speed;
        None where it stands."""

    def _part(self, name: str) -> Floats:
        part: Floats = self.row[self._owner.layout.result.at[name]]
        return part

    @cached_property
    def Udot(self) -> Floats:
        """(speeds,)."""
        return self._part("Udot")

    @cached_property
    def normal(self) -> Floats:
        """(contacts,)."""
        return self._part("normal")

    @cached_property
    def sinkage(self) -> Floats:
        """(contacts,): how far the base sinks in at each contact, in proportion: negative at those that are lifted."""
        return self._part("sinkage")

    @cached_property
    def vertical(self) -> Floats:
        """(3,): F_z, N_x, N_y."""
        return self._part("vertical")

    @cached_property
    def slip(self) -> Floats:
        """(rows,): D U."""
        return self._part("slip")

    @cached_property
    def sliding(self) -> Floats:
        """(rows,): forces of what slides; zero of what sticks."""
        return self._part("sliding")

    @property
    def along(self) -> Floats:
        """(elements,): how fast each slides, negative where it has turned round from the direction of the mode."""
        return self._part("along")

    @property
    def loaded(self) -> Floats:
        """(contacts,): shares of the normal forces in the sum of their sizes."""
        return self._part("loaded")

    @cached_property
    def D(self) -> Floats:
        """(rows, speeds)."""
        return self._owner.rows_in(self._of.geometry)

    @property
    def equations(self) -> Floats:
        """The row of `EquationsRow`."""
        return self._of.equations

    @cached_property
    def M(self) -> Floats:
        """(speeds, speeds)."""
        return self._owner.mass_matrix(self._of.equations)

    @cached_property
    def placed(self) -> Placed:
        """Where the contacts are."""
        return self._owner.placed(self._of.at.angles)

    @property
    def friction(self) -> Coefficients:
        """Where the contacts stand."""
        return self._of.of.friction

    @property
    def consistent(self) -> bool:
        """Whether all that stick can stick together."""
        return self.strife <= 1.0

    @cached_property
    def slip_rate(self) -> Floats:
        """(rows,)."""
        rate: Floats = self.D @ self.Udot
        change = self._of.change if self._of.change is not None else self._owner.change(self._of.at, self._of.geometry)
        return rate if change is None else rate + change

    @cached_property
    def _driven(self) -> Floats:
        """(contacts,): force along their traction of wheels whose rates follow from their rolling, by their drives and
        by what resists while it moves."""
        owner, of = self._owner, self._of.of
        pull, pulled = np.zeros(len(self.normal)), owner.elements.pulled
        if len(pulled):
            pull[pulled] = owner.pulling(self._of.asked, self.sliding, self.normal, of, self._of.mode)
        return pull

    @cached_property
    def limits(self) -> Floats:
        """(elements,): most that each can hold, were it at rest."""
        return self._owner.limits(self.normal, self._driven, self._of.at, self.friction)

    @cached_property
    def held(self) -> Floats:
        """(speeds,): what is held together along each, by what sticks and by what gives speeds."""
        return self._part("held")

    @cached_property
    def shares(self) -> Shares:
        """How the stuck elements share what they hold."""
        return self._owner.shared(self.row, self._of.holding, self._of.mode, self._of.of, lambda: self.limits)

    @cached_property
    def forces(self) -> Floats:
        """(rows,): of all elements, holding or sliding."""
        rows = self._of.of.rows
        if not len(rows):
            return self.sliding
        forces = self.sliding.copy()
        forces[rows] = self.shares.forces
        return forces

    @cached_property
    def pull(self) -> Floats:
        """(contacts,): force along their traction of wheels whose rates follow from their rolling."""
        rows, owner = self._of.of.rows, self._owner
        if not len(rows) or not len(owner.elements.pulled):
            return self._driven
        pull, held = self._driven.copy(), np.zeros(len(self.sliding))  # resistance at rest is a force of the ground
        held[rows] = self.shares.forces
        pull[owner.elements.pulled] += owner.resists_axle @ held
        return pull

    @cached_property
    def reaction(self) -> Floats:
        """(speeds,): force along every speed that is given or held, for it to be so."""
        owner, rows, fixed = self._owner, self._of.of.rows, self._owner.fixed
        result = np.zeros(len(self.Udot))
        if len(fixed):
            result[fixed] = self.held[fixed]
            if len(rows):
                result[fixed] -= self.shares.forces @ self.D[np.ix_(rows, fixed)]
        return owner.without_loops(result)


__all__ = ["Evaluated", "Outcome", "Shares"]
