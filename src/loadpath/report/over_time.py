"""Charts of what the drives do over the motion. Turning and sliding freedoms have other units, so other charts."""

from __future__ import annotations

from typing import Literal

import numpy as np

from loadpath.loads.carriers import drive_names
from loadpath.loads.efforts import effort_limits
from loadpath.report.blocks import Chart
from loadpath.report.charts import lines
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

Freedom = Literal["turning", "sliding"]
UNITS: dict[Freedom, dict[str, str]] = {
    "turning": {"force": "N m", "speed": "rad/s"},
    "sliding": {"force": "N", "speed": "m/s"},
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


def drive_charts(robot: RobotModel, t: Floats, qd: Floats, tau: Floats) -> list[Chart]:
    """Forces, share of the effort limit, speeds and power, each over time."""
    freedoms, charts = kinds(robot), []

    def of(values: Floats, kind: Freedom) -> dict[str, Floats]:
        return {name: values[:, k] for k, name in enumerate(robot.dof_names) if freedoms[k] == kind}

    driven = drive_names(robot)
    present = [kind for kind in NAMES if kind in freedoms]
    for kind in present:
        forces = {name: values for name, values in of(tau, kind).items() if name in driven}
        charts += [lines(NAMES[kind], t, forces, UNITS[kind]["force"])] if forces else []
    effort = effort_limits(robot)
    limited = {
        name: 100 * np.abs(tau[:, k]) / effort[k] for k, name in enumerate(robot.dof_names) if np.isfinite(effort[k])
    }
    if limited:
        charts.append(lines("Share of the effort limit", t, limited, "%"))
    charts += [lines(f"Speeds, {kind}", t, of(qd, kind), UNITS[kind]["speed"]) for kind in present]
    power = {name: tau[:, k] * qd[:, k] for k, name in enumerate(robot.dof_names) if name in driven}
    charts.append(lines("Mechanical power of the drives", t, power, "W"))
    return charts
