"""Peak loads as tables of text and as a data frame."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

from loadpath import html
from loadpath.loads.determinate import MEANING, OPEN
from loadpath.loads.peaks.resultants import RESULTANTS
from loadpath.loads.wrench import COMPONENTS
from loadpath.printable import printable
from loadpath.states.unknown import count_words

if TYPE_CHECKING:
    from rich.table import Table

    from loadpath.loads.peaks.result import PeakLoads, Quantity

WIDTH = 110


def text(peaks: PeakLoads) -> str:
    """All tables, one below the other."""
    from rich.console import Console

    file = io.StringIO()
    console = Console(file=file, width=WIDTH, no_color=True, highlight=False, markup=False)
    if words := count_words(peaks.unknown):
        console.print(f"{words}: left out")
        console.print()
    for title, table in tables(peaks):
        console.print(title)
        console.print(table)
        console.print()
    return "\n".join(line.rstrip() for line in file.getvalue().rstrip().splitlines())


def html_of(peaks: PeakLoads) -> str:
    """All tables, for notebooks."""
    words = count_words(peaks.unknown)
    made = html.paragraph(f"{words}: left out") if words else ""
    for title, table in tables(peaks):
        cells = [[str(cell) for cell in column.cells] for column in table.columns]
        names = [str(column.header) for column in table.columns]
        made += html.table(title, names, list(zip(*cells, strict=True)))
    return made


def tables(peaks: PeakLoads) -> list[tuple[str, Table]]:
    """Title and Rich table of the bearings, of the components and of the drives."""
    note = f"; {MEANING}" if any(peaks.open.values()) else ""
    made = [
        (f"Largest bearing loads, along and across the axis (N, N m){note}", _bearings(peaks)),
        (f"Joint wrenches, smallest to largest (N, N m){note}", _components(peaks)),
    ]
    if peaks.drive_names:
        made.append(("Drives (N m or N; rad/s or m/s; W; J)", _drives(peaks)))
    return made


def _bearings(peaks: PeakLoads) -> Table:
    columns = ["joint", "axial", "radial", "tilting", "force", "torque", "worst at", "radial, cubic mean", "by travel"]
    table = _table(columns)
    for joint in peaks.joint_names:
        found = {name: peaks[joint, name] for name in RESULTANTS}
        names = ("axial_force", "radial_force", "tilting_moment", "force", "torque")
        shown = [_number(found[name].magnitude) + _mark(peaks, found[name]) for name in names]
        radial = found["radial_force"]
        means = [_number(mean) + _mark(peaks, radial) for mean in (radial.cubic_mean, radial.travel_cubic_mean)]
        table.add_row(printable(joint), *shown, _when(found["force"]), *means)
    return table


def _components(peaks: PeakLoads) -> Table:
    table = _table(["joint", *COMPONENTS])
    for joint in peaks.joint_names:
        parts = [peaks[joint, name] for name in COMPONENTS]
        ranges = (f"{_number(part.minimum, 3)}..{_number(part.maximum, 3)}{_mark(peaks, part)}" for part in parts)
        table.add_row(printable(joint), *ranges)
    return table


def _drives(peaks: PeakLoads) -> Table:
    columns = ["drive", "peak", "at", "rms", "cubic mean", "by travel", "speed", "mean speed", "power", "work"]
    table = _table(columns)
    for name in peaks.drive_names:
        k = peaks.dof_names.index(name)
        drive, speed, power = (peaks[name, part] for part in ("drive", "speed", "power"))
        work = math.nan if peaks.work_done is None else float(peaks.work_done[k])
        numbers = [drive.rms, drive.cubic_mean, drive.travel_cubic_mean, speed.magnitude, speed.mean_magnitude,
                   _signed(power), work]  # fmt: skip
        table.add_row(printable(name), _number(_signed(drive)), _when(drive), *map(_number, numbers))
    return table


def _table(columns: list[str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for k, column in enumerate(columns):
        table.add_column(column, justify="right" if k else "left", overflow="fold")
    return table


def _number(value: float, digits: int = 4) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}g}" if abs(value) >= 1e-9 else "0"


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
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_dataframe needs pandas: pip install pandas") from None
    pairs = [(joint, name) for joint in peaks.joint_names for name in (*COMPONENTS, *RESULTANTS)]
    for dof in peaks.dof_names:
        of_drives = ("drive", "speed", "acceleration", "power")
        pairs += [(dof, name) for name in (of_drives if dof in peaks.drive_names else of_drives[1:3])]
    rows = []
    for name, quantity in pairs:
        of = peaks[name, quantity]
        if math.isnan(of.maximum):
            continue
        row: dict[str, Any] = {"name": name, "quantity": quantity, "unit": of.unit}
        for part in ("maximum", "minimum", "magnitude", "mean", "mean_magnitude", "rms", "cubic_mean",
                     "travel_cubic_mean"):  # fmt: skip
            row[part] = getattr(of, part)
        row["maximum_at"], row["minimum_at"] = of.highest.sample, of.lowest.sample
        if of.highest.time is not None:
            row["maximum_time"], row["minimum_time"] = of.highest.time, of.lowest.time
        if of.highest.motion:
            row["maximum_motion"], row["minimum_motion"] = of.highest.motion, of.lowest.motion
        rows.append(row)
    return pd.DataFrame(rows)
