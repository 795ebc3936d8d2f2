"""Tipping and wheel loads, drawn: the support polygon with the zero-moment point, and forces over a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.plotting import COLORS, label
from loadpath.robot.wheels.base import hull
from loadpath.states import count_words

if TYPE_CHECKING:
    from loadpath.mobile.loads import WheelLoads
    from loadpath.mobile.stability import Stability


def support_plot(standing: Stability) -> Any:
    """The figure of `Stability.plot`: seen from above, x (forward) up, y (left) to the left."""
    import plotly.graph_objects as go

    if standing.margin.ndim > 1:
        raise ValueError(f"a plot is of one state or of a row of them: the batch is {standing.margin.shape}")
    wheels = standing.state.one_polygon
    if wheels is None:
        raise ValueError("casters with a trail swivel from state to state and move the support polygon: there is no "
                         "one polygon to draw. Give one velocity or one set of steering angles for all")
    corners = wheels[hull(wheels)]
    closed = np.vstack([corners, corners[:1]])
    path = np.atleast_2d(np.where(np.isfinite(standing.zero_moment_point), standing.zero_moment_point, np.nan))
    margin = np.atleast_1d(standing.margin)
    figure = go.Figure()
    figure.add_scatter(x=closed[:, 1], y=closed[:, 0], mode="lines", fill="toself", name="support polygon",
                       line={"color": "#4477aa"}, fillcolor="rgba(68, 119, 170, 0.15)", hoverinfo="skip")
    ahead = wheels[:, 0] >= wheels[:, 0].mean()
    figure.add_scatter(
        x=wheels[:, 1], y=wheels[:, 0], mode="markers+text", name="contacts", marker={"color": "#4477aa", "size": 11},
        text=[label(name) for name in standing.rover.contact_names],
        textposition=np.where(ahead, "top center", "bottom center").tolist(),
    )
    over = margin < 0  # states that are not numbers have no point
    colours = np.where(over, "#cc3311", "#228833").tolist()
    figure.add_scatter(
        x=path[:, 1],
        y=path[:, 0],
        mode="lines+markers" if len(path) > 1 else "markers",
        name="zero-moment point (red: tips over)" if over.any() else "zero-moment point",
        line={"color": "#bbbbbb", "width": 1},
        marker={"color": colours, "size": 5 if len(path) > 1 else 11},
        customdata=np.column_stack([margin, np.arange(len(margin))]),
        hovertemplate="x %{y:.3f} m, y %{x:.3f} m<br>margin %{customdata[0]:.3f} m<br>state %{customdata[1]}",
    )
    figure.update_layout(
        title=_margin_words(standing),
        template="plotly_white",
        legend={"orientation": "h", "y": -0.15},
    )
    figure.update_xaxes(title="y, to the left (m)", autorange="reversed")
    figure.update_yaxes(title="x, forward (m)", scaleanchor="x")
    return figure


def _margin_words(standing: Stability) -> str:
    """The least margin, and what was left out."""
    margin, missing = np.atleast_1d(standing.margin), count_words(standing.unknown)
    if not margin.size or np.isnan(margin).all():
        return f"No margin is known: {missing or 'there are no states'}"
    worst = int(np.nanargmin(margin))
    edge = " to ".join(standing.edges[int(np.atleast_1d(standing.edge_number)[worst])])
    words = f"Least margin {margin[worst]:.3g} m, over the edge from {label(edge)}"
    return f"{words}; {missing}" if missing else words


def loads_plot(loads: WheelLoads, time: Any = None) -> Any:
    """The figure of `WheelLoads.plot`: a line for every contact in each of three panels."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    if loads.normal.ndim != 2:
        raise ValueError(f"a plot is over a row of states: the batch is {loads.normal.shape[:-1]}")
    at: NDArray[Any] = np.arange(len(loads.normal)) if time is None else np.asarray(time, dtype=float)
    if at.shape != loads.normal.shape[:1]:
        raise ValueError(f"time has the shape {at.shape}: expected ({len(loads.normal)},)")
    titles = ("normal (N)", "longitudinal (N)", "lateral (N)")
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, subplot_titles=titles, vertical_spacing=0.07)
    for row, values in enumerate((loads.normal, loads.longitudinal, loads.lateral), start=1):
        for k, name in enumerate(loads.names):
            line = go.Scatter(x=at, y=values[:, k], name=label(name), legendgroup=name, showlegend=row == 1,
                              mode="lines", line={"color": COLORS[k % len(COLORS)]})
            figure.add_trace(line, row=row, col=1)
    missing = count_words(loads.unknown)
    for begin, end in _stretches(loads.tips_over):
        figure.add_vrect(x0=at[begin], x1=at[end], fillcolor="#cc3311", opacity=0.15, line_width=0)
    figure.update_xaxes(title="state" if time is None else "time (s)", row=3, col=1)
    tips = ", red: no contact forces are in balance (it tips over)" if loads.tips_over.any() else ""
    tips += f"; {missing}" if missing else ""
    figure.update_layout(title=f"Forces of the ground on the contacts{tips}", template="plotly_white", height=700)
    return figure


def _stretches(where: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last numbers of the stretches where something holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]).astype(int)))
    return [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]
