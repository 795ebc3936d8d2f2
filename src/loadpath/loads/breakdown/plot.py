"""What a joint's load is made of, drawn: stacked bars over a motion, the total as a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.loads.breakdown.drive import DRIVE
from loadpath.loads.resultants import unit_of
from loadpath.plotting import label
from loadpath.quantities.load_index import cause_label, check_count
from loadpath.quantities.wrench import COMPONENTS

if TYPE_CHECKING:
    from loadpath.loads.breakdown.result import LoadBreakdown

MOST_BARS = 300
"""Bars in a panel; of longer motions samples at even distances are drawn. The line of the total has all samples."""

_COLOURS = (
    "#4477aa",
    "#ee6677",
    "#228833",
    "#ccbb44",
    "#66ccee",
    "#aa3377",
    "#ee8866",
    "#44bb99",
    "#99ddff",
    "#bbcc33",
)
_OTHER = "#bbbbbb"


class _Panel(NamedTuple):
    """What one panel shows: of `values` of shape (..., panels) the entry at its place."""

    title: str
    unit: str


def plot(breakdown: LoadBreakdown, joint: str, component: str | None, time: Any, count: int) -> Any:
    """The figure of `LoadBreakdown.plot`."""
    check_count(count)
    if len(breakdown.batch_shape) > 1:
        raise ValueError(f"a plot is of one state or of a row of them: the batch is {breakdown.batch_shape}; "
                         "choose with .at(...)")
    shown = COMPONENTS if component is None else (component,)
    if component is None:
        values = {cause: breakdown.sum_of(rows) for cause, rows in breakdown.index.of_joint(joint).items()}
    else:
        values = {cause: np.asarray(part)[..., None] for cause, part in breakdown.parts(joint, component).items()}
    parts = {cause_label(cause): np.asarray(part) for cause, part in values.items()}
    total = sum(parts.values(), start=np.zeros((*breakdown.batch_shape, len(shown))))
    panels = [_Panel(name.replace("_", " "), unit_of(breakdown.robot, joint, name)) for name in shown]
    title = f"{'Drive of' if component == DRIVE else 'Load on'} {label(joint)} by cause"
    stacks = _with_other(parts, count)
    if not breakdown.batch_shape:
        return _one_state(title, stacks, total, panels)
    known = breakdown.time if time is None else np.asarray(time, dtype=float)
    return _over_time(title, stacks, total, panels, known)


def _with_other(parts: dict[str, NDArray[Any]], count: int) -> dict[str, NDArray[Any]]:
    """The `count` largest causes and the sum of all others; nothing that is zero throughout."""

    def largest(values: NDArray[Any]) -> NDArray[Any]:
        """In each panel."""
        result: NDArray[Any] = np.nanmax(np.abs(values.reshape(-1, values.shape[-1])), axis=0, initial=0.0)
        return result

    sizes = {name: largest(values) for name, values in parts.items()}
    scale = np.max(list(sizes.values()), axis=0) if sizes else np.ones(1)
    # How large each is where it matters most, as a share of the largest cause there; what is tiny is rounding.
    scale = np.where(scale > 1e-9, scale, np.inf)
    weights = {name: float((size / scale).max()) for name, size in sizes.items()}
    order = sorted((name for name in parts if weights[name] > 1e-9), key=lambda name: -weights[name])
    found = {name: parts[name] for name in order[:count]}
    if others := order[count:]:
        found[f"other ({len(others)})"] = np.sum([parts[name] for name in others], axis=0)
    return found


def _colours(stacks: dict[str, Any]) -> dict[str, str]:
    return {
        name: _OTHER if name.startswith("other (") else _COLOURS[k % len(_COLOURS)] for k, name in enumerate(stacks)
    }


def _over_time(
    title: str, stacks: dict[str, NDArray[Any]], total: NDArray[Any], panels: list[_Panel], time: Any
) -> Any:
    from plotly.graph_objects import Bar, Scatter
    from plotly.subplots import make_subplots

    samples = len(total)
    x = np.arange(samples) if time is None else time
    if x.shape != (samples,):
        raise ValueError(f"time has the shape {x.shape}: expected one entry for each of the {samples} states")
    step = max(1, -(-samples // MOST_BARS))
    bars = slice(0, samples, step)
    width = np.gradient(x[bars]) if len(x[bars]) > 1 else None  # no gaps, also where the samples are uneven
    several = len(panels) > 1
    figure = make_subplots(
        rows=2 if several else 1,
        cols=3 if several else 1,
        shared_xaxes=several,
        subplot_titles=[f"{panel.title} ({panel.unit})" for panel in panels],
        horizontal_spacing=0.06,
        vertical_spacing=0.1,
    )
    colours = _colours(stacks)
    for k, panel in enumerate(panels):
        place = {"row": k // 3 + 1, "col": k % 3 + 1}
        pointer = f"%{{fullData.name}}: %{{y:.4g}} {panel.unit}<extra></extra>"
        for name, values in stacks.items():
            text = label(name)
            bar = Bar(
                x=x[bars], y=values[bars, k], width=width, name=text, legendgroup=text, showlegend=k == 0,
                marker={"color": colours[name], "line": {"width": 0}}, hovertemplate=pointer,
            )
            figure.add_trace(bar, **place)
        line = Scatter(
            x=x, y=total[:, k], name="total", legendgroup="total", showlegend=k == 0, mode="lines",
            line={"color": "black", "width": 1.5}, hovertemplate=pointer,
        )
        figure.add_trace(line, **place)
    axis = "state" if time is None else "time (s)"
    figure.update_xaxes(title_text=axis, row=2 if several else 1)
    return _laid_out(figure, title, several)


def _one_state(title: str, stacks: dict[str, NDArray[Any]], total: NDArray[Any], panels: list[_Panel]) -> Any:
    from plotly.graph_objects import Bar, Scatter
    from plotly.subplots import make_subplots

    units = list(dict.fromkeys(panel.unit for panel in panels))  # forces next to each other, then torques
    titles = [f"{'force' if unit == 'N' else 'torque'} ({unit})" for unit in units]
    figure = make_subplots(rows=1, cols=len(units), subplot_titles=titles, horizontal_spacing=0.1)
    colours = _colours(stacks)
    for column, unit in enumerate(units, start=1):
        group = [k for k, panel in enumerate(panels) if panel.unit == unit]
        names = [panels[k].title.removeprefix("force ").removeprefix("torque ") for k in group]
        pointer = f"%{{fullData.name}}: %{{y:.4g}} {unit}<extra></extra>"
        for name, values in stacks.items():
            text = label(name)
            bar = Bar(
                x=names, y=values[group], name=text, legendgroup=text, showlegend=column == 1,
                marker={"color": colours[name]}, hovertemplate=pointer,
            )
            figure.add_trace(bar, row=1, col=column)
        line = Scatter(
            x=names, y=total[group], name="total", legendgroup="total", showlegend=column == 1, mode="markers",
            marker={"color": "black", "symbol": "line-ew-open", "size": 40, "line": {"width": 2}},
            hovertemplate=pointer,
        )
        figure.add_trace(line, row=1, col=column)
    return _laid_out(figure, title, tall=False, gap=0.4)


def _laid_out(figure: Any, title: str, tall: bool, gap: float = 0.0) -> Any:
    figure.update_layout(
        barmode="relative",  # what is negative goes down from zero, so that both stacks are read from there
        bargap=gap,
        title=title,
        template="plotly_white",
        height=620 if tall else 420,
        legend={"traceorder": "normal"},
        margin={"l": 50, "r": 20, "t": 80, "b": 50},
        hovermode="closest",
    )
    return figure
