"""Rovers drawn: the support polygon with the zero-moment point, forces over a motion, a simulation with its path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.plotting import COLORS, label
from loadpath.robot.wheels.base import hull
from loadpath.scalars.quaternion import rotation_matrix
from loadpath.states import count_words

if TYPE_CHECKING:
    from loadpath.mobile.loads import WheelLoads
    from loadpath.mobile.stability import Stability
    from loadpath.simulate.result import Simulation


_SNAPSHOTS = 6
_ROUNDING = 1e-12
"""m."""


def simulation_figure(simulation: Simulation) -> Any:
    """Path from above with the support polygon at some times; normal forces, margin and speeds over time; of a base
    that was a free body also its pitch, roll and height, and the travel of its suspensions.
    """
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    in_space = simulation.base_velocity is not None
    sprung = simulation.suspension_travel is not None
    rows = 3 + 2 * in_space + sprung
    figure = make_subplots(
        rows=rows,
        cols=2,
        specs=[[{"rowspan": rows}, {}], *([None, {}] for _ in range(rows - 1))],
        column_widths=[0.45, 0.55],
        horizontal_spacing=0.1,
        vertical_spacing=0.08,
        subplot_titles=(
            "Path, from above (m)" + (", red: slides" if simulation.sliding.any() else ""),
            "Normal forces (N)",
            "Distance from tipping over (m)",
            "Speed of the base",
            *(("Pitch and roll (deg)", "Height of the base frame (m)") if in_space else ()),
            *(("Deflection of the suspensions, bump positive (mm)",) if sprung else ()),
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
        go.Scatter(x=t, y=_beyond_rounding(simulation.margin), name="margin", line=margin, mode="lines",
                   showlegend=False), row=2, col=2
    )
    figure.add_hline(y=0.0, line={"color": "#b0353f", "width": 1}, row=2, col=2)
    for k, (name, dash) in enumerate((("v_x (m/s)", "solid"), ("v_y (m/s)", "dash"), ("w (rad/s)", "dot"))):
        line = {"color": "#555555", "width": 1.5, "dash": dash}
        figure.add_trace(go.Scatter(x=t, y=simulation.velocity[:, k], name=name, line=line, mode="lines"), row=3, col=2)
    if in_space:
        _add_tilt(figure, go, simulation)
    if sprung:
        for k, name in enumerate(simulation.contact_names):
            line = {"color": COLORS[k % len(COLORS)], "width": 1.8}
            figure.add_trace(go.Scatter(x=t, y=1e3 * simulation.suspension_travel[:, k], name=label(name), line=line,
                                        mode="lines", showlegend=False), row=rows, col=2)
    _add_events(figure, go, simulation)
    figure.update_xaxes(matches="x2", col=2)  # one time for all of them
    figure.update_xaxes(title_text="time (s)", row=rows, col=2)
    figure.update_yaxes(scaleanchor="x", scaleratio=1, row=1, col=1)
    figure.update_layout(
        template="plotly_white",
        title=label(repr(simulation)[1:-1]),
        height=700 + 300 * in_space + 150 * sprung,
        legend={"orientation": "h", "y": -0.08},
        margin={"t": 80, "b": 60, "l": 60, "r": 30},
    )
    return figure


def _beyond_rounding(margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Margins, zero where a base turns over an edge and they are rounding."""
    return np.where(np.abs(margin) < _ROUNDING, 0.0, margin)


def _add_tilt(figure: Any, go: Any, simulation: Simulation) -> None:
    """How the base tilts and rises, where it is a free body."""
    t = simulation.times
    angles = ("pitch, nose down", simulation.pitch, "solid"), ("roll, left side up", simulation.roll, "dash")
    for name, values, dash in angles:
        figure.add_trace(go.Scatter(x=t, y=np.degrees(values), name=name, mode="lines",
                                    line={"color": "#7b4ea3", "width": 1.8, "dash": dash}), row=4, col=2)
    figure.add_trace(go.Scatter(x=t, y=simulation.position[:, 2], name="height", mode="lines", showlegend=False,
                                line={"color": "#333333", "width": 1.8}), row=5, col=2)


def _on_ground(simulation: Simulation, i: int) -> NDArray[np.float64]:
    """(contacts, 2): where the contacts of a sample are, seen from above in the frame of the ground."""
    if simulation.base_velocity is not None:
        turn = rotation_matrix(simulation.quaternion[i])
        above: NDArray[np.float64] = (simulation.contact_frames[i, :, :, 3] @ turn.T + simulation.position[i])[:, :2]
        return above
    pose, points = simulation.pose[i], simulation.contact_points[i]
    c, s = np.cos(pose[2]), np.sin(pose[2])
    world = np.stack([c * points[:, 0] - s * points[:, 1], s * points[:, 0] + c * points[:, 1]], axis=-1)
    return np.asarray(world + pose[:2])


def _add_path(figure: Any, go: Any, simulation: Simulation) -> None:
    pose = simulation.pose
    figure.add_trace(
        go.Scatter(x=pose[:, 0], y=pose[:, 1], mode="lines", line={"color": "#222222", "width": 2}, name="path",
                   showlegend=False), row=1, col=1,
    )
    for i in np.unique(np.linspace(0, len(pose) - 1, _SNAPSHOTS).round().astype(int)):
        world = _on_ground(simulation, i)
        corners = hull(world) or list(range(len(world)))
        around = [*corners, corners[0]]
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


def support_plot(standing: Stability) -> Any:
    """The figure of `Stability.plot`: seen from above, x (forward) up, y (left) to the left."""
    import plotly.graph_objects as go

    if standing.margin.ndim > 1:
        raise ValueError(f"a plot is of one state or of a row of them: the batch is {standing.margin.shape}")
    free = standing.state.free is not None  # drawn as the base stands flat
    linked = standing.state.linked
    wheels: NDArray[np.float64] | None
    if linked is not None:  # as the first state stands
        wheels = linked.points.reshape(-1, *linked.points.shape[-2:])[0, :, :2]
    else:
        wheels = standing.rover.arrangement.at_rest.points if free else standing.state.one_polygon
    if wheels is None:
        raise ValueError("casters with a trail swivel from state to state and move the support polygon: there is no "
                         "one polygon to draw. Give one velocity or one set of steering angles for all")
    one = linked is not None and standing.state.count == 1
    corners = standing.support_polygon if one else wheels[hull(wheels)]
    closed = np.vstack([corners, corners[:1]])
    path = np.atleast_2d(np.where(np.isfinite(standing.zero_moment_point), standing.zero_moment_point, np.nan))
    margin = np.atleast_1d(standing.margin)
    figure = go.Figure()
    name = "support polygon" if linked is None or one else "hull of the contacts in the first state"
    figure.add_scatter(x=closed[:, 1], y=closed[:, 0], mode="lines", fill="toself", name=name,
                       line={"color": "#4477aa"}, fillcolor="rgba(68, 119, 170, 0.15)", hoverinfo="skip")
    ahead = wheels[:, 0] >= wheels[:, 0].mean()
    figure.add_scatter(
        x=wheels[:, 1], y=wheels[:, 0], mode="markers+text", name="contacts", marker={"color": "#4477aa", "size": 11},
        text=[label(name) for name in standing.rover.contact_names],
        textposition=np.where(ahead, "top center", "bottom center").tolist(),
    )
    over = np.atleast_1d(standing.tips_over) & ~np.isnan(margin)  # states that are not numbers have no point
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
    free = loads.state.free is not None
    why = "it turns over an edge, or flies" if free else "no contact forces are in balance (it tips over)"
    tips = f", red: {why}" if loads.tips_over.any() else ""
    tips += f"; {missing}" if missing else ""
    figure.update_layout(title=f"Forces of the ground on the contacts{tips}", template="plotly_white", height=700)
    return figure


def _stretches(where: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last numbers of the stretches where something holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]).astype(int)))
    return [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]
