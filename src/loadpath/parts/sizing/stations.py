"""What is judged at one joint: its parts with each option, by the rules of their examiners and by the examiners
themselves where a check has no rule, and the joint's own limit of effort.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from loadpath.parts.part import Check, JointLoads, MotorSide, Part, Rule
from loadpath.parts.rules import used_by_rule
from loadpath.parts.sizing.loads import SeatLoads, Train
from loadpath.parts.verdict.limits import LABEL, LIMIT_SLACK
from loadpath.scalars.types import Bools, Floats

_AGREES = 1e-9
_OF_MASSES = ("force", "torque", "axial_force", "radial_force", "axial_torque", "tilting_moment", "gear", "holding",
              "drive", "motor", "inertia")
"""Of what a joint carries, what depends on what is chosen."""
_WRENCH = _OF_MASSES[:6]
_RESOLVED = _OF_MASSES[2:6]
_OF_TRAIN = ("drive", "motor", "inertia")
"""And of that, what depends on what is chosen at the joint itself, beside the masses."""


class Used(NamedTuple):
    """The largest utilisation of some designs, and which check it is of: (designs,) each."""

    size: Floats
    which: Any
    """Numbers in `labels`."""
    labels: tuple[tuple[str, str], ...]
    """Part and check."""


@dataclass(frozen=True, eq=False)
class Ruled:
    """A check that follows from the loads by a rule, and what of them it reads."""

    rule: Rule
    check: Check
    reads: frozenset[str]


class PartJudge:
    """A part at a joint with a drive train: the utilisation of its checks for any masses."""

    def __init__(
        self, part: Part, loads: SeatLoads, train: Train | None, hours: float | None, extremes: Floats
    ) -> None:
        self.part, self.loads, self.train, self.hours = part, loads, train, hours
        self.mean_speed = float(np.abs(loads.speed) @ loads.states.weights)
        self.weights = loads.states.weights
        both = [self._examined(masses) for masses in extremes]
        self.unchecked = tuple(check for check in both[0][0] if not check.checked and check.life_hours is None)
        self.made = tuple(check for check in both[0][0] if check.checked or check.life_hours is not None)
        self.count = len(both[0][0])
        whole = loads.of(extremes, train)
        self.ruled: list[Ruled] = []
        self.slow = False
        """Whether some check has no rule."""
        for k, check in enumerate(both[0][0]):
            if np.isnan(check.utilisation):
                continue
            rule = both[0][1].get(check.check)
            if self.mean_speed == 0.0 and rule is not None and rule.reduction == "life" and check.utilisation == 0.0:
                continue  # what stands still never wears, whatever it carries
            expected = np.array([checks[k].utilisation for checks, _ in both])
            if rule is not None and self._agrees(rule, check, whole, expected):
                self.ruled.append(Ruled(rule, check, self._reads(rule, whole)))
            else:
                self.slow = True
        read = frozenset[str]().union(*(one.reads for one in self.ruled))
        self.shared = not read & set(_OF_TRAIN)
        """Whether what it uses by rules is the same with every drive train."""
        self.fixed = not read
        """Whether no mass changes it."""
        self.needs = {"wrench": bool(read & set(_WRENCH)), "resolved": bool(read & set(_RESOLVED))}
        """What of the loads its rules read."""
        self.used_by_all = self.by_rules(loads.of(extremes[:1], train), 1)
        """Of the first masses, and of all others where no mass changes it."""

    def _examined(self, masses: Floats) -> tuple[list[Check], dict[str, Rule]]:
        loads = self.loads.of(masses[None], self.train)
        examiner = self.part.examiner(self.loads.seat.place)
        for piece in self.loads.pieces(loads):
            examiner.add(piece)
        return examiner.checks(self.hours), getattr(examiner, "rules", {})

    def _agrees(self, rule: Rule, check: Check, loads: JointLoads, expected: Floats) -> bool:
        if not rule.of_samples:
            return False
        if rule.reduction == "life" and (check.demand == 0.0 or check.life_hours in (None, np.inf)):
            return False
        try:
            found = self.by_rule(rule, check, loads, len(expected))
        except (TypeError, AttributeError):  # it asks for what is not known here
            return False
        return bool(np.allclose(found, expected, rtol=_AGREES, atol=0.0))

    def by_rule(self, rule: Rule, check: Check, loads: JointLoads, count: int) -> Floats:
        shape = (count, len(self.weights))
        signal = np.broadcast_to(rule.signal(loads), (shape[0] * shape[1],)).reshape(shape)
        return used_by_rule(rule, check, self.mean_speed, signal, self.loads.speed, self.weights)[0]

    def _reads(self, rule: Rule, loads: JointLoads) -> frozenset[str]:
        """What a rule reads of what depends on what is chosen: what makes it no number, if that is none."""
        found = set()
        for name in _OF_MASSES:
            value = getattr(loads, name)
            if value is None:
                continue
            nothing: Any = np.full_like(value, np.nan) if isinstance(value, np.ndarray) else _no_motor(value)
            if np.isnan(rule.signal(replace(loads, **{name: nothing}))).any():
                found.add(name)
        return frozenset(found)

    def by_rules(self, loads: JointLoads, count: int) -> Used:
        """Of the checks that have rules, for loads of so many designs."""
        sizes = [self.by_rule(one.rule, one.check, loads, count) for one in self.ruled]
        return _largest(sizes, tuple((self.part.label, one.check.check) for one in self.ruled), count)

    def examined(self, masses: Floats) -> tuple[float, str]:
        """The largest utilisation of one design by the examiner itself, of all its checks, and which check it is."""
        checks = [check for check in self._examined(masses)[0] if check.checked]
        worst = max(checks, key=lambda check: check.utilisation, default=None)
        return (0.0, "") if worst is None else (worst.utilisation, worst.check)


def _no_motor(motor: MotorSide) -> MotorSide:
    return replace(motor, torque=np.full_like(motor.torque, np.nan), current=np.full_like(motor.current, np.nan))


def _largest(sizes: Sequence[Floats], labels: tuple[tuple[str, str], ...], count: int) -> Used:
    if not sizes:
        return Used(np.zeros(count), np.zeros(count, dtype=int), (("", ""),))
    stacked = np.stack(sizes)
    which = np.argmax(stacked, axis=0)
    return Used(stacked[which, np.arange(count)], which, labels)


@dataclass(frozen=True, eq=False)
class Variant:
    """A joint with one option: its drive train and its parts."""

    train: Train | None
    parts: tuple[Part, ...]


class Station:
    """A joint that is judged, of any masses and with any of its variants."""

    def __init__(
        self, name: str, variants: Sequence[Variant], loads: SeatLoads | None, effort: Any, hours: float | None,
        extremes: Floats,
    ) -> None:
        """`effort` are the force of its drive, as an affine function of masses with the rotor that the robot has, the
        acceleration of the joint, that rotor, and the limit; None without one.
        """
        self.name, self.loads, self.effort = name, loads, effort
        self.variants = tuple(variants)
        self.judges: list[list[PartJudge]] = []
        known: dict[int, PartJudge] = {}
        for variant in variants:
            mine = []
            for part in variant.parts:
                assert loads is not None
                judge = known.get(id(part))
                if judge is None or not judge.shared or judge.slow:
                    judge = PartJudge(part, loads, variant.train, hours, extremes)
                    known[id(part)] = judge
                mine.append(judge)
            self.judges.append(mine)
        felt = set() if loads is None or not any(self.judges) else loads.felt
        self.felt = felt | (set() if effort is None else effort[0].felt)
        """Numbers of the masses that it feels."""

    def judged(self, masses: Floats, variants: Sequence[int]) -> list[Used]:
        """Of designs (designs, masses), with each of these variants: first the checks that have rules, then, of those
        designs that hold, the others.
        """
        count = len(masses)
        found = []
        shared: dict[int, Used] = {}
        of_all: dict[tuple[bool, ...], JointLoads] = {}
        for number in variants:
            used = self._effort(masses, number)
            own: dict[tuple[bool, ...], JointLoads] = {}
            for judge in self.judges[number]:
                if id(judge) not in shared:
                    more = _repeated(judge, count) if judge.fixed else self._by_rules(
                        judge, masses, of_all if judge.shared else own)
                    if judge.shared:
                        shared[id(judge)] = more
                used = _worse(used, shared[id(judge)] if judge.shared else more)
            for judge in self.judges[number]:
                if judge.slow:
                    used = _worse(used, self._slowly(judge, masses, used.size <= 1.0))
            found.append(used)
        return found

    def _by_rules(self, judge: PartJudge, masses: Floats, known: dict[tuple[bool, ...], JointLoads]) -> Used:
        needs = tuple(judge.needs.values())
        if needs not in known:
            known[needs] = judge.loads.of(masses, judge.train, **judge.needs)
        return judge.by_rules(known[needs], len(masses))

    def _slowly(self, judge: PartJudge, masses: Floats, some: Bools) -> Used:
        sizes, which = np.zeros(len(masses)), np.zeros(len(masses), dtype=int)
        labels: dict[tuple[str, str], int] = {("", ""): 0}
        for k in np.flatnonzero(some):
            sizes[k], check = judge.examined(masses[k])
            which[k] = labels.setdefault((judge.part.label, check), len(labels))
        return Used(sizes, which, tuple(labels))

    def _effort(self, masses: Floats, number: int) -> Used:
        count = len(masses)
        if self.effort is None:
            return Used(np.zeros(count), np.zeros(count, dtype=int), (("", ""),))
        tau, acceleration, reflected, limit = self.effort
        train = self.variants[number].train
        more = 0.0 if train is None else train.reflected - reflected
        most = np.abs(tau.at(masses) + more * acceleration).max(axis=1) / limit
        used = np.where((most > 1.0) & (most <= 1.0 + LIMIT_SLACK), 1.0, most)
        return Used(used, np.zeros(count, dtype=int), ((LABEL, "effort"),))


def _repeated(judge: PartJudge, count: int) -> Used:
    """Of a part that no mass changes."""
    used = judge.used_by_all
    return Used(np.repeat(used.size, count), np.repeat(used.which, count), used.labels)


def _worse(one: Used, other: Used) -> Used:
    labels = (*one.labels, *other.labels)
    worse = other.size > one.size
    which = np.where(worse, other.which + len(one.labels), one.which)
    return Used(np.where(worse, other.size, one.size), which, labels)


assert set(_OF_MASSES) <= {part.name for part in fields(JointLoads)}
