"""A figure of a response: the displacement of a link over time, with vibration and without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.plotting import COLORS, label

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.structure.response.result import MotionResponse


def response_figure(response: MotionResponse, link: str) -> Figure:
    """Components of a link's displacement in mm, world axes."""
    from plotly.graph_objects import Figure, Scatter

    figure = Figure()
    moved, calm = 1e3 * response.displacement[link], 1e3 * response.quasi_static[link]
    largest = max(float(abs(moved).max()), 1e-12)
    for k, axis in enumerate("xyz"):
        if abs(moved[:, k]).max() < 1e-6 * largest:
            continue
        style = {"color": COLORS[k]}
        figure.add_trace(Scatter(x=response.times, y=moved[:, k], name=axis, mode="lines", line=style))
        figure.add_trace(Scatter(x=response.times, y=calm[:, k], name=f"{axis}, quasi-static", mode="lines",
                                 line={**style, "dash": "dot", "width": 1}))
    figure.add_vline(x=response.end, line={"color": "#5c6b78", "dash": "dash", "width": 1},
                     annotation_text="end of the motion", annotation_position="top left")
    figure.update_layout(
        title=f"Displacement of {label(link)} on {label(response.arm.name)}",
        xaxis_title="time (s)",
        yaxis_title="displacement from the rigid arm (mm)",
        template="plotly_white",
        legend={"orientation": "h", "y": -0.2},
    )
    return figure
