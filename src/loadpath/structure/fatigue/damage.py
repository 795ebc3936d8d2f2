"""Damage of stress histories by Miner's rule: n / N of every cycle, added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from loadpath.robot.materials.material import SNCurve
from loadpath.scalars.types import Floats
from loadpath.structure.fatigue import mean_stress as mean_rules
from loadpath.structure.fatigue.counting import Counting, Cycles, rainflow
from loadpath.structure.fatigue.duty import shares_of
from loadpath.structure.fatigue.mean_stress import MeanStress


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
            return 2 * mean_rules.fkm(cycles.ranges / 2, cycles.means, self.curve.mean_sensitivity)
        assert self.ultimate_strength is not None
        return 2 * mean_rules.goodman(cycles.ranges / 2, cycles.means, self.ultimate_strength)

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
