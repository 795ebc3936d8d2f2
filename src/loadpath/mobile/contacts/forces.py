"""The contact solver while every contact keeps doing what it does: accelerations and forces of a rover in one state.

Which elements stick, which way the others slide and which contacts touch the ground is the `Mode`. Within one the
equations are linear (`within_mode`), compiled as one program: here are the numbers that it takes of a state and mode,
and how what sticks shares what it holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.contacts.elements import Coefficients, Element, Elements
from loadpath.mobile.contacts.holding import Holding, holding
from loadpath.mobile.contacts.layout import constants_of, layout_of, torque_of_resistance
from loadpath.mobile.contacts.modes import Input, Key, Mode
from loadpath.mobile.contacts.outcome import Evaluated, Outcome, Shares
from loadpath.mobile.contacts.sharing import HELD, Crept, Groups, creep, creep_on, friction_needed, groups_of
from loadpath.mobile.contacts.system import SINGULAR, EndlessError
from loadpath.mobile.contacts.turning import geometry_kernel, turning_contacts
from loadpath.mobile.contacts.within_mode import CREEP, SLOW, motion_kernel
from loadpath.mobile.equations import BASE, kernel
from loadpath.mobile.normals import on_springs
from loadpath.mobile.wheel_drives import WheelDrives
from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


_PASSES, _SETTLED = 40, 1e-12
_ROUNDING = 1e-7
"""Rate of slip (m/s^2, of the largest acceleration) of what sticks up to which it is rounding."""
RELEASED = 1e-10
"""Torque of a brake that is released, of the weight times the wheel's radius: so little that nothing is held by it."""
_NO_SLIP = 1e-13
"""Slip (m/s) of what sticks that is rounding."""
_ILL = 1e12
"""Square of how many times smaller pivots may become before the equations are solved in another order."""


class Decided(NamedTuple):
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
    sideways: list[tuple[int, Element, int]]
    """Sliding grip of wheels that pull as well: element, and the wheel's place in `pulled`."""
    lost: Bools
    """(pulled,): which wheels spin without grip."""
    pulling: Floats
    """(pulled,): pull of these per unit of normal force."""
    steady: bool
    """Whether no stuck row turns with a steering angle."""
    carrying: Floats
    """(contacts,): stiffnesses of those that touch, else 0."""
    geometry: Floats | None
    """The row that `Layout.geometry` describes, where all contacts stay in their places."""
    friction: Coefficients
    """Where the contacts stand."""
    resisting: Floats
    """Torques against the rolling resistance of wheels with a given rate, per unit of normal force."""


class ContactForces:
    """The equations of one rover, with its drives."""

    closed = False
    """Whether loops hold some of the speeds."""

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
        self.layout = layout_of(rover, elements, drives, free, closed=self.closed)
        self._motion, self.kernel = motion_kernel(self.layout), kernel(rover, "equations_row")
        self._constants = constants_of(rover, elements, closed=self.closed)
        wheels = rover.arrangement
        self._placed = None if angles is None else wheels.placed(angles)
        self.contact_geometry = None if self._placed is not None else geometry_kernel(turning_contacts(elements))
        self._caster_at = np.array([np.flatnonzero(wheels.steerable == k)[0] for k in elements.trailing], dtype=int)
        self._no_angles = np.zeros(max(1, len(wheels.steerable)))
        self._turned: tuple[Floats, Placed] | None = None
        self._of: dict[Key, Decided] = {}
        self._held: dict[Key, Holding] = {}
        self._crept: dict[Key, Floats] = {}
        self._slipping: dict[Key, Bools] = {}
        """What shares began with last, and which groups slipped where there was none."""
        self._mode_row: tuple[Mode, Holding, Floats] | None = None
        self._given_row: tuple[tuple[Floats, Floats, Decided], Floats, Floats] | None = None
        """What was made last, and what it was made of: most of it stays the same from one evaluation to the next."""
        every = elements.all
        contact = np.array([e.contact for e in every], dtype=np.intp)
        self._of_none = (contact < 0).astype(float)
        self._of_contact = (contact[:, None] == np.arange(len(rover.contact_names))).astype(float)
        self._massless = np.array([i for i, e in enumerate(every) if e.massless], dtype=np.intp)
        self._pulling_contacts = contact[self._massless]
        self.resists_axle = torque_of_resistance(elements)
        self._none, self._none_slips = np.zeros(len(elements.pulled)), np.zeros(len(every), dtype=bool)
        self.nothing_given = np.zeros(elements.size)
        """Accelerations of given speeds where all of them stay as they are."""
        own = BASE + rover.n
        self._mass = np.zeros((elements.size, elements.size))
        self._mass[range(own, elements.size), range(own, elements.size)] = elements.members @ wheels.axle_inertia
        self._brakes = brakes_of(rover, elements)

    def spend(self, effort: int) -> None:
        """Count what the search for a mode takes."""
        self.effort += effort
        if self.effort > self.allowed:
            raise EndlessError

    def resisting_arm(self, k: int) -> float:
        """Torque against the rolling resistance of a wheel, per unit of its force (m)."""
        return float(sum(group[0].spin for group in self.rover.base.wheels[k].resistance() if not group[0].on_ground))

    # Pieces

    def placed(self, angles: Floats) -> Placed:
        """Where the contacts are."""
        if self._placed is not None:
            return self._placed
        if self._turned is None or self._turned[0] is not angles:
            self._turned = angles, self.rover.arrangement.placed(angles)
        return self._turned[1]

    def placed_at(self, angles: Sequence[Floats]) -> Placed:
        """The same at many angles; without batch axes where they stay in their places."""
        return self.rover.arrangement.placed(np.array(angles)) if self._placed is None else self._placed

    def matrix(self, angles: Floats) -> Floats:
        """D."""
        return self.elements.matrix(self.placed(angles))

    def rows_in(self, geometry: Floats) -> Floats:
        """D (rows, speeds) from a row of `Layout.geometry`."""
        result: Floats = geometry[self.layout.geometry.at["D"]].reshape(self.layout.geometry.shape["D"])
        return result

    def _tractions_in(self, geometry: Floats) -> Floats:
        parts = self.layout.geometry
        result: Floats = geometry[parts.at["tractions"]].reshape(parts.shape["tractions"])
        return result

    def mass_matrix(self, equations: Floats) -> Floats:
        """M (..., speeds, speeds) with the axles, from rows of equations."""
        batch, own = equations.shape[:-1], BASE + self.rover.n
        M = np.broadcast_to(self._mass, (*batch, *self._mass.shape)).copy()
        M[..., :own, :own] = equations[..., self.layout.equations.M].reshape(*batch, own, own)
        return M

    def geometry(self, at: Input, of: Decided) -> Floats:
        """The row of `Layout.geometry`."""
        if of.geometry is not None:
            return of.geometry
        assert self.contact_geometry is not None
        angles = at.angles if len(at.angles) else self._no_angles
        row: Floats = self.contact_geometry(angles, at.U[:BASE], of.carrying)
        if at.swivel is not None:
            row[self.layout.geometry.at["casters"]] = at.swivel
        return row

    def _geometry_in_place(self, placed: Placed, carrying: Floats) -> Floats:
        """The same of contacts that stay in their places."""
        shares = on_springs(placed.points, carrying, np.eye(3))
        parts = (self.elements.matrix(placed), self.elements.pull_matrix(placed), shares.normal.T, shares.sinkage.T)
        return np.concatenate([part.ravel() for part in parts])

    def change(self, at: Input, geometry: Floats) -> Floats | None:
        """(rows,): rate of D times U; None where nothing turns."""
        rates = at.angle_rates
        if len(self._caster_at):
            rates = rates.copy()
            rates[self._caster_at] = geometry[self.layout.geometry.at["casters"]]
        if not len(rates) or not rates.any():
            return None
        return self.elements.slip_change(self.placed(at.angles), rates, at.U[:BASE])

    def angle_rates(self, at: Input) -> Floats:
        """(steerable,): rates of all steering angles, of casters as they follow the motion."""
        rates = at.angle_rates
        if len(self._caster_at):
            rates, swivel = rates.copy(), self.rover.arrangement.swivel_rates(self.placed(at.angles), at.U[:BASE])
            rates[self._caster_at] = swivel[self._caster_at]
        return rates

    def _equations(self, at: Input, external: Mapping[str, Wrench] | None) -> Floats:
        """The row of the equations of base and joints."""
        options: dict[str, Any] = {}
        if external is not None:
            options["external"] = external
        if at.in_space is not None:
            options["in_space"] = at.in_space
        row: Floats = self.kernel(at.q, at.U[: BASE + self.rover.n], np.array([at.heading]), **options)
        return row

    def decided(self, mode: Mode) -> Decided:
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
        sideways = []
        for i, e in enumerate(every):
            if mode.stuck[i]:
                continue
            if e.contact < 0:
                braking[e.rows] = e.kinetic
            elif mode.touching[e.contact] and not (e.with_axle and mode.spinning[e.contact]):
                rubbing[e.rows] = friction.kinetic[i]
                if e.massless:
                    sideways.append((i, e, int(np.flatnonzero(elements.pulled == e.contact)[0])))
        carrying = mode.touching / self.rover.arrangement.compliance
        geometry = None if self._placed is None else self._geometry_in_place(self._placed, carrying)
        spins = mode.spinning[elements.pulled]
        if len(self._of) > 200:
            self._of.clear()
        found = self._of[mode.key] = Decided(
            rows, groups, np.array(stuck, dtype=np.intp), np.array([every[i].stiffness for i in stuck]), rubbing,
            braking, sideways, spins != 0, spins * friction.contacts["sliding"][elements.pulled],
            self._placed is not None or not np.isin(rows, elements.turning).any(), carrying, geometry, friction,
            np.array([self.resisting_arm(k) * friction.contacts["rolling"][k] for k, _, _ in self.layout.resisting])
        )
        return found

    def basis(self, D: Floats, mode: Mode) -> Holding:
        """The stuck elements' rows over the free speeds, made independent."""
        of = self.decided(mode)
        known = self._held.get(mode.key)
        if known is not None and of.steady:
            return known
        rows = D[of.rows]
        if known is not None and (known.held_rows == rows[:, self.free]).all():
            return known
        if len(self._held) > 200:
            self._held.clear()
        known = self._held[mode.key] = holding(rows, of.rows, of.stiffness[of.groups.of_row], self.free, self.fixed)
        return known

    def held_by(self, mode: Mode, of: Decided, geometry: Floats) -> Holding:
        known = self._held.get(mode.key)
        return known if known is not None and of.steady else self.basis(self.rows_in(geometry), mode)

    # All together

    def evaluate(self, at: Input, mode: Mode) -> Outcome:
        """Accelerations and forces in a state."""
        self.evaluations += 1
        self.spend(1)
        of = self.decided(mode)
        geometry = self.geometry(at, of)
        held = self.held_by(mode, of, geometry)
        change = None if of.steady else self.change(at, geometry)
        given, asked = self.pushed(at.tau, at.wheel_torques, of, geometry)
        strife = 0.0
        if change is not None or len(self.fixed):
            given, strife = self._with_first(at, of, held, geometry, change, given)
        numbers = self.numbers_of(at, mode, of, held)
        equations = self._equations(at, at.external)
        arguments = np.array([at.heading]), at.U, equations, geometry, given
        row = self.solved(arguments, numbers)
        if of.sideways:
            row = self._with_sideways(arguments, numbers, row, asked, of, mode)
        if strife:
            strife /= _ROUNDING * (1.0 + float(np.abs(row[self.layout.result.at["Udot"]]).max()))
        outcome = Outcome(self, Evaluated(at, mode, of, held, geometry, equations, asked, change), row, strife)
        if at.external:
            outcome.applied = self._bias_against(self._equations(at, None), equations)
        if at.in_space is not None:
            still = self._equations(at._replace(in_space=None), at.external)
            outcome.carried = self._bias_against(still, equations)
        return outcome

    def _bias_against(self, without: Floats, equations: Floats) -> Floats:
        """(speeds,): forces that equations have, and those without them not."""
        h, result = self.layout.equations.h, np.zeros(self.elements.size)
        result[: BASE + self.rover.n] = without[h] - equations[h]
        return result

    def pushed(
        self, tau: Floats, wheel_torques: Floats, of: Decided, geometry: Floats
    ) -> tuple[Floats, Floats]:
        """The row of `Layout.given`, and forces along their tractions that drives ask for."""
        key = tau, wheel_torques, of
        known = self._given_row
        if known is not None and known[0][0] is tau and known[0][1] is wheel_torques and known[0][2] is of:
            return known[1], known[2]
        parts, elements, n = self.layout.given, self.elements, self.rover.n
        row, asked = np.zeros(parts.size), self._none
        row[BASE : BASE + n] = tau
        if self.drives.torques:
            wheels = row[parts.at["wheels"]]
            wheels[BASE + n :] = elements.members @ wheel_torques
            # tau + sum of spin f = 0 of a wheel without inertia: its drive pushes along its traction.
            asked = wheel_torques[elements.pulled] / -elements.pulls.spin
            if len(asked):
                wheels += np.where(of.lost, 0.0, asked) @ self._tractions_in(geometry)
                row[parts.at["asked"]] = asked
        if not (self.drives.torques and len(asked) and of.geometry is None):  # tractions may turn
            self._given_row = key, row, asked
        return row, asked

    def _with_first(
        self, at: Input, of: Decided, held: Holding, geometry: Floats, change: Floats | None, given: Floats
    ) -> tuple[Floats, float]:
        """The row of `Layout.given` with the accelerations that are given and that what sticks asks for, and how far
        it cannot have them.
        """
        if change is None and (at.given is self.nothing_given or not at.given.any()):
            return given, 0.0
        first = np.zeros(self.elements.size)
        first[self.fixed] = at.given[self.fixed]
        demand = -self.rows_in(geometry)[of.rows] @ first
        if change is not None:
            demand -= change[of.rows]
        wanted = held.L_inverse @ demand
        first[self.free] = wanted @ held.B
        given = given.copy()
        given[self.layout.given.at["first"]] = first
        return given, float(np.abs(demand - held.L @ wanted).max()) if held.redundant else 0.0

    def numbers_of(self, at: Input, mode: Mode, of: Decided, held: Holding) -> Floats:
        """The row of `Layout.mode`."""
        known = self._mode_row
        if known is not None and known[0] is mode and known[1] is held:
            return known[2]
        braking, static, shares = of.braking, of.friction.static, np.zeros((self.elements.count, len(self.free)))
        shares[of.rows] = held.per_held
        if at.brakes is not None:
            braking, static = braking.copy(), static.copy()
            for i, row, torque in self.braking(at):
                braking[row] *= torque
                static[i] = torque
        numbers = np.concatenate([held.Z.ravel(), held.idle, held.along_given.ravel(), of.rubbing, braking,
                                  mode.directions, of.pulling, of.resisting, shares.ravel(), static, self._constants])
        if at.brakes is None:
            self._mode_row = mode, held, numbers
        return numbers

    def solved(self, arguments: tuple[Floats, ...], numbers: Floats) -> Floats:
        """The row of `Layout.result`."""
        row: Floats = self._motion(*arguments, numbers)
        return row if row[-1] < _ILL else self._in_another_order(row, arguments, numbers)

    def _in_another_order(self, row: Floats, arguments: tuple[Floats, ...], numbers: Floats) -> Floats:
        """The same where elimination met a small pivot: along other directions, which have none but by chance."""
        parts, numbers = self.layout.mode, numbers.copy()
        Z = numbers[parts.at["Z"]].reshape(parts.shape["Z"])
        left = int(len(Z) - numbers[parts.at["idle"]].sum())
        turned = np.linalg.qr(np.random.default_rng(0).standard_normal((left, left)))[0]
        Z[:, :left] = Z[:, :left] @ turned
        numbers[parts.at["Z"]] = Z.ravel()
        other: Floats = self._motion(*arguments, numbers)
        if other[-1] < row[-1] or not row[-1] < np.inf:
            row = other
        if not row[-1] < np.inf and all(np.isfinite(part).all() for part in arguments):
            raise ModelError(SINGULAR)
        return row

    def held_to(self, at: Input, mode: Mode) -> Input:
        """The same with the speeds nearest to those of `at` in which nothing slips that sticks: an integrator adds up
        its errors there, and given rates have theirs as differences.
        """
        of = self.decided(mode)
        if not len(of.rows):
            return at
        if of.steady:
            held = self._held.get(mode.key) or self.held_by(mode, of, self.geometry(at, of))
        else:
            geometry = self.geometry(at, of)
            slip = self.rows_in(geometry)[of.rows] @ at.U
            if slip.dot(slip) <= _NO_SLIP**2:  # rows that turn may hold more from one state to the next
                return at
            held = self.held_by(mode, of, geometry)
            # Casters go on as they did: where rows that nearly fall together hold the base, the integrator sees it.
            at = at._replace(swivel=geometry[self.layout.geometry.at["casters"]])
        U = at.U - held.off.dot(at.U)
        return Input(at.q, self.speeds_of_joints(U, at.qd), at.heading, U, *at[4:])

    def speeds_of_joints(self, U: Floats, qd: Floats) -> Floats:
        """(n,): qd of speeds U near those of `qd`."""
        return U[BASE : BASE + self.rover.n]

    def without_loops(self, reaction: Floats) -> Floats:
        """Forces along speeds that are given, without those of loops: here there are none."""
        return reaction

    def pulling(self, asked: Floats, sliding: Floats, normal: Floats, of: Decided, mode: Mode) -> Floats:
        """(pulled,): force along their traction of wheels whose rates follow from their rolling, by what drives ask for
        and by what resists while it moves; of those that spin, their friction.
        """
        each = asked + self.resists_axle @ sliding
        return np.where(of.lost, of.pulling * normal[self.elements.pulled], each) if of.lost.any() else each

    def _with_sideways(
        self, arguments: tuple[Floats, ...], numbers: Floats, row: Floats, asked: Floats, of: Decided, mode: Mode
    ) -> Floats:
        """Solved where wheels whose rates follow from their rolling slide sideways: the whole friction of such a wheel
        is mu N, so that what it pulls and what it holds across depend on each other.
        """
        # Always from the same beginning: there may be two solutions, and it must not depend on what was asked before.
        strength, result, numbers = of.rubbing.copy(), self.layout.result, numbers.copy()
        passed: dict[int, list[float]] = {i: [] for i, _, _ in of.sideways}
        for _ in range(_PASSES):
            normal = row[result.at["normal"]]
            pulling = self.pulling(asked, row[result.at["sliding"]], normal, of, mode)
            worst = 0.0
            for i, e, wheel in of.sideways:
                N = float(normal[e.contact])
                if N <= 0:
                    continue  # beyond tipping or lifting, which is looked at next
                old = float(strength[e.rows.start])
                most = float(of.friction.kinetic[i])
                new = float(np.sqrt(max(most**2 - (pulling[wheel] / N) ** 2, 0.0)))
                worst = max(worst, abs(new - old))
                strength[e.rows] = _ahead(passed[i], old, new, most)
            if worst < _SETTLED:
                break
            numbers[self.layout.mode.at["rubbing"]] = strength
            row = self.solved(arguments, numbers)
        return row

    def braking(self, at: Input) -> list[tuple[int, int, float]]:
        """Of every brake: its element, its row, and the torque with which it slips."""
        if not self._brakes or at.brakes is None:
            return []
        return [(i, row, max(float(members @ at.brakes), least)) for i, row, members, least in self._brakes]

    def limits(self, normal: Floats, pull: Floats, at: Input, friction: Coefficients) -> Floats:
        """(elements,): most that each can hold, were it at rest."""
        limits: Floats = friction.static * (self._of_contact.dot(np.maximum(normal, 0.0)) + self._of_none)
        for i, _, torque in self.braking(at):
            limits[i] = torque
        those = self._massless
        if len(those):
            pulls = pull[self._pulling_contacts]
            limits[those] = np.sqrt(np.maximum(limits[those] ** 2 - pulls * pulls, 0.0))
        return limits

    def shared(self, row: Floats, held: Holding, mode: Mode, of: Decided, limits: Callable[[], Floats]) -> Shares:
        """How the stuck elements share what they hold, of a row of `Layout.result`."""
        result = self.layout.result
        forces = row[result.at["elastic"]][of.rows]
        if row[result.at["beyond"].start] == 0.0:
            return Shares(forces, 1.0, self._none_slips)
        none = self._none_slips.copy()
        if not held.L.shape[1]:
            return Shares(forces, 1.0, none)
        along, most = row[result.at["held"]][self.free], limits()[of.elements]
        if (of.groups.sizes(forces) <= most * (1.0 + HELD)).all():
            return Shares(forces, 1.0, none)
        most = np.maximum(most, 1e-12 * max(float(most.max()), 1e-300))
        # Columns of one size, however weak some are.
        values = np.sqrt((held.L * held.L).sum(axis=0))
        left, asked = held.L / values, held.B @ along / values
        start = self._crept.get(mode.key)
        if start is None or len(start) != len(asked):
            start = left.T @ (forces / of.stiffness[of.groups.of_row])
        near = creep_on(left, of.groups, of.stiffness, most, asked, start)
        if near is None:
            found = creep(left[None], of.groups, of.stiffness[None], most[None], asked[None], start[None])
            near = Crept(found.x[0], found.forces[0], float(found.stretch[0]) if found.holds[0] else np.inf)
        if near.stretch < np.inf:
            self._crept = {mode.key: near.x}
            return Shares(near.forces, 1.0 / max(near.stretch, 1.0), none)
        needed = friction_needed(left, of.groups, most, asked, self._slipping.get(mode.key))
        self._slipping = {mode.key: needed.moves}
        none[of.elements] = needed.moves
        return Shares(needed.forces, 1.0 - needed.factor, none)


def _ahead(passed: list[float], old: float, new: float, most: float) -> float:
    """Where an iteration from an old value to a new one leads (Aitken), every other time; else the new value."""
    passed.append(old)
    if len(passed) % 2 == 0:
        first, second = passed[-2], old
        bend = new - 2 * second + first
        if bend and abs(new - second) < abs(second - first):
            return min(max(new - (new - second) ** 2 / bend, 0.0), most)
    return new


def brakes_of(rover: Rover, elements: Elements) -> list[tuple[int, int, Floats, float]]:
    """Elements of brakes, their rows, the contacts (contacts,) whose brakes they are, and the least torque."""
    weight = rover.ground.gravity * sum(link.inertia.mass for link in rover.robot.links)
    tractions = rover.arrangement.tractions
    return [(i, e.rows.start, elements.members[list(elements.spinning).index(e.axle)],
             RELEASED * weight * abs(float(tractions.spin[tractions.contact == e.axle][0])))
            for i, e in enumerate(elements.all) if e.axle >= 0]


__all__ = [
    "CREEP", "RELEASED", "SLOW", "ContactForces", "Decided", "Input", "Key", "Mode", "Outcome", "Shares", "brakes_of",
]
