"""Charts of the motion and of what the drives do over it. Turning and sliding freedoms have other units, so other
charts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from loadpath.loads.breakdown.drive import DRIVE
from loadpath.loads.peaks.result import PeakLoads
from loadpath.loads.resultants import effort_limits
from loadpath.motion import Motion
from loadpath.quantities.carriers import carriers
from loadpath.quantities.wrench import COMPONENTS
from loadpath.report.blocks import Chart, Choice
from loadpath.report.charts import lines
from loadpath.report.live.bindings import curves
from loadpath.report.peaks import speed_limits
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats, Ints

# What is drawn over time: drives, the loads of joints that are split by cause, and the mount, from all samples.
#
# One pass over the motion in blocks. Kept are a few columns for each sample, so a million samples fit into memory.

BLOCK = 8192
SAMPLES_OF_CAUSES = 121
"""States that are broken down by cause for a chart."""
RESOLVED = 0.02
"""Of a curve's range: how far it may go unseen beyond the samples that are drawn of it."""
MOST_BROKEN_DOWN = 150
"""Windows of time that stacks have, times joints: else one for all. Each window is a breakdown of all joints."""


class Series(NamedTuple):
    """Over all samples."""

    tau: Floats
    """(samples, n): of the drives."""
    leading: dict[str, Floats]
    """By joint, the component that is shown first, (samples,)."""
    mount: Floats | None
    """(samples, 6): the wrench of the mount on the robot, at the base's origin in its axes."""


def series(peaks: PeakLoads, leading: Mapping[str, str], mount: bool) -> Series:
    """One pass over the motion."""
    robot, count = peaks.robot, len(peaks.states)
    tau = np.empty((count, robot.n))
    place = {carrier.name: k for k, carrier in enumerate(carriers(robot))}
    found = {joint: np.empty(count) for joint in leading}
    held = np.empty((count, 6)) if mount else None
    for block in peaks.states.blocks(BLOCK):
        rows, case = block.rows, block.case.keywords
        tau[rows] = robot.inverse_dynamics(*block.arrays, **case)
        if held is not None:
            given = {key: part for key, part in case.items() if key not in ("weights", "preload")}
            base = robot.base_wrench(*block.arrays, **given)
            held[rows] = np.concatenate([np.asarray(base.force), np.asarray(base.torque)], axis=-1)
        if not found:
            continue
        wrenches = robot.joint_wrenches(*block.arrays, **case)
        six = np.concatenate([np.asarray(wrenches.force), np.asarray(wrenches.torque)], axis=-1)
        for joint, component in leading.items():
            if component == DRIVE:
                found[joint][rows] = tau[rows, robot.dof_names.index(joint)]
            else:
                found[joint][rows] = six[:, place[joint], COMPONENTS.index(component)]
    return Series(tau, found, held)


def windows(over: Series, worst: Mapping[str, int], count: int, instant: int, joints: int) -> dict[str, Ints]:
    """For every joint the samples of its stack: over all of the motion if so few show its curve as it is, else about
    its worst sample, as many as do. `instant` is the worst of the whole robot, of so many `joints`.
    """
    found = {joint: window(over.leading[joint], sample) for joint, sample in worst.items()}
    several = {(int(rows[0]), int(rows[-1])) for rows in found.values()} - {(0, count - 1)}
    if len(several) > 1 and len(several) * joints > MOST_BROKEN_DOWN:
        width = min(int(rows[-1] - rows[0]) for rows in found.values())
        shared = about(count, instant, width)
        found = {joint: rows if len(rows) and rows[-1] - rows[0] == count - 1 else shared
                 for joint, rows in found.items()}
    return found


def window(values: Floats, worst: int) -> Ints:
    """Samples about the worst one that show a curve as it is.

    >>> slow, fast = np.sin(np.linspace(0, 6, 5000)), np.sin(np.linspace(0, 6000, 5000))
    >>> [int(np.ptp(window(curve, 2500))) for curve in (slow, fast)]
    [4999, 120]
    """
    count = len(values)
    known = np.nan_to_num(values)
    size = float(np.ptp(known)) or 1.0
    width = count - 1
    while True:
        rows = about(count, worst, width)
        if width < SAMPLES_OF_CAUSES or hidden(known, rows) <= RESOLVED * size:
            return rows
        width = max(width // 2, SAMPLES_OF_CAUSES - 1)


def hidden(values: Floats, rows: Ints) -> float:
    """How far a curve goes, between two samples that are drawn of it, beyond both of them. A jump does not.

    >>> hidden(np.array([0.0, 3.0, 1.0, 5.0]), np.array([0, 2, 3]))
    2.0
    """
    drawn = values[rows]
    low, high = np.minimum(drawn[:-1], drawn[1:]), np.maximum(drawn[:-1], drawn[1:])
    inside = values[: rows[-1]]
    above = np.maximum.reduceat(inside, rows[:-1]) - high
    below = low - np.minimum.reduceat(inside, rows[:-1])
    return float(max(above.max(initial=0.0), below.max(initial=0.0)))


def about(count: int, sample: int, width: int) -> Ints:
    """So many samples spread evenly over a window about one of them, which is among them."""
    first = min(max(sample - width // 2, 0), max(count - 1 - width, 0))
    last = min(first + width, count - 1)
    even = np.linspace(first, last, min(last - first + 1, SAMPLES_OF_CAUSES)).round()
    return np.unique(np.append(even, sample)).astype(np.intp)


Freedom = Literal["turning", "sliding"]
UNITS: dict[Freedom, dict[str, str]] = {
    "turning": {"force": "N m", "position": "rad"},
    "sliding": {"force": "N", "position": "m"},
}
NAMES: dict[Freedom, str] = {"turning": "Torques of the drives", "sliding": "Forces of the sliding drives"}


def kinds(robot: RobotModel) -> list[Freedom]:
    """Whether each speed turns or slides.

    >>> import loadpath as lp
    >>> kinds(lp.catalog.lau_arm())
    ['turning', 'turning', 'sliding']
    """
    found: list[Freedom] = []
    for joint in robot.joints:
        if joint.mimic is None and joint.motion.dof:
            found += ["turning" if turns else "sliding" for turns in joint.motion.angular]
    return found


def drive_charts(peaks: PeakLoads, t: Floats, tau: Floats, shown: Sequence[str]) -> list[Chart]:
    """Forces, share of the effort limit and power, each over time."""
    robot, qd = peaks.robot, peaks.states.qd
    freedoms, charts = kinds(robot), []
    places = [(k, name) for k, name in enumerate(robot.dof_names) if name in shown]
    for kind, title in NAMES.items():
        own = [(name, k) for k, name in places if freedoms[k] == kind]
        forces = {name: tau[:, k] for name, k in own}
        charts += [lines(title, t, forces, UNITS[kind]["force"], live=curves("drive", own))] if own else []
    effort, speed = effort_limits(robot), speed_limits(robot)
    for words, of, values, limits in (("effort", "drive", tau, effort), ("speed", "speed", qd, speed)):
        own = [(name, k) for k, name in places if np.isfinite(limits[k])]
        limited = {name: 100 * np.abs(values[:, k]) / limits[k] for name, k in own}
        bound = curves(of, own, per=words)
        charts += [lines(f"Share of the {words} limit", t, limited, "%", live=bound)] if limited else []
    power = {name: tau[:, k] * qd[:, k] for k, name in places}
    bound = curves("power", [(name, k) for k, name in places])
    charts += [lines("Mechanical power of the drives", t, power, "W", live=bound)] if power else []
    return charts


def motion_charts(motion: Motion, robot: RobotModel, shown: Sequence[str]) -> list[Choice]:
    """Positions, speeds and accelerations, one of them to see at a time."""
    freedoms, found = kinds(robot), []
    names = set(shown)
    at = _coordinates(robot)
    for kind in NAMES:
        places = [k for k, name in enumerate(robot.dof_names) if freedoms[k] == kind and name in names]
        if not places:
            continue
        unit = UNITS[kind]["position"]
        charts = {}
        if all(at[k] is not None for k in places):
            own = [(robot.dof_names[k], at[k]) for k in places]
            positions = {name: motion.q[:, coordinate] for name, coordinate in own}
            charts["positions"] = lines("Positions", motion.t, positions, unit, live=curves("position", own))
        for word, values, per in (("speeds", motion.qd, "/s"), ("accelerations", motion.qdd, "/s\u00b2")):
            bound = curves(word.removesuffix("s"), [(robot.dof_names[k], k) for k in places])
            each = {robot.dof_names[k]: values[:, k] for k in places}
            charts[word] = lines(word.capitalize(), motion.t, each, unit + per, live=bound)
        title = "Motion" if kind == "turning" else "Motion of the sliding drives"
        found.append(Choice(title, charts, next(iter(charts))))
    return found


def _coordinates(robot: RobotModel) -> list[int | None]:
    """Where the coordinate of each speed stands in q; None of joints with a quaternion."""
    found: list[int | None] = []
    for joint in robot.joints:
        if joint.mimic is None and joint.motion.dof:
            flat, start = joint.motion.coordinates == joint.motion.dof, robot.q_slices[joint.name].start
            found += [start + k if flat else None for k in range(joint.motion.dof)]
    return found
