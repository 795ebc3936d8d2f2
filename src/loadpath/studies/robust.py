"""Robust designs: what becomes of each over what is not chosen, payloads and tolerances: the worst, the probable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from loadpath.printable import printable
from loadpath.robot.conditions import Condition, Kinds
from loadpath.robot.numbers import nearest
from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.studies.answers import Answer
from loadpath.studies.chunks import COMPUTED, LEFT_OUT
from loadpath.studies.fronts import Front, front_over
from loadpath.studies.sampling import GRID
from loadpath.studies.space import Space
from loadpath.studies.values import Columns

if TYPE_CHECKING:
    from pandas import DataFrame

PROBABILITY = "probability"
_SMALL_IS_WORSE = ("life", "buckling_safety", "frequency", "margin")


class Studied(Protocol):
    """A study, as far as it is asked here."""

    @property
    def space(self) -> Space:
        """Of its designs."""

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What it asks."""

    @property
    def status(self) -> Any:
        """What became of each design."""

    def scalars(self) -> Columns:
        """Parameters and answers, one number of each design."""

    def kinds(self) -> dict[str, Kinds]:
        """What they measure."""


class Robust:
    """Designs over all that is scattered about them: arrays (designs,) of each answer, by number of the design among
    those that are chosen. Of answers with several entries the largest counts.

    `worst` is the largest (of a life, a safety, a frequency, a margin or a minimum the smallest) over corners and
    draws, `worst_at` the number of the study's design that has it, for `study.why`. `mean` and `spread` (standard
    deviation) are of the draws alone, and so is `probability`: the share of draws that fulfil `where`; a draw whose
    design failed does not. What conditions of the space leave out is not counted. A design of which a draw failed has
    no worst (NaN).
    """

    def __init__(self, study: Studied, over: Sequence[str], where: str | None, smallest: Iterable[str]) -> None:
        self.study, self.where = study, where
        space = study.space
        places, corners = _places(space, tuple(over))
        self.over = space.scattered or tuple(over)
        self._places = places
        scalars, status = study.scalars(), study.status[places]
        counted = status != LEFT_OUT
        failed = counted & (status != COMPUTED)
        drawn = counted & ~corners
        small = {*smallest, *(answer.name for answer in study.answers
                              if answer.quantity in _SMALL_IS_WORSE or answer.reduce == "min")}
        for name in smallest:
            if name not in scalars:
                raise ValueError(f"robust: there is no answer '{name}' in this study{nearest(name, list(scalars))}")
        self.worst: dict[str, Floats] = {}
        self.worst_at: dict[str, Ints] = {}
        self.mean: dict[str, Floats] = {}
        self.spread: dict[str, Floats] = {}
        nothing = failed.any(axis=1) | ~counted.any(axis=1)
        for answer in study.answers:
            values = scalars[answer.name].astype(float)[places]
            sign = -1.0 if answer.name in small else 1.0
            sizes = np.where(counted & ~np.isnan(values), sign * values, -np.inf)
            at = sizes.argmax(axis=1)
            rows = np.arange(len(at))
            self.worst[answer.name] = np.where(nothing, np.nan, values[rows, at])
            self.worst_at[answer.name] = np.where(nothing, -1, places[rows, at])
            self.mean[answer.name], self.spread[answer.name] = _moments(values, drawn, failed)
        self.probability: Floats | None = None
        if where is not None:
            good = Condition(where)(scalars, study.kinds())[places] & (status == COMPUTED)
            with np.errstate(invalid="ignore"):
                self.probability = np.where(drawn.any(axis=1), (good & drawn).sum(axis=1) / drawn.sum(axis=1), np.nan)
        self.status = np.where(nothing, 0, COMPUTED)
        self._columns = {name: column[places[:, 0]] for name, column in study.space.columns(
            slice(0, len(space))).items() if name not in self._follows(space)}

    def _follows(self, space: Space) -> set[str]:
        """Parameters that are scattered, or follow from what is."""
        found = set(self.over)
        for name in space.order:
            if found & set(space.dependent[name].names):
                found.add(name)
        return found

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What the study asks."""
        return self.study.answers

    @property
    def space(self) -> Space:
        """Of the study."""
        return self.study.space

    def __len__(self) -> int:
        return len(self._places)

    @property
    def names(self) -> tuple[str, ...]:
        """Parameters that are chosen, and what follows from them."""
        return tuple(self._columns)

    def columns(self) -> Columns:
        """Parameters that are chosen, and what follows from them, (designs,) each."""
        return self._columns

    def scalars(self) -> Columns:
        """Parameters that are chosen, the worst of answers, and the probability."""
        more = {} if self.probability is None else {PROBABILITY: self.probability}
        return {**self._columns, **self.worst, **more}

    def kinds(self) -> dict[str, Kinds]:
        """What they measure."""
        known = self.study.kinds()
        names = [*self._columns, *self.worst]
        return {name: known[name] for name in names} | ({} if self.probability is None else {PROBABILITY: ("share",)})

    def fulfilling(self, condition: str | None) -> Bools:
        """Designs that are computed and whose worst fulfils a condition."""
        good: Bools = self.status == COMPUTED
        return good if condition is None else good & Condition(condition)(self.scalars(), self.kinds())

    def design(self, number: int) -> dict[str, object]:
        """The parameters of a design, by its number here."""
        return {name: column[number] for name, column in self._columns.items()}

    def front(self, *aims: str, where: str | None = None, maximise: Iterable[str] = ()) -> Front:
        """The designs whose worst no other's is better than; as `study.front`. `probability` is an aim, too."""
        return front_over(self, aims, where, maximise)

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame: a row for each design, with the worst, the mean and the spread of each answer."""
        from pandas import DataFrame

        columns: dict[str, Any] = dict(self._columns)
        for name, worst in self.worst.items():
            columns |= {f"{name} worst": worst, f"{name} mean": self.mean[name], f"{name} spread": self.spread[name]}
        if self.probability is not None:
            columns[PROBABILITY] = self.probability
        frame = DataFrame(columns)
        frame.index.name = "design"
        return frame

    def __repr__(self) -> str:
        return printable(f"<{len(self)} designs over {self._places.shape[1]} each of {', '.join(self.over)}>")


def _places(space: Space, over: Sequence[str]) -> tuple[Ints, Bools]:
    """(designs, draws): numbers of the study's designs; and which draws are corners."""
    numbers = np.arange(len(space)).reshape(space.shape)
    if space.scattered:
        if over and set(over) != set(space.scattered):
            raise ValueError(f"robust: {', '.join(space.scattered)} are scattered in this space: leave 'over' out")
        places: Ints = numbers.reshape(-1, space.shape[-1])
        return places, np.arange(space.shape[-1]) < 2 ** len(space.scattered)
    if not over:
        raise ValueError("robust: nothing is scattered in this space: space.scatter(\"payload\"), or name axes of the "
                         "grid, over=[...]")
    if space.sampling.kind != GRID:
        raise ValueError("robust: 'over' names axes of a grid, and these designs are samples: space.scatter(...)")
    for name in over:
        if name not in space.free:
            raise ValueError(f"robust: '{name}' is no axis of this grid{nearest(str(name), space.free)}")
    last = [space.free.index(name) for name in over]
    order = [k for k in range(len(space.free)) if k not in last] + last
    count = int(np.prod([space.shape[k] for k in last]))
    return numbers.transpose(order).reshape(-1, count), np.zeros(count, dtype=bool)


def _moments(values: Floats, drawn: Bools, failed: Bools) -> tuple[Floats, Floats]:
    """Mean and standard deviation over the draws."""
    with np.errstate(invalid="ignore", divide="ignore"):
        count = drawn.sum(axis=1)
        mean = np.where(drawn, values, 0.0).sum(axis=1) / count
        off = np.where(drawn, values - mean[:, None], 0.0)
        spread = np.sqrt((off * off).sum(axis=1) / (count - 1))
    bad = (failed & drawn).any(axis=1)
    return np.where(bad, np.nan, mean), np.where(bad, np.nan, spread)
