"""What a joint's load is made of, drawn: stacked bars over a motion, the total as a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.loads.breakdown_index import cause_label, check_count, component_number
from loadpath.loads.wrench import COMPONENTS
from loadpath.plotting import label

if TYPE_CHECKING:
    from loadpath.loads.breakdown import LoadBreakdown

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


def plot(breakdown: LoadBreakdown, joint: str, component: str | None, time: Any, count: int) -> Any:
    """The figure of `LoadBreakdown.plot`."""
    check_count(count)
    shown = list(range(6)) if component is None else [component_number(component)]
    parts = {
        cause_label(cause): np.asarray(breakdown.sum_of(rows))
        for cause, rows in breakdown.index.of_joint(joint).items()
    }
    if len(breakdown.batch_shape) > 1:
        raise ValueError(f"a plot is of one state or of a row of them: the batch is {breakdown.batch_shape}; "
                         "choose with .at(...)")  # fmt: skip
    stacks = _with_other(parts, shown, count)
    if not breakdown.batch_shape:
        return _one_state(breakdown, joint, stacks, shown)
    return _over_time(breakdown, joint, stacks, shown, time)


def _with_other(parts: dict[str, NDArray[Any]], shown: list[int], count: int) -> dict[str, NDArray[Any]]:
    """The `count` largest causes and the sum of all others; nothing that is zero throughout."""

    def largest(values: NDArray[Any], k: int) -> float:
        return float(np.nanmax(np.abs(values[..., k]), initial=0.0))

    scale = [max((largest(values, k) for values in parts.values()), default=0.0) for k in shown]

    def weight(values: NDArray[Any]) -> float:
        """How large it is in the component where it matters most, as a share of the largest cause there."""
        shares = (largest(values, k) / most for k, most in zip(shown, scale, strict=True) if most > 1e-9)
        return max(shares, default=0.0)

    weights = {name: weight(values) for name, values in parts.items()}
    order = sorted((name for name in parts if weights[name] > 1e-9), key=lambda name: -weights[name])
    found = {name: parts[name] for name in order[:count]}
    if rest := order[count:]:
        found[f"other ({len(rest)})"] = np.sum([parts[name] for name in rest], axis=0)
    return found


def _total(breakdown: LoadBreakdown, joint: str) -> NDArray[Any]:
    return np.asarray(breakdown.sum_of(breakdown.index.all_rows(joint)))


def _colours(stacks: dict[str, Any]) -> dict[str, str]:
    return {
        name: _OTHER if name.startswith("other (") else _COLOURS[k % len(_COLOURS)] for k, name in enumerate(stacks)
    }


def _unit(component: int) -> str:
    return "N" if component < 3 else "N m"


def _title(component: int) -> str:
    return f"{COMPONENTS[component].replace('_', ' ')} ({_unit(component)})"


def _over_time(
    breakdown: LoadBreakdown, joint: str, stacks: dict[str, NDArray[Any]], shown: list[int], time: Any
) -> Any:
    from plotly.graph_objects import Bar, Scatter
    from plotly.subplots import make_subplots

    [samples] = breakdown.batch_shape
    known = breakdown.time if time is None else time
    x = np.arange(samples) if known is None else np.asarray(known, dtype=float)
    if x.shape != (samples,):
        raise ValueError(f"time has the shape {x.shape}: expected one entry for each of the {samples} states")
    step = max(1, -(-samples // MOST_BARS))
    bars = slice(0, samples, step)
    width = np.gradient(x[bars]) if len(x[bars]) > 1 else None  # no gaps, also where the samples are uneven
    total = _total(breakdown, joint)
    several = len(shown) > 1
    figure = make_subplots(
        rows=2 if several else 1,
        cols=3 if several else 1,
        shared_xaxes=several,
        subplot_titles=[_title(k) for k in shown],
        horizontal_spacing=0.06,
        vertical_spacing=0.1,
    )
    colours = _colours(stacks)
    for panel, k in enumerate(shown):
        place = {"row": panel // 3 + 1, "col": panel % 3 + 1}
        for name, values in stacks.items():
            told = label(name)
            bar = Bar(
                x=x[bars], y=values[bars, k], width=width, name=told, legendgroup=told, showlegend=panel == 0,
                marker={"color": colours[name], "line": {"width": 0}},
                hovertemplate=f"%{{fullData.name}}: %{{y:.4g}} {_unit(k)}<extra></extra>",
            )  # fmt: skip
            figure.add_trace(bar, **place)
        line = Scatter(
            x=x, y=total[:, k], name="total", legendgroup="total", showlegend=panel == 0, mode="lines",
            line={"color": "black", "width": 1.5}, hovertemplate=f"total: %{{y:.4g}} {_unit(k)}<extra></extra>",
        )  # fmt: skip
        figure.add_trace(line, **place)
    axis = "state" if known is None else "time (s)"
    figure.update_xaxes(title_text=axis, row=2 if several else 1)
    return _laid_out(figure, f"Load on {label(joint)} by cause", several)


def _one_state(breakdown: LoadBreakdown, joint: str, stacks: dict[str, NDArray[Any]], shown: list[int]) -> Any:
    from plotly.graph_objects import Bar, Scatter
    from plotly.subplots import make_subplots

    groups = [part for part in ([k for k in shown if k < 3], [k for k in shown if k >= 3]) if part]
    titles = ["force (N)" if group[0] < 3 else "torque (N m)" for group in groups]
    figure = make_subplots(rows=1, cols=len(groups), subplot_titles=titles, horizontal_spacing=0.1)
    colours = _colours(stacks)
    for panel, group in enumerate(groups):
        names = [COMPONENTS[k].split("_")[1] for k in group]
        for name, values in stacks.items():
            told = label(name)
            bar = Bar(
                x=names, y=values[group], name=told, legendgroup=told, showlegend=panel == 0,
                marker={"color": colours[name]}, hovertemplate="%{fullData.name}: %{y:.4g}<extra></extra>",
            )  # fmt: skip
            figure.add_trace(bar, row=1, col=panel + 1)
        line = Scatter(
            x=names, y=_total(breakdown, joint)[group], name="total", legendgroup="total", showlegend=panel == 0,
            mode="markers", marker={"color": "black", "symbol": "line-ew-open", "size": 40, "line": {"width": 2}},
            hovertemplate="total: %{y:.4g}<extra></extra>",
        )  # fmt: skip
        figure.add_trace(line, row=1, col=panel + 1)
    return _laid_out(figure, f"Load on {label(joint)} by cause", tall=False, gap=0.4)


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
