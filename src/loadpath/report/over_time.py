"""Charts of the motion and of what the drives do over it. Turning and sliding freedoms have other units, so other
charts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from loadpath.loads.peaks.result import PeakLoads
from loadpath.loads.resultants import effort_limits
from loadpath.motion import Motion
from loadpath.report.blocks import Chart, Choice
from loadpath.report.charts import lines
from loadpath.report.live.bindings import curves
from loadpath.report.peaks import speed_limits
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

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
