"""The most that a rover bears, over headings, directions, radii and poses: a number for each, and what limits it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath import html
from loadpath.errors import ModelError
from loadpath.mobile.loads import NOTICEABLE, shares_missing, wheel_loads
from loadpath.mobile.slip import slip
from loadpath.mobile.stability import edge_moments_of, edge_names
from loadpath.mobile.state import State
from loadpath.plotting import label
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.mobile.rover import Rover

TIPPING, SLIPPING, ROLLING, NOTHING, UNKNOWN = "tipping", "slipping", "rolling away", "nothing", ""
_COARSE = 6
"""Steps up to the limit by tipping in which slipping is sought first; then it is bracketed."""
_FINE = 26
"""Halvings of the bracket."""
_HELD = 1e-9
"""m: margins that are none."""
_DOUBLINGS = 40
"""How often a start is doubled where nothing tips, until something slips."""


class Worst(NamedTuple):
    """The least of all: its value, where in the batch, what limits it, and at which edge or contact."""

    value: float
    at: tuple[int, ...]
    limit: str
    where: str
    along: float | None
    """Heading, direction or radius there, if the map has such an axis."""


@dataclass(frozen=True, eq=False)
class LimitMap:
    """The most that a rover bears of something, for every state, heading, direction or radius of a batch.

    `value` (...), in `unit`; `limit` (...): "tipping", "slipping", "rolling away" (no brake or foot holds it), or
    "nothing" where it bears any amount (infinite, of slopes a right angle). `where` (...): the edge or the contact. A
    state that is not a number has the value NaN and no limit. `slipping` says whether slipping was looked at.
    `axis` are the headings, directions (rad) or radii (m) of the last batch axis, called `axis_name`, where there is
    such an axis.

    >>> import loadpath as lp
    >>> around = lp.catalog.lau_rover(driven=True).largest_slope([0, 0, 0.5])
    >>> around.value.shape, around.worst.limit
    ((72,), 'slipping')
    """

    quantity: str
    unit: str
    value: Floats
    limit: NDArray[np.str_]
    where: NDArray[np.str_]
    slipping: bool
    axis_name: str = ""
    axis: Floats | None = None

    @property
    def worst(self) -> Worst:
        """The least of all values."""
        if not self.value.size or np.isnan(self.value).all():
            raise ValueError(f"largest {self.quantity}: no value is known, so there is no worst one")
        at = tuple(int(i) for i in np.unravel_index(int(np.nanargmin(self.value)), self.value.shape))
        along = float(self.axis[at[-1]]) if self.axis is not None and at else None
        return Worst(float(self.value[at]), at, str(self.limit[at]), str(self.where[at]), along)

    def as_dict(self) -> dict[str, object]:
        """Plain data, for JSON."""
        return {"quantity": self.quantity, "unit": self.unit, "value": self.value.tolist(),
                "limit": self.limit.tolist(), "where": self.where.tolist(), "slipping": self.slipping,
                "axis_name": self.axis_name, "axis": None if self.axis is None else self.axis.tolist()}

    def __repr__(self) -> str:
        return f"<largest {self.quantity}: {self._words()}>"

    def _words(self) -> str:
        if not self.value.size or np.isnan(self.value).all():
            return "not known"
        worst = self.worst
        along = "" if worst.along is None else f" at {self.axis_name} {worst.along:.4g}"
        by = f", limited by {worst.limit}" + (f" ({worst.where})" if worst.where else "")
        many = f"least of {self.value.size}: " if self.value.size > 1 else ""
        known = "" if self.slipping else "; slipping is not counted"
        return f"{many}{worst.value:.4g} {self.unit}{along}{by}{known}"

    def _repr_html_(self) -> str:
        names = [name for name in dict.fromkeys(np.ravel(self.limit).tolist()) if name]
        rows = [[name, f"{int((self.limit == name).sum())}", html.ranged(np.ravel(self.value[self.limit == name]))]
                for name in names]
        return html.table(f"Largest {self.quantity}: {self._words()}", ["limited by", "of the map", self.unit], rows)

    def plot(self) -> Figure:
        """A Plotly figure: over headings or directions a polar chart, over radii or a row of states a curve, over two
        axes a heat map; what limits it is in the colours and under the pointer.

        >>> import loadpath as lp
        >>> figure = lp.catalog.lau_rover().largest_slope([0, 0, 0.5]).plot()
        >>> figure.data[0].type
        'scatterpolar'
        """
        return _figure(self)


_COLORS = {TIPPING: "#cc3311", SLIPPING: "#e08e0b", ROLLING: "#7b4fa3", NOTHING: "#228833"}


def _figure(chart: LimitMap) -> Any:
    import plotly.graph_objects as go

    value = np.atleast_1d(chart.value)
    shown = np.degrees(value) if chart.unit == "rad" else value
    unit = "°" if chart.unit == "rad" else f" {chart.unit}"
    shown = np.where(np.isfinite(shown), shown, np.nan)
    words = [f"{limit}<br>{label(where)}" for limit, where in zip(np.ravel(chart.limit), np.ravel(chart.where),
                                                                  strict=True)]
    figure = go.Figure()
    angles = chart.axis_name in ("heading", "direction")
    axis = np.arange(value.shape[-1]) if chart.axis is None else np.degrees(chart.axis) if angles else chart.axis
    name = f"{chart.axis_name} ({'°' if angles else 'm'})" if chart.axis is not None else "state"
    title = f"Largest {chart.quantity}: {chart._words()}"
    if value.ndim > 2:
        raise ValueError(f"a plot is of one or two axes: the batch is {value.shape}")
    if value.ndim == 2:
        figure.add_heatmap(x=axis, y=np.arange(len(value)), z=shown, colorscale="Viridis",
                           colorbar={"title": unit.strip()}, text=np.reshape(words, value.shape),
                           hovertemplate="%{z:.4g}" + unit + "<br>%{text}<extra></extra>")
        figure.update_layout(title=title, template="plotly_white", xaxis_title=name, yaxis_title="state")
        return figure
    colours = [_COLORS.get(str(limit), "#bbbbbb") for limit in np.ravel(chart.limit)]
    marks: dict[str, Any] = {"text": words, "marker": {"color": colours, "size": 6}, "mode": "lines+markers",
                             "line": {"color": "#bbbbbb"}, "showlegend": False}
    if angles and chart.axis is not None:
        figure.add_scatterpolar(r=shown, theta=axis, hovertemplate="%{r:.4g}" + unit + "<br>%{text}<extra></extra>",
                                **marks)
        # Headings turn to the left, and 0 looks uphill or forward.
        figure.update_layout(polar={"angularaxis": {"rotation": 90, "direction": "counterclockwise"},
                                    "radialaxis": {"ticksuffix": unit}})
    else:
        figure.add_scatter(x=axis, y=shown, hovertemplate="%{y:.4g}" + unit + "<br>%{text}<extra></extra>", **marks)
        figure.update_layout(xaxis_title=name, yaxis_title=f"largest {chart.quantity} ({unit.strip()})")
    figure.update_layout(title=title, template="plotly_white")
    return figure


StateAt = Callable[[Floats, NDArray[np.intp]], State]
"""States (k,) for amounts (k,) of what grows, of the states with these numbers."""


def friction_is_known(rover: Rover) -> bool:
    """Whether slipping can be looked at."""
    try:
        _ = rover.frictions
    except ModelError:
        return False
    return True


def limited(
    rover: Rover, tips: Floats, state_at: StateAt, slipping: bool, scale: float, **about: Any
) -> LimitMap:
    """The map of what tips at `tips` (...), with what slips before. That is bracketed, in steps up to the limit by
    tipping; where nothing tips, from `scale` on by doubling.
    """
    shape, value = tips.shape, np.array(tips, dtype=float).reshape(-1)
    slipping = slipping and friction_is_known(rover)
    if slipping and rover.linkage is not None:
        _put_right(value, state_at)
    limit = np.where(np.isnan(value), UNKNOWN, np.where(np.isinf(value), NOTHING, TIPPING)).astype("U16")
    where = np.full(value.shape, "", dtype="U256")
    if len(rows := np.flatnonzero(limit == TIPPING)):
        state = state_at(value[rows], rows)
        names = edge_names(state)
        where[rows] = [" to ".join(names[k]) for k in edge_moments_of(state).argmin(axis=-1)]
    if slipping:
        known = np.flatnonzero(~np.isnan(value))
        _bracket(rover, value, limit, where, known, state_at, scale)
    return LimitMap(value=value.reshape(shape), limit=limit.reshape(shape), where=where.reshape(shape),
                    slipping=slipping, **about)


def _put_right(value: Floats, state_at: StateAt) -> None:
    """Less where an edge lets go before, written into the array: where wheels are on links these are the values with
    friction shared without limits, and contacts at theirs turn the links otherwise.
    """
    rows = np.flatnonzero(np.isfinite(value) & (value > 0))

    def lets_go(amount: Floats, of: NDArray[np.intp]) -> Bools:
        state = state_at(amount, rows[of])
        return np.asarray(edge_moments_of(state).min(axis=-1) < -_HELD * np.abs(state.force[..., 2]))

    left = np.arange(len(rows))
    left = left[lets_go((1 - 1e-9) * value[rows], left)] if len(left) else left
    low, high = np.zeros(len(rows)), value[rows].copy()
    for _ in range(_FINE if len(left) else 0):
        middle = 0.5 * (low[left] + high[left])
        gone = lets_go(middle, left)
        low[left[~gone]], high[left[gone]] = middle[~gone], middle[gone]
    value[rows[left]] = low[left]


def _bracket(
    rover: Rover, value: Floats, limit: NDArray[np.str_], where: NDArray[np.str_], rows: NDArray[np.intp],
    state_at: StateAt, scale: float,
) -> None:
    """Smaller values where contacts slip or the base rolls away before it tips, written into the arrays."""
    held, fails = np.zeros(len(rows)), np.full(len(rows), np.inf)
    most = value[rows]
    bounded = np.where(np.isinf(most), 0.0, most)
    steps = [share * bounded for share in np.linspace(0.0, 1.0, _COARSE + 1)]
    grown = scale
    for k in range(_DOUBLINGS):
        if k <= _COARSE:
            step = steps[k] if k < _COARSE else (1 - 1e-9) * bounded
            tried = np.where(np.isinf(most), 0.0 if k == 0 else grown, step)
        else:
            tried = np.where(np.isinf(most), grown, np.inf)
        left = np.flatnonzero(np.isinf(fails) & np.isfinite(tried))
        if not len(left):
            break
        good = _holds(rover, state_at(tried[left], rows[left]))[0]
        held[left[good]] = tried[left[good]]
        fails[left[~good]] = tried[left[~good]]
        grown *= 2.0 if k else 1.0
    some = np.flatnonzero(np.isfinite(fails))
    low, high = held[some], fails[some]
    for _ in range(_FINE):
        left = np.flatnonzero(high > low)
        if not len(left):
            break
        middle = 0.5 * (low[left] + high[left])
        good = _holds(rover, state_at(middle, rows[some[left]]))[0]
        low[left[good]], high[left[~good]] = middle[good], middle[~good]
    if len(some):
        _, names, rolls = _holds(rover, state_at(high, rows[some]))
        value[rows[some]] = low
        limit[rows[some]] = np.where(rolls, ROLLING, SLIPPING)
        where[rows[some]] = np.where(rolls, "", names)


def _holds(rover: Rover, state: State) -> tuple[Bools, NDArray[np.str_], Bools]:
    """Which states (k,) hold, the contact nearest to slipping, and whether it rolls away."""
    loads = wheel_loads(rover, state)
    used = slip(rover, state, loads)
    # What rolling resistance takes of a base that moves is no limit: it slows down.
    resisted = np.where(state.velocity.any(axis=-1), 1.001 * rover.rolling_friction.max(initial=0.0), 0.0)
    rolls = np.asarray(shares_missing(loads) > NOTICEABLE + resisted)
    return ~used.slips.any(axis=-1) & ~rolls, np.asarray(used.worst), rolls
