"""The instant that the picture shows: the worst of the robot, by utilisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.loads.peaks.result import PeakLoads, Quantity
from loadpath.loads.resultants import effort_limits
from loadpath.parts.verdict.table import worst_words
from loadpath.quantities.carriers import is_closed
from loadpath.report.numbers import number

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict


class Worst(NamedTuple):
    """A sample, and why it is the worst."""

    sample: int
    words: str
    name: str
    """Of the joint."""


def worst_instant(peaks: PeakLoads, verdict: Verdict | None = None) -> Worst:
    """When the robot is nearest to a limit of its parts; without parts, of its drives; without limits, when the largest
    moment is carried (the largest force, in mechanisms with pins).

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> worst_instant(arm.peak_loads(lp.Motion.swing(arm))).words
    "when the drive of 'panda_joint2' needs most of its limit, 47 % (41.16 of 87 N m)"
    """
    if verdict is not None and peaks.robot.parts:
        row = next((row for row in verdict.ranked if row.at is not None and row.is_load), None)
        if row is not None and row.at is not None:
            return Worst(row.at.sample, f"when the utilisation is largest: {worst_words(row)}", row.joint)
    limits = effort_limits(peaks.robot)
    driven = [peaks.dof_names.index(name) for name in peaks.drive_names]
    share = np.nan_to_num(peaks.drive.magnitude[driven] / limits[driven], nan=0.0)
    if share.size and share.max() > 0:
        k = int(np.argmax(share))
        found = peaks[peaks.drive_names[k], "drive"]
        words = f"when the drive of '{found.name}' needs most of its limit, {100 * share[k]:.0f} %"
        return Worst(
            found.peak.sample, f"{words} ({_load(found)} of {number(limits[driven[k]])} {found.unit})", found.name
        )
    quantity = "force" if is_closed(peaks.robot) else "torque"
    loads = [peaks[name, quantity] for name in peaks.joint_names]
    largest = max(loads, key=lambda load: np.nan_to_num(load.magnitude, nan=-1.0))
    word = "force" if quantity == "force" else "moment"
    words = f"when '{largest.name}' carries the largest {word}, {_load(largest)} {largest.unit}"
    return Worst(largest.peak.sample, words, largest.name)


def _load(found: Quantity) -> str:
    return number(found.magnitude)
