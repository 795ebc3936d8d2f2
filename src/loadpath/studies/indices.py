"""Which parameters an answer depends on, over the whole space: Sobol indices, of a study over Saltelli's pairs.

The variance of an answer over the space is divided by cause: the **first order** index of a parameter is the share
that goes when the parameter is known, the **total** index the share that stays when all others are. With a, b two
independent points and c the point a with one number from b,

    first = E[f(b) (f(c) - f(a))] / V,        total = E[(f(a) - f(c))^2] / 2 V

(A. Saltelli and others, "Variance based sensitivity analysis of model output", Computer Physics Communications 181
(2010), table 2, rows b and f). Their sum of first orders is at most one; what total has beyond first is interaction.
Confidence is from resampling the pairs with replacement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.in_room import function_in_room
from loadpath.printable import printable
from loadpath.robot.numbers import nearest
from loadpath.scalars.types import Floats, Ints
from loadpath.tables import Table

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

_indices_chart = function_in_room("loadpath.studies.charts", "indices_chart")
_figure_of = function_in_room("loadpath.studies.charts", "figure_of")
_RESAMPLED = 200
"""Times that the pairs are drawn again."""
_FEWEST = 16
"""Pairs of which indices are given."""
_MOST_MISSING = 0.1
"""Share of pairs that may have a design that failed."""
_SPREAD = 1e-12
"""An answer that varies by less, beside its size, is constant."""


@dataclass(frozen=True, eq=False, repr=False)
class SobolIndices:
    """Shares of the variance of answers by parameter: `first` and `total` order, by answer (parameters, entries...),
    with the bounds of their confidence; `print` shows a table.
    """

    parameters: tuple[str, ...]
    first: Mapping[str, Floats]
    """Of each answer, (parameters, entries...): the share that goes when the parameter is known."""
    total: Mapping[str, Floats]
    """The share that stays when all others are known."""
    first_bounds: Mapping[str, Floats]
    """(2, parameters, entries...): between which the first order index is, with the confidence asked for."""
    total_bounds: Mapping[str, Floats]
    confidence: float
    pairs: int
    """Of which they were found."""
    left_out: int
    """Pairs of which a design failed."""

    def ranked(self, answer: str) -> list[tuple[str, float]]:
        """Parameters with their total index, the largest first; of answers with several entries the largest of them."""
        if answer not in self.total:
            raise ValueError(f"there are no indices of '{answer}'{nearest(answer, list(self.total))}")
        values = self.total[answer].reshape(len(self.parameters), -1)
        with np.errstate(invalid="ignore"):
            most = np.where(np.isnan(values).all(axis=1), np.nan, np.fmax.reduce(values, axis=1))
        order = np.argsort(-np.nan_to_num(most, nan=-np.inf), kind="stable")
        return [(self.parameters[k], float(most[k])) for k in order.tolist()]

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame: a row for each answer (and entry), parameter, with both indices and their bounds."""
        from pandas import DataFrame

        rows = []
        for answer, first in self.first.items():
            for place in np.ndindex(*first.shape[1:]):
                for k, name in enumerate(self.parameters):
                    at = (k, *place)
                    of_first, of_total = self.first_bounds[answer], self.total_bounds[answer]
                    rows.append({
                        "answer": answer + ("" if not place else f" {', '.join(map(str, place))}"), "parameter": name,
                        "first": first[at], "first_low": of_first[(0, *at)], "first_high": of_first[(1, *at)],
                        "total": self.total[answer][at], "total_low": of_total[(0, *at)],
                        "total_high": of_total[(1, *at)]})
        return DataFrame(rows)

    def table(self) -> Table:
        """Answers of one number, parameter by parameter."""
        rows: list[list[str | tuple[str, str]]] = []
        for answer, first in self.first.items():
            if first.ndim > 1:
                continue
            for k, name in enumerate(self.parameters):
                rows.append([answer, name, _share(first[k]), _range(self.first_bounds[answer][:, k]),
                             _share(self.total[answer][k]), _range(self.total_bounds[answer][:, k])])
        within = f"{100 * self.confidence:.3g} %"
        columns = ["answer", "parameter", "first", f"{within} between", "total", f"{within} within"]
        return Table("Sobol indices", columns, rows, left=2)

    def plot(self, answer: str | None = None) -> Figure:
        """A Plotly figure: both indices of each parameter with their bounds, of one answer (without a name, of the
        first that varies).
        """
        varies = [name for name, total in self.total.items() if np.isfinite(total).any()]
        chosen = answer if answer is not None else next(iter(varies or self.total))
        self.ranked(chosen)  # which refuses what is not there
        figure: Figure = _figure_of(_indices_chart(self, chosen))
        return figure

    def __str__(self) -> str:
        rest = f"; {self.left_out} left out, of which a design failed" if self.left_out else ""
        return f"{self.table().text()}\nof {self.pairs} pairs{rest}"

    def __repr__(self) -> str:
        return printable(f"<Sobol indices of {', '.join(self.first)} by {', '.join(self.parameters)}: "
                         f"{self.pairs} pairs>")


def indices_of(
    values: Mapping[str, Floats], parameters: tuple[str, ...], confidence: float, seed: int
) -> SobolIndices:
    """Of answers (designs, entries...) of a plan of pairs; designs that failed are NaN, and their pairs left out.

    >>> share = np.arange(48.0).reshape(16, 3) / 47             # pairs of designs of one parameter: the answer itself
    >>> found = indices_of({"f": share.ravel()}, ("x",), 0.95, 0)
    >>> found.total["f"].shape
    (1,)
    """
    dims = len(parameters)
    plans = {name: flat[: len(flat) // (dims + 2) * (dims + 2)].reshape(-1, dims + 2, *flat.shape[1:])
             for name, flat in values.items()}
    whole = np.logical_and.reduce([np.isfinite(plan).reshape(len(plan), -1).all(axis=1) for plan in plans.values()])
    pairs, left_out = int(whole.sum()), int((~whole).sum())
    if pairs < _FEWEST or left_out > _MOST_MISSING * len(whole):
        raise ValueError(f"sobol_indices: of {len(whole)} pairs {left_out} have a design that failed: what is left "
                         "says nothing about the whole space; study.failures says why, ask for a space where designs "
                         "exist")
    first, total, first_bounds, total_bounds = {}, {}, {}, {}
    drawn = np.random.default_rng(seed).integers(pairs, size=(_RESAMPLED, pairs))
    tails = [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]
    for name, plan in plans.items():
        own = plan[whole]
        first[name], total[name] = _indices(own)
        again = [_indices(own[rows]) for rows in drawn]
        first_bounds[name] = np.quantile([one for one, _ in again], tails, axis=0)
        total_bounds[name] = np.quantile([other for _, other in again], tails, axis=0)
    return SobolIndices(parameters, first, total, first_bounds, total_bounds, confidence, pairs, left_out)


def _indices(plan: Floats) -> tuple[Floats, Floats]:
    """First order and total, (parameters, entries...), of answers (pairs, parameters + 2, entries...)."""
    a, c, b = plan[:, :1], plan[:, 1:-1], plan[:, -1:]
    both = np.concatenate([a, b], axis=1)
    mean = both.mean(axis=(0, 1))
    variance = ((both - mean) ** 2).mean(axis=(0, 1))
    constant = variance <= (_SPREAD * np.abs(mean)) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        first = ((b - mean) * (c - a)).mean(axis=0) / variance
        total = 0.5 * ((a - c) ** 2).mean(axis=0) / variance
    return np.where(constant, np.nan, first), np.where(constant, np.nan, total)


def _share(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3f}"


def _range(bounds: Floats | Ints) -> str:
    return "-" if np.isnan(bounds).any() else f"{bounds[0]:.3f} to {bounds[1]:.3f}"
