"""A simulation as a figure: positions, speeds, drive forces, energies, and how beams bend, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.plotting import COLORS, label, seen
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.simulate.result import Simulation


def figure(simulation: Simulation, link: str | None = None) -> Figure:
    """A Plotly figure in four rows, five with beams; a click on a name hides all curves of a joint. Joints that Coulomb
    friction holds are marked below their speeds.
    """
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    of = simulation
    last = 4 if of.elastic is None else 5
    plot = make_subplots(rows=last, cols=1, shared_xaxes=True, vertical_spacing=0.04)

    def add(row: int, values: Floats, name: str, color: str, dash: str = "solid", **options: object) -> None:
        picked = seen(values)
        plot.add_trace(
            go.Scatter(x=of.times[picked], y=values[picked], name=name, mode="lines", hovertemplate="%{y:.4g}",
                       line={"color": color, "width": 1.8, "dash": dash}, **options),
            row=row, col=1,
        )

    rows = (("position (rad, m)", of.q, of.coordinate_names), ("speed (rad/s, m/s)", of.qd, of.dof_names),
            ("drive (N m, N)", of.tau, of.dof_names))
    shown: dict[str, str] = {}
    for row, (what, values, names) in enumerate(rows, start=1):
        for k, name in enumerate(names):
            color = shown.get(name, COLORS[k % len(COLORS)])
            add(row, values[:, k], label(name), color, legendgroup=label(name), showlegend=name not in shown)
            shown[name] = color
        plot.update_yaxes(title_text=what, row=row, col=1)
    for k, name in enumerate(of.dof_names):
        if of.sticking[:, k].any():
            x, y = stretches(of.times, of.sticking[:, k])
            plot.add_trace(
                go.Scatter(x=x, y=y, name=f"{label(name)} sticks", legendgroup=label(name), mode="lines",
                           line={"color": shown[name], "width": 6}, opacity=0.4, hoverinfo="name"),
                row=2, col=1,
            )
    energies = {"kinetic energy": of.kinetic, "potential energy, from the start": of.potential - of.potential[0],
                "work of the drives": of.drive_work, "heat of friction": of.dissipated,
                "work from outside": of.external_work}
    for k, (name, values) in enumerate(energies.items()):
        if np.any(values):
            add(4, values, name, COLORS[-1 - k], "dash" if k > 1 else "solid")
    plot.update_yaxes(title_text="energy (J)", row=4, col=1)
    if of.elastic is not None:
        deflection: Any = of.deflection
        moved = 1e3 * (deflection.tip if link is None else deflection[link]).displacement
        end = label(deflection.ends[0] if link is None else link)
        largest = max(float(np.abs(moved).max()), 1e-12)
        for k, axis in enumerate("xyz"):
            if np.abs(moved[:, k]).max() >= 1e-6 * largest:
                add(5, moved[:, k], f"{end} {axis}", COLORS[k], "dot")
        plot.update_yaxes(title_text="from the rigid arm (mm)", row=5, col=1)
    plot.update_xaxes(title_text="time (s)", row=last, col=1)
    plot.update_layout(template="plotly_white", height=225 * last, hovermode="x unified", margin={"t": 30, "r": 20})
    return plot


def stretches(t: Floats, held: Bools) -> tuple[list[float | None], list[float | None]]:
    """Lines at zero over the stretches of time in which something holds, with a gap after each.

    >>> stretches(np.array([0.0, 1.0, 2.0, 3.0]), np.array([True, True, False, True]))[0]
    [0.0, 1.0, None, 3.0, 3.0, None]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], held, [False]])))
    x: list[float | None] = []
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        x += [float(t[begin]), float(t[end - 1]), None]
    return x, [None if at is None else 0.0 for at in x]
