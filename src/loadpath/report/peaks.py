"""Tables of what the joints and drives carry at most: what a designer looks up bearings and gearboxes with."""

from __future__ import annotations

import numpy as np

from loadpath.loads.carriers import carriers
from loadpath.loads.determinate import OPEN
from loadpath.loads.efforts import effort_limits
from loadpath.loads.peaks.result import PeakLoads
from loadpath.loads.units import OF_DRIVES
from loadpath.loads.wrench import COMPONENTS
from loadpath.report.blocks import Table
from loadpath.scalars.types import Floats

Cell = str | tuple[str, str]
NONE = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
MARK_NOTE = (
    "is left open by rigid statics, because the mechanism is closed more often than needed, and settled by a rule: "
    "equal compliances, the least sum of squares of all reactions."
)


def number(value: float) -> str:
    """A number as a table shows it: four digits, no rounding residue.

    >>> number(12.3456), number(1e-12), number(float("nan")) == NONE, number(123456.7)
    ('12.35', '0', True, '123,457')
    """
    if np.isnan(value):
        return NONE
    if abs(value) < 1e-9:
        return "0"
    text = f"{value:,.0f}" if abs(value) >= 9999.5 else f"{value:.4g}"
    return text.replace("-", MINUS)


def largest(values: Floats) -> float:
    """The largest of the values that are numbers; NaN where there is none.

    >>> largest(np.array([1.0, np.nan, 3.0]))
    3.0
    """
    known = values[~np.isnan(values)]
    return float(known.max()) if known.size else float("nan")


def _peak(peaks: PeakLoads, name: str, quantity: str) -> Cell:
    """The value of largest magnitude, with its sign; its time in the note."""
    found = peaks[name, quantity]
    if np.isnan(found.magnitude):
        return NONE
    peak = found.peak
    by_rule = quantity not in OF_DRIVES and peaks.open[name, quantity]
    return number(peak.value) + OPEN * by_rule, f"{found.unit}, {_when(peak.time, peak.sample)}"


def _when(time: float | None, sample: int) -> str:
    return f"sample {sample}" if time is None else f"at {time:.4g} s"


def _of_marks(peaks: PeakLoads) -> str:
    return f" {OPEN} {MARK_NOTE}" if any(peaks.open.values()) else ""


def bearing_table(peaks: PeakLoads) -> Table:
    """What bearing catalogues ask for, a row a joint with an axis."""
    columns = ["joint", "axial force", "radial force", "tilting moment", "RMS axial", "RMS radial", "RMS tilting",
               "mean axial*", "mean radial*", "mean tilting*"]  # fmt: skip
    rows: list[list[Cell]] = []
    for joint in carriers(peaks.robot):
        if joint.motion.axis_direction() is None:
            continue
        found = [peaks[joint.name, quantity] for quantity in ("axial_force", "radial_force", "tilting_moment")]
        largest = [_peak(peaks, joint.name, part.quantity) for part in found]
        rms = [number(part.rms) for part in found]
        mean = [number(part.travel_cubic_mean) for part in found]
        rows.append([joint.name, *largest, *rms, *mean])
    note = (
        "N and N m, relative to the joint's axis, at the joint's origin; the largest with its sign. * The cubic mean "
        f"weighted with speed and time, by which bearing catalogues reckon life; {NONE} where the joint does not move."
        f"{_of_marks(peaks)}"
    )
    return Table("Bearings: largest loads along and across the axis", columns, rows, note)


def wrench_table(peaks: PeakLoads) -> Table:
    """The largest value of each component of each joint's wrench."""
    units = ["N"] * 3 + ["N m"] * 3
    columns = ["joint", *(f"{name.replace('_', ' ')} ({unit})" for name, unit in zip(COMPONENTS, units, strict=True))]
    rows: list[list[Cell]] = [
        [joint, *(_peak(peaks, joint, component) for component in COMPONENTS)] for joint in peaks.joint_names
    ]
    note = (
        "Value of largest magnitude over the motion, at the joint's origin, in the joint's frame, exerted on the link "
        f"beyond the joint. Each component peaks at its own time, which the pointer shows.{_of_marks(peaks)}"
    )
    return Table("Peak joint wrenches", columns, rows, note)


def drive_table(peaks: PeakLoads) -> Table:
    """What gearbox and motor catalogues ask for, a row a drive."""
    columns = ["drive", "unit", "peak", "of limit", "RMS", "cubic mean", "cubic mean*", "peak speed", "RMS speed",
               "peak power (W)", "work (J)", "returned (J)"]  # fmt: skip
    limits = effort_limits(peaks.robot)
    done = peaks.work_done if peaks.work_done is not None else np.full(peaks.robot.n, np.nan)
    returned = peaks.work_returned if peaks.work_returned is not None else np.full(peaks.robot.n, np.nan)
    rows: list[list[Cell]] = []
    for name in peaks.drive_names:
        k = peaks.dof_names.index(name)
        force, speed = peaks[name, "drive"], peaks[name, "speed"]
        share = 100 * force.magnitude / limits[k] if np.isfinite(limits[k]) else np.nan
        rows.append([
            name, force.unit, _peak(peaks, name, "drive"), NONE if np.isnan(share) else f"{share:.0f} %",
            number(force.rms), number(force.cubic_mean), number(force.travel_cubic_mean),
            (_peak(peaks, name, "speed")[0], f"{speed.unit}"), number(speed.rms), _peak(peaks, name, "power"),
            number(float(done[k])), number(float(returned[k])),
        ])  # fmt: skip
    note = (
        "Friction and rotor inertia included. Speeds in rad/s, or m/s of sliding drives. * Weighted with speed and "
        "time, as gearbox catalogues define the average torque; the cubic mean next to it weighs time alone."
    )
    return Table("Drives: what motor and gearbox catalogues ask for", columns, rows, note, left=2)
