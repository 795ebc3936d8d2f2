"""What caused a row of a verdict: the load breakdown of the state that decides it, along what the check measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.loads.breakdown.drive import drive_parts
from loadpath.loads.breakdown.index import Cause
from loadpath.loads.breakdown.result import LoadBreakdown, load_breakdown
from loadpath.parts.part import DRIVE, GEAR, HOLDING

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict, VerdictRow


def causes_of(verdict: Verdict, row: VerdictRow) -> dict[Cause, float]:
    """For each cause what it adds to the demand of a row at its instant. Forces and torques of drives sum to the
    demand: a mean, or a torque at the motor's shaft, is shared as the drive's force is at that instant. What is no
    force, as a temperature or a voltage, has the causes of the drive's force (N m or N) at that instant.
    """
    if row.at is None or row.along is None:
        why = row.note or "it is not decided by one instant" if row.at is None else "it is no load with causes"
        raise ValueError(f"{row.check} of {row.part} at '{row.joint}' has no causes: {why}")
    loads = breakdown_at(verdict, row.at.motion, row.at.sample, at_rest=row.along == HOLDING)
    if isinstance(row.along, str):
        found = {cause: float(part) for cause, part in drive_parts(loads, row.joint).items()}
        if row.along == GEAR:
            found = {cause: part for cause, part in found.items() if cause != ("rotor", (row.joint,))}
        elif row.along not in (DRIVE, HOLDING):
            raise ValueError(f"{row.check} of {row.part} at '{row.joint}': causes along {row.along!r} are not known")
        total = sum(found.values())
        factor = -1.0 if total < 0 else 1.0
        if row.unit in ("N", "N m") and total:
            factor = row.demand / total
        return {cause: factor * part for cause, part in found.items()}
    along = np.array(row.along, dtype=float)
    return {cause: float(loads.sum_of(rows) @ along) for cause, rows in loads.index.of_joint(row.joint).items()}


def breakdown_at(verdict: Verdict, motion: int, sample: int, *, at_rest: bool = False) -> LoadBreakdown:
    """All joint wrenches by cause at one sample of one motion; each is made once."""
    kept = verdict.breakdowns
    key = motion, sample, at_rest
    if key not in kept:
        duty = verdict.duties[motion]
        q, qd, qdd, case = duty.state(sample)
        if at_rest:
            qd, qdd = np.zeros_like(qd), np.zeros_like(qdd)
            case = duty.case_at_rest(verdict.robot, np.array([sample]), q[None]).of_states(0, (1,))
        kept[key] = load_breakdown(verdict.robot, q, qd, qdd, **case.keywords, compiled=False)
    return kept[key]
