"""Breakdowns of more states than fit into memory: computed block by block, and each block reduced to what is asked.

A reducer is any object with `add(block, first)` and `result()`: `block` is the `LoadBreakdown` of a row of states, the
first of which is number `first`. Its arrays are used again for the next block, so a reducer copies what it keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.loads.breakdown.calculation import load_breakdown
from loadpath.loads.breakdown.carried import has_loads
from loadpath.loads.breakdown.result import LoadBreakdown
from loadpath.progress import Report, reporting
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.states import Batch, LoadCase, MotionLike, is_motion, read_arrays, read_states
from loadpath.states.batch import time_weights
from loadpath.states.reading import Joints, refuse_spectrum

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
