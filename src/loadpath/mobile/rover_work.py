"""Where the power goes while a rover is simulated: what drives and surroundings put in, what friction takes out."""

from __future__ import annotations

import numpy as np

from loadpath.mobile.arrangement import Placed
from loadpath.mobile.contacts.forces import ContactForces, Input, Mode, Outcome
from loadpath.mobile.contacts.switching import Settled
from loadpath.mobile.equations import BASE
from loadpath.mobile.guidance import Guidance
from loadpath.robot.mechanism import plain
from loadpath.scalars import array
from loadpath.scalars.types import Floats
from loadpath.simulate.power_flow import viscous_forces

WORKS = ("drive", "wheel", "external", "base", "sliding", "rolling", "joint")
"""What is integrated along with the motion: work of drives of robots and of wheels, of external wrenches, of what moves
the base, the motion of the ground among it; heat of sliding, of rolling, of joints; and of brakes of wheels, where
there are any."""
_DRIVE, _WHEEL, _EXTERNAL, _ON_BASE, _SLIDING, _ROLLING, _JOINT = range(len(WORKS))


class RoverWork:
    """Powers and works of one rover with its drives."""

    def __init__(self, forces: ContactForces, guidance: Guidance) -> None:
        self.forces, self.guidance = forces, guidance
        self.rover, self.elements = forces.rover, forces.elements
        self._viscous = np.array(viscous_forces(plain(self.rover.robot), array([1.0] * self.rover.n)), dtype=float)
        rolls = [self.rover.rolling_friction[k] > 0 for k in range(len(self.rover.contact_names))]
        icy = any(patch.friction.rolling > 0 for patch in self.rover.ground.patches)
        self._rolls_by_rate = [k for k in guidance.drives.rates if rolls[k] or icy]
        self._joints = slice(BASE, BASE + self.rover.n)
        self._given = len(forces.fixed) > 0
        self.names = (*WORKS, "brake") if any(e.axle >= 0 for e in self.elements.all) else WORKS
        """Of the works that are integrated."""
        self._heats = np.zeros((len(self.names), self.elements.count))
        """(works, rows): -1 where the heat of a row's element belongs."""
        for e in self.elements.all:
            self._heats[self.names.index(e.heat), e.rows] = -1.0

    def wheel_torques(self, at: Input, outcome: Outcome) -> Floats:
        """(contacts,): torques of the wheels' drives; where the rate is given, what that takes."""
        return self._torques(at, outcome, outcome.reaction)

    def _torques(self, at: Input, outcome: Outcome, reaction: Floats) -> Floats:
        torques = at.wheel_torques.copy()
        for k in self.guidance.drives.rates:
            column = self.elements.spin_at[k]
            pieces = self.elements.members[column - BASE - self.rover.n].sum()  # each of a track has its share
            torques[k] = reaction[column] / pieces + self._resistance(k, at, outcome)
        return torques

    def _resistance(self, k: int, at: Input, outcome: Outcome) -> float:
        """Torque against the rolling resistance of a wheel whose rate is given."""
        if k not in self._rolls_by_rate:
            return 0.0
        resists = outcome.friction.contacts["rolling"][k] * max(outcome.normal[k], 0.0)
        inside = [group[0].spin for group in self.rover.base.wheels[k].resistance() if not group[0].on_ground]
        return float(resists * sum(inside) * np.sign(at.U[self.elements.spin_at[k]]))

    def wheel_rates(self, at: Input, outcome: Outcome) -> Floats:
        """(contacts,): rates of the wheels that have one."""
        return self.rates_of(outcome.placed, at.U)

    def rates_of(self, placed: Placed, U: Floats) -> Floats:
        """The same at speeds U: those that are speeds of their own, and what others have from their rolling."""
        rates: Floats = self.rover.arrangement.rate_rows(placed) @ U[:BASE]
        for k, column in self.elements.spin_at.items():
            rates[k] = U[column]
        return rates

    def brake_torques(self, at: Input, outcome: Outcome) -> Floats:
        """(contacts,): torques of the wheels' brakes, in the sense of their rates; equal ones of pieces of a track."""
        torques = np.zeros(len(self.rover.contact_names))
        for e in self.elements.all:
            if e.axle >= 0:
                members = self.elements.members[self.elements.spin_at[e.axle] - BASE - self.rover.n]
                torques += outcome.forces[e.rows.start] * members / members.sum()
        return torques

    def powers(self, at: Input, outcome: Outcome, mode: Mode) -> Floats:
        """Power into every one of the `WORKS`."""
        joints = self._joints
        power: Floats = self._heats @ (outcome.sliding * outcome.slip)
        if self._given:
            reaction = outcome.elastic_reaction
            power[_DRIVE] = reaction[joints] @ at.U[joints]
            power[_ON_BASE] = reaction[:BASE] @ at.U[:BASE]
        if self.rover.n:
            power[_DRIVE] += at.tau @ at.U[joints]
            power[_JOINT] += self._viscous @ at.qd**2
        if outcome.applied is not None:
            power[_EXTERNAL] = outcome.applied @ at.U
        if outcome.carried is not None:
            power[_ON_BASE] += outcome.carried @ at.U
        if self.guidance.drives.torques or self.guidance.drives.rates:
            rates = self.wheel_rates(at, outcome)
            turning = self._torques(at, outcome, outcome.elastic_reaction) * rates
            for i in np.flatnonzero(mode.spinning):  # its rate is not known: only what it pulls counts
                traction = self.rover.base.wheels[i].traction()
                assert traction is not None
                turning[i] = -outcome.pull[i] * rates[i] * traction.spin
            power[_WHEEL] = turning.sum()
            for k in self._rolls_by_rate:
                power[_ROLLING] += self._resistance(k, at, outcome) * rates[k]
        return power

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
