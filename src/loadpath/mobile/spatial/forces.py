"""Accelerations and forces of a rover whose base is a free body, while every contact keeps doing what it does.

Within a mode the active rows A are the normals of rigid contacts that touch and what sticks, with the forces
lambda = (N, f); friction of what slides is in proportion to N, so that the columns of the forces are
E = (G^T - mu D^T d, D^T). With the rows' accelerations given,

    A Udot = a,    M Udot + h = Q + E lambda    gives    A M^-1 E lambda = a - A M^-1 (Q - h).

Where there are more rows than freedoms, the forces are those with the least sum of compliance times force squared, as
on the plane. On springs N is known from the state, and only what sticks is left.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.mobile.contacts.elements import Element
from loadpath.mobile.contacts.forces import SLOW, Key, Mode, Shares, brakes_of
from loadpath.mobile.contacts.sharing import HELD, Groups, creep, friction_needed, groups_of
from loadpath.mobile.equations import kernel
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.spatial.carried import carried
from loadpath.mobile.spatial.cones import Sets
from loadpath.mobile.spatial.geometry import Contacts, Touch, cross
from loadpath.mobile.spatial.input import Input
from loadpath.mobile.spatial.joint_shares import HOLDS, forces_that_hold
from loadpath.mobile.spatial.suspension import SpringState
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_RANK = 1e-10
_ROUNDING = 1e-7
_PASSES, _SETTLED = 60, 1e-13
_SETTLED_LOADS = 1e-10


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
    springs: SpringState
    """With normal forces of springs, before contacts that do not touch are left out."""
    carrying: Floats | None
    """(speeds,): forces by which moving ground carries the base along, as they are in its frame; None at rest."""

    @property
    def loads(self) -> Floats:
        """(contacts,): normal forces of springs, N."""
        return self.springs.loads


class Decided(NamedTuple):
    """What a mode alone decides."""

    rigid: Ints
    """Contacts that touch, and are not on springs."""
    soft: Floats | None
    """(contacts,): 1 of those on springs that touch, else 0; None where there are none."""
    stuck: Ints
    """Rows of the stuck elements."""
    elements: Ints
    """Their numbers."""
    groups: Groups
    """Which rows of them share a limit."""
    stiffness: Floats
    """(groups,)."""
    rubbing: Floats
    """(rows,): friction coefficients of what slides on the ground, else 0."""
    braking: Floats
    """(rows,): friction of joints that slide, else 0."""
    rubs: bool
    brakes: bool
    plane: list[slice]
    """Rows of sliding elements that have two."""
    sideways: list[tuple[Element, int]]
    """Sliding grip of wheels that pull as well: element, and the wheel's place in `pulled`."""
    lost: Bools
    """(pulled,): which wheels spin without grip, or are in the air."""
    spins: Floats
    """(pulled,): friction coefficients with which they pull."""
    soften: Floats
    """(rows that are active,): roots of their compliances."""


class Outcome:
    """Accelerations and forces. What an integrator does not need is computed where it is asked for."""

    def __init__(self, owner: SpatialForces, at: Input, mode: Mode, of: Decided, equations: Equations) -> None:
        self._owner, self._at, self._mode, self._of = owner, at, mode, of
        self.equations: Equations = equations
        self.slip: Floats = equations.touch.D @ at.U
        self.Udot: Floats = at.given
        self.normal: Floats = np.zeros(0)
        """(contacts,), body points included."""
        self.held: Floats = np.zeros(0)
        """(rows of the stuck elements,): as compliance shares them."""
        self.rubbed: Floats = np.zeros(0)
        """(rows,): forces of what slides; zero of what sticks."""
        self.driven: Floats = np.zeros(0)
        """(pulled,): force along their traction of wheels whose rates follow from their rolling, without what holds."""
        self.pushed: Floats = np.zeros(0)
        """(speeds,): forces without those of contacts, but for drives of such wheels."""

    @cached_property
    def limits(self) -> Floats:
        """(elements,): most that each can hold, were it at rest."""
        pull = np.zeros(self._owner.contacts.count)
        pull[self._owner.elements.pulled] = self.driven
        return self._owner.limits(self.normal, pull, self._at)

    @cached_property
    def shares(self) -> Shares:
        """How the stuck elements share what they hold, within their limits."""
        return self._owner.shared(self.equations.touch.D, self.held, self._of, self.limits)

    @cached_property
    def forces(self) -> Floats:
        """(rows,): of all elements, holding or sliding."""
        forces = self.rubbed.copy()
        forces[self._of.stuck] = self.shares.forces
        return forces

    @cached_property
    def pull(self) -> Floats:
        """(contacts,): force along their traction of wheels whose rates follow from their rolling."""
        result, pulled = np.zeros(self._owner.contacts.count), self._owner.elements.pulled
        if len(pulled):
            held = np.zeros(len(self.rubbed))
            held[self._of.stuck] = self.shares.forces
            result[pulled] = self.driven + np.where(self._of.lost, 0.0, self._owner.resists @ held)
        return result

    @cached_property
    def reaction(self) -> Floats:
        """(speeds,): force along every speed that is given, for it to be so."""
        return self._reaction(self.forces)

    @cached_property
    def elastic_reaction(self) -> Floats:
        """The same if what sticks shares by compliance alone: the power of all is the same, whatever share."""
        forces = self.rubbed.copy()
        forces[self._of.stuck] = self.held
        return self._reaction(forces)

    def _reaction(self, forces: Floats) -> Floats:
        fixed, touch = self._owner.fixed, self.equations.touch
        result = np.zeros(len(self.Udot))
        if len(fixed):
            outside = self.pushed + forces @ touch.D + self.normal @ touch.G
            if self._of.lost.any():
                outside = outside + (self.driven * self._of.lost) @ touch.pulls
            moved = self.Udot - self._at.given
            result[fixed] = (self.equations.M @ moved - outside)[fixed]
        if self._at.directions is not None:  # forces of loops do no work
            result[SPATIAL : SPATIAL + self._owner.rover.n] = 0.0
        return result

    @cached_property
    def slip_rate(self) -> Floats:
        """(rows,)."""
        rate: Floats = self.equations.touch.D @ self.Udot + self.equations.touch.D_change
        return rate

    @cached_property
    def lifting(self) -> Floats:
        """(contacts,): rate of G U."""
        rate: Floats = self.equations.touch.G @ self.Udot + self.equations.touch.G_change
        return rate

    @cached_property
    def strife(self) -> float:
        """How far what sticks cannot stick together, in shares of what is rounding: up to 1 it can."""
        left = max(float(np.abs(self.lifting[self._of.rigid]).max(initial=0.0)),
                   float(np.abs(self.slip_rate[self._of.stuck]).max(initial=0.0)))
        return left / (_ROUNDING * (1.0 + float(np.abs(self.Udot).max())))


class SpatialForces:
    """The equations of one rover with its drives; `free` has the speeds that are sought."""

    def __init__(self, rover: Rover, contacts: Contacts, free: Bools) -> None:
        self.rover, self.contacts, self.elements = rover, contacts, contacts.elements
        self.free, self.fixed = np.flatnonzero(free), np.flatnonzero(~free)
        self.evaluations = 0
        self.sprung = contacts.sprung
        self.inner = contacts.sprung.inner
        """Number of internal states of springs, which y has after the angles of casters."""
        self._kernel = kernel(rover, "free_equations")
        self._J = self.elements.members @ rover.arrangement.axle_inertia
        self._momentum = self.elements.members @ rover.arrangement.momentum_inertia
        self.gravity = rover.ground.gravity_in_base(0.0)
        """(3,): in the frame of the ground."""
        self.contact_of = np.array([e.contact for e in contacts.every], dtype=np.intp)
        self._brakes = brakes_of(rover, self.elements)
        self._massless = [(i, e.contact) for i, e in enumerate(contacts.every) if e.massless]
        self.resists = self._torque_of_resistance()
        self.member = np.zeros((contacts.rows, contacts.count))
        self._yields = np.ones(contacts.rows)
        self._none = np.zeros(contacts.rows)
        self.both_free = np.ix_(self.free, self.free)
        self._coupled = bool(contacts.pieces) or rover.linkage is not None
        """Whether friction shifts the load."""
        self._decided: dict[Key, Decided] = {}
        self._moving: tuple[float, GroundState] | None = None
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
        own, hubs = SPATIAL + n, self.sprung.columns
        spins = np.arange(own, own + len(self._J))
        M, h, applied = self._inertia(at, at.U[:SPATIAL], self.gravity @ at.place.rotation)
        carrying = None
        if self.rover.ground.motion is not None or at.ground is not None:
            moved = carried(self.gravity, self.ground_at(at), at)
            _, moving, applied = self._inertia(at, at.U[:SPATIAL] + moved.twist, moved.gravity)
            moving += M[:, :SPATIAL] @ moved.rate
            carrying, h = h - moving, moving
        Q = np.zeros(size)
        Q[SPATIAL:own], Q[spins] = at.tau, self.elements.members @ at.wheel_torques
        touch = self.contacts.touch(at)
        springs = self.sprung.state(touch.gap, touch.gap_rate, at.inner)
        if len(hubs):
            Q[hubs] = self.sprung.on_hubs(springs, at.U)
        if at.directions is not None:
            M = at.forces_along(at.forces_along(M).T)
            Q, h, applied = (at.forces_along(each) for each in (Q, h, applied))
            carrying = None if carrying is None else at.forces_along(carrying)
        return Equations(M, Q - h - M[:, self.fixed] @ at.given[self.fixed], applied, h, touch, springs, carrying)

    def _inertia(self, at: Input, twist: Floats, gravity: Floats) -> tuple[Floats, Floats, Floats]:
        """M and h of a base with a velocity in inertial space, base axes; and the forces of external wrenches."""
        n, size = self.rover.n, self.contacts.size
        own = SPATIAL + n
        spins = np.arange(own, own + len(self._J))
        state = at.q, at.in_joints(at.U)[SPATIAL:own], twist, gravity
        options: dict[str, Any] = {} if at.external is None else {"external": at.external}
        M_own, h_own = self._kernel(*state, **options)
        M, h, applied = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        M[:own, :own], h[:own] = M_own, h_own
        if at.external:
            applied[:own] = self._kernel(*state)[1] - h_own
        if len(self._J):
            axles = self.contacts.spin_axle
            M[spins, spins] = self._J
            M[3:SPATIAL, spins] = (self._momentum[:, None] * axles).T
            M[spins, 3:SPATIAL] = M[3:SPATIAL, spins].T
            h[3:SPATIAL] += cross(twist[3:], (self._momentum * at.U[spins]) @ axles)
        if len(self.sprung.columns):
            self.sprung.add_inertia(M, h, twist, at.U, at.inner, gravity)
        return M, h, applied

    def ground_at(self, at: Input) -> GroundState:
        """How the ground moves; at one moment it is asked only once."""
        if at.ground is not None:
            return at.ground
        if self._moving is None or self._moving[0] != at.t:
            self._moving = at.t, self.rover.ground.state(at.t)
        return self._moving[1]

    def gravity_at(self, at: Input) -> Floats:
        """(3,): in the frame of the ground, which may turn."""
        moves = self.rover.ground.motion is not None
        return np.asarray(self.gravity @ self.ground_at(at).rotation) if moves else self.gravity

    def inner_rates(self, at: Input, outcome: Outcome, mode: Mode) -> Floats:
        """Rates of the internal states of springs."""
        return self.sprung.inner_rates(outcome.equations.springs, at.U, mode.touching)

    def asked_pull(self, at: Input) -> Floats:
        """(pulled,): force along its traction that the torque on each wheel without a rate of its own asks for."""
        result: Floats = at.wheel_torques[self.elements.pulled] / -self.elements.pulls.spin
        return result

    def lost(self, mode: Mode) -> Bools:
        """(pulled,): which of them spin without grip, or in the air."""
        pulled = self.elements.pulled
        result: Bools = (mode.spinning[pulled] != 0) | ~mode.touching[pulled]
        return result

    def directions(self, slip: Floats, mode: Mode, plane: list[slice]) -> Floats:
        """(rows,): which way elements slide: along their slip, and as the mode says the less there is of it, for those
        with rows in the `plane`.
        """
        if not plane:
            return mode.directions
        direction = mode.directions.copy()
        for rows in plane:
            (x, y), (a, b) = slip[rows].tolist(), direction[rows].tolist()
            rest = max(SLOW - math.hypot(x, y), 0.0)
            x, y = x + rest * a, y + rest * b
            size = max(math.hypot(x, y), 1e-300)
            direction[rows] = x / size, y / size
        return direction

    def brakes(self, at: Input) -> list[tuple[int, int, float]]:
        """Of every brake: its element, its row, and the torque with which it slips."""
        if not self._brakes or at.brakes is None:
            return []
        return [(i, row, max(float(members @ at.brakes), least)) for i, row, members, least in self._brakes]

    def with_brakes(self, braking: Floats, at: Input) -> Floats:
        """(rows,): friction of joints and brakes that slide, with the torques of the brakes."""
        result = braking.copy()
        for _, row, torque in self.brakes(at):
            result[row] *= torque
        return result

    def rubbing(self, mode: Mode) -> tuple[Floats, Floats]:
        """(rows,): friction coefficients of what slides on the ground, and of joints that slide, 1 of brakes."""
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
        eq, of = self.equations(at) if equations is None else equations, self.decided(mode)
        contacts, touch, free, fixed = self.contacts, eq.touch, self.free, self.fixed
        result = Outcome(self, at, mode, of, eq)
        direction = self.directions(result.slip, mode, of.plane)
        A = np.concatenate([touch.G[of.rigid], touch.D[of.stuck]])
        wanted = -np.concatenate([touch.G_change[of.rigid], touch.D_change[of.stuck]])
        A_free, M = A, eq.M
        if len(fixed):
            wanted = wanted - A[:, fixed] @ at.given[fixed]
            A_free, M = A[:, free], eq.M[self.both_free]
        asked = self.asked_pull(at)
        pushed = eq.forces
        if len(asked):
            pushed = pushed + np.where(of.lost, 0.0, asked) @ touch.pulls
        braking = self.with_brakes(of.braking, at) * direction if of.brakes else self._none
        base = pushed - braking @ touch.D if of.brakes else pushed
        soft = None if of.soft is None else of.soft * np.maximum(eq.loads, 0.0)
        solve = _Solve(A_free, M, wanted, of.soften)
        count, strength = len(of.rigid), of.rubbing.copy() if of.sideways else of.rubbing
        for _ in range(_PASSES if of.sideways else 1):
            P = self._with_normals(touch, of, strength * direction)
            E, right = A_free.T, base if soft is None else base + soft @ touch.G
            if P is not None:
                E = E.copy()
                E[:, :count] += P[np.ix_(free, of.rigid)]
                right = right if soft is None else right + P @ soft
            found, forces = solve.run(right[free] if len(fixed) else right, E, rubs=P is not None)
            normal = np.zeros(contacts.count) if soft is None else soft.copy()
            normal[of.rigid] = forces[:count]
            rubbed = self._none if not of.rubs else -(strength * direction) * (self.member @ normal)
            rubbed = rubbed - braking if of.brakes else rubbed
            driven = asked
            if len(asked):
                driven = np.where(of.lost, of.spins * normal[self.elements.pulled], asked + self.resists @ rubbed)
            if self.weaker(strength, of.sideways, normal, driven) < _SETTLED:
                break
        if self._coupled and self._beyond(of, normal, forces[count:], driven, at):
            held = self._jointly(of, solve, forces, normal, driven, at)
            if held is not None:
                forces, found = held, solve.accelerations(held)
                normal[of.rigid] = forces[:count]
                rubbed = rubbed if not of.rubs else -(strength * direction) * (self.member @ normal) - braking
        result.Udot = found
        if len(fixed):
            result.Udot = at.given.copy()
            result.Udot[free] = found
        result.normal, result.held, result.rubbed, result.driven = normal, forces[count:], rubbed, driven
        result.pushed = pushed
        return result

    def _beyond(self, of: Decided, normal: Floats, held: Floats, driven: Floats, at: Input) -> bool:
        """Whether compliance shares what is open so that a contact pulls or holds more than its friction, where other
        forces may hold.
        """
        rows = len(of.rigid) + len(of.stuck)
        if not len(of.rigid) or rows <= len(self.free) or of.lost.any() or of.sideways:
            return False
        if (normal[of.rigid] < 0).any():
            return True
        limits = self.limits(normal, self._pulls(driven), at)[of.elements]
        return bool((of.groups.sizes(held) > limits * HOLDS).any())

    def _pulls(self, driven: Floats) -> Floats:
        """(contacts,): force that the drives of wheels without a rate of their own take of their friction."""
        result = np.zeros(self.contacts.count)
        result[self.elements.pulled] = driven
        return result

    def _jointly(
        self, of: Decided, solve: _Solve, start: Floats, normal: Floats, driven: Floats, at: Input
    ) -> Floats | None:
        """Forces of the active rows that hold, normal forces and friction together; None where there are none. What
        drives take of the friction of their wheels leaves less for what holds sideways: as much as for the normal
        forces found last, until these stay.
        """
        count, contact, pull = len(of.rigid), self.contact_of[of.elements], self._pulls(driven)
        place = np.full(self.contacts.count + 1, -1)
        place[of.rigid] = np.arange(count)
        beside = np.array([k >= 0 and pull[k] != 0 for k in contact.tolist()], dtype=bool)
        grows = (place[contact] >= 0) & ~beside
        friction = np.where(grows, self.contacts.friction.static[of.elements], 0.0)
        groups = tuple(count + np.flatnonzero(of.groups.of_row == g) for g in range(len(of.elements)))
        sets = Sets(np.arange(count), groups, np.zeros(len(groups)), friction, np.maximum(place[contact], 0))
        W, b = solve.reduced()
        alone = solve.alone() if of.rubs else None
        normal, x = normal.copy(), start
        for _ in range(_PASSES):
            limits = self.limits(normal, pull, at)[of.elements]
            found = forces_that_hold(W, b, sets._replace(limits=np.where(grows, 0.0, limits)), of.soften**2, x, alone)
            if found is None or not beside.any():
                return found
            moved, x = float(np.abs(found[:count] - normal[of.rigid]).max()), found
            normal[of.rigid] = x[:count]
            if moved <= _SETTLED_LOADS * float(np.abs(normal).sum()):
                return x
        return None

    def _with_normals(self, touch: Touch, of: Decided, along: Floats) -> Floats | None:
        """(speeds, contacts): forces that come with each normal force, of what slides `along` (rows,) and of wheels
        that spin; None where there are none.
        """
        spins = bool(of.lost.any())
        if not of.rubs and not spins:
            return None
        P: Floats = -(touch.D.T * along) @ self.member
        if spins:
            P[:, self.elements.pulled[of.lost]] += (touch.pulls[of.lost] * of.spins[of.lost][:, None]).T
        return P

    def decided(self, mode: Mode) -> Decided:
        """What a mode decides, kept as long as it is the same."""
        result = self._decided.get(mode.key)
        if result is None:
            if len(self._decided) > 200:
                self._decided.clear()
            result = self._decided[mode.key] = self._decide(mode)
        return result

    def _decide(self, mode: Mode) -> Decided:
        contacts, every, pulled = self.contacts, self.contacts.every, self.elements.pulled
        rigid = np.flatnonzero(mode.touching & ~contacts.springs)
        soft = (mode.touching & contacts.springs).astype(float)
        numbers = np.flatnonzero(mode.stuck)
        rows = [np.arange(every[i].rows.start, every[i].rows.stop) for i in numbers]
        stuck = np.concatenate(rows).astype(np.intp) if rows else np.zeros(0, dtype=np.intp)
        groups = groups_of(np.repeat(np.arange(len(rows)), [len(each) for each in rows]), len(rows))
        rubbing, braking = self.rubbing(mode)
        sliding = [e for i, e in enumerate(every) if not mode.stuck[i]]
        sideways = [(e, int(np.flatnonzero(pulled == e.contact)[0])) for e in sliding
                    if e.massless and rubbing[e.rows].any()]
        return Decided(
            rigid, soft if soft.any() else None, stuck, numbers, groups,
            np.array([every[i].stiffness for i in numbers]), rubbing, braking, bool(rubbing.any()), bool(braking.any()),
            [e.rows for e in sliding if e.count == 2], sideways, self.lost(mode),
            (mode.spinning * contacts.friction.sliding)[pulled],
            np.sqrt(np.concatenate([contacts.compliance[rigid], self._yields[stuck]])),
        )

    @staticmethod
    def weaker(strength: Floats, sideways: list[tuple[Element, int]], normal: Floats, pulling: Floats) -> float:
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

    def limits(self, normal: Floats, pull: Floats, at: Input) -> Floats:
        """(elements,): most that each can hold at rest."""
        pressed = np.where(self.contact_of < 0, 1.0, np.maximum(normal, 0.0)[self.contact_of])
        limits: Floats = self.contacts.friction.static * pressed
        for i, _, torque in self.brakes(at):
            limits[i] = torque
        for i, k in self._massless:
            limits[i] = np.sqrt(max(limits[i] ** 2 - pull[k] ** 2, 0.0))
        return limits

    def shared(self, D: Floats, forces: Floats, of: Decided, limits: Floats) -> Shares:
        """Forces of what sticks, within their limits if there is any such share, as on the plane."""
        none = np.zeros(len(limits), dtype=bool)
        if not len(of.elements):
            return Shares(forces, 1.0, none)
        groups, most = of.groups, limits[of.elements]
        if (groups.sizes(forces) <= most * (1.0 + HELD)).all():
            return Shares(forces, 1.0, none)
        left, values, _ = np.linalg.svd(D[of.stuck][:, self.free], full_matrices=False)
        left = left[:, values > _RANK * max(1.0, float(values[0]))]
        asked = left.T @ forces
        most = np.maximum(most, 1e-12 * max(float(most.max()), 1e-300))
        start = left.T @ (forces / of.stiffness[groups.of_row])
        near = creep(left[None], groups, of.stiffness[None], most[None], asked[None], start[None])
        if near.holds[0]:
            return Shares(near.forces[0], 1.0 / max(float(near.stretch[0]), 1.0), none)
        needed = friction_needed(left, groups, most, asked)
        none[of.elements] = needed.moves
        return Shares(needed.forces, 1.0 - needed.factor, none)


class _Solve:
    """The linear system of one state and mode, for several friction coefficients."""

    def __init__(self, A: Floats, M: Floats, wanted: Floats, soft: Floats) -> None:
        self.A, self.M, self.wanted, self.soft = A, M, wanted, soft
        self.X: Floats = np.zeros((len(M), 1))
        """Accelerations of the last forces without contacts, and per force of every row."""

    def reduced(self) -> tuple[Floats, Floats]:
        """Accelerations of the rows beyond what is wanted, per force of each and without any."""
        return self.A @ self.X[:, 1:], self.A @ self.X[:, 0] - self.wanted

    def alone(self) -> Floats:
        """The former without friction that comes with normal forces."""
        return np.asarray(self.A @ np.linalg.solve(self.M, self.A.T))

    def accelerations(self, forces: Floats) -> Floats:
        """With forces of the rows."""
        return np.asarray(self.X[:, 0] + self.X[:, 1:] @ forces)

    def run(self, forces: Floats, E: Floats, *, rubs: bool) -> tuple[Floats, Floats]:
        """Accelerations, and the forces of the active rows; `rubs`: whether friction comes with normal forces, so that
        E is not the transpose of A. What is open is shared as by springs, whose forces are the compliances' inverses
        times A and a displacement.
        """
        if not len(forces):
            return np.zeros(0), np.zeros(len(self.wanted))
        try:
            X = self.X = np.linalg.solve(self.M, np.concatenate([forces[:, None], E], axis=1))
        except np.linalg.LinAlgError:
            raise ModelError(SINGULAR) from None
        if not len(self.wanted):
            return X[:, 0], np.zeros(0)
        W, wanted = self.A @ X[:, 1:] / self.soft, self.wanted - self.A @ X[:, 0]
        if rubs:
            ranges, sizes, _ = np.linalg.svd(self.A / self.soft[:, None], full_matrices=False)
            ranges = ranges[:, sizes > _RANK * sizes[0]]
            found = ranges @ np.linalg.lstsq(W @ ranges, wanted, rcond=_RANK)[0] / self.soft
        else:
            found = np.linalg.lstsq(W, wanted, rcond=_RANK)[0] / self.soft
        return X[:, 0] + X[:, 1:] @ found, found


SINGULAR = (
    "the equations of motion of the rover as a free body are singular: nothing resists some acceleration. Give the "
    "base an inertia, and every link that a joint moves a mass or an inertia"
)
