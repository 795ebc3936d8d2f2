"""Which load drives the fatigue of a fibre: the damage that is left when one cause is taken away.

The loads of a section are a sum: gravity, the acceleration of every joint, the speeds of the joints (centrifugal and
Coriolis), external wrenches, the motion of the base. Damage is not: it grows with the slope's power of the range. So
each cause is taken out of the history, and what is left is counted again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.robot.edit import with_inertias
from loadpath.robot.inertia import Inertia
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.structure.fatigue.damage import Counting, Strength, TurningPoints, fibre_damage
from loadpath.structure.fatigue.duty import Actions, DutyPart, SectionHistory, known_samples
from loadpath.structure.fatigue.fibres import Fibres
from loadpath.structure.quantities import at_once

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

Loads = tuple[Floats, Floats]


def histories(parts: Sequence[DutyPart], fibres: Fibres, actions: Actions) -> tuple[list[list[Floats]], list[Any]]:
    """Turning points of every part and fibre, states that are not numbers left out; and which these are."""
    found, known = [], []
    for part in parts:
        turns, numbers = TurningPoints(), []
        for force, moment in part.blocks(actions):
            good = known_samples(force, moment)
            numbers.append(good)
            loads = (force, moment) if good.all() else (force[good], moment[good])
            turns.add(fibres.stress(*loads))
        found.append(turns.histories() or [np.zeros(0)] * len(fibres))
        known.append(np.concatenate(numbers))
    return found, known


@dataclass(frozen=True, eq=False)
class Causes:
    """The loads of an arm's sections over a duty cycle, cause by cause."""

    arm: ElasticQuantities
    parts: tuple[DutyPart, ...]
    sections: int
    counting: Counting

    def total(self, states: tuple[Floats, ...], case: LoadCase) -> Loads:
        """All loads together."""
        force, moment = self.arm.section_actions(*states, sections=self.sections, **case.keywords)
        return force, moment

    def names(self) -> list[str]:
        """The causes that there are."""
        if any(isinstance(part.states, SectionHistory) for part in self.parts):
            raise ValueError("fatigue: which cause drives it is known for motions of q, qd and qdd alone, not for "
                             "loads of sections that were given or computed in time")
        batches = [part.states for part in self.parts if not isinstance(part.states, SectionHistory)]
        wrenches = [pair for batch in batches for pair in (batch.case.external or {}).items()]
        external = dict.fromkeys(link for link, wrench in wrenches if not getattr(wrench, "alone", False))
        carried = dict.fromkeys(name for _, wrench in wrenches for name in getattr(wrench, "parts", ()))
        moving = any(batch.case.base_motion for batch in batches)
        return [
            "gravity",
            "speeds of the joints",
            *(f"acceleration of {name}" for name in self.arm.independent),
            *(f"external wrench on {link}" for link in external),
            *(f"carried {name}" for name in carried),
            *(["motion of the base"] if moving else []),
            *(f"mass of {name}" for name in self._payloads),
        ]

    @property
    def _payloads(self) -> list[str]:
        parents = {joint.parent for joint in self.arm.joints}
        return [joint.child for joint in self.arm.joints if joint.name == f"{joint.child}_joint"
                and joint.motion.dof == 0 and joint.child not in parents
                and self.arm.link(joint.child).inertia.mass > 0]

    def _share(self, cause: str) -> Actions:
        """The loads of one cause."""
        kind, _, name = cause.partition(" of " if cause.startswith("acceleration") else " on ")
        if cause == "gravity":
            return self._at_rest
        if cause == "speeds of the joints":
            return lambda states, case: self._more(states, states[1], states[2] - self._by_drives(states).sum(axis=0))
        if kind == "acceleration":
            drive = self.arm.independent.index(name)
            return lambda states, case: self._more(states, np.zeros_like(states[1]), self._by_drives(states)[drive])
        if kind == "external wrench" or cause.startswith("carried "):
            by, of = (self._by_wrench, name) if name else (self._by_load, cause.removeprefix("carried "))
            return lambda states, case: by(states, case, of)
        if cause == "motion of the base":
            return lambda states, case: _difference(self.total(states, case),
                                                    self.total(states, case.at_rest))
        return self._of_payload(cause.removeprefix("mass of "))

    def _by_drives(self, states: tuple[Floats, ...]) -> Floats:
        """(independent speeds, states, n): the accelerations that go with each of them; of a tree, they alone."""
        qdd = states[2]
        independent = list(self.arm.split.independent)
        if not self.arm.held_by_loops:
            return np.eye(self.arm.n)[:, None] * qdd
        follow = np.asarray(at_once(self.arm.complement, states[0]))  # type: ignore[attr-defined]
        return np.moveaxis(follow * qdd[..., None, independent], -1, 0)

    def _at_rest(self, states: tuple[Floats, ...], case: LoadCase) -> Loads:
        q, qd, qdd = states
        return self.total((q, np.zeros_like(qd), np.zeros_like(qdd)), LoadCase(gravity=case.gravity))

    def _more(self, states: tuple[Floats, ...], qd: Floats, qdd: Floats) -> Loads:
        return _difference(self.total((states[0], qd, qdd), LoadCase()), self._at_rest(states, LoadCase()))

    def _by_wrench(self, states: tuple[Floats, ...], case: LoadCase, link: str) -> Loads:
        if link not in (case.external or {}):
            return self._by_wrenches(states, {})
        whole = (case.external or {})[link]
        found = self._by_wrenches(states, {link: whole})
        for part in getattr(whole, "parts", {}).values():  # loads, which are causes of their own
            found = _difference(found, self._by_wrenches(states, {link: part}))
        return found

    def _by_load(self, states: tuple[Floats, ...], case: LoadCase, name: str) -> Loads:
        wrenches = {link: wrench.parts[name] for link, wrench in (case.external or {}).items()
                    if name in getattr(wrench, "parts", ())}
        return self._by_wrenches(states, wrenches)

    def _by_wrenches(self, states: tuple[Floats, ...], wrenches: Mapping[str, Any]) -> Loads:
        q, qd, qdd = states
        still = q, np.zeros_like(qd), np.zeros_like(qdd)
        return _difference(self.total(still, LoadCase(wrenches)), self.total(still, LoadCase()))

    def _of_payload(self, link: str) -> Actions:
        """Loads are linear in a mass: as much as the same again would add."""
        own = self.arm.link(link).inertia
        tensor = (2 * np.array(own.tensor)).tolist()
        twice = replace(self, arm=with_inertias(self.arm, {link: Inertia(2 * own.mass, own.center_of_mass, tensor)}))
        return lambda states, case: _difference(twice.total(states, case), self.total(states, case))

    def without(self, cause: str) -> Actions:
        """All loads but those of one cause."""
        share: Callable[[tuple[Floats, ...], LoadCase], Loads] = self._share(cause)
        return lambda states, case: _difference(self.total(states, case), share(states, case))

    def shares(self, fibres: Fibres, strengths: Sequence[Strength], damages: Sequence[float]) -> list[dict[str, float]]:
        """For each fibre, by cause, the share of its damage that goes with it; negative where the cause relieves it.
        `fibres` and `strengths` are those of the fibres, then as many of the torsion of their sections.
        """
        found: list[dict[str, float]] = [{} for _ in damages]
        repeats = [part.repeats for part in self.parts]
        for cause in self.names():
            turning, _ = histories(self.parts, fibres, self.without(cause))
            left = [fibre_damage([part[k] for part in turning], repeats, strength, self.counting).damage
                    for k, strength in enumerate(strengths)]
            for k, damage in enumerate(damages):
                found[k][cause] = 1.0 - (left[k] + left[k + len(damages)]) / damage if damage > 0 else 0.0
        return [dict(sorted(each.items(), key=lambda entry: -entry[1])) for each in found]


def _difference(a: Loads, b: Loads) -> Loads:
    return a[0] - b[0], a[1] - b[1]
