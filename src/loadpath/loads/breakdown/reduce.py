"""Breakdowns of more states than fit into memory: computed block by block, and each block reduced to what is asked.

A reducer is any object with `add(block, first)` and `result()`: `block` is the `LoadBreakdown` of a row of states, the
first of which is number `first`. Its arrays are used again for the next block, so a reducer copies what it keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.algorithms.load_terms import Kind
from loadpath.loads.breakdown.calculation import has_loads, load_breakdown
from loadpath.loads.breakdown.result import LoadBreakdown
from loadpath.progress import Report, reporting
from loadpath.quantities.load_index import Index, component_number
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.states import Batch, LoadCase, MotionLike, is_motion, read_arrays, read_states
from loadpath.states.batch import time_weights
from loadpath.states.reading import Joints, refuse_spectrum
from loadpath.states.unknown import warn_of_unknown

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

Array = NDArray[Any]
StateBlocks: TypeAlias = MotionLike | Iterable[ArrayLike | tuple[ArrayLike, ...] | Mapping[str, object]]
"""A motion, three arrays, or an iterable of blocks of states."""
STATE = ("q", "qd", "qdd")
CASE = tuple(part.name for part in fields(LoadCase))


class Reducer(Protocol):
    """What takes in breakdowns of blocks of states and makes something small of them."""

    def add(self, block: LoadBreakdown, first: int) -> None:
        """Take in a block, whose states are numbered from `first`."""

    def result(self) -> Any:
        """What all blocks together give."""


class _Several:
    """Reducers that take in the same blocks; the result is the list of theirs."""

    def __init__(self, reducers: Iterable[Reducer]) -> None:
        self.reducers = [_reducer(reducer) for reducer in reducers]

    def add(self, block: LoadBreakdown, first: int) -> None:
        """Give a block to each."""
        for reducer in self.reducers:
            reducer.add(block, first)

    def result(self) -> list[Any]:
        """All results."""
        return [reducer.result() for reducer in self.reducers]


def _reducer(given: Any) -> Reducer:
    if isinstance(given, type) or not (hasattr(given, "add") and hasattr(given, "result")):
        raise ValueError(f"{given!r} is no reducer: expected an object with add(block, first) and result(), like "
                         "lp.LoadExtremes()")
    reducer: Reducer = given
    return reducer


@takes_loads
def reduce_loads(
    robot: RobotQuantities,
    states: StateBlocks,
    reducer: Reducer | Iterable[Reducer],
    *,
    by: Literal["freedom", "joint", "drive"] = "freedom",
    by_link: bool = False,
    frame: str = "joint",
    block: int = 512,
    progress: bool | Report = False,
    **acting: Unpack[LoadKeywords],
) -> Any:
    """Breakdowns of any number of states, reduced block by block in bounded memory; the reducer's result, or a list of
    them for several reducers. Reducers: `LoadExtremes`, `LoadMean`, `LoadRMS`, `LoadHistogram`, or your own.

    `states` are arrays `(q, qd, qdd)`, each (states, ...) (a memory map is read block by block) or the same for all
    states; a motion or a simulation; or an iterable, say a generator, whose items are such blocks themselves, or
    mappings with the arguments of `load_breakdown`. External wrenches and the base's motion are one for all states, or
    one for each. In means over a motion each sample counts with its time, as in `peak_loads`. Other options as in
    `load_breakdown`; `progress=True` shows a bar.

    >>> import numpy as np
    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> q = np.linspace(0, np.pi, 10_000)[:, None] * [1.0, 0.0]
    >>> extremes = arm.reduce_loads((q, np.zeros(2), np.zeros(2)), lp.LoadExtremes())
    >>> extremes.largest.total("joint1")[5].round(3), int(extremes.largest_at.total("joint1")[5])
    (np.float64(19.62), 0)
    >>> extremes.smallest.cause("joint1", "gravity", "link2")[5].round(3)
    np.float64(-14.715)
    """
    if not isinstance(block, int) or block < 1:
        raise ValueError(f"block is {block}: expected the number of states to compute at once, 1 at least")
    into: Reducer = _Several(reducer) if isinstance(reducer, Iterable) else _reducer(reducer)
    fixed: dict[str, Any] = {"by": by, "by_link": by_link, "frame": frame}
    refuse_spectrum(states, "reduce_loads")
    case = acting["under"].with_motion_of(states, robot, "reduce_loads")
    weights: Array | None = None
    if is_motion(states):
        read = read_states(robot, states, caller="reduce_loads", counts_loads=True)
        states, weights = read[:3], None if read.times is None else time_weights(read.times)
    first = 0
    buffers: tuple[Array, Array, Array] | None = None
    with reporting(progress, "loads") as report:
        for part, count, share in _blocks(robot, states, case, block):
            if buffers is None or len(buffers[0]) < count:
                loads = load_breakdown(robot, **part, **fixed)
                # Of a closed chain, and of carried loads, there are more arrays, which are made anew.
                if loads.drives is None and not has_loads(part.get("external")):
                    buffers = (loads.values, loads.friction, loads.rotor)
            else:
                values, friction, rotor = buffers
                loads = load_breakdown(robot, **part, **fixed, out=(values[:count], friction[:count], rotor[:count]))
            if weights is not None:
                loads = replace(loads, weights=weights[first : first + count])
            into.add(loads, first)
            first += count
            report(share)
    return into.result()


def _blocks(
    robot: RobotQuantities, states: StateBlocks, case: LoadCase, size: int
) -> Iterator[tuple[dict[str, Any], int, float]]:
    """Arguments of `load_breakdown` for one block after the other, how many states these are, and the share of all
    states that is done then (0 where their number is not known).
    """
    if isinstance(states, (tuple, list)) and len(states) == 3 and not isinstance(states[0], (tuple, Mapping)):
        batch = _batch(robot, dict(zip(STATE, states, strict=True)), case)
        for part, count, done in _cut(batch, {}, size):
            yield part, count, done / len(batch)
        return
    for item in cast(Iterable[Any], states):
        if not isinstance(item, Mapping) and len(item) != len(STATE):
            raise ValueError(f"states are expected as three arrays (q, qd, qdd), a motion, or blocks of three arrays: "
                             f"there are {len(item)}")
        given = dict(item) if isinstance(item, Mapping) else dict(zip(STATE, item, strict=True))
        if missing := [name for name in STATE if name not in given]:
            raise ValueError(f"a block of states has no '{missing[0]}'; it has {', '.join(map(repr, given))}")
        own = {name: given.pop(name) for name in CASE if name in given}
        arrays = {name: given.pop(name) for name in STATE}
        batch = _batch(robot, arrays, replace(case, **own) if own else case)
        for part, count, _ in _cut(batch, given, size):
            yield part, count, 0.0


def _batch(robot: RobotQuantities, arrays: Mapping[str, Any], case: LoadCase) -> Batch:
    """States in rows. Arrays stay as they are: what lies on a disk is read block by block."""
    read = read_arrays(Joints.of(robot), arrays, "reduce_loads")
    read = {name: part if hasattr(part, "shape") else np.asarray(part, dtype=float) for name, part in read.items()}
    lengths = {part.shape[0] for part in read.values() if len(part.shape) == 2}
    if len(lengths) != 1 or any(len(part.shape) > 2 for part in read.values()):
        shapes = ", ".join(f"'{name}' {part.shape}" for name, part in read.items())
        raise ValueError(f"reduce_loads: states come in rows, (states, ...) with one number of states: {shapes}")
    return Batch(read, case, "reduce_loads")


def _cut(batch: Batch, options: Mapping[str, Any], size: int) -> Iterator[tuple[dict[str, Any], int, int]]:
    for block in batch.blocks(size):
        arrays = dict(zip(STATE, block.arrays, strict=True))
        yield {**options, **arrays, **block.case.keywords}, len(block), block.rows.stop


# What breakdowns of many states are reduced to: extremes, means, roots of mean squares, histograms.

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class OfEachTerm:
    """Six numbers, one a component, for every term and for the total of every joint."""

    terms: Array
    """(terms, 6)."""
    totals: Array
    """(joints, 6)."""
    index: Index

    def total(self, joint: str) -> Array:
        """Of the whole wrench at a joint, (6,)."""
        self.index.of_joint(joint)
        result: Array = self.totals[self.index.joint_names.index(joint)]
        return result

    def cause(self, joint: str, kind: Kind, *names: str) -> Array:
        """Of one cause at a joint, (6,), named as in a `LoadBreakdown`; zeros if it does not reach the joint."""
        rows = self.index.rows(joint, *self.index.cause(kind, names))
        if len(rows) > 1:
            raise ValueError(f"{kind} {', '.join(names)} is carried by {len(rows)} links: name one of "
                             f"{', '.join(str(self.index.terms[row].link) for row in rows)}")
        return self.terms[rows[0]] if rows else np.zeros(6, self.terms.dtype)


class _FourExtremes(NamedTuple):
    smallest: OfEachTerm
    largest: OfEachTerm
    smallest_at: OfEachTerm
    largest_at: OfEachTerm


class Extremes(_FourExtremes):
    """Smallest and largest values, and the numbers of the states where they are (-1 if all values are NaN).

    `unknown` are the numbers of the states that are not numbers (or not finite): their values are left out.
    """

    unknown: tuple[int, ...] = ()


class _Unknown:
    """The states of all blocks that are not numbers."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.count = 0

    def add(self, block: LoadBreakdown, first: int) -> None:
        bad = block.unknown
        self.count += len(bad)
        if bad.any():
            self.numbers += (first + np.flatnonzero(bad)).tolist()

    def warn(self, what: str) -> None:
        if self.numbers:
            every = np.zeros(max(self.count, self.numbers[-1] + 1), dtype=bool)
            every[self.numbers] = True
            warn_of_unknown(every, "reduce_loads", f"left out of {what}")


class LoadExtremes:
    """Reducer to the smallest and the largest value of every term and every joint's total, with their states.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> still = [[0.0, 0.0]] * 3, [0.0, 0.0], [0.0, 0.0]
    >>> float(arm.reduce_loads(still, lp.LoadExtremes()).largest.total("joint1")[5].round(3))
    19.62
    """

    def __init__(self) -> None:
        self._index: Index | None = None
        self._parts: list[_Smallest] = []
        self._unknown = _Unknown()

    def add(self, block: LoadBreakdown, first: int) -> None:
        """Take in a block."""
        if self._index is None:
            self._index = block.index
            self._parts = [_Smallest(sign) for _ in range(2) for sign in (1, -1)]
        self._unknown.add(block, first)
        values, totals = np.asarray(block.values), block.totals()
        for part, numbers in zip(self._parts, (values, values, totals, totals), strict=True):
            part.add(numbers.reshape(len(numbers), -1), first)

    def result(self) -> Extremes:
        """The extremes."""
        index = _something(self._index)
        low, high, low_total, high_total = self._parts

        def by_name(of_terms: Array, of_totals: Array) -> OfEachTerm:
            return OfEachTerm(of_terms.reshape(-1, 6), of_totals.reshape(-1, 6), index)

        self._unknown.warn("the extremes")
        found = Extremes(
            by_name(low.value, low_total.value),
            by_name(-high.value, -high_total.value),
            by_name(low.state, low_total.state),
            by_name(high.state, high_total.state),
        )
        found.unknown = tuple(self._unknown.numbers)
        return found


class _Smallest:
    """The smallest value of each column of sign times the numbers, and its row."""

    def __init__(self, sign: int) -> None:
        self.sign = sign
        self.value = np.empty(0)
        self.state = np.empty(0, int)

    def add(self, numbers: Array, first: int) -> None:
        if not self.value.size:
            self.value = np.full(numbers.shape[1], np.nan)
            self.state = np.full(numbers.shape[1], -1)
        best = np.fmin.reduce(numbers, axis=0) if self.sign > 0 else -np.fmax.reduce(numbers, axis=0)
        better = np.flatnonzero((best < self.value) | (np.isnan(self.value) & ~np.isnan(best)))
        if better.size:  # soon only few columns are, and only for these it is asked where
            self.value[better] = best[better]
            self.state[better] = first + np.argmax(numbers[:, better] == self.sign * best[better], axis=0)


class LoadMean:
    """Reducer to the mean of every term: a `LoadBreakdown` without batch axes, whose terms sum to the mean wrenches.
    States of a motion count with their time (trapezoid rule), others all the same.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> still = [[0.0, 0.0]] * 3, [0.0, 0.0], [0.0, 0.0]
    >>> arm.reduce_loads(still, lp.LoadMean()).total("joint1").torque.round(3).tolist()
    [0.0, 0.0, 19.62]
    """

    def __init__(self) -> None:
        self._sums: list[Array] = []
        self._weight = 0.0
        self._like: LoadBreakdown | None = None

    def add(self, block: LoadBreakdown, first: int) -> None:
        """Take in a block."""
        drives = np.zeros((len(block.values), 0)) if block.drives is None else block.drives
        arrays = [np.asarray(part) for part in (block.values, block.friction, block.rotor, drives)]
        if block.weights is None:
            parts = [part.sum(axis=0, dtype=float) for part in arrays]
        else:
            parts = [np.tensordot(block.weights, part, axes=1) for part in arrays]
        self._sums = [a + b for a, b in zip(self._sums, parts, strict=True)] if self._sums else parts
        self._weight += _weight(block)
        self._like = block

    def result(self) -> LoadBreakdown:
        """The means."""
        like = _something(self._like)
        values, friction, rotor, drives = (part / self._weight for part in self._sums)
        of_drives = None if like.drives is None else drives
        return LoadBreakdown(values, friction, rotor, like.index, like.frame, drives=of_drives)


class LoadRMS:
    """Reducer to the root of the mean square of every term and of every joint's total. States of a motion count with
    their time (trapezoid rule), others all the same.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> still = [[0.0, 0.0]] * 3, [0.0, 0.0], [0.0, 0.0]
    >>> rms = arm.reduce_loads(still, lp.LoadRMS())
    >>> float(rms.total("joint1")[5].round(3))
    19.62
    """

    def __init__(self) -> None:
        self._sums: list[Array] = []
        self._weight = 0.0
        self._index: Index | None = None

    def add(self, block: LoadBreakdown, first: int) -> None:
        """Take in a block."""
        arrays = block.values, block.totals()
        if block.weights is None:
            squares = [np.einsum("stk,stk->tk", part, part, dtype=float) for part in arrays]
        else:
            squares = [np.einsum("s,stk,stk->tk", block.weights, part, part, dtype=float) for part in arrays]
        self._sums = [a + b for a, b in zip(self._sums, squares, strict=True)] if self._sums else squares
        self._weight += _weight(block)
        self._index = block.index

    def result(self) -> OfEachTerm:
        """The roots of the mean squares."""
        index = _something(self._index)
        terms, totals = (np.sqrt(part / self._weight) for part in self._sums)
        return OfEachTerm(terms, totals, index)


class LoadHistogram:
    """Reducer to how often a component of a joint's load is between given edges: of its total, or, with a kind and
    names, of one cause. It counts states, whatever their time. What lies outside, and NaN, is not counted.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> still = [[0.0, 0.0]] * 3, [0.0, 0.0], [0.0, 0.0]
    >>> arm.reduce_loads(still, lp.LoadHistogram("joint1", "torque_z", [0.0, 10.0, 20.0])).tolist()
    [0, 3]
    """

    def __init__(self, joint: str, component: str, edges: ArrayLike, kind: Kind | None = None, *names: str) -> None:
        self.joint, self.component, self.kind, self.names = joint, component_number(component), kind, names
        self.edges = np.asarray(edges, dtype=float)
        if self.edges.ndim != 1 or self.edges.size < 2 or not np.all(np.diff(self.edges) > 0):
            raise ValueError("the edges of a histogram are two numbers or more, each larger than the one before")
        self._counts = np.zeros(self.edges.size - 1, int)
        self._unknown = _Unknown()

    def add(self, block: LoadBreakdown, first: int) -> None:
        """Take in a block."""
        self._unknown.add(block, first)
        wrench = block.total(self.joint) if self.kind is None else getattr(block, self.kind)[self.joint, *self.names]
        part = wrench.force if self.component < 3 else wrench.torque
        self._counts += np.histogram(part[..., self.component % 3], self.edges)[0]

    def result(self) -> Array:
        """Counts, one fewer than edges."""
        self._unknown.warn("the histogram")
        return self._counts.copy()


def _weight(block: LoadBreakdown) -> float:
    """What all states of a block count together."""
    return float(len(block.values)) if block.weights is None else float(block.weights.sum())


def _something(value: T | None) -> T:
    if value is None:
        raise ValueError("there were no states")
    return value
