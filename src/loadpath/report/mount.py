"""What the mount of a robot carries: all six components of the wrench that holds its base, over a motion."""

from __future__ import annotations

import numpy as np

from loadpath.quantities.wrench import COMPONENTS
from loadpath.report.blocks import Table
from loadpath.report.numbers import NONE, number, seconds
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats


def is_mounted(robot: RobotModel) -> bool:
    """Whether something holds the base: not one that floats."""
    return not any(joint.parent == robot.base.name and joint.motion.dof == 6 for joint in robot.joints)


def mount_table(base: str, held: Floats, t: Floats) -> Table:
    """Largest and smallest of each component, with their times, and the RMS; the resultants too."""
    columns = ["component", "largest", "smallest", "RMS"]
    parts = {name.replace("_", " "): held[:, k] for k, name in enumerate(COMPONENTS)}
    parts["force across (x, y)"] = np.hypot(held[:, 0], held[:, 1])
    parts["tilting moment (x, y)"] = np.hypot(held[:, 3], held[:, 4])
    rows = []
    for name, values in parts.items():
        unit = "N" if name.startswith("force") else "N m"
        cells: list[str | tuple[str, str]] = [f"{name} ({unit})"]
        if np.isnan(values).all():
            rows.append([*cells, NONE, NONE, NONE])
            continue
        for k in (int(np.nanargmax(values)), int(np.nanargmin(values))):
            cells.append((number(float(values[k])), seconds(float(t[k]))))
        rows.append([*cells, number(float(np.sqrt(np.nanmean(values**2))))])
    note = (
        f"The wrench of the mount on the robot's base '{base}', at the base's origin, in its axes, weight and inertia "
        "of the base itself included; the foundation and its bolts carry the opposite. Torque z is the moment about "
        "the vertical of a robot that stands."
    )
    live = [["", *(f"mount {k} {take}" for take in ("maximum", "minimum", "rms"))] for k in range(len(parts))]
    return Table("Base wrench: what the mount holds", columns, rows, note, live=live)
