"""What all pictures in space share: lines as traces, equal scales, the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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


# Joints as small solids, so that their axes are seen: cylinders about axes, boxes along slides, balls.


SIDES = 20


class Solid(NamedTuple):
    """A surface of triangles."""

    points: Floats
    """(points, 3)."""
    triangles: NDArray[np.int64]
    """(triangles, 3): numbers of their corners."""


def lathe(center: Floats, axis: Floats, profile: Sequence[tuple[float, float]], sides: int = SIDES) -> Solid:
    """A closed body turned about an axis; its profile is places along the axis, rising from the center, with radii.

    >>> cone = lathe(np.zeros(3), np.array([0.0, 0.0, 2.0]), [(0.0, 0.1), (0.5, 0.0)], sides=4)
    >>> cone.triangles.shape, cone.points[:, 2].max().item()
    ((16, 3), 0.5)
    """
    along = axis / np.linalg.norm(axis)
    aside = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    aside /= np.linalg.norm(aside)
    angles = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    ring = np.outer(np.cos(angles), aside) + np.outer(np.sin(angles), np.cross(along, aside))
    rings = [center + at * along + radius * ring for at, radius in profile]
    points = np.concatenate([*rings, [center + profile[k][0] * along for k in (0, -1)]])
    k = np.arange(sides)
    following, top = (k + 1) % sides, (len(profile) - 1) * sides
    triangles = [np.stack([following, k, np.full(sides, len(points) - 2)], axis=-1)]
    for low in range(0, top, sides):
        high = low + sides
        triangles += [np.stack([low + k, low + following, high + k], axis=-1),
                      np.stack([low + following, high + following, high + k], axis=-1)]
    triangles.append(np.stack([top + k, top + following, np.full(sides, len(points) - 1)], axis=-1))
    return Solid(points, np.concatenate(triangles))


def prism(center: Floats, axis: Floats, radius: float, length: float, sides: int = SIDES) -> Solid:
    """A prism about an axis: a cylinder with many sides, a box with four.

    >>> prism(np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.1, 0.5, sides=4).triangles.shape
    (16, 3)
    """
    return lathe(center, axis, [(-0.5 * length, radius), (0.5 * length, radius)], sides)


def bevelled(center: Floats, axis: Floats, radius: float, length: float, sides: int = 28) -> Solid:
    """A cylinder whose edges are broken, as of a casting or a tyre.

    >>> bevelled(np.zeros(3), np.array([1.0, 0.0, 0.0]), 0.1, 0.3).points[:, 0].max().round(6).item()
    0.15
    """
    half, edge = 0.5 * length, 0.16 * min(radius, length)
    profile = [(-half, radius - edge), (-half + edge, radius), (half - edge, radius), (half, radius - edge)]
    return lathe(center, axis, profile, sides)


def ball(center: Floats, radius: float, sides: int = 12) -> Solid:
    """A ball.

    >>> bool(np.allclose(np.linalg.norm(ball(np.ones(3), 0.2).points - 1.0, axis=1), 0.2))
    True
    """
    polar, around = np.linspace(0, np.pi, sides), np.linspace(0, 2 * np.pi, 2 * sides)
    grid = np.stack([np.outer(np.sin(polar), np.cos(around)), np.outer(np.sin(polar), np.sin(around)),
                     np.outer(np.cos(polar), np.ones_like(around))], axis=-1)
    width, triangles = len(around), []
    for i in range(sides - 1):
        for j in range(width - 1):
            corner = i * width + j
            triangles += [(corner, corner + width, corner + 1), (corner + 1, corner + width, corner + width + 1)]
    return Solid(center + radius * grid.reshape(-1, 3), np.array(triangles))


def together(solids: list[Solid]) -> Solid:
    """Many as one."""
    starts = np.cumsum([0, *(len(solid.points) for solid in solids[:-1])])
    triangles = [solid.triangles + start for solid, start in zip(solids, starts, strict=True)]
    return Solid(np.concatenate([solid.points for solid in solids]), np.concatenate(triangles))
