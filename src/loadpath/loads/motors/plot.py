"""Motor loads as a figure over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.plotting import COLORS, label, seen

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.loads.motors.result import MotorLoads


def figure(loads: MotorLoads) -> Figure:
    """A Plotly figure in three rows: torque, speed, and power with what the gears lose."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    if loads.t is None:
        raise ValueError("plot draws motor loads over time, and these are of states without times: give a motion")
    plot = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.05)
    rows = (("torque (N m)", loads.torque, "solid", ""), ("speed (rad/s)", loads.speed, "solid", ""),
            ("power (W)", loads.power, "solid", ""), ("power (W)", loads.gear_loss, "dot", ", gear loss"))
    for number, (what, values, dash, suffix) in enumerate(rows):
        row = min(number + 1, 3)
        for k, name in enumerate(loads.drive_names):
            if suffix and not np.nan_to_num(values[:, k]).any():
                continue
            picked = seen(values[:, k])
            plot.add_trace(
                go.Scatter(x=loads.t[picked], y=values[picked, k], name=label(name) + suffix, legendgroup=label(name),
                           mode="lines", line={"color": COLORS[k % len(COLORS)], "width": 1.8, "dash": dash},
                           showlegend=number == 0 or bool(suffix), hovertemplate="%{y:.4g}"),
                row=row, col=1,
            )
        plot.update_yaxes(title_text=what, row=row, col=1)
    plot.update_xaxes(title_text="time (s)", row=3, col=1)
    plot.update_layout(template="plotly_white", height=760, hovermode="x unified", margin={"t": 30, "r": 20})
    return plot
