"""What all pictures in space share: lines as traces, equal scales, the view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from plotly.graph_objects import Figure, Scatter3d


def trace(lines: list[Floats], name: str, color: str, width: float, **more: Any) -> Scatter3d:
    """Separate lines as one Plotly trace."""
    import plotly.graph_objects as go

    gap = np.full((1, 3), np.nan)
    joined = np.concatenate([part for line in lines for part in (line, gap)]) if lines else np.zeros((0, 3))
    x, y, z = joined.T
    return go.Scatter3d(x=x, y=y, z=z, mode="lines", name=name, line={"color": color, "width": width},
                        hoverinfo=more.pop("hoverinfo", "skip"), **more)


THINNEST = 0.3
"""The least length of an axis of a picture, as a share of the longest: room for the grid of an arm in a plane."""


def scene(title: str, figure: Figure) -> dict[str, object]:
    """The layout of all these pictures: equal scales, world axes in m, the whole of the figure's traces in view.

    Plotly's own equal scales keep the volume of the box: of a long arm in a plane they show the middle only.
    """
    traces = [np.stack([np.asarray(part[k], dtype=float) for k in "xyz"]) for part in figure.data]
    points = np.concatenate([np.zeros((3, 0)), *traces], axis=1)
    points = points[:, np.isfinite(points).all(axis=0)]
    low, high = (points.min(axis=1), points.max(axis=1)) if points.size else (np.zeros(3), np.ones(3))
    longest = float((high - low).max()) or 1.0
    half = np.maximum(0.54 * (high - low), 0.5 * THINNEST * longest)
    middle = 0.5 * (low + high)
    axes = {
        f"{k}axis": {"title": {"text": f"{k} (m)"}, "backgroundcolor": "white", "gridcolor": "#d8dee4",
                     "range": [float(middle[i] - half[i]), float(middle[i] + half[i])]}
        for i, k in enumerate("xyz")
    }
    box = {
        "aspectmode": "manual",
        "aspectratio": {k: float(1.6 * half[i] / half.max()) for i, k in enumerate("xyz")},
        "camera": {"eye": {"x": 1.3, "y": -1.5, "z": 0.8}},
    }
    return {
        "template": "plotly_white",
        "title": {"text": title, "font": {"size": 15}},
        "scene": {**axes, **box},
        "margin": {"l": 0, "r": 0, "t": 50, "b": 0},
        "height": 620,
        "legend": {"x": 0.01, "y": 0.98, "bgcolor": "rgba(255,255,255,0.7)"},
    }
