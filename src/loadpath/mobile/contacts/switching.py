"""When contacts change what they do, and what they do next: stick or slide, touch or lift."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from loadpath.mobile.contacts.forces import CREEP, SLOW, ContactForces, Input, Mode, Outcome
from loadpath.mobile.contacts.least_motion import least_motion
from loadpath.mobile.contacts.patches_under import left_on, patches_under
from loadpath.mobile.contacts.sharing import groups_of
from loadpath.mobile.contacts.system import solved
from loadpath.mobile.normals import supported
from loadpath.scalars.types import Bools, Floats

REST = 1e-9
"""Slip (m/s, rad/s) at which a sliding element is looked at: it stops, or turns round."""
STILL = 1e-6
"""Slip up to which an element counts as at rest then."""
BREAKAWAY = 1e-9
"""Share by which holding forces must exceed their limits: more than rounding, less than matters."""
NEARLY = 1e-6
"""Share of its friction by which a wheel without spin inertia spins before its drive takes all of it: what is left for
holding sideways is a square root there, too steep to follow."""
_ROUNDS = 60
_AS_MANY = 5
"""Evaluations that take as long as one search for the least motion."""
_ROUNDING = 1e-12
_LESS = 0.99
"""Share of its friction with which what slides in the plane counts as one that creeps."""
_AT_ONCE = 1e-5
"""Time (s) within which friction stops what counts as at rest."""


@dataclass(frozen=True)
class Settled:
    """A mode that goes with a state."""

    mode: Mode
    outcome: Outcome
    U: Floats
    """The speeds, with the slip of what sticks taken out."""
    tips: bool
    impulse: Floats
    """(rows,): impulses of friction (N s) that took it out."""


class Margins(NamedTuple):
    """What is left until something changes; negative beyond."""

    holding: Floats
    """(1,): until what sticks cannot hold any more."""
    together: Floats
    """(1,): until what sticks cannot stick together any more, whatever holds it: a wheel that is driven and one that
    stands by its rolling resistance."""
    sliding: Floats
    """(elements,): until a sliding element stops or turns round."""
    touching: Floats
    """(contacts,): until a contact lifts or lands."""
    spinning: Floats
    """(contacts,): until the drive of a wheel without spin inertia makes it spin, or no longer does."""
    crossing: Floats
    """(contacts,): path (m) until a contact leaves its patch of friction, or comes onto another; nothing where the
    ground has none."""

    def element_of(self, number: int) -> int | None:
        """The element whose sliding has a number among all margins in a row."""
        first = len(self.holding) + len(self.together)
        return number - first if first <= number < first + len(self.sliding) else None


class _Watched(NamedTuple):
    """What the margins of a mode are computed with."""

    mode: Mode
    holds: bool
    """Whether anything sticks."""
    rest: Floats
    """(elements,): what is added to the slip of what slides; infinite where nothing is watched."""
    lifted: bool
    spins: bool


@dataclass
class _Trial:
    """A mode that is tried in a state, and what has happened to it so far."""

    at: Input
    mode: Mode
    outcome: Outcome
    at_rest: Bools
    """(elements,): which have no slip to speak of."""
    tips: bool = False
    began: set[int] = field(default_factory=set)
    """Elements that have been let go."""
    lost: set[int] = field(default_factory=set)
    """Wheels that have lost their grip to their drives at this moment: they do not find it again at the same moment."""


class Switching:
    """The rules by which modes follow each other."""

    def __init__(self, forces: ContactForces) -> None:
        self.forces = forces
        self.elements = forces.elements.all
        self._torques = np.zeros(len(forces.rover.contact_names))
        self._ground = forces.rover.ground
        self._stands: Floats | None = None
        self._watched: _Watched | None = None
        self._member = np.zeros((forces.elements.count, len(self.elements)))
        for i, e in enumerate(self.elements):
            self._member[e.rows, i] = 1.0
        self._pairs = [(i, e.rows) for i, e in enumerate(self.elements) if e.count == 2]

    # What happens next

    def margins(self, outcome: Outcome, mode: Mode) -> Floats:
        """All margins in a row: see `Margins`."""
        return np.concatenate(self.named_margins(outcome, mode))

    def named_margins(self, outcome: Outcome, mode: Mode) -> Margins:
        """What is left until something changes."""
        watched = self._watched
        if watched is None or watched.mode is not mode:
            watched = self._watched = self._watch(mode)
        holding = np.array([outcome.shares.reserve + BREAKAWAY if watched.holds else np.inf])
        together = np.array([2.0 - outcome.strife])
        sliding = outcome.along + watched.rest
        # Beyond what `_touching` takes for rounding, so that it sees what was seen here.
        touching = outcome.loaded + 2 * _ROUNDING
        if watched.lifted:
            deepest = max(float(np.abs(outcome.sinkage).max()), 1e-300)
            touching = np.where(mode.touching, touching, 2 * _ROUNDING - outcome.sinkage / deepest)
        spinning = np.full(len(mode.touching), np.inf)
        friction = outcome.friction.contacts
        driven = watched.spins or (self.forces.drives.torques and self._torques.any())
        for k in self.forces.elements.pulled if driven else ():
            N = max(float(outcome.normal[k]), 0.0)
            if mode.spinning[k]:
                spinning[k] = self._spins(int(k), outcome, mode) - friction["sliding"][k] * N * (1 - 8 * NEARLY)
            elif self._torques[k]:
                spinning[k] = self._grip(k, outcome, mode) * N * (1 - NEARLY) - abs(outcome.pull[k])
        crossing = np.zeros(0) if self._stands is None else left_on(self._ground, self._stands, mode.under)
        return Margins(holding, together, sliding, touching, spinning, crossing)

    def _watch(self, mode: Mode) -> _Watched:
        rest = np.full(len(self.elements), np.inf)
        for i in np.flatnonzero(~mode.stuck).tolist():
            if self._idle(i, mode):
                continue
            if self.elements[i].count == 1:
                rest[i] = -REST if mode.armed[i] else REST
            elif mode.armed[i]:  # what just begins to slide in the plane may creep backwards, see `creeping`
                rest[i] = -CREEP
        return _Watched(mode, bool(mode.stuck.any()), rest, not mode.touching.all(), bool(mode.spinning.any()))

    def of_drives(self, mode: Mode) -> Bools:
        """Which of the margins are those of wheels that a drive makes spin. Such a wheel may have two ways to go on,
        spinning or not, since its side force shifts the load: then it keeps the one it has.
        """
        contacts = len(mode.touching)
        first = 2 + len(self.elements) + contacts
        result = np.zeros(first + contacts + len(mode.under), dtype=bool)
        result[first : first + contacts] = True
        return result

    def notice(self, at: Input) -> None:
        """Take notice of the torques of wheels, and of where contacts stand."""
        self._torques, self._stands = at.wheel_torques, at.stands

    def _idle(self, i: int, mode: Mode) -> bool:
        """Whether an element belongs to the axle of a wheel that spins without grip, or has no friction where its
        contact stands.
        """
        e = self.elements[i]
        spins = e.contact >= 0 and e.with_axle and bool(mode.spinning[e.contact])
        return spins or bool(self.forces.elements.coefficients(mode.under).without[i])

    def _spins(self, k: int, outcome: Outcome, mode: Mode) -> float:
        """Force along its traction that drive and rolling resistance ask of a wheel that spins, in the sense of its
        pull: tau + sum of spin f = 0, the resistance of the axle being mu_r N against its rolling.
        """
        elements = self.forces.elements
        spin = float(elements.pulls.spin[int(np.flatnonzero(elements.pulled == k)[0])])
        torque = float(self._torques[k])
        for i, e in enumerate(self.elements):
            if e.rolls and e.with_axle and e.contact == k:
                resists = float(outcome.friction.kinetic[i]) * max(float(outcome.normal[k]), 0.0)
                own = elements.own.spin[e.rows]
                torque -= float(resists * own @ np.sign(outcome.slip[e.rows]))
        return -torque / spin * float(mode.spinning[k])

    def _grip(self, k: int, outcome: Outcome, mode: Mode) -> float:
        """Friction coefficient of a wheel without spin inertia: if it slides sideways, its drive has no more."""
        slides = any(e.massless and e.contact == k and not mode.stuck[i] for i, e in enumerate(self.elements))
        return float(outcome.friction.contacts["sliding" if slides else "static"][k])

    # What follows

    def settle(self, at: Input, before: Mode | None, creeping: Collection[int] = ()) -> Settled:
        """The mode of a state, from the mode before it: what moves slides, what is at rest sticks if it can. Elements
        that are `creeping` count as at rest.

        If all that is at rest can stick, it does. Else friction at rest is that which leaves least motion, each within
        its circle (Gauss' principle of least constraint), for the normal forces that go with it.
        """
        self.notice(at)
        mode, moves = self._first_guess(at, before, creeping)
        trial = _Trial(at, mode, self.forces.evaluate(at, mode), mode.stuck)
        beyond = self._overloaded(trial)
        self._press(trial)
        if (self._overloaded(trial) or (trial.tips and beyond)) and not self._break_away(trial):
            self._start(trial, mode)
            if self._overloaded(trial) and not self._break_away(trial):  # by rounding: some hold all that they can
                trial.began |= {int(i) for i in np.flatnonzero(trial.mode.stuck & trial.outcome.shares.slips)}
                self._start(trial, mode)
                self._let_go(trial)
        mode, outcome = trial.mode, trial.outcome
        if trial.tips:  # nothing asks for more than friction gives, and no normal forces balance
            return Settled(mode, outcome, at.U, tips=True, impulse=np.zeros(len(outcome.D)))
        U, impulse = self._without_slip(at, mode, outcome)
        mode = replace(mode, armed=np.where(mode.stuck, False, moves))
        return Settled(mode, self.forces.evaluate(at._replace(U=U), mode), U, tips=False, impulse=impulse)

    def _first_guess(self, at: Input, before: Mode | None, creeping: Collection[int]) -> tuple[Mode, Bools]:
        """All at rest sticks, all that touched touches; and which elements move."""
        contacts = len(self.forces.rover.contact_names)
        slip = self.forces.matrix(at.angles) @ at.U
        speed = np.array([float(np.hypot.reduce(slip[e.rows])) for e in self.elements])
        stuck = speed <= STILL
        stuck[list(creeping)] = True
        if before is not None:
            stuck |= before.stuck
        direction = tuple(
            slip[e.rows] / speed[i] if speed[i] > 0 else np.eye(e.count)[0] for i, e in enumerate(self.elements)
        )
        touching = np.ones(contacts, dtype=bool) if before is None else before.touching.copy()
        spinning = np.zeros(contacts) if before is None else before.spinning.copy()
        under = self._under(at, before)
        return Mode(stuck, direction, touching, spinning, ~stuck, under), np.asarray(speed > STILL)

    def _under(self, at: Input, before: Mode | None) -> tuple[int, ...]:
        """Numbers of the patches on which contacts stand."""
        if at.stands is None:
            return ()
        return patches_under(self._ground, at.stands, () if before is None else before.under)

    def _try(self, trial: _Trial, mode: Mode) -> None:
        trial.mode, trial.outcome = mode, self.forces.evaluate(trial.at, mode)

    # What presses on the ground: each corrects the trial and says whether it did

    def _press(self, trial: _Trial) -> None:
        """Contacts touch or lift, wheels of drives grip or spin, what is in the air holds nothing."""
        for _ in range(_ROUNDS):
            self._touches_right(trial)
            if not self._spins_right(trial) and not self._in_the_air(trial):
                break

    def _touches_right(self, trial: _Trial) -> None:
        """Contacts that would pull lift, those that sink in land, and stick if they are at rest. The trial tips where
        too few would be left.
        """
        seen: set[bytes] = set()
        trial.tips = False
        while True:
            mode, outcome = trial.mode, trial.outcome
            weight = max(float(np.abs(outcome.normal).sum()), 1e-300)
            sunk = outcome.sinkage > _ROUNDING * float(np.abs(outcome.sinkage).max())
            pulls = mode.touching & (outcome.normal < -_ROUNDING * weight)
            lands = ~mode.touching & sunk
            seen.add(mode.touching.tobytes())
            if not pulls.any() and not lands.any():
                break
            if pulls.any():
                touching = mode.touching.copy()
                touching[int(np.where(pulls, outcome.normal, 0.0).argmin())] = False
            else:
                touching = mode.touching | lands
            if touching.tobytes() in seen:
                break
            if not supported(outcome.placed.points, touching):
                trial.tips = True
                break
            lands &= touching
            landed = np.array([e.contact >= 0 and bool(lands[e.contact]) for e in self.elements], dtype=bool)
            self._try(trial, replace(mode, touching=touching, stuck=mode.stuck | (landed & trial.at_rest)))

    def _spins_right(self, trial: _Trial) -> bool:
        """Wheels without spin inertia spin whose drives ask for more than their friction, and grip again else."""
        mode, outcome, friction = trial.mode, trial.outcome, trial.outcome.friction.contacts
        spinning = mode.spinning.copy()
        for k in (int(k) for k in self.forces.elements.pulled):
            N = max(float(outcome.normal[k]), 0.0) if mode.touching[k] else 0.0
            if spinning[k]:
                enough = friction["sliding"][k] * N * (1 - 4 * NEARLY)
                if k not in trial.lost and self._spins(k, outcome, mode) < enough:
                    spinning[k] = 0.0
            elif self._torques[k] and abs(outcome.pull[k]) > self._grip(k, outcome, mode) * N * (1 - 2 * NEARLY):
                spinning[k] = np.sign(outcome.pull[k])
                trial.lost.add(k)
        if not (spinning != mode.spinning).any():
            return False
        self._try(trial, replace(mode, spinning=spinning))
        return True

    def _in_the_air(self, trial: _Trial) -> bool:
        """What carries nothing or has no friction holds nothing, nor what belongs to the axle of a wheel that spins."""
        mode = trial.mode
        loose = np.array([e.contact >= 0 and (not mode.touching[e.contact] or self._idle(i, mode))
                          for i, e in enumerate(self.elements)], dtype=bool)
        if not (mode.stuck & loose).any():
            return False
        self._try(trial, replace(mode, stuck=mode.stuck & ~loose))
        return True

    # What begins to slide

    def _overloaded(self, trial: _Trial) -> bool:
        """Whether what sticks cannot stick together, or not by the friction that there is."""
        outcome = trial.outcome
        return bool(trial.mode.stuck.any()) and (
            not outcome.consistent or outcome.shares.reserve < -BREAKAWAY / 2
        )

    def _break_away(self, trial: _Trial) -> bool:
        """Let go what slips where the load just exceeds what friction holds, and say whether it does go its way, and
        all else holds: then nothing else needs to be looked for. Where it does not, the trial stays as it is.
        """
        mode, outcome = trial.mode, trial.outcome
        if trial.tips or not outcome.consistent or not mode.stuck.any():
            return False
        slips = [int(i) for i in np.flatnonzero(mode.stuck & outcome.shares.slips)]
        stuck, direction = mode.stuck.copy(), list(mode.direction)
        for i in slips:
            stuck[i] = False
            f = outcome.forces[self.elements[i].rows]
            size = float(np.hypot.reduce(f))
            direction[i] = -f / size if size > 0 else direction[i]
        self._try(trial, replace(mode, stuck=stuck, direction=tuple(direction)))
        rates = trial.outcome.slip_rate
        least = 1e-7 * (1.0 + float(np.abs(rates).max(initial=0.0)))
        off = [self._off(direction[i], rates[self.elements[i].rows]) for i in slips]
        presses = (trial.outcome.normal[trial.mode.touching] > 0).all() and (trial.outcome.sinkage[
            ~trial.mode.touching] < 0).all()
        if slips and max(off) < least and presses and not self._overloaded(trial) and not self._spins_right(trial):
            return True
        trial.mode, trial.outcome = mode, outcome
        return False

    def _let_go(self, trial: _Trial) -> None:
        """What moves so little that it counted as sticking, and would take any force to stick, slides against that: a
        caster that has hardly swivelled, and whose rolling a turn of the base hardly asks for.
        """
        for _ in self.elements:
            mode, outcome = trial.mode, trial.outcome
            failing = mode.stuck & outcome.shares.slips
            if trial.tips or not outcome.consistent or not self._overloaded(trial) or not failing.any():
                return
            direction = list(mode.direction)
            for i in np.flatnonzero(failing).tolist():
                f = outcome.forces[self.elements[i].rows]
                direction[i] = -f / max(float(np.hypot.reduce(f)), 1e-300)
            self._try(trial, replace(mode, stuck=mode.stuck & ~failing, direction=tuple(direction)))

    @staticmethod
    def _off(direction: Floats, rate: Floats) -> float:
        """By how much a rate of slip is not along a direction."""
        along = max(float(direction @ rate), 0.0)
        return float(np.hypot.reduce(rate - along * direction))

    def _start(self, trial: _Trial, first: Mode) -> None:
        """All that is at rest begins to move, or stays, as friction within its limits leaves least motion: for the
        normal forces of that, from where it stood on the ground.
        """
        resting = {int(i) for i in np.flatnonzero(first.stuck)}
        self._try(trial, replace(first, stuck=np.zeros_like(first.stuck)))
        slow = self._slow(trial.outcome, first)
        trial.lost.clear()
        for _ in range(_ROUNDS):
            self._touches_right(trial)
            pressed = self._spins_right(trial)
            mode, changed = self._least(trial, resting, slow)
            if not changed and not pressed:
                return
            self._try(trial, mode)

    def _slow(self, outcome: Outcome, mode: Mode) -> set[int]:
        """Elements that slide in the plane so slowly that their direction may change at once."""
        return {i for i, rows in self._pairs if not mode.stuck[i] and math.hypot(*outcome.slip[rows].tolist()) < SLOW}

    def gets_going(self, outcome: Outcome, mode: Mode, turned: float) -> Mode | None:
        """The mode with what has got going armed, and what has turned so far that the cosine of its direction to the
        mode's is less than `turned` directed anew; None where there is neither.
        """
        slip = outcome.slip
        speed = np.sqrt((slip * slip).dot(self._member))
        armed = mode.armed | (~mode.stuck & (speed > STILL))
        those = [(i, rows) for i, rows in self._pairs if armed[i] and not mode.stuck[i]
                 and mode.direction[i].dot(slip[rows]) < turned * speed[i]]
        if not those and (armed == mode.armed).all():
            return None
        direction = list(mode.direction)
        for i, rows in those:
            direction[i] = slip[rows] / speed[i]
        return replace(mode, armed=armed, direction=tuple(direction))

    def slides_in_plane(self, mode: Mode) -> bool:
        """Whether anything does."""
        return any(not mode.stuck[i] for i, _ in self._pairs)

    def decay(self, outcome: Outcome, mode: Mode) -> tuple[float, float]:
        """Rate (1/s) at which slip across its direction decays, of the fastest element: friction over the slip, times
        what moves of the element per unit of force, D M^-1 D^T. And the slowest slip in the plane (m/s).
        """
        free, fastest, slowest = self.forces.free, 0.0, math.inf
        those = [(i, rows) for i, rows in self._pairs if not mode.stuck[i] and self._presses(i, outcome, mode)]
        if not those:
            return 0.0, math.inf
        inverse = np.linalg.inv(outcome.M[np.ix_(free, free)])
        for i, rows in those:
            D, N = outcome.D[rows][:, free], float(outcome.normal[self.elements[i].contact])
            slip = max(math.hypot(*outcome.slip[rows].tolist()), CREEP)
            moves = float(np.einsum("ij,jk,ik->", D, inverse, D))
            fastest = max(fastest, float(outcome.friction.kinetic[i]) * N * moves / slip)
            slowest = min(slowest, slip)
        return fastest, slowest

    def creeping(self, outcome: Outcome, mode: Mode) -> list[int]:
        """Elements that slide in the plane with less than their friction: at rest but for what `CREEP` allows."""
        return [i for i, rows in self._pairs if not mode.stuck[i] and not self._idle(i, mode)
                and math.hypot(*outcome.slip[rows].tolist()) < CREEP
                and math.hypot(*outcome.sliding[rows].tolist()) < _LESS * self._limit(i, outcome, kinetic=True)]

    def _least(self, trial: _Trial, resting: set[int], slow: set[int]) -> tuple[Mode, bool]:
        """The mode of least motion for the normal forces of a trial, and whether it is another one. What is `slow`
        has gone its way at once: its friction is against where it goes, not where it comes from.
        """
        mode, outcome, free = trial.mode, trial.outcome, self.forces.free
        those = [i for i in sorted(resting | slow) if self._presses(i, outcome, mode)]
        stuck, direction = np.zeros_like(mode.stuck), list(mode.direction)
        if not those:
            return replace(mode, stuck=stuck), bool(mode.stuck.any())
        rows = [np.arange(self.elements[i].rows.start, self.elements[i].rows.stop) for i in those]
        every = np.concatenate(rows)
        groups = groups_of(np.repeat(np.arange(len(rows)), [len(part) for part in rows]), len(rows))
        D, M = outcome.D[np.ix_(every, free)], outcome.M[np.ix_(free, free)]
        a = outcome.Udot[free]
        change = outcome.slip_rate[every] - D @ a
        sliding = np.array([i in slow for i in those])[groups.of_row]
        change += np.where(sliding, outcome.slip[every], 0.0) / _AT_ONCE
        kinetic = slow | trial.began
        limits = np.array([self._limit(i, outcome, kinetic=i in kinetic) for i in those])
        self.forces.spend(_AS_MANY)
        force, _, sticks, _ = least_motion(M, M @ a - outcome.forces[every] @ D, D, change, groups, limits, a)
        off, at_row = 0.0, 0
        for j, i in enumerate(those):
            part = slice(at_row, at_row + self.elements[i].count)
            at_row = part.stop
            size = float(np.hypot.reduce(force[part]))
            stuck[i] = sticks[j] or size == 0.0
            if not stuck[i]:
                off = max(off, float(np.abs(direction[i] + force[part] / size).max()))
                direction[i] = -force[part] / size
        began = {i for i in those if not stuck[i]} - trial.began
        trial.began |= began
        changed = off > 1e-10 or bool((stuck != mode.stuck).any()) or bool(began - slow)
        return replace(mode, stuck=stuck, direction=tuple(direction)), changed

    def _presses(self, i: int, outcome: Outcome, mode: Mode) -> bool:
        k = self.elements[i].contact
        if outcome.friction.without[i]:
            return False
        return k < 0 or (bool(mode.touching[k]) and not mode.spinning[k] and outcome.normal[k] > 0)

    def _limit(self, i: int, outcome: Outcome, *, kinetic: bool) -> float:
        friction = outcome.friction
        share = float(friction.kinetic[i] / friction.static[i]) if kinetic else 1.0
        return float(outcome.limits[i]) * share

    def _without_slip(self, at: Input, mode: Mode, outcome: Outcome) -> tuple[Floats, Floats]:
        """The speeds without the last bit of slip of what sticks, taken out by the least impulse, and that impulse."""
        held = self.forces.basis(outcome.D, mode)
        inverse, B, numbers = held.L_inverse, held.B, held.numbers
        impulse = np.zeros(len(outcome.D))
        if not len(B):
            return at.U, impulse
        free = self.forces.free
        slip = inverse @ outcome.slip[numbers]
        M = outcome.M[np.ix_(free, free)]
        per = solved(M, B.T)
        taken = -solved(B @ per, slip)
        impulse[numbers] = inverse.T @ taken
        U = at.U.copy()
        U[free] += per @ taken
        return U, impulse
