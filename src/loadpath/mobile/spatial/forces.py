"""Accelerations and forces of a rover whose base is a free body, while every contact keeps doing what it does.

Within a mode the active rows A are the normals of rigid contacts that touch and what sticks, with the forces
lambda = (N, f); friction of what slides is in proportion to N, so that the columns of the forces are
E = (G^T - mu D^T d, D^T). With the rows' accelerations given,

    A Udot = a,    M Udot + h = Q + E lambda    gives    A M^-1 E lambda = a - A M^-1 (Q - h).

Where there are more rows than freedoms, the forces are those with the least sum of compliance times force squared, as
on the plane. On springs N is known from the state, and only what sticks is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.contacts.elements import Element
from loadpath.mobile.contacts.forces import SLOW, Mode, Shares
from loadpath.mobile.contacts.sharing import HELD, creep, friction_needed, groups_of
from loadpath.mobile.equations import kernel
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.spatial.geometry import Contacts, Touch, cross
from loadpath.mobile.spatial.input import Input
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_RANK = 1e-10
_ROUNDING = 1e-7
_PASSES, _SETTLED = 60, 1e-13


class Equations(NamedTuple):
    """What does not depend on the mode."""

    M: Floats
    forces: Floats
    """(speeds,): Q - h - M given, without contacts."""
    applied: Floats
    """(speeds,): of external wrenches."""
    bias: Floats
    """h."""
    touch: Touch
    loads: Floats
    """(contacts,): normal forces of springs, before contacts that do not touch are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Accelerations and forces."""

    Udot: Floats
    forces: Floats
    """(rows,): of all elements, holding or sliding."""
    limits: Floats
    """(elements,): most that each can hold, were it at rest."""
    shares: Shares
    normal: Floats
    """(contacts,), body points included."""
    pull: Floats
    """(contacts,): force along their traction of wheels whose rates follow from their rolling."""
    reaction: Floats
    """(speeds,): force along every speed that is given, for it to be so."""
    equations: Equations
    slip: Floats
    slip_rate: Floats
    lifting: Floats
    """(contacts,): rate of G U."""
    strife: float
    """How far what sticks cannot stick together, in shares of what is rounding: up to 1 it can."""


class SpatialForces:
    """The equations of one rover with its drives; `free` has the speeds that are sought."""

    def __init__(self, rover: Rover, contacts: Contacts, free: Bools) -> None:
        self.rover, self.contacts, self.elements = rover, contacts, contacts.elements
        self.free, self.fixed = np.flatnonzero(free), np.flatnonzero(~free)
        self.evaluations = 0
        self.inner = 0
        """Number of internal states of springs, which y has after the angles of casters."""
        self._kernel = kernel(rover, "free_equations")
        self._J = self.elements.members @ rover.arrangement.axle_inertia
        self._momentum = self.elements.members @ rover.arrangement.momentum_inertia
        self.gravity = rover.ground.gravity_in_base(0.0)
        """(3,): in the frame of the ground."""
        wheels = rover.base.wheels
        self.stiffness = contacts.of_wheels([wheel.stiffness or 0.0 for wheel in wheels])
        self.damping = contacts.of_wheels([wheel.damping or 0.0 for wheel in wheels])
        self.static = np.array([e.static for e in contacts.every])
        self.contact_of = np.array([e.contact for e in contacts.every], dtype=np.intp)
        self._massless = [(i, e.contact) for i, e in enumerate(contacts.every) if e.massless]
        self.sliding = contacts.of_wheels(rover.frictions["sliding"])
        self._resists = self._torque_of_resistance()
        self.member = np.zeros((contacts.rows, contacts.count))
        self._yields = np.ones(contacts.rows)
        for e in contacts.every:
            if e.contact >= 0:
                self.member[e.rows, e.contact] = 1.0
            self._yields[e.rows] = 1.0 / e.stiffness

    def _torque_of_resistance(self) -> Floats:
        """(pulled, rows): force along its traction with which a wheel without inertia answers its other rows."""
        elements = self.elements
        result = np.zeros((len(elements.pulled), self.contacts.rows))
        for i, (k, spin) in enumerate(zip(elements.pulled, elements.pulls.spin, strict=True)):
            mine = np.flatnonzero(elements.own.contact == k)
            result[i, mine] = -elements.own.spin[mine] / spin
        return result

    # Pieces

    def equations(self, at: Input) -> Equations:
        """Mass matrix, forces and contacts in a state."""
        self.evaluations += 1
        n, size = self.rover.n, self.contacts.size
        own, w = SPATIAL + n, at.U[3:SPATIAL]
        gravity = self.gravity @ at.place.rotation
        state = at.q, at.U[SPATIAL:own], at.U[:SPATIAL], gravity
        options: dict[str, Any] = {} if at.external is None else {"external": at.external}
        M_own, h_own = self._kernel(*state, **options)
        M, h = np.zeros((size, size)), np.zeros(size)
        M[:own, :own], h[:own] = M_own, h_own
        applied = np.zeros(size)
        if at.external:
            applied[:own] = self._kernel(*state)[1] - h_own
        if len(self._J):
            spins = np.arange(own, size)
            axles = self.contacts.spin_axle
            M[spins, spins] = self._J
            M[3:SPATIAL, own:] = (self._momentum[:, None] * axles).T
            M[own:, 3:SPATIAL] = M[3:SPATIAL, own:].T
            h[3:SPATIAL] += cross(w, (self._momentum * at.U[own:]) @ axles)
        Q = np.zeros(size)
        Q[SPATIAL:own], Q[own:] = at.tau, at.wheel_torques[self.elements.spinning]
        touch = self.contacts.touch(at)
        depth, rate = np.maximum(-touch.gap, 0.0), -touch.gap_rate
        loads = np.where(depth > 0, self.stiffness * depth + self.damping * rate, 0.0)
        return Equations(M, Q - h - M[:, self.fixed] @ at.given[self.fixed], applied, h, touch, loads)

    def stored(self, touch: Touch) -> float:
        """Energy in the springs of tyres, J."""
        return float(0.5 * self.stiffness @ np.maximum(-touch.gap, 0.0) ** 2)

    def damped(self, touch: Touch, normal: Floats) -> float:
        """Power that tyres turn into heat, W: what is pressed in, less what their springs take."""
        depth = np.where(self.contacts.springs, np.maximum(-touch.gap, 0.0), 0.0)
        return float((self.stiffness * depth - np.where(self.contacts.springs, normal, 0.0)) @ touch.gap_rate)

    def inner_rates(self, at: Input, outcome: Outcome) -> Floats:
        """Rates of the internal states of springs."""
        return np.zeros(self.inner)

    def asked_pull(self, at: Input) -> Floats:
        """(pulled,): force along its traction that the torque on each wheel without a rate of its own asks for."""
        result: Floats = at.wheel_torques[self.elements.pulled] / -self.elements.pulls.spin
        return result

    def lost(self, mode: Mode) -> Bools:
        """(pulled,): which of them spin without grip, or in the air."""
        pulled = self.elements.pulled
        result: Bools = (mode.spinning[pulled] != 0) | ~mode.touching[pulled]
        return result

    def directions(self, slip: Floats, mode: Mode) -> Floats:
        """(rows,): which way elements slide: along their slip, and as the mode says the less there is of it."""
        direction = mode.directions.copy()
        for i, e in enumerate(self.contacts.every):
            if e.count == 2 and not mode.stuck[i]:
                s = slip[e.rows]
                s = s + max(SLOW - float(np.hypot(*s)), 0.0) * direction[e.rows]
                direction[e.rows] = s / max(float(np.hypot(*s)), 1e-300)
        return direction

    def rubbing(self, mode: Mode) -> tuple[Floats, Floats]:
        """(rows,): friction coefficients of what slides on the ground, and friction of joints that slide."""
        on_ground, joints = np.zeros(self.contacts.rows), np.zeros(self.contacts.rows)
        for i, e in enumerate(self.contacts.every):
            if mode.stuck[i]:
                continue
            if e.contact < 0:
                joints[e.rows] = e.kinetic
            elif mode.touching[e.contact] and not (e.with_axle and mode.spinning[e.contact]):
                on_ground[e.rows] = e.kinetic
        return on_ground, joints

    # All together

    def evaluate(self, at: Input, mode: Mode, equations: Equations | None = None) -> Outcome:
        """Accelerations and forces in a state."""
        eq = self.equations(at) if equations is None else equations
        contacts, touch, free, fixed = self.contacts, eq.touch, self.free, self.fixed
        slip = touch.D @ at.U
        direction = self.directions(slip, mode)
        rubbing, braking = self.rubbing(mode)
        stuck = self._stuck_rows(mode)
        rigid = np.flatnonzero(mode.touching & ~contacts.springs)
        soft = np.where(mode.touching & contacts.springs, np.maximum(eq.loads, 0.0), 0.0)
        A = np.concatenate([touch.G[rigid], touch.D[stuck]])
        change = np.concatenate([touch.G_change[rigid], touch.D_change[stuck]])
        wanted = -change - A[:, fixed] @ at.given[fixed]
        yields = np.concatenate([contacts.compliance[rigid], self._yields[stuck]])
        solve = _Solve(A[:, free], eq.M[np.ix_(free, free)], wanted, np.sqrt(yields))
        lost, asked = self.lost(mode), self.asked_pull(at)
        driven = np.where(lost, 0.0, asked) @ touch.pulls if len(asked) else np.zeros(contacts.size)
        base = eq.forces - (braking * direction) @ touch.D + driven
        spun = np.zeros((contacts.size, contacts.count))
        k = self.elements.pulled[lost]
        spun[:, k] = (touch.pulls[lost] * (mode.spinning * self.sliding)[k][:, None]).T
        sideways = [(e, int(np.flatnonzero(self.elements.pulled == e.contact)[0])) for i, e in enumerate(contacts.every)
                    if e.massless and not mode.stuck[i] and rubbing[e.rows].any()]
        strength, pulling = rubbing.copy(), asked
        for _ in range(_PASSES if sideways else 1):
            P = touch.D.T @ (-(strength * direction)[:, None] * self.member) + spun
            E = np.concatenate([touch.G[rigid].T + P[:, rigid], touch.D[stuck].T], axis=1)
            found, forces = solve.run((base + (touch.G.T + P) @ soft)[free], E[free])
            normal = soft.copy()
            normal[rigid] = forces[: len(rigid)]
            of_rows = -(strength * direction) * (self.member @ normal) - braking * direction
            if len(asked):
                spins = (mode.spinning * self.sliding * normal)[self.elements.pulled]
                pulling = np.where(lost, spins, asked + self._resists @ of_rows)
            if self._weaker(strength, sideways, normal, pulling) < _SETTLED:
                break
        Udot = at.given.copy()
        Udot[free] = found
        left = float(np.abs(A @ Udot + change).max(initial=0.0))
        pull = np.zeros(contacts.count)
        pull[self.elements.pulled] = pulling
        limits = self.limits(normal, pull)
        shares = self._shared(touch.D[stuck][:, free], forces[len(rigid) :], mode, limits)
        of_rows[stuck] = shares.forces
        if len(asked):
            held = np.zeros(contacts.rows)
            held[stuck] = shares.forces
            pull[self.elements.pulled] += np.where(lost, 0.0, self._resists @ held)
        reaction = np.zeros(contacts.size)
        if len(fixed):
            outside = eq.forces + driven + of_rows @ touch.D + normal @ touch.G + spun @ normal
            reaction[fixed] = (eq.M[:, free] @ found - outside)[fixed]
        return Outcome(
            Udot=Udot, forces=of_rows, limits=limits, shares=shares, normal=normal, pull=pull, reaction=reaction,
            equations=eq, slip=slip, slip_rate=touch.D @ Udot + touch.D_change, lifting=touch.G @ Udot + touch.G_change,
            strife=left / (_ROUNDING * (1.0 + float(np.abs(Udot).max()))),
        )

    def _stuck_rows(self, mode: Mode) -> Ints:
        rows = [np.arange(e.rows.start, e.rows.stop) for i, e in enumerate(self.contacts.every) if mode.stuck[i]]
        return np.concatenate(rows).astype(np.intp) if rows else np.zeros(0, dtype=np.intp)

    @staticmethod
    def _weaker(strength: Floats, sideways: list[tuple[Element, int]], normal: Floats, pulling: Floats) -> float:
        """Friction coefficients of wheels that slide sideways while their drives take a part of it, put in place; and
        by how much they change.
        """
        worst = 0.0
        for e, wheel in sideways:
            N = float(normal[e.contact])
            if N > 0:
                new = float(np.sqrt(max(e.kinetic**2 - (pulling[wheel] / N) ** 2, 0.0)))
                worst = max(worst, abs(new - float(strength[e.rows.start])))
                strength[e.rows] = new
        return worst

    def limits(self, normal: Floats, pull: Floats) -> Floats:
        """(elements,): most that each can hold at rest."""
        limits: Floats = self.static * np.where(self.contact_of < 0, 1.0, np.maximum(normal, 0.0)[self.contact_of])
        for i, k in self._massless:
            limits[i] = np.sqrt(max(limits[i] ** 2 - pull[k] ** 2, 0.0))
        return limits

    def _shared(self, rows: Floats, forces: Floats, mode: Mode, limits: Floats) -> Shares:
        """Forces of what sticks, within their limits if there is any such share, as on the plane."""
        none = np.zeros(len(limits), dtype=bool)
        numbers = np.flatnonzero(mode.stuck)
        if not len(numbers):
            return Shares(forces, 1.0, none)
        every = self.contacts.every
        counts = [every[i].count for i in numbers]
        groups = groups_of(np.repeat(np.arange(len(numbers)), counts), len(numbers))
        most = limits[numbers]
        if (groups.sizes(forces) <= most * (1.0 + HELD)).all():
            return Shares(forces, 1.0, none)
        left, values, _ = np.linalg.svd(rows, full_matrices=False)
        left = left[:, values > _RANK * max(1.0, float(values[0]))]
        asked = left.T @ forces
        most = np.maximum(most, 1e-12 * max(float(most.max()), 1e-300))
        stiffness = np.array([every[i].stiffness for i in numbers])
        start = left.T @ (forces / stiffness[groups.of_row])
        near = creep(left[None], groups, stiffness[None], most[None], asked[None], start[None])
        if near.holds[0]:
            return Shares(near.forces[0], 1.0 / max(float(near.stretch[0]), 1.0), none)
        needed = friction_needed(left, groups, most, asked)
        none[numbers] = needed.moves
        return Shares(needed.forces, 1.0 - needed.factor, none)


class _Solve:
    """The linear system of one state and mode, for several friction coefficients."""

    def __init__(self, A: Floats, M: Floats, wanted: Floats, soft: Floats) -> None:
        self.A, self.M, self.wanted, self.soft = A, M, wanted, soft

    def run(self, forces: Floats, E: Floats) -> tuple[Floats, Floats]:
        """Accelerations, and the forces of the active rows."""
        if not len(forces):
            return np.zeros(0), np.zeros(len(self.wanted))
        try:
            X = np.linalg.solve(self.M, np.concatenate([forces[:, None], E], axis=1))
        except np.linalg.LinAlgError:
            raise ModelError(SINGULAR) from None
        if not len(self.wanted):
            return X[:, 0], np.zeros(0)
        W = self.A @ X[:, 1:] / self.soft
        found = np.linalg.lstsq(W, self.wanted - self.A @ X[:, 0], rcond=_RANK)[0] / self.soft
        return X[:, 0] + X[:, 1:] @ found, found


SINGULAR = (
    "the equations of motion of the rover as a free body are singular: nothing resists some acceleration. Give the "
    "base an inertia, and every link that a joint moves a mass or an inertia"
)
