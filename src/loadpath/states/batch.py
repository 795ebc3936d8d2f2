"""Many states with their load case, in blocks: whatever goes through states block by block goes through here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from loadpath.cached import cached_property
from loadpath.errors import warn
from loadpath.motion.checks import outside_limits
from loadpath.motion.spectrum import DutySpectrum
from loadpath.progress import steps
from loadpath.robot.arrays import batch_shape, numbers
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats, Ints
from loadpath.states.load_case import LoadCase, Rows, rows_of
from loadpath.states.reading import States, StatesLike, is_motion, read_states

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
        done = steps(-(-len(self) // size))
        for first in range(0, len(self), size):
            rows = slice(first, min(first + size, len(self)))
            yield Block(rows, self.rows(rows), self.case_of(rows))
            done()

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


# The states of all motions of a duty spectrum as one batch: every sample counts with its share of the whole time.

class SpectrumBatch(StateBatch):
    """Batches of the motions, their states numbered through."""

    def __init__(self, spectrum: DutySpectrum, parts: Sequence[StateBatch]) -> None:
        self.spectrum, self.parts = spectrum, tuple(parts)
        self.starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        self.arrays = {}
        self.case = LoadCase()
        self.shape = (int(self.starts[-1]),)
        self.t = None

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """All states, at most `size` at a time, never of two motions."""
        for start, part in zip(self.starts[:-1].tolist(), self.parts, strict=True):
            for block in part.blocks(size):
                yield Block(slice(block.rows.start + start, block.rows.stop + start), block.arrays, block.case)

    def _at(self, number: int) -> tuple[int, int]:
        """The number of the motion, and of the sample in it."""
        which = int(np.searchsorted(self.starts, number, side="right")) - 1
        return which, int(number - self.starts[which])

    def case_of(self, rows: Any) -> LoadCase:
        """The load case of one state."""
        if not isinstance(rows, (int, np.integer)):
            raise ValueError("a duty spectrum has a load case for each of its motions: ask for one state")
        which, sample = self._at(int(rows))
        return self.parts[which].case_of(sample)

    def _all(self, name: str) -> Floats:
        return np.concatenate([getattr(part, name) for part in self.parts])

    @property
    def duration(self) -> float | None:
        """Of one pass through the spectrum, s."""
        return self.spectrum.duration

    @cached_property
    def weights(self) -> Floats:
        """(states,): share of each in means, summing to one: its share of its motion, times that of the motion."""
        each = zip(self.spectrum.shares, self.parts, strict=True)
        return np.concatenate([share * part.weights for share, part in each])

    def located(self, number: int) -> Located:
        """Where a state is: the name of its motion, and its sample and time there."""
        which, sample = self._at(number)
        return self.parts[which].located(sample)._replace(motion=self.spectrum.names[which])

    def where(self, number: int) -> str:
        """Words for a state in a message."""
        which, sample = self._at(number)
        return f"{self.parts[which].where(sample)} of '{self.spectrum.names[which]}'"


# The states over which loads are looked at: a motion or a batch, in blocks, each state with its share of the time.

WRENCH_BLOCK = 2048
"""States that are computed at once: their wrenches stay in the processor's cache."""


def states_of(
    robot: RobotModel,
    caller: str,
    states: StatesLike | DutySpectrum,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    case: LoadCase | None = None,
) -> StateBatch:
    """States of a robot from a motion or a simulation, from arrays q, qd, qdd whose leading axes broadcast, or from a
    tuple of these; or those of all motions of a duty spectrum. Positions and speeds outside the limits give a warning,
    unless the motion has given it itself.
    """
    if isinstance(states, DutySpectrum):
        if qd is not None or qdd is not None:
            raise ValueError(f"{caller}: a duty spectrum has its own qd and qdd: leave out 'qd' and 'qdd'")
        return SpectrumBatch(states, [states_of(robot, caller, motion, case=case) for motion in states.motions])
    if isinstance(states, (tuple, list)) and len(states) == 3 and qd is None and qdd is None:
        states, qd, qdd = states
    if not is_motion(states) and (qd is None or qdd is None):
        raise ValueError(f"{caller}: states are expected as a Motion, a simulation, or three arrays q, qd, qdd")
    loads = (LoadCase() if case is None else case).with_motion_of(states, robot, caller)
    batch = StateBatch(robot, read_states(robot, states, qd, qdd, caller=caller, counts_loads=True), loads, caller)
    if len(batch) == 0:
        raise ValueError(f"{caller}: there are no states: the batch has the shape {batch.shape}")
    if batch.t is not None and getattr(states, "robot", None) is None:
        for problem in outside_limits(robot, batch.t, batch.q, batch.qd):
            warn(problem)
    return batch
