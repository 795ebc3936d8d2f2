"""Stepping a rover through time: from change to change of what its contacts do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile import events as happenings
from loadpath.mobile.contact_forces import SLOW, ContactForces, Input, Mode, Outcome
from loadpath.mobile.contact_switching import REST, STILL, Settled, Switching
from loadpath.mobile.equations import BASE, kernel
from loadpath.mobile.events import RoverEvent
from loadpath.mobile.guidance import Guidance
from loadpath.mobile.motions import velocity_at
from loadpath.mobile.wheel_drives import RoverState
from loadpath.progress import Report
from loadpath.robot.mechanism import plain
from loadpath.scalars import array
from loadpath.simulate.drive import Drive, Force
from loadpath.simulate.integration import IntegrationError
from loadpath.simulate.power_flow import viscous_forces

Floats = NDArray[np.float64]

WORKS = ("drive", "wheel", "external", "base", "sliding", "rolling", "joint")
"""Integrals behind the state: work of drives of robots and of wheels, of external wrenches, of what moves the base;
heat of sliding, of rolling, of joints."""
_AT_ONCE, _PATIENT = 60, 12
"""Changes without a moment in between: after so many it is an error; after a few, what changes to and fro is let be."""
_INSIDE = (0.5, 1.0)
_TURNED = 0.9
"""Cosine of the angle by which sliding may have turned before its direction is taken anew."""
_CREEPS = 10
"""Steps of slow slip in the plane in a row after which a contact is tried as one that sticks: true friction would have
stopped it at once, if it can."""
_SLIGHT = 1e-6
"""Negative margins beyond this are never of no consequence."""


@dataclass
class Settings:
    """How to integrate."""

    method: str
    rtol: float
    atol: float
    max_step: float
    stop: Callable[[float, RoverState], float] | None
    report: Report


class Sample(NamedTuple):
    """One moment that was asked for."""

    time: float
    y: Floats
    at: Input
    outcome: Outcome
    mode: Mode


class RoverRun:
    """One simulation."""

    def __init__(
        self, forces: ContactForces, guidance: Guidance, drive: Drive, settings: Settings, moments: Floats
    ) -> None:
        self.forces, self.guidance, self.drive, self.how, self.moments = forces, guidance, drive, settings, moments
        self.switching = Switching(forces)
        self.rover, self.elements = forces.rover, forces.elements
        self.samples: list[Sample] = []
        self.events: list[RoverEvent] = []
        self.steps = 0
        self.tipped = self.stopped = False
        self._creeping: list[int] = []
        n, nq = self.rover.n, self.rover.nq
        self._q = slice(BASE, BASE + nq)
        self._U = slice(BASE + nq, BASE + nq + self.elements.size)
        self._casters = slice(self._U.stop, self._U.stop + len(self.elements.trailing))
        self._works = slice(self._casters.stop, self._casters.stop + len(WORKS))
        self._rates = kernel(self.rover, "coordinate_rates")
        self.viscous = np.array(viscous_forces(plain(self.rover.robot), array([1.0] * n)), dtype=float)
        wheels = self.rover.arrangement
        self._caster_at = [int(np.flatnonzero(wheels.steerable == k)[0]) for k in self.elements.trailing]
        self._rolls_by_rate = [k for k in guidance.drives.rates if self.rover.rolling_friction[k] > 0]

    # State

    def first(self, start: tuple[Floats, Floats, Floats, Floats]) -> Floats:
        """y at the beginning; wheels with spin inertia begin as if they rolled."""
        pose, velocity, q, qd = start
        y = np.zeros(self._works.stop)
        t = float(self.moments[0])
        if self.guidance.base_motion is not None:
            pose, velocity, _ = self.guidance.base(t)
        y[:BASE], y[self._q] = pose, q
        angles = self.guidance.steering.first(velocity)
        steered, _ = self.guidance.steering.at(t)
        angles = np.where(self.guidance.steering.is_steered, steered, angles)
        from loadpath.mobile.dynamics import rate_rows

        wheels = self.rover.arrangement
        rates = rate_rows(wheels, wheels.placed(angles)) @ velocity
        y[self._U] = np.concatenate([velocity, qd, rates[self.elements.spinning]])
        y[self._casters] = angles[self._caster_at]
        return y

    def at(self, t: float, y: Floats, force: Force) -> Input:
        """What the equations need, given things put in their places."""
        n, guidance = self.rover.n, self.guidance
        U, given, pose = y[self._U].copy(), np.zeros(self.elements.size), y[:BASE]
        q, qd = y[self._q], U[BASE : BASE + n]
        if guidance.base_motion is not None:
            pose, U[:BASE], given[:BASE] = guidance.base(t)
        if guidance.motion is not None:
            q, qd, given[BASE : BASE + n] = guidance.robots(t)
            U[BASE : BASE + n] = qd
        for k in guidance.drives.rates:
            i = self.elements.spin_at[k]
            U[i], given[i] = guidance.wheel_rate(k, t)
        tau = np.zeros(n) if guidance.motion is not None else force(t - self.moments[0], q, qd)
        torques = guidance.drives.torque(t, RoverState(pose, U[:BASE], q, qd))
        angles, angle_rates = guidance.steering.at(t)
        if len(self.elements.trailing):
            angles[self._caster_at] = y[self._casters]
            angle_rates[self._caster_at] = self._swivel(angles, U[:BASE])
        return Input(q, qd, float(pose[2]), U, given, tau, torques, angles, angle_rates)

    def _swivel(self, angles: Floats, velocity: Floats) -> Floats:
        wheels, casters = self.rover.arrangement, self.elements.trailing
        left = wheels.placed(angles).left[casters]
        across = (velocity_at(velocity, wheels.pivots[casters]) * left).sum(axis=-1)
        swivel: Floats = across / wheels.trail[casters] - velocity[2]
        return swivel

    def state(self, y: Floats, at: Input) -> RoverState:
        """What the caller's functions are told."""
        return RoverState(y[:BASE].copy(), at.U[:BASE], at.q, at.qd)

    def rate(self, t: float, y: Floats, force: Force, mode: Mode) -> Floats:
        """dy/dt."""
        at = self.at(t, y, force)
        outcome = self.forces.evaluate(at, mode)
        result = np.empty(len(y))
        c, s = np.cos(at.heading), np.sin(at.heading)
        vx, vy, w = at.U[:BASE]
        result[:BASE] = c * vx - s * vy, s * vx + c * vy, w
        result[self._q] = self._rates(at.q, at.qd) if self.rover.n else 0.0
        result[self._U] = outcome.Udot
        result[self._casters] = at.angle_rates[self._caster_at]
        result[self._works] = self.powers(at, outcome, mode)
        return result

    def wheel_torques(self, at: Input, outcome: Outcome) -> Floats:
        """(contacts,): torques of the wheels' drives; where the rate is given, what that takes."""
        torques = at.wheel_torques.copy()
        for k in self.guidance.drives.rates:
            torques[k] = outcome.reaction[self.elements.spin_at[k]] + self._resistance(k, at, outcome)
        return torques

    def _resistance(self, k: int, at: Input, outcome: Outcome) -> float:
        """Torque against the rolling resistance of a wheel whose rate is given."""
        if k not in self._rolls_by_rate:
            return 0.0
        wheels = self.rover.arrangement
        b = at.U[self.elements.spin_at[k]]
        return float(self.rover.rolling_friction[k] * max(outcome.normal[k], 0.0) * wheels.radius[k] * np.sign(b))

    def wheel_rates(self, at: Input, outcome: Outcome) -> Floats:
        """(contacts,): rates of the wheels that have one."""
        from loadpath.mobile.dynamics import rate_rows

        rates = rate_rows(self.rover.arrangement, outcome.placed) @ at.U[:BASE]
        rates[self.elements.spinning] = at.U[BASE + self.rover.n :]
        return rates

    def powers(self, at: Input, outcome: Outcome, mode: Mode) -> Floats:
        """Power into every one of the `WORKS`."""
        n = self.rover.n
        tau = at.tau + outcome.reaction[BASE : BASE + n]
        power = dict.fromkeys(WORKS, 0.0)
        power["drive"] = float(tau @ at.qd)
        rates = self.wheel_rates(at, outcome)
        torques = self.wheel_torques(at, outcome)
        turning = torques * rates
        for i in np.flatnonzero(mode.spinning):  # its rate is not known: only what it pulls counts
            reach = self.rover.arrangement.radius[i] * np.cos(self.rover.arrangement.roller_angle[i])
            turning[i] = outcome.pull[i] * rates[i] * reach
        power["wheel"] = float(turning.sum())
        power["external"] = float(outcome.applied @ at.U)
        power["base"] = float(outcome.reaction[:BASE] @ at.U[:BASE])
        lost = outcome.forces * outcome.slip
        for e, sticks in zip(self.elements.all, mode.stuck, strict=True):
            if not sticks:
                kind = "sliding" if e.kind == "grip" else "joint" if e.kind == "joint" else "rolling"
                power[kind] -= float(lost[e.rows].sum())
        for k in self._rolls_by_rate:
            power["rolling"] += self._resistance(k, at, outcome) * rates[k]
        power["joint"] += float(self.viscous @ at.qd**2)
        return np.array([power[part] for part in WORKS])

    # Running

    def run(self, start: tuple[Floats, Floats, Floats, Floats]) -> None:
        """From the beginning to the end, or to where it tips or stops."""
        y = self.first(start)
        begin, end = float(self.moments[0]), float(self.moments[-1])
        marks = [begin + float(t) for t in self.drive.breaks(end - begin)]
        mode: Mode | None = None
        for finish in [*marks, end]:
            at = self._arm(y)
            force = self.drive.piece(begin - self.moments[0], finish - self.moments[0], *at)
            y, mode = self._piece(begin, finish, y, force, mode)
            if self.tipped or self.stopped:
                return
            begin = finish

    def _arm(self, y: Floats) -> tuple[Floats, Floats]:
        return y[self._q], y[self._U][BASE : BASE + self.rover.n]

    def _settled(
        self, t: float, y: Floats, force: Force, mode: Mode | None, then: Outcome | None
    ) -> tuple[Settled, Floats]:
        """The mode from here on, its events told."""
        at = self.at(t, y, force)
        settled = self.switching.settle(at, mode, self._creeping)
        self._creeping = []
        y = y.copy()
        y[self._U] = settled.U
        y[self._works] += self._works_of(settled, at.U)
        if settled.tips:
            return settled, y
        if mode is None:
            self.events += [
                replace(event, time=t)
                for event in happenings.first_state(self.rover, self.elements.all, settled.mode, settled.outcome)
            ]
        else:
            then = self.forces.evaluate(at, mode) if then is None else then
            self.events += happenings.changes(
                self.rover, self.elements.all, t, mode, then, settled.mode, settled.outcome
            )
        return settled, y

    def _works_of(self, settled: Settled, before: Floats) -> Floats:
        """What friction and what holds the given speeds do while slip is taken out."""
        work = dict.fromkeys(WORKS, 0.0)
        p, U, n = settled.impulse, (before + settled.U) / 2, self.rover.n
        lost = p * (settled.outcome.D @ U)
        for e in self.elements.all:
            work["sliding" if e.kind == "grip" else "joint" if e.kind == "joint" else "rolling"] -= lost[e.rows].sum()
        given = np.zeros(len(U))
        given[self.forces.fixed] = -(settled.outcome.D.T @ p * U)[self.forces.fixed]
        parts = (("base", slice(BASE)), ("drive", slice(BASE, BASE + n)), ("wheel", slice(BASE + n, None)))
        for part, those in parts:
            work[part] = float(given[those].sum())
        return np.array([work[part] for part in WORKS])

    def _piece(self, begin: float, end: float, y: Floats, force: Force, mode: Mode | None) -> tuple[Floats, Mode]:
        """A piece of time in which the drives' forces are smooth."""
        t, then, at_once = begin, None, 0
        while True:
            settled, y = self._settled(t, y, force, mode, then)
            if settled.tips:
                self._tip(t, y, force, settled)
                return y, settled.mode
            same = mode is not None and settled.mode.key == mode.key
            mode = settled.mode
            if t >= end:
                self._sample_last(t, y, force, mode)
                return y, mode
            t_new, y, then, done = self._until_change(t, end, y, force, mode, muted=same, patient=at_once > _PATIENT)
            if self.stopped:
                self._sample_last(t_new, y, force, mode)
                return y, mode
            if done:
                if end >= self.moments[-1]:
                    self._sample_last(t_new, y, force, mode)
                return y, mode
            at_once = at_once + 1 if t_new - t <= 1e-12 * max(1.0, abs(t_new)) else 0
            if at_once > _AT_ONCE:
                last = self.events[-1] if self.events else "no event yet"
                raise IntegrationError(f"simulate: at t = {t_new:.9g} s contacts change without end ({last}); are the "
                                       "friction coefficients and drives sound?")  # fmt: skip
            t = t_new

    def _tip(self, t: float, y: Floats, force: Force, settled: Settled) -> None:
        self.tipped = True
        self.events.append(happenings.tipping(self.rover, t, settled.outcome, settled.mode.touching))
        self.samples.append(Sample(t, y, self.at(t, y, force), settled.outcome, settled.mode))

    def _sample_last(self, t: float, y: Floats, force: Force, mode: Mode) -> None:
        if self.samples and self.samples[-1].time >= t:
            return
        at = self.at(t, y, force)
        self.samples.append(Sample(t, y, at, self.forces.evaluate(at, mode), mode))

    @property
    def _due(self) -> float:
        count = len(self.samples)
        return float(self.moments[count]) if count < len(self.moments) else np.inf

    def _until_change(
        self, begin: float, end: float, y: Floats, force: Force, mode: Mode, *, muted: bool, patient: bool
    ) -> tuple[float, Floats, Outcome | None, bool]:
        """Time and state where something changes, with the forces just before, or at the end."""
        import scipy.integrate

        def rate(t: float, y: Floats) -> Floats:
            return self.rate(t, y, force, current)

        current = mode
        how = self.how
        solver = getattr(scipy.integrate, how.method)(
            rate, begin, y, end, rtol=how.rtol, atol=how.atol, max_step=how.max_step
        )
        quiet = self._margins(begin, y, force, mode)[0] < 0 if muted or patient else None
        halted = self._stop_value(begin, y, force)
        slow = np.zeros(len(self.elements.all), dtype=int)
        while solver.status == "running":
            problem = solver.step()
            self.steps += 1
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise self._failure(solver, problem)
            dense = solver.dense_output()
            late, which, quiet = self._late(solver, dense, force, current, quiet, patient=patient)
            t, found, then = solver.t, None, None
            if which is not None:
                t, found = self._zero(solver.t_old, late, which, dense, force, current)
                quiet = None
            t, found, halted = self._halts(solver.t_old, t, found, dense, force, halted)
            self._sample(t, dense, force, current, last=solver.status == "finished" and found is None)
            how.report((t - self.moments[0]) / max(float(self.moments[-1] - self.moments[0]), 1e-300))
            if self.stopped:
                return t, dense(t), None, False
            if found is not None:
                state = dense(t)
                turned = self._only_turned(t, state, force, current, found)
                if turned is None:
                    then = self.forces.evaluate(self.at(t, state, force), current)
                    return t, state, then, False
                if self._creeps(t, state, force, turned, slow):
                    return t, state, None, False
                current = turned
                solver = getattr(scipy.integrate, how.method)(
                    rate, t, state, end, rtol=how.rtol, atol=how.atol, max_step=how.max_step
                )
                continue
            if self._creeps(solver.t, solver.y, force, current, slow):
                return solver.t, solver.y, None, False
            refreshed = self._refreshed(solver.t, solver.y, force, current)
            if refreshed is not current:
                current = refreshed
                if hasattr(solver, "f"):  # Runge-Kutta methods begin their next step with it
                    solver.f = rate(solver.t, solver.y)
        return solver.t, solver.y, None, True

    def _failure(self, solver: Any, problem: Any) -> IntegrationError:
        where, speeds = (solver.y[part].round(4).tolist() for part in (slice(BASE), self._U))
        return IntegrationError(f"simulate: the integration failed at t = {solver.t:.9g} s ({problem}): the base is at "
                                f"{where}, the speeds are {speeds}; are drives and torques bounded?")  # fmt: skip

    def _sample(self, until: float, dense: Any, force: Force, mode: Mode, *, last: bool) -> None:
        while (t := self._due) < until or (last and t == until and t < self.moments[-1]):
            y = dense(t)
            at = self.at(t, y, force)
            self.samples.append(Sample(t, y, at, self.forces.evaluate(at, mode), mode))

    # Changes

    def _margins(self, t: float, y: Floats, force: Force, mode: Mode) -> tuple[Floats, Outcome]:
        at = self.at(t, y, force)
        self.switching.told(at)
        outcome = self.forces.evaluate(at, mode)
        return self.switching.margins(outcome, mode), outcome

    def _late(
        self, solver: Any, dense: Any, force: Force, mode: Mode, quiet: Any, *, patient: bool
    ) -> tuple[float, NDArray[np.intp] | None, Any]:
        """A time within the step by which something has changed, and what."""
        for share in _INSIDE:
            t = solver.t_old + share * (solver.t - solver.t_old)
            margins = self._margins(t, solver.y if share == 1.0 else dense(t), force, mode)[0]
            below = margins < 0
            if quiet is not None:
                # What was so from the beginning, and was found to be of no consequence.
                quiet = quiet & below & (patient | (margins > -_SLIGHT) | self.switching.of_drives(mode))
                below = below & ~quiet
            if below.any():
                return t, np.flatnonzero(below), quiet
        return solver.t, None, quiet

    def _zero(
        self, begin: float, late: float, which: NDArray[np.intp], dense: Any, force: Force, mode: Mode
    ) -> tuple[float, int]:
        """The first moment at which one of the margins has just become negative."""
        from scipy.optimize import brentq

        best, first = late, int(which[0])
        for i in which:

            def margin(t: float, i: int = int(i)) -> float:
                value = float(self._margins(t, dense(t), force, mode)[0][i])
                return min(max(value, -1e6), 1e6)

            if margin(best) >= 0:
                continue
            early = begin
            if margin(early) <= 0:
                best, first = begin, int(i)
                break
            t = float(brentq(margin, early, best, xtol=1e-14, rtol=1e-14))
            gap = 1e-15 * max(1.0, abs(t))
            while margin(t) >= 0 and t < best:
                t = min(t + gap, best)
                gap *= 2
            best, first = t, int(i)
        return best, first

    def _creeps(self, t: float, y: Floats, force: Force, mode: Mode, slow: NDArray[np.int_]) -> bool:
        """Whether contacts that have slid slowly for some steps, which are counted in `slow`, would rather stick."""
        plane = [i for i, e in enumerate(self.elements.all) if e.count == 2 and not mode.stuck[i]]
        if not plane:
            return False
        at = self.at(t, y, force)
        slip = self.forces.matrix(at.angles) @ at.U
        for i in plane:
            slow[i] = slow[i] + 1 if np.hypot(*slip[self.elements.all[i].rows]) < SLOW else 0
        tried = [i for i in plane if slow[i] >= _CREEPS]
        if not tried:
            return False
        slow[tried] = 0
        settled = self.switching.settle(at, mode, tried)
        if settled.tips or not settled.mode.stuck[tried].all():
            return False
        self._creeping = tried
        return True

    def _refreshed(self, t: float, y: Floats, force: Force, mode: Mode) -> Mode:
        """The mode with directions of sliding as they are now, and what has got going armed."""
        if mode.stuck.all():
            return mode
        at = self.at(t, y, force)
        slip = self.forces.matrix(at.angles) @ at.U
        direction, armed, changed = list(mode.direction), mode.armed.copy(), False
        for i, e in enumerate(self.elements.all):
            if mode.stuck[i]:
                continue
            s = slip[e.rows]
            size = float(np.hypot.reduce(s))
            if size > STILL:
                changed |= not armed[i] or (e.count == 2 and size < SLOW)
                armed[i] = True
                if e.count == 2:
                    direction[i] = s / size
                    changed |= float(mode.direction[i] @ direction[i]) < _TURNED
        if not changed:
            return mode
        return replace(mode, direction=tuple(direction), armed=armed)

    def _only_turned(self, t: float, y: Floats, force: Force, mode: Mode, which: int) -> Mode | None:
        """The mode with a new direction, where an element has only turned the way it slides, without stopping."""
        i = which - 1
        if not 0 <= i < len(self.elements.all) or self.elements.all[i].count != 2:
            return None
        at = self.at(t, y, force)
        s = (self.forces.matrix(at.angles) @ at.U)[self.elements.all[i].rows]
        size = float(np.hypot.reduce(s))
        if size <= STILL:
            return None
        direction = list(mode.direction)
        direction[i] = s / size
        return replace(mode, direction=tuple(direction))

    def _stop_value(self, t: float, y: Floats, force: Force) -> float:
        if self.how.stop is None:
            return 1.0
        return float(self.how.stop(t, self.state(y, self.at(t, y, force))))

    def _halts(
        self, begin: float, t: float, found: int | None, dense: Any, force: Force, before: float
    ) -> tuple[float, int | None, float]:
        """The same, or the moment before at which the caller's condition changes its sign."""
        if self.how.stop is None:
            return t, found, before
        from scipy.optimize import brentq

        after = self._stop_value(t, dense(t), force)
        if before * after > 0 or before == 0.0:
            return t, found, after
        self.stopped = True
        if after != 0.0:
            t = float(brentq(lambda t: self._stop_value(t, dense(t), force), begin, t, xtol=1e-14, rtol=1e-14))
        return t, None, after


__all__ = ["REST", "RoverRun", "Sample", "Settings"]
