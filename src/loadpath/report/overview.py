"""The first section: the numbers to see first, and the robot where its load is largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from loadpath.loads.carriers import is_closed
from loadpath.loads.efforts import effort_limits
from loadpath.loads.peaks.result import PeakLoads, Quantity
from loadpath.report.blocks import Chart, Figure, Section
from loadpath.report.charts import skeleton
from loadpath.report.closed import picture
from loadpath.report.peaks import number
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.api import Robot


def overview(peaks: PeakLoads, warnings: Sequence[str], more: Sequence[Figure] = ()) -> Section:
    """The largest loads, whose they are, and when; what may be wrong with the robot or the motion. `more` are figures
    of other sections: what bends, buckles, vibrates or tips is to be seen first.
    """
    robot = peaks.robot
    figures = [*_drives(peaks), *_joints(peaks), *more]
    first = [joint.name for joint in robot.joints if joint.motion.dof] or list(robot.joint_names)
    blocks = []
    if is_closed(robot):
        loads = [peaks[name, "force"] for name in peaks.joint_names]
        blocks.append(picture(peaks, max(loads, key=lambda load: load.magnitude)))
    elif first:
        peak = peaks[first[0], "torque"].peak
        wrenches = robot.joint_wrenches(peak.q, peak.qd, peak.qdd, **peak._case.keywords)
        title = f"Forces at the joints (red) at {peak.time or 0.0:.3g} s, when '{first[0]}' carries its largest torque"
        blocks.append(robot_with_forces(robot, peak.q, wrenches.force, title))  # type: ignore[arg-type]
    return Section("Overview", "", blocks, figures, warnings)


def _drives(peaks: PeakLoads) -> list[Figure]:
    limits = effort_limits(peaks.robot)
    figures = []
    if peaks.drive_names:
        driven = [peaks.dof_names.index(name) for name in peaks.drive_names]
        magnitude, limits = peaks.drive.magnitude[driven], limits[driven]
        if np.isfinite(limits).any():
            share = magnitude / limits  # zero where there is none
            k = int(np.argmax(share))
            found = peaks[peaks.drive_names[k], "drive"]
            note = f"{found.name}: {number(found.peak.value)} of {number(limits[k])} {found.unit}, {_at(found)}"
            figures.append(Figure("Hardest working drive", f"{100 * share[k]:.0f} %", note, bool(share[k] > 1)))
        else:
            found = peaks[peaks.drive_names[int(np.argmax(magnitude))], "drive"]
            figures.append(_figure("Largest drive load", found))
        power = peaks[peaks.drive_names[int(np.argmax(peaks.power.magnitude[driven]))], "power"]
        figures.append(_figure("Largest power", power))
    return figures


def _joints(peaks: PeakLoads) -> list[Figure]:
    """The largest of each resultant over all joints."""
    figures = []
    labels = {"radial_force": "Largest radial force", "axial_force": "Largest axial force",
              "tilting_moment": "Largest tilting moment"}  # fmt: skip
    for quantity, words in labels.items():
        found = [peaks[joint, quantity] for joint in peaks.joint_names]
        found = [part for part in found if not np.isnan(part.magnitude)]
        if found:
            figures.append(_figure(words, max(found, key=lambda part: part.magnitude)))
    return figures


def _figure(words: str, found: Quantity) -> Figure:
    return Figure(words, f"{number(found.peak.value)} {found.unit}", f"{found.name}, {_at(found)}")


def _at(found: Quantity) -> str:
    peak = found.peak
    return f"sample {peak.sample}" if peak.time is None else f"at {peak.time:.3g} s"


def robot_with_forces(robot: Robot, q: Floats, force: Floats, title: str) -> Chart:
    """The robot in one pose, with the force at each joint; `force` is (joints, 3), in joint frames."""
    poses = robot.link_poses(q)
    place = {name: k for k, name in enumerate(robot.link_names)}
    points, forces, segments = [], [], []
    for joint, f in zip(robot.joints, force, strict=True):
        parent, child = poses[place[joint.parent]], poses[place[joint.child]]
        frame = child @ joint.link_offset.inverse().matrix  # the child's joint frame
        points.append(frame[:3, 3])
        forces.append(frame[:3, :3] @ f)
        segments.append((parent[:3, 3], frame[:3, 3]))
        segments.append((frame[:3, 3], child[:3, 3]))
    return skeleton(title, segments, np.array(points), robot.joint_names, np.array(forces))
