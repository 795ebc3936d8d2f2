"""A simulation as a figure: positions, speeds, drive forces and energies over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.plotting import COLORS, label

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.simulate.result import Simulation

MOST_POINTS = 4000
"""Instants drawn of a curve; more are not seen and make the page slow."""


def figure(simulation: Simulation) -> Figure:
    """A Plotly figure in four rows; a click on a name hides all curves of a joint. Joints that Coulomb friction holds
    are marked below their speeds.
    """
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    of = simulation
    picked = np.unique(np.linspace(0, len(of.times) - 1, min(len(of.times), MOST_POINTS)).round().astype(int))
    t = of.times[picked]
    plot = make_subplots(rows=4, cols=1, shared_xaxes=True, vertical_spacing=0.04)
    same = of.q.shape[-1] == len(of.dof_names)
    coordinates = of.dof_names if same else tuple(f"q[{k}]" for k in range(of.q.shape[-1]))
    rows = (("position (rad, m)", of.q, coordinates), ("speed (rad/s, m/s)", of.qd, of.dof_names),
            ("drive (N m, N)", of.tau, of.dof_names))  # fmt: skip
    shown: dict[str, str] = {}
    for row, (what, values, names) in enumerate(rows, start=1):
        for k, name in enumerate(names):
            color = shown.get(name, COLORS[k % len(COLORS)])
            plot.add_trace(
                go.Scatter(x=t, y=values[picked, k], name=label(name), legendgroup=label(name), mode="lines",
                           line={"color": color, "width": 1.8}, showlegend=name not in shown,
                           hovertemplate="%{y:.4g}"),
                row=row, col=1,
            )  # fmt: skip
            shown[name] = color
        plot.update_yaxes(title_text=what, row=row, col=1)
    for k, name in enumerate(of.dof_names):
        held = np.where(of.sticking[picked, k], 0.0, np.nan)
        if np.isfinite(held).any():
            plot.add_trace(
                go.Scatter(x=t, y=held, name=f"{label(name)} sticks", legendgroup=label(name), mode="lines",
                           line={"color": shown[name], "width": 6}, opacity=0.4, hoverinfo="name"),
                row=2, col=1,
            )  # fmt: skip
    energies = {"kinetic energy": of.kinetic, "potential energy, from the start": of.potential - of.potential[0],
                "work of the drives": of.drive_work, "heat of friction": of.dissipated,
                "work from outside": of.external_work}  # fmt: skip
    for k, (name, values) in enumerate(energies.items()):
        if np.any(values):
            plot.add_trace(
                go.Scatter(x=t, y=values[picked], name=name, mode="lines", hovertemplate="%{y:.4g}",
                           line={"color": COLORS[-1 - k], "width": 1.8, "dash": "dash" if k > 1 else "solid"}),
                row=4, col=1,
            )  # fmt: skip
    plot.update_yaxes(title_text="energy (J)", row=4, col=1)
    plot.update_xaxes(title_text="time (s)", row=4, col=1)
    plot.update_layout(template="plotly_white", height=900, hovermode="x unified", margin={"t": 30, "r": 20})
    return plot
