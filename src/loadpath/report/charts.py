"""The charts of a report: lines over time, stacked parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from loadpath.plotting import COLORS, envelope, label
from loadpath.report.blocks import Chart
from loadpath.scalars.types import Floats

DASHES = ("solid", "dot", "dash", "dashdot")
"""For lines: all colours, then all again in dots, ..."""
HUES = {"gravity": 270, "inertial": 212, "centrifugal": 150, "coriolis": 30, "external": 345, "carried": 10,
        "base": 185, "spring": 120, "friction": 55, "rotor": 310, "preload": 90}


POINTS = 900
"""Of a curve, about one a pixel: longer motions show their envelope."""
ALL_POINTS = 24_000
"""Of all curves of a chart together."""
SAME = 1e-3
"""Of a curve's range: those nearer to each other look like one."""
INK = "ink"
"""A colour that is the text's own, in light and in dark."""


class Part(NamedTuple):
    """One of the parts that a quantity is the sum of: its name, its kind (for the colour), its values over time."""

    name: str
    kind: str
    values: Floats


def lines(
    title: str,
    x: Floats,
    values: Mapping[str, Floats],
    unit: str,
    *,
    x_title: str = "time (s)",
    live: Mapping[str, Any] | None = None,
) -> Chart:
    """Lines over time, one a name; of long motions the smallest and largest values of each stretch, so that no
    oscillation goes missing and none appears that is not there. `live` says how the page computes them again.

    >>> lines("Torque", np.array([0.0, 1.0]), {"joint1": np.array([1.0, 2.0])}, "N m").traces[0]["name"]
    'joint1'
    """
    every = np.array(list(values.values()), dtype=float).reshape(len(values), len(x)).T
    names, columns, note = _distinct(list(values), every)
    most = max(200, min(POINTS, ALL_POINTS // max(len(names), 1)))
    times, drawn = envelope(x, columns, most)
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "y": drawn[:, k],
            "name": label(name),
            "line": {"color": COLORS[k % len(COLORS)], "width": 2, "dash": DASHES[k // len(COLORS) % len(DASHES)]},
        }
        for k, name in enumerate(names)
    ]
    height = min(max(320, 80 + 19 * len(traces)), 620)  # the legend has a line for each
    return Chart(title, traces, _axes(x_title, unit), height, times, note, live=live)


def _distinct(names: list[str], columns: Floats) -> tuple[list[str], Floats, str]:
    """Curves that cannot be told apart are one, with the names of all in a note: drawn over each other, only the last
    is seen.
    """
    kept: dict[int, list[str]] = {}
    for k, name in enumerate(names):
        size = SAME * float(np.ptp(np.nan_to_num(columns[:, k]))) if len(columns) else 0.0
        same = next((j for j in kept if _alike(columns[:, j], columns[:, k], size)), k)
        kept.setdefault(same, []).append(name)
    alike = [", ".join(found) for found in kept.values() if len(found) > 1]
    shown = [found[0] if len(found) == 1 else f"{found[0]} and {len(found) - 1} alike" for found in kept.values()]
    return shown, columns[:, list(kept)], f"Alike: {'; '.join(alike)}." if alike else ""


def _alike(a: Floats, b: Floats, size: float) -> bool:
    """Whether two curves are within a distance of each other everywhere; a few places are asked first."""
    few = slice(None, None, max(len(a) // 50, 1))
    return all(np.allclose(a[rows], b[rows], rtol=0, atol=size, equal_nan=True) for rows in (few, slice(None)))


def stacked(title: str, x: Floats, parts: Sequence[Part], unit: str, *, most: int = 6) -> Chart:
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
    line = {"color": INK, "width": 2}
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
