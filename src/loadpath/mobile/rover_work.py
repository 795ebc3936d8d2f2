"""Where the power goes while a rover is simulated: what drives and surroundings put in, what friction takes out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loadpath.mobile.arrangement import Placed
from loadpath.mobile.contacts.forces import ContactForces, Input, Outcome
from loadpath.mobile.contacts.layout import WORKS, viscous_of, works_of
from loadpath.mobile.contacts.switching import Settled
from loadpath.mobile.equations import BASE
from loadpath.mobile.guidance import Guidance
from loadpath.scalars.types import Floats

_DRIVE, _WHEEL, _EXTERNAL, _ON_BASE, _SLIDING, _ROLLING, _JOINT = range(len(WORKS))


class RoverWork:
    """Powers and works of one rover with its drives."""

    def __init__(self, forces: ContactForces, guidance: Guidance) -> None:
        self.forces, self.guidance = forces, guidance
        self.rover, self.elements = forces.rover, forces.elements
        self._viscous = viscous_of(self.rover)
        self.names = works_of(self.elements)
        """Of the works that are integrated."""
        self._heats = np.zeros((len(self.names), self.elements.count))
        """(works, rows): -1 where the heat of a row's element belongs."""
        for e in self.elements.all:
            self._heats[self.names.index(e.heat), e.rows] = -1.0

    def torques_of(self, samples: Sequence[tuple[Input, Outcome]]) -> tuple[Floats, Floats]:
        """(samples, contacts) each: torques of drives and of brakes."""
        torques = np.array([at.wheel_torques for at, _ in samples])
        if self.guidance.drives.rates:
            torques = np.array([self._wheel_torques(at, outcome) for at, outcome in samples])
        brakes = np.zeros(torques.shape)
        if "brake" in self.names:
            brakes = np.array([self._brake_torques(outcome) for _, outcome in samples])
        return torques, brakes

    def _wheel_torques(self, at: Input, outcome: Outcome) -> Floats:
        """(contacts,): torques of the wheels' drives; where the rate is given, what that takes."""
        torques, reaction = at.wheel_torques.copy(), outcome.reaction
        for k in self.guidance.drives.rates:
            column = self.elements.spin_at[k]
            pieces = self.elements.members[column - BASE - self.rover.n].sum()  # each of a track has its share
            torques[k] = reaction[column] / pieces + self._resistance(k, at, outcome)
        return torques

    def _resistance(self, k: int, at: Input, outcome: Outcome) -> float:
        """Torque against the rolling resistance of a wheel whose rate is given."""
        resists = outcome.friction.contacts["rolling"][k] * self.forces.resisting_arm(k) * max(outcome.normal[k], 0.0)
        return float(resists * np.sign(at.U[self.elements.spin_at[k]]))

    def rates_of(self, placed: Placed, U: Floats) -> Floats:
        """(..., contacts): rates of the wheels that have one at speeds U (..., speeds): those that are speeds of their
        own, and what others have from their rolling.
        """
        rates: Floats = (self.rover.arrangement.rate_rows(placed) @ U[..., :BASE, None])[..., 0]
        for k, column in self.elements.spin_at.items():
            rates[..., k] = U[..., column]
        return rates

    def _brake_torques(self, outcome: Outcome) -> Floats:
        """(contacts,): torques of the wheels' brakes, in the sense of their rates; equal ones of pieces of a track."""
        torques = np.zeros(len(self.rover.contact_names))
        for e in self.elements.all:
            if e.axle >= 0:
                members = self.elements.members[self.elements.spin_at[e.axle] - BASE - self.rover.n]
                torques += outcome.forces[e.rows.start] * members / members.sum()
        return torques

    def put_in(self, power: Floats, at: Input, outcome: Outcome) -> None:
        """Puts in the powers, into every one of the `WORKS`, that the compiled motion does not have: of external
        wrenches, of ground that moves, and of viscous friction in loops.
        """
        if self.forces.closed and self.rover.n:
            power[_JOINT] += self._viscous @ at.qd**2
        if outcome.applied is not None:
            power[_EXTERNAL] += outcome.applied @ at.U
        if outcome.carried is not None:
            power[_ON_BASE] += outcome.carried @ at.U

    def at_once(self, settled: Settled, before: Floats) -> Floats:
        """What friction and what holds the given speeds do while slip is taken out."""
        p, U, n = settled.impulse, (before + settled.U) / 2, self.rover.n
        D = settled.outcome.D
        work: Floats = self._heats @ (p * (D @ U))
        given = np.zeros(len(U))
        given[self.forces.fixed] = -(D.T @ p * U)[self.forces.fixed]
        work[_ON_BASE] = given[:BASE].sum()
        work[_DRIVE] = given[BASE : BASE + n].sum()
        work[_WHEEL] = given[BASE + n :].sum()
        return work


__all__ = ["WORKS", "RoverWork"]
