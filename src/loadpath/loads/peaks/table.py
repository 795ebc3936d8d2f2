"""Peak loads as tables of text and as a data frame."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from loadpath import html
from loadpath.digits import number
from loadpath.loads.resultants import OPEN, RESULTANTS, meaning
from loadpath.printable import printable
from loadpath.quantities.wrench import COMPONENTS
from loadpath.states.unknown import count_words
from loadpath.tables import Table, data_frame

if TYPE_CHECKING:
    from loadpath.loads.peaks.result import PeakLoads, Quantity

WIDTH = 110
RULE = "─"


def text(peaks: PeakLoads) -> str:
    """All tables, one below the other."""
    words = count_words(peaks.unknown)
    parts = [f"{words}: left out"] if words else []
    return "\n\n".join([*parts, *(f"{table.title}\n{table.text(WIDTH, rule=RULE)}" for table in tables(peaks))])


def html_of(peaks: PeakLoads) -> str:
    """All tables, for notebooks."""
    words = count_words(peaks.unknown)
    return (html.paragraph(f"{words}: left out") if words else "") + "".join(table.html() for table in tables(peaks))


def tables(peaks: PeakLoads) -> list[Table]:
    """Of the bearings, of the components and of the drives; of a rover also of its wheels."""
    note = f"; {meaning(peaks.robot)}" if any(peaks.open.values()) else ""
    more = [_drives(peaks)] if peaks.drive_names else []
    more += [_wheels(peaks)] if peaks.wheels is not None else []
    more += [_bounds(peaks)] if peaks.worst_cases else []
    return [_bearings(peaks, note), _components(peaks, note), *more]


def _bounds(peaks: PeakLoads) -> Table:
    """What no state of a box exceeds."""
    rows = []
    for one in peaks.worst_cases:
        gap = "certified" if one.certified else "no bound" if not math.isfinite(one.bound) else (
            f"{100 * abs(one.bound / one.value - 1):.3g} %" if one.value else "-")
        word = "least" if one.sense == "min" else "largest"
        rows.append([printable(one.name), f"{word} {one.quantity.replace('_', ' ')}", _number(one.value),
                     _number(one.bound) if math.isfinite(one.bound) else "-", one.unit, gap])
    return Table("Over the box of states: the worst that was found, and what no state exceeds",
                 ["of", "load", "found", "bound", "unit", "gap"], rows)


def _wheels(peaks: PeakLoads) -> Table:
    columns = ["contact", "largest normal", "at", "smallest normal", "at", "along", "across", "friction used", "at"]
    rows = []
    for name in peaks.contact_names:
        normal, along, across, used = (peaks[name, part] for part in ("normal", "longitudinal", "lateral",
                                                                      "friction_used"))
        share = "-" if math.isnan(used.maximum) else f"{100 * used.maximum:.4g} %"
        rows.append([printable(name), _number(normal.maximum), _instant(normal, normal.maximum),
                     _number(normal.minimum), _instant(normal, normal.minimum), _number(_signed(along)),
                     _number(_signed(across)), share, _instant(used, used.maximum)])
    margin = peaks[peaks.base_name, "margin"]
    return Table(f"Wheels and feet (N); least margin to tipping over {_number(margin.minimum)} m at "
                 f"{_instant(margin, margin.minimum)}", columns, rows)


def _instant(of: Quantity, value: float) -> str:
    """When the largest or smallest value is."""
    if math.isnan(value):
        return "-"
    peak = of.highest if value == of.maximum else of.lowest
    at = f"{peak.time:.4g} s" if peak.time is not None else str(peak.sample)
    return f"{at} of {printable(peak.motion)}" if peak.motion else at


def _bearings(peaks: PeakLoads, note: str) -> Table:
    columns = ["joint", "axial", "radial", "tilting", "force", "torque", "worst at", "radial, cubic mean", "by travel"]
    rows = []
    for joint in peaks.joint_names:
        found = {name: peaks[joint, name] for name in RESULTANTS}
        names = ("axial_force", "radial_force", "tilting_moment", "force", "torque")
        shown = [_number(found[name].magnitude) + _mark(peaks, found[name]) for name in names]
        radial = found["radial_force"]
        means = [_number(mean) + _mark(peaks, radial) for mean in (radial.cubic_mean, radial.travel_cubic_mean)]
        rows.append([printable(joint), *shown, _when(found["force"]), *means])
    return Table(f"Largest bearing loads, along and across the axis (N, N m){note}", columns, rows)


def _components(peaks: PeakLoads, note: str) -> Table:
    rows = []
    for joint in peaks.joint_names:
        parts = [peaks[joint, name] for name in COMPONENTS]
        ranges = (f"{_number(part.minimum, 3)}..{_number(part.maximum, 3)}{_mark(peaks, part)}" for part in parts)
        rows.append([printable(joint), *ranges])
    return Table(f"Joint wrenches, smallest to largest (N, N m){note}", ["joint", *COMPONENTS], rows)


def _drives(peaks: PeakLoads) -> Table:
    columns = ["drive", "peak", "at", "rms", "cubic mean", "by travel", "speed", "mean speed", "power", "work"]
    rows = []
    for name in peaks.drive_names:
        k = peaks.dof_names.index(name)
        drive, speed, power = (peaks[name, part] for part in ("drive", "speed", "power"))
        work = math.nan if peaks.work_done is None else float(peaks.work_done[k])
        numbers = [drive.rms, drive.cubic_mean, drive.travel_cubic_mean, speed.magnitude, speed.mean_magnitude,
                   _signed(power), work]
        rows.append([printable(name), _number(_signed(drive)), _when(drive), *map(_number, numbers)])
    return Table("Drives (N m or N; rad/s or m/s; W; J)", columns, rows)


def _number(value: float, most: int = 4) -> str:
    return number(value, "-", most)


def _mark(peaks: PeakLoads, of: Quantity) -> str:
    """The mark of what rigid statics leaves open, unless there is nothing."""
    return OPEN if peaks.open[of.name, of.quantity] and not math.isnan(of.magnitude) else ""


def _signed(of: Quantity) -> float:
    """The value of largest magnitude."""
    return of.maximum if abs(of.maximum) >= abs(of.minimum) else of.minimum


def _when(of: Quantity) -> str:
    if math.isnan(of.maximum):
        return "-"
    peak = of.peak
    at = f"{peak.time:.4g} s" if peak.time is not None else str(peak.sample)
    return f"{at} of {printable(peak.motion)}" if peak.motion else at


def dataframe(peaks: PeakLoads) -> Any:
    """A row for each joint and quantity, then for each degree of freedom and quantity."""
    pairs = [(joint, name) for joint in peaks.joint_names for name in (*COMPONENTS, *RESULTANTS)]
    for dof in peaks.dof_names:
        of_drives = ("drive", "speed", "acceleration", "power")
        pairs += [(dof, name) for name in (of_drives if dof in peaks.drive_names else of_drives[1:3])]
    if peaks.wheels is not None:
        of_wheels = ("normal", "longitudinal", "lateral", "friction_used")
        pairs += [(contact, name) for contact in peaks.contact_names for name in of_wheels]
        pairs.append((peaks.base_name, "margin"))
    rows = []
    for name, quantity in pairs:
        of = peaks[name, quantity]
        if math.isnan(of.maximum):
            continue
        row: dict[str, Any] = {"name": name, "quantity": quantity, "unit": of.unit}
        for part in ("maximum", "minimum", "magnitude", "mean", "mean_magnitude", "rms", "cubic_mean",
                     "travel_cubic_mean"):
            row[part] = getattr(of, part)
        row["maximum_at"], row["minimum_at"] = of.highest.sample, of.lowest.sample
        if of.highest.time is not None:
            row["maximum_time"], row["minimum_time"] = of.highest.time, of.lowest.time
        if of.highest.motion:
            row["maximum_motion"], row["minimum_motion"] = of.highest.motion, of.lowest.motion
        rows.append(row)
    return data_frame(rows)
