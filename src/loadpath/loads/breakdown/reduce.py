"""Breakdowns of more states than fit into memory: computed block by block, and each block reduced to what is asked.

A reducer is any object with `add(block, first)` and `result()`: `block` is the `LoadBreakdown` of a row of states, the
first of which is number `first`. Its arrays are used again for the next block, so a reducer copies what it keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.loads.breakdown.result import LoadBreakdown, load_breakdown
from loadpath.loads.states import check_joints, is_motion, part_of
from loadpath.loads.wrench import Wrench
from loadpath.progress import Report, reporting

if TYPE_CHECKING:
    from loadpath.api.quantities import Quantities

Array = NDArray[Any]
STATE = ("q", "qd", "qdd")


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
                         "lp.LoadExtremes()")  # fmt: skip
    reducer: Reducer = given
    return reducer


def reduce_loads(
    robot: Quantities,
    states: Any,
    reducer: Reducer | Iterable[Reducer],
    *,
    external: Mapping[str, Wrench] | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    by: Literal["freedom", "joint"] = "freedom",
    by_link: bool = False,
    frame: str = "joint",
    block: int = 512,
    progress: bool | Report = False,
) -> Any:
    """Breakdowns of any number of states, reduced block by block in bounded memory; the reducer's result, or a list of
    them for several reducers. Reducers: `LoadExtremes`, `LoadMean`, `LoadRMS`, `LoadHistogram`, or your own.

    `states` are arrays `(q, qd, qdd)`, each (states, ...) (a memory map is read block by block) or the same for all
    states; a motion with `q`, `qd`, `qdd`; or an iterable, say a generator, whose items are such blocks themselves, or
    mappings with the arguments of `load_breakdown`. External wrenches and the base's motion go along with the states if
    they have one entry for each. Other options as in `load_breakdown`; `progress=True` shows a bar.

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
    along = {"external": external, "base_velocity": base_velocity, "base_acceleration": base_acceleration}
    along = {name: value for name, value in along.items() if value is not None}
    first = 0
    buffers: tuple[Array, Array, Array] | None = None
    with reporting(progress, "loads") as report:
        for part, share in _blocks(robot, states, along, block):
            count = _count_states(part)
            if buffers is None or len(buffers[0]) < count:
                loads = load_breakdown(robot, **part, **fixed)
                buffers = (loads.values, loads.friction, loads.rotor)
            else:
                values, friction, rotor = buffers
                loads = load_breakdown(robot, **part, **fixed, out=(values[:count], friction[:count], rotor[:count]))
            into.add(loads, first)
            first += count
            report(share)
    return into.result()


def _count_states(part: Mapping[str, Any]) -> int:
    lengths = {np.shape(part[name])[0] for name in STATE if np.ndim(part[name]) == 2}
    if len(lengths) != 1 or any(np.ndim(part[name]) > 2 for name in STATE):
        shapes = ", ".join(f"'{name}' {np.shape(part[name])}" for name in STATE)
        raise ValueError(f"states come in rows, (states, ...) with one number of states: {shapes}")
    return int(lengths.pop())


def _blocks(
    robot: Quantities, states: Any, along: dict[str, Any], block: int
) -> Iterator[tuple[dict[str, Any], float]]:
    """Arguments of `load_breakdown` for one block after the other, and the share of the states that is done then."""
    if is_motion(states):
        check_joints(robot, states)
        states = (states.q, states.qd, states.qdd)
    if isinstance(states, (tuple, list)) and len(states) == 3 and not isinstance(states[0], (tuple, Mapping)):
        whole = dict(zip(STATE, states, strict=True))
        yield from _cut({**whole, **along}, block, 0.0, 1.0)
        return
    for item in states:
        if not isinstance(item, Mapping) and len(item) != len(STATE):
            raise ValueError(f"states are expected as three arrays (q, qd, qdd), a motion, or blocks of three arrays: "
                             f"there are {len(item)}")  # fmt: skip
        given = dict(item) if isinstance(item, Mapping) else dict(zip(STATE, item, strict=True))
        if missing := [name for name in STATE if name not in given]:
            raise ValueError(f"a block of states has no '{missing[0]}'; it has {', '.join(map(repr, given))}")
        yield from _cut({**along, **given}, block, 0.0, 0.0)


def _cut(whole: dict[str, Any], block: int, done: float, share: float) -> Iterator[tuple[dict[str, Any], float]]:
    for name in STATE:
        if not hasattr(whole[name], "shape"):
            whole[name] = np.asarray(whole[name], dtype=float)
    count = _count_states(whole)
    for start in range(0, count, block):
        rows = slice(start, min(start + block, count))
        part = {name: part_of(value, rows, (count,)) for name, value in whole.items()}
        yield part, done + share * rows.stop / count
