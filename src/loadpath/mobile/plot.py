"""A simulated rover as a figure: its path, its wheel loads, its margin, its events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.plotting import COLORS, label
from loadpath.robot.wheels.base import hull

if TYPE_CHECKING:
    from loadpath.simulate.result import Simulation

_SNAPSHOTS = 6


def simulation_figure(simulation: Simulation) -> Any:
    """Path from above with the support polygon at some times; normal forces, margin and speeds over time."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    figure = make_subplots(
        rows=3,
        cols=2,
        specs=[[{"rowspan": 3}, {}], [None, {}], [None, {}]],
        column_widths=[0.45, 0.55],
        horizontal_spacing=0.1,
        vertical_spacing=0.08,
        subplot_titles=(
            "Path, from above (m)" + (", red: slides" if simulation.sliding.any() else ""),
            "Normal forces (N)",
            "Distance from tipping over (m)",
            "Speed of the base",
        ),
    )
    _add_path(figure, go, simulation)
    t = simulation.times
    for k, name in enumerate(simulation.contact_names):
        color = COLORS[k % len(COLORS)]
        line = {"color": color, "width": 1.8}
        figure.add_trace(
            go.Scatter(x=t, y=simulation.normal[:, k], name=label(name), line=line, mode="lines"), row=1, col=2
        )
    margin = {"color": "#333333", "width": 1.8}
    figure.add_trace(
        go.Scatter(x=t, y=simulation.margin, name="margin", line=margin, mode="lines", showlegend=False), row=2, col=2
    )
    figure.add_hline(y=0.0, line={"color": "#b0353f", "width": 1}, row=2, col=2)
    for k, (name, dash) in enumerate((("v_x (m/s)", "solid"), ("v_y (m/s)", "dash"), ("w (rad/s)", "dot"))):
        line = {"color": "#555555", "width": 1.5, "dash": dash}
        figure.add_trace(go.Scatter(x=t, y=simulation.velocity[:, k], name=name, line=line, mode="lines"), row=3, col=2)
    _add_events(figure, go, simulation)
    figure.update_xaxes(matches="x2", col=2)  # one time for all of them
    figure.update_xaxes(title_text="time (s)", row=3, col=2)
    figure.update_yaxes(scaleanchor="x", scaleratio=1, row=1, col=1)
    figure.update_layout(
        template="plotly_white",
        title=label(repr(simulation)[1:-1]),
        height=700,
        legend={"orientation": "h", "y": -0.08},
        margin={"t": 80, "b": 60, "l": 60, "r": 30},
    )
    return figure


def _add_path(figure: Any, go: Any, simulation: Simulation) -> None:
    pose = simulation.pose
    figure.add_trace(
        go.Scatter(x=pose[:, 0], y=pose[:, 1], mode="lines", line={"color": "#222222", "width": 2}, name="path",
                   showlegend=False), row=1, col=1,
    )
    for i in np.unique(np.linspace(0, len(pose) - 1, _SNAPSHOTS).round().astype(int)):
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        points = simulation.contact_points[i]
        world = np.stack([c * points[:, 0] - s * points[:, 1], s * points[:, 0] + c * points[:, 1]], axis=-1)
        world = world + pose[i, :2]
        around = [*hull(points), hull(points)[0]]
        shade = 0.25 + 0.75 * i / max(len(pose) - 1, 1)
        figure.add_trace(
            go.Scatter(x=world[around, 0], y=world[around, 1], mode="lines", showlegend=False, hoverinfo="text",
                       text=f"t = {simulation.times[i]:.3f} s",
                       line={"color": f"rgba(31,111,178,{shade:.2f})", "width": 1.2}),
            row=1, col=1,
        )
        colors = ["#b0353f" if slides else "#1f6fb2" for slides in simulation.sliding[i]]
        figure.add_trace(
            go.Scatter(x=world[:, 0], y=world[:, 1], mode="markers", showlegend=False,
                       text=[label(name) for name in simulation.contact_names],
                       hoverinfo="text", marker={"size": 6, "color": colors, "opacity": shade}),
            row=1, col=1,
        )


def _add_events(figure: Any, go: Any, simulation: Simulation) -> None:
    """Marks on the margin's curve, with their causes."""
    events = simulation.events
    if not events:
        return
    at = np.array([event.time for event in events])
    finite = np.where(np.isfinite(simulation.margin), simulation.margin, 0.0)
    figure.add_trace(
        go.Scatter(
            x=at, y=np.interp(at, simulation.times, finite), mode="markers", name="events",
            text=[f"{label(event.part)} {event.kind}<br>{label(event.cause)}" for event in events], hoverinfo="text+x",
            marker={"size": 8, "symbol": "diamond", "color": "#b0353f"},
        ), row=2, col=2,
    )
