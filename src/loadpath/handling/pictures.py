"""Payload diagrams as makers of robots print them: curves of constant mass, on regions in the colour of what limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from loadpath.plotting import COLORS, label
from loadpath.printable import printable

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.handling.duty import DutyMap
    from loadpath.handling.result import PayloadDiagram

NICE = (1.0, 1.5, 2.0, 3.0, 5.0, 7.5)
CURVES = 6
"""Of constant mass, at most, where none are named."""
FREE = "#f2f4f7"


def round_masses(low: float, high: float) -> list[float]:
    """Round numbers between two masses, of which a diagram's curves are.

    >>> round_masses(0.8, 5.2)
    [1.0, 1.5, 2.0, 3.0, 5.0]
    """
    if not 0 < high < np.inf:
        return []
    tens = range(int(np.floor(np.log10(high))) - 2, int(np.floor(np.log10(high))) + 1)
    every = [float(f"{nice * 10.0**k:.3g}") for k in tens for nice in NICE]
    return [mass for mass in every if low < mass < high][-CURVES:]


def diagram_figure(found: PayloadDiagram, masses: float | Sequence[float] | None) -> Figure:
    """Axial offset to the right, radial offset upwards."""
    from plotly import graph_objects as go

    bound = np.isfinite(found.mass)
    shown = np.where(bound, found.mass, np.nan)
    some = shown[bound]
    levels = round_masses(float(some.min()), float(some.max())) if masses is None and some.size else (
        np.atleast_1d([] if masses is None else masses).tolist())
    limits = list(found.shares)
    numbers = {found.limits.index(limit): k for k, limit in enumerate(limits)}
    regions = np.array([[numbers.get(int(k), -1) if known else -1 for k, known in zip(row, has, strict=True)]
                        for row, has in zip(found.which, bound, strict=True)], dtype=float)
    figure = go.Figure()
    colors = [FREE, *(COLORS[k % len(COLORS)] for k in range(len(limits)))]
    count = len(colors)
    scale = [[(k + side) / count, color] for k, color in enumerate(colors) for side in (0, 1)]
    words = [label(printable(limit.words)) for limit in limits]
    hover = [[f"{found.mass[i, j]:.4g} kg" + (f"<br>{words[numbers[int(found.which[i, j])]]}" if bound[i, j] else "")
              for i in range(len(found.axial))] for j in range(len(found.radial))]
    figure.add_trace(go.Heatmap(
        x=found.axial, y=found.radial, z=regions.T, zmin=-1.5, zmax=count - 1.5, colorscale=scale, showscale=False,
        opacity=0.35, text=hover, hovertemplate="axial %{x:.3g} m<br>radial %{y:.3g} m<br>%{text}<extra></extra>"))
    for k, text in enumerate(words):  # the legend of the regions
        figure.add_trace(go.Scatter(x=[None], y=[None], mode="markers", name=text,
                                    marker={"symbol": "square", "size": 12, "color": COLORS[k % len(COLORS)]}))
    enough = min(shown.shape) > 1
    for level in levels if enough else ():
        figure.add_trace(go.Contour(
            x=found.axial, y=found.radial, z=shown.T, showscale=False, showlegend=False, hoverinfo="skip",
            contours={"type": "constraint", "operation": "=", "value": level, "showlabels": False},
            line={"color": "#1f2933", "width": 2}))
        place = _end_of_curve(found, shown, level)
        if place is not None:
            figure.add_annotation(x=place[0], y=place[1], text=f"{level:g} kg", showarrow=False,
                                  bgcolor="rgba(255,255,255,0.8)", font={"size": 12})
    across = "radial offset (m)" if found.directions[1] is not None else "radial offset (m), worst direction"
    figure.update_layout(
        template="plotly_white", height=560, legend={"orientation": "h", "y": -0.2},
        title={"text": label(printable(f"Payload diagram of '{found.name}'")), "font": {"size": 15}},
        xaxis={"title": {"text": label(printable(f"axial offset from '{found.link}' (m)"))}},
        yaxis={"title": {"text": across}})
    return figure


def _end_of_curve(found: PayloadDiagram, shown: np.ndarray, level: float) -> tuple[float, float] | None:
    """Where a curve's mass is written: where it crosses the axial offsets at the smallest radial offset, else where it
    crosses the radial offsets at the smallest axial one.
    """
    for values, places, put in ((shown[:, 0], found.axial, lambda x: (x, float(found.radial[0]))),
                                (shown[0], found.radial, lambda y: (float(found.axial[0]), y))):
        sign = np.sign(values - level)
        crossing = np.flatnonzero(sign[:-1] * sign[1:] < 0)
        if len(crossing):
            k = int(crossing[-1])
            share = (level - values[k]) / (values[k + 1] - values[k])
            return put(float(places[k] + share * (places[k + 1] - places[k])))
    return None


def duty_figure(found: DutyMap) -> Figure:
    """Speed to the right, payload upwards; the life's logarithm in colour, or the utilisation where no part has one."""
    from plotly import graph_objects as go

    lives = np.isfinite(found.life) & (found.life > 0)
    hover = [[f"{m:.4g} kg, speed x {s:.4g}<br>{found.life[i, j]:.4g} h<br>{100 * found.utilisation[i, j]:.4g} %"
              for j, s in enumerate(found.speed)] for i, m in enumerate(found.payload)]
    figure = go.Figure()
    options = {"x": found.speed, "y": found.payload, "text": hover, "hovertemplate": "%{text}<extra></extra>"}
    if lives.any():
        z = np.where(lives, np.log10(np.where(lives, found.life, 1.0)), np.nan)
        ticks = np.arange(np.floor(np.nanmin(z)), np.ceil(np.nanmax(z)) + 1)
        figure.add_trace(go.Heatmap(z=z, colorscale="Viridis", **options, colorbar={
            "title": {"text": "h"}, "tickvals": ticks, "ticktext": [f"{10.0**t:g}" for t in ticks]}))
    else:
        figure.add_trace(go.Heatmap(z=100 * found.utilisation, colorscale="Viridis_r", **options,
                                    colorbar={"title": {"text": "%"}}))
    if min(found.life.shape) > 1:
        figure.add_trace(go.Contour(
            x=found.speed, y=found.payload, z=found.utilisation, showscale=False, showlegend=False, hoverinfo="skip",
            contours={"type": "constraint", "operation": "=", "value": 1.0, "showlabels": False},
            line={"color": "#d1495b", "width": 3}))
    what = "Life of the weakest part" if lives.any() else "Largest utilisation"
    figure.update_layout(
        template="plotly_white", height=520,
        title={"text": label(printable(f"{what} of '{found.name}'; everything holds below the line")),
               "font": {"size": 15}},
        xaxis={"title": {"text": "factor of the speed"}},
        yaxis={"title": {"text": label(printable(f"payload on '{found.link}' (kg)"))}})
    return figure
