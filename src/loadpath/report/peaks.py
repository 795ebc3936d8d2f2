"""Tables of what the joints and drives carry at most: what a designer looks up bearings and gearboxes with."""

from __future__ import annotations

import numpy as np

from loadpath.loads.peaks.result import PeakLoads
from loadpath.loads.resultants import OF_DRIVES, OPEN, effort_limits
from loadpath.quantities.carriers import carriers
from loadpath.quantities.wrench import COMPONENTS
from loadpath.report.blocks import NONE, Cell, Table, number, seconds
from loadpath.report.live.bindings import of_joint
from loadpath.report.shown import NOTHING, Shown
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats


def mark_note(robot: RobotModel) -> str:
    """What a mark means, a sentence without its subject."""
    settled = ("the beams and the compliance of the joints: the links bend so that all loops stay closed."
               if robot.is_elastic else "a rule: equal compliances, the least sum of squares of all reactions.")
    return ("is left open by rigid statics, because the mechanism is closed more often than needed, and settled by "
            f"{settled}")


def _peak(peaks: PeakLoads, name: str, quantity: str) -> Cell:
    """The value of largest magnitude, with its sign; its time below it."""
    found = peaks[name, quantity]
    if np.isnan(found.magnitude):
        return NONE
    peak = found.peak
    by_rule = quantity not in OF_DRIVES and peaks.open[name, quantity]
    never = abs(peak.value) < NOTHING
    return number(peak.value) + OPEN * by_rule, "" if never else seconds(peak.time, peak.sample)


def _of_marks(peaks: PeakLoads) -> str:
    return f" {OPEN} {mark_note(peaks.robot)}" if any(peaks.open.values()) else ""


def bearing_table(peaks: PeakLoads, shown: Shown) -> Table:
    """What bearing catalogues ask for, a row a joint with an axis."""
    columns = ["joint", "axial force", "radial force", "tilting moment", "RMS axial", "RMS radial", "RMS tilting",
               "mean axial*", "mean radial*", "mean tilting*"]
    rows: list[list[Cell]] = []
    live: list[list[str]] = []
    for number_of, joint in enumerate(carriers(peaks.robot)):
        if joint.motion.axis_direction() is None or joint.name not in shown.tables:
            continue
        found = [peaks[joint.name, quantity] for quantity in ("axial_force", "radial_force", "tilting_moment")]
        largest = [_peak(peaks, joint.name, part.quantity) for part in found]
        rms = [number(part.rms) for part in found]
        mean = [number(part.travel_cubic_mean) for part in found]
        rows.append([joint.name, *largest, *rms, *mean])
        takes = ("peak", "rms", "travel_cubic_mean")
        live.append(["", *(of_joint(number_of, part.quantity, take) for take in takes for part in found)])
    note = (
        "N and N m, relative to the joint's axis, at the joint's origin; the largest with its sign and its time. * The "
        f"cubic mean weighted with speed and time, by which bearing catalogues reckon life; {NONE} where the joint "
        f"does not move. The torque about the axis is the drive's.{_of_marks(peaks)}"
    )
    return Table("Bearings: largest loads along and across the axis", columns, rows, note, live=live)


def wrench_table(peaks: PeakLoads, shown: Shown) -> Table:
    """The largest value of each component of each joint's wrench."""
    units = ["N"] * 3 + ["N m"] * 3
    columns = ["joint", *(f"{name.replace('_', ' ')} ({unit})" for name, unit in zip(COMPONENTS, units, strict=True))]
    rows: list[list[Cell]] = [
        [joint, *(_peak(peaks, joint, component) for component in COMPONENTS)] for joint in shown.tables
    ]
    names = peaks.joint_names
    live = [["", *(of_joint(names.index(joint), component) for component in COMPONENTS)] for joint in shown.tables]
    note = (
        "Value of largest magnitude over the motion, at the joint's origin, in the joint's frame, exerted on the link "
        f"beyond the joint. Each component peaks at its own time.{_of_marks(peaks)}"
    )
    return Table("Peak joint wrenches", columns, rows, note, live=live, left_out=shown.left_out)


def drive_tables(peaks: PeakLoads, shown: Shown) -> list[Table]:
    """What gearbox and motor catalogues ask for, a row a drive: loads, then speeds and power."""
    limits, speeds = effort_limits(peaks.robot), speed_limits(peaks.robot)
    done = peaks.work_done if peaks.work_done is not None else np.full(peaks.robot.n, np.nan)
    returned = peaks.work_returned if peaks.work_returned is not None else np.full(peaks.robot.n, np.nan)
    loads: list[list[Cell]] = []
    moving: list[list[Cell]] = []
    live: tuple[list[list[str]], list[list[str]]] = [], []
    for name in shown.drives:
        k = peaks.dof_names.index(name)
        force, speed, power = (peaks[name, quantity] for quantity in ("drive", "speed", "power"))
        limit = number(limits[k]) if np.isfinite(limits[k]) else NONE
        loads.append([name, force.unit, _peak(peaks, name, "drive"), limit, _share(force.magnitude, limits[k]),
                      number(force.rms), number(force.cubic_mean), number(force.travel_cubic_mean)])
        given, taken = max(power.maximum, 0.0), max(-power.minimum, 0.0)
        moving.append([name, speed.unit, _peak(peaks, name, "speed"), _share(speed.magnitude, speeds[k]),
                       number(speed.rms), number(given), number(taken), number(float(done[k])),
                       number(abs(float(returned[k])))])
        live[0].append(["", "", f"drive {k} peak", "", *(f"drive {k} {take}" for take in _DRIVE_TAKES)])
        live[1].append(["", "", *(f"speed {k} {take}" for take in ("peak", "share", "rms")), f"power {k} given",
                        f"power {k} taken", f"work {k} done", f"work {k} returned"])
    note = (
        f"{included(peaks.robot)} * Weighted with speed and time, as gearbox catalogues define the average torque; the "
        "cubic mean next to it weighs time alone."
    )
    columns = ["drive", "unit", "peak", "limit", "of limit", "RMS", "cubic mean", "cubic mean*"]
    also = ["drive", "unit", "peak speed", "of limit", "RMS speed", "power given (W)", "power taken back (W)",
            "work given (J)", "work taken back (J)"]
    said = "Mechanical, at the joint: what a drive gives, and what comes back as it brakes, each at its largest."
    return [Table("Drives: what motor and gearbox catalogues ask for", columns, loads, note, left=2,
                  live=live[0]),
            Table("Drives: speed, power and work", also, moving, said, left=2, live=live[1])]


_DRIVE_TAKES = ("share", "rms", "cubic_mean", "travel_cubic_mean")


def _share(value: float, limit: float) -> str:
    return f"{100 * value / limit:.0f} %" if np.isfinite(limit) and limit > 0 else NONE


def speed_limits(robot: RobotModel) -> Floats:
    """(n,): the speed limit of each degree of freedom, infinite where none is known."""
    given = np.array([limit.velocity for joint in robot.joints if joint.mimic is None for limit in joint.limits])
    return np.where(given > 0, given, np.inf)  # files write 0 where they know of no limit


def included(robot: RobotModel) -> str:
    """What is in the loads of the drives beside links and their motion: said of what there is, no more."""
    friction = [j.name for j in robot.joints if any((*j.viscous_friction, *j.coulomb_friction))]
    rotors = [j.name for j in robot.joints if any(j.reflected_inertia)]
    moving = [j.name for j in robot.joints if j.motion.dof]
    there, lacking = [], []
    for word, names in (("friction", friction), ("rotor inertia", rotors)):
        if not names:
            lacking.append(word)
        else:
            there.append(word if len(names) == len(moving) else f"{word} of {len(names)} of {len(moving)} joints")
    words = [f"Included: {' and '.join(there)}."] if there else []
    words += [f"Not included, because the robot has no numbers for it: {' and '.join(lacking)}."] if lacking else []
    return " ".join(words)


# What the mount of a robot carries: all six components of the wrench that holds its base, over a motion.

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
