"""A figure of a simulated flexible arm: its joints, and how far a link is from where the rigid arm would have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.plotting import COLORS, label

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.structure.motion_in_time.result import FlexibleSimulation


def motion_figure(simulation: FlexibleSimulation, link: str | None) -> Figure:
    """Joint coordinates above, displacement of the link in mm (world axes) below."""
    from plotly.graph_objects import Scatter
    from plotly.subplots import make_subplots

    arm = simulation.arm
    deflection = simulation.deflection
    moved = 1e3 * (deflection.tip if link is None else deflection[link]).displacement
    shown = deflection.ends[0] if link is None else link
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.06)
    for k, name in enumerate(arm.coordinate_names):
        line = {"color": COLORS[k % len(COLORS)]}
        trace = Scatter(x=simulation.times, y=simulation.q[:, k], name=label(name), mode="lines", line=line)
        figure.add_trace(trace, row=1, col=1)
    largest = max(float(abs(moved).max()), 1e-12)
    for k, axis in enumerate("xyz"):
        if abs(moved[:, k]).max() >= 1e-6 * largest:
            line = {"color": COLORS[k], "dash": "dot"}
            trace = Scatter(x=simulation.times, y=moved[:, k], name=f"{label(shown)} {axis}", mode="lines", line=line)
            figure.add_trace(trace, row=2, col=1)
    figure.update_yaxes(title_text="joints (rad, m)", row=1, col=1)
    figure.update_yaxes(title_text="from the rigid arm (mm)", row=2, col=1)
    figure.update_xaxes(title_text="time (s)", row=2, col=1)
    figure.update_layout(title=f"{label(arm.name)} in time", template="plotly_white")
    return figure
