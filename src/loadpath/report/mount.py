"""What the mount of a robot carries: all six components of the wrench that holds its base, over a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.loads.carriers import carriers
from loadpath.loads.wrench import COMPONENTS
from loadpath.report.blocks import Table
from loadpath.report.numbers import NONE, number, seconds
from loadpath.robot.loops import Loop
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.api.load_quantities import LoadQuantities


class Mount:
    """The sum of what the base exerts on all that hangs on it, about the base's origin, and the base's own weight."""

    def __init__(self, robot: LoadQuantities, case: LoadCase) -> None:
        self.robot, self.base = robot, robot.base.name
        self.moves = bool(case.base_motion)
        self.on_base = self.base in (case.external or {})

    @staticmethod
    def of(robot: LoadQuantities, case: LoadCase) -> Mount | None:
        """That of a robot; None of one whose base is free, or is pushed itself."""
        free = any(joint.parent == robot.base.name and joint.motion.dof == 6 for joint in robot.joints)
        made = Mount(robot, case)
        return None if free or made.on_base else made

    def wrench(self, q: Floats, six: Floats) -> Floats:
        """(states, 6): force first, of the joint wrenches (states, joints and loops, 6)."""
        poses = np.asarray(self.robot.link_poses(q), dtype=float)
        place = {name: k for k, name in enumerate(self.robot.link_names)}
        total = np.zeros((len(six), 6))
        for k, carrier in enumerate(carriers(self.robot)):
            if isinstance(carrier, Loop):
                first, second, on = carrier.first, carrier.second, carrier.on.matrix
            else:
                first, second, on = carrier.parent, carrier.child, carrier.link_offset.inverse().matrix
            if self.base not in (first, second):
                continue
            frame = poses[:, place[second]] @ on
            turn, point = frame[:, :3, :3], frame[:, :3, 3] - poses[:, 0, :3, 3]
            force = np.einsum("sij,sj->si", turn, six[:, k, :3])
            torque = np.einsum("sij,sj->si", turn, six[:, k, 3:]) + np.cross(point, force)
            total += (1.0 if first == self.base else -1.0) * np.concatenate([force, torque], axis=1)
        body = self.robot.base.inertia
        weight = -body.mass * np.array(self.robot.gravity)
        total += np.concatenate([weight, np.cross(body.center_of_mass, weight)])
        axes = poses[:, 0, :3, :3]
        return np.concatenate([np.einsum("sji,sj->si", axes, part) for part in (total[:, :3], total[:, 3:])], axis=1)


def mount_table(mount: Mount, held: Floats, t: Floats) -> Table:
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
    inertia = " The inertia of the base itself, which moves, is not in it." if mount.moves else ""
    note = (
        f"The wrench of the mount on the robot's base '{mount.base}', at the base's origin, in its axes, its own weight "
        "included; the foundation and its bolts carry the opposite. Torque z is the moment about the vertical of a "
        f"robot that stands.{inertia}"
    )
    return Table("Base wrench: what the mount holds", columns, rows, note)
