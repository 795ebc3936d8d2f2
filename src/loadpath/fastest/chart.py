"""The chart of a fastest motion: speed along the path, how much of each limit is used, and a strip of what rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.plotting import COLORS, label, seen

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.fastest.result import Fastest

SHOWN = 0.3
"""Limits of which less is used everywhere are left out, and of more than there are colours those used least."""
HEIGHT = 560
OTHER = "#8a8a8a"
"""Of a line that is no limit, in light and in dark."""


def chart(found: Fastest) -> Figure:
    """See `Fastest.plot`."""
    from plotly.graph_objects import Figure

    traces, layout = chart_data(found)
    return Figure(traces, layout).update_layout(height=HEIGHT, margin={"t": 30, "b": 40})


def chart_data(found: Fastest) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Traces and layout as plain data, for a figure and for a page."""
    t = found.t
    traces: list[dict[str, Any]] = [_line(*_speed(found), OTHER, "speed along the path", "y", showlegend=False)]
    middle = (t[:-1] + found.timing.arrives[1:]) / 2
    used = found.utilisation
    rules = set(found.ruling.tolist())
    order = sorted(range(len(found.limits)), key=lambda k: (k not in rules, -float(used[:, k].max())))
    shown = [k for k in order if used[:, k].max() >= SHOWN or k in rules]
    shown = shown[: max(len(COLORS), len(rules - {-1}))]
    color = {k: COLORS[place % len(COLORS)] for place, k in enumerate(shown)}
    for k in shown:
        drawn = seen(used[:, k])
        traces.append(_line(middle[drawn], used[drawn, k], color[k], label(str(found.limits[k])), "y2",
                            legendgroup=str(k)))
    names = {str(limit): k for k, limit in enumerate(found.limits)}
    for stretch in found.rules:
        if stretch.limit:
            k = names[stretch.limit]
            traces.append({
                "type": "scatter", "mode": "lines", "x": [stretch.begin, stretch.end, stretch.end, stretch.begin],
                "y": [0, 0, 1, 1], "fill": "toself", "fillcolor": color[k], "line": {"width": 0}, "yaxis": "y3",
                "name": label(stretch.limit), "hoveron": "fills", "hoverinfo": "name", "showlegend": False,
                "legendgroup": str(k),
            })
    end = float(np.max(t))
    layout = {
        "xaxis": {"title": {"text": "time (s)"}, "range": [0, end], "anchor": "y3"},
        "yaxis": {"title": {"text": "ds/dt (rad/s, m/s)"}, "rangemode": "tozero", "domain": [0.68, 1.0]},
        "yaxis2": {"title": {"text": "utilisation"}, "range": [0, 1.06], "domain": [0.19, 0.63]},
        "yaxis3": {"title": {"text": "rules"}, "showticklabels": False, "range": [0, 1], "domain": [0.0, 0.12],
                   "showgrid": False, "fixedrange": True},
        "shapes": [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y2", "y0": 1, "y1": 1,
                    "line": {"dash": "dash", "color": OTHER, "width": 1}}],
        "hovermode": "closest",
    }
    return traces, layout


WITHIN = 5
"""Points of an interval at which its speed is drawn."""


def _speed(found: Fastest) -> tuple[Any, Any]:
    """Times and ds/dt."""
    lasts = found.found.durations
    which = np.repeat(np.arange(len(lasts)), WITHIN)
    after = (lasts[:, None] * np.linspace(0, 1, WITHIN)).ravel()
    _, x, _ = found.found.gone(which, after)
    return found.t[:-1][which] + after, np.sqrt(np.maximum(x, 0.0))


def _line(x: Any, y: Any, color: str, name: str, axis: str, **more: Any) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "yaxis": axis,
            "line": {"color": color, "width": 2}, **more}
