"""The chart of a fastest motion: speed along the path, how much of each limit is used, and a strip of what rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.plotting import COLORS, label, seen

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.fastest.result import Fastest

SHOWN = 0.3
"""Limits of which less is used everywhere are left out, and of more than there are colours those used least."""


def chart(found: Fastest) -> Figure:
    """See `Fastest.plot`."""
    from plotly.graph_objects import Scatter
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, row_heights=[0.38, 0.5, 0.12], vertical_spacing=0.04)
    t = found.t
    figure.add_trace(Scatter(x=t, y=found.speed, mode="lines", line={"color": "#333333"}, showlegend=False,
                             name="speed along the path"), row=1, col=1)
    middle = (t[:-1] + found.timing.arrives[1:]) / 2
    used = found.utilisation
    rules = set(found.ruling.tolist())
    order = sorted(range(len(found.limits)), key=lambda k: (k not in rules, -float(used[:, k].max())))
    shown = [k for k in order if used[:, k].max() >= SHOWN or k in rules]
    shown = shown[: max(len(COLORS), len(rules - {-1}))]
    color = {k: COLORS[place % len(COLORS)] for place, k in enumerate(shown)}
    for k in shown:
        drawn = seen(used[:, k])
        figure.add_trace(Scatter(x=middle[drawn], y=used[drawn, k], mode="lines", line={"color": color[k]},
                                 name=label(str(found.limits[k])), legendgroup=str(k)), row=2, col=1)
    figure.add_hline(y=1.0, line={"dash": "dash", "color": "#999999", "width": 1}, row=2, col=1)
    names = {str(limit): k for k, limit in enumerate(found.limits)}
    for stretch in found.rules:
        if stretch.limit:
            figure.add_trace(Scatter(
                x=[stretch.begin, stretch.end, stretch.end, stretch.begin], y=[0, 0, 1, 1], fill="toself",
                mode="lines", line={"width": 0}, fillcolor=color[names[stretch.limit]], showlegend=False,
                name=label(stretch.limit), hoveron="fills", legendgroup=str(names[stretch.limit]),
            ), row=3, col=1)
    figure.update_yaxes(title_text="ds/dt (rad/s, m/s)", rangemode="tozero", row=1, col=1)
    figure.update_yaxes(title_text="utilisation", range=[0, 1.06], row=2, col=1)
    figure.update_yaxes(title_text="rules", showticklabels=False, range=[0, 1], row=3, col=1)
    figure.update_xaxes(title_text="t (s)", row=3, col=1)
    return figure.update_layout(height=560, margin={"t": 30, "b": 40}, hovermode="closest",
                                xaxis={"range": [0, float(np.max(t))]})
