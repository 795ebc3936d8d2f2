"""One event-driven stepper for everything that moves smoothly, changes at once, and moves smoothly again.

What is stepped is a `System`. Its state is one array y. What it does between two changes (which joints stick, which
wheels slide) is its *mode*, any object of its own; within a mode the rate of y is smooth, and SciPy's solvers integrate
it. A mode ends where one of the system's *margins* becomes negative. The stepper looks at the margins at the end of
each step, at the moments that are sampled, and further inside where they may dip; it locates the first zero and asks
the system to settle into the mode that follows.

Robots with Coulomb friction (`loadpath.simulate.robot_system`) and rovers (`loadpath.mobile.rover_system`) are systems.

A system whose states lie on a manifold, as those of closed chains do, is a `Constrained` one. Every state that anyone
sees is projected onto it: the end of each step, from where the solver goes on, and what is interpolated in between.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from loadpath.errors import IntegrationError, warn
from loadpath.progress import Report
from loadpath.scalars.types import Floats
from loadpath.simulate.stiffness import BORDERS, NEAR, fastest_decay
from loadpath.simulate.watch import NOTHING, Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.integrate import DenseOutput, OdeSolver

METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
PROJECTED = ("RK23", "RK45", "DOP853", "Radau", "BDF")
"""Methods whose state can be corrected between two steps; LSODA keeps its own in Fortran."""

AT_ONCE = 100
"""Changes without time in between after which there is no hope of an end."""
_SAME_TIME = 1e-12
_WATCHED_STEPS, _WATCHED_CHANGES = 1000, 2 * AT_ONCE
_SHORT_STEP, _SMALL_SHARE = 1e-6, 1e-4
"""Steps shorter than this (s), a thousand of which do not cover this share of the time either, lead nowhere."""
_OVER, _BACK = 5.0, 1.5
"""How many times the longest step must exceed what stability allows before an implicit method takes over for as long,
and below which the explicit one comes back: a step of the implicit one costs about as much as three of the other."""
_IMPLICIT, _FINE, _FINEST = "Radau", 3e-9, 1e-12
"""The implicit method, the relative tolerance with which it keeps energy as the explicit ones do, and the smallest."""
_OF_ONE_STEP = (*BORDERS, _IMPLICIT)
_FIRST_LOOK, _LOOKED_AT = 20, 200
"""Steps after which it is looked whether the equations are stiff: at the first of them, twice as far each time, and
then after so many each."""
_SOME_STEPS, _MANY_STEPS = 300, 5000
"""Steps yet to come from which on an implicit method is quicker where they are stiff; and from which on that is worth
telling, a unit being wrong perhaps."""
_FROM_THE_BEGINNING = (0.0, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 0.5, 0.7, 0.9)
"""Shares of an interval at which to look for the margin of what has just begun to move, which has none at first."""
_CHECKED = (0.1, 0.35)
"""Shares of the samples after which it is checked on the way whether they balance, with `_SOME` of them at least."""
_SOME = 5
_LARGE = 1e6
_LONGEST_DIFFERENCE = 1e6
"""Of the differences by which implicit methods take derivatives, as a multiple of what they are taken along."""

M = TypeVar("M")
M_contra = TypeVar("M_contra", contravariant=True)
Stop = Callable[[float, Floats], float]
"""A function of t and y; the simulation ends where its sign changes."""


@dataclass(frozen=True)
class Settings:
    """How to integrate."""

    method: str
    rtol: float
    atol: float | Floats
    """One for all of y, or one for each of its numbers."""
    max_step: float
    if_stiff: str | None = None
    """Method that takes over where the equations turn out to be stiff."""

    @classmethod
    def checked(
        cls,
        method: str,
        rtol: float,
        atol: float,
        max_step: float | None,
        longest: float,
        if_stiff: str | None = None,
    ) -> Settings:
        """Settings from what the caller gave, `longest` being the longest step unless stated.

        >>> Settings.checked("RK45", 1e-6, 1e-8, None, 0.1)
        Settings(method='RK45', rtol=1e-06, atol=1e-08, max_step=0.1, if_stiff=None)
        """
        if method not in METHODS:
            raise ValueError(f"simulate: 'method' is {method!r}: expected one of {', '.join(METHODS)}")
        for what, value in (("rtol", rtol), ("atol", atol)):
            if not (np.isfinite(value) and value > 0):
                raise ValueError(f"simulate: '{what}' is {value}: expected a positive number")
        if max_step is None:
            max_step = longest
        elif not max_step > 0:
            raise ValueError(f"simulate: 'max_step' is {max_step}: expected a positive number of seconds")
        return cls(method, rtol, atol, max_step, if_stiff)

    def finer(self, span: float) -> Settings:
        """For a span (s) in which something did not balance with these.

        >>> Settings.checked("RK45", 1e-6, 1e-8, None, np.inf).finer(2.0)
        Settings(method='RK45', rtol=1e-08, atol=1e-10, max_step=0.02, if_stiff=None)
        """
        longest = min(self.max_step, span / 25) / 4 if span > 0 else self.max_step
        rtol, atol = max(0.01 * self.rtol, _FINEST), np.multiply(self.atol, 0.01)
        return replace(self, rtol=rtol, atol=float(atol) if np.ndim(atol) == 0 else atol, max_step=longest)


class Change(NamedTuple):
    """Why a system is asked for its mode."""

    margin: int | None = None
    """Number of the margin that became negative; None at the beginning of a piece, or if the system asked itself."""
    at_once: int = 0
    """Changes right before this one without time in between."""


@dataclass(frozen=True)
class Settled(Generic[M]):
    """A mode that goes with a state."""

    mode: M
    y: Floats
    """The state, which may have changed at once."""
    tolerated: Floats | None = None
    """(margins,): how far a margin that is negative already may stay below zero, being of no consequence."""
    ended: bool = False
    """Whether the simulation ends here."""


@dataclass(frozen=True)
class Revision(Generic[M]):
    """What a system wants changed between two steps."""

    mode: M
    restart: bool = False
    """Whether the rates are others from here on, so that the solver must begin anew."""
    settle: bool = False
    """Whether the mode must be settled first."""


class System(Protocol[M]):
    """What can be stepped. Modes are objects of the system's own."""

    def begin_piece(self, begin: float, end: float, y: Floats) -> None:
        """Take notice of a piece of time in which all that is given from outside is smooth."""

    def settle(self, t: float, y: Floats, mode: M | None, change: Change) -> Settled[M]:
        """The mode from t on, after a mode (None at the very beginning)."""

    def rate(self, t: float, y: Floats, mode: M) -> Floats:
        """dy/dt."""

    def margins(self, t: float, y: Floats, mode: M) -> Floats:
        """What is left until something changes, negative beyond; always the same number of them."""

    def revise(self, t: float, y: Floats, mode: M) -> Revision[M] | None:
        """What to change between two steps, if anything."""

    def sample(self, t: float, y: Floats, mode: M) -> None:
        """Record a moment that was asked for."""

    def failed(self, t: float, y: Floats, mode: M, problem: str) -> str:
        """Why the integration may have failed, for the error message."""

    def endless(self, t: float, margin: int | None) -> str:
        """Why changes may follow each other without end, for the error message."""


@runtime_checkable
class Constrained(Protocol[M_contra]):
    """What a system has in addition whose states lie on a manifold."""

    def project(self, t: float, y: Floats, mode: M_contra) -> Floats:
        """The nearest state on the manifold."""

    def passed(self, begin: float, end: float, at: Callable[[float], Floats], mode: M_contra) -> None:
        """Take notice of an interval that has been stepped through, with the states in it."""


@runtime_checkable
class Probing(Protocol[M_contra]):
    """What a system has in addition whose margins may dip below zero within a step by less than they tell."""

    def probes(self, begin: float, end: float, at: Callable[[float], Floats], mode: M_contra) -> list[float]:
        """Times within a step at which to look, with the states in it."""


class Stiffness(NamedTuple):
    """How stiff a system is."""

    decay: float = 0.0
    """Rate (1/s) at which its fastest disturbances decay, as far as the mode makes them; 0 of none."""
    resolution: float = math.inf
    """Share of the largest speed that must be resolved, for them to be followed."""


@runtime_checkable
class Stiffening(Protocol[M_contra]):
    """What a system has in addition that is stiff for a while, and knows when."""

    def stiffness(self, t: float, y: Floats, mode: M_contra) -> Stiffness:
        """How stiff it is in a state."""

    def jacobian(self, t: float, y: Floats, mode: M_contra) -> Floats:
        """Derivatives of the rate."""


class Run(NamedTuple):
    """How a simulation went."""

    end: float
    """Time at which it ended."""
    steps: int
    stopped: bool
    """Whether the caller's condition ended it."""


def integrate(
    system: System[M],
    y: Floats,
    begin: float,
    ends: Sequence[float],
    moments: Floats,
    how: Settings,
    *,
    stop: Stop | None = None,
    report: Report | None = None,
    check: Callable[[Run], object] | None = None,
) -> Run:
    """Step a system from y, through pieces of time that end at `ends`, sampled at `moments` and where it ends. `check`
    is called on the way and raises an error where what was sampled so far does not balance.
    """
    return _Stepper(system, moments, how, stop, report, check).run(y, begin, ends)


class Sampled(Protocol):
    """What a system keeps of a moment."""

    @property
    def time(self) -> float: ...


@contextmanager
def partial_result(samples: Sequence[Sampled], result: Callable[[Run], object]) -> Iterator[None]:
    """An integration that cannot go on has the result of what was sampled before, if there is something."""
    try:
        yield
    except IntegrationError as error:
        if error.result is None and samples:
            error.result = result(Run(samples[-1].time, len(samples), False))
        raise


class _Step:
    """The last step of a solver."""

    def __init__(
        self, solver: OdeSolver, y_old: Floats, project: Callable[[float, Floats], Floats] | None = None
    ) -> None:
        self.begin, self.end = float(solver.t_old), float(solver.t)
        self.y_begin: Floats = y_old
        self.y_end: Floats = solver.y
        self._solver = solver
        self._project = project
        self._inside: dict[float, Floats] = {}
        self._dense: DenseOutput | None = None

    def at(self, t: float) -> Floats:
        """The state within the step. Between its ends that takes further evaluations, with some solvers."""
        if t == self.end:
            return self.y_end
        if t == self.begin:
            return self.y_begin
        y = self._inside.get(t)
        if y is None:
            y = np.asarray(self._interpolated(t))
        return y if self._project is None else self._project(t, y)

    def look_at(self, times: Sequence[float]) -> None:
        """Take notice of times within the step at which the state will be asked for: together they cost less."""
        if len(times) > 1:
            self._inside = dict(zip(times, np.ascontiguousarray(self._interpolated(np.array(times)).T), strict=True))

    def _interpolated(self, t: float | Floats) -> Floats:
        if self._dense is None:
            self._dense = self._solver.dense_output()
        y: Floats = self._dense(t)
        return y


class _Stepper(Generic[M]):
    def __init__(
        self, system: System[M], moments: Floats, how: Settings, stop: Stop | None, report: Report | None,
        check: Callable[[Run], object] | None = None,
    ) -> None:
        self.system, self.moments, self.how, self.stop, self.report = system, moments, how, stop, report
        self.check = check
        self._checked_at = {int(share * len(moments)) for share in _CHECKED} - set(range(_SOME))
        self.sampled = 0
        self.steps = 0
        self.stopped = False
        self._stop_value = 1.0
        self._watched = 0.0
        self._next_look = _FIRST_LOOK
        self._changes: list[float] = []
        self._mode: M
        self._constrained: Constrained[M] | None = system if isinstance(system, Constrained) else None
        self._probing: Probing[M] | None = system if isinstance(system, Probing) else None
        self._stiffening: Stiffening[M] | None = system if isinstance(system, Stiffening) else None
        self._method = how.method
        """At the moment: that of the settings, or the implicit one."""
        self._finer = 1.0
        """Share of their tolerances that the settings have at the moment."""

    def run(self, y: Floats, begin: float, ends: Sequence[float]) -> Run:
        """From the beginning to the end, or to where it stops."""
        t, self._begin, self._end = begin, begin, float(ends[-1])
        self._watched = begin
        mode: M | None = None
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for end in ends:
                self.system.begin_piece(t, float(end), y)
                t, y, mode, over = self._piece(t, float(end), y, mode)
                if over:
                    break
            assert mode is not None
            self.system.sample(t, y, mode)
        return Run(t, self.steps, self.stopped)

    def _piece(self, t: float, end: float, y: Floats, mode: M | None) -> tuple[float, Floats, M, bool]:
        """Time, state and mode at the end of a piece, and whether the whole simulation is over."""
        change = Change()
        while True:
            settled = self.system.settle(t, y, mode, change)
            if settled.ended or t >= end:
                return t, settled.y, settled.mode, settled.ended
            before = t
            t, y, mode, margin, done = self._until_change(t, end, settled)
            if done or self.stopped:
                return t, y, mode, self.stopped
            at_once = change.at_once + 1 if t - before <= _SAME_TIME * max(1.0, abs(t)) else 0
            if at_once > AT_ONCE:
                raise IntegrationError(f"simulate: at t = {t:.9g} s {self.system.endless(t, margin)}")
            self._check_changes(t, margin)
            change = Change(margin, at_once)

    def _check_changes(self, t: float, margin: int | None) -> None:
        """Give up where changes follow each other so closely that there would be no end."""
        self._changes.append(t)
        if len(self._changes) > _WATCHED_CHANGES and t - self._changes.pop(0) < _WATCHED_CHANGES * _SHORT_STEP:
            raise IntegrationError(f"simulate: at t = {t:.9g} s {self.system.endless(t, margin)}")

    # Smooth motion

    def _rate(self, t: float, y: Floats) -> Floats:
        if not math.isfinite(y.dot(y)):
            return np.full(len(y), np.nan)
        return self.system.rate(t, y, self._mode)

    def _solver(self, t: float, y: Floats, end: float, first_step: float | None = None) -> OdeSolver:
        import scipy.integrate

        how = self.how
        if first_step is not None:
            first_step = min(first_step, end - t)
        rtol, atol = how.rtol * self._finer, np.multiply(how.atol, self._finer)
        make = getattr(scipy.integrate, self._method)
        options: dict[str, Any] = {}
        system = self._stiffening
        if system is not None and self._method == _IMPLICIT:
            options["jac"] = lambda t, y: system.jacobian(t, y, self._mode)
        solver: OdeSolver = make(
            self._rate, t, y, end, rtol=rtol, atol=atol, max_step=how.max_step, first_step=first_step, **options
        )
        return solver

    def _with_other_rates(self, solver: OdeSolver, end: float) -> OdeSolver:
        """To go on with where the rates jump by little. Methods of one step go on as they are: an implicit one keeps
        its derivatives, which are dear, for as long as they serve, but does not expect the stages of the last step.
        """
        inside: Any = solver
        if self._method not in _OF_ONE_STEP:
            length = float(getattr(solver, "h_abs", solver.step_size or 0.0))  # which it would have tried next
            return self._solver(float(solver.t), solver.y, end, first_step=length)
        inside.f = solver.fun(solver.t, solver.y)
        if self._method == _IMPLICIT:
            inside.sol = inside.h_abs_old = inside.error_norm_old = None
            inside.current_jac = False
        return solver

    def _until_change(self, begin: float, end: float, settled: Settled[M]) -> tuple[float, Floats, M, int | None, bool]:
        """Time, state and mode where something changes, with the margin that says so; or at the end."""
        system, y = self.system, settled.y
        mode = self._mode = settled.mode
        watch = Watch(begin, system.margins(begin, y, mode), settled.tolerated)
        if self.stop is not None:
            self._stop_value = float(self.stop(begin, y))
        self._method = self._suitable(begin, y, mode)
        solver = self._solver(begin, y, end)
        while solver.status == "running":
            self._check_progress(solver, mode)
            y = solver.y
            problem = self._stepped(solver, mode)
            self.steps += 1
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise self._failure(float(solver.t), solver.y, mode, problem or "")
            project = None if self._constrained is None else self._onto_manifold(solver, self._constrained, mode)
            step = _Step(solver, y, project)
            turned_stiff = self._is_stiff(solver)
            t, margin = self._through(step, mode, watch)
            if self.report is not None:
                self.report((t - self._begin) / max(self._end - self._begin, 1e-300))
            if self._constrained is not None:
                self._constrained.passed(step.begin, t, step.at, mode)
            if margin is not None or self.stopped:
                return t, step.at(t), mode, margin, False
            revision = system.revise(step.end, step.y_end, mode)
            if revision is not None:
                mode = self._mode = revision.mode
                if revision.settle:
                    return step.end, step.y_end, mode, None, False
            before, self._method = self._method, self._suitable(step.end, step.y_end, mode)
            if self._method == _IMPLICIT == before:
                solver.rtol, solver.atol = self.how.rtol * self._finer, np.multiply(self.how.atol, self._finer)
            if (turned_stiff or self._method != before) and solver.status == "running":
                solver = self._solver(step.end, step.y_end, end)
                continue
            if revision is not None and revision.restart and solver.status == "running":
                solver = self._with_other_rates(solver, end)
        return end, solver.y, mode, None, True

    def _suitable(self, t: float, y: Floats, mode: M) -> str:
        """The method to go on with: implicit for as long as stability would hold an explicit one to short steps."""
        how = self.how
        if self._stiffening is None or how.method not in BORDERS:
            return how.method
        allowed = _BACK if self._method == _IMPLICIT else _OVER
        decay, resolution = self._stiffening.stiffness(t, y, mode)
        stiff = decay * how.max_step > allowed * BORDERS[how.method]
        self._finer = min(1.0, _FINE / how.rtol, max(resolution, _FINEST) / how.rtol) if stiff else 1.0
        return _IMPLICIT if stiff else how.method

    def _stepped(self, solver: OdeSolver, mode: M) -> str | None:
        """One step, and what the solver says of it.

        Implicit methods take derivatives by differences. Along what the rates do not depend on, as the works in y,
        SciPy lengthens these tenfold each time, and after some 160 times they overflow: they are bounded here.
        """
        factor = getattr(solver, "jac_factor", None)
        if factor is not None:
            np.minimum(factor, _LONGEST_DIFFERENCE, out=factor)
        try:
            problem: str | None = solver.step()
        except ValueError as error:
            if "infs or NaNs" not in str(error):
                raise  # of a function of the caller's
            raise self._failure(float(solver.t), solver.y, mode, str(error)) from error
        return problem

    def _onto_manifold(
        self, solver: OdeSolver, constrained: Constrained[M], mode: M
    ) -> Callable[[float, Floats], Floats]:
        """Let the solver go on from the manifold; returns the projection for states within the step.

        The correction is within the error of the step, so the order of the method stays. A Runge-Kutta method begins
        its next step with the rates at its end, which are those of the corrected state; BDF has its past as
        differences, all of which are moved along.
        """
        t = float(solver.t)
        y = constrained.project(t, solver.y, mode)
        inside: Any = solver
        if y is not solver.y:
            if self._method == "BDF":
                inside.D[0] += y - solver.y
            else:
                inside.f = solver.fun(t, y)
            solver.y = y
        return lambda t, y: constrained.project(t, y, mode)

    def _is_stiff(self, solver: OdeSolver) -> bool:
        """Whether the steps are bound by stability and too many are left; then the other method takes over."""
        how = self.how
        if how.if_stiff is None or self.steps < self._next_look or self._method not in BORDERS:
            return False
        self._next_look = self.steps + min(self.steps, _LOOKED_AT)
        step = float(solver.step_size or 0.0)
        if not step > 0 or (self._end - solver.t) / step < _SOME_STEPS:
            return False
        decay = fastest_decay(self._rate, float(solver.t), solver.y)
        if decay * step < NEAR * BORDERS[how.method]:
            return False
        self.how = replace(how, method=how.if_stiff)
        if (self._end - solver.t) / step > _MANY_STEPS:
            warn(
                f"simulate: the equations are stiff at t = {solver.t:.6g} s: a disturbance decays at {decay:.3g} 1/s, "
                f"which holds the steps of {how.method} at {step:.2g} s ({(self._end - solver.t) / step:.2g} steps to "
                f"go). {how.if_stiff} takes over; give method='{how.if_stiff}' to have it from the beginning. Is the "
                "friction (or gain) of a joint in the right unit?"
            )
        return True

    def _failure(self, t: float, y: Floats, mode: M, problem: str) -> IntegrationError:
        why = self.system.failed(t, y, mode, problem)
        return IntegrationError(f"simulate: the integration failed at t = {t:.9g} s{why}")

    def _check_progress(self, solver: OdeSolver, mode: M) -> None:
        """Give up where the steps have become so short that there would be no end."""
        if self.steps % _WATCHED_STEPS:
            return
        covered, self._watched = solver.t - self._watched, solver.t
        if 0 < covered < min(_WATCHED_STEPS * _SHORT_STEP, _SMALL_SHARE * (self._end - self._begin)):
            raise self._failure(float(solver.t), solver.y, mode, "the steps become too short")

    # Within a step

    def _through(self, step: _Step, mode: M, watch: Watch) -> tuple[float, int | None]:
        """Take the samples within a step. Returns its end or, before, the time of a change and the margin that became
        negative, or of a stop.
        """
        system, early = self.system, step.begin
        after = system.margins(step.end, step.y_end, mode)  # first: the solver has just evaluated the rates there
        probes = watch.probes(step.end, after)
        if self._probing is not None:
            probes = [*probes, *self._probing.probes(step.begin, step.end, step.at, mode)]
        looks = self._looks(step, probes)
        step.look_at(looks[:-1])
        for t in looks:
            y = step.at(t)
            found, margins = NOTHING, after
            if len(after) and t > step.begin:
                margins = after if t == step.end else system.margins(t, y, mode)
                found = watch.broken(margins)
            change, margin = self._locate(step, early, t, margins, found, mode) if len(found) else (t, None)
            change, margin = self._until_stop(step, early, change, margin)
            if margin is not None or self.stopped:
                return change, margin
            if t == self._due and t < step.end:
                system.sample(t, y, mode)
                self.sampled += 1
                if self.check is not None and self.sampled in self._checked_at:
                    self.check(Run(t, self.steps, False))
            early = t
        watch.move_on(step.end, after)
        return step.end, None

    @property
    def _due(self) -> float:
        return float(self.moments[self.sampled]) if self.sampled < len(self.moments) else math.inf

    def _looks(self, step: _Step, probes: Sequence[float]) -> list[float]:
        """Moments within a step at which to look, its end included."""
        count = int(np.searchsorted(self.moments[self.sampled :], step.end, side="left"))
        looks: list[float] = self.moments[self.sampled : self.sampled + count].tolist()
        return [*sorted({*looks, *probes}), step.end]

    def _locate(
        self, step: _Step, early: float, late: float, margins: Floats, which: NDArray[np.intp], mode: M
    ) -> tuple[float, int | None]:
        """When the first of some margins, which are those at the late end, has just become negative, and which; not a
        moment before, for if forces jump there, the moment before says nothing.
        """
        from scipy.optimize import brentq

        seen = {late: margins[which]}

        def those(t: float) -> Floats:
            if t not in seen:
                seen[t] = self.system.margins(t, step.at(t), mode)[which]
            return seen[t]

        def lowest(t: float) -> float:
            return min(max(float(those(t).min()), -_LARGE), _LARGE)

        begin = early
        for share in _FROM_THE_BEGINNING:
            early = begin + share * (late - begin)
            if lowest(early) > 0:
                break
        else:  # it never had any
            t = begin + _FROM_THE_BEGINNING[1] * (late - begin)
            return t, int(which[those(t).argmin()])
        t = float(brentq(lowest, early, late, xtol=1e-15, rtol=1e-14))
        gap = 1e-15 * max(1.0, abs(t))
        while lowest(t) >= 0 and t < late:
            t = min(t + gap, late)
            gap *= 2
        return t, int(which[those(t).argmin()])

    def _until_stop(self, step: _Step, early: float, t: float, margin: int | None) -> tuple[float, int | None]:
        """The same, or the moment before at which the caller's condition changes its sign."""
        stop = self.stop
        if stop is None:
            return t, margin
        from scipy.optimize import brentq

        before, after = self._stop_value, float(stop(t, step.at(t)))
        self._stop_value = after
        if before == 0.0 or before * after > 0:
            return t, margin
        self.stopped = True
        if after != 0.0:
            t = float(brentq(lambda t: stop(t, step.at(t)), early, t, xtol=1e-15, rtol=1e-14))
        return t, None
