"""From the plane into space: a rover on rigid wheels is simulated on its plane until it would tip, then as a free body.

The state changes its form there, once: y of the plane becomes y of space (`SpatialSystem`), which goes on to the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from loadpath.mobile.contacts.forces import Mode
from loadpath.mobile.equations import BASE
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.rover_system import RoverSystem
from loadpath.mobile.spatial.geometry import rotation_of
from loadpath.mobile.spatial.input import Place
from loadpath.mobile.spatial.start import on_plane
from loadpath.mobile.spatial.system import SpatialSystem
from loadpath.mobile.wheel_drives import RoverState
from loadpath.scalars.types import Floats
from loadpath.simulate.closed.system import KeptClosed
from loadpath.simulate.events import RoverEvent
from loadpath.simulate.hybrid import Change, Revision, Settled, Stiffness
from loadpath.simulate.stiffness import derivatives

_SINGULAR = 1e-12
_DIFFERENCE = 1e-7
"""Along which derivatives are taken."""


class PlaneThenSpace:
    """Both systems as one; see `loadpath.simulate.hybrid.System` and `Constrained`."""

    def __init__(self, plane: RoverSystem, space: SpatialSystem) -> None:
        self.plane, self.space = plane, space
        plane.goes_on = self._can_go_on
        self.samples: list[Any] = []
        """Of both, in their order."""
        self._piece: tuple[float, float] = plane.begin, plane.begin
        self._closes = isinstance(plane, KeptClosed)

    def _of(self, y: Floats) -> Any:
        return self.space if len(y) == self.space.size else self.plane

    def state(self, t: float, y: Floats) -> RoverState:
        """What the caller's functions are given."""
        result: RoverState = self._of(y).state(t, y)
        return result

    def begin_piece(self, begin: float, end: float, y: Floats) -> None:
        """The drives' force from here on."""
        self._piece = begin, end
        self._of(y).begin_piece(begin, end, y)

    def settle(self, t: float, y: Floats, mode: Mode | None, change: Change) -> Settled[Mode]:
        """The mode from here on, in space where it would tip on the plane."""
        settled: Settled[Mode] = self._of(y).settle(t, y, mode, change)
        if not settled.ended or self._of(y) is self.space or not self._can_go_on(y):
            return settled
        y, before = self._into_space(t, settled.y, mode)
        self.space.begin_piece(*self._piece, y)
        after = self.space.settle(t, y, before, Change(at_once=change.at_once))
        if after.mode.touching[: self.space.contacts.wheels].all():
            told = self.plane.events.pop()
            self.plane.events.append(replace(told, cause="forces on the plane do not settle, and nothing lifts yet: "
                                             "the base is a free body from here on"))
        return after

    def _can_go_on(self, y: Floats) -> bool:
        """Whether the rover as a free body has an inertia against every motion."""
        from scipy.linalg import block_diag

        q = y[BASE : BASE + self.plane.rover.nq]
        M = self.space.forces._kernel(q, np.zeros(self.plane.rover.n), np.zeros(6), np.zeros(3))[0]
        if isinstance(self.space, KeptClosed):
            free = block_diag(np.eye(SPATIAL), self.space.manifold.free_motions(q))
            M = free.T @ M @ free
        values = np.linalg.eigvalsh(M)
        return bool(values[0] > _SINGULAR * values[-1])

    def _into_space(self, t: float, y: Floats, mode: Mode | None) -> tuple[Floats, Mode]:
        plane, space = self.plane, self.space
        rover, nq = plane.rover, plane.rover.nq
        at = plane.input(t, y)
        pose = y[:BASE]
        quaternion = on_plane(pose)
        vx, vy, w = at.U[:BASE]
        U = np.concatenate([[vx, vy, 0.0, 0.0, 0.0, w], plane.in_joints(at, at.U)[BASE:]])
        casters = y[BASE + nq + plane.elements.size : plane.works.start]
        place = Place(np.array([pose[0], pose[1], 0.0]), rotation_of(quaternion))
        more = space.contacts.count - space.contacts.wheels
        nothing = np.zeros(more, dtype=bool)
        touching = np.ones(len(rover.contact_names), dtype=bool) if mode is None else mode.touching
        stuck = np.zeros(len(plane.elements.all), dtype=bool) if mode is None else mode.stuck
        direction = tuple(np.eye(e.count)[0] for e in space.contacts.every)
        stuck = np.concatenate([stuck, nothing])
        before = Mode(stuck, direction, np.concatenate([touching, nothing]), np.zeros(space.contacts.count), ~stuck)
        last = plane.events.pop()
        why = last.cause.split(":")[0]
        plane.events.append(RoverEvent(t, "rocks", last.part, f"{why}: the base begins to turn over it, and is a free "
                                       "body from here on"))
        plane.tipped = plane.rocks = False
        space.rocks = True
        return space.state_of(place, quaternion, at.q, U, casters, y[plane.works]), before

    # What either does

    def rate(self, t: float, y: Floats, mode: Mode) -> Floats:
        """dy/dt."""
        system: Any = self.space if len(y) == self.space.size else self.plane
        result: Floats = system.rate(t, y, mode)
        return result

    def margins(self, t: float, y: Floats, mode: Mode) -> Floats:
        """What is left until something changes."""
        result: Floats = self._of(y).margins(t, y, mode)
        return result

    def stiffness(self, t: float, y: Floats, mode: Mode) -> Stiffness:
        """How stiff slow sliding is: on the plane, where it is followed."""
        return self.plane.stiffness(t, y, mode) if self._of(y) is self.plane else Stiffness()

    def jacobian(self, t: float, y: Floats, mode: Mode) -> Floats:
        """Derivatives of the rate."""
        system = self._of(y)
        if system is self.plane:
            result: Floats = self.plane.jacobian(t, y, mode)
            return result
        return derivatives(lambda t, y: self.rate(t, y, mode), t, y, np.full(len(y), _DIFFERENCE))

    def revise(self, t: float, y: Floats, mode: Mode) -> Revision[Mode] | None:
        """What to change between two steps."""
        result: Revision[Mode] | None = self._of(y).revise(t, y, mode)
        return result

    def sample(self, t: float, y: Floats, mode: Mode) -> None:
        """Record a moment."""
        system = self._of(y)
        system.sample(t, y, mode)
        self.samples.append(system.samples[-1])

    def failed(self, t: float, y: Floats, mode: Mode, problem: str) -> str:
        """Where the base is."""
        result: str = self._of(y).failed(t, y, mode, problem)
        return result

    def endless(self, t: float, margin: int | None) -> str:
        """The last event."""
        result: str = (self.space if self.space.rocks else self.plane).endless(t, margin)
        return result

    def probes(self, begin: float, end: float, at: Callable[[float], Floats], mode: Mode) -> list[float]:
        """Times within a step at which to look."""
        result: list[float] = self._of(at(end)).probes(begin, end, at, mode)
        return result

    def project(self, t: float, y: Floats, mode: Mode) -> Floats:
        """The nearest state with contacts on the ground, on the plane all are; and with closed loops."""
        if len(y) != self.space.size and not self._closes:
            return y
        result: Floats = self._of(y).project(t, y, mode)
        return result

    def passed(self, begin: float, end: float, at: Callable[[float], Floats], mode: Mode) -> None:
        """Take notice of what loops pass."""
        if self._closes:
            self._of(at(end)).passed(begin, end, at, mode)
