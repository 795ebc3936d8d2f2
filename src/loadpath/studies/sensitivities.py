"""How the answers of a design change with its parameters: derivatives at one point, on both sides of a corner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.in_room import function_in_room
from loadpath.printable import printable
from loadpath.robot.numbers import nearest
from loadpath.scalars.types import Floats
from loadpath.studies.answers import Answer
from loadpath.studies.nearby import by_differences
from loadpath.studies.problem import Problem
from loadpath.studies.rates import NotExactError, Rates
from loadpath.tables import Table

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

_sensitivity_chart = function_in_room("loadpath.studies.charts", "sensitivity_chart")
_figure_of = function_in_room("loadpath.studies.charts", "figure_of")
_SAME = 1e-6
"""Derivatives of both sides that differ by less, beside their size, are one."""


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivities:
    """Derivatives of answers by parameters at one design, in SI units; `print` shows a table.

    The largest value over a motion has the derivative of the state that attains it. Where several states (or parts)
    attain it and change differently, it has one where the parameter grows and another where it falls: `above` and
    `below`; `corners` names them.
    """

    number: int
    design: dict[str, object]
    parameters: tuple[str, ...]
    values: Mapping[str, Floats]
    """Of each answer, (entries...)."""
    above: Mapping[str, Floats]
    """(parameters, entries...): derivatives where the parameter grows; NaN where there is no design."""
    below: Mapping[str, Floats]
    """Where it falls."""
    errors: Mapping[str, Floats]
    """(parameters,): how far off these may be, as estimated; zero of those that are exact but for rounding."""
    points: Mapping[str, float]
    """Of each parameter its number in this design."""

    def __getitem__(self, answer: str) -> dict[str, Floats]:
        """Derivatives of an answer by parameter: where the parameter grows, at an upper end where it falls."""
        if answer not in self.above:
            raise ValueError(f"there are no derivatives of '{answer}'{nearest(answer, list(self.above))}")
        above, below = self.above[answer], self.below[answer]
        return dict(zip(self.parameters, np.where(np.isnan(above), below, above), strict=True))

    @property
    def corners(self) -> list[tuple[str, str, float, float]]:
        """Answers and parameters with other derivatives on both sides, with these: below, above. Of answers with
        several entries the one where they differ most.
        """
        found = []
        for answer in self.above:
            for k, name in enumerate(self.parameters):
                above, below = self.above[answer][k].ravel(), self.below[answer][k].ravel()
                allowed = _SAME * np.maximum(np.abs(above), np.abs(below)) + 4.0 * self.errors[answer][k]
                apart = np.nan_to_num(np.abs(above - below) - allowed, nan=-1.0)
                if apart.size and apart.max() > 0:
                    at = int(np.argmax(apart))
                    found.append((answer, name, float(below[at]), float(above[at])))
        return found

    @property
    def warnings(self) -> list[str]:
        """What to know of these numbers: corners, ends of the space, and what is no exact derivative."""
        said = [f"{answer} has a corner by {name}, where another state or part is as large: {below:.4g} below, "
                f"{above:.4g} above" for answer, name, below, above in self.corners]
        for k, name in enumerate(self.parameters):
            ends = [side for side, slopes in (("above", self.above), ("below", self.below))
                    if all(np.isnan(found[k]).all() for found in slopes.values())]
            if len(ends) == 1:
                said.append(f"there is no design {ends[0]} {name} = {self.points[name]:.6g}: derivatives are of the "
                            "other side")
        differenced = [f"{answer} by {self.parameters[k]}" for answer, errors in self.errors.items()
                       for k in np.flatnonzero(errors > 0).tolist()]
        if differenced:
            more = f" and {len(differenced) - 4} more" if len(differenced) > 4 else ""
            said.append(f"by differences of designs nearby, not exact: {', '.join(differenced[:4])}{more}")
        return said

    def relative(self, answer: str) -> dict[str, Floats]:
        """By how many per cent an answer changes with one per cent of each parameter; NaN where either is zero."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return {name: np.where((self.values[answer] == 0.0) | (self.points[name] == 0.0), np.nan,
                                   slope * self.points[name] / self.values[answer])
                    for name, slope in self[answer].items()}

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame: a row for each answer (and entry) and parameter."""
        from pandas import DataFrame

        rows = []
        for answer, value in self.values.items():
            relative = self.relative(answer)
            for place in np.ndindex(*value.shape):
                for k, name in enumerate(self.parameters):
                    at = (k, *place)
                    rows.append({
                        "answer": answer + ("" if not place else f" {', '.join(map(str, place))}"),
                        "value": value[place], "parameter": name, "derivative": self[answer][name][place],
                        "below": self.below[answer][at], "above": self.above[answer][at],
                        "relative": relative[name][place], "error": self.errors[answer][k]})
        return DataFrame(rows)

    def table(self) -> Table:
        """Answers of one number, parameter by parameter."""
        rows: list[list[str | tuple[str, str]]] = []
        corners = {(answer, name): f"{below:.4g} to {above:.4g}" for answer, name, below, above in self.corners}
        for answer, value in self.values.items():
            if value.ndim:
                continue
            relative = self.relative(answer)
            for name, slope in self[answer].items():
                share = float(relative[name])
                rows.append([answer, name, f"{float(value):.5g}", corners.get((answer, name), f"{float(slope):.5g}"),
                             "-" if np.isnan(share) else f"{share:+.3g} %"])
        columns = ["answer", "parameter", "is", "changes by (per SI unit)", "by 1 % more"]
        return Table(f"Derivatives at design {self.number}", columns, rows, left=2)

    def plot(self, answer: str | None = None) -> Figure:
        """A Plotly figure: by how many per cent an answer (without a name, the first) changes with one of each
        parameter.
        """
        chosen = answer if answer is not None else next(iter(self.values))
        _ = self[chosen]  # which refuses what is not there
        figure: Figure = _figure_of(_sensitivity_chart(self, chosen))
        return figure

    def __str__(self) -> str:
        return "\n".join([self.table().text(), *map(printable, self.warnings)])

    def __repr__(self) -> str:
        return printable(f"<derivatives of {', '.join(self.above)} by {', '.join(self.parameters)} at design "
                         f"{self.number}>")


def sensitivities_of(
    problem: Problem, number: int, answers: Sequence[str] | None, parameters: Sequence[str] | None
) -> Sensitivities:
    """At one design: exact where designs go through kernels, by differences of designs nearby elsewhere."""
    asked = _asked_answers(problem, answers)
    columns = problem.space.columns([number])
    names = _asked_parameters(problem, columns, parameters)
    above, below, errors, values = {}, {}, {}, {}
    try:
        rates: Rates | None = Rates(problem, number, columns, names)
    except NotExactError:
        rates = None
    missing: dict[str, list[str]] = {name: [] for name in names}
    for answer in asked:
        found = None if rates is None else rates.of(answer)
        if rates is None or found is None:
            for name in names:
                missing[name].append(answer.name)
            continue
        value, along = found.value[0], found.along[0]
        half = len(names)
        values[answer.name] = value
        above[answer.name] = np.moveaxis(along[..., :half], -1, 0) + 0.0
        below[answer.name] = 0.0 - np.moveaxis(along[..., half:], -1, 0)
        errors[answer.name] = np.zeros(half)
        for k, name in enumerate(names):
            if name not in rates.exact or np.isnan(above[answer.name][k]).any() or np.isnan(
                    below[answer.name][k]).any():
                missing[name].append(answer.name)
    left = {name: tuple(of) for name, of in missing.items() if of}
    for name, known in by_differences(problem, columns, left, asked).items():
        for answer_name, side in known.items():
            if answer_name not in above:
                values[answer_name] = side.value
                above[answer_name] = np.full((len(names), *side.value.shape), np.nan)
                below[answer_name] = above[answer_name].copy()
                errors[answer_name] = np.zeros(len(names))
            k = names.index(name)
            above[answer_name][k], below[answer_name][k] = side.above, side.below
            errors[answer_name][k] = side.error
    points = {name: float(columns[name][0]) for name in names}
    order = [answer.name for answer in asked if answer.name in above]
    return Sensitivities(number, problem.space.design(number), tuple(names), {n: values[n] for n in order},
                         {n: above[n] for n in order}, {n: below[n] for n in order}, {n: errors[n] for n in order},
                         points)


def _has_none(answer: Answer) -> bool:
    return answer.reduce == "at" or isinstance(answer.reduce, tuple)


def _asked_answers(problem: Problem, names: Sequence[str] | None) -> list[Answer]:
    known = {answer.name: answer for answer in problem.answers}
    if names is None:
        found = [answer for answer in problem.answers if not _has_none(answer)]
        if not found:
            raise ValueError("sensitivities: numbers of states and histograms have no derivatives, and this study asks "
                             "for nothing else")
        return found
    if isinstance(names, str):
        names = [names]
    for name in names:
        if name not in known:
            raise ValueError(f"there is no answer '{name}' in this study{nearest(str(name), list(known))}")
        if _has_none(known[name]):
            raise ValueError(f"sensitivities: '{name}' jumps from one number to another: it has no derivative")
    return [known[name] for name in dict.fromkeys(names)]


def _asked_parameters(problem: Problem, columns: Mapping[str, object], names: Sequence[str] | None) -> list[str]:
    space = problem.space
    numeric = [name for name in space.free if np.asarray(columns[name]).dtype.kind == "f"]
    if names is None:
        found = [name for name in numeric if name in space.varying]
        if not found:
            raise ValueError("sensitivities: no parameter of this space is a number that varies")
        return found
    if isinstance(names, str):
        names = [names]
    for name in names:
        if name in space.dependent:
            raise ValueError(f"sensitivities: '{name}' follows from {', '.join(space.dependent[name].names)}: ask for "
                             "those")
        if name not in space.free:
            raise ValueError(f"'{name}' is no parameter of this study{nearest(str(name), list(space.free))}")
        if name not in numeric:
            raise ValueError(f"sensitivities: '{name}' is no number, so there is no derivative by it")
    return list(dict.fromkeys(names))
