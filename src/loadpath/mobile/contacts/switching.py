"""When contacts change what they do, and what they do next: stick or slide, touch or lift."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from loadpath.mobile.contacts.forces import ContactForces, Input, Mode, Outcome
from loadpath.mobile.contacts.least_motion import least_motion
from loadpath.mobile.contacts.sharing import groups_of
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
_AS_MANY = 50
"""Evaluations that take as long as one search for the least motion."""
_ROUNDING = 1e-12


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

    def element_of(self, number: int) -> int | None:
        """The element whose sliding has a number among all margins in a row."""
        first = len(self.holding) + len(self.together)
        return number - first if first <= number < first + len(self.sliding) else None


@dataclass
class _Trial:
    """A mode that is tried in a state, and what has happened to it so far."""

    at: Input
    mode: Mode
    outcome: Outcome
    at_rest: Bools
    """(elements,): which have no slip to speak of."""
    tips: bool = False
    began: Counter[int] = field(default_factory=Counter)
    """How often each element was let go."""
    lost: set[int] = field(default_factory=set)
    """Wheels that have lost their grip to their drives at this moment: they do not find it again at the same moment."""
    settled: bool = False


class Switching:
    """The rules by which modes follow each other."""

    def __init__(self, forces: ContactForces) -> None:
        self.forces = forces
        self.elements = forces.elements.all
        self._torques = np.zeros(len(forces.rover.contact_names))

    # What happens next

    def margins(self, outcome: Outcome, mode: Mode) -> Floats:
        """All margins in a row: see `Margins`."""
        return np.concatenate(self.named_margins(outcome, mode))

    def named_margins(self, outcome: Outcome, mode: Mode) -> Margins:
        """What is left until something changes."""
        holding = np.array([outcome.shares.reserve + BREAKAWAY if mode.stuck.any() else np.inf])
        together = np.array([2.0 - outcome.strife])
        sliding = np.full(len(self.elements), np.inf)
        for i in np.flatnonzero(~mode.stuck):
            e = self.elements[i]
            if not self._idle(int(i), mode):
                along = float(mode.direction[i] @ outcome.slip[e.rows])
                sliding[i] = along - REST if mode.armed[i] else along + REST
        weight = max(float(np.abs(outcome.normal).sum()), 1e-300)
        deepest = max(float(np.abs(outcome.sinkage).max()), 1e-300)
        # Beyond what `_touching` takes for rounding, so that it sees what was seen here.
        touching = 2 * _ROUNDING + np.where(mode.touching, outcome.normal / weight, -outcome.sinkage / deepest)
        spinning = np.full(len(mode.touching), np.inf)
        friction = self.forces.rover.frictions
        for k in self.forces.elements.pulled:
            N = max(float(outcome.normal[k]), 0.0)
            if mode.spinning[k]:
                spinning[k] = self._spins(int(k), outcome, mode) - friction["sliding"][k] * N * (1 - 8 * NEARLY)
            elif self._torques[k]:
                spinning[k] = self._grip(k, mode) * N * (1 - NEARLY) - abs(outcome.pull[k])
        return Margins(holding, together, sliding, touching, spinning)

    def of_drives(self, mode: Mode) -> Bools:
        """Which of the margins are those of wheels that a drive makes spin. Such a wheel may have two ways to go on,
        spinning or not, since its side force shifts the load: then it keeps the one it has.
        """
        result = np.zeros(2 + len(self.elements) + 2 * len(mode.touching), dtype=bool)
        result[2 + len(self.elements) + len(mode.touching) :] = True
        return result

    def notice(self, at: Input) -> None:
        """Take notice of the torques of wheels."""
        self._torques = at.wheel_torques

    def _idle(self, i: int, mode: Mode) -> bool:
        """Whether an element belongs to the axle of a wheel that spins without grip."""
        e = self.elements[i]
        return e.contact >= 0 and e.with_axle and bool(mode.spinning[e.contact])

    def _spins(self, k: int, outcome: Outcome, mode: Mode) -> float:
        """Force along its traction that drive and rolling resistance ask of a wheel that spins, in the sense of its
        pull: tau + sum of spin f = 0, the resistance of the axle being mu_r N against its rolling.
        """
        elements = self.forces.elements
        spin = float(elements.pulls.spin[int(np.flatnonzero(elements.pulled == k)[0])])
        torque = float(self._torques[k])
        for e in self.elements:
            if e.rolls and e.with_axle and e.contact == k:
                resists = e.kinetic * max(float(outcome.normal[k]), 0.0)
                own = elements.own.spin[e.rows]
                torque -= float(resists * own @ np.sign(outcome.slip[e.rows]))
        return -torque / spin * float(mode.spinning[k])

    def _grip(self, k: int, mode: Mode) -> float:
        """Friction coefficient of a wheel without spin inertia: if it slides sideways, its drive has no more."""
        slides = any(e.massless and e.contact == k and not mode.stuck[i] for i, e in enumerate(self.elements))
        return float(self.forces.rover.frictions["sliding" if slides else "static"][k])

    # What follows

    def settle(self, at: Input, before: Mode | None, creeping: Collection[int] = ()) -> Settled:
        """The mode of a state, from the mode before it: what moves slides, what is at rest sticks if it can. Elements
        that are `creeping` count as at rest.

        A first guess is corrected until no rule finds fault with it. After so many rounds it is left as it is: the
        integrator notices if that matters.
        """
        self.notice(at)
        mode, moves = self._first_guess(at, before, creeping)
        trial = _Trial(at, mode, self.forces.evaluate(at, mode), mode.stuck)
        beyond = bool(self._failing(trial.outcome, mode))
        rules = self._touches_right, self._spins_right, self._in_the_air, self._gives_way, self._turns_back
        for _ in range(_ROUNDS):
            if not any(rule(trial) for rule in rules) or trial.settled:
                break
        if trial.tips and not trial.settled and (beyond or self._failing(trial.outcome, trial.mode)):
            self._all_at_once(trial, mode)
        mode, outcome = trial.mode, trial.outcome
        if trial.tips and not trial.settled:  # nothing asks for more than friction gives, and no normal forces balance
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
        return Mode(stuck, direction, touching, spinning, ~stuck), np.asarray(speed > STILL)

    def _try(self, trial: _Trial, mode: Mode) -> None:
        trial.mode, trial.outcome = mode, self.forces.evaluate(trial.at, mode)

    # Rules: each corrects the trial and says whether it did

    def _touches_right(self, trial: _Trial) -> bool:
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
        return False  # the other rules go on from here

    def _spins_right(self, trial: _Trial) -> bool:
        """Wheels without spin inertia spin whose drives ask for more than their friction, and grip again else."""
        mode, outcome, friction = trial.mode, trial.outcome, self.forces.rover.frictions
        spinning = mode.spinning.copy()
        for k in (int(k) for k in self.forces.elements.pulled):
            N = max(float(outcome.normal[k]), 0.0) if mode.touching[k] else 0.0
            if spinning[k]:
                enough = friction["sliding"][k] * N * (1 - 4 * NEARLY)
                if k not in trial.lost and self._spins(k, outcome, mode) < enough:
                    spinning[k] = 0.0
            elif self._torques[k] and abs(outcome.pull[k]) > self._grip(k, mode) * N * (1 - 2 * NEARLY):
                spinning[k] = np.sign(outcome.pull[k])
                trial.lost.add(k)
        if not (spinning != mode.spinning).any():
            return False
        self._try(trial, replace(mode, spinning=spinning))
        return True

    def _in_the_air(self, trial: _Trial) -> bool:
        """What carries nothing holds nothing."""
        mode = trial.mode
        loose = np.array([e.contact >= 0 and not mode.touching[e.contact] for e in self.elements], dtype=bool)
        if not (mode.stuck & loose).any():
            return False
        self._try(trial, replace(mode, stuck=mode.stuck & ~loose))
        return True

    def _gives_way(self, trial: _Trial) -> bool:
        """Elements that cannot hold begin to slide."""
        if not trial.outcome.consistent and trial.mode.stuck.any():
            # They cannot all stick, and which give way is a question of what each can hold.
            before = trial.mode.stuck
            self._try(trial, self._started(trial.at, trial.mode, list(trial.began)))
            trial.began.update(int(i) for i in np.flatnonzero(before & ~trial.mode.stuck))
            return bool((before != trial.mode.stuck).any())
        failing = self._failing(trial.outcome, trial.mode)
        if failing:
            self._let_go(trial, failing)
            trial.began.update(failing)
        return bool(failing)

    def _turns_back(self, trial: _Trial) -> bool:
        """Elements that were let go but would move the other way stick after all; the second time, all that begins to
        move is found at once.
        """
        if trial.tips:
            return False
        mode, rate = trial.mode, trial.outcome.slip_rate
        least = -1e-7 * (1.0 + float(np.abs(rate).max(initial=0.0)))
        back = [
            i for i in trial.began
            if not mode.stuck[i] and not self._idle(i, mode)
            and float(mode.direction[i] @ rate[self.elements[i].rows]) < least
        ]
        if not back:
            return False
        if max(trial.began[i] for i in back) > 1:  # neither way is right: all at once, then
            self._try(trial, self._started(trial.at, mode, list(trial.began)))
            trial.settled = True
            return True
        stuck = mode.stuck.copy()
        stuck[back] = True
        self._try(trial, replace(mode, stuck=stuck))
        return True

    def _all_at_once(self, trial: _Trial, first: Mode) -> None:
        """Holding forces beyond all friction have lifted contacts, as of wheels whose axles cease to have a point in
        common: then all that is at rest begins to move from where it stood on the ground, within its friction.
        """
        resting = [int(i) for i in np.flatnonzero(first.stuck)]
        loose = replace(first, stuck=np.zeros_like(first.stuck))
        self._try(trial, self._started(trial.at, loose, resting))
        trial.began.update(resting)
        self._touches_right(trial)

    # Letting go

    def _failing(self, outcome: Outcome, mode: Mode) -> list[int]:
        """Numbers of the stuck elements that give way now."""
        idle = [int(i) for i in np.flatnonzero(mode.stuck) if self._idle(int(i), mode)]
        if idle or not mode.stuck.any():
            return idle
        if not outcome.consistent:
            # They cannot all stick: the one that would slip most gives way.
            rate = np.array([float(np.hypot.reduce(outcome.slip_rate[e.rows])) for e in self.elements])
            return [int(np.where(mode.stuck, rate, -1.0).argmax())]
        if outcome.shares.reserve >= -BREAKAWAY / 2:
            return []
        return [int(i) for i in np.flatnonzero(mode.stuck & outcome.shares.slips)]

    def _let_go(self, trial: _Trial, failing: list[int]) -> None:
        """Elements begin to slide, against the forces that held them; those with two rows the way they then go."""
        mode, outcome = trial.mode, trial.outcome
        stuck, direction = mode.stuck.copy(), list(mode.direction)
        for i in failing:
            stuck[i] = False
            f = outcome.forces[self.elements[i].rows]
            if not outcome.consistent:
                f = -outcome.slip_rate[self.elements[i].rows]
            size = float(np.hypot.reduce(f))
            if size > 0:
                direction[i] = -f / size
        self._try(trial, replace(mode, stuck=stuck, direction=tuple(direction)))
        began = sorted({*trial.began, *failing})  # those let go before go another way now that more go with them
        plane = [i for i in began if self.elements[i].count == 2 and not stuck[i]]
        for _ in range(20 if plane else 0):
            rates = trial.outcome.slip_rate
            off = 0.0
            for i in plane:
                rate = rates[self.elements[i].rows]
                size = float(np.hypot(*rate))
                if size > 1e-7:
                    off = max(off, float(np.abs(rate / size - direction[i]).max()))
                    direction[i] = rate / size
            self._try(trial, replace(trial.mode, direction=tuple(direction)))
            if off < 1e-12:
                return
        if plane:
            self._try(trial, self._started(trial.at, trial.mode, began))

    def _started(self, at: Input, mode: Mode, began: list[int]) -> Mode:
        """The mode in which everything at rest starts, where several contacts push each other about: friction that
        leaves least motion, each within its circle (Gauss' principle of least constraint), for the normal forces
        that go with it.
        """
        free = self.forces.free
        resting = [i for i in range(len(self.elements)) if mode.stuck[i] or i in began or not mode.armed[i]]
        for _ in range(_ROUNDS):
            outcome = self.forces.evaluate(at, mode)
            resting = [i for i in resting if self._presses(i, outcome, mode)]
            rows = [np.arange(self.elements[i].rows.start, self.elements[i].rows.stop) for i in resting]
            every = np.concatenate(rows)
            groups = groups_of(np.repeat(np.arange(len(rows)), [len(part) for part in rows]), len(rows))
            D, M = outcome.D[np.ix_(every, free)], outcome.M[np.ix_(free, free)]
            a = outcome.Udot[free]
            limits = np.array([self._limit(i, outcome, kinetic=i in began) for i in resting])
            others = M @ a - outcome.forces[every] @ D
            self.forces.spend(_AS_MANY)
            force, rate = least_motion(M, others, D, outcome.slip_rate[every] - D @ a, groups, limits, a)
            stuck, direction = mode.stuck.copy(), list(mode.direction)
            off, at_row = 0.0, 0
            quick = 1e-8 * (1.0 + float(np.abs(rate).max()))
            for i in resting:
                part = slice(at_row, at_row + self.elements[i].count)
                at_row = part.stop
                speed, size = float(np.hypot.reduce(rate[part])), float(np.hypot.reduce(force[part]))
                stuck[i] = speed <= quick or size == 0.0
                if not stuck[i]:
                    off = max(off, float(np.abs(direction[i] + force[part] / size).max()))
                    direction[i] = -force[part] / size
            same = bool((stuck == mode.stuck).all())
            mode = replace(mode, stuck=stuck, direction=tuple(direction))
            if same and off < 1e-10:
                break
        return mode

    def _presses(self, i: int, outcome: Outcome, mode: Mode) -> bool:
        k = self.elements[i].contact
        return k < 0 or (bool(mode.touching[k]) and not mode.spinning[k] and outcome.normal[k] > 0)

    def _limit(self, i: int, outcome: Outcome, *, kinetic: bool) -> float:
        e = self.elements[i]
        share = e.kinetic / e.static if kinetic else 1.0
        return float(outcome.limits[i]) * share

    def _without_slip(self, at: Input, mode: Mode, outcome: Outcome) -> tuple[Floats, Floats]:
        """The speeds without the last bit of slip of what sticks, taken out by the least impulse, and that impulse."""
        _, inverse, B, numbers = self.forces.basis(outcome.D, mode)
        impulse = np.zeros(len(outcome.D))
        if not len(B):
            return at.U, impulse
        free = self.forces.free
        slip = inverse @ outcome.slip[numbers]
        M = outcome.M[np.ix_(free, free)]
        per = np.linalg.solve(M, B.T)
        taken = -np.linalg.solve(B @ per, slip)
        impulse[numbers] = inverse.T @ taken
        U = at.U.copy()
        U[free] += per @ taken
        return U, impulse
