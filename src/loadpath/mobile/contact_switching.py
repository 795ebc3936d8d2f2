"""When contacts change what they do, and what they do next: stick or slide, touch or lift."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.contact_forces import ContactForces, Input, Mode, Outcome
from loadpath.mobile.dynamics import supported
from loadpath.mobile.force_sharing import least_motion

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

REST = 1e-9
"""Slip (m/s, rad/s) at which a sliding element is looked at: it stops, or turns round."""
STILL = 1e-6
"""Slip up to which an element counts as at rest then."""
BREAKAWAY = 1e-9
"""Share by which holding forces must exceed their limits: more than rounding, less than matters."""
NEARLY = 1e-6
"""Share of its friction by which a wheel without spin inertia spins before its drive takes all of it: what is left for
holding sideways depends on the rest by a square root, and could not be told any more."""
_ROUNDS = 60
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


class Switching:
    """The rules by which modes follow each other."""

    def __init__(self, forces: ContactForces) -> None:
        self.forces = forces
        self.elements = forces.elements.all

    # What happens next

    def margins(self, outcome: Outcome, mode: Mode) -> Floats:
        """What is left until something changes; negative beyond. First what holds, then every element, every contact
        and every contact again, for wheels that a drive without spin inertia makes spin.
        """
        contacts = len(mode.touching)
        result = np.full(1 + len(self.elements) + 2 * contacts, np.inf)
        if mode.stuck.any():
            result[0] = 1.0 + BREAKAWAY - outcome.shares.worst
        for i, e in enumerate(self.elements):
            idle = e.contact >= 0 and mode.spinning[e.contact] and e.kind != "rollers"
            if not mode.stuck[i] and not idle:
                along = float(mode.direction[i] @ outcome.slip[e.rows])
                result[1 + i] = along - REST if mode.armed[i] else along + REST
        at = 1 + len(self.elements)
        weight = max(float(np.abs(outcome.normal).sum()), 1e-300)
        deepest = max(float(np.abs(outcome.sinkage).max()), 1e-300)
        # Beyond what `_touching` takes for rounding, so that it sees what was seen here.
        result[at : at + contacts] = 2 * _ROUNDING + np.where(
            mode.touching, outcome.normal / weight, -outcome.sinkage / deepest
        )
        friction = self.forces.rover.frictions
        for k in self.forces.elements.pulled:
            N = max(float(outcome.normal[k]), 0.0)
            if mode.spinning[k]:
                result[at + contacts + k] = self._spins(int(k), outcome, mode) - friction["sliding"][k] * N * (
                    1 - 8 * NEARLY
                )
            elif self.asked(k):
                result[at + contacts + k] = self._grip(k, mode) * N * (1 - NEARLY) - abs(outcome.pull[k])
        return result

    def _spins(self, k: int, outcome: Outcome, mode: Mode) -> float:
        """Force that drive and rolling resistance ask of a wheel that spins, along its pull."""
        asked = self.asked(k)
        for e in self.elements:
            if e.kind == "rolling" and e.contact == k:
                rim = float(np.cos(self.forces.rover.arrangement.roller_angle[k]))
                resists = e.kinetic * max(float(outcome.normal[k]), 0.0) / rim
                asked -= resists * float(np.sign(outcome.slip[e.rows.start]))
        return asked * float(mode.spinning[k])

    def _grip(self, k: int, mode: Mode) -> float:
        """Friction coefficient of a wheel without spin inertia: if it slides sideways, its drive has no more."""
        slides = any(e.massless and e.contact == k and not mode.stuck[i] for i, e in enumerate(self.elements))
        return float(self.forces.rover.frictions["sliding" if slides else "static"][k])

    def of_drives(self, mode: Mode) -> Bools:
        """Which of the margins are those of wheels that a drive makes spin. Such a wheel may have two ways to go on,
        spinning or not, since its side force shifts the load: then it keeps the one it has.
        """
        result = np.zeros(1 + len(self.elements) + 2 * len(mode.touching), dtype=bool)
        result[1 + len(self.elements) + len(mode.touching) :] = True
        return result

    _torques: Floats

    def asked(self, k: int) -> float:
        """Longitudinal force that the drive of a wheel without spin inertia asks for."""
        wheels = self.forces.rover.arrangement
        return float(self._torques[k] / (wheels.radius[k] * np.cos(wheels.roller_angle[k])))

    def told(self, at: Input) -> None:
        """Take notice of the torques of wheels."""
        self._torques = at.wheel_torques

    # What follows

    def settle(self, at: Input, before: Mode | None, creeping: Collection[int] = ()) -> Settled:
        """The mode of a state, from the mode before it: what moves slides, what is at rest sticks if it can. Elements
        that are `creeping` count as at rest.
        """
        self.told(at)
        contacts = len(self.forces.rover.contact_names)
        D = self.forces.matrix(at.angles)
        slip = D @ at.U
        touching = np.ones(contacts, dtype=bool) if before is None else before.touching.copy()
        speed = np.array([float(np.hypot.reduce(slip[e.rows])) for e in self.elements])
        resting = speed <= STILL
        resting[list(creeping)] = True
        if before is not None:
            resting |= before.stuck
        direction = tuple(
            slip[e.rows] / speed[i] if speed[i] > 0 else np.eye(e.count)[0] for i, e in enumerate(self.elements)
        )
        spinning = np.zeros(contacts) if before is None else before.spinning.copy()
        mode = Mode(resting.copy(), direction, touching, spinning, ~resting)
        began: dict[int, int] = {}
        lost: set[int] = set()
        for _ in range(_ROUNDS):
            mode, outcome, tips = self._touching(at, mode)
            mode, changed = self._spinning(mode, outcome, lost)
            if changed:
                continue
            # What carries nothing holds nothing.
            loose = np.array([e.contact >= 0 and not mode.touching[e.contact] for e in self.elements], dtype=bool)
            if (mode.stuck & loose).any():
                mode = replace(mode, stuck=mode.stuck & ~loose)
                continue
            outcome = self.forces.evaluate(at, mode, exact=True)
            failing = self._failing(outcome, mode)
            if failing:
                mode = self._let_go(at, mode, outcome, failing)
                for i in failing:
                    began[i] = began.get(i, 0) + 1
                continue
            if tips:  # now that nothing asks for more than friction gives
                return Settled(mode, outcome, at.U, tips=True, impulse=np.zeros(len(D)))
            back = [i for i in began if not mode.stuck[i] and self._turns_back(outcome, mode, i)]
            if not back:
                break
            if max(began[i] for i in back) > 1:  # neither way is right: all at once, then
                mode = self._started(at, mode, list(began))
                break
            stuck = mode.stuck.copy()
            stuck[back] = True
            mode = replace(mode, stuck=stuck)
        U, impulse = self._without_slip(at, mode, outcome)
        mode = replace(mode, armed=np.where(mode.stuck, False, speed > STILL))
        return Settled(mode, self.forces.evaluate(at._replace(U=U), mode), U, tips=False, impulse=impulse)

    def _touching(self, at: Input, mode: Mode) -> tuple[Mode, Outcome, bool]:
        """Contacts that would pull lift, those that sink in land."""
        seen: set[bytes] = set()
        while True:
            outcome = self.forces.evaluate(at, mode)
            weight = max(float(np.abs(outcome.normal).sum()), 1e-300)
            sunk = outcome.sinkage > _ROUNDING * float(np.abs(outcome.sinkage).max())
            pulls = mode.touching & (outcome.normal < -_ROUNDING * weight)
            lands = ~mode.touching & sunk
            seen.add(mode.touching.tobytes())
            if not pulls.any() and not lands.any():
                return mode, outcome, False
            if pulls.any():
                worst = int(np.where(pulls, outcome.normal, 0.0).argmin())
                touching = mode.touching.copy()
                touching[worst] = False
            else:
                touching = mode.touching | lands
            if touching.tobytes() in seen:
                return mode, outcome, False
            if not supported(outcome.placed.points, touching):
                return mode, outcome, True
            mode = replace(mode, touching=touching)

    def _spinning(self, mode: Mode, outcome: Outcome, lost: set[int]) -> tuple[Mode, bool]:
        """Wheels without spin inertia whose drives ask for more than their friction, and those that do no longer.
        One that has `lost` its grip at this moment does not find it again at the same moment.
        """
        friction = self.forces.rover.frictions
        spinning = mode.spinning.copy()
        for k in self.forces.elements.pulled:
            N = max(float(outcome.normal[k]), 0.0) if mode.touching[k] else 0.0
            if spinning[k]:
                if int(k) not in lost and self._spins(int(k), outcome, mode) < friction["sliding"][k] * N * (
                    1 - 4 * NEARLY
                ):
                    spinning[k] = 0.0
            elif self.asked(k) and abs(outcome.pull[k]) > self._grip(int(k), mode) * N * (1 - 2 * NEARLY):
                spinning[k] = np.sign(outcome.pull[k])
                lost.add(int(k))
        return replace(mode, spinning=spinning), bool((spinning != mode.spinning).any())

    def _failing(self, outcome: Outcome, mode: Mode) -> list[int]:
        """Numbers of the stuck elements that give way now."""
        idle = [
            i for i, e in enumerate(self.elements)
            if mode.stuck[i] and e.contact >= 0 and mode.spinning[e.contact] and e.kind in ("grip", "rolling")
        ]  # fmt: skip
        if idle:
            return idle
        if not mode.stuck.any():
            return []
        if not outcome.consistent:
            # They cannot all stick: the one that would slip most gives way.
            rate = np.array([float(np.hypot.reduce(outcome.slip_rate[e.rows])) for e in self.elements])
            return [int(np.where(mode.stuck, rate, -1.0).argmax())]
        worst = outcome.shares.worst
        if worst <= 1.0 + BREAKAWAY / 2:
            return []
        return [int(i) for i in np.flatnonzero(mode.stuck & outcome.shares.slips)]

    def _let_go(self, at: Input, mode: Mode, outcome: Outcome, failing: list[int]) -> Mode:
        """Elements begin to slide, against the forces that held them; those with two rows the way they then go."""
        stuck, direction = mode.stuck.copy(), list(mode.direction)
        for i in failing:
            stuck[i] = False
            f = outcome.forces[self.elements[i].rows]
            if not outcome.consistent:
                f = -outcome.slip_rate[self.elements[i].rows]
            size = float(np.hypot.reduce(f))
            if size > 0:
                direction[i] = -f / size
        mode = replace(mode, stuck=stuck, direction=tuple(direction))
        plane = [i for i in failing if self.elements[i].count == 2]
        for _ in range(20 if plane else 0):
            rates = self.forces.evaluate(at, mode).slip_rate
            off = 0.0
            for i in plane:
                rate = rates[self.elements[i].rows]
                size = float(np.hypot(*rate))
                if size > 1e-7:
                    off = max(off, float(np.abs(rate / size - direction[i]).max()))
                    direction[i] = rate / size
            mode = replace(mode, direction=tuple(direction))
            if off < 1e-12:
                return mode
        return self._started(at, mode, failing) if plane else mode

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
            D = outcome.D[np.ix_(every, free)]
            A = D @ np.linalg.solve(outcome.M[np.ix_(free, free)], D.T)
            limits = np.array([self._limit(i, outcome, kinetic=i in began) for i in resting])
            force, rate = least_motion(A, outcome.slip_rate[every], outcome.forces[every], rows, limits)
            stuck, direction = mode.stuck.copy(), list(mode.direction)
            off, at_row = 0.0, 0
            quick = 1e-7 * (1.0 + float(np.abs(rate).max()))
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

    def _turns_back(self, outcome: Outcome, mode: Mode, i: int) -> bool:
        """Whether an element that was let go would move against the direction in which it was let go."""
        if mode.spinning[self.elements[i].contact] and self.elements[i].contact >= 0:
            return False
        rate = float(mode.direction[i] @ outcome.slip_rate[self.elements[i].rows])
        return rate < -1e-7 * (1.0 + float(np.abs(outcome.slip_rate).max()))

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
