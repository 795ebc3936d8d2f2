"""Pictures of a study: fronts, maps over two parameters, slices along each, parallel coordinates, shares by parameter.

Each is a `Chart`, plain data that the report takes; `figure_of` makes it a Plotly figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.plotting import COLORS, label
from loadpath.report.blocks import Chart
from loadpath.report.charts import INK
from loadpath.robot.units_of_text import UNITS
from loadpath.scalars.types import Floats, Ints
from loadpath.studies.answers import unit_of
from loadpath.studies.fronts import Designs, Front
from loadpath.studies.indices import SobolIndices
from loadpath.studies.sensitivities import Sensitivities
from loadpath.studies.through import Through, along, over
from loadpath.studies.values import words_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.studies.results import Results

_DRAWN = 3000
"""Designs of a picture that shows them all: as many are seen."""
_LINES = 600
_RANGES = ("#440154", "#3b528b", "#21918c", "#5ec962", "#e8c51c")
"""Colours of ranges, from small to large."""
_GREY, _MARKED = "rgba(128,140,150,0.35)", "#d1495b"
_SCALE = "Viridis"
_PLAIN_INK = "#1d2730"


def figure_of(chart: Chart) -> Figure:
    """A chart as a Plotly figure."""
    import plotly.graph_objects as go

    traces = [_without_ink(dict(trace)) for trace in chart.traces]
    layout = {"title": {"text": label(chart.title)}, "template": "plotly_white", "height": max(chart.height, 360),
              **_without_ink(dict(chart.layout))}
    return go.Figure(data=traces, layout=layout)


def _without_ink(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_ink(part) for key, part in value.items()}
    return _PLAIN_INK if isinstance(value, str) and value == INK else value


def titled(study: Designs, name: str) -> str:
    """A parameter or answer with its unit, for an axis."""
    unit = next((unit_of(answer) for answer in study.answers if answer.name == name), "")
    kinds = study.kinds().get(name, ())
    if not unit and kinds:
        unit = next(iter(UNITS.get(kinds[0], {})), "")
    return label(f"{name} ({unit})" if unit and unit != "%" else name)


def _axis(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": title}, **more}


def _few(numbers: Ints) -> Ints:
    """Designs to draw, of many some, evenly spread."""
    if len(numbers) <= _DRAWN:
        return numbers
    some: Ints = numbers[np.linspace(0, len(numbers) - 1, _DRAWN).astype(int)]
    return some


def _shown(design: Mapping[str, object]) -> dict[str, object]:
    return {name: float(value) if isinstance(value, (float, np.floating)) else words_of([value])[0]
            for name, value in design.items()}


# Fronts

def front_chart(front: Front) -> Chart:
    """Designs over the first two aims, those of the front marked; a third aim is their colour."""
    x, y, *more = front.aims
    scalars = front.study.scalars()
    every = _few(np.flatnonzero(front.study.fulfilling(None)))
    allowed = front.study.fulfilling(front.where)[every]
    names = {True: "designs", False: "designs that do not fulfil the condition"}
    traces: list[dict[str, Any]] = []
    for fits in (False, True):
        rows = every[allowed == fits]
        if len(rows):
            traces.append({"type": "scatter", "mode": "markers", "x": _plain(scalars[x][rows]),
                           "y": _plain(scalars[y][rows]), "name": names[fits], "hoverinfo": "skip",
                           "marker": {"size": 5, "color": _GREY, "symbol": "circle" if fits else "x-thin-open"}})
    of = _few(front.ordered)
    columns = front.study.columns()
    marker: dict[str, Any] = {"size": 9, "color": COLORS[0]}
    if more:
        marker |= {"color": _plain(scalars[more[0]][of]), "colorscale": _SCALE, "showscale": True,
                   "colorbar": {"title": {"text": titled(front.study, more[0])}}}
    words = [f"design {number}: {label(_pairs({name: column[number] for name, column in columns.items()}))}"
             for number in of.tolist()]
    traces.append({"type": "scatter", "mode": "markers" if more else "lines+markers", "x": _plain(scalars[x][of]),
                   "y": _plain(scalars[y][of]), "name": "front", "marker": marker, "text": words,
                   "line": {"color": COLORS[0], "width": 1.5, "shape": "linear"},
                   "hovertemplate": "%{text}<br>%{x:.4g}, %{y:.4g}<extra></extra>"})
    knee = front.knee()
    traces.append({"type": "scatter", "mode": "markers", "x": [float(scalars[x][knee])],
                   "y": [float(scalars[y][knee])], "name": f"knee: design {knee}", "hoverinfo": "skip",
                   "marker": {"size": 15, "symbol": "circle-open", "color": _MARKED, "line": {"width": 3}}})
    layout = {"xaxis": _axis(_aim(front, x)), "yaxis": _axis(_aim(front, y)), "hovermode": "closest",
              "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}}
    return Chart(f"Front of {', '.join(front.aims)}", traces, layout, 420)


def _aim(front: Front, name: str) -> str:
    return f"{titled(front.study, name)}, {'large' if name in front.maximise else 'small'} is better"


def _pairs(design: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
                     for name, value in _shown(design).items())


def _plain(values: Any) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in np.asarray(values, dtype=float)]


# Maps and slices

def map_chart(study: Results, answer: str, x: str, y: str, at: int) -> Chart:
    """An answer over two parameters, the others as in one design: colours, and of a utilisation the line where it is 1.
    """
    found = over(study, answer, x, y, at)
    columns, rows = found.coordinates
    z = [_plain(row) for row in found.values]
    traces: list[dict[str, Any]] = [{
        "type": "heatmap", "x": columns, "y": rows, "z": z, "colorscale": _SCALE,
        "colorbar": {"title": {"text": _unit(study, answer)}},
        "hovertemplate": f"{label(x)} %{{x}}<br>{label(y)} %{{y}}<br>%{{z:.4g}}<extra></extra>"}]
    known = np.asarray(found.values)[np.isfinite(found.values)]
    kinds = study.kinds().get(answer, ())
    if kinds == ("share",) and known.size and known.min() < 1.0 < known.max():
        traces.append({"type": "contour", "x": columns, "y": rows, "z": z, "showscale": False, "hoverinfo": "skip",
                       "contours": {"start": 1.0, "end": 1.0, "size": 1.0, "coloring": "none"},
                       "line": {"color": _MARKED, "width": 3}, "name": "limit", "showlegend": False})
    here = found.here
    traces.append({"type": "scatter", "mode": "markers", "x": [here[0]], "y": [here[1]], "name": f"design {at}",
                   "marker": {"size": 13, "symbol": "cross-open", "color": "#ffffff", "line": {"width": 3}},
                   "hoverinfo": "name", "showlegend": False})
    layout = {"xaxis": _axis(titled(study, x), **_kind(columns)), "yaxis": _axis(titled(study, y), **_kind(rows)),
              "hovermode": "closest", "showlegend": False}
    rest = [name for name in study.space.free if name not in (x, y) and name in study.space.varying]
    return Chart(f"{answer} over {x} and {y}", traces, layout, 420, note=_others(study, rest, at, found))


def _unit(study: Results, answer: str) -> str:
    text = titled(study, answer)
    return text.rpartition("(")[2].rstrip(")") if text.endswith(")") else ""


def _kind(values: Sequence[Any]) -> dict[str, str]:
    return {"type": "category"} if values and isinstance(values[0], str) else {}


def _others(study: Results, names: Sequence[str], at: int, found: Through) -> str:
    design = study.design(at)
    said = f"The others as in design {at}: {_pairs({name: design[name] for name in names})}. " if names else ""
    return said + ("White: no design, or one that failed." if np.isnan(found.values).any() else "")


def slice_charts(study: Results, answer: str, at: int, names: Sequence[str]) -> dict[str, Chart]:
    """An answer along each parameter, the others as in one design, by parameter."""
    charts = {}
    for name, found in along(study, [answer], at, names).items():
        xs, values = found.coordinates[0], found.values[0]
        mode = "markers" if xs and isinstance(xs[0], str) else "lines+markers" if len(xs) < 15 else "lines"
        traces: list[dict[str, Any]] = [{
            "type": "scatter", "mode": mode, "x": xs, "y": _plain(values), "name": label(answer),
            "line": {"color": COLORS[0], "width": 2}, "marker": {"color": COLORS[0], "size": 8},
            "hovertemplate": "%{x}: %{y:.5g}<extra></extra>"}]
        if np.isfinite(found.at):
            traces.append({"type": "scatter", "mode": "markers", "x": [found.here[0]], "y": [found.at],
                           "name": f"design {at}", "marker": {
                               "size": 13, "symbol": "circle-open", "color": _MARKED, "line": {"width": 3}}})
        layout = {"xaxis": _axis(titled(study, name), **_kind(xs)), "yaxis": _axis(titled(study, answer)),
                  "hovermode": "closest", "showlegend": False}
        charts[name] = Chart(f"{answer} along {name}", traces, layout, 320)
    return charts


# All designs

def parallel_chart(study: Results, names: Sequence[str], color: str, where: str | None) -> Chart:
    """Designs as lines across parameters and answers, coloured by one of them."""
    scalars = study.scalars()
    rows = _few(np.flatnonzero(study.fulfilling(where)))
    dimensions = []
    for name in names:
        column = scalars[name][rows]
        if column.dtype.kind in "fiu":
            dimensions.append({"label": titled(study, name), "values": _plain(column)})
            continue
        words, codes = np.unique(column, return_inverse=True)
        dimensions.append({"label": label(name), "values": codes.tolist(), "tickvals": list(range(len(words))),
                           "ticktext": [label(str(word)) for word in words]})
    trace = {"type": "parcoords", "dimensions": dimensions, "labelangle": -12, "labelside": "bottom",
             "line": {"color": _plain(scalars[color][rows]), "colorscale": _SCALE, "showscale": True,
                      "colorbar": {"title": {"text": titled(study, color)}}}}
    layout = {"margin": {"l": 70, "r": 40, "t": 40, "b": 90}, "hovermode": "closest",
              "xaxis": {"visible": False}, "yaxis": {"visible": False}}
    every = int(study.fulfilling(where).sum())
    some = f"{len(rows):,} of {every:,} designs, evenly spread. " if every > len(rows) else f"{every:,} designs. "
    return Chart("All designs", [trace], layout, 440,
                 note=some + "Drag along an axis to see the designs of a range; drag a name to move its axis.")


def lines_chart(study: Results, names: Sequence[str], color: str, where: str | None) -> Chart:
    """The same for a page whose policy leaves no room for WebGL: lines in the colours of a few ranges."""
    scalars = study.scalars()
    known = np.flatnonzero(study.fulfilling(where))
    rows = known[np.linspace(0, len(known) - 1, min(len(known), _LINES)).astype(int)] if len(known) else known
    heights, ends = [], []
    for name in names:
        column = scalars[name][rows]
        if column.dtype.kind in "fiu":
            low, high = (float(column.min()), float(column.max())) if len(rows) else (0.0, 0.0)
            heights.append((column.astype(float) - low) / ((high - low) or 1.0))
            ends.append((f"{low:.4g}", f"{high:.4g}"))
        else:
            words, codes = np.unique(column, return_inverse=True)
            heights.append(codes / max(len(words) - 1, 1))
            ends.append((label(str(words[0])), label(str(words[-1]))) if len(rows) else ("", ""))
    values = np.asarray(scalars[color][rows], dtype=float)
    edges = np.linspace(values.min(), values.max(), len(_RANGES) + 1) if len(rows) else np.zeros(len(_RANGES) + 1)
    which = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(_RANGES) - 1)
    traces: list[dict[str, Any]] = []
    for k, shade in enumerate(_RANGES):
        mine = np.flatnonzero(which == k)
        if len(mine):
            lines = [[*(float(height[row]) for height in heights), None] for row in mine.tolist()]
            traces.append({"type": "scatter", "mode": "lines", "x": [*range(len(names)), None] * len(mine),
                           "y": [y for line in lines for y in line], "line": {"color": shade, "width": 1},
                           "opacity": 0.6, "name": f"{edges[k]:.4g} to {edges[k + 1]:.4g}", "hoverinfo": "skip"})
    marks = [{"x": k, "y": y, "text": text, "showarrow": False, "yshift": shift, "font": {"size": 11}}
             for k, pair in enumerate(ends) for y, text, shift in ((0, pair[0], -10), (1, pair[1], 10))]
    axes = [{"type": "line", "x0": k, "x1": k, "y0": 0, "y1": 1, "line": {"color": INK, "width": 1}}
            for k in range(len(names))]
    layout = {"xaxis": {"tickvals": list(range(len(names))), "ticktext": [titled(study, name) for name in names],
                        "range": [-0.4, len(names) - 0.6], "showgrid": False, "zeroline": False},
              "yaxis": {"visible": False, "range": [-0.08, 1.08]}, "annotations": marks, "shapes": axes,
              "hovermode": "closest", "legend": {"title": {"text": titled(study, color)}}}
    some = f"{len(rows):,} of {len(known):,} designs, evenly spread" if len(known) > len(rows) else \
        f"{len(known):,} designs"
    return Chart("Parameters and answers", traces, layout, 440,
                 note=f"{some}; each axis from its least to its largest.")


def check_names(study: Results, names: Sequence[str]) -> list[str]:
    """Parameters that vary and answers of one number, or those named."""
    known = study.kinds()
    if names:
        study.check_names(names)
        return list(names)
    single = [answer.name for answer in study.answers if not study.shape_of(answer.name)]
    return [name for name in known if name in study.space.varying] + single


# Which parameters matter

def sensitivity_chart(found: Sensitivities, answer: str) -> Chart:
    """Per cent of an answer by one per cent of each parameter."""
    relative = {name: float(share) for name, share in found.relative(answer).items() if np.ndim(share) == 0}
    order = sorted(relative, key=lambda name: abs(np.nan_to_num(relative[name])))
    sizes = [relative[name] for name in order]
    trace = {"type": "bar", "orientation": "h", "x": _plain(sizes), "y": [label(name) for name in order],
             "marker": {"color": [COLORS[0] if size >= 0 else COLORS[1] for size in np.nan_to_num(sizes)]},
             "hovertemplate": "%{y}: %{x:+.4g} %<extra></extra>", "name": label(answer)}
    layout = {"xaxis": _axis(f"change of {label(answer)} by 1 % more (%)"), "yaxis": _axis("", type="category"),
              "showlegend": False, "hovermode": "closest", "margin": {"l": 160, "r": 10, "t": 30, "b": 44}}
    return Chart(f"{answer} at design {found.number}", [trace], layout, 100 + 34 * max(len(order), 2))


def indices_chart(found: SobolIndices, answer: str) -> Chart:
    """First order and total index of each parameter, with the bounds of their confidence."""
    first, total = (_largest_entry(part[answer]) for part in (found.first, found.total))
    order = np.argsort(np.nan_to_num(total[0]), kind="stable")
    names = [label(found.parameters[k]) for k in order]
    traces = []
    for title, (values, entry), bounds, color in (
        ("total", total, found.total_bounds[answer], COLORS[2]), ("first order", first, found.first_bounds[answer],
                                                                   COLORS[0])):
        low, high = (bounds[k].reshape(len(found.parameters), -1)[:, entry][order] for k in (0, 1))
        traces.append({"type": "bar", "orientation": "h", "x": _plain(values[order]), "y": names, "name": title,
                       "marker": {"color": color}, "hovertemplate": "%{y}: %{x:.3f}<extra></extra>",
                       "error_x": {"type": "data", "symmetric": False, "array": _plain(high - values[order]),
                                   "arrayminus": _plain(values[order] - low), "color": INK, "thickness": 1}})
    layout = {"barmode": "group", "xaxis": _axis(f"share of the variance of {label(answer)}"),
              "yaxis": _axis("", type="category"), "hovermode": "closest",
              "margin": {"l": 160, "r": 10, "t": 30, "b": 44}}
    return Chart(f"{answer} over the whole space", traces, layout, 120 + 44 * max(len(names), 2))


def _largest_entry(values: Floats) -> tuple[Floats, int]:
    """Of an answer with several entries that which varies most by its parameters."""
    flat = values.reshape(len(values), -1)
    entry = int(np.argmax(np.nan_to_num(flat).max(axis=0)))
    return flat[:, entry], entry
