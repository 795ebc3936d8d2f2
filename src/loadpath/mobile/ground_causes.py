"""What caused a row of a rover's verdict: the wheel load breakdown of the state that decides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.mobile.ground_checks import SLIP, TIPPING
from loadpath.mobile.motions import base_rows
from loadpath.mobile.wheel_breakdown import WheelLoadBreakdown, wheel_load_breakdown
from loadpath.quantities.load_index import Cause

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.parts.verdict.duties import Duty
    from loadpath.parts.verdict.result import VerdictRow

_QUANTITIES = {SLIP: "used", "load": "normal", "load while rolling": "normal", "torque": "drive_torque",
               "side force": "lateral"}
"""What a check of a wheel measures, as `WheelLoadBreakdown` names it."""


def ground_causes(
    rover: Rover, duties: Sequence[Duty], bases: Sequence[Mapping[str, Any]], row: VerdictRow
) -> dict[Cause, float]:
    """For each cause what it adds to the demand of a row: of a wheel's load, its friction or its torque; of tipping
    over, how far (m) it takes the zero-moment point towards the edge that is nearest to tipping.
    """
    if row.at is None:
        raise ValueError(f"{row.words} has no causes: it is not decided by one instant")
    duty, one = duties[row.at.motion], np.array([row.at.sample])
    q, qd, qdd, _ = duty.state(one)
    split = wheel_load_breakdown(rover, q, qd, qdd, **base_rows(bases[row.at.motion], one, duty.states.shape))
    if row.check == TIPPING:
        return _towards_edge(split, row)
    if row.check not in _QUANTITIES:
        raise ValueError(f"{row.words} has no causes: it is no load")
    parts = {cause: float(values[0]) for cause, values in split.parts(row.joint, _QUANTITIES[row.check]).items()}
    sign = -1.0 if sum(parts.values()) < 0 else 1.0  # demands are magnitudes
    return {cause: sign * value for cause, value in parts.items()}


def _towards_edge(split: WheelLoadBreakdown, row: VerdictRow) -> dict[Cause, float]:
    """m: the moment of each cause about a line parallel to the edge, as far inside as the capacity says, by F_z."""
    pressed = float(split.total("base", "force_z")[0])
    if not pressed > 0:
        raise ValueError(f"{row.words} has no causes: nothing presses the base to the ground")
    about, force = split.parts(split.nearest_edge), split.parts("base", "force_z")
    return {cause: float(row.capacity * force[cause][0] - about[cause][0]) / pressed for cause in about}
