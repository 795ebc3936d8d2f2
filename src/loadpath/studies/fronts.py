"""The non-dominated set of many designs, exact: no other design is better in one aim and as good in all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from loadpath.in_room import function_in_room
from loadpath.parts.sizing.dominance import front_of
from loadpath.printable import printable
from loadpath.robot.conditions import Condition, Kinds
from loadpath.robot.numbers import nearest
from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.studies.values import Columns, written

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

    from loadpath.studies.answers import Answer
    from loadpath.studies.space import Space

_front_chart = function_in_room("loadpath.studies.charts", "front_chart")
_figure_of = function_in_room("loadpath.studies.charts", "figure_of")


class Designs(Protocol):
    """Designs with numbers of which some are to be small or large."""

    @property
    def space(self) -> Space:
        """That they are of."""

    @property
    def names(self) -> tuple[str, ...]:
        """Their parameters."""

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What was asked of them."""

    def scalars(self) -> Columns:
        """Parameters and answers, (designs,) each."""

    def kinds(self) -> dict[str, Kinds]:
        """What they measure."""

    def fulfilling(self, condition: str | None) -> Bools:
        """Which of them were computed and fulfil a condition."""

    def columns(self) -> Columns:
        """The parameters of all."""

    def to_dataframe(self) -> DataFrame:
        """A row for each."""


def check_choice(
    designs: Designs, aims: Sequence[str], where: str | None, maximise: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All aims, and those that shall be large; an error if one, or the condition, asks for what is neither a parameter
    nor an answer.
    """
    larger = (maximise,) if isinstance(maximise, str) else tuple(maximise)
    every, names = tuple(dict.fromkeys((*aims, *larger))), list(designs.kinds())
    if len(every) == 1:
        raise ValueError(f"a front is of two aims or more: {every} is given")
    for name in (*every, *(Condition(where).names if where is not None else ())):
        if name not in names:
            raise ValueError(f"there is no parameter or answer '{name}' in this study{nearest(name, names)}")
    return every, larger


def front_over(designs: Designs, aims: Sequence[str], where: str | None, maximise: Iterable[str]) -> Front:
    """Of designs that fulfil a condition."""
    every, larger = check_choice(designs, aims, where, maximise)
    if not every:
        raise ValueError("a front is of two aims or more: () are given")
    scalars = designs.scalars()
    for name in every:
        if scalars[name].dtype.kind not in "fiu":
            raise ValueError(f"'{name}' is not a number that could be small or large")
    good = designs.fulfilling(where)
    if not good.any():
        said = f" that fulfils '{where}'" if where else ""
        raise ValueError(f"there is no design{said}, so there is no front")
    rows = np.flatnonzero(good)
    values = np.stack([scalars[name][rows].astype(float) * (-1.0 if name in larger else 1.0) for name in every], axis=1)
    return Front(designs, every, larger, rows[front_of(values)], where)


class Front:
    """The designs that no other is better than: `numbers` of them, and a table."""

    def __init__(self, study: Designs, aims: tuple[str, ...], maximise: tuple[str, ...], numbers: Ints,
                 where: str | None) -> None:
        self.study, self.aims, self.maximise, self.where = study, aims, maximise, where
        scalars = study.scalars()
        order = np.argsort(scalars[aims[0]][numbers], kind="stable")
        self.numbers: Ints = np.sort(numbers)
        self.ordered = numbers[order]
        """The same, by the first aim."""
        self.values: Floats = np.stack([scalars[name][self.ordered] for name in aims], axis=1)
        """(designs, aims), by the first aim."""

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def designs(self) -> list[dict[str, object]]:
        """Parameters and aims of each, by the first aim."""
        columns = self.study.columns()
        return [{"design": int(number), **{name: column[number] for name, column in columns.items()},
                 **dict(zip(self.aims, row.tolist(), strict=True))}
                for number, row in zip(self.ordered, self.values, strict=True)]

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame of the designs, by the first aim."""
        return self.study.to_dataframe().loc[self.ordered]

    def ends(self) -> tuple[int, ...]:
        """Numbers of the designs that are best in one of the aims, in their order."""
        values = self.values * self._signs()
        return tuple(int(self.ordered[k]) for k in values.argmin(axis=0).tolist())

    def knee(self) -> int:
        """The number of the design that is nearest to the best of each aim, all measured over the front's extent."""
        values = self.values * self._signs()
        extent = values.max(axis=0) - values.min(axis=0)
        share = (values - values.min(axis=0)) / np.where(extent > 0, extent, 1.0)
        return int(self.ordered[int(np.argmin((share**2).sum(axis=1)))])

    def plot(self) -> Figure:
        """A Plotly figure: all designs over the first two aims, those of the front marked; a third aim is their colour.
        """
        figure: Figure = _figure_of(_front_chart(self))
        return figure

    def _signs(self) -> Floats:
        return np.array([-1.0 if name in self.maximise else 1.0 for name in self.aims])

    def __str__(self) -> str:
        names = list(dict.fromkeys(["design", *self.study.names, *self.aims]))
        rows = [[written(entry.get(name)) for name in names] for entry in self.designs]
        widths = [max(len(name), *(len(row[k]) for row in rows)) for k, name in enumerate(names)]
        lines = ["  ".join(name.rjust(width) for name, width in zip(names, widths, strict=True))]
        lines += ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return printable(f"<front of {len(self)} designs: {', '.join(self.aims)}>")
