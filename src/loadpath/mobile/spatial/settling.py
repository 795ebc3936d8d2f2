"""What contacts do from a moment on: impacts, and which contacts touch, lift, stick or slide.

An impact is a complementarity problem in impulses p for all contacts at once, with Newton's restitution e_k: after it
0 <= (G U)_k + e_k (G U)_k before it, 0 <= p_k, one of them zero; friction impulses are within sliding friction times
p_k. So the edge on which a block rocked lifts as the other edge lands. Accelerations have the same problem with forces,
among contacts that neither approach nor leave; what slides already has its friction in the columns of the normals.

Where that has no solution (Painleve's paradox: friction presses a sliding contact into the ground faster than the
ground pushes it away), the contact jams: it stops at once, by an impulse without a collision, if one within its
friction can do that.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from loadpath.errors import IntegrationError
from loadpath.mobile.contacts.forces import SLOW, Mode
from loadpath.mobile.contacts.switching import BREAKAWAY, STILL
from loadpath.mobile.spatial.cones import Sets, contact_forces
from loadpath.mobile.spatial.forces import Equations, Outcome, SpatialForces
from loadpath.mobile.spatial.input import Input
from loadpath.mobile.spatial.joint_shares import softened
from loadpath.scalars.types import Bools, Floats, Ints

TOUCHES = 1e-8
"""Gap (m) up to which a rigid contact is on the ground."""
SEPARATES = 1e-9
"""Normal velocity (m/s) from which on a contact leaves the ground, or hits it."""
SETTLES = 1e-7
"""Height (m) that a contact rebounds to below which it stays on the ground: its last energy goes into the impact."""
_ROUNDS, _CONVERGED = 60, 1e-11
_TURNS = 0.4
"""Share of what is slow against which what slides may be directed: less than what ends its mode."""
_SHORTER = (1.0, 0.1, 0.01, 1e-3)
"""Shares of a step that are looked ahead."""
_LEAST = 1e-9
_PULLS = 1e-12
"""Share of all normal forces with which a contact must pull to lift: less than where a step ends for it."""


class Impact(NamedTuple):
    """Speeds after an impact, impulses, and the heat."""

    U: Floats
    normal: Floats
    """(contacts,), N s."""
    heat: float
    given: Floats
    """(speeds,): work of what holds given speeds."""


@dataclass(frozen=True)
class Settled:
    """A mode that goes with a state."""

    mode: Mode
    outcome: Outcome


class _Solution(NamedTuple):
    """Forces and accelerations of the complementarity problem."""

    normal: Floats
    spinning: Floats
    U_dot: Floats
    lifting: Floats
    slip_rate: Floats
    forces: dict[int, Floats]
    """Of the elements at rest."""
    limits: dict[int, float]
    weight: float
    all: Floats
    """Normal forces of those that touch, and all of `forces`."""

    @property
    def fast(self) -> float:
        """Acceleration from which on something moves."""
        return _LEAST * (1.0 + float(np.abs(self.U_dot).max()))


class JamsError(RuntimeError):
    """No forces go with the friction of the contacts; `normal` has those that were tried last."""

    def __init__(self, normal: Floats) -> None:
        super().__init__(JAMS)
        self.normal = normal


class Settling:
    """The rules by which modes follow each other."""

    def __init__(self, forces: SpatialForces) -> None:
        self.forces, self.contacts = forces, forces.contacts
        g = float(np.sqrt(forces.gravity @ forces.gravity))
        self.slowest = float(np.sqrt(2 * g * SETTLES))
        """Rebound (m/s) below which contacts stay on the ground."""
        self._last_ahead: tuple[bytes, Floats] = b"", np.zeros(0)
        """Forces of the last look ahead, near those of the next one, and what was at rest in it."""

    # Impacts

    def impact(self, at: Input, eq: Equations, near: Bools) -> Impact | None:
        """What happens where rigid contacts that are `near` the ground approach it; None where none does."""
        contacts, free, touch = self.contacts, self.forces.free, eq.touch
        rate = touch.gap_rate
        hits = near & (rate < -SEPARATES)
        if not hits.any():
            return None
        numbers = np.flatnonzero(near)
        elements = [i for i, e in enumerate(contacts.every) if e.contact >= 0 and near[e.contact]]
        target = rate + np.where(hits, contacts.restitution * np.minimum(rate, 0.0), 0.0)
        every_row = self._stacked(touch.G, touch.D, numbers, elements)
        b, sets = self._stacked(target, touch.D @ at.U, numbers, elements), self._sets(numbers, elements)
        A, M = every_row[:, free], eq.M[np.ix_(free, free)]
        per = np.linalg.solve(M, A.T)
        W = self._regular(A @ per, numbers, elements)
        p, solved = contact_forces(W, b, sets)
        if not solved:
            raise IntegrationError(f"simulate: at t = {at.t:.6g} s, in an impact, {JAMS}")
        U = at.U.copy()
        U[free] += per @ p
        after = touch.G @ U
        stays = near & (after < self.slowest)
        if stays.any():
            slip = touch.D @ U
            resting = [i for i in elements if stays[contacts.every[i].contact]
                       and float(np.hypot.reduce(slip[contacts.every[i].rows])) <= self.slowest]
            left = np.flatnonzero(stays)
            calm = self._without(U, eq, self._stacked(touch.G, touch.D, left, resting))
            # Wheels whose given rates do not agree cannot all rest: then what approaches the ground goes before.
            agree = float(np.abs(touch.G[stays] @ calm).max()) <= SEPARATES
            U = calm if agree else self._without(U, eq, touch.G[left])
        lost = self._energy(at.U, eq.M) - self._energy(U, eq.M)
        normal = np.zeros(contacts.count)
        normal[numbers] = p[: len(numbers)]
        given = np.zeros(len(U))
        fixed = self.forces.fixed
        if len(fixed):
            change = eq.M[:, free] @ (U - at.U)[free]
            given[fixed] = ((change - p @ every_row) * at.U)[fixed]
        return Impact(U, normal, lost + float(given.sum()), given)

    def _energy(self, U: Floats, M: Floats) -> float:
        return 0.5 * float(U @ M @ U)

    def _without(self, U: Floats, eq: Equations, rows: Floats) -> Floats:
        """The speeds with those along rows taken out by the least impulse."""
        free = self.forces.free
        A = rows[:, free]
        per = np.linalg.solve(eq.M[np.ix_(free, free)], A.T)
        result = U.copy()
        result[free] -= per @ np.linalg.lstsq(A @ per, rows @ U, rcond=1e-10)[0]
        return result

    def at_rest(self, U: Floats, eq: Equations, mode: Mode) -> Floats:
        """The speeds without the last bit of slip and of normal velocity of what sticks and touches."""
        rigid = np.flatnonzero(mode.touching & ~self.contacts.springs)
        stuck = [i for i in range(len(self.contacts.every)) if mode.stuck[i]]
        rows = self._stacked(eq.touch.G, eq.touch.D, rigid, stuck)
        return self._without(U, eq, rows) if len(rows) else U

    # Rows

    def _stacked(self, of_normals: Floats, of_rows: Floats, numbers: Ints, elements: list[int]) -> Floats:
        """What contacts and elements have, one below the other."""
        return np.concatenate([of_normals[numbers], *(of_rows[self.contacts.every[i].rows] for i in elements)])

    def _sets(self, numbers: Ints, elements: list[int]) -> Sets:
        """What the entries of such a stack are, with sliding friction of all contacts that are in it."""
        every = self.contacts.every
        ends = len(numbers) + np.cumsum([0, *(every[i].count for i in elements)])
        groups = tuple(np.arange(ends[i], ends[i + 1]) for i in range(len(elements)))
        place = {int(k): i for i, k in enumerate(numbers)}
        of = np.array([place.get(every[i].contact, -1) for i in elements], dtype=np.intp)
        friction = np.array([every[i].kinetic for i in elements]) * (of >= 0)
        return Sets(np.arange(len(numbers)), groups, np.zeros(len(groups)), friction, np.maximum(of, 0))

    def _regular(self, W: Floats, numbers: Ints, elements: list[int]) -> Floats:
        """W with the compliances of the contacts in proportion, so small that only their ratios matter."""
        every = self.contacts.every
        yields = np.concatenate([self.contacts.compliance[numbers], *(
            np.full(every[i].count, 1.0 / every[i].stiffness) for i in elements)])
        return softened(W, yields, len(numbers))

    # Accelerations

    def touches(self, eq: Equations, before: Mode | None) -> Bools:
        """(contacts,): which are on the ground and may press on it: rigid ones that do not leave it, and springs that
        are pressed in.
        """
        touch, springs = eq.touch, self.contacts.springs
        near = touch.apart <= TOUCHES
        if before is not None:
            near |= before.touching & (touch.reach >= 0)
        pressed = self.forces.sprung.pressed(eq.springs, None if before is None else before.touching)
        result: Bools = np.where(springs, pressed > 0, near & (touch.gap_rate <= SEPARATES))
        return result

    def settle(
        self, at: Input, eq: Equations, before: Mode | None, touches: Bools, creeping: Collection[int] = ()
    ) -> Settled:
        """The mode of a state: of the contacts that may press on the ground, those that do, and what sticks. Elements
        that are `creeping` count as at rest.
        """
        every = self.contacts.every
        slip = eq.touch.D @ at.U
        speed = np.array([float(np.hypot.reduce(slip[e.rows])) for e in every])
        on_ground = np.array([e.contact < 0 or bool(touches[e.contact]) for e in every], dtype=bool)
        rests = on_ground & (speed <= STILL)
        if before is not None:
            rests |= on_ground & before.stuck & (speed <= 1e3 * STILL)
        for i in creeping:
            rests[i] = on_ground[i]
        direction = tuple(self._direction(i, slip[e.rows], float(speed[i]), before) for i, e in enumerate(every))
        mode = Mode(rests, direction, touches.copy(), np.zeros(self.contacts.count), ~rests, self.contacts.under)
        began: set[int] = set()
        for _ in range(20):
            found = self._solve(at, eq, mode, began)
            more = {i for i in np.flatnonzero(rests).tolist() if self._moves(i, found)}
            if more <= began:
                break
            began |= more
        mode = self._decided(mode, found, rests, more)
        mode = replace(mode, armed=np.where(mode.stuck, False, speed > STILL))
        return self._let_go(at, eq, Settled(mode, self.forces.evaluate(at, mode, eq)))

    def _direction(self, i: int, slip: Floats, speed: float, before: Mode | None) -> Floats:
        """Which way an element slides: along its slip, or the way it goes where that is slow (`directed`)."""
        if before is not None and len(slip) == 2 and speed < SLOW and not (before.stuck[i] or before.armed[i]):
            return before.direction[i]
        return slip / speed if speed > 0 else np.eye(len(slip))[0]

    def _let_go(self, at: Input, eq: Equations, settled: Settled) -> Settled:
        """What cannot hold any more, by as little as makes no motion yet, is let go: contacts that would pull lift, and
        what sticks begins to slide against the forces that held it.
        """
        for _ in range(len(self.contacts.every) + self.contacts.count):
            mode, outcome = settled.mode, settled.outcome
            carried = float(np.abs(outcome.normal).sum())
            pulls = mode.touching & ~self.contacts.springs & (outcome.normal < -_PULLS * carried)
            failing = mode.stuck & outcome.shares.slips & (outcome.shares.reserve < -BREAKAWAY / 2)
            if not pulls.any() and not failing.any():
                break
            touching, stuck, direction = mode.touching & ~pulls, mode.stuck.copy(), list(mode.direction)
            for i, e in enumerate(self.contacts.every):
                if e.contact >= 0 and pulls[e.contact]:
                    stuck[i] = False
                elif failing[i] and not pulls.any():
                    force = outcome.forces[e.rows]
                    stuck[i], direction[i] = False, -force / max(float(np.sqrt(force @ force)), 1e-300)
            mode = replace(mode, touching=touching, stuck=stuck, direction=tuple(direction))
            settled = Settled(mode, self.forces.evaluate(at, mode, eq))
        return settled

    def slow(self, slip: Floats, mode: Mode, above: float = -1.0) -> list[int]:
        """Elements that slide in the plane so slowly that their direction may change at once, and faster than `above`
        (m/s).
        """
        return [i for i, e in enumerate(self.contacts.every)
                if e.count == 2 and not mode.stuck[i] and (e.contact < 0 or mode.touching[e.contact])
                and above < math.hypot(*slip[e.rows].tolist()) < SLOW]

    def directed(
        self, at: Input, eq: Equations, mode: Mode, step: float, above: float = -1.0
    ) -> tuple[Mode, list[int]]:
        """The mode in which what slides slowly in the plane does so the way it goes in the next `step` (s), as an
        implicit method has it: its direction changes faster than any other can follow. And what comes to rest in it.
        In a step in which it would turn round and yet is too fast for that now, a shorter one is looked at. What is not
        faster than `above` (m/s) goes the way that the mode says.
        """
        slip = eq.touch.D @ at.U
        slow = self.slow(slip, mode, above)
        if not slow:
            return mode, []
        for share in _SHORTER:
            ahead = self._ahead(at, eq, mode, slip, slow, share * step)
            if ahead is None:
                return mode, []
            directed, stops = ahead
            if all(float(directed.direction[i] @ slip[self.contacts.every[i].rows]) > -_TURNS * SLOW for i in slow):
                break
        return directed, stops

    def _ahead(
        self, at: Input, eq: Equations, mode: Mode, slip: Floats, slow: list[int], step: float
    ) -> tuple[Mode, list[int]] | None:
        """As `directed`, for one step; None where nothing is found."""
        stuck, ahead = mode.stuck.copy(), np.zeros(len(slip))
        for i in slow:
            rows = self.contacts.every[i].rows
            stuck[i], ahead[rows] = True, slip[rows] / step
        same, start = stuck.tobytes() + mode.touching.tobytes(), None
        if self._last_ahead[0] == same:
            start = self._last_ahead[1]
        try:
            found = self._solve(at, eq, replace(mode, stuck=stuck), set(slow), ahead, start)
        except JamsError:
            return None
        self._last_ahead = same, found.all
        direction, armed, stops = list(mode.direction), mode.armed.copy(), []
        for i in slow:
            force, s = found.forces[i], slip[self.contacts.every[i].rows]
            size, speed = math.hypot(*force.tolist()), math.hypot(*s.tolist())
            armed[i] = size < found.limits[i] * (1 - 1e-9)
            if not armed[i]:
                direction[i] = -force / size if size > 0 else direction[i]
            else:
                stops.append(i)
                direction[i] = s / speed if speed > 0 else direction[i]
        return replace(mode, direction=tuple(direction), armed=armed), stops

    def _solve(
        self, at: Input, eq: Equations, mode: Mode, began: set[int], ahead: Floats | None = None,
        start: Floats | None = None,
    ) -> _Solution:
        """Forces for all that is at rest in a mode, with sliding friction for what has `began` to move. Rates of slip
        count from `ahead` (rows,) on. `start` has forces that are near.

        What pulls of wheels without spin inertia, and spins where their drives ask for more than friction, is found by
        repeating the solution: it leaves less for what holds or slides sideways.
        """
        contacts, forces = self.contacts, self.forces
        free, touch, touches = forces.free, eq.touch, mode.touching
        numbers = np.flatnonzero(touches & ~contacts.springs)
        elements = [int(i) for i in np.flatnonzero(mode.stuck)]
        M = eq.M[np.ix_(free, free)]
        A, sets = self._stacked(touch.G, touch.D, numbers, elements), self._sets(numbers, elements)
        further = touch.D_change if ahead is None else touch.D_change + ahead
        change = self._stacked(touch.G_change, further, numbers, elements)
        soft = np.where(touches & contacts.springs, np.maximum(eq.loads, 0.0), 0.0)
        asked, pulled, friction = forces.asked_pull(at), forces.elements.pulled, contacts.friction
        direction = forces.directions(touch.D @ at.U, mode, forces.decided(mode).plane)
        rubbing, braking = forces.rubbing(mode)
        braking, sideways = forces.with_brakes(braking, at), forces.decided(mode).sideways
        weight, normal, x = self._weight(eq), soft.copy(), np.zeros(len(A)) if start is None else start
        solved, spinning = False, np.zeros(contacts.count)
        pull = np.zeros(contacts.count)
        pull[pulled] = np.where(touches[pulled], asked, 0.0)
        for _ in range(_ROUNDS):
            rubs = np.where(forces.member @ np.abs(spinning) > 0, self._not_axles(rubbing), rubbing)
            P = touch.D.T @ (-(rubs * direction)[:, None] * forces.member)
            for i, k in enumerate(pulled):
                P[:, k] += spinning[k] * float(friction.sliding[k]) * touch.pulls[i]
            steady = np.where(spinning[pulled] != 0, 0.0, pull[pulled]) @ touch.pulls if len(pulled) else 0.0
            base = eq.forces - (braking * direction) @ touch.D + (touch.G.T + P) @ soft + steady
            E = A.T.copy()
            E[:, : len(numbers)] += P[:, numbers]
            per = np.linalg.solve(M, np.concatenate([base[free][:, None], E[free]], axis=1))
            U_dot = self._with_free(at.given, per[:, 0])
            W = self._regular(A[:, free] @ per[:, 1:], numbers, elements)
            sets, settles = self._within(sets, elements, began, spinning, normal, pull)
            for i, _, torque in forces.brakes(at):
                if mode.stuck[i]:
                    sets.limits[elements.index(i)] = torque
            per_row = per[:, 1:] if not P[:, numbers].any() else np.linalg.solve(M, A.T[free])
            alone = self._regular(A[:, free] @ per_row, numbers, elements)
            x, solved = contact_forces(W, A @ U_dot + change, sets, x, alone)
            new = soft.copy()
            new[numbers] = x[: len(numbers)]
            moved, normal = float(np.abs(new - normal).max(initial=0.0)), new
            spins = self._spinning(at, asked, normal, touches)
            slides = (spins * friction.sliding * normal)[pulled]
            pull[pulled] = np.where(spins[pulled] != 0, slides, asked * touches[pulled])
            weaker = forces.weaker(rubbing, sideways, normal, pull[pulled])
            same = bool((spins == spinning).all())
            spinning = spins
            if not solved or (same and weaker <= _CONVERGED and (
                    (settles and not spins.any()) or moved <= _CONVERGED * weight)):
                break
        if not solved:
            raise JamsError(normal)
        U_dot[free] += per[:, 1:] @ x
        forces_of = {i: x[group] for i, group in zip(elements, sets.groups, strict=True)}
        limits = dict(zip(elements, sets.within(x), strict=True))
        return _Solution(normal, spinning, U_dot, touch.G @ U_dot + touch.G_change,
                         touch.D @ U_dot + touch.D_change, forces_of, limits, weight, x)

    def _with_free(self, given: Floats, sought: Floats) -> Floats:
        result = given.copy()
        result[self.forces.free] = sought
        return result

    def _within(
        self, sets: Sets, elements: list[int], began: set[int], spinning: Floats, normal: Floats, pull: Floats
    ) -> tuple[Sets, bool]:
        """The limits of elements at rest; and whether they follow from the normal forces that are sought alone."""
        limits, shares, alone = np.zeros(len(elements)), np.zeros(len(elements)), True
        for j, i in enumerate(elements):
            e = self.contacts.every[i]
            share, k = e.kinetic if i in began else e.static, e.contact
            if k < 0:
                limits[j] = share
            elif e.with_axle and spinning[k]:
                continue
            elif self.contacts.springs[k] or (e.massless and pull[k]):
                used = pull[k] if e.massless else 0.0
                limits[j] = np.sqrt(max((share * max(float(normal[k]), 0.0)) ** 2 - used**2, 0.0))
                alone = alone and bool(self.contacts.springs[k])
            else:
                shares[j] = share
        return sets._replace(limits=limits, friction=shares), alone

    def _spinning(self, at: Input, asked: Floats, normal: Floats, touches: Bools) -> Floats:
        """(contacts,): 1 or -1 where the drive of a wheel without spin inertia asks for more than its friction."""
        result = np.zeros(self.contacts.count)
        static = self.contacts.friction.holding
        for i, k in enumerate(self.forces.elements.pulled):
            holds = float(static[k]) * normal[k] if touches[k] else 0.0
            if at.wheel_torques[k] and abs(asked[i]) > holds * (1 - 1e-6):
                result[k] = np.sign(asked[i])
        return result

    def _moves(self, i: int, found: _Solution) -> bool:
        """Whether an element at rest begins to slide."""
        e, force, limit = self.contacts.every[i], found.forces[i], found.limits[i]
        rate = found.slip_rate[e.rows]
        return bool(np.sqrt(rate @ rate) > 1e2 * found.fast and np.sqrt(force @ force) >= limit * (1 - 1e-6))

    def _decided(self, mode: Mode, found: _Solution, rests: Bools, moves: set[int]) -> Mode:
        """The mode of a solution."""
        pressed = (found.normal > _LEAST * found.weight) | (found.lifting <= found.fast) | self.contacts.springs
        touching = mode.touching & pressed
        stuck, direction = np.zeros(len(rests), dtype=bool), list(mode.direction)
        for i in np.flatnonzero(rests).tolist():
            e = self.contacts.every[i]
            stuck[i] = i not in moves and (e.contact < 0 or bool(touching[e.contact]))
            if i in moves:
                force, rate = found.forces[i], found.slip_rate[e.rows]
                size = float(np.sqrt(force @ force))
                direction[i] = -force / size if size > 0 else rate / float(np.sqrt(rate @ rate))
        return replace(mode, stuck=stuck, direction=tuple(direction), touching=touching, spinning=found.spinning)

    def jam(self, at: Input, eq: Equations, touches: Bools, normal: Floats) -> Impact | None:
        """Speeds after contacts that slide have stopped at once, those that are pressed in hardest; None where no
        impulses within their friction do that.
        """
        rigid = touches & ~self.contacts.springs
        if not rigid.any():
            return None
        hardest = rigid & (normal >= 0.1 * float(np.where(rigid, normal, 0.0).max()))
        for chosen in (hardest, rigid):
            numbers = np.flatnonzero(chosen)
            elements = [i for i, e in enumerate(self.contacts.every) if e.grips and chosen[e.contact]]
            rows = self._stacked(eq.touch.G, eq.touch.D, numbers, elements)
            free = self.forces.free
            A = rows[:, free]
            per = np.linalg.solve(eq.M[np.ix_(free, free)], A.T)
            p: Floats = np.asarray(-np.linalg.lstsq(A @ per, rows @ at.U, rcond=1e-10)[0], dtype=float)
            U = at.U.copy()
            U[free] += per @ p
            sets = self._sets(numbers, elements)
            pushes = p[: len(numbers)]
            within = all(float(np.sqrt(p[g] @ p[g])) <= most * (1 + 1e-9)
                         for g, most in zip(sets.groups, sets.within(p), strict=True))
            if (pushes >= -1e-9 * np.abs(p).max()).all() and within and bool((eq.touch.G[rigid] @ U > -1e-9).all()):
                of_all = np.zeros(self.contacts.count)
                of_all[numbers] = pushes
                return Impact(U, of_all, self._energy(at.U, eq.M) - self._energy(U, eq.M), np.zeros(len(U)))
        return None

    def _not_axles(self, rows: Floats) -> Floats:
        result = rows.copy()
        for e in self.contacts.every:
            if e.with_axle:
                result[e.rows] = 0.0
        return result

    def _weight(self, eq: Equations) -> float:
        f = eq.forces[:3]
        return max(float(np.sqrt(f @ f)), float(np.abs(eq.loads).sum()), 1e-9)


JAMS = (
    "no normal forces go with the friction of the contacts: the base jams (Painleve's paradox: friction presses a "
    "contact into the ground faster than the ground pushes it away). Rigid contacts have no answer here; a smaller "
    "friction, or wheels with a stiffness and damping, have one"
)
