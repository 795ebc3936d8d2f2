"""Motor loads as tables (text, HTML, a pandas data frame), and as a figure over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.digits import number
from loadpath.plotting import COLORS, label, seen
from loadpath.printable import printable
from loadpath.tables import Table, data_frame

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

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
    return data_frame(rows_of(loads))


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
    body = [[printable(row[key]) if key == "drive" else number(row[key]) for key, _ in shown] for row in rows]
    note = "At the motors' shafts; friction and springs act at the joints, gear losses by the direction of power."
    return Table(repr(loads).strip("<>"), [title for _, title in shown], body, note)


# Motor loads as a figure over time.

def figure(loads: MotorLoads) -> Figure:
    """A Plotly figure in three rows: torque, speed, and power with what the gears lose."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    if loads.t is None:
        raise ValueError("plot draws motor loads over time, and these are of states without times: give a motion")
    plot = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.05)
    rows = (("torque (N m)", loads.torque, "solid", ""), ("speed (rad/s)", loads.speed, "solid", ""),
            ("power (W)", loads.power, "solid", ""), ("power (W)", loads.gear_loss, "dot", ", gear loss"))
    for place, (what, values, dash, suffix) in enumerate(rows):
        row = min(place + 1, 3)
        for k, name in enumerate(loads.drive_names):
            if suffix and not np.nan_to_num(values[:, k]).any():
                continue
            picked = seen(values[:, k])
            plot.add_trace(
                go.Scatter(x=loads.t[picked], y=values[picked, k], name=label(name) + suffix, legendgroup=label(name),
                           mode="lines", line={"color": COLORS[k % len(COLORS)], "width": 1.8, "dash": dash},
                           showlegend=place == 0 or bool(suffix), hovertemplate="%{y:.4g}"),
                row=row, col=1,
            )
        plot.update_yaxes(title_text=what, row=row, col=1)
    plot.update_xaxes(title_text="time (s)", row=3, col=1)
    plot.update_layout(template="plotly_white", height=760, hovermode="x unified", margin={"t": 30, "r": 20})
    return plot
