"""The robot in space with the force and torque at every joint, at its worst instant and, by a slider, at others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from loadpath.loads.peaks.result import PeakLoads, Quantity
from loadpath.loads.resultants import effort_limits
from loadpath.parts.verdict.table import worst_words
from loadpath.quantities.carriers import is_closed
from loadpath.report.around import Around
from loadpath.report.bent import bent_of, put
from loadpath.report.blocks import Chart, number, seconds
from loadpath.report.scene import LONGEST, Instants, scale_words, scene_of, size_of, view_of
from loadpath.scalars.types import Ints

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict
    from loadpath.structure.quantities import ElasticQuantities

# The instant that the picture shows: the worst of the robot, by utilisation.

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
        row = next((row for row in verdict.ranked if row.at is not None and row.is_load and not row.case), None)
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


INSTANTS = 48
"""Steps of the slider, in addition to the worst instant."""
MOST_NUMBERS = 120_000
"""Of all instants together: robots of many joints have fewer steps."""


def robot_picture(
    peaks: PeakLoads, worst: Worst, shown: Sequence[str], around: Around | None = None, bends: bool = False
) -> Chart:
    """The picture of a robot over a motion; `shown` have arrows, `around` is what it stands on; `bends` says whether it
    is drawn bent, if it is.
    """
    robot = peaks.robot
    also = [peaks[name, "force"].peak.sample for name in peaks.joint_names] if is_closed(robot) else []
    rows = _instants(peaks, [worst.sample, *also])
    q, qd, qdd = peaks.states.rows(rows)
    case = peaks.states.case_of(rows).keywords
    wrenches = robot.joint_wrenches(q, qd, qdd, **case)
    at = Instants(np.asarray(robot.link_poses(q), dtype=float),
                  np.concatenate([np.asarray(wrenches.force), np.asarray(wrenches.torque)], axis=-1),
                  np.asarray(robot.inverse_dynamics(q, qd, qdd, **case)))
    skeleton = at.skeleton(robot).reshape(-1, 3)
    size, start = size_of(skeleton), int(np.searchsorted(rows, worst.sample))
    below = [] if around is None else around.surfaces(size)
    trace, reach, _ = scene_of(robot, at, shown, size, on_base=below, start=start)
    t = peaks.states.t
    trace |= {"samples": rows, "times": None if t is None else t[rows] - t[0], "ring": around and around.ring}
    for frame, ground in zip(trace["frames"], _ground(around, rows, size), strict=True):
        frame["ground"] = ground
    note = (
        "World axes. Force (red) and torque (blue) that each joint exerts on the link beyond it; the legend has the "
        "scale of the arrows."
    )
    if any(body["limit"] is not None for body in trace["bodies"]):
        note += " Links whose drive has a limit are coloured by how much of it the drive gives."
    bent = None
    if bends and robot.is_elastic:
        bent = bent_of(cast("ElasticQuantities", robot), (q, qd, qdd),
                       lambda k: peaks.states.case_of(int(rows[k])).keywords, at.poses, size)
    if bent is not None:
        reach = np.concatenate([reach, put(bent, trace)])
        note = (
            f"World axes. The arm as it bends, {bent.words}; behind it, transparent, as if it were rigid. Force (red) "
            "and torque (blue) that each joint exerts on the link beyond it; the legend has the scale of the arrows."
        )
    instants = [seconds(None if t is None else float(t[row]), int(row)) for row in rows]
    title = f"The robot at {instants[start]}, {worst.words}"
    layout = {"scene": view_of(reach, skeleton, around is not None), "hovermode": "closest"}
    return Chart(title, [trace], layout, 520, None, note, instants, start)


def _instants(peaks: PeakLoads, wanted: Sequence[int]) -> Ints:
    count, joints = len(peaks.states), len(peaks.joint_names)
    steps = int(np.clip(MOST_NUMBERS // (18 * max(joints, 1)), 3, INSTANTS))
    even = np.linspace(0, count - 1, min(count, steps)).round()
    return np.unique(np.append(even, wanted[: max(steps, 1)])).astype(np.intp)


def _ground(around: Around | None, rows: Ints, size: float) -> list[dict[str, Any] | None]:
    """For every instant, the forces of the ground as they are drawn, the zero-moment point, and whether it tips."""
    if around is None or around.at_rows is None:
        return [None] * len(rows)
    found = around.at_rows(rows)
    strongest = float(np.nanmax(np.linalg.norm(found["ground"], axis=-1), initial=0.0))
    scale = LONGEST * size / strongest if strongest > 0 else 0.0
    name = scale_words("force of the ground", scale, "N")
    return [{"name": name, "at": found["at"][k], "force": scale * found["ground"][k], "tips": bool(found["tips"][k]),
             "zero_moment_point": found["zero_moment_point"][k]} for k in range(len(rows))]
