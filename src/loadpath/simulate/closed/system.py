"""A closed chain as a system for the event-driven stepper: its states are on the manifold of closed configurations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from loadpath.closure.robot import ClosableRobot
from loadpath.errors import IntegrationError, warn
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.scalars.types import Floats
from loadpath.simulate.closed.dead_points import DeadPointWatch
from loadpath.simulate.closed.equations import ClosedEquations
from loadpath.simulate.closed.manifold import Manifold, Place
from loadpath.simulate.drive import Drive
from loadpath.simulate.equations import Grip
from loadpath.simulate.events import DeadPoint
from loadpath.simulate.guard import check_all
from loadpath.simulate.hybrid import Change, Settled
from loadpath.simulate.result import Simulation
from loadpath.simulate.robot_system import RobotSystem

_AT_ONCE, _ROUNDING = 1e-11, 1e-13
"""Time (s) within which the forces could stop what is left of a motion that is said to stop, and the part of all motion
that is rounding."""
_RESTS = 1e-9
"""Share of a free motion below which a joint has no part in it."""


def _without_friction(n: int) -> Grip:
    """No friction anywhere."""
    return Grip(np.zeros(n), np.empty(0, dtype=np.intp))


M = TypeVar("M")


class KeptClosed(ABC, Generic[M]):
    """What a system has in addition whose states lie on the manifold of closed loops: `hybrid.Constrained`."""

    samples: list[Any]

    def keep_closed(self, manifold: Manifold, robot: ClosableRobot, q: Floats, *, strict: bool) -> None:
        """Take notice of the loops of a robot, which is at q."""
        self.manifold, self.strict, self._name = manifold, strict, robot.name
        self.dead_points: list[DeadPoint] = []
        self.bifurcations: list[float] = []
        self._watch = DeadPointWatch(manifold, robot, q, robot.split.driven)

    @abstractmethod
    def joints_of(self, y: Floats) -> tuple[Floats, Floats]:
        """q and qd of a state, as parts of it."""

    @abstractmethod
    def stuck_joints(self, mode: M) -> NDArray[np.intp]:
        """Numbers of the speeds that friction holds at zero."""

    def project(self, t: float, y: Floats, mode: M) -> Floats:
        """The state with closed loops and consistent speeds nearest to y."""
        y = y.copy()
        q, qd = self.joints_of(y)
        q[:] = self.manifold.closed(q)
        qd[:] = self.manifold.consistent(q, qd, self.stuck_joints(mode))
        return y

    def passed(self, begin: float, end: float, at: Callable[[float], Floats], mode: M) -> None:
        """Look for dead points and bifurcations."""

        def place(t: float) -> Place:
            return self.manifold.at(self.joints_of(at(t))[0])

        found = self._watch.between(begin, end, place)
        self.dead_points += found.dead
        for t in found.bifurcations:
            self._bifurcation(t)

    def _bifurcation(self, t: float) -> None:
        text = (
            f"simulate: at t = {t:.9g} s robot '{self._name}' passes a bifurcation: its loops hold one "
            "direction less there, and it could go on in more than one way, as a parallelogram in line does"
        )
        if self.strict:
            self.samples[:] = [sample for sample in self.samples if sample.time <= t]  # those after it say nothing
            raise IntegrationError(
                f"{text}: end before with stop=, hold it on its way with a further loop or coupling, or give "
                "strict=False to go straight on"
            )
        warn(f"{text}; it goes straight on")
        self.bifurcations.append(t)

    def near_bifurcation(self, y: Floats) -> str | None:
        """Why an integration fails that runs into a bifurcation; None where there is none."""
        if self.manifold.distinct(self.manifold.at(self.joints_of(np.nan_to_num(y))[0])) < 1e-3:
            return (
                ": near a bifurcation, where the loops hold one direction less and the motion can go on in more than "
                "one way; end before with stop=, or hold it on its way with a further loop or coupling"
            )
        return None

    def loops_over(self, q: Floats) -> dict[str, Any]:
        """What a `Simulation` has of the loops, from its coordinates (times, nq)."""
        closure = np.array([np.abs(self.manifold.at(at).off).max(initial=0.0) for at in q])
        met = {"dead_points": tuple(self.dead_points), "bifurcations": tuple(self.bifurcations)}
        return {"closure": closure, **met}

    def check_closed(self, found: Simulation, remedy: str) -> None:
        """An error where loops have come open."""
        most = CLOSED_WITHIN * self.manifold.scale
        check_all(found, [("the loops are not closed", found.closure, most, " m")], remedy)


class ClosedSystem(KeptClosed[Grip], RobotSystem):
    """The equations of a closed chain and its drives."""

    equations: ClosedEquations

    def __init__(
        self, robot: ClosableRobot, equations: ClosedEquations, drive: Drive, q: Floats, *, strict: bool
    ) -> None:
        super().__init__(equations, drive)
        self.keep_closed(equations.manifold, robot, q, strict=strict)

    def joints_of(self, y: Floats) -> tuple[Floats, Floats]:
        """q and qd."""
        return self.equations.coordinates(y)

    def stuck_joints(self, mode: Grip) -> NDArray[np.intp]:
        """Numbers of the speeds that friction holds at zero."""
        return mode.stuck

    # Friction

    def settle(self, t: float, y: Floats, mode: Grip | None, change: Change) -> Settled[Grip]:
        """Who slips and who sticks; what stops, stops exactly, with all that the loops stop together with it."""
        rubbing = self.equations.rubbing
        if len(rubbing):
            y = y.copy()
            before = _without_friction(len(self.equations.coulomb_limits)) if mode is None else mode
            self._stop(t, y, before)
            if change.margin is not None and before.direction[rubbing[change.margin]]:
                self.equations.coordinates(y)[1][rubbing[change.margin]] = 0.0  # or it is at its dead point
        return Settled(self.equations.grip(t, y, self._force), y)

    def _stop(self, t: float, y: Floats, mode: Grip) -> None:
        """Set the speeds to zero of all joints with friction that have come to rest but for rounding.

        A joint at its dead point has not: its speed is small, but to take it away all motion would have to stop.
        """
        equations, manifold = self.equations, self.equations.manifold
        q, qd = equations.coordinates(y)
        B, rubbing = manifold.accelerations(q), equations.rubbing
        rate = equations.evaluate(t, y, self._force, mode).rate[equations.nq : equations.nx]
        motion, push = (float(np.linalg.norm(np.linalg.lstsq(B.T, part, rcond=None)[0])) for part in (qd, rate))
        small = _AT_ONCE * push + _ROUNDING * motion  # in units of equal inertia
        taken = np.abs(qd[rubbing]) / np.maximum(np.linalg.norm(B[:, rubbing], axis=0), 1e-300)
        rests = rubbing[taken <= small]
        if not len(rests):
            return
        stopped = manifold.consistent(q, qd, rests)
        if np.linalg.norm(np.linalg.lstsq(B.T, stopped - qd, rcond=None)[0]) > 10.0 * len(rests) * small:
            return
        part = np.abs(manifold.free_motions(q, rests) * manifold.sizes[:, None]).max(axis=1, initial=0.0)
        qd[:] = np.where(part < _RESTS, 0.0, stopped)

    def failed(self, t: float, y: Floats, mode: Grip, problem: str) -> str:
        """The joint with the largest acceleration, or the bifurcation that it runs into."""
        return self.near_bifurcation(y) or super().failed(t, y, mode, problem)
