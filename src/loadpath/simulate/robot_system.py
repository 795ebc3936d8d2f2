"""A robot as a system for the event-driven stepper: its modes are what Coulomb friction does at every joint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.simulate.drive import Drive, Force
from loadpath.simulate.equations import Equations, Evaluation, Grip
from loadpath.simulate.hybrid import Change, Revision, Settled


class Sample(NamedTuple):
    """A moment that was asked for."""

    time: float
    y: Floats
    at: Evaluation
    grip: Grip
    brakes: Floats | None = None
    """(brakes,): with which torque each works."""


class RobotSystem:
    """The equations of a robot and its drives; see `loadpath.simulate.hybrid.System`."""

    def __init__(self, equations: Equations, drive: Drive) -> None:
        self.equations, self.drive = equations, drive
        self.samples: list[Sample] = []
        self._force: Force

    def begin_piece(self, begin: float, end: float, y: Floats) -> None:
        """The drives' force from here on, and the brakes that hold."""
        self.equations.begin_piece(begin)
        self._force = self.drive.piece(begin, end, *self.equations.coordinates(y))

    def settle(self, t: float, y: Floats, mode: Grip | None, change: Change) -> Settled[Grip]:
        """Who slips and who sticks; what stops, stops exactly."""
        if mode is not None and change.margin is not None:
            speed = self.equations.rubbing[change.margin]
            if mode.direction[speed]:
                y = y.copy()
                self.equations.coordinates(y)[1][speed] = 0.0
        return Settled(self.equations.grip(t, y, self._force), y)

    def rate(self, t: float, y: Floats, mode: Grip) -> Floats:
        """dy/dt."""
        return self.equations.evaluate(t, y, self._force, mode).rate

    def margins(self, t: float, y: Floats, mode: Grip) -> Floats:
        """Of every joint with Coulomb friction, what is left until it stops or breaks away."""
        return self.equations.margins(t, y, self._force, mode)

    def revise(self, t: float, y: Floats, mode: Grip) -> Revision[Grip] | None:
        """Nothing changes between two steps."""
        return None

    def sample(self, t: float, y: Floats, mode: Grip) -> None:
        """Record state and forces."""
        at = self.equations.evaluate(t, y, self._force, mode)
        brakes = None if self.equations.off.brakes is None else self.equations.brake_torques(at, mode)
        self.samples.append(Sample(t, y, at, mode, brakes))

    def failed(self, t: float, y: Floats, mode: Grip, problem: str) -> str:
        """The joint with the largest acceleration."""
        equations = self.equations
        rate = equations.evaluate(t, np.nan_to_num(y), self._force, mode).rate[equations.nq : equations.nx]
        size = np.where(np.isfinite(rate), np.abs(rate), np.inf)
        k = int(size.argmax())
        return (
            f": '{equations.robot.dof_names[k]}' moves at {y[equations.nq + k]:.3g} with an acceleration of "
            f"{rate[k]:.3g}, and no step is short enough to follow it; is the torque bounded, and no step function of "
            "speed? Are the gains stable?"
        )

    def endless(self, t: float, margin: int | None) -> str:
        """The joint that changes."""
        equations = self.equations
        name = "joints" if margin is None else f"'{equations.robot.dof_names[equations.rubbing[margin]]}'"
        return (
            f"friction of {name} changes between sticking and slipping without end; is the torque a step function of "
            "speed?"
        )
