"""What caused a row of a verdict: the load breakdown of the state that decides it, along what the check measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.loads.breakdown.calculation import load_breakdown
from loadpath.loads.breakdown.drive import drive_parts
from loadpath.loads.breakdown.result import LoadBreakdown
from loadpath.parts.part import DRIVE, GEAR, HOLDING
from loadpath.quantities.load_index import Cause
from loadpath.scalars.types import Ints

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict, VerdictRow

INSTANTS_AT_ONCE = 128
"""Of a humanoid an instant has about ten thousand terms, half a megabyte."""


def causes_of(verdict: Verdict, row: VerdictRow) -> dict[Cause, float]:
    """For each cause what it adds to the demand of a row at its instant. Forces and torques of drives sum to the
    demand: a mean, or a torque at the motor's shaft, is shared as the drive's force is at that instant. What is no
    force, as a temperature or a voltage, has the causes of the drive's force (N m or N) at that instant.
    """
    if row.at is None or row.along is None:
        why = row.note or "it is not decided by one instant" if row.at is None else "it is no load with causes"
        raise ValueError(f"{row.words} has no causes: {why}")
    loads = breakdown_at(verdict, row.at.motion, row.at.sample, at_rest=row.along == HOLDING)
    if isinstance(row.along, str):
        found = {cause: float(part) for cause, part in drive_parts(loads, row.joint).items()}
        if row.along == GEAR:
            found = {cause: part for cause, part in found.items() if cause != ("rotor", (row.joint,))}
        elif row.along not in (DRIVE, HOLDING):
            raise ValueError(f"{row.words}: causes along {row.along!r} are not known")
        total = sum(found.values())
        factor = -1.0 if total < 0 else 1.0
        if row.unit in ("N", "N m") and total:
            factor = row.demand / total
        return {cause: factor * part for cause, part in found.items()}
    along = np.array(row.along, dtype=float)
    return {cause: float(loads.sum_of(rows) @ along) for cause, rows in loads.index.of_joint(row.joint).items()}


def breakdown_at(verdict: Verdict, motion: int, sample: int, *, at_rest: bool = False) -> LoadBreakdown:
    """All joint wrenches by cause at one sample of one motion. Those of all rows of that motion are made together, and
    once: computing a hundred instants takes hardly longer than one.
    """
    kept = verdict.breakdowns
    if (motion, sample, at_rest) not in kept:
        wanted = [row.at.sample for row in verdict.checks if row.at is not None and row.along is not None
                  and row.at.motion == motion and (row.along == HOLDING) == at_rest]
        samples = [sample, *(other for other in dict.fromkeys(wanted) if other != sample)][:INSTANTS_AT_ONCE]
        together = _breakdown(verdict, motion, np.array(samples), at_rest=at_rest)
        for k, number in enumerate(samples):
            kept[motion, number, at_rest] = together.at(k)
    return kept[motion, sample, at_rest]


def _breakdown(verdict: Verdict, motion: int, samples: Ints, *, at_rest: bool) -> LoadBreakdown:
    """All joint wrenches by cause at some samples of a motion."""
    duty = verdict.duties[motion]
    q, qd, qdd, case = duty.state(samples)
    if at_rest:
        qd, qdd = np.zeros_like(qd), np.zeros_like(qdd)
        case = duty.case_at_rest(verdict.robot, samples, q)
    return load_breakdown(verdict.robot, q, qd, qdd, **case.keywords, compiled=False)
