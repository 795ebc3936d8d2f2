"""A rover as a system for the event-driven stepper: its modes are what contacts and joints do."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np

from loadpath.errors import IntegrationError
from loadpath.mobile import events as happenings
from loadpath.mobile.applied_wrenches import AppliedWrenches
from loadpath.mobile.base_in_space import base_in_space, refuse_spins_that_turn
from loadpath.mobile.contacts.forces import ContactForces, Input, Mode, Outcome
from loadpath.mobile.contacts.patches_under import crossings
from loadpath.mobile.contacts.steady import SteadyMotion
from loadpath.mobile.contacts.switching import Switching
from loadpath.mobile.contacts.system import EndlessError
from loadpath.mobile.equations import BASE, kernel
from loadpath.mobile.guidance import Guidance
from loadpath.mobile.motions import refuse_ground
from loadpath.mobile.on_patches import in_frame_of_ground
from loadpath.mobile.rover_work import RoverWork
from loadpath.mobile.wheel_drives import RoverState
from loadpath.scalars.types import Floats
from loadpath.simulate.drive import Drive, Force
from loadpath.simulate.events import RoverEvent
from loadpath.simulate.hybrid import Change, Revision, Settled, Stiffness
from loadpath.simulate.result import Simulation
from loadpath.simulate.stiffness import derivatives

_PATIENT = 12
"""Changes without time in between after which margins that become negative to and fro are let be."""
_TURNED = 0.9
"""Cosine of the angle by which sliding may have turned before its direction is taken anew."""
_CREEPS = 10
"""Steps in a row with slow slip in the plane that friction would end after which a contact is tried as one that
sticks."""
_SLIGHT = 1e-6
"""Negative margins beyond this are never of no consequence."""
_SAME_TIME = 1e-15
_RESOLVED = 1e-2
"""Share of the slowest slip in the plane up to which it may be uncertain."""
_SMALL_SPEED, _SMALL_WAY = 1e-12, 1e-7
"""Differences of speeds (m/s, rad/s) and of coordinates (m, rad) along which derivatives are taken."""
_MOMENT, _AT_ONE_MOMENT, _IN_ALL = 1e-6, 20_000, 1_000_000
"""Evaluations that one such time (s), and that the first second and each after it, may take: ten times what the most
difficult sound simulations do."""


class Sample(NamedTuple):
    """One moment that was asked for."""

    time: float
    y: Floats
    at: Input
    outcome: Outcome
    mode: Mode


class _Evaluated(NamedTuple):
    """The last evaluation, kept because solver, margins and samples ask for the same one."""

    t: float
    y: Floats
    mode: Mode
    at: Input
    outcome: Outcome


P = ParamSpec("P")
R = TypeVar("R")


def _comes_to_an_end(
    step: Callable[Concatenate[RoverSystem, float, P], R],
) -> Callable[Concatenate[RoverSystem, float, P], R]:
    """What the stepper asks of a rover: contacts that change without end are an error that says so."""

    @functools.wraps(step)
    def asked(system: RoverSystem, t: float, /, *given: P.args, **named: P.kwargs) -> R:
        try:
            return step(system, t, *given, **named)
        except EndlessError:
            told = f"simulate: at t = {t:.9g} s {system.endless(t, None)}"
            raise IntegrationError(told) from None

    return asked


class RoverSystem:
    """One rover with its drives; see `loadpath.simulate.hybrid.System`.

    y = (pose of the base, q, speeds U of base, joints and spinning wheels, angles of trailing casters, `WORKS`).
    """

    def __init__(
        self, forces: ContactForces, guidance: Guidance, drive: Drive, applied: AppliedWrenches, begin: float
    ) -> None:
        self.forces, self.guidance, self.drive, self.begin = forces, guidance, drive, begin
        self.applied = applied
        self.switching = Switching(forces)
        self.rover, self.elements = forces.rover, forces.elements
        refuse_ground(self.rover.ground, "simulate", "surface")
        refuse_spins_that_turn(self.rover, {}, "simulate")
        self.samples: list[Sample] = []
        self.events: list[RoverEvent] = []
        self.tipped = self.rocks = False
        self.goes_on: Callable[[Floats], bool] = lambda y: False
        """Whether it is simulated as a free body where it tips, which settles what the plane leaves open."""
        nq = self.rover.nq
        self._q = slice(BASE, BASE + nq)
        self._U = slice(BASE + nq, BASE + nq + self.elements.size)
        self._casters = slice(self._U.stop, self._U.stop + len(self.elements.trailing))
        self.work = RoverWork(forces, guidance)
        self.works = slice(self._casters.stop, self._casters.stop + len(self.work.names))
        """Where the `WORKS` are in y."""
        self._differences = np.zeros(self.works.stop)
        self._differences[: self._U.start], self._differences[self._casters] = _SMALL_WAY, _SMALL_WAY
        self._differences[self._U.start + forces.free] = _SMALL_SPEED
        """For derivatives along all that rates depend on."""
        self._rates = kernel(self.rover, "coordinate_rates")
        wheels, drives = self.rover.arrangement, guidance.drives
        self._torques: Floats | None = None
        """(contacts,): torques of wheels, where they stay the same."""
        if not drives.limited and not any(callable(torque) for torque in drives.torques.values()):
            self._torques = np.zeros(len(self.rover.contact_names))
            self._torques[list(drives.torques)] = list(drives.torques.values())
        self._no_forces, self._no_angles = np.zeros(self.rover.n), np.zeros(len(wheels.steerable))
        self._steers = bool(guidance.steering.given)
        self._rated_at = [self.elements.spin_at[k] for k in drives.rates]
        self._rated = [0.0 if callable(rate) else rate for rate in drives.rates.values()]
        self._steady: SteadyMotion | None = None
        self._is_led = guidance.motion is not None or guidance.base_motion is not None or any(
            callable(rate) for rate in drives.rates.values())
        """Whether some accelerations are given that are not zero."""
        self._caster_at = np.array(
            [np.flatnonzero(wheels.steerable == k)[0] for k in self.elements.trailing], dtype=int
        )
        self._by_hand = forces.closed or applied.changing or applied.constant is not None or (
            self.rover.ground.motion is not None)
        """Whether the compiled motion does not have all rates."""
        self._force: Force
        self._last: _Evaluated | None = None
        self._slow: dict[int, int] = {}
        """For how many steps elements have slid so slowly that friction would stop them."""
        self._creeping: list[int] = []
        self._got_on: tuple[float, int] = begin, 0

    # State

    def first(self, start: tuple[Floats, Floats, Floats, Floats]) -> Floats:
        """y at the beginning; wheels with spin inertia begin as if they rolled."""
        pose, velocity, q, qd = start
        y = np.zeros(self.works.stop)
        t = self.begin
        if self.guidance.base_motion is not None:
            pose, velocity, _ = self.guidance.base(t)
        y[:BASE], y[self._q] = pose, q
        angles = self.guidance.steering.first(velocity)
        steered, _ = self.guidance.steering.at(t)
        angles = np.where(self.guidance.steering.is_steered, steered, angles)
        wheels = self.rover.arrangement
        rates = wheels.rate_rows(wheels.placed(angles)) @ velocity
        y[self._U] = np.concatenate([velocity, qd, rates[self.elements.spinning]])
        y[self._casters] = angles[self._caster_at]
        return y

    def input(self, t: float, y: Floats) -> Input:
        """What the equations need, given things put in their places."""
        n, guidance = self.rover.n, self.guidance
        U, given, pose = y[self._U].copy(), self.forces.nothing_given, y[:BASE]
        q, qd = y[self._q], U[BASE : BASE + n]
        if self._is_led:
            given = np.zeros(self.elements.size)
        if guidance.base_motion is not None:
            pose, U[:BASE], given[:BASE] = guidance.base(t)
        if guidance.motion is not None:
            q, qd, given[BASE : BASE + n] = guidance.robots(t)
            U[BASE : BASE + n] = qd
        for k, rate in guidance.drives.rates.items():
            i = self.elements.spin_at[k]
            if callable(rate):
                U[i], given[i] = guidance.wheel_rate(k, t)
            else:
                U[i] = rate
        tau = self._no_forces if guidance.motion is not None else self._force(t - self.begin, q, qd)
        angles, angle_rates = guidance.steered(t) if self._steers else (self._no_angles, self._no_angles)
        if len(self.elements.trailing):
            angles = angles.copy()
            angles[self._caster_at] = y[self._casters]  # whose rates follow from the motion
        torques, external = self._torques, self.applied.constant
        if self.applied.changing or torques is None:
            state = _for_callers(pose, U[:BASE], q, qd)
            if torques is None:
                torques = guidance.drives.torque(t, state, lambda: self.work.rates_of(self.forces.placed(angles), U))
            external = self.applied.at(t, state)
        return Input(q, qd, float(pose[2]), U, given, tau, torques, angles, angle_rates, external,
                     guidance.drives.braking(t), self._in_space(t, pose, U[:BASE]), self._stands(pose, angles))

    def _stands(self, pose: Floats, angles: Floats) -> Floats | None:
        """(contacts, 2): where contacts are on the ground, where that has patches of friction and the base is free."""
        if not self.rover.ground.patches or not self.elements.contact_rows:
            return None
        return in_frame_of_ground(self.forces.placed(angles).points, pose)

    def probes(self, begin: float, end: float, at: Callable[[float], Floats], mode: Mode) -> list[float]:
        """Times within a step at which contacts may cross a patch of friction and be beyond it at the end."""
        if not mode.under:
            return []

        def stands(t: float) -> Floats:
            where = self._input(t, at(t)).stands
            assert where is not None
            return where

        ends = (self._input(t, at(t)) for t in (begin, end))
        quickest = np.max([self._speeds_of_contacts(each) for each in ends], axis=0)
        return crossings(begin, end, stands, self.rover.ground, mode.under, quickest)

    def _speeds_of_contacts(self, at: Input) -> Floats:
        """(contacts,): m/s, with what swivelling adds."""
        points, (vx, vy, w) = self.forces.placed(at.angles).points, at.U[:BASE]
        quickest = np.abs(self.forces.angle_rates(at)).max(initial=0.0)
        swivel = quickest * np.hypot(*(points - self.rover.arrangement.pivots).T)
        return np.asarray(np.hypot(vx - w * points[:, 1], vy + w * points[:, 0]) + swivel)

    def _in_space(self, t: float, pose: Floats, velocity: Floats) -> Floats | None:
        """(15,): the base in inertial space, where the ground moves."""
        ground = self.rover.ground
        if ground.motion is None:
            return None
        stands = {"time": t, "position": pose[:2], "heading": pose[2]}
        return base_in_space(ground, stands, velocity, np.zeros(BASE)).row

    def state(self, t: float, y: Floats) -> RoverState:
        """What the caller's functions are given."""
        at = self._input(t, y)
        return _for_callers(y[:BASE], at.U[:BASE], at.q, at.qd)

    def _input(self, t: float, y: Floats) -> Input:
        last = self._last
        return last.at if last is not None and self._is_at(last, t, y) else self.input(t, y)

    def _evaluate(self, t: float, y: Floats, mode: Mode) -> _Evaluated:
        last, at = self._last, None
        if last is not None and self._is_at(last, t, y):
            if last.mode is mode:
                return last
            at = last.at
        y = y.copy()  # some solvers use the same array again
        at = self.forces.held_to(self.input(t, y) if at is None else at, mode)
        self._last = _Evaluated(t, y, mode, at, self.forces.evaluate(at, mode))
        return self._last

    @staticmethod
    def _is_at(last: _Evaluated, t: float, y: Floats) -> bool:
        # Solvers add up the time of a step's end in two ways.
        return abs(t - last.t) <= _SAME_TIME * max(1.0, abs(t)) and bool((y == last.y).all())

    def in_joints(self, at: Input, speeds: Floats) -> Floats:
        """Speeds or accelerations of base, joints and wheels, from those that the contact solver has: the same."""
        return speeds

    def joint_forces(self, at: Input, outcome: Outcome) -> Floats:
        """(n,): forces along the joints, of drives and of what moves them as given."""
        result: Floats = at.tau + outcome.reaction[BASE : BASE + self.rover.n]
        return result

    def loops_over(self, q: Floats) -> dict[str, Any]:
        """What a `Simulation` has of loops: here there are none."""
        return {}

    def check_closed(self, found: Simulation, remedy: str) -> None:
        """An error where loops have come open: here there are none."""

    # The smooth motion

    def begin_piece(self, begin: float, end: float, y: Floats) -> None:
        """The drives' force from here on."""
        q, qd = y[self._q], y[self._U][BASE : BASE + self.rover.n]
        self.guidance.within = begin, end
        self._force = self.drive.piece(begin - self.begin, end - self.begin, q, qd)
        self._last = self._steady = None

    @_comes_to_an_end
    def rate(self, t: float, y: Floats, mode: Mode) -> Floats:
        """dy/dt."""
        steady = self._steady
        if steady is None or steady.mode is not mode:
            steady = self._steady = self._steady_in(t, y, mode)
        if steady is not None:
            return self._steady_rate(t, y, steady)
        _, _, _, at, outcome = self._evaluate(t, y, mode)
        result: Floats = outcome.row[: len(y)].copy()
        if self._by_hand:
            result[self._q] = self._rates(at.q, at.qd) if self.rover.n else 0.0
            result[self._U] = self.in_joints(at, outcome.Udot)
            self.work.put_in(result[self.works], at, outcome)
        return result

    def _steady_in(self, t: float, y: Floats, mode: Mode) -> SteadyMotion | None:
        """The motion within a mode whose numbers stay the same; None where they do not."""
        given = self._by_hand or self._is_led or self._steers or self._torques is None
        of = self.forces.decided(mode)
        if given or self.guidance.drives.brakes or not of.steady or of.sideways:
            return None
        return SteadyMotion(self.forces, self._input(t, y), mode)

    def _steady_rate(self, t: float, y: Floats, steady: SteadyMotion) -> Floats:
        q, U, angles = y[self._q], y[self._U], self._no_angles
        if self._rated_at:
            U = U.copy()
            U[self._rated_at] = self._rated
        tau = self._force(t - self.begin, q, U[BASE : BASE + self.rover.n])
        if len(self._caster_at):
            angles = angles.copy()
            angles[self._caster_at] = y[self._casters]
        assert self._torques is not None
        return steady.rates(q, U, y[2:BASE], angles, tau, self._torques)[: len(y)]

    @_comes_to_an_end
    def sample(self, t: float, y: Floats, mode: Mode) -> None:
        """Record state and forces."""
        _, y, _, at, outcome = self._evaluate(t, y, mode)
        self.samples.append(Sample(t, y, at, outcome, mode))

    # Changes

    @_comes_to_an_end
    def margins(self, t: float, y: Floats, mode: Mode) -> Floats:
        """What is left until something changes, in the order of `Switching.margins`."""
        self._allow(t)
        _, _, _, at, outcome = self._evaluate(t, y, mode)
        self.switching.notice(at)
        return self.switching.margins(outcome, mode)

    @_comes_to_an_end
    def settle(self, t: float, y: Floats, mode: Mode | None, change: Change) -> Settled[Mode]:
        """The mode from here on; what happens is added to the events."""
        self._get_on(t)
        self._allow(t)
        at = self._input(t, y)
        then = None if mode is None else self._evaluate(t, y, mode).outcome
        settled = self.switching.settle(at, mode, self._creeping)
        self._creeping, self._slow = [], {}
        y = y.copy()
        y[self._U] = self.in_joints(at, settled.U)
        y[self.works] += self.work.at_once(settled, at.U)
        if settled.tips:
            if not self.goes_on(y):
                self._check_tipping(t, at, mode, settled.mode)
            rocks = self._rocks(at, settled.outcome)
            self.tipped, self.rocks = rocks is None, rocks is not None
            self.events.append(happenings.tipping(self.rover, t, settled.outcome, settled.mode.touching, rocks))
            self._last = _Evaluated(t, y, settled.mode, at, settled.outcome)
            return Settled(settled.mode, y, ended=True)
        every = self.elements.all
        if mode is None or then is None:
            first = happenings.first_state(self.rover, every, settled.mode, settled.outcome)
            self.events += [replace(event, time=t) for event in first]
        else:
            self.events += happenings.changes(self.rover, every, t, mode, then, settled.mode, settled.outcome)
        tolerated = None
        if change.at_once > _PATIENT:
            tolerated = np.full(len(self.switching.of_drives(settled.mode)), np.inf)
        elif mode is not None and settled.mode.key == mode.key:
            tolerated = np.where(self.switching.of_drives(settled.mode), np.inf, _SLIGHT)
        return Settled(settled.mode, y, tolerated)

    def _get_on(self, t: float) -> None:
        """Take notice of how far the simulation has come."""
        if t > self._got_on[0] + _MOMENT:
            self._got_on = t, self.forces.effort

    def _allow(self, t: float) -> None:
        """What may be spent from here on: a bound for one moment, and for the whole time so far."""
        self.forces.allowed = min(self._got_on[1] + _AT_ONE_MOMENT, _IN_ALL * (1.0 + t - self.begin))

    def _check_tipping(self, t: float, at: Input, before: Mode | None, after: Mode) -> None:
        """An error where contacts would lift that the same forces press on the ground: nothing tips there."""
        touched = np.ones(len(after.touching), dtype=bool) if before is None else before.touching
        standing = self.forces.evaluate(at, replace(after, touching=touched))
        if (standing.normal > 0).all():
            raise IntegrationError(
                f"simulate: at t = {t:.6g} s the contacts of rover '{self.rover.name}' do not settle: it would tip "
                f"over though all contacts press on the ground ({standing.normal.min():.4g} N at least); the numbers "
                "are not to be trusted from here on (those before are in error.result): rover.stability(...) says how "
                "far it is from tipping, and friction without rolling resistance (rolling=0) may lead round it"
            )

    def _rocks(self, at: Input, outcome: Outcome) -> tuple[float, float] | None:
        """Energy of the motion and energy that it takes to tip over, where nothing gives it more: level ground, wheels
        that are braked or roll, robots that are held still, no other wrench; and where it stands by itself. Else None.
        """
        guidance = self.guidance
        drives = guidance.drives
        pushed = drives.torques or any(callable(rate) or rate for rate in drives.rates.values())
        still = not self.rover.n or (guidance.motion is not None and not guidance.motion.qd.any())
        moved = at.external or guidance.base_motion is not None or at.in_space is not None
        if pushed or not still or self.rover.ground.slope or moved:
            return None
        steering = at.angles if len(at.angles) else None
        center = np.asarray(self.rover.mass_center(at.q))
        energy, takes = float(0.5 * at.U @ outcome.M @ at.U), happenings.energy_over(self.rover, center, outcome)
        stands = float(self.rover.stability(at.q, steering=steering).margin) > 0
        return (energy, takes) if stands and energy < takes else None

    def jacobian(self, t: float, y: Floats, mode: Mode) -> Floats:
        """Derivatives of the rates, by differences along what they depend on: not the works, nor speeds that are
        given. So small that slow sliding keeps its direction.
        """
        return derivatives(lambda t, y: self.rate(t, y, mode), t, y, self._differences)

    @_comes_to_an_end
    def stiffness(self, t: float, y: Floats, mode: Mode) -> Stiffness:
        """How fast what slides in the plane comes to its direction, at most: slowly, that is stiff."""
        if mode.stuck.all() or not self.switching.slides_in_plane(mode):
            return Stiffness()
        _, _, _, at, outcome = self._evaluate(t, y, mode)
        decay, slowest = self.switching.decay(outcome, mode)
        if not decay:
            return Stiffness()
        quickest = max(float(np.abs(at.U[:BASE]).max()), float(np.abs(at.U[BASE + self.rover.n :]).max(initial=0.0)))
        return Stiffness(decay, _RESOLVED * slowest / max(quickest, slowest))

    @_comes_to_an_end
    def revise(self, t: float, y: Floats, mode: Mode) -> Revision[Mode] | None:
        """Directions of sliding as they are now, what has got going armed; what creeps is tried as sticking."""
        self._get_on(t)
        if mode.stuck.all():
            return None
        _, _, _, at, outcome = self._evaluate(t, y, mode)
        now = self.switching.gets_going(outcome, mode, _TURNED)
        after = mode if now is None else now
        if self._creeps(at, after, self.switching.creeping(outcome, mode)):
            return Revision(after, settle=True)
        return None if now is None else Revision(after)

    def _creeps(self, at: Input, mode: Mode, stops: list[int]) -> bool:
        """Whether contacts that have slid slowly for some steps would rather stick."""
        self._slow = {i: self._slow.get(i, 0) + 1 for i in stops}
        tried = [i for i in stops if self._slow[i] >= _CREEPS]
        if not tried:
            return False
        self._slow = {}
        settled = self.switching.settle(at, mode, tried)
        if settled.tips or not settled.mode.stuck[tried].all():
            return False
        self._creeping = tried
        return True

    # What went wrong

    def failed(self, t: float, y: Floats, mode: Mode, problem: str) -> str:
        """Where the base is, and the speeds."""
        where, speeds = (y[part].round(4).tolist() for part in (slice(BASE), self._U))
        why = f" ({problem})" if problem else ""
        return f"{why}: the base is at {where}, the speeds are {speeds}; are drives and torques bounded?"

    def endless(self, t: float, margin: int | None) -> str:
        """The last event."""
        last = self.events[-1] if self.events else "no event yet"
        return (
            f"contacts change without end ({last}); the numbers are not to be trusted from here on (those before are "
            "in error.result). Are the friction coefficients and drives sound? Rates that start with an acceleration, "
            "wheel_torques, or friction without rolling resistance (rolling=0) may lead round it"
        )


def _for_callers(*parts: Floats) -> RoverState:
    """A state that the caller's functions cannot change, neither for the integrator nor for each other."""
    copies = [np.array(part) for part in parts]
    for copy in copies:
        copy.flags.writeable = False
    return RoverState(*copies)


__all__ = ["RoverSystem", "Sample"]
