"""The space of designs: `lp.Space(payload=lp.span("0 kg", "12 kg"), wall=["3 mm", "4 mm"], gear=gears)`, and how it is
sampled. A design is found by its number, so a space of a hundred million takes no memory.
"""

from __future__ import annotations

import inspect
import math
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from loadpath.robot.numbers import LARGEST_NUMBER, nearest
from loadpath.robot.units_of_text import in_si, kinds_of_unit, unit_in
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.studies.conditions import Condition, Kinds

GRID, LATIN, SOBOL, OWN = "grid", "Latin hypercube", "Sobol", "own samples"
Column: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.generic]]"
"""Values of designs, (designs,): numbers or objects."""
Columns: TypeAlias = "dict[str, Column]"
"""Values of designs by parameter: (designs,) each, numbers or objects."""
End: TypeAlias = float | str | None
_MOST_DESIGNS = 10**12
_PROBED = 3
_SEQUENCES = threading.local()
"""Of each thread the Sobol sequence that it drew from last."""


@dataclass(frozen=True)
class Span:
    """Numbers from one to another: see `lp.span`."""

    low: End
    high: End
    count: int = 5
    spacing: Literal["linear", "logarithmic"] = "linear"

    @property
    def kinds(self) -> Kinds:
        """What it may measure, by its units; nothing without units."""
        found = [kinds_of_unit(unit_in(end) or "") for end in (self.low, self.high) if isinstance(end, str)]
        return tuple(kind for kind in found[0] if all(kind in other for other in found)) if found else ()

    def bounds(self, name: str, kinds: Kinds = (), default: tuple[float, float] | None = None) -> tuple[float, float]:
        """Both ends in SI units; `kinds` is what the parameter measures, where that is known."""
        ends = []
        for k, end in enumerate((self.low, self.high)):
            if end is None:
                if default is None or not math.isfinite(default[k]):
                    raise ValueError(f"'{name}' is a span without a {'lower' if k == 0 else 'upper'} end, and there is "
                                     "no limit that says it: expected one like lp.span(\"0 kg\", \"12 kg\")")
                ends.append(default[k])
            else:
                ends.append(_number(end, name, kinds or self.kinds))
        low, high = ends
        if not low < high:
            raise ValueError(f"'{name}' is a span from {self.low} to {self.high}: expected the smaller end first")
        if self.spacing == "logarithmic" and low <= 0:
            raise ValueError(f"'{name}' is a logarithmic span from {self.low}: expected ends above zero")
        return low, high


def span(
    low: End = None, high: End = None, count: int = 5, *,
    spacing: Literal["linear", "logarithmic"] = "linear",
) -> Span:
    """Numbers from `low` to `high`, for a parameter of an `lp.Space`: in SI units, or text with a unit. In a grid there
    are `count` of them, both ends among them. Of a position, speed or acceleration of a joint ends may be left out:
    its limits take their place.

    >>> import loadpath as lp
    >>> lp.span("400 mm", "0.7 m").bounds("upper_arm")
    (0.4, 0.7)
    >>> lp.span("0 kg", "12 m")
    Traceback (most recent call last):
    ValueError: a span from '0 kg' to '12 m': expected both ends in units of the same kind
    """
    for end in (low, high):
        if end is None or isinstance(end, str):
            continue
        if isinstance(end, bool) or not isinstance(end, (int, float, np.integer, np.floating)):
            raise ValueError(f"an end of a span is {end!r}: expected a number in SI units, or text like \"12 kg\"")
        if not abs(float(end)) <= LARGEST_NUMBER:
            raise ValueError(f"an end of a span is {end}: expected a finite number")
    texts = [end for end in (low, high) if isinstance(end, str)]
    for text in texts:
        unit = unit_in(text)
        if not unit:
            raise ValueError(f"an end of a span is {text!r}: expected a number with its unit, like \"12 kg\"")
        if not kinds_of_unit(unit):
            raise ValueError(f"an end of a span is {text!r}: the unit '{unit}' is not known")
    if len(texts) == 1 and low is not None and high is not None:
        raise ValueError(f"a span from {low!r} to {high!r}: expected a unit at both ends, or at none (SI units)")
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 2:
        raise ValueError(f"count of a span is {count!r}: expected how many numbers a grid has of it, two or more")
    if spacing not in ("linear", "logarithmic"):
        raise ValueError(f"spacing of a span is {spacing!r}: expected 'linear' or 'logarithmic'")
    made = Span(_plain(low), _plain(high), int(count), spacing)
    if texts and not made.kinds:
        raise ValueError(f"a span from {low!r} to {high!r}: expected both ends in units of the same kind")
    if low is not None and high is not None:
        made.bounds("span")
    return made


def _plain(end: End) -> End:
    return end if end is None or isinstance(end, str) else float(end)


@dataclass(frozen=True, eq=False)
class Dependent:
    """A parameter that follows from others."""

    function: Callable[..., Any]
    names: tuple[str, ...]
    """Those that it depends on, by the names of its arguments: dots of a parameter are `_` there."""

    def of(self, columns: Mapping[str, Any], name: str) -> Any:
        """Its values for these designs: all at once where the function takes arrays, else one by one."""
        arrays = [columns[of] for of in self.names]
        size = len(arrays[0])
        few = [array[:_PROBED] for array in arrays]
        try:
            at_once = np.asarray(self.function(*few))
            one_by_one = [self.function(*row) for row in zip(*few, strict=True)]
            takes_arrays = (at_once.shape == (len(few[0]),) and at_once.dtype.kind in "fiub"
                            and bool(np.array_equal(at_once, np.asarray(one_by_one))))
        except Exception:  # whatever a function of the user's does with arrays: then it is asked for numbers
            takes_arrays = False
        try:
            if takes_arrays:
                values = np.asarray(self.function(*arrays))
                if values.shape == (size,):
                    return values.astype(float) if values.dtype.kind != "b" else values
            rows = [self.function(*row) for row in zip(*arrays, strict=True)]
        except Exception as problem:
            raise ValueError(f"'{name}' follows from {', '.join(self.names)} by a function that failed: {problem!r}"
                             ) from problem
        return _column(rows)


@dataclass(frozen=True)
class Sampling:
    """Which designs of a space are looked at."""

    kind: str = GRID
    count: int = 0
    seed: int = 0
    table: tuple[tuple[str, tuple[Any, ...]], ...] = ()


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
        self._order = _order(self._axes)
        self.conditions: tuple[Condition | Dependent, ...] = ()
        """What designs have to fulfil."""
        self.sampling = Sampling()
        self._kinds: dict[str, Kinds] = {}
        self._limits: dict[str, tuple[float, float]] = {}
        self._latin: Floats | None = None

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
    def shape(self) -> tuple[int, ...]:
        """Of a grid: how many values each free parameter has; else the number of designs."""
        if self.sampling.kind != GRID:
            return (self.sampling.count,)
        return tuple(self._axis_length(name) for name in self.free)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def axis(self, name: str) -> Column:
        """The values of a free parameter in a grid; of a span that is sampled, both ends."""
        axis = self._axes[name]
        if isinstance(axis, Span):
            count = axis.count if self.sampling.kind == GRID else 2
            return self._of_share(name, axis, np.arange(count) / (count - 1))
        assert not isinstance(axis, Dependent)
        return self._values(name, axis)

    def _values(self, name: str, values: Sequence[Any]) -> Column:
        """Values of a free parameter as a column, text with a unit as what the parameter measures."""
        kinds = self.kinds(name)
        found: Column = _column([_number(value, name, kinds) if isinstance(value, str) and _kinds_of_text(value)
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
            texts = [_kinds_of_text(value) for value in axis if isinstance(value, str)]
            return texts[0] if texts and len(texts) == len(axis) and all(texts) else ()
        return ()

    def _axis_length(self, name: str) -> int:
        axis = self._axes[name]
        assert not isinstance(axis, Dependent)
        return axis.count if isinstance(axis, Span) else len(axis)

    # How it is sampled

    def _made(self, **changes: Any) -> Self:
        made = type(self).__new__(type(self))
        made.__dict__ = {**self.__dict__, "_latin": None, **changes}
        return made

    def grid(self, count: int | None = None) -> Self:
        """Every combination; of each span `count` values, or as many as it says itself.

        >>> import loadpath as lp
        >>> lp.Space(arm=lp.span("0.4 m", "0.7 m"), wall=["3 mm", "5 mm"]).grid(10).shape
        (10, 2)
        """
        axes = dict(self._axes)
        if count is not None:
            count = _count(count, "grid", least=2)
            axes = {name: replace(axis, count=count) if isinstance(axis, Span) else axis for name, axis in axes.items()}
        return self._made(_axes=axes, sampling=Sampling())

    def latin_hypercube(self, count: int, seed: int = 0) -> Self:
        """So many designs, of which each parameter has one in each of as many equal parts of its range
        (`scipy.stats.qmc.LatinHypercube`).
        """
        return self._made(sampling=Sampling(LATIN, _count(count, "latin_hypercube"), _seed(seed)))

    def sobol(self, count: int, seed: int = 0) -> Self:
        """So many points of a scrambled Sobol sequence (`scipy.stats.qmc.Sobol`), a power of two for the best balance.
        """
        return self._made(sampling=Sampling(SOBOL, _count(count, "sobol"), _seed(seed)))

    def samples(self, values: Mapping[str, ArrayLike | Sequence[object]]) -> Self:
        """Designs of one's own: the values of every free parameter, (designs,) each.

        >>> import loadpath as lp
        >>> len(lp.Space(arm=lp.span("0.4 m", "0.7 m")).samples({"arm": [0.45, 0.5, 0.62]}))
        3
        """
        if not isinstance(values, Mapping):
            raise ValueError(f"samples are {type(values).__name__}: expected a mapping from parameters to values")
        for name in values:
            if name not in self.free:
                raise ValueError(f"samples: '{name}' is no free parameter of this space{nearest(str(name), self.free)}")
        table: dict[str, tuple[Any, ...]] = {}
        for name in self.free:
            if name not in values:
                raise ValueError(f"samples: no values of '{name}' are given")
            column = np.asarray(_read_list(name, values[name]), dtype=object).tolist()
            if all(isinstance(value, (int, float)) for value in column):
                column = [float(value) for value in column]
                if not all(map(math.isfinite, column)):
                    raise ValueError(f"samples: '{name}' has a number that is not finite")
            table[name] = tuple(column)
        sizes = {name: len(column) for name, column in table.items()}
        if len(set(sizes.values())) != 1 or not next(iter(sizes.values())):
            raise ValueError(f"samples: expected as many values of each parameter, one at least: {sizes}")
        return self._made(sampling=Sampling(OWN, next(iter(sizes.values())), 0, tuple(table.items())))

    def subject_to(self, *conditions: str | Callable[..., object]) -> Self:
        """The space without designs that do not fulfil these: text like "upper_arm + fore_arm <= 1.2 m", or functions
        whose arguments are parameters. Those that are left out are counted, and not computed.

        >>> import loadpath as lp
        >>> space = lp.Space(a=[1, 2, 3], b=[1, 2, 3]).subject_to("a <= b", lambda a: a > 1)
        >>> int(space.feasible(space.columns(slice(0, 9))).sum())
        3
        """
        found: list[Condition | Dependent] = []
        for one in conditions:
            if isinstance(one, str):
                condition = Condition(one)
                for name in condition.names:
                    if name not in self._axes:
                        raise ValueError(f"condition {one!r}: there is no parameter '{name}'{nearest(name, self.names)}"
                                         )
                found.append(condition)
            elif callable(one):
                found.append(_dependent("a condition", one, list(self._axes)))
            else:
                raise ValueError(f"a condition is {one!r}: expected text like \"a + b <= 1.2 m\", or a function")
        return self._made(conditions=(*self.conditions, *found))

    def measuring(self, kinds: Mapping[str, Kinds], limits: Mapping[str, tuple[float, float]] | None = None) -> Self:
        """The space as it is for a robot: what its named parameters measure, and between which limits."""
        made = self._made(_kinds={**self._kinds, **kinds}, _limits={**self._limits, **(limits or {})})
        for name in made.free:
            made.axis(name)  # a span in other units than the parameter's is refused
        return made

    # Designs by their numbers

    def columns(self, rows: slice | Sequence[int]) -> Columns:
        """The values of all parameters of some designs, by their numbers: (designs,) each."""
        numbers = np.arange(*rows.indices(len(self))) if isinstance(rows, slice) else np.asarray(rows, dtype=np.intp)
        found: Columns = {}
        free = self.free
        if self.sampling.kind == GRID:
            places: Any = np.unravel_index(numbers, self.shape) if self.shape else ()
            for name, place in zip(free, places, strict=True):
                found[name] = self.axis(name)[place]
        elif self.sampling.kind == OWN:
            for name, column in self.sampling.table:
                found[name] = self._values(name, [column[k] for k in numbers.tolist()])
        else:
            shares = self._shares(numbers)
            for k, name in enumerate(free):
                axis = self._axes[name]
                if isinstance(axis, Span):
                    found[name] = self._of_share(name, axis, shares[:, k])
                else:
                    every = self.axis(name)
                    found[name] = every[np.minimum((shares[:, k] * len(every)).astype(int), len(every) - 1)]
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
        numbers = np.arange(*rows.indices(len(self))) if isinstance(rows, slice) else np.asarray(rows, dtype=np.intp)
        return self._shares(numbers)

    def _shares(self, numbers: np.ndarray[Any, np.dtype[np.intp]]) -> Floats:
        from scipy.stats import qmc

        if self.sampling.kind == LATIN:
            if self._latin is None:
                self._latin = np.asarray(qmc.LatinHypercube(len(self.free), seed=self.sampling.seed).random(
                    self.sampling.count))
            found: Floats = self._latin[numbers]
            return found
        if not len(numbers):
            return np.zeros((0, len(self.free)))
        first, last = int(numbers.min()), int(numbers.max())
        # Going forward takes a time for each point, so a thread goes on where it was.
        known = _SEQUENCES.__dict__.setdefault("known", {})
        key = len(self.free), self.sampling.seed
        sequence = known.pop(key, None)
        if sequence is None or sequence.num_generated > first:
            sequence = qmc.Sobol(len(self.free), scramble=True, seed=self.sampling.seed)
        if sequence.num_generated < first:
            sequence.fast_forward(first - sequence.num_generated)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a part of a sequence is no power of two
            points: Floats = np.asarray(sequence.random(last - first + 1))
        known.clear()
        known[key] = sequence
        asked: Floats = points[numbers - first]
        return asked

    def _of_share(self, name: str, axis: Span, share: Floats) -> Floats:
        low, high = axis.bounds(name, self.kinds(name), self._limits.get(name))
        if axis.spacing == "logarithmic":
            spread: Floats = np.exp(np.log(low) + share * (np.log(high) - np.log(low)))
            return spread
        return np.where(share == 1.0, high, low + share * (high - low))

    def __repr__(self) -> str:
        how = "" if self.sampling.kind == GRID else f", {self.sampling.kind}"
        some = f", {len(self.conditions)} conditions" if self.conditions else ""
        return f"<space of {', '.join(self.names)}: {len(self)} designs{how}{some}>"


# Reading


def _axis(name: str, value: Any, names: Sequence[str]) -> Span | tuple[Any, ...] | Dependent:
    if isinstance(value, Span):
        return value
    if callable(value) and not isinstance(value, type) and inspect.isroutine(value):
        return _dependent(f"'{name}'", value, [other for other in names if other != name])
    if isinstance(value, (list, tuple, np.ndarray, range)):
        column = _read_list(name, value)
        if not column:
            raise ValueError(f"'{name}' is an empty list: expected the values that it may have")
        return tuple(column)
    if isinstance(value, (str, int, float, np.integer, np.floating)) or value is not None:
        return tuple(_read_list(name, [value]))
    raise ValueError(f"'{name}' is None: expected a span, a list, a value or a function of other parameters")


def _read_list(name: str, value: Any) -> list[Any]:
    """The entries of a list: numbers as floats, text with a unit as it is, other objects as they are."""
    entries = value.tolist() if isinstance(value, np.ndarray) else list(value)
    found = []
    for entry in entries:
        plain = entry.item() if isinstance(entry, np.generic) else entry
        if isinstance(plain, (int, float)) and not isinstance(plain, bool):
            if not math.isfinite(plain):
                raise ValueError(f"'{name}' has the value {plain}: expected finite numbers")
            plain = float(plain)
        elif isinstance(plain, str):
            unit = unit_in(plain)
            if unit and not kinds_of_unit(unit):
                raise ValueError(f"'{name}' has the value {plain!r}: the unit '{unit}' is not known")
            if unit == "":
                raise ValueError(f"'{name}' has the value {plain!r}: expected a number, or text with a unit")
            if unit:
                kinds = kinds_of_unit(unit)
                plain = _Quantity(float(in_si(plain, kinds[:1], name)), plain)  # type: ignore[arg-type]
        found.append(plain)
    quantities = [entry for entry in found if isinstance(entry, _Quantity)]
    if quantities and len(quantities) < len(found):
        raise ValueError(f"'{name}' has values with and without a unit: {value!r}; expected one or the other")
    if quantities:
        several = [set(kinds_of_unit(unit_in(entry.text) or "")) for entry in quantities]
        if not set.intersection(*several):
            raise ValueError(f"'{name}' has values of several kinds: {value!r}; expected one")
        return [entry.text for entry in quantities]
    return found


@dataclass(frozen=True)
class _Quantity:
    number: float
    text: str


def _kinds_of_text(text: str) -> Kinds:
    return kinds_of_unit(unit_in(text) or "")


def _number(end: float | str, name: str, kinds: Kinds) -> float:
    """In SI units."""
    if isinstance(end, str):
        known = _kinds_of_text(end)
        as_ = tuple(kind for kind in kinds if kind in known)
        return float(in_si(end, (as_ or kinds or known)[:1], name))  # type: ignore[arg-type]
    return float(end)


def _column(values: Sequence[Any]) -> Any:
    """Values as an array: of numbers where all are, else of objects."""
    if all(isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
           for value in values):
        return np.array([float(value) for value in values])
    array = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        array[k] = value
    return array


def _dependent(what: str, function: Callable[..., Any], names: Sequence[str]) -> Dependent:
    """A function of parameters, by the names of its arguments."""
    known = {argument_of(name): name for name in names}
    wanted = []
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise ValueError(f"{what} is a function whose arguments are not known: expected one written in Python"
                         ) from None
    for argument in arguments:
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            raise ValueError(f"{what} is a function of any arguments: expected the names of parameters")
        if argument.name in known:
            wanted.append(known[argument.name])
        elif argument.default is argument.empty:
            raise ValueError(f"{what} is a function of '{argument.name}', which is no parameter"
                             f"{nearest(argument.name, list(known))}")
        else:
            break  # what follows has values of its own
    if not wanted:
        raise ValueError(f"{what} is a function of no parameter: expected arguments named {', '.join(known)}")
    return Dependent(function, tuple(wanted))


def argument_of(name: str) -> str:
    """The name of an argument that stands for a parameter.

    >>> argument_of("payload.mass")
    'payload_mass'
    """
    return "".join(letter if letter.isidentifier() or letter.isdigit() else "_" for letter in name)


def _order(axes: Mapping[str, object]) -> tuple[str, ...]:
    """Dependent parameters, each after those that it depends on."""
    left = {name: axis for name, axis in axes.items() if isinstance(axis, Dependent)}
    done: list[str] = []
    while left:
        ready = [name for name, axis in left.items() if not any(of in left for of in axis.names)]
        if not ready:
            raise ValueError(f"parameters depend on each other in a circle: {', '.join(left)}")
        done += ready
        left = {name: axis for name, axis in left.items() if name not in ready}
    return tuple(done)


def _count(count: object, caller: str, least: int = 1) -> int:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not least <= count <= _MOST_DESIGNS:
        raise ValueError(f"{caller}: count is {count!r}: expected how many designs, {least} or more")
    return int(count)


def _seed(seed: object) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"seed is {seed!r}: expected a whole number, zero or more, so that the designs can be made "
                         "again")
    return int(seed)
