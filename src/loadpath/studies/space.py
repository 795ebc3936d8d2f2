"""The space of designs: `lp.Space(payload=lp.span("0 kg", "12 kg"), wall=["3 mm", "4 mm"], gear=gears)`. A design is
found by its number, so a space of a hundred million takes no memory.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from loadpath.robot.conditions import Condition, Kinds
from loadpath.robot.numbers import nearest
from loadpath.scalars.types import ArrayLike, Bools, Floats, Ints
from loadpath.studies.content import fingerprint
from loadpath.studies.dependent import Dependent, dependent, order_of
from loadpath.studies.sampling import (
    DRAWN,
    GRID,
    LATIN,
    MOST_SCATTERED,
    OWN,
    PAIRS,
    SOBOL,
    Sampling,
    checked_count,
    checked_seed,
)
from loadpath.studies.span import Span
from loadpath.studies.values import Column, Columns, column_of, kinds_of_text, number_in_si, read_list


class Space:
    """Parameters and what they may be: spans, lists (numbers, text with units, parts), one value, or a function of
    others, whose arguments are their names. Names with dots are those of a robot's numbers (`payload.mass`, see
    `robot.family`) and come in a mapping; others are arguments of the function that makes the robot.

    Without more it is a grid. `latin_hypercube`, `sobol` and `samples` take others; `subject_to` leaves out what does
    not fulfil a condition.

    >>> import loadpath as lp
    >>> space = lp.Space(arm=lp.span("0.4 m", "0.7 m", 4), wall=["3 mm", "5 mm"], mass=lambda arm, wall: 90 * arm * wall)
    >>> space.shape, len(space)
    ((4, 2), 8)
    >>> {name: round(float(value), 3) for name, value in space.design(3).items()}
    {'arm': 0.5, 'wall': 0.005, 'mass': 0.225}
    >>> len(space.sobol(64, seed=1))
    64
    """  # noqa: E501

    def __init__(self, parameters: Mapping[str, object] | None = None, /, **more: object) -> None:
        given: dict[str, Any] = {}
        for source in ({} if parameters is None else parameters, more):
            if not isinstance(source, Mapping):
                raise ValueError(f"a space is made of {type(source).__name__}: expected a mapping from names to spans, "
                                 "lists or functions, or keywords")
            for name, value in source.items():
                if not isinstance(name, str) or not name.strip():
                    raise ValueError(f"a parameter of a space is named {name!r}: expected text")
                if name in given:
                    raise ValueError(f"'{name}' is given twice")
                given[name] = value
        if not given:
            raise ValueError("a space without parameters: expected some, like lp.Space(payload=lp.span(\"0 kg\", "
                             "\"12 kg\"))")
        self._axes: dict[str, Span | tuple[Any, ...] | Dependent] = {}
        for name, value in given.items():
            self._axes[name] = _axis(name, value, list(given))
        self._order = order_of(self._axes)
        self.conditions: tuple[Condition | Dependent, ...] = ()
        """What designs have to fulfil."""
        self.sampling = Sampling()
        self.scattered: tuple[str, ...] = ()
        """Free parameters that are not chosen: each design has draws of them, the same for all."""
        self.draws = Sampling()
        self._kinds: dict[str, Kinds] = {}
        self._limits: dict[str, tuple[float, float]] = {}

    # What there is

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters, in the order in which they were given."""
        return tuple(self._axes)

    @property
    def free(self) -> tuple[str, ...]:
        """Those that are chosen; the others follow from them."""
        return tuple(name for name, axis in self._axes.items() if not isinstance(axis, Dependent))

    @property
    def chosen(self) -> tuple[str, ...]:
        """Free parameters that make a design; the others are scattered about it."""
        return tuple(name for name in self.free if name not in self.scattered)

    @property
    def varying(self) -> tuple[str, ...]:
        """Free parameters that may have more than one value."""
        return tuple(name for name in self.free if self._axis_length(name) > 1)

    @property
    def order(self) -> tuple[str, ...]:
        """Those that follow from others, each after what it depends on."""
        return self._order

    @property
    def dependent(self) -> dict[str, Dependent]:
        """Those that follow from others, by name."""
        return {name: axis for name, axis in self._axes.items() if isinstance(axis, Dependent)}

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a grid: how many values each free parameter has; else the number of designs. Then the number of draws,
        where there are some.
        """
        drawn = (self.draws.count,) if self.scattered else ()
        if self.sampling.kind != GRID:
            return (self.sampling.count, *drawn)
        return (*(self._axis_length(name) for name in self.chosen), *drawn)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def axis(self, name: str) -> Column:
        """The values of a free parameter in a grid; of a span that is sampled, both ends."""
        axis = self._axes[name]
        if isinstance(axis, Span):
            count = axis.count if self.sampling.kind == GRID else 2
            return self._of_shares(name, np.arange(count) / (count - 1))
        assert not isinstance(axis, Dependent)
        return self.values(name, axis)

    def span_of(self, name: str) -> Span | None:
        """The span that a parameter was given as; None of lists and of what follows from others."""
        axis = self._axes[name]
        return axis if isinstance(axis, Span) else None

    def bounds(self, name: str) -> tuple[float, float]:
        """Both ends of a span, in SI units."""
        axis = self._axes[name]
        assert isinstance(axis, Span)
        return axis.bounds(name, self.kinds(name), self._limits.get(name))

    def values(self, name: str, values: Sequence[object]) -> Column:
        """Values of a free parameter as a column, text with a unit as what the parameter measures."""
        kinds = self.kinds(name)
        found: Column = column_of([number_in_si(value, name, kinds) if isinstance(value, str) and kinds_of_text(value)
                                 else value for value in values])
        return found

    def kinds(self, name: str) -> Kinds:
        """What a parameter measures, as far as that is known."""
        if name in self._kinds:
            return self._kinds[name]
        axis = self._axes.get(name)
        if isinstance(axis, Span):
            return axis.kinds
        if isinstance(axis, tuple):
            texts = [kinds_of_text(value) for value in axis if isinstance(value, str)]
            return texts[0] if texts and len(texts) == len(axis) and all(texts) else ()
        return ()

    def _axis_length(self, name: str) -> int:
        axis = self._axes[name]
        assert not isinstance(axis, Dependent)
        return axis.count if isinstance(axis, Span) else len(axis)

    # How it is sampled

    def _made(self, **changes: Any) -> Self:
        made = type(self).__new__(type(self))
        made.__dict__ = {**self.__dict__, **changes}
        return made

    def grid(self, count: int | None = None) -> Self:
        """Every combination; of each span `count` values, or as many as it says itself.

        >>> import loadpath as lp
        >>> lp.Space(arm=lp.span("0.4 m", "0.7 m"), wall=["3 mm", "5 mm"]).grid(10).shape
        (10, 2)
        """
        axes = dict(self._axes)
        if count is not None:
            count = checked_count(count, "grid", least=2)
            axes = {name: replace(axis, count=count) if isinstance(axis, Span) else axis for name, axis in axes.items()}
        return self._made(_axes=axes, sampling=Sampling())

    def latin_hypercube(self, count: int, seed: int = 0) -> Self:
        """So many designs, of which each parameter has one in each of as many equal parts of its range."""
        return self._made(sampling=Sampling(LATIN, checked_count(count, "latin_hypercube"), checked_seed(seed)))

    def sobol(self, count: int, seed: int = 0) -> Self:
        """So many points of a scrambled Sobol sequence (`scipy.stats.qmc.Sobol`), a power of two for the best balance.
        """
        return self._made(sampling=Sampling(SOBOL, checked_count(count, "sobol"), checked_seed(seed)))

    def pairs(self, count: int, seed: int = 0) -> Self:
        """Designs of which Sobol indices are found, `study.sobol_indices()`: so many pairs of points (a power of two
        for the best balance), and of each as many designs as there are parameters that vary, and two (Saltelli 2010).

        Parameters are taken as independent of each other, evenly spread over their spans and lists; those that follow
        from others do.

        >>> import loadpath as lp
        >>> len(lp.Space(arm=lp.span("0.4 m", "0.7 m"), wall=["3 mm", "5 mm"], gears=2.0).pairs(64))
        256
        """
        if self.scattered:
            raise ValueError(f"pairs: {', '.join(self.scattered)} are scattered about each design, and Sobol indices "
                             "are of a space without that")
        if self.conditions:
            raise ValueError(f"pairs: this space has conditions ({_words(self.conditions)}), which tie parameters to "
                             "each other, and Sobol indices are of independent ones: leave the conditions out, "
                             "or make a space of parameters that are free, with the others following from them")
        if not self.varying:
            raise ValueError("pairs: no parameter of this space varies")
        return self._made(sampling=Sampling(PAIRS, checked_count(count, "pairs", least=2) * (len(self.varying) + 2),
                                            checked_seed(seed)))

    def samples(self, values: Mapping[str, ArrayLike | Sequence[object]]) -> Self:
        """Designs of one's own: the values of every free parameter, (designs,) each.

        >>> import loadpath as lp
        >>> len(lp.Space(arm=lp.span("0.4 m", "0.7 m")).samples({"arm": [0.45, 0.5, 0.62]}))
        3
        """
        if not isinstance(values, Mapping):
            raise ValueError(f"samples are {type(values).__name__}: expected a mapping from parameters to values")
        for name in values:
            if name not in self.chosen:
                raise ValueError(f"samples: '{name}' is no free parameter of this space"
                                 f"{nearest(str(name), self.chosen)}")
        table: dict[str, tuple[Any, ...]] = {}
        for name in self.chosen:
            if name not in values:
                raise ValueError(f"samples: no values of '{name}' are given")
            column = np.asarray(read_list(name, values[name]), dtype=object).tolist()
            if all(isinstance(value, (int, float)) for value in column):
                column = [float(value) for value in column]
                if not all(map(math.isfinite, column)):
                    raise ValueError(f"samples: '{name}' has a number that is not finite")
            table[name] = tuple(column)
        sizes = {name: len(column) for name, column in table.items()}
        if len(set(sizes.values())) != 1 or not next(iter(sizes.values())):
            raise ValueError(f"samples: expected as many values of each parameter, one at least: {sizes}")
        return self._made(sampling=Sampling(OWN, next(iter(sizes.values())), 0, tuple(table.items())))

    def scatter(self, *names: str, count: int = 64, seed: int = 0) -> Self:
        """The space in which these parameters are not chosen but come as they may: payloads, tolerances. Each design is
        computed with all corners of their ranges and with so many draws between (a Sobol sequence, evenly spread over
        spans and lists, the same for all designs). `study.robust()` has the worst of each design and how probable it
        is that requirements hold.

        >>> import loadpath as lp
        >>> space = lp.Space(arm=lp.span("0.4 m", "0.7 m", 4), payload=lp.span("0 kg", "3 kg"))
        >>> space.scatter("payload", count=30).shape
        (4, 32)
        """
        for name in names:
            if name not in self.free:
                raise ValueError(f"scatter: '{name}' is no free parameter of this space{nearest(str(name), self.free)}")
        if not names or len(set(names)) == len(self.free):
            raise ValueError("scatter: expected the names of parameters that are not chosen, and one at least that is")
        if len(set(names)) > MOST_SCATTERED:
            raise ValueError(f"scatter: {len(set(names))} parameters have {2 ** len(set(names)):,} corners: expected "
                             f"{MOST_SCATTERED} at most")
        if self.sampling.kind in (OWN, PAIRS):
            raise ValueError(f"scatter: the designs of this space are {self.sampling.kind} already: scatter before")
        scattered = tuple(name for name in self.free if name in names)
        total = 2 ** len(scattered) + checked_count(count, "scatter")
        return self._made(scattered=scattered, draws=Sampling(DRAWN, total, checked_seed(seed)))

    def subject_to(self, *conditions: str | Callable[..., object]) -> Self:
        """The space without designs that do not fulfil these: text like "upper_arm + fore_arm <= 1.2 m", or functions
        whose arguments are parameters. Those that are left out are counted, and not computed.

        >>> import loadpath as lp
        >>> space = lp.Space(a=[1, 2, 3], b=[1, 2, 3]).subject_to("a <= b", lambda a: a > 1)
        >>> int(space.feasible(space.columns(slice(0, 9))).sum())
        3
        """
        found: list[Condition | Dependent] = []
        if conditions and self.sampling.kind == PAIRS:
            raise ValueError("subject_to: Sobol indices are of parameters that are independent of each other, and a "
                             "condition ties them: leave it out of a space of pairs")
        for one in conditions:
            if isinstance(one, str):
                condition = Condition(one)
                for name in condition.names:
                    if name not in self._axes:
                        raise ValueError(f"condition {one!r}: there is no parameter '{name}'{nearest(name, self.names)}"
                                         )
                found.append(condition)
            elif callable(one):
                found.append(dependent("a condition", one, list(self._axes)))
            else:
                raise ValueError(f"a condition is {one!r}: expected text like \"a + b <= 1.2 m\", or a function")
        return self._made(conditions=(*self.conditions, *found))

    def plain(self) -> Self:
        """The space without conditions and scatter."""
        return self._made(conditions=(), scattered=(), draws=Sampling())

    def around(self, designs: Sequence[Mapping[str, object]], count: int, within: float, seed: int) -> Self:
        """These designs, and `count` more about them in turn: numbers of spans within so many steps of the space (of a
        grid its own, of samples as wide as if they were one), what is in lists as it is.
        """
        table: dict[str, list[Any]] = {name: [design[name] for design in designs] for name in self.chosen}
        spans = [name for name in self.chosen if isinstance(self._axes[name], Span)]
        places = np.arange(count) % len(designs)
        shares = Sampling(LATIN, count, seed).shares(np.arange(count), max(len(spans), 1))
        step = len(self) ** (-1.0 / max(len(spans), 1))
        for name in self.chosen:
            near = [table[name][k] for k in places.tolist()]
            if name in spans:
                axis = self._axes[name]
                assert isinstance(axis, Span)
                ends = self.bounds(name)
                wide = within * (1.0 / (axis.count - 1) if self.sampling.kind == GRID else step)
                at = axis.shares_of(np.array(near, dtype=float), *ends) + wide * (2 * shares[:, spans.index(name)] - 1)
                near = axis.at(np.clip(at, 0.0, 1.0), *ends).tolist()
            table[name] += near
        return self.samples(table)

    def measuring(self, kinds: Mapping[str, Kinds], limits: Mapping[str, tuple[float, float]] | None = None) -> Self:
        """The space as it is for a robot: what its named parameters measure, and between which limits."""
        made = self._made(_kinds={**self._kinds, **kinds}, _limits={**self._limits, **(limits or {})})
        for name in made.free:
            made.axis(name)  # a span in other units than the parameter's is refused
        return made

    # Designs by their numbers

    def columns(self, rows: slice | Sequence[int]) -> Columns:
        """The values of all parameters of some designs, by their numbers: (designs,) each."""
        numbers = self._numbers(rows)
        found: Columns = {}
        free = self.chosen
        if self.scattered:
            numbers, draws = np.divmod(numbers, self.draws.count)
            drawn = self.draws.shares(draws, len(self.scattered))
            found |= {name: self._of_shares(name, drawn[:, k]) for k, name in enumerate(self.scattered)}
        if self.sampling.kind == GRID:
            lengths = tuple(self._axis_length(name) for name in free)
            places: Any = np.unravel_index(numbers, lengths) if lengths else ()
            for name, place in zip(free, places, strict=True):
                found[name] = self.axis(name)[place]
        elif self.sampling.kind == OWN:
            for name, column in self.sampling.table:
                found[name] = self.values(name, [column[k] for k in numbers.tolist()])
        else:
            shares = self._shares(numbers)
            for k, name in enumerate(free):
                found[name] = self._of_shares(name, shares[:, k])
        for name in self._order:
            axis = self._axes[name]
            assert isinstance(axis, Dependent)
            found[name] = axis.of(found, name) if len(numbers) else np.zeros(0)
        return {name: found[name] for name in self._axes}

    def design(self, number: int) -> dict[str, object]:
        """The parameters of one design, by its number."""
        if not 0 <= number < len(self):
            raise IndexError(f"there is no design {number}: this space has {len(self)}")
        return {name: column[0] for name, column in self.columns([number]).items()}

    def feasible(self, columns: Mapping[str, Column]) -> Bools:
        """Which of these designs fulfil all conditions."""
        size = len(next(iter(columns.values())))
        good: Bools = np.ones(size, dtype=bool)
        kinds = {name: self.kinds(name) for name in self._axes}
        for condition in self.conditions:
            if isinstance(condition, Condition):
                good &= condition(columns, kinds)
            elif size:
                good &= np.asarray(condition.of(columns, "a condition")).astype(bool)
        return good

    def shares(self, rows: slice | Sequence[int]) -> Floats:
        """(designs, free): of a Latin hypercube or a Sobol sequence the points in the unit cube."""
        return self._shares(self._numbers(rows))

    def _shares(self, numbers: Ints) -> Floats:
        if self.sampling.kind != PAIRS:
            return self.sampling.shares(numbers, len(self.chosen))
        shares = np.zeros((len(numbers), len(self.free)))
        varying = [k for k, name in enumerate(self.free) if name in self.varying]
        shares[:, varying] = self.sampling.shares(numbers, len(varying))
        return shares

    def _numbers(self, rows: slice | Sequence[int]) -> Ints:
        return np.arange(*rows.indices(len(self))) if isinstance(rows, slice) else np.asarray(rows, dtype=np.intp)

    def _of_shares(self, name: str, shares: Floats) -> Column:
        """Values of a free parameter, of shares of its range: of a list its entries, in equal parts."""
        axis = self._axes[name]
        if isinstance(axis, Span):
            return axis.at(shares, *self.bounds(name))
        every = self.axis(name)
        chosen: Column = every[np.minimum((shares * len(every)).astype(int), len(every) - 1)]
        return chosen

    @property
    def content(self) -> str:
        """A fingerprint of its parameters, sampling and conditions, the same in any process."""
        scatter = (self.scattered, self.draws) if self.scattered else ()
        return fingerprint(self._axes, self.sampling, [getattr(c, "text", c) for c in self.conditions], *scatter)

    def __repr__(self) -> str:
        how = "" if self.sampling.kind == GRID else f", {self.sampling.kind}"
        some = f", {len(self.conditions)} conditions" if self.conditions else ""
        drawn = f", {', '.join(self.scattered)} scattered" if self.scattered else ""
        return f"<space of {', '.join(self.names)}: {len(self)} designs{how}{some}{drawn}>"


def _words(conditions: Sequence[Condition | Dependent]) -> str:
    return ", ".join(one.text if isinstance(one, Condition) else "a function" for one in conditions)


def _axis(name: str, value: Any, names: Sequence[str]) -> Span | tuple[Any, ...] | Dependent:
    if isinstance(value, (Span, Dependent)):
        return value
    if callable(value) and not isinstance(value, type) and inspect.isroutine(value):
        return dependent(f"'{name}'", value, [other for other in names if other != name])
    if hasattr(value, "__array__") and not isinstance(value, np.generic) and np.ndim(value) == 1:
        value = np.asarray(value)  # a series of pandas, or a labelled array
    if isinstance(value, (list, tuple, np.ndarray, range)):
        column = read_list(name, value)
        if not column:
            raise ValueError(f"'{name}' is an empty list: expected the values that it may have")
        return tuple(column)
    if isinstance(value, (str, int, float, np.integer, np.floating)) or value is not None:
        return tuple(read_list(name, [value]))
    raise ValueError(f"'{name}' is None: expected a span, a list, a value or a function of other parameters")
