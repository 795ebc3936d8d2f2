"""`robot.peak_loads`: over a motion, a batch of states, or a box of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.bounds.box import Box
from loadpath.bounds.over import worst_states
from loadpath.loads.peaks import result
from loadpath.loads.peaks.result import PeakLoads, Statistics
from loadpath.motion.spectrum import DutySpectrum
from loadpath.progress import Report
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.states import StatesLike

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities


@takes_loads
def peak_loads(
    robot: RobotQuantities,
    states: StatesLike | DutySpectrum | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    over: Box | Mapping[str, object] | None = None,
    seconds: float = 60.0,
    progress: bool | Report = False,
    life_exponent: float = 3.0,
    **acting: Unpack[DriveLoadKeywords],
) -> PeakLoads:
    """What every joint and drive has to carry over a motion, or over a batch of states: extremes, when and in which
    pose, by what cause, and the means that catalogues ask for. See `PeakLoads`.

    `states` is an `lp.Motion` or a simulation, or the array q with qd and qdd after it (or a tuple of all three), with
    any leading axes; or an `lp.DutySpectrum`: extremes are those of all its motions, and each peak knows its `motion`.
    Means over a motion weigh each sample by its time (trapezoid rule), those over a spectrum each motion by its share,
    those over a batch all states the same: without times there is no duration and no work. `cubic_mean` is
    (sum t |x|^3 / sum t)^(1/3); `travel_cubic_mean`, what catalogues of gearboxes and bearings mean by an average load,
    weighs by the joint's speed n too: (sum |n| t |x|^3 / sum |n| t)^(1/3). `life_exponent` takes the place of 3, as
    10/3 for roller bearings.

    In place of states there may be a box of them, `over=lp.Box(...)`, as in `worst_case`: the peaks are those of the
    states that were found to be the worst for each resultant of each joint and for each drive, and `bound` of a
    quantity is what no state of the box exceeds. All searches together take `seconds` at most. A box has no times, so
    there are no means.

    `external`, `base_velocity` and `base_acceleration` are as in `joint_wrenches`, one for all states or one for each;
    so are `weights` and `preload` of robots with more drives than freedoms. For a drive beyond the model's effort limit
    there is a ModelWarning that names joint and sample.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda().with_payload(3.0)
    >>> peaks = arm.peak_loads(lp.Motion.swing(arm))
    >>> tilting = peaks["panda_joint2", "tilting_moment"]
    >>> tilting.peak
    <peak of 'panda_joint2': tilting_moment 36.0751 at sample 151, t = 0.390517 s>
    >>> tilting.peak.top(1)[0].cause
    'inertial panda_joint3'
    >>> over = lp.catalog.planar(2).peak_loads(over=lp.Box(qd=0))
    >>> round(over["joint1", "drive"].magnitude, 3), round(over["joint1", "drive"].bound, 3)
    (19.62, 19.62)
    """
    case = acting["under"]
    if over is None:
        if states is None:
            raise TypeError("peak_loads is of states: give a motion, arrays q, qd, qdd, or a box of states, over=")
        return result.peak_loads(robot, states, qd, qdd, life_exponent=life_exponent, under=case)
    refuse_both("peak_loads", states, qd, qdd)
    found = worst_states(robot, over, seconds, progress, "peak_loads", {"under": case})
    peaks = result.peak_loads(robot, found.q, found.qd, found.qdd, life_exponent=life_exponent, under=case)
    return without_means(replace(peaks, worst_cases=found.worst))


def refuse_both(caller: str, *states: object) -> None:
    """An error for states beside a box of them."""
    if any(part is not None for part in states):
        raise TypeError(f"{caller} has states and over=, a box of states: give one of them")


def without_means(peaks: PeakLoads) -> PeakLoads:
    """The same without means, which states of a box do not have: some are worse than others, none is more often."""
    parts = ("components", "resultants", "drive", "speed", "acceleration", "power", "wheels", "margin")
    without: dict[str, Any] = {part: _without_means(statistics) for part in parts
                               if (statistics := getattr(peaks, part)) is not None}
    return replace(peaks, **without)


def _without_means(statistics: Statistics) -> Statistics:
    none = np.full_like(statistics.mean, np.nan)
    return replace(statistics, mean=none, mean_magnitude=none, rms=none, cubic_mean=none, travel_cubic_mean=none)
