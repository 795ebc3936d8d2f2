"""What all drives together take from their supply and give back over a motion: power, and energy of one run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.loads.peaks.result import PeakLoads
from loadpath.report.blocks import NONE, Cell, Table, number, seconds
from loadpath.scalars.types import Floats

TITLE = "Power and energy of the supply"
AT_JOINTS, AT_MOTORS, ELECTRICAL = "mechanical, at the joints", "mechanical, at the motors", "electrical, at the motors"
LITTLE = 1e-9
"""W that are rounding."""
NOTE = (
    "Sums over all drives, as on one supply: what a drive feeds back, another takes at that instant. Fed back one by "
    "one is what each drive feeds back for itself, as where each has a brake resistor of its own. The energy is that "
    "of one run. Amplifiers and standstill take more than that."
)


@dataclass(frozen=True)
class Supply:
    """Power and energy of all drives, on one supply.

    >>> import numpy as np
    >>> found = Supply.of(np.array([0.0, 1.0, 2.0]), np.array([[1.0, 0.0], [3.0, -1.0], [0.0, -2.0]]))
    >>> found.peak, found.peak_time, found.most_returned, found.taken, found.returned, found.returned_singly
    (2.0, 1.0, 2.0, 2.0, 0.5, 2.0)
    """

    peak: float
    """W, the largest sum of what is taken; zero where nothing is."""
    peak_time: float
    most_returned: float
    """W, the largest sum of what is fed back."""
    returned_time: float
    taken: float
    """J while the sum is positive."""
    returned: float
    """J while it is negative."""
    returned_singly: float
    """J that each drive feeds back for itself."""
    mean: float
    """W, net."""

    @classmethod
    def of(cls, t: Floats, power: Floats) -> Supply:
        """Of the powers of the drives, (samples, drives), at the times `t`; between samples powers are straight lines.
        """
        total = power.sum(axis=1)
        most, least = int(np.argmax(total)), int(np.argmin(total))
        taken, back = _areas(t, total[:, None])
        span = float(t[-1] - t[0])
        mean = (taken - back) / span if span > 0 else float(total.mean())
        return cls(max(float(total[most]), 0.0), float(t[most]), max(-float(total[least]), 0.0), float(t[least]),
                   taken, back, _areas(t, power)[1], mean)


def _areas(t: Floats, power: Floats) -> tuple[float, float]:
    """Areas above and below zero of straight lines between samples, as magnitudes."""
    a, b, step = power[:-1], power[1:], np.diff(t)[:, None]
    crossing = a * b < 0
    size = np.where(crossing, np.abs(a) + np.abs(b), 1.0)
    above = np.where(crossing, 0.5 * np.maximum(a, b) ** 2 / size, 0.5 * np.maximum(a + b, 0.0))
    below = np.where(crossing, 0.5 * np.minimum(a, b) ** 2 / size, 0.5 * np.maximum(-(a + b), 0.0))
    return float((step * above).sum()), float((step * below).sum())


def supplies(peaks: PeakLoads, motion: Any, tau: Floats, motors: Any = None) -> dict[str, Supply]:
    """By where it is measured: at the joints, and as far as they are known at the motors and at their terminals.
    `motors` are the `MotorLoads` over the motion.
    """
    columns = [peaks.dof_names.index(name) for name in peaks.drive_names]
    found = {AT_JOINTS: tau[:, columns] * motion.qd[:, columns]}
    if motors is not None and set(motors.drive_names) == set(peaks.drive_names):
        found |= {AT_MOTORS: np.asarray(motors.power), ELECTRICAL: np.asarray(motors.electrical_power)}
    return {words: Supply.of(motion.t, power) for words, power in found.items() if np.isfinite(power).all()}


def supply_table(found: dict[str, Supply]) -> Table:
    """A row for each place where it is measured."""
    columns = ["power", "peak (W)", "most fed back (W)", "taken (J)", "fed back (J)", "fed back one by one (J)",
               "net (J)", "mean (W)"]
    rows: list[list[Cell]] = [
        [words, (number(one.peak), seconds(one.peak_time)), _back(one), number(one.taken), number(one.returned),
         number(one.returned_singly), number(one.taken - one.returned), number(one.mean)]
        for words, one in found.items()
    ]
    return Table(TITLE, columns, rows, NOTE)


def _back(one: Supply) -> Cell:
    return (number(one.most_returned), seconds(one.returned_time)) if one.most_returned > LITTLE else NONE
