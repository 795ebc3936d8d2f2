"""Many states with their load case, in blocks: whatever goes through states block by block goes through here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.robot.arrays import batch_shape, numbers
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats, Ints
from loadpath.states.load_case import LoadCase, Rows, rows_of
from loadpath.states.reading import States

BLOCK = 8192
"""States that are computed at once, unless it matters more that their results stay in the processor's cache."""


class Block(NamedTuple):
    """Some states of a batch, in rows."""

    rows: slice
    """Their numbers."""
    arrays: tuple[Floats, ...]
    """(states, k) each."""
    case: LoadCase

    @property
    def first(self) -> int:
        """Number of the first."""
        return int(self.rows.start)

    def __len__(self) -> int:
        return int(self.rows.stop - self.rows.start)


class Located(NamedTuple):
    """Where a state is."""

    motion: str
    """Name of the motion, in a duty spectrum."""
    sample: int
    place: tuple[int, ...]
    time: float | None
    """s, if the states are a motion."""


class Batch:
    """Arrays (..., k) by their names, and a load case, whose batch axes broadcast.

    >>> batch = Batch({"q": np.zeros((3, 1, 2)), "bends": np.zeros((4, 5))})
    >>> batch.shape, len(batch), [array.shape for block in batch.blocks(10) for array in block.arrays]
    ((3, 4), 12, [(10, 2), (10, 5), (2, 2), (2, 5)])
    """

    def __init__(self, arrays: Mapping[str, Any], case: LoadCase | None = None, caller: str = "") -> None:
        self.arrays = dict(arrays)
        self.case = LoadCase() if case is None else case
        shapes = {name: tuple(np.shape(array)[:-1]) for name, array in self.arrays.items()}
        self.shape = batch_shape({**shapes, **self.case.shapes}, caller)

    def __len__(self) -> int:
        return int(np.prod(self.shape, dtype=int))

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """All states, at most `size` at a time."""
        for first in range(0, len(self), size):
            rows = slice(first, min(first + size, len(self)))
            yield Block(rows, self.rows(rows), self.case_of(rows))

    def rows(self, rows: Rows) -> tuple[Floats, ...]:
        """Some states of each array, or one."""
        return tuple(rows_of(array, rows, self.shape) for array in self.arrays.values())

    def case_of(self, rows: Rows) -> LoadCase:
        """The load case of some states, or of one."""
        return self.case.of_states(rows, self.shape)

    def chosen(self, rows: Ints) -> Batch:
        """A batch (rows,) of some of the states."""
        return Batch(dict(zip(self.arrays, self.rows(rows), strict=True)), self.case_of(rows))

    def place(self, number: int) -> tuple[int, ...]:
        """Where in the batch the state of that number is."""
        return place_of(number, self.shape)


class StateBatch(Batch):
    """States (q, qd, qdd) of a robot as numbers of the right shapes, with their times where they are a motion."""

    def __init__(self, robot: RobotModel, states: States, case: LoadCase | None = None, caller: str = "") -> None:
        sizes = {"q": robot.nq, "qd": robot.n, "qdd": robot.n}
        parts = dict(zip(sizes, states[:3], strict=True))
        super().__init__({name: state_array(part, name, sizes[name], caller) for name, part in parts.items()}, case,
                         caller)
        self.t = states.times
        if self.t is not None and self.shape != self.t.shape:
            start = f"{caller}: " if caller else ""
            raise ValueError(f"{start}the load case of a motion of {len(self.t)} samples has the batch shape "
                             f"{self.shape}: expected one for all, or one for each sample")

    @cached_property
    def q(self) -> Floats:
        """(states, nq)."""
        return self._all("q")

    @cached_property
    def qd(self) -> Floats:
        """(states, n)."""
        return self._all("qd")

    @cached_property
    def qdd(self) -> Floats:
        """(states, n)."""
        return self._all("qdd")

    def _all(self, name: str) -> Floats:
        result: Floats = rows_of(self.arrays[name], slice(0, len(self)), self.shape)
        return result

    @property
    def duration(self) -> float | None:
        """Of the motion, s; None for a batch without times."""
        return None if self.t is None else float(self.t[-1] - self.t[0])

    @cached_property
    def weights(self) -> Floats:
        """(states,): share of each in means, summing to one: by the trapezoid rule if there are times, else equal."""
        count = len(self)
        return np.full(count, 1 / max(count, 1)) if self.t is None else time_weights(self.t)

    def located(self, number: int) -> Located:
        """Where a state is: its sample, and its time if there are times."""
        return Located("", number, self.place(number) or (0,), None if self.t is None else float(self.t[number]))

    def where(self, number: int) -> str:
        """Words for a state in a message."""
        if self.t is not None:
            return f"sample {number} (t = {self.t[number]:.6g} s)"
        return f"state {number if len(self.shape) < 2 else self.place(number)}"


def time_weights(t: Floats) -> Floats:
    """(samples,): share of each sample in means over a motion, summing to one, by the trapezoid rule.

    >>> time_weights(np.array([0.0, 1.0, 4.0])).tolist()
    [0.125, 0.5, 0.375]
    """
    if len(t) < 2:
        return np.ones(len(t))
    steps = np.diff(t) / (t[-1] - t[0])
    weights = np.zeros(len(t))
    weights[:-1] += steps / 2
    weights[1:] += steps / 2
    return weights


def state_array(value: Any, name: str, size: int, caller: str = "") -> Floats:
    """Coordinates, speeds or accelerations as numbers (..., size)."""
    what = f"{caller}: '{name}'" if caller else f"'{name}'"
    array = numbers(value, what)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ValueError(f"{what} has the shape {array.shape}: expected (..., {size})")
    return array


def place_of(number: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Where in a batch of this shape the state of that number is.

    >>> place_of(5, (2, 3)), place_of(0, ())
    ((1, 2), ())
    """
    return tuple(int(k) for k in np.unravel_index(number, shape)) if shape else ()


def state_words(place: tuple[Any, ...]) -> str:
    """Words for a state in a message: the index itself where there is one axis, none for a single state.

    >>> state_words((3,)), state_words((1, 2)), state_words(())
    (' in state 3', ' in state (1, 2)', '')
    """
    index = tuple(int(k) for k in place)
    return f" in state {index[0] if len(index) == 1 else index}" if index else ""
