"""Ranges of closed robots over intervals: what the loops make of a path, and what they make drives and joints carry.

All are solutions of linear systems with the columns J_P of the dependent joints in the rows of the loops: speeds and
accelerations of J_P y = -J_I z' - ..., multipliers of J_P' lambda = tau_P. On ranges the compiled programs' own
factors (Gram and Schmidt) would grow from column to column. So systems are brought near to the identity by the
pseudoinverse C of J_P in the middle of each interval, C J_P = 1 + E with little ranges E, and solved order by order of
their expansions: (1 + E) y = r lies within |E| and the rest of r through the inverse of 1 - |E|, which has no negative
entry (R. Moore, R. Kearfott, M. Cloud, Introduction to Interval Analysis, SIAM 2009).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from loadpath.algorithms.loops.reactions import reactions
from loadpath.algorithms.loops.rows import constraint_jacobian, constraint_rate
from loadpath.algorithms.state_space import coordinate_rate
from loadpath.cached import cached_property
from loadpath.engine.program import Tape
from loadpath.engine.trace import tape_of
from loadpath.fastest.jets import UNBOUNDED, Jet, run_on_jets
from loadpath.robot.mechanism import plain
from loadpath.scalars import array
from loadpath.scalars.recording import Recording
from loadpath.scalars.types import Floats

WIDER = 1.25
"""Of a box that was left, the next one."""
BOXES = 12
ROUNDED = 1e-11
"""rad or m: how far a closed configuration may be off."""


class Entries(NamedTuple):
    """Jets as arrays: middles and half widths, (3, intervals, ...) each."""

    middle: Floats
    radius: Floats

    @classmethod
    def of(cls, found: Sequence[Any], shape: tuple[int, ...], count: int) -> Entries:
        """From jets or plain numbers, (prod of shape,)."""
        middle, radius = np.zeros((3, count, len(found))), np.zeros((3, count, len(found)))
        for k, each in enumerate(found):
            if isinstance(each, Jet):
                middle[..., k], radius[..., k] = each.middle, each.radius
            else:
                middle[0, :, k] = each
        return cls(middle.reshape(3, count, *shape), radius.reshape(3, count, *shape))

    def jets(self) -> list[Jet]:
        """Of vectors (3, intervals, m)."""
        return [Jet(np.ascontiguousarray(self.middle[..., k]), np.ascontiguousarray(self.radius[..., k]))
                for k in range(self.middle.shape[-1])]

    def columns(self, which: Sequence[int]) -> Entries:
        """Some on the last axis."""
        return Entries(self.middle[..., list(which)], self.radius[..., list(which)])

    def __neg__(self) -> Entries:
        return Entries(-self.middle, self.radius)

    def __sub__(self, other: Any) -> Entries:
        return Entries(self.middle - other.middle, self.radius + other.radius)

    def transposed(self) -> Entries:
        """Of matrices."""
        return Entries(np.swapaxes(self.middle, -1, -2), np.swapaxes(self.radius, -1, -2))

    def __matmul__(self, other: Entries) -> Entries:
        """Matrices times matrices, to the second order."""
        middle, radius = [], []
        for order in range(3):
            parts = [self._order(k)._times(other._order(order - k)) for k in range(order + 1)]
            middle.append(sum(part.middle for part in parts))
            radius.append(sum(part.radius for part in parts))
        return Entries(np.stack(middle), np.stack(radius))

    def _order(self, k: int) -> Entries:
        return Entries(self.middle[k], self.radius[k])

    def _times(self, other: Entries) -> Entries:
        """Of ranges without orders."""
        a, b = np.abs(self.middle), np.abs(other.middle)
        return Entries(self.middle @ other.middle, a @ other.radius + self.radius @ (b + other.radius))


def conditioned(C: Floats, entries: Entries) -> Entries:
    """Numbers C (intervals, i, j) times matrices."""
    return Entries(C @ entries.middle, np.abs(C) @ entries.radius)


@dataclass(frozen=True, eq=False)
class NearIdentity:
    """Matrices (3, intervals, d, d) near the identity."""

    matrix: Entries

    @cached_property
    def _spread(self) -> tuple[Floats, Floats]:
        """Inverses of 1 - |E|, and whether they are bounds."""
        off = self.matrix.middle[0] - np.eye(self.matrix.middle.shape[-1])
        size = np.abs(off) + self.matrix.radius[0]
        known = np.isfinite(size).all(axis=(1, 2)) & (size.sum(axis=2) < 1).all(axis=1)
        inverse = np.linalg.inv(np.where(known[:, None, None], np.eye(size.shape[-1]) - size, np.eye(size.shape[-1])))
        return size, np.where(known[:, None, None], np.maximum(inverse, 0.0), UNBOUNDED)

    def solve(self, right: Entries) -> Entries:
        """(3, intervals, d, columns), of the same."""
        size, inverse = self._spread
        middle, radius = np.zeros_like(right.middle), np.zeros_like(right.radius)
        for order in range(3):
            left = right._order(order)
            for k in range(1, order + 1):  # what lower orders leave
                left = left - self.matrix._order(k)._times(Entries(middle[order - k], radius[order - k]))
            middle[order] = left.middle
            radius[order] = inverse @ (size @ np.abs(left.middle) + left.radius)
        return Entries(middle, radius)


@dataclass(frozen=True, eq=False)
class Loops:
    """The rows of a closed robot's loops over intervals, with closed configurations (intervals, nq) in their middles.
    """

    robot: Any
    middle: Floats

    @cached_property
    def C(self) -> Floats:
        """(intervals, dependent, rows)"""
        J = np.asarray(self.robot.constraint_jacobian(self.middle))[..., list(self.robot.split.dependent)]
        found: Floats = np.linalg.pinv(J)
        return found

    def rows(self, q: Sequence[Jet]) -> Entries:
        """(3, intervals, m, n)"""
        found = run_on_jets(_tape(self.robot, "rows"), list(q))
        return Entries.of(found, (len(found) // self.robot.n, self.robot.n), len(self.middle))

    def system(self, rows: Entries) -> NearIdentity:
        """C J_P"""
        return NearIdentity(conditioned(self.C, rows.columns(self.robot.split.dependent)))

    def completed(
        self, q: Sequence[Jet], rate: Sequence[Jet], bend: Sequence[Jet]
    ) -> tuple[list[Jet], list[Jet], list[Jet], list[Jet]]:
        """All speeds and accelerations from the independent ones, and rates of all coordinates and their rates."""
        robot, count = self.robot, len(self.middle)
        rows = self.rows(q)
        system = self.system(rows)
        speeds = self._all(system, rows, rate, None)
        gamma = run_on_jets(_tape(robot, "rate"), [*q, *speeds])
        accelerations = self._all(system, rows, bend, Entries.of(gamma, (len(gamma), 1), count))
        found = [as_jet(each, count) for each in
                 run_on_jets(_tape(robot, "coordinates"), [*q, *speeds, *accelerations])]
        return speeds, accelerations, found[: robot.nq], found[robot.nq :]

    def _all(self, system: NearIdentity, rows: Entries, own: Sequence[Jet], gamma: Entries | None) -> list[Jet]:
        split, count = self.robot.split, len(self.middle)
        given = Entries.of(own, (len(own), 1), count)
        right = -(conditioned(self.C, rows.columns(split.independent)) @ given)
        if gamma is not None:
            right = right - conditioned(self.C, gamma)
        others = system.solve(right)
        found: list[Any] = [None] * self.robot.n
        for k, each in zip(split.independent, own, strict=True):
            found[k] = each
        for k, each in zip(split.dependent, Entries(others.middle[..., 0], others.radius[..., 0]).jets(), strict=True):
            found[k] = each
        return found

    def enclosed(
        self, z: Sequence[Sequence[Jet]], places: Sequence[int], half: Floats
    ) -> list[Jet]:
        """Jets of all coordinates by the path's parameter, from those of the path `z`: coordinates, their rates and the
        rates of these. `places` are those of the path's own; half lengths of intervals in the parameter are `half`.
        """
        robot, middle, count = self.robot, self.middle, len(half)
        rate, bend = ([_value(each) for each in part] for part in z[1:3])
        spread = np.stack([half * (np.abs(each.middle[0]) + each.radius[0]) for each in rate], axis=-1).max(axis=-1)
        reach = np.repeat(WIDER * spread[:, None] + ROUNDED, robot.nq, axis=1)
        good = np.zeros(count, dtype=bool)
        first: list[Jet] = []
        second: list[Jet] = []
        for _ in range(BOXES):
            box = [Jet(np.stack([middle[:, k], *np.zeros((2, count))]), np.stack([reach[:, k], *np.zeros((2, count))]))
                   for k in range(robot.nq)]
            _, _, first, second = self.completed(box, rate, bend)
            moved = ROUNDED + half[:, None] * np.stack([each.largest[0] for each in first], axis=-1)
            moved = np.where(np.isfinite(moved), moved, UNBOUNDED)
            inside = (moved <= reach).all(axis=1)
            if (good & inside).all():
                break
            good |= inside  # a box that is taken from one that encloses does so as well
            reach = np.where(good[:, None], np.minimum(moved, reach), np.minimum(WIDER * moved, 1e3))
        lost = np.where(good, 0.0, UNBOUNDED)
        found = [Jet(np.stack([middle[:, k], first[k].middle[0], second[k].middle[0] / 2]),
                     np.stack([reach[:, k] + lost, first[k].radius[0], second[k].radius[0] / 2]))
                 for k in range(robot.nq)]
        for place, each in zip(places, z[0], strict=True):
            found[place] = each
        return found

    # Loads

    @property
    def determinate(self) -> bool:
        """Whether balance alone gives what the loops carry."""
        return bool(self.robot._rows == self.robot.n - self.robot.mobility)

    def multipliers(self, rows: Entries, tau: Sequence[Jet]) -> Entries:
        """(3, intervals, m, 1): of J_P' lambda = tau_P, for forces (n) of the open tree."""
        split, count = self.robot.split, len(self.middle)
        passive = Entries.of([tau[k] for k in split.dependent], (len(split.dependent), 1), count)
        inner = NearIdentity(self.system(rows).matrix.transposed()).solve(passive)
        return conditioned(np.swapaxes(self.C, -1, -2), inner)

    def drives(self, rows: Entries, tau: Sequence[Jet]) -> list[Jet]:
        """Forces of the drives (n), from those of all joints of the open tree."""
        split, count = self.robot.split, len(self.middle)
        back = rows.columns(split.independent).transposed() @ self.multipliers(rows, tau)
        own = Entries.of([tau[k] for k in split.independent], (len(split.independent), 1), count) - back
        found = [as_jet(0.0, count)] * self.robot.n
        for k, each in zip(split.independent, Entries(own.middle[..., 0], own.radius[..., 0]).jets(), strict=True):
            found[k] = each
        return found

    def wrenches(self, q: Sequence[Jet], rows: Entries, tau: Sequence[Jet], of_tree: Sequence[Jet]) -> list[Jet]:
        """Wrenches of all joints and loops, six each, from those of the tree's joints and the forces at them."""
        count = len(self.middle)
        lever = run_on_jets(_tape(self.robot, "levers"), list(q))
        loads = self.multipliers(rows, tau)
        by_row = Entries(loads.middle[..., 0], loads.radius[..., 0]).jets()
        width = len(lever) // len(by_row)
        found = [*of_tree, *(as_jet(0.0, count) for _ in range(width - len(of_tree)))]
        for r, multiplier in enumerate(by_row):
            for k in range(width):
                entry = lever[r * width + k]
                if isinstance(entry, Jet) or entry != 0:
                    found[k] = found[k] + multiplier * entry
        return found


def _value(jet: Jet) -> Jet:
    """The range alone."""
    none = np.zeros_like(jet.middle[1:])
    return Jet(np.concatenate([jet.middle[:1], none]), np.concatenate([jet.radius[:1], none]))


def as_jet(each: Any, count: int) -> Jet:
    """A plain number as well."""
    return each if isinstance(each, Jet) else Jet(np.zeros((3, count)), np.zeros((3, count))) + each


# Recorded programs

_tapes: weakref.WeakKeyDictionary[Any, dict[str, Tape]] = weakref.WeakKeyDictionary()
"""By robots."""


def _tape(robot: Any, what: str) -> Tape:
    kept = _tapes.setdefault(robot, {})
    if what not in kept:
        kept[what] = PROGRAMS[what](robot)
    return kept[what]


def _rows(robot: Any) -> Tape:
    inputs = Recording().inputs(robot.nq)
    return tape_of("rows of loops", inputs, list(constraint_jacobian(plain(robot), array(inputs)).ravel()))


def _rate(robot: Any) -> Tape:
    """The rate of the rows times all speeds."""
    inputs, nq = Recording().inputs(robot.nq + robot.n), robot.nq
    return tape_of("rate of loops", inputs, list(constraint_rate(plain(robot), array(inputs[:nq]), array(inputs[nq:]))))


def _coordinates(robot: Any) -> Tape:
    """Rates of coordinates, and their rates, from speeds and accelerations."""
    inputs, nq, n, mechanism = Recording().inputs(robot.nq + 2 * robot.n), robot.nq, robot.n, plain(robot)
    q, qd, qdd = array(inputs[:nq]), array(inputs[nq : nq + n]), array(inputs[nq + n :])
    moving = coordinate_rate(mechanism, q, qd)
    # Of E(q) qd, with E affine in quaternions.
    turning = coordinate_rate(mechanism, moving, qd) - coordinate_rate(mechanism, array([0.0] * nq), qd)
    return tape_of("rates of coordinates", inputs, [*moving, *(coordinate_rate(mechanism, q, qdd) + turning)])


def _levers(robot: Any) -> Tape:
    """What a unit of each multiplier puts on all joints and loops, six numbers each."""
    inputs = Recording().inputs(robot.nq)
    shared = reactions(plain(robot), array(inputs))
    return tape_of("levers of loops", inputs, [part[name][k] if name in part else 0.0 for part in shared.parts
                                               for name in shared.names for k in range(6)])


PROGRAMS: dict[str, Callable[[Any], Tape]] = {
    "rows": _rows, "rate": _rate, "coordinates": _coordinates, "levers": _levers,
}
