"""The contact solver while every contact keeps doing what it does: accelerations and forces of a rover in one state.

Which elements stick, which way the others slide and which contacts touch the ground is the `Mode`. Within one the
equations of `system` are linear, with the rows of what sticks for B and P N = - sum over sliding elements of
mu N D^T d, d being the direction of slip.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.contacts.elements import Coefficients, Element, Elements
from loadpath.mobile.contacts.sharing import HELD, Crept, Groups, creep, creep_on, friction_needed, groups_of
from loadpath.mobile.contacts.system import EndlessError, System, accelerations_of_one, with_axles
from loadpath.mobile.equations import BASE, RoverEquations, kernel
from loadpath.mobile.wheel_drives import WheelDrives
from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


_RANK = 1e-9
_PASSES, _SETTLED = 40, 1e-12
_ROUNDING = 1e-7
"""Rate of slip (m/s^2, of the largest acceleration) of what sticks up to which it is rounding."""
RELEASED = 1e-10
"""Torque of a brake that is released, of the weight times the wheel's radius: so little that nothing is held by it."""
_NO_SLIP = 1e-13
"""Slip (m/s) of what sticks that is rounding."""
SLOW = 1e-3
"""Slip (m/s) below which friction in the plane keeps to the direction it had at the last step, more and more: its own
direction would change too fast to follow, for no difference that matters at such speeds."""


Key = tuple[bytes, bytes, bytes, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Mode:
    """What every element and contact does."""

    stuck: Bools
    """(elements,)."""
    direction: tuple[Floats, ...]
    """Of every element the direction in which it slides, a unit vector; of stuck ones, nothing of meaning."""
    touching: Bools
    """(contacts,)."""
    spinning: Floats
    """(contacts,): 1 or -1 where a wheel without spin inertia has lost its grip to its drive, else 0."""
    armed: Bools
    """(elements,): which sliding elements have moved fast enough since they began that stopping would be news."""
    under: tuple[int, ...] = ()
    """Of every contact the number of the patch of the ground on which it stands, -1 beside them; nothing where the
    ground has none."""

    @cached_property
    def key(self) -> Key:
        """What the solver keeps as long as it is the same."""
        return self.stuck.tobytes(), self.touching.tobytes(), self.spinning.tobytes(), self.under

    @cached_property
    def directions(self) -> Floats:
        """(rows,): the directions one after the other."""
        return np.concatenate(self.direction) if self.direction else np.zeros(0)


class Input(NamedTuple):
    """Where the rover is and what is done to it at one moment."""

    q: Floats
    qd: Floats
    heading: float
    U: Floats
    """(speeds,), given ones included."""
    given: Floats
    """(speeds,): accelerations of the speeds that are given."""
    tau: Floats
    wheel_torques: Floats
    angles: Floats
    """(steerable,)."""
    angle_rates: Floats
    external: Mapping[str, Wrench] | None
    """Wrenches on links."""
    brakes: Floats | None = None
    """(contacts,): torques with which their brakes slip."""
    in_space: Floats | None = None
    """(15,): the base in inertial space, where the ground moves: see `loadpath.mobile.base_in_space`."""
    stands: Floats | None = None
    """(contacts, 2): where the contacts are in the frame of the ground (m), where that has patches of friction."""


class Basis(NamedTuple):
    """The rows of the stuck elements as L B, over the free speeds."""

    L: Floats
    L_inverse: Floats
    B: Floats
    """Independent orthonormal rows."""
    numbers: Ints
    """Which rows of D they are."""


class Shares(NamedTuple):
    """Forces of the stuck elements, which share what they hold by `sharing`."""

    forces: Floats
    """(rows of the stuck elements,)."""
    reserve: float
    """1 where all are within their limits by compliance alone, positive as long as there is any share within all
    limits, towards zero the more the contacts creep; negative where there is none."""
    slips: Bools
    """(elements,): which begin to slip where there is none."""


class Outcome:
    """Accelerations and forces. What an integrator does not need is computed where it is asked for."""

    def __init__(self, owner: ContactForces, at: Input, mode: Mode, parts: _Parts, solve: _Solve) -> None:
        self._owner, self._at, self._mode, self._parts, self._solve = owner, at, mode, parts, solve
        self.Udot: Floats = solve.Udot
        self.normal: Floats = solve.normal
        self.vertical: Floats = solve.load
        """(3,): F_z, N_x, N_y."""
        self.M: Floats = parts.system.M
        self.D: Floats = parts.D
        self.slip: Floats = parts.slip
        """(rows,): D U."""
        self.placed: Placed = parts.placed
        self.strife: float = solve.strife
        """How far what sticks cannot stick together, in shares of what is rounding: up to 1 it can."""
        self.sliding: Floats = solve.forces
        """(rows,): forces of what slides; zero of what sticks."""
        self.applied: Floats | None = None
        """(speeds,): forces of external wrenches along every speed; None where there are none."""
        self.carried: Floats | None = None
        """(speeds,): inertial forces of ground that moves, and what its turning makes of gravity, along every speed;
        None where it stands."""

    @property
    def friction(self) -> Coefficients:
        """Where the contacts stand."""
        return self._parts.of.friction

    @property
    def consistent(self) -> bool:
        """Whether all that stick can stick together."""
        return self.strife <= 1.0

    @cached_property
    def sinkage(self) -> Floats:
        """(contacts,): how far the base sinks in at each contact, in proportion: negative at those that are lifted."""
        result: Floats = self._parts.sink @ self.vertical
        return result

    @cached_property
    def slip_rate(self) -> Floats:
        """(rows,)."""
        rate: Floats = self.D @ self.Udot
        return rate if self._parts.change is None else rate + self._parts.change

    @cached_property
    def _driven(self) -> Floats:
        """(contacts,): force along their traction of wheels whose rates follow from their rolling, by their drives and
        by what resists while it moves."""
        owner, lost = self._owner, self._parts.of.lost
        pull, pulled = np.zeros(len(self.normal)), owner.elements.pulled
        if len(pulled):
            each = self._parts.asked + owner._resists_axle @ self.sliding
            if lost.any():
                each = np.where(lost, (self._mode.spinning * self.friction.contacts["sliding"] * self.normal)[pulled],
                                each)
            pull[pulled] = each
        return pull

    @cached_property
    def limits(self) -> Floats:
        """(elements,): most that each can hold, were it at rest."""
        return self._owner._limits(self.normal, self._driven, self._at, self.friction)

    @cached_property
    def shares(self) -> Shares:
        """How the stuck elements share what they hold."""
        return self._owner._shared(self._solve, self._mode, self._parts.of, self.limits)

    @cached_property
    def forces(self) -> Floats:
        """(rows,): of all elements, holding or sliding."""
        return self._with_held(self.shares.forces)

    def _with_held(self, held: Floats) -> Floats:
        rows = self._parts.of.rows
        if not len(rows):
            return self.sliding
        forces = self.sliding.copy()
        forces[rows] = held
        return forces

    @cached_property
    def pull(self) -> Floats:
        """(contacts,): force along their traction of wheels whose rates follow from their rolling."""
        rows, owner = self._parts.of.rows, self._owner
        if not len(rows) or not len(owner.elements.pulled):
            return self._driven
        pull, held = self._driven.copy(), np.zeros(len(self.sliding))  # resistance at rest is a force of the ground
        held[rows] = self.shares.forces
        pull[owner.elements.pulled] += owner._resists_axle @ held
        return pull

    @cached_property
    def reaction(self) -> Floats:
        """(speeds,): force along every speed that is given or held, for it to be so."""
        return self._reaction(self.forces)

    @cached_property
    def elastic_reaction(self) -> Floats:
        """The same if what sticks shares by compliance alone: the power of all is the same, whatever share."""
        return self._reaction(self._with_held(self._solve.per_held @ self._solve.held))

    def _reaction(self, forces: Floats) -> Floats:
        owner, parts, fixed = self._owner, self._parts, self._owner.fixed
        result = np.zeros(len(self.Udot))
        if len(fixed):
            given = parts.system.M @ self.Udot - parts.pushed - forces @ self.D
            lost = parts.of.lost
            if lost.any():
                given -= self._driven[owner.elements.pulled[lost]] @ parts.pull_rows[lost]
            result[fixed] = given[fixed]
        return owner.without_loops(result)


class _Parts(NamedTuple):
    """What one state and mode are made of."""

    of: _Of
    placed: Placed
    D: Floats
    pull_rows: Floats
    sink: Floats
    system: System
    slip: Floats
    change: Floats | None
    """Rate of D times U; None where nothing turns."""
    asked: Floats
    """(pulled,): forces along their tractions that drives ask for."""
    pushed: Floats
    """(speeds,): forces of drives, less bias."""


class _Of(NamedTuple):
    """What a mode alone decides."""

    rows: Ints
    """Rows of the stuck elements."""
    groups: Groups
    """Which of them share a limit."""
    elements: Ints
    """Numbers of the stuck elements: the groups."""
    stiffness: Floats
    """(groups,)."""
    rubbing: Floats
    """(rows,): kinetic friction coefficient of rows that slide on the ground, else 0."""
    braking: Floats
    """(rows,): friction of joints that slide, 1 of brakes that slip, else 0."""
    plane: list[tuple[int, Element]]
    """Sliding elements with two rows."""
    sideways: list[tuple[int, Element, int]]
    """Sliding grip of wheels that pull as well: element, and the wheel's place in `pulled`."""
    lost: Bools
    """(pulled,): which wheels spin without grip."""
    rubs: bool
    """Whether anything slides on the ground."""
    brakes: bool
    """Whether a joint or brake slides."""
    steady: bool
    """Whether no stuck row turns with a steering angle."""
    friction: Coefficients
    S: Floats | None
    """Normal forces (contacts, 3) per unit of F_z, N_x, N_y, where contacts stay in their places; sinkage."""
    sink: Floats | None


class ContactForces:
    """The equations of one rover, with its drives."""

    def __init__(
        self,
        rover: Rover,
        elements: Elements,
        drives: WheelDrives,
        free: Bools,
        angles: Floats | None = None,
    ) -> None:
        """`free` has the speeds that are sought, `angles` the steering angles where they stay as they are."""
        self.rover, self.elements, self.drives = rover, elements, drives
        self.free, self.fixed = np.flatnonzero(free), np.flatnonzero(~free)
        self.evaluations = 0
        self.effort, self.allowed = 0, math.inf
        """Evaluations, and what costs as much as many of them; beyond what is allowed there is an error."""
        self._kernel = kernel(rover, "rover_equations")
        self._J = elements.members @ rover.arrangement.axle_inertia
        self._momentum = elements.members @ rover.arrangement.momentum_inertia
        self._placed = None if angles is None else rover.arrangement.placed(angles)
        self._D = None if self._placed is None else elements.matrix(self._placed)
        wheels = rover.arrangement
        steady = self._placed if self._placed is not None or not wheels.turns_no_traction else wheels.at_rest
        self._pulls = None if steady is None else elements.pull_matrix(steady)
        self._turned: tuple[Floats, Placed] | None = None
        self._spring_shares = kernel(rover, "spring_shares")
        self._of: dict[Key, _Of] = {}
        self._bases: dict[Key, tuple[Floats, Basis, Floats]] = {}
        self._crept: dict[Key, Floats] = {}
        every = elements.all
        self._contact_of_row = elements.own.contact
        self._member = np.zeros((elements.count, len(rover.contact_names)))
        self._member[np.arange(elements.contact_rows), self._contact_of_row] = 1.0
        self._contact = np.array([e.contact for e in every], dtype=np.intp)
        self._massless = [(i, e.contact) for i, e in enumerate(every) if e.massless]
        self._resists_axle = _torque_of_resistance(elements)
        self._none = np.zeros(len(elements.pulled))
        self.both_free = np.ix_(self.free, self.free)
        self.known_friction: tuple[Mode, Floats] | None = None
        """Forces of what slides per unit of F_z, N_x, N_y in the last mode in which they stay the same."""
        self._axles = self._turns_axles = None
        if len(elements.spinning):
            own, spins = BASE + rover.n, elements.spinning
            empty = RoverEquations(np.zeros((own, own)), np.zeros(own), np.zeros((3, own)), np.zeros(3))
            still = np.zeros(len(spins))
            self._axles = with_axles(empty, wheels.at_rest, spins, self._J, self._momentum, np.zeros(()), still)
            if self._momentum.any():
                self._turns_axles = self._momentum[:, None] * wheels.at_rest.forward[spins]
        weight = rover.ground.gravity * sum(link.inertia.mass for link in rover.robot.links)
        self._brakes = [(i, e.rows.start, elements.members[list(elements.spinning).index(e.axle)],
                         RELEASED * weight * abs(float(wheels.tractions.spin[wheels.tractions.contact == e.axle][0])))
                        for i, e in enumerate(every) if e.axle >= 0]
        """Elements, rows, the contacts (contacts,) whose brakes they are, and the least torque."""

    def spend(self, effort: int) -> None:
        """Count what the search for a mode takes."""
        self.effort += effort
        if self.effort > self.allowed:
            raise EndlessError

    # Pieces

    def placed(self, angles: Floats) -> Placed:
        """Where the contacts are."""
        if self._placed is not None:
            return self._placed
        if self._turned is None or self._turned[0] is not angles:  # asked for twice at every evaluation
            self._turned = angles, self.rover.arrangement.placed(angles)
        return self._turned[1]

    def matrix(self, angles: Floats) -> Floats:
        """D."""
        return self.elements.matrix(self.placed(angles)) if self._D is None else self._D

    def _equations(self, at: Input, external: Mapping[str, Wrench] | None) -> RoverEquations:
        options: dict[str, Any] = {}
        if external is not None:
            options["external"] = external
        if at.in_space is not None:
            options["in_space"] = at.in_space
        elif self.rover.ground.slope:
            options["heading"] = np.float64(at.heading)
        return RoverEquations(*self._kernel(at.q, at.qd, at.U[:BASE], **options))

    def _share(self, placed: Placed, touching: Bools) -> tuple[Floats, Floats]:
        """Normal forces and sinkage (contacts, 3) per unit of F_z, N_x, N_y."""
        normal, sinkage = self._spring_shares(placed.points, touching / self.rover.arrangement.compliance)
        return normal, sinkage

    def _decided(self, mode: Mode) -> _Of:
        found = self._of.get(mode.key)
        if found is not None:
            return found
        elements, every = self.elements, self.elements.all
        stuck = [int(i) for i in np.flatnonzero(mode.stuck)]
        rows = np.array([r for i in stuck for r in range(every[i].rows.start, every[i].rows.stop)], dtype=np.intp)
        groups = groups_of(np.array([g for g, i in enumerate(stuck) for _ in range(every[i].count)], dtype=np.intp),
                           len(stuck))
        friction = elements.coefficients(mode.under)
        rubbing, braking = np.zeros(elements.count), np.zeros(elements.count)
        plane, sideways = [], []
        for i, e in enumerate(every):
            if mode.stuck[i]:
                continue
            if e.count == 2:
                plane.append((i, e))
            if e.contact < 0:
                braking[e.rows] = e.kinetic
            elif mode.touching[e.contact] and not (e.with_axle and mode.spinning[e.contact]):
                rubbing[e.rows] = friction.kinetic[i]
                if e.massless:
                    sideways.append((i, e, int(np.flatnonzero(elements.pulled == e.contact)[0])))
        S, sink = (None, None) if self._placed is None else self._share(self._placed, mode.touching)
        if len(self._of) > 200:
            self._of.clear()
        found = self._of[mode.key] = _Of(
            rows, groups, np.array(stuck, dtype=np.intp), np.array([every[i].stiffness for i in stuck]), rubbing,
            braking, plane, sideways, mode.spinning[elements.pulled] != 0, bool(rubbing.any()), bool(braking.any()),
            self._D is not None or not np.isin(rows, elements.turning).any(), friction, S, sink,
        )
        return found

    def basis(self, D: Floats, mode: Mode) -> Basis:
        """The stuck elements' rows over the free speeds, made independent."""
        return self._basis(D, mode)[0]

    def _basis(self, D: Floats, mode: Mode) -> tuple[Basis, Floats]:
        """The same, and the forces (rows, independent rows) by compliance per unit of what is held."""
        of = self._decided(mode)
        known = self._bases.get(mode.key)
        if known is not None and of.steady:
            return known[1], known[2]
        rows = D[of.rows][:, self.free]
        if known is not None and np.array_equal(known[0], rows):
            return known[1], known[2]
        L, inverse, B = np.zeros((len(rows), 0)), np.zeros((0, len(rows))), np.zeros((0, len(self.free)))
        if rows.size:
            left, values, right = np.linalg.svd(rows, full_matrices=False)
            rank = int((values > _RANK * max(1.0, values[0])).sum())
            L, inverse, B = left[:, :rank] * values[:rank], (left[:, :rank] / values[:rank]).T, right[:rank]
        weighted = of.stiffness[of.groups.of_row][:, None] * L
        per: Floats = np.asarray(np.linalg.solve(L.T @ weighted, weighted.T).T, dtype=float) if L.shape[1] else L
        basis = Basis(L, inverse, B, of.rows)
        if len(self._bases) > 200:
            self._bases.clear()
        self._bases[mode.key] = rows, basis, per
        return basis, per

    # All together

    def evaluate(self, at: Input, mode: Mode) -> Outcome:
        """Accelerations and forces in a state."""
        self.evaluations += 1
        self.spend(1)
        elements, n = self.elements, self.rover.n
        of, placed = self._decided(mode), self.placed(at.angles)
        D = self.elements.matrix(placed) if self._D is None else self._D
        pull_rows = elements.pull_matrix(placed) if self._pulls is None else self._pulls
        S, sink = self._share(placed, mode.touching) if of.S is None or of.sink is None else (of.S, of.sink)
        system = self._system(at)
        change = None
        if len(at.angle_rates) and at.angle_rates.any():
            change = elements.slip_change(placed, at.angle_rates, at.U[:BASE])
        pushed, asked = -system.h, self._none
        if n:
            pushed[BASE : BASE + n] += at.tau
        if self.drives.torques:
            pushed[BASE + n :] += elements.members @ at.wheel_torques
            # tau + sum of spin f = 0 of a wheel without inertia: its drive pushes along its traction.
            asked = at.wheel_torques[elements.pulled] / -elements.pulls.spin
            if len(asked):
                pushed += np.where(of.lost, 0.0, asked) @ pull_rows
        parts = _Parts(of, placed, D, pull_rows, sink, system, D @ at.U, change, asked, pushed)
        solve = _Solve(self, parts, at, S, self._basis(D, mode), mode)
        if of.lost.any():
            lost = elements.pulled[of.lost]
            strength = (mode.spinning * of.friction.contacts["sliding"])[lost]
            solve.pulls = np.zeros((len(pushed), len(mode.touching)))
            solve.pulls[:, lost] += (pull_rows[of.lost] * strength[:, None]).T
        if of.sideways:
            self._with_sideways(solve, parts, mode)
        else:
            solve.run(of.rubbing)
        outcome = Outcome(self, at, mode, parts, solve)
        if at.external:
            outcome.applied = np.zeros(elements.size)
            outcome.applied[: BASE + n] = self._equations(at, None).bias - system.h[: BASE + n]
        if at.in_space is not None:
            still = self._equations(at._replace(in_space=None), at.external)
            outcome.carried = np.zeros(elements.size)
            outcome.carried[: BASE + n] = still.bias - system.h[: BASE + n]
        return outcome

    def held_to(self, at: Input, mode: Mode) -> Input:
        """The same with the speeds nearest to those of `at` in which nothing slips that sticks: an integrator adds up
        its errors there, and given rates have theirs as differences.
        """
        rows = self._decided(mode).rows
        if not len(rows):
            return at
        D = self.matrix(at.angles)
        slip = D[rows] @ at.U
        if max(slip.max(), -slip.min()) <= _NO_SLIP:
            return at
        basis, U = self._basis(D, mode)[0], at.U.copy()
        U[self.free] -= basis.B.T @ (basis.L_inverse @ slip)
        return at._replace(U=U, qd=self.speeds_of_joints(U, at.qd))

    def speeds_of_joints(self, U: Floats, qd: Floats) -> Floats:
        """(n,): qd of speeds U near those of `qd`."""
        return U[BASE : BASE + self.rover.n]

    def without_loops(self, reaction: Floats) -> Floats:
        """Forces along speeds that are given, without those of loops: here there are none."""
        return reaction

    def _system(self, at: Input) -> System:
        """The equations of a state, axles in their places in what stays the same."""
        equations = self._equations(at, at.external)
        if self._axles is None:
            return System(*equations)
        own = len(equations.bias)
        M, h, V = self._axles.M.copy(), np.zeros(self.elements.size), self._axles.V.copy()
        M[:own, :own], h[:own], V[:, :own], v = equations
        if self._turns_axles is not None:
            v = v.copy()
            v[1:] -= at.U[2] * (at.U[own:] @ self._turns_axles)
        return System(M, h, V, v)

    def _with_sideways(self, solve: _Solve, parts: _Parts, mode: Mode) -> None:
        """Solves where wheels whose rates follow from their rolling slide sideways: the whole friction of such a wheel
        is mu N, so that what it pulls and what it holds across depend on each other.
        """
        elements, of = self.elements, parts.of
        # Always from the same beginning: there may be two solutions, and it must not depend on what was asked before.
        strength = of.rubbing.copy()
        passed: dict[int, list[float]] = {i: [] for i, _, _ in of.sideways}
        for _ in range(_PASSES):
            solve.run(strength)
            pulling = parts.asked + self._resists_axle @ solve.forces
            if of.lost.any():
                spun = (mode.spinning * of.friction.contacts["sliding"] * solve.normal)[elements.pulled]
                pulling = np.where(of.lost, spun, pulling)
            worst = 0.0
            for i, e, wheel in of.sideways:
                N = float(solve.normal[e.contact])
                if N <= 0:
                    continue  # beyond tipping or lifting, which is looked at next
                old = float(strength[e.rows.start])
                most = float(of.friction.kinetic[i])
                new = float(np.sqrt(max(most**2 - (pulling[wheel] / N) ** 2, 0.0)))
                worst = max(worst, abs(new - old))
                strength[e.rows] = _ahead(passed[i], old, new, most)
            if worst < _SETTLED:
                break

    def braking(self, at: Input) -> list[tuple[int, int, float]]:
        """Of every brake: its element, its row, and the torque with which it slips."""
        if not self._brakes or at.brakes is None:
            return []
        return [(i, row, max(float(members @ at.brakes), least)) for i, row, members, least in self._brakes]

    def _limits(self, normal: Floats, pull: Floats, at: Input, friction: Coefficients) -> Floats:
        limits = friction.static * np.where(self._contact < 0, 1.0, np.maximum(normal, 0.0)[self._contact])
        for i, _, torque in self.braking(at):
            limits[i] = torque
        for i, k in self._massless:
            limits[i] = np.sqrt(max(limits[i] ** 2 - pull[k] ** 2, 0.0))
        return limits

    def _shared(self, solve: _Solve, mode: Mode, of: _Of, limits: Floats) -> Shares:
        none = np.zeros(len(limits), dtype=bool)
        basis, per = solve.basis, solve.per_held
        if not basis.L.shape[1]:
            return Shares(np.zeros(len(of.rows)), 1.0, none)
        held, most = solve.held, limits[of.elements]
        forces = per @ held
        if (of.groups.sizes(forces) <= most * (1.0 + HELD)).all():
            return Shares(forces, 1.0, none)
        most = np.maximum(most, 1e-12 * max(float(most.max()), 1e-300))
        # Columns of one size, however weak some are.
        values = np.sqrt((basis.L * basis.L).sum(axis=0))
        left, asked = basis.L / values, held / values
        start = self._crept.get(mode.key)
        if start is None or len(start) != len(held):
            start = left.T @ (forces / of.stiffness[of.groups.of_row])
        near = creep_on(left, of.groups, of.stiffness, most, asked, start)
        if near is None:
            found = creep(left[None], of.groups, of.stiffness[None], most[None], asked[None], start[None])
            near = Crept(found.x[0], found.forces[0], float(found.stretch[0])) if found.holds[0] else None
        if near is not None:
            self._crept = {mode.key: near.x}
            return Shares(near.forces, 1.0 / max(near.stretch, 1.0), none)
        needed = friction_needed(left, of.groups, most, asked)
        none[of.elements] = needed.moves
        return Shares(needed.forces, 1.0 - needed.factor, none)


def _torque_of_resistance(elements: Elements) -> Floats:
    """(pulled, rows): force along its traction with which a wheel without inertia answers forces along its other rows,
    tau + sum of spin f = 0.
    """
    result = np.zeros((len(elements.pulled), elements.count))
    for i, (k, spin) in enumerate(zip(elements.pulled, elements.pulls.spin, strict=True)):
        mine = np.flatnonzero(elements.own.contact == k)
        result[i, mine] = -elements.own.spin[mine] / spin
    return result


def _ahead(passed: list[float], old: float, new: float, most: float) -> float:
    """Where an iteration from an old value to a new one leads (Aitken), every other time; else the new value."""
    passed.append(old)
    if len(passed) % 2 == 0:
        first, second = passed[-2], old
        bend = new - 2 * second + first
        if bend and abs(new - second) < abs(second - first):
            return min(max(new - (new - second) ** 2 / bend, 0.0), most)
    return new


class _Solve:
    """The linear system of one state and mode."""

    def __init__(
        self, owner: ContactForces, parts: _Parts, at: Input, S: Floats, basis: tuple[Basis, Floats], mode: Mode
    ) -> None:
        self.owner, self.of, self.D, self.S, self.mode = owner, parts.of, parts.D, S, mode
        self.basis, self.per_held = basis
        self.pulls: Floats | None = None
        system, right = parts.system, parts.pushed
        free, fixed = owner.free, owner.fixed
        self.direction = self._directions(parts.slip)
        self.braking = self.of.braking
        if self.of.brakes:
            for _, row, torque in owner.braking(at):
                self.braking = self.braking.copy() if self.braking is self.of.braking else self.braking
                self.braking[row] *= torque
            right = right - (self.braking * self.direction) @ self.D
        self.demand = None if parts.change is None else -parts.change[self.of.rows]
        self.M, self.V, self.v = system.M, system.V, system.v
        self.given = None
        if len(fixed):
            self.given = np.zeros(len(right))
            self.given[fixed] = at.given[fixed]
            self.v = system.v + system.V @ self.given
            given = -self.D[self.of.rows] @ self.given
            self.demand = given if self.demand is None else self.demand + given
            right = (right - system.M @ self.given)[free]
            self.M, self.V = system.M[owner.both_free], system.V[:, free]
        self.right = right

    def _directions(self, slip: Floats) -> Floats:
        """(rows,): which way elements slide: along their slip, and as the mode says the less there is of it."""
        if not self.of.plane:
            return self.mode.directions
        direction = self.mode.directions.copy()
        for _, e in self.of.plane:
            s = slip[e.rows]
            s = s + max(SLOW - math.hypot(*s), 0.0) * direction[e.rows]
            direction[e.rows] = s / max(math.hypot(*s), 1e-300)
        return direction

    def _friction(self, per_normal: Floats) -> Floats | None:
        """(free speeds, 3): forces of what slides per unit of F_z, N_x, N_y; None where nothing does."""
        owner, of = self.owner, self.of
        if not of.rubs and self.pulls is None:
            return None
        steady = of.S is not None and owner._D is not None and not of.plane and not of.sideways and self.pulls is None
        if steady and owner.known_friction is not None and owner.known_friction[0] is self.mode:
            return owner.known_friction[1]
        P = self.D.T @ (per_normal[:, None] * owner._member)
        if self.pulls is not None:
            P += self.pulls
        G: Floats = (P if len(owner.free) == len(P) else P[owner.free]) @ self.S
        if steady:
            owner.known_friction = self.mode, G
        return G

    def run(self, rubbing: Floats) -> None:
        """Solve, with friction coefficients (rows,) of what slides on the ground."""
        per_normal = -rubbing * self.direction
        G = self._friction(per_normal)
        A, right = (self.M, self.right) if G is None else (self.M - G @ self.V, self.right + G @ self.v)
        L, inverse, B, _ = self.basis
        wanted = np.zeros(len(B)) if self.demand is None else inverse @ self.demand
        if len(right):
            found, self.held = accelerations_of_one(A, right, B, wanted)
        else:
            found, self.held = np.zeros(0), np.zeros(0)
        self.load = self.V @ found + self.v
        self.Udot = found
        if self.given is not None:
            self.Udot = self.given.copy()
            self.Udot[self.owner.free] = found
        self.strife = 0.0
        if self.demand is not None and len(L) > L.shape[1]:
            left = self.demand - L @ wanted
            self.strife = float(np.abs(left).max() / (_ROUNDING * (1.0 + np.abs(self.Udot).max())))
        self.normal: Floats = self.S @ self.load
        self.forces = per_normal * (self.owner._member @ self.normal)
        if self.of.brakes:
            self.forces = self.forces - self.braking * self.direction
