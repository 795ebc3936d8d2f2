"""Motor loads as tables: text, HTML and a pandas data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.printable import printable
from loadpath.tables import Table

if TYPE_CHECKING:
    from pandas import DataFrame

    from loadpath.loads.motors.result import MotorLoads


def rows_of(loads: MotorLoads) -> list[dict[str, Any]]:
    """A row for each drive, by the names of the columns; what is not known is NaN."""
    peaks = (loads.peak_torque, loads.rms_torque, loads.peak_speed, loads.peak_power, loads.peak_current,
             loads.rms_current)
    share, over_time = loads.brake_share, loads.states.duration is not None
    found = []
    for k, (name, energy) in enumerate(zip(loads.drive_names, loads.energies, strict=True)):
        torque, rms, speed, power, current, rms_current = (float(part[k]) for part in peaks)
        t = loads.t
        row: dict[str, Any] = {
            "drive": name, "peak_torque": torque, "peak_at": np.nan if t is None else float(t[loads.peak_at[k]]),
            "rms_torque": rms, "peak_speed": speed, "peak_power": power, "peak_current": current,
            "rms_current": rms_current, "brake_share": float(share[k]),
        }
        parts = ("electrical", "copper", "gear", "friction", "rotor", "springs", "links", "taken", "returned")
        row |= {f"{part}_{'energy' if over_time else 'power'}": getattr(energy, part) for part in parts}
        found.append(row)
    return found


def dataframe(loads: MotorLoads) -> DataFrame:
    """Peaks, means and energies (J; of states without times mean powers, W), a row for each drive."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_dataframe needs pandas: pip install pandas") from None
    return pandas.DataFrame(rows_of(loads))


_COLUMNS = (
    ("drive", "drive"), ("peak_torque", "peak torque (N m)"), ("rms_torque", "RMS (N m)"),
    ("peak_speed", "peak speed (rad/s)"), ("peak_power", "peak power (W)"), ("rms_current", "RMS current (A)"),
    ("brake_share", "brake used"),
)


def table(loads: MotorLoads) -> Table:
    """What every motor has to do."""
    rows = rows_of(loads)
    unit = "J" if loads.states.duration is not None else "W"
    parts = [key for key in rows[0] if key.endswith(("_energy", "_power")) and key != "peak_power"]
    chosen = [*_COLUMNS, *((key, f"{key.rpartition('_')[0]} ({unit})") for key in parts)]
    shown = [(key, title) for key, title in chosen if key == "drive" or any(not np.isnan(row[key]) for row in rows)]
    body = [[printable(row[key]) if key == "drive" else _number(row[key]) for key, _ in shown] for row in rows]
    note = "At the motors' shafts; friction and springs act at the joints, gear losses by the direction of power."
    return Table(repr(loads).strip("<>"), [title for _, title in shown], body, note)


def _number(value: float) -> str:
    return "" if np.isnan(value) else "0" if abs(value) < 1e-12 else f"{value:.4g}"
