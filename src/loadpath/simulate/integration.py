"""Stepping the equations of motion through time: from kink to kink of the drives, from grip to grip of the joints."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loadpath.progress import Report
from loadpath.simulate.drive import Drive, Floats, Force
from loadpath.simulate.equations import Equations, Evaluation, Grip

METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")

Stop = Callable[[float, Floats, Floats], float]

_CHANGES_AT_ONCE = 100
_WATCHED_STEPS = 1000
_SHORT_STEP, _SMALL_SHARE = 1e-6, 1e-4
"""Steps shorter than this (s), a thousand of which do not cover this share of the time either, lead nowhere."""
_INSIDE = np.array([0.2, 0.4, 0.6, 0.8])
_FROM_THE_BEGINNING = (0.0, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 0.5, 0.7, 0.9)
"""Shares of a step at which to look for the margin of a joint that has just begun to move, which has none at first."""


class IntegrationError(RuntimeError):
    """The integration could not go on: the motion grows without bound, or is not determined."""


@dataclass
class Settings:
    """How to integrate."""

    method: str
    rtol: float
    atol: float
    max_step: float
    stop: Stop | None
    report: Report


@dataclass
class Record:
    """What was found at the times that were asked for."""

    times: Floats
    states: list[Floats] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    grips: list[Grip] = field(default_factory=list)
    steps: int = 0
    stopped_at: float | None = None
    watched: float = 0.0
    """Time at which progress was looked at last."""

    @property
    def due(self) -> float:
        """The next time that is asked for."""
        return float(self.times[len(self.states)]) if len(self.states) < len(self.times) else np.inf

    def add(self, y: Floats, evaluation: Evaluation, grip: Grip) -> None:
        """The state at the time that is due."""
        self.states.append(y)
        self.evaluations.append(evaluation)
        self.grips.append(grip)


def integrate(equations: Equations, drive: Drive, y: Floats, duration: float, times: Floats, how: Settings) -> Record:
    """The motion from y at time 0, recorded at the given times."""
    record = Record(times)
    ends = [*drive.breaks(duration), duration]
    begin = 0.0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for end in ends:
            force = drive.piece(begin, end, *equations.coordinates(y))
            y, grip = _Piece(equations, force, how, record, duration).run(begin, float(end), y)
            if record.stopped_at is not None:
                break
            begin = float(end)
        finish = duration if record.stopped_at is None else record.stopped_at
        record.times = np.append(record.times[: len(record.states)], finish)
        record.add(y, equations.evaluate(finish, y, force, grip), grip)
    return record


class _Piece:
    """A piece of time in which the drives' force is smooth."""

    def __init__(self, equations: Equations, force: Force, how: Settings, record: Record, duration: float) -> None:
        self.equations, self.force, self.how, self.record, self.duration = equations, force, how, record, duration

    def run(self, begin: float, end: float, y: Floats) -> tuple[Floats, Grip]:
        """State and grip at the end."""
        grip = self.equations.grip(begin, y, self.force)
        if begin >= end:
            return y, grip
        changes = 0
        while True:
            t, y, changed = self._while_gripping(begin, end, y, grip)
            if self.record.stopped_at is not None or changed is None:
                return y, grip
            changes = changes + 1 if t - begin <= 1e-12 * max(1.0, t) else 0
            if changes > _CHANGES_AT_ONCE:
                name = self.equations.robot.dof_names[changed]
                raise IntegrationError(f"simulate: at t = {t:.9g} s friction of '{name}' changes between sticking and "
                                       "slipping without end; is the torque a step function of speed?")  # fmt: skip
            self.equations.coordinates(y)[1][changed] *= grip.direction[changed] == 0  # what stops, stops exactly
            grip = self.equations.grip(t, y, self.force)
            begin = t

    def _while_gripping(self, begin: float, end: float, y: Floats, grip: Grip) -> tuple[float, Floats, int | None]:
        """Time and state at the end or, before, where the grip of a joint changes, with the number of that speed."""
        import scipy.integrate

        def rate(t: float, y: Floats) -> Floats:
            if not math.isfinite(float(y @ y)):
                return np.full(len(y), np.nan)
            return self.equations.evaluate(t, y, self.force, grip).rate

        how = self.how
        make = getattr(scipy.integrate, how.method)
        solver = make(rate, begin, y, end, rtol=how.rtol, atol=how.atol, max_step=how.max_step)
        before = self._stop_value(begin, y)
        while solver.status == "running":
            self._watch(solver.t, solver.y, grip)
            old = solver.y, getattr(solver, "f", None)
            solver.step()
            self.record.steps += 1
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise self._failure(solver.t, solver.y, grip)
            t, y, changed = self._change(solver, old, grip)
            t, y, before, changed = self._stopped(solver, t, y, before, changed)
            self._sample(solver, t, grip)
            self.how.report(t / self.duration)
            if changed is not None or self.record.stopped_at is not None:
                return t, y, changed
        return solver.t, solver.y, None

    def _sample(self, solver: Any, until: float, grip: Grip) -> None:
        """Record what is due before a time within the solver's last step."""
        record = self.record
        if record.due >= until:
            return
        dense = solver.dense_output()
        while (t := record.due) < until:
            y = dense(t)
            record.add(y, self.equations.evaluate(t, y, self.force, grip), grip)

    # Where the grip changes

    def _change(self, solver: Any, old: tuple[Floats, Any], grip: Grip) -> tuple[float, Floats, int | None]:
        """The end of the solver's last step, or the moment before at which a joint stops or breaks away."""
        equations = self.equations
        if not len(equations.rubbing):
            return solver.t, solver.y, None
        late = np.full(len(equations.rubbing), np.inf)  # for each speed a time by which its margin is negative
        late[equations.margins(solver.t, solver.y, self.force, grip) < 0] = solver.t
        late = np.minimum(late, self._dips(solver, old, grip))
        if np.isinf(late).all():
            return solver.t, solver.y, None
        dense = solver.dense_output()
        due = np.flatnonzero(np.isfinite(late)).tolist()
        found = [(self._zero(solver.t_old, late[i], i, dense, grip), i) for i in due]
        t, first = min(found)
        if np.isinf(t):
            return solver.t, solver.y, None
        return t, dense(t), int(equations.rubbing[first])

    def _zero(self, begin: float, late: float, i: int, dense: Any, grip: Grip) -> float:
        """When the margin of a speed has just become negative; not a moment before, for if the drives' force jumps
        there, the moment before tells nothing.
        """
        from scipy.optimize import brentq

        def margin(t: float) -> float:
            return float(self.equations.margins(t, dense(t), self.force, grip)[i])

        if margin(late) >= 0:
            return np.inf  # it only seemed so
        for share in _FROM_THE_BEGINNING:
            early = begin + share * (late - begin)
            if margin(early) > 0:
                break
        else:  # it never had any
            return begin + _FROM_THE_BEGINNING[1] * (late - begin)
        t = float(brentq(margin, early, late, xtol=1e-15, rtol=1e-14))
        gap = 1e-15 * max(1.0, t)
        while margin(t) >= 0:
            t = min(t + gap, late)
            gap *= 2
        return t

    def _dips(self, solver: Any, old: tuple[Floats, Any], grip: Grip) -> Floats:
        """For each speed a time within the step at which it has turned round, though not so at the step's end."""
        equations = self.equations
        at = equations.nq + equations.rubbing
        direction = grip.direction[equations.rubbing]
        late = np.full(len(at), np.inf)
        y_old, f_old = old
        if f_old is None:  # the method does not tell
            return late
        h = solver.t - solver.t_old
        v0, v1 = direction * y_old[at], direction * solver.y[at]
        a0, a1 = h * direction * f_old[at], h * direction * solver.f[at]
        for i in np.flatnonzero((a0 < 0) & (a1 > 0)):
            u = _INSIDE
            path = (1 + 2 * u) * (1 - u) ** 2 * v0[i] + u * (1 - u) ** 2 * a0[i]
            path += u**2 * (3 - 2 * u) * v1[i] - u**2 * (1 - u) * a1[i]  # the cubic through both ends
            if path.min() < 0:
                late[i] = solver.t_old + h * u[path.argmin()]
        return late

    # Where the caller wants to stop

    def _stop_value(self, t: float, y: Floats) -> float:
        if self.how.stop is None:
            return 1.0
        return float(self.how.stop(t, *self.equations.coordinates(y)))

    def _stopped(
        self, solver: Any, t: float, y: Floats, before: float, changed: int | None
    ) -> tuple[float, Floats, float, int | None]:
        """The same, or the moment before at which the caller's condition changes its sign."""
        if self.how.stop is None:
            return t, y, before, changed
        from scipy.optimize import brentq

        after = self._stop_value(t, y)
        if after == 0.0 or before * after >= 0:
            if after == 0.0:
                self.record.stopped_at = t
            return t, y, after, changed
        dense = solver.dense_output()
        t = float(brentq(lambda t: self._stop_value(t, dense(t)), solver.t_old, t, xtol=1e-15, rtol=1e-14))
        self.record.stopped_at = t
        return t, dense(t), after, None

    def _watch(self, t: float, y: Floats, grip: Grip) -> None:
        """Give up where the steps have become so short that there would be no end."""
        if self.record.steps % _WATCHED_STEPS:
            return
        way, self.record.watched = t - self.record.watched, t
        if 0 < way < min(_WATCHED_STEPS * _SHORT_STEP, _SMALL_SHARE * self.duration):
            raise self._failure(t, y, grip)

    def _failure(self, t: float, y: Floats, grip: Grip) -> IntegrationError:
        equations = self.equations
        rate = equations.evaluate(t, np.nan_to_num(y), self.force, grip).rate[equations.nq : equations.nx]
        size = np.where(np.isfinite(rate), np.abs(rate), np.inf)
        k = int(size.argmax())
        speed = y[equations.nq + k]
        return IntegrationError(
            f"simulate: the integration failed at t = {t:.9g} s: '{equations.robot.dof_names[k]}' moves at {speed:.3g} "
            f"with an acceleration of {rate[k]:.3g}, and no step is short enough to follow it; is the torque bounded, "
            "and no step function of speed? Are the gains stable?"
        )
