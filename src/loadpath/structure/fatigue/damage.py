"""From stress histories to damage: rainflow counting, mean stress, and Miner's rule, n / N of every cycle, added up.

Many histories are counted at once: turning points here, closed cycles by pyLife's four-point rule, which closes the
cycles that are closed whatever comes next, and leaves a residue. Of a history that repeats without end, the residue
twice in a row closes the others, and is left over again: so the count of each repetition is exact. ("Simplified
rainflow counting for repeating histories", ASTM E1049-85, 5.4.5.) Of a history that happens once, every range of the
residue is half a cycle: the same count as that of ASTM E1049-85, 5.4.4.

Cycles about a mean stress count as fully reversed ones that do the same harm. Goodman: the amplitude grows by
1 / (1 - mean / R_m); compression is not credited. FKM (Haigh diagram of the guideline, four fields of the stress ratio
R): for -inf < R <= 0 the slope is the sensitivity M, for 0 < R < 0.5 a third of it, beyond on either side the amplitude
that is borne does not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from loadpath.robot.materials import SNCurve
from loadpath.scalars.types import ArrayLike, Bools, Floats, Ints
from loadpath.structure.fatigue.duty import shares_of

Counting: TypeAlias = Literal["repeated", "once"]
COUNTINGS = ("repeated", "once")


class Cycles(NamedTuple):
    """Cycles of a history: how far they range, about which mean, and how many of them there are (1 or 0.5)."""

    ranges: Floats
    means: Floats
    counts: Floats


def pylife_rainflow() -> Any:
    """pyLife's module of rainflow counting; an error says what to install."""
    try:
        from pylife.stress import rainflow
    except ImportError as problem:
        raise ImportError("fatigue counts cycles with pyLife: pip install loadpath[fatigue]") from problem
    return rainflow


def closed_cycles(history: Floats) -> tuple[Floats, Floats, Floats]:
    """Where each closed cycle of a history starts and turns, by the four-point rule; and the residue."""
    rainflow = pylife_rainflow()
    detector = rainflow.FourPointDetector(recorder=rainflow.LoopValueRecorder()).process(history)
    found = detector.recorder
    return np.asarray(found.values_from), np.asarray(found.values_to), np.asarray(detector.residuals)


def rainflow(history: ArrayLike, counting: Counting = "repeated") -> Cycles:
    """The cycles of a stress history (samples,) that repeats without end, or that happens once.

    >>> astm = [-2, 1, -3, 5, -1, 3, -4, 4, -2]                       # ASTM E1049-85, figure 6
    >>> found = rainflow(astm, "once")
    >>> {float(r): float(found.counts[found.ranges == r].sum()) for r in sorted(set(found.ranges))}
    {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}
    >>> rainflow(astm).ranges.tolist()
    [4.0, 3.0, 7.0, 9.0]
    """
    if counting not in COUNTINGS:
        raise ValueError(f"counting is {counting!r}: expected 'repeated' or 'once'")
    given = np.asarray(history, dtype=float)
    if len(given) < 2:
        return Cycles(np.zeros(0), np.zeros(0), np.zeros(0))
    start, turn, residue = closed_cycles(given)
    count = np.ones(len(start))
    if counting == "repeated":
        again = closed_cycles(np.concatenate([residue, residue]))
        start, turn = np.concatenate([start, again[0]]), np.concatenate([turn, again[1]])
        count = np.ones(len(start))
    else:
        start, turn = np.concatenate([start, residue[:-1]]), np.concatenate([turn, residue[1:]])
        count = np.concatenate([count, np.full(len(residue) - 1, 0.5)])
    ranges = np.abs(turn - start)
    moves = ranges > 0
    return Cycles(ranges[moves], 0.5 * (start + turn)[moves], count[moves])


class TurningPoints:
    """Turning points of many histories, taken up block by block, so that a million samples fit in memory.

    >>> seen = TurningPoints()
    >>> seen.add(np.array([[0.0, 1.0, 1.0]]))
    >>> seen.add(np.array([[0.5, 2.0]]))
    >>> [row.tolist() for row in seen.histories()]
    [[0.0, 1.0, 0.5, 2.0]]
    """

    def __init__(self) -> None:
        self._rows: list[Ints] = []
        self._values: list[Floats] = []
        self._last: Floats | None = None
        self._rising: Bools = np.zeros(0, dtype=bool)
        self._moved: Bools = np.zeros(0, dtype=bool)

    def add(self, block: Floats) -> None:
        """More samples (histories, samples)."""
        count, samples = block.shape
        if not samples:
            return
        if self._last is None:
            self._keep(np.arange(count), block[:, 0])
            self._last, self._rising, self._moved = block[:, :1], np.zeros(count, bool), np.zeros(count, bool)
        steps = np.empty_like(block)
        np.subtract(block[:, :1], self._last, out=steps[:, :1])
        np.subtract(block[:, 1:], block[:, :-1], out=steps[:, 1:])
        rising, still = steps > 0, steps == 0
        moved = np.ones((count, 1), bool)
        if still.any():  # standing still goes on in the direction before
            at = np.maximum.accumulate(np.where(still, -1, np.arange(samples)), axis=1)
            rising = np.where(at < 0, self._rising[:, None], np.take_along_axis(rising, np.maximum(at, 0), axis=1))
            moved = (at >= 0) | self._moved[:, None]
        turns = np.empty((count, samples), bool)
        turns[:, 0] = (rising[:, 0] != self._rising) & self._moved
        turns[:, 1:] = rising[:, 1:] != rising[:, :-1]
        if moved.shape[1] > 1:
            turns[:, 1:] &= moved[:, :-1]
        rows, places = np.nonzero(turns)
        before = np.where(places > 0, block[rows, places - 1], self._last[rows, 0])
        self._keep(rows, before)
        self._last, self._rising, self._moved = block[:, -1:], rising[:, -1], moved[:, -1]

    def _keep(self, rows: Ints, values: Floats) -> None:
        self._rows.append(rows)
        self._values.append(values)

    def histories(self) -> list[Floats]:
        """Each history as its first sample, its turning points and its last sample."""
        if self._last is None:
            return []
        count = len(self._last)
        rows = np.concatenate([*self._rows, np.arange(count)])
        values = np.concatenate([*self._values, self._last[:, 0]])
        order = np.argsort(rows, kind="stable")
        return np.split(values[order], np.cumsum(np.bincount(rows, minlength=count))[:-1])


MeanStress: TypeAlias = Literal["none", "goodman", "fkm"]
MEAN_STRESS = ("none", "goodman", "fkm")


def goodman(amplitude: Floats, mean: Floats, ultimate_strength: float) -> Floats:
    """Fully reversed amplitude by Goodman; infinite where the mean reaches the ultimate strength.

    >>> goodman(np.array([100.0]), np.array([200.0]), 400.0).tolist()
    [200.0]
    """
    left = 1.0 - np.maximum(mean, 0.0) / ultimate_strength
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(left > 0, amplitude / left, np.where(amplitude > 0, np.inf, 0.0)))


def fkm(amplitude: Floats, mean: Floats, M: float) -> Floats:
    """Fully reversed amplitude by the FKM guideline, with the mean stress sensitivity M.

    >>> fkm(np.array([100.0, 100.0]), np.array([0.0, 100.0]), 0.3).tolist()
    [100.0, 130.0]
    """
    a, m, third = amplitude, mean, M / 3
    return np.asarray(np.select(
        [m < -a, m <= a, m <= 3 * a],
        [a * (1 - M), a + M * m, (a + third * m) * (1 + M) / (1 + third)],
        a * (1 + M) * (1 + M) / (1 + third),
    ))


class Strength(NamedTuple):
    """What a fibre bears: its curve as Miner's rule reads it, how mean stress counts, and the ultimate strength."""

    curve: SNCurve
    mean_stress: MeanStress
    ultimate_strength: float | None

    def equivalent(self, cycles: Cycles) -> Floats:
        """Stress ranges on the curve that do the same harm as the cycles with their means."""
        if self.mean_stress == "none":
            return cycles.ranges
        if self.mean_stress == "fkm":
            assert self.curve.mean_sensitivity is not None
            return 2 * fkm(cycles.ranges / 2, cycles.means, self.curve.mean_sensitivity)
        assert self.ultimate_strength is not None
        return 2 * goodman(cycles.ranges / 2, cycles.means, self.ultimate_strength)

    def damage(self, cycles: Cycles) -> float:
        """Sum of n / N."""
        with np.errstate(divide="ignore"):
            return float((cycles.counts / self.curve.cycles_at(self.equivalent(cycles))).sum())


class FibreDamage(NamedTuple):
    """Of one fibre, in one repetition."""

    damage: float
    largest_range: float
    """Pa, as it is counted, with the notch factor."""
    cycles: float
    """How many were counted."""


def fibre_damage(
    histories: Sequence[Floats], repeats: Sequence[float], strength: Strength, counting: Counting
) -> FibreDamage:
    """Damage of one repetition of a duty cycle, of the turning points of its motions.

    >>> strength = Strength(SNCurve(100e6, 1e6, slope=3.0), "none", None)
    >>> fibre_damage([np.array([0, 200e6, 0])], [1.0], strength, "repeated").damage           # (200/100)^3 / 1e6
    8e-06
    """
    alone, together = shares_of(repeats)
    counted = [(share, rainflow(history, counting)) for share, history in zip(alone, histories, strict=True) if share]
    counted.append((together, rainflow(np.concatenate(list(histories)), counting)))
    damage = sum(share * strength.damage(cycles) for share, cycles in counted)
    largest = max((float(cycles.ranges.max(initial=0.0)) for _, cycles in counted), default=0.0)
    return FibreDamage(damage, largest, sum(share * float(cycles.counts.sum()) for share, cycles in counted))
