"""A rover whose base is a free body, as a system for the event-driven stepper.

y = (position of the base frame in the frame of the ground, quaternion x, y, z, w, q, speeds U, angles of trailing
casters, internal states of springs, `WORKS`). States are projected: quaternions have the length one, rigid contacts
that touch have no gap and no normal velocity, what sticks has no slip.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from loadpath.errors import IntegrationError
from loadpath.mobile import rover_work
from loadpath.mobile.applied_wrenches import AppliedWrenches
from loadpath.mobile.contacts.forces import SLOW, Mode
from loadpath.mobile.contacts.layout import viscous_of
from loadpath.mobile.contacts.patches_under import crossings
from loadpath.mobile.contacts.switching import BREAKAWAY, REST, STILL
from loadpath.mobile.equations import BASE, kernel
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.guidance import Guidance
from loadpath.mobile.links import led_coordinates, passive_joints
from loadpath.mobile.spatial.forces import Equations, Outcome, SpatialForces
from loadpath.mobile.spatial.geometry import MORE, Touch, cross, rotation_of, turned_by
from loadpath.mobile.spatial.input import Input, Place
from loadpath.mobile.spatial.patches import crossed, left_on_patches, speeds, stands, under_contacts
from loadpath.mobile.spatial.settling import SEPARATES, TOUCHES, JamsError, Settling
from loadpath.mobile.wheel_drives import RoverState
from loadpath.scalars.types import Floats, Ints
from loadpath.simulate.drive import Drive, Force
from loadpath.simulate.events import RoverEvent
from loadpath.simulate.hybrid import Change, Revision, Settled
from loadpath.simulate.result import Simulation

WORKS = (*rover_work.WORKS, "brake", "impact", "damper")
"""Those on the plane, heat of impacts, and heat of the dampers of wheels on springs."""
_DRIVE, _WHEEL, _EXTERNAL, _ON_BASE = range(4)
_ROLLING, _JOINT = WORKS.index("rolling"), WORKS.index("joint")
_IMPACT, _DAMPER = len(WORKS) - 2, len(WORKS) - 1
POSE = 7
OVER = 0.35
"""Angle (rad) by which the mass center is beyond the last contact, seen from there against the vertical, where the base
has fallen over: it ends there, or goes on falling on its body points."""
_TURNED = 0.9
_KEPT = 1.0 - 1e-5
"""Cosine of the angle by which what slides slowly may turn before its mode does."""
_PATIENT = 12
_CREEPS, _SHORTEST, AT_ONCE = 10, 1e-9, 1e-5
"""Steps in which what slides slowly is about to come to rest after which it is tried as sticking, and the least of the
steps (s) for which the way is sought that it goes; and that at first."""
_SLIGHT, _REBOUNDS = 1e-6, 1e-11
_STOPS, _OFTEN = 0.1, 3
"""Share of what is slow at which what slides in the plane may come to rest at once; all of it, if it was about to for
so many times."""
_EXACT = 1e-13
_NOTICED = 1e-9
"""Share of the energy of a fall through the size of the base that an impact must lose to be told."""


class Sample(NamedTuple):
    """One moment that was asked for."""

    time: float
    y: Floats
    at: Input
    outcome: Outcome
    mode: Mode


class _Evaluated(NamedTuple):
    t: float
    y: Floats
    mode: Mode
    at: Input
    outcome: Outcome


class SpatialSystem:
    """One rover with its drives; see `loadpath.simulate.hybrid.System`."""

    def __init__(
        self, forces: SpatialForces, guidance: Guidance, drive: Drive, applied: AppliedWrenches, begin: float
    ) -> None:
        self.forces, self.guidance, self.drive, self.applied, self.begin = forces, guidance, drive, applied, begin
        self.rover, self.contacts, self.elements = forces.rover, forces.contacts, forces.elements
        self.settling = Settling(forces)
        self.samples: list[Sample] = []
        self.events: list[RoverEvent] = []
        self.tipped = self.rocks = False
        nq = self.rover.nq
        self._q = slice(POSE, POSE + nq)
        self._U = slice(self._q.stop, self._q.stop + self.contacts.size)
        self._casters = slice(self._U.stop, self._U.stop + len(self.elements.trailing))
        self._inner = slice(self._casters.stop, self._casters.stop + forces.inner)
        self.works = slice(self._inner.stop, self._inner.stop + len(WORKS))
        self.size = self.works.stop
        """Length of y."""
        self._rates = kernel(self.rover, "coordinate_rates")
        self._follows, self._led_q = passive_joints(self.rover), led_coordinates(self.rover)
        """Where the motion of joints is given: speeds that are not, and coordinates that are."""
        wheels = self.rover.arrangement
        self.caster_at = np.array([np.flatnonzero(wheels.steerable == k)[0] for k in self.elements.trailing], dtype=int)
        self._viscous = viscous_of(self.rover)
        self._heats = np.zeros((len(WORKS), self.contacts.rows))
        for e in self.contacts.every:
            self._heats[WORKS.index(e.heat), e.rows] = 1.0
        given = self._given = np.array(sorted(guidance.drives.rates), dtype=np.intp)
        """Wheels whose rates are given, and their places among the speeds."""
        self._given_at = np.array([self.elements.spin_at[int(k)] + MORE for k in given], dtype=np.intp)
        members = self.elements.members
        self._pieces = np.array([members[:, int(k)] @ members.sum(axis=1) for k in given])
        """How many wheels share the torque of each: the pieces of a track."""
        resists = np.array(self.rover.rolling_friction) > 0
        resists |= any(patch.friction.rolling > 0 for patch in self.rover.ground.patches)
        self._inside = np.array([resists[k] * sum(
            group[0].spin for group in self.rover.base.wheels[k].resistance() if not group[0].on_ground)
            for k in given.tolist()])
        self._spin = np.zeros(self.contacts.count)
        self._spin[self.elements.pulled] = self.elements.pulls.spin
        self.mass = sum(link.inertia.mass for link in self.rover.robot.links)
        self._force: Force
        self._last: _Evaluated | None = None
        self._told: set[str] = set()
        self._slow: dict[int, int] = {}
        """For how many steps elements that slide slowly were about to come to rest."""
        self._creeping: list[int] = []
        self._stepped, self._step = begin, AT_ONCE

    # State

    def state_of(
        self, place: Place, quaternion: Floats, q: Floats, U: Floats, casters: Floats, works: Floats,
        inner: Floats | None = None,
    ) -> Floats:
        """y of a place and speeds; works may be those of the plane."""
        y = np.zeros(self.size)
        y[:3], y[3:POSE], y[self._q], y[self._U], y[self._casters] = place.position, quaternion, q, U, casters
        y[self.works][: len(works)] = works
        if inner is not None:
            y[self._inner] = inner
        return y

    def place(self, y: Floats) -> Place:
        """Where the base frame is."""
        return Place(y[:3], rotation_of(y[3:POSE]))

    def input(self, t: float, y: Floats) -> Input:
        """What the equations need, given things put in their places."""
        n, guidance = self.rover.n, self.guidance
        U, given, q = y[self._U].copy(), np.zeros(self.contacts.size), y[self._q]
        if guidance.motion is not None:
            led = guidance.robots(t)
            q = np.where(self._led_q, led[0], q)
            U[SPATIAL : SPATIAL + n] = np.where(self._follows, U[SPATIAL : SPATIAL + n], led[1])
            given[SPATIAL : SPATIAL + n] = np.where(self._follows, 0.0, led[2])
        for k, i in zip(self._given.tolist(), self._given_at.tolist(), strict=True):
            U[i], given[i] = guidance.wheel_rate(k, t)
        qd, place = U[SPATIAL : SPATIAL + n], self.place(y)
        tau = np.zeros(n) if guidance.motion is not None else self._force(t - self.begin, q, qd)
        state = _for_callers(place, U, q, qd)
        angles, angle_rates = (part.copy() for part in guidance.steered(t))
        if len(self.elements.trailing):
            angles[self.caster_at] = y[self._casters]
            angle_rates[self.caster_at] = self._swivel(angles, U, q)
        torques = guidance.drives.torque(t, state, lambda: self._rates_on_plane(angles, U, q))
        return Input(t, q, qd, place, U, given, tau, torques, angles, angle_rates, self.applied.at(t, state),
                     y[self._inner], guidance.drives.braking(t))

    def _swivel(self, angles: Floats, U: Floats, q: Floats) -> Floats:
        wheels = self.rover.arrangement
        rates = wheels.swivel_rates(wheels.placed(angles, q), self._on_plane(U))
        result: Floats = rates[self.caster_at]
        return result

    def _on_plane(self, U: Floats) -> Floats:
        """v_x, v_y, w, and the speeds of the joints where wheels are on links."""
        joints = () if self.rover.linkage is None else U[SPATIAL : SPATIAL + self.rover.n]
        return np.array([U[0], U[1], U[5], *joints])

    def _rates_on_plane(self, angles: Floats, U: Floats, q: Floats) -> Floats:
        """Rates of wheels, for the limits of their drives."""
        wheels = self.rover.arrangement
        rates: Floats = wheels.rate_rows(wheels.placed(angles, q)) @ self._on_plane(U)
        return self.with_spins(rates, U)

    def with_spins(self, rates: Floats, U: Floats) -> Floats:
        """Rates (wheels,) with those that are speeds of their own, put in place; of a track, those of all pieces."""
        for k, column in self.elements.spin_at.items():
            rates[k] = U[column + MORE]
        return rates

    def state(self, t: float, y: Floats) -> RoverState:
        """What the caller's functions are given."""
        at = self._input(t, y)
        return _for_callers(at.place, at.U, at.q, at.qd)

    def _input(self, t: float, y: Floats) -> Input:
        last = self._last
        return last.at if last is not None and t == last.t and bool((y == last.y).all()) else self.input(t, y)

    def _evaluate(self, t: float, y: Floats, mode: Mode) -> _Evaluated:
        last = self._last
        if last is not None and last.mode is mode and t == last.t and bool((y == last.y).all()):
            return last
        y = y.copy()
        at = self._input(t, y)
        self._last = _Evaluated(t, y, mode, at, self.forces.evaluate(at, mode))
        return self._last

    def loops_over(self, q: Floats) -> dict[str, Any]:
        """What a `Simulation` has of loops: here there are none."""
        return {}

    def check_closed(self, found: Simulation, remedy: str) -> None:
        """An error where loops have come open: here there are none."""

    # The smooth motion

    def begin_piece(self, begin: float, end: float, y: Floats) -> None:
        """The drives' force from here on."""
        q, qd = y[self._q], y[self._U][SPATIAL : SPATIAL + self.rover.n]
        self._force = self.drive.piece(begin - self.begin, end - self.begin, q, qd)
        self._last = None
        self.guidance.within = begin, end

    def rate(self, t: float, y: Floats, mode: Mode) -> Floats:
        """dy/dt."""
        _, _, _, at, outcome = self._evaluate(t, y, mode)
        result = np.empty(len(y))
        result[:3] = at.place.rotation @ at.U[:3]
        x, yy, z, w = y[3:POSE].tolist()
        a, b, c = (0.5 * at.U[3:SPATIAL]).tolist()
        result[3:POSE] = w * a + yy * c - z * b, w * b + z * a - x * c, w * c + x * b - yy * a, -x * a - yy * b - z * c
        result[self._q] = self._rates(at.q, at.qd) if self.rover.n else 0.0
        result[self._U] = at.in_joints(outcome.Udot)
        if len(self.elements.trailing):
            down = self.contacts.by_body(mode.touching.astype(float)) > 0
            result[self._casters] = np.where(down[self.elements.trailing], at.angle_rates[self.caster_at], 0.0)
        result[self._inner] = self.forces.inner_rates(at, outcome, mode)
        result[self.works] = self.powers(at, outcome, mode)
        return result

    def wheel_rates(self, at: Input, touch_pulls: Floats) -> Floats:
        """(wheels,): rates of the wheels that have one."""
        rates = np.zeros(self.contacts.wheels)
        if len(self.elements.pulled):
            rates[self.elements.pulled] = -(touch_pulls @ at.U) / self.elements.pulls.spin
        return self.with_spins(rates, at.U)

    def wheel_torques(self, at: Input, outcome: Outcome) -> Floats:
        """(wheels,): torques of the wheels' drives; where the rate is given, what that takes."""
        return self._torques(at, outcome, outcome.reaction)

    def _torques(self, at: Input, outcome: Outcome, reaction: Floats) -> Floats:
        torques = at.wheel_torques.copy()
        torques[self._given] = reaction[self._given_at] / self._pieces + self._resistance(at, outcome)
        return torques

    def brake_torques(self, outcome: Outcome) -> Floats:
        """(wheels,): torques of the wheels' brakes, in the sense of their rates; equal ones of pieces of a track."""
        torques = np.zeros(self.contacts.wheels)
        for e in self.contacts.every:
            if e.axle >= 0:
                members = self.elements.members[self.elements.spin_at[e.axle] - BASE - self.rover.n]
                torques += outcome.forces[e.rows.start] * members / members.sum()
        return torques

    def _resistance(self, at: Input, outcome: Outcome) -> Floats:
        """(wheels with a given rate,): torques against the rolling resistance in their axles."""
        if not self._inside.any():
            return self._inside
        resists = self.contacts.by_body(self.contacts.friction.rolling * np.maximum(outcome.normal, 0.0))[self._given]
        result: Floats = self._inside * resists * np.sign(at.U[self._given_at])
        return result

    def powers(self, at: Input, outcome: Outcome, mode: Mode) -> Floats:
        """Power into every one of the `WORKS`."""
        n = self.rover.n
        power: Floats = self._heats @ -(outcome.rubbed * outcome.slip)
        if n:
            joints = slice(SPATIAL, SPATIAL + n)
            power[_DRIVE] = at.tau @ at.qd + outcome.elastic_reaction[joints] @ at.U[joints]
            power[_JOINT] += self._viscous @ at.qd**2
        if at.external:
            power[_EXTERNAL] = outcome.equations.applied @ at.U
        if outcome.equations.carrying is not None:
            power[_ON_BASE] += outcome.equations.carrying @ at.U
        if self.contacts.springs.any() or self.forces.inner:
            power[_DAMPER] = self.forces.sprung.damped(outcome.equations.springs, outcome.normal, at.U, mode.touching)
        if len(self._given) or at.wheel_torques.any():
            rates = self.wheel_rates(at, outcome.equations.touch.pulls)
            if rates.any():
                turning = self._torques(at, outcome, outcome.elastic_reaction) * rates
                lost = self.elements.pulled[self.forces.decided(mode).lost]
                if len(lost):
                    turning[lost] = -outcome.pull[lost] * rates[lost] * self._spin[lost]
                power[_WHEEL] = turning.sum()
                power[_ROLLING] += self._resistance(at, outcome) @ rates[self._given]
        return power

    def sample(self, t: float, y: Floats, mode: Mode) -> None:
        """Record state and forces."""
        _, y, _, at, outcome = self._evaluate(t, y, mode)
        self.samples.append(Sample(t, y, at, outcome, mode))

    # Onto the ground

    def project(self, t: float, y: Floats, mode: Mode) -> Floats:
        """The nearest state whose contacts touch without gap, and stick without slip."""
        y = y.copy()
        y[3:POSE] /= np.sqrt(y[3:POSE] @ y[3:POSE])
        rigid = np.flatnonzero(mode.touching & ~self.contacts.springs)
        at = self.input(t, y)
        if len(rigid):
            hubs = self.forces.sprung.columns
            follow, along = self._following(at)
            moves = [*range(SPATIAL), *hubs, *(SPATIAL + follow)]
            turning = 1.0 / self.contacts.extent
            scale = np.array([1.0, 1.0, 1.0, *[turning] * 3, *np.ones(len(hubs)), *[turning] * len(follow)])
            for _ in range(4):
                touch = self.contacts.touch(at)
                gap = touch.gap[rigid]
                if float(np.abs(gap).max()) < _EXACT:
                    break
                move = scale * np.linalg.lstsq(touch.G[rigid][:, moves] * scale, -gap, rcond=1e-9)[0]
                y[:3] += at.place.rotation @ move[:3]
                y[3:POSE] = turned_by(y[3:POSE], move[3:SPATIAL])
                y[self._inner][: len(hubs)] += move[SPATIAL : SPATIAL + len(hubs)]
                if len(follow):
                    y[self._q] = self.on_loops(y[self._q] + self._rates(at.q, along @ move[SPATIAL + len(hubs) :]))
                    at, along = self.input(t, y), self._following(at)[1]
                else:
                    at = at._replace(place=self.place(y), inner=y[self._inner])
        if self.forces.sprung.follows_ground:
            touch = self.contacts.touch(at)
            springs = self.forces.sprung.state(touch.gap, touch.gap_rate, at.inner)
            y[self._inner] = self.forces.sprung.on_ground(springs, at.inner, mode.touching)
            at = at._replace(inner=y[self._inner])
        if len(rigid) or mode.stuck.any():
            touch = self.contacts.touch(at)
            rows = [touch.G[rigid]] + [touch.D[e.rows] for i, e in enumerate(self.contacts.every) if mode.stuck[i]]
            if float(np.abs(np.concatenate(rows) @ at.U).max(initial=0.0)) > _EXACT:
                eq = self.forces.equations(at)
                y[self._U] = at.in_joints(self.settling.at_rest(at.U, eq, mode))
        return y

    def _following(self, at: Input) -> tuple[Ints, Floats]:
        """Speeds along which passive joints follow the ground, and how joints (n, speeds) move along them."""
        linkage, n = self.rover.linkage, self.rover.n
        if linkage is None:
            return np.zeros(0, dtype=np.intp), np.zeros((n, 0))
        if at.directions is not None:
            free = np.arange(self.rover.robot.mobility)
            return free, at.directions.speeds[:, free]
        follow = np.flatnonzero(linkage.passive)
        return follow, np.eye(n)[:, follow]

    def on_loops(self, q: Floats) -> Floats:
        """The coordinates with closed loops: here there are none."""
        return q

    def probes(self, begin: float, end: float, at: Callable[[float], Floats], mode: Mode) -> list[float]:
        """Times within a step at which contacts may cross a patch of friction and be beyond it at the end."""
        if not mode.under:
            return []

        def moment(t: float) -> tuple[Input, Touch]:
            there = self._input(t, at(t))
            return there, self.contacts.touch(there)

        quickest = np.max([speeds(*moment(t)) for t in (begin, end)], axis=0) * mode.touching
        return crossings(begin, end, lambda t: stands(*moment(t)), self.rover.ground, mode.under, quickest)

    def passed(self, begin: float, end: float, at: Callable[[float], Floats], mode: Mode) -> None:
        """Nothing is noticed between steps."""

    # Changes

    def margins(self, t: float, y: Floats, mode: Mode) -> Floats:
        """What is left until something changes: holding, together, sliding (elements), contacts, wheels that spin, and
        falling over.
        """
        _, _, _, at, outcome = self._evaluate(t, y, mode)
        contacts, touch = self.contacts, outcome.equations.touch
        holding = outcome.shares.reserve + BREAKAWAY if mode.stuck.any() else np.inf
        sliding = np.full(len(contacts.every), np.inf)
        for i in np.flatnonzero(~mode.stuck):
            e = contacts.every[i]
            if e.contact >= 0 and (not mode.touching[e.contact] or (e.with_axle and mode.spinning[e.contact])):
                continue
            along = float(mode.direction[i] @ outcome.slip[e.rows])
            # What goes its way slowly may slip the other way at first: see `Settling.directed`.
            sliding[i] = along - REST if mode.armed[i] else along + (REST if e.count == 1 else 0.5 * SLOW)
        weight = max(float(np.abs(outcome.normal).sum()), self._weight)
        pressed = self.forces.sprung.pressed(outcome.equations.springs, mode.touching) / weight
        soft = np.where(mode.touching, pressed + 1e-12, 1e-12 - pressed)
        rigid = np.where(mode.touching, np.minimum(outcome.normal / weight + 2e-12, touch.reach), touch.apart + 1e-12)
        patches = left_on_patches(contacts, at, touch, mode)
        spinning = np.full(contacts.count, np.inf)
        friction = contacts.friction
        asked = self.forces.asked_pull(at)
        for j, k in enumerate(self.elements.pulled):
            if at.wheel_torques[k] and mode.touching[k]:
                N = max(float(outcome.normal[k]), 0.0)
                more = abs(float(asked[j])) / weight
                holds = float((friction.sliding if mode.spinning[k] else friction.holding)[k]) * N / weight
                spinning[k] = more - holds * (1 - 4e-6) if mode.spinning[k] else holds * (1 - 1e-6) - more
        over = self.upright(at) if not self.tipped else np.inf
        return np.concatenate([[holding, 2.0 - outcome.strife], sliding, np.where(contacts.springs, soft, rigid),
                               spinning, patches, [over]])

    @property
    def _weight(self) -> float:
        g = self.forces.gravity
        return self.mass * float(np.sqrt(g @ g)) + 1e-9

    def upright(self, at: Input) -> float:
        """`OVER` less the angle by which the mass center is beyond the contact on its side that is last."""
        c = at.place.rotation @ np.asarray(self.rover.mass_center(at.q))
        g = self.forces.gravity_at(at)
        strength = float(np.sqrt(g @ g))
        up = -g / strength if strength else np.array([0.0, 0.0, 1.0])
        center, axle, *_ = self.contacts.axles(at)
        n = at.place.rotation[2]
        en = axle @ n
        lowest = center - self.contacts.radius[:, None] * (n - en[:, None] * axle)
        points = lowest[: self.contacts.wheels] @ at.place.rotation.T - c
        heights = points @ up
        flat = points - heights[:, None] * up
        # On which side the mass center is beyond all contacts, if on any: the direction with all of them behind it.
        x = np.cross(up, [0.0, 1.0, 0.0])
        x = x / np.sqrt(x @ x)
        angles = np.sort(np.arctan2(flat @ np.cross(up, x), flat @ x))
        gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
        widest = int(gaps.argmax())
        if gaps[widest] <= np.pi:
            return OVER
        middle = angles[widest] + 0.5 * gaps[widest]
        outward = np.cos(middle) * x + np.sin(middle) * np.cross(up, x)
        behind = -(flat @ outward)
        return OVER - float(np.arctan2(behind, np.maximum(-heights, 1e-12)).min())

    def settle(self, t: float, y: Floats, mode: Mode | None, change: Change) -> Settled[Mode]:
        """The mode from here on; what happens is added to the events."""
        y = y.copy()
        self._last = None
        at = self.input(t, y)
        self.contacts.choose(at)
        eq = self.forces.equations(at)
        self.contacts.refuse_inside(t, eq.touch)
        self.contacts.stand_on(under_contacts(self.contacts, at, eq.touch, mode))
        number = change.margin
        if number == len(self._margin_names) - 1:
            self._fall(t, at)
            if self.contacts.bodies == self.contacts.wheels:
                assert mode is not None
                return Settled(mode, y, ended=True)
        at, eq = self._collide(t, y, at, eq, mode)
        before = mode
        if mode is not None and number is not None:
            before, stops = self._stopping(number - 2, at, eq, mode)
            self._creeping += stops
        try:
            settled = self.settling.settle(at, eq, before, self.settling.touches(eq, mode), self._creeping)
        except JamsError as jams:
            at, eq = self._jam(t, y, at, eq, mode, jams)
            settled = self.settling.settle(at, eq, mode, self.settling.touches(eq, mode))
        self._creeping, self._stepped = [], t
        U = self.settling.at_rest(at.U, eq, settled.mode)
        if (U != at.U).any():
            energy, left = (0.5 * float(each @ eq.M @ each) for each in (at.U, U))
            y[self._U] = at.in_joints(U)
            y[self.works.start + _IMPACT] += energy - left
            at = at._replace(U=U)
        # What counted as at rest goes the way that was found for it.
        directed, _ = self.settling.directed(at, eq, settled.mode, self._step, STILL)
        if directed is not settled.mode:
            armed = directed.armed.copy()
            if before is not mode and number is not None:
                armed[number - 2] = False  # it has just shown that it does not come to rest
            settled = replace(settled, mode=replace(directed, armed=armed))
        self._tell(t, mode, settled.mode, settled.outcome)
        tolerated = None
        if change.at_once > _PATIENT:
            tolerated = np.full(len(self._margin_names), np.inf)
        elif mode is not None and settled.mode.key == mode.key:
            tolerated = np.full(len(self._margin_names), _SLIGHT)
            gaps = slice(2 + len(self.contacts.every), 2 + len(self.contacts.every) + self.contacts.count)
            # A contact that rebounds begins at no gap, and may be on the ground again before the step ends.
            tolerated[gaps] = np.where(mode.touching | self.contacts.springs, _SLIGHT,
                                       _REBOUNDS + np.maximum(-eq.touch.apart, 0.0))
        return Settled(settled.mode, y, tolerated)

    def _collide(
        self, t: float, y: Floats, at: Input, eq: Equations, mode: Mode | None
    ) -> tuple[Input, Equations]:
        """Impacts of rigid contacts that approach the ground; y changes in place."""
        rigid = ~self.contacts.springs
        near = rigid & (eq.touch.apart <= TOUCHES)
        if mode is not None:
            near |= rigid & mode.touching & (eq.touch.reach >= 0)
        impact = self.settling.impact(at, eq, near)
        if impact is not None:
            y[self._U] = at.in_joints(impact.U)
            y[self.works.start + _IMPACT] += impact.heat
            n = self.rover.n
            y[self.works.start + _DRIVE] += impact.given[SPATIAL : SPATIAL + n].sum()
            y[self.works.start + _WHEEL] += impact.given[SPATIAL + n :].sum()
            self._tell_impact(t, impact.heat, impact.normal, eq.touch.gap_rate)
            at = self.input(t, y)
            eq = self.forces.equations(at)
        return at, eq

    def _stopping(self, i: int, at: Input, eq: Equations, mode: Mode) -> tuple[Mode, list[int]]:
        """Where element i does not slide in the plane the way it did: the mode in which what is slow goes its way, and
        what comes to rest at once.
        """
        every = self.contacts.every
        if not 0 <= i < len(every) or every[i].count == 1 or mode.stuck[i]:
            return mode, []
        directed, stops = self.settling.directed(at, eq, mode, self._step)
        self._slow[i] = self._slow.get(i, 0) + 1
        most = (_STOPS if self._slow[i] < _OFTEN else 1.0) * SLOW
        return directed, [k for k in stops if float(np.hypot.reduce(eq.touch.D[every[k].rows] @ at.U)) <= most]

    def _jam(
        self, t: float, y: Floats, at: Input, eq: Equations, mode: Mode | None, jams: JamsError
    ) -> tuple[Input, Equations]:
        """Contacts stop at once whose friction has no forces with it; y changes in place."""
        impact = self.settling.jam(at, eq, self.settling.touches(eq, mode), jams.normal)
        if impact is None:
            raise IntegrationError(f"simulate: at t = {t:.6g} s {jams}")
        y[self._U] = at.in_joints(impact.U)
        y[self.works.start + _IMPACT] += impact.heat
        for k in np.flatnonzero(impact.normal > 0):
            self.events.append(RoverEvent(t, "impacts", self.contacts.names[k], "it jams, its friction presses it into "
                                          "the ground faster than the ground pushes it away, and stops at once; "
                                          f"{impact.heat:.4g} J are lost in all", float(impact.normal[k])))
        at = self.input(t, y)
        return at, self.forces.equations(at)

    @property
    def _margin_names(self) -> list[str]:
        contacts = self.contacts
        return ["holding", "together", *(["sliding"] * len(contacts.every)), *contacts.names,
                *(f"drive of {name}" for name in contacts.names), *(f"patch under {name}" for name in contacts.names),
                "over"]

    def revise(self, t: float, y: Floats, mode: Mode) -> Revision[Mode] | None:
        """Directions of sliding as they are now, what has got going armed; what creeps is tried as sticking."""
        self._step, self._stepped = max(t - self._stepped, _SHORTEST), t
        if mode.stuck.all():
            return None
        _, _, _, at, outcome = self._evaluate(t, y, mode)
        direction, armed, changed = list(mode.direction), mode.armed.copy(), False
        for i, e in enumerate(self.contacts.every):
            if mode.stuck[i] or (e.contact >= 0 and not mode.touching[e.contact]):
                continue
            s = outcome.slip[e.rows]
            size = float(np.hypot.reduce(s))
            if size > (STILL if e.count == 1 else SLOW):
                changed |= not armed[i]
                armed[i] = True
                if e.count == 2:
                    direction[i] = s / size
                    changed |= float(mode.direction[i] @ direction[i]) < _TURNED
        now = replace(mode, direction=tuple(direction), armed=armed)
        after, stops = self.settling.directed(at, outcome.equations, now, self._step)
        self._slow = {i: self._slow.get(i, 0) + 1 for i in stops}
        creeping = [i for i in stops if self._slow[i] >= _CREEPS]
        if creeping:
            self._creeping, self._slow = creeping, {}
            return Revision(after, settle=True)
        if not changed and all(float(a @ b) >= _KEPT for a, b in zip(mode.direction, after.direction, strict=True)):
            if (after.armed == mode.armed).all():
                return None
            return Revision(replace(mode, armed=after.armed))
        return Revision(after, restart=after is not now)

    # What is told

    def _fall(self, t: float, at: Input) -> None:
        self.tipped, self.rocks = True, False
        ends = ("" if self.contacts.bodies > self.contacts.wheels else
                ", and the simulation ends: its body has no body_points to fall on")
        self.events.append(RoverEvent(t, "tips over", self.rover.name, "its mass center is beyond the last contact by "
                                      f"{np.degrees(OVER):.0f} deg from the vertical: it falls over{ends}"))

    def _tell_impact(self, t: float, heat: float, normal: Floats, rate: Floats) -> None:
        if heat < _NOTICED * self._weight * self.contacts.extent:
            return
        for k in np.flatnonzero(normal > 0):
            why = f"it hits the ground at {max(-float(rate[k]), 0.0):.4g} m/s, with an impulse of {normal[k]:.4g} N s"
            if rate[k] < -SEPARATES:
                lost = f"; {heat:.4g} J are lost in all" if not np.isnan(heat) else ""
                self.events.append(RoverEvent(t, "impacts", self.contacts.names[k], why + lost, float(normal[k])))

    def _tell(self, t: float, before: Mode | None, after: Mode, outcome: Outcome) -> None:
        names, by_body = self.contacts.names, self.contacts.by_body
        if before is not None:
            self.events.extend(crossed(self.contacts, t, before, after))
        normal, stands = by_body(outcome.normal), by_body(after.touching.astype(float)) > 0
        stood = stands if before is None else by_body(before.touching.astype(float)) > 0
        for k in np.flatnonzero(stood != stands):
            why = (f"it presses on the ground ({normal[k]:.4g} N)" if stands[k] else
                   "nothing presses it on the ground any more")
            self.events.append(RoverEvent(t, "lands" if stands[k] else "lifts", names[k], why))
        for i, e in enumerate(self.contacts.every):
            if before is None or (e.contact >= 0 and not (before.touching[e.contact] and after.touching[e.contact])):
                continue
            if before.stuck[i] == after.stuck[i]:
                continue
            holds = f"{outcome.limits[i]:.4g} N"
            if e.axle >= 0:
                name, kind = names[e.axle], "brake holds" if after.stuck[i] else "brake slips"
                why = f"its brake holds {outcome.limits[i]:.4g} N m"
            elif e.contact < 0:
                name = self.rover.robot.dof_names[e.joint]
                kind = "joint stops" if after.stuck[i] else "joint moves"
                why = f"its Coulomb friction ({e.static:.4g}) {'holds it' if after.stuck[i] else 'is exceeded'}"
            elif e.grips:
                name, kind = names[e.contact], "sticks" if after.stuck[i] else "slips"
                why = f"its friction holds {holds}"
            else:
                name, kind = names[e.contact], "stops" if after.stuck[i] else "rolls"
                why = f"its rolling resistance holds {holds}"
            self.events.append(RoverEvent(t, kind, name, why))  # type: ignore[arg-type]

    # What went wrong

    def failed(self, t: float, y: Floats, mode: Mode, problem: str) -> str:
        """Where the base is, and the speeds."""
        where, speeds = (y[part].round(4).tolist() for part in (slice(POSE), self._U))
        why = f" ({problem})" if problem else ""
        return f"{why}: the base is at {where}, the speeds are {speeds}; are drives and torques bounded?"

    def endless(self, t: float, margin: int | None) -> str:
        """The last event."""
        last = self.events[-1] if self.events else "no event yet"
        return (f"contacts change without end ({last}); the numbers are not to be trusted from here on (those before "
                "are in error.result). Are the friction coefficients and drives sound?")


def _for_callers(place: Place, U: Floats, q: Floats, qd: Floats) -> RoverState:
    parts = pose_of(place), U[[0, 1, 5]], np.array(q), np.array(qd)
    for part in parts:
        part.flags.writeable = False
    return RoverState(*parts)


def pose_of(place: Place) -> Floats:
    """x, y and heading: the angle of the base's x axis along the ground."""
    R = place.rotation
    return np.array([place.position[0], place.position[1], np.arctan2(R[1, 0], R[0, 0])])


__all__ = ["OVER", "WORKS", "Sample", "SpatialSystem", "cross", "pose_of"]
