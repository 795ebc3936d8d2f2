"""The charts of a report: lines over time, stacked parts, the robot as a skeleton with its joint forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from loadpath.plotting import COLORS, label
from loadpath.report.blocks import Chart
from loadpath.scalars.types import Floats

DASHES = ("solid", "dot", "dash", "dashdot")
"""For lines: all colours, then all again in dots, ..."""
HUES = {"gravity": 270, "inertial": 212, "centrifugal": 150, "coriolis": 30, "external": 345, "carried": 10,
        "base": 185, "friction": 55, "rotor": 310, "preload": 90}  # fmt: skip


class Part(NamedTuple):
    """One of the parts that a quantity is the sum of: its name, its kind (for the colour), its values over time."""

    name: str
    kind: str
    values: Floats


def lines(title: str, x: Floats, values: Mapping[str, Floats], unit: str, *, x_title: str = "time (s)") -> Chart:
    """Lines over time, one a name.

    >>> lines("Torque", np.array([0.0, 1.0]), {"joint1": np.array([1.0, 2.0])}, "N m").traces[0]["name"]
    'joint1'
    """
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "y": y,
            "name": label(name),
            "line": {"color": COLORS[k % len(COLORS)], "width": 2, "dash": DASHES[k // len(COLORS) % len(DASHES)]},
        }
        for k, (name, y) in enumerate(values.items())
    ]
    height = min(max(320, 80 + 19 * len(traces)), 620)  # the legend has a line for each
    return Chart(title, traces, _axes(x_title, unit), height, x)


def stacked(title: str, x: Floats, parts: Sequence[Part], unit: str, *, most: int = 7) -> Chart:
    """The parts of a sum over time, positive ones stacked upwards and negative ones downwards, the sum as a line.

    The `most` largest parts are shown by name, what is left of each kind as one.

    >>> chart = stacked("Force", np.array([0.0, 1.0]), [Part("weight", "gravity", np.array([1.0, -1.0]))], "N")
    >>> [trace["name"] for trace in chart.traces]
    ['weight', 'sum']
    """
    total = np.sum([part.values for part in parts], axis=0) if parts else np.zeros_like(x)
    traces: list[dict[str, Any]] = [
        # Stacked by the page's script: what pushes up and what pushes down apart, each number sent once.
        {"type": "stacked", "y": part.values, "name": label(part.name), "color": color}
        for part, color in zip(*_largest(parts, most), strict=True)
    ]
    line = {"color": "#1d2730", "width": 2}
    traces.append({"type": "scatter", "mode": "lines", "y": total, "name": "sum", "line": line})
    return Chart(title, traces, _axes("time (s)", unit), 360, x)


def _axes(x: str, y: str) -> dict[str, Any]:
    return {"xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}}


def _largest(parts: Sequence[Part], most: int) -> tuple[list[Part], list[str]]:
    """The largest parts, and what is left of each kind as one, with their colours: a hue a kind, a shade a part."""
    order = sorted(parts, key=lambda part: -float(np.abs(part.values).max(initial=0.0)))
    seen = [part for part in order if np.any(part.values)]
    shown = seen[:most]
    for kind in dict.fromkeys(part.kind for part in seen[most:]):
        others = [part for part in seen[most:] if part.kind == kind]
        name = others[0].name if len(others) == 1 else f"{len(others)} other {kind}"
        shown.append(Part(name, kind, np.sum([part.values for part in others], axis=0)))
    counts: dict[str, int] = {}
    colors = []
    for part in shown:
        rank = counts.get(part.kind, 0)
        counts[part.kind] = rank + 1
        colors.append(f"hsl({HUES.get(part.kind, 210)}, {max(70 - 9 * rank, 30)}%, {min(38 + 9 * rank, 82)}%)")
    return shown, colors


def skeleton(
    title: str, segments: Sequence[tuple[Floats, Floats]], points: Floats, names: Sequence[str], forces: Floats
) -> Chart:
    """The robot as lines between its joints, with the force at each joint as a red line from it; metres, world axes.

    The longest force is drawn a quarter as long as the robot is large.
    """
    size = float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0
    strongest = float(np.linalg.norm(forces, axis=-1).max(initial=0.0))
    arrows = forces * (0.25 * size / strongest if strongest else 0.0)
    x, y, z = (_joined([(a[k], b[k]) for a, b in segments]) for k in range(3))
    fx, fy, fz = (_joined([(p[k], p[k] + f[k]) for p, f in zip(points, arrows, strict=True)]) for k in range(3))
    magnitude = [f"{label(name)}<br>{np.linalg.norm(f):.4g} N" for name, f in zip(names, forces, strict=True)]
    traces: list[dict[str, Any]] = [
        {"type": "scatter3d", "mode": "lines", "x": x, "y": y, "z": z, "name": "links", "hoverinfo": "skip",
         "line": {"color": "#5c6b78", "width": 9}},
        {"type": "scatter3d", "mode": "markers", "x": points[:, 0], "y": points[:, 1], "z": points[:, 2],
         "name": "joints", "text": magnitude, "hoverinfo": "text", "marker": {"color": "#1d2730", "size": 5}},
        {"type": "scatter3d", "mode": "lines", "x": fx, "y": fy, "z": fz, "name": "force on the link beyond",
         "hoverinfo": "skip", "line": {"color": "#d1495b", "width": 6}},
    ]  # fmt: skip
    scene = {key: {"title": {"text": f"{key[0]} (m)"}} for key in ("xaxis", "yaxis", "zaxis")}
    camera = {"eye": {"x": 1.5, "y": -1.5, "z": 0.75}, "center": {"x": 0, "y": 0, "z": -0.15}}
    layout = {"scene": {**scene, "aspectmode": "data", "camera": camera}, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}}
    return Chart(title, traces, {**layout, "showlegend": False, "hovermode": "closest"}, 460)


def _joined(pairs: Sequence[tuple[float, float]]) -> list[float | None]:
    """Ends of separate lines, with a gap after each."""
    return [value for a, b in pairs for value in (float(a), float(b), None)]
