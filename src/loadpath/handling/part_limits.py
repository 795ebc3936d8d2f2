"""The mass at which a part stops holding, of payloads at many places.

What a check makes of loads that grow with the mass is convex in it: magnitudes, sums of them, their largest and their
means are. So the masses that a part bears are those from none to one root, which is bracketed and found by the rule of
false position, for all places at once.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from loadpath.handling.limits import FOREMOST, DiagramLimit, Reached
from loadpath.parts.sizing.loads import Affine, SeatLoads, States, Train
from loadpath.parts.sizing.stations import PartJudge
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.parts.part import Part

_BLOCK = 200_000
"""Samples that are looked at together."""
SLACK = 1e-9
STEPS = 100
_AT = 1e-12
"""By so much a part may be used beyond its limit and be at it: that is rounding."""
_EXACT = 1e-13


class PartLimit:
    """All checks of a part at its joint."""

    def __init__(self, part: Part, loads: SeatLoads, train: Train | None, hours: float | None, typical: Floats) -> None:
        """`typical` is a payload (masses,) of the order of those that are asked for."""
        self.loads, self.train, self.states = loads, train, len(loads.states.t)
        self.judge = PartJudge(part, loads, train, hours, np.stack([0.3 * typical, typical]))
        self.labels = tuple(DiagramLimit(loads.seat.name, part.label, check.check) for check in self.judge.made)
        self.numbers = {label.check: k for k, label in enumerate(self.labels)}
        self.unchecked = tuple((DiagramLimit(loads.seat.name, part.label, check.check), check.note)
                               for check in self.judge.unchecked)
        nothing, _ = self.used(np.zeros((1, len(typical))))
        self.at_nothing = float(nothing[0])
        self.exceeded = -1 if self.at_nothing > 1.0 + SLACK else None

    def used(self, masses: Floats) -> tuple[Floats, Ints]:
        """(payloads,): the largest utilisation, and which check it is of."""
        size, which = np.zeros(len(masses)), np.zeros(len(masses), dtype=np.intp)
        step = max(1, _BLOCK // self.states)
        for first in range(0, len(masses), step):
            rows = slice(first, first + step)
            some = masses[rows]
            if self.judge.slow:
                for k, mass in enumerate(some, start=first):
                    size[k], check = self.judge.examined(mass)
                    which[k] = self.numbers.get(check, 0)
                continue
            found = self.judge.by_rules(self.loads.of(some, self.train, **self.judge.needs), len(some))
            size[rows] = found.size
            which[rows] = np.array([self.numbers.get(check, 0) for _, check in found.labels])[found.which]
        return size, which

    # What is the largest of all states is decided by few of them.

    def foremost(self, masses: Floats) -> PartLimit | None:
        """The same, of checks of the largest alone, in those states that are foremost for some of these payloads: what
        it bears is no less than what the whole bears. None where it has no such checks, or few states.
        """
        ruled = [one for one in self.judge.ruled if one.rule.reduction == "largest"]
        if not ruled or self.judge.slow or self.states < 4 * FOREMOST:
            return None
        loads = self.loads.of(masses, self.train, **self.judge.needs)
        rows: set[int] = set()
        for one in ruled:
            signal = np.broadcast_to(one.rule.signal(loads), (len(masses) * self.states,)).reshape(len(masses), -1)
            rows |= set(np.unique(np.argpartition(-signal, FOREMOST, axis=1)[:, :FOREMOST]).tolist())
        chosen = np.array(sorted(rows))
        states = self.loads.states
        few = States(states.q[chosen], states.qd[chosen], states.qdd[chosen], states.t[chosen],
                     states.weights[chosen], ())
        arrays = {name: Affine(affine.base[..., chosen], affine.slopes[..., chosen])
                  for name, affine in self.loads.arrays.items()}
        found, judge = copy(self), copy(self.judge)
        few_loads = copy(self.loads)
        few_loads.states, few_loads.arrays = few, arrays
        for name in ("position", "speed", "acceleration"):
            setattr(few_loads, name, getattr(self.loads, name)[chosen])
        found.loads, found.states = few_loads, len(chosen)
        judge.ruled, judge.loads, judge.weights, found.judge = ruled, found.loads, few.weights, judge
        return found

    @property
    def slow(self) -> bool:
        """Whether some check has no rule: then each payload is examined by itself."""
        return self.judge.slow

    @property
    def is_fixed(self) -> bool:
        """Whether no payload changes it."""
        return self.judge.fixed and not self.judge.slow

    def reached(self, weights: Floats, most: Floats) -> Reached:
        """Where the part reaches its limit before the masses beyond which nobody asks."""
        sample = np.full(len(weights), -1)
        if self.exceeded is not None:
            _, which = self.used(np.zeros((1, weights.shape[1])))
            return Reached(np.zeros(len(weights)), np.repeat(which, len(weights)), sample)
        mass, which = np.full(len(weights), np.inf), np.zeros(len(weights), dtype=np.intp)
        if self.is_fixed:
            return Reached(mass, which, sample)
        size, _ = self.used(weights * most[:, None])
        beyond = np.flatnonzero(size > 1.0 + _AT)
        if len(beyond):
            chosen = weights[beyond]

            def over(rows: Ints, masses: Floats) -> Floats:
                return self.used(chosen[rows] * masses[:, None])[0] - 1.0

            mass[beyond] = crossing(over, most[beyond], self.at_nothing - 1.0, size[beyond] - 1.0)
            which[beyond] = self.used(chosen * (mass[beyond] * (1 + 1e-9))[:, None])[1]
        return Reached(mass, which, sample)


def crossing(over: Callable[[Ints, Floats], Floats], high: Floats, at_zero: float, at_high: Floats) -> Floats:
    """Where functions of which some are asked for by number cross zero between 0 and `high`: false position, with the
    end that stays behind halved (the Illinois rule).

    >>> squares = np.array([4.0, 9.0])
    >>> crossing(lambda rows, x: x * x - squares[rows], np.array([5.0, 5.0]), -4.0, np.array([21.0, 16.0])).round(12)
    array([2., 3.])
    """
    low, high = np.zeros(len(high)), high.copy()
    at_low, at_high = np.full(len(high), min(at_zero, 0.0)), at_high.copy()
    side = np.zeros(len(high), dtype=int)
    open_: Bools = (at_low < 0) & (high > 0)
    for step in range(STEPS):
        rows = np.flatnonzero(open_)
        if not len(rows):
            break
        a, b, fa, fb = low[rows], high[rows], at_low[rows], at_high[rows]
        x = b - fb * (b - a) / (fb - fa) if step % 8 != 7 else 0.5 * (a + b)
        x = np.clip(x, a, b)
        f = over(rows, x)
        above = f > 0
        for mask, new in ((above, 1), (~above, -1)):
            these = rows[mask]
            again = side[these] == new
            if new == 1:
                high[these], at_high[these] = x[mask], f[mask]
                at_low[these[again]] *= 0.5
            else:
                low[these], at_low[these] = x[mask], f[mask]
                at_high[these[again]] *= 0.5
            side[these] = new
        exact = rows[f == 0]
        low[exact] = high[exact] = x[f == 0]
        open_[rows] = (high[rows] - low[rows] > _EXACT * high[rows]) & (f != 0)
    return low
