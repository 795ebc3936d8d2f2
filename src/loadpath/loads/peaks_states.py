"""The states over which loads are looked at: a motion or a batch, in blocks, each state with its share of the time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import warn
from loadpath.loads.wrench import Wrench
from loadpath.motion.doubts import outside_limits
from loadpath.robot.model import RobotModel

Floats = NDArray[np.float64]

BLOCK = 2048
"""States that are computed at once: their wrenches stay in the processor's cache."""


class Block(NamedTuple):
    """A row of states, the first of which is number `first`."""

    first: int
    q: Floats
    qd: Floats
    qdd: Floats
    weight: Floats
    options: dict[str, Any]
    """External wrenches and the motion of the base, where there are any."""


@dataclass(frozen=True, eq=False)
class States:
    """States in rows, with the shape of the batch that they were, and their times if they are a motion."""

    q: Floats
    qd: Floats
    qdd: Floats
    shape: tuple[int, ...]
    t: Floats | None
    weights: Floats
    """(states,): share of each in means, summing to one: by the trapezoid rule if there are times, else all alike."""
    along: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.q)

    @property
    def duration(self) -> float | None:
        """Of the motion, s."""
        return None if self.t is None else float(self.t[-1] - self.t[0])

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """All states, so many at a time."""
        for first in range(0, len(self), size):
            rows = slice(first, first + size)
            yield Block(first, self.q[rows], self.qd[rows], self.qdd[rows], self.weights[rows], self.options(rows))

    def options(self, rows: slice | int) -> dict[str, Any]:
        """What goes along with some of the states, or with one."""
        return {name: _part(value, rows, self.shape) for name, value in self.along.items()}

    def place(self, sample: int) -> tuple[int, ...]:
        """Where in the batch a state is."""
        return tuple(int(k) for k in np.unravel_index(sample, self.shape))

    def where(self, sample: int) -> str:
        """The same in words."""
        if self.t is not None:
            return f"sample {sample} (t = {self.t[sample]:.6g} s)"
        return f"state {sample if len(self.shape) < 2 else self.place(sample)}"


def states_of(
    robot: RobotModel,
    given: Any,
    external: Mapping[str, Wrench] | None = None,
    base_velocity: Any = None,
    base_acceleration: Any = None,
) -> States:
    """States of a robot from a motion, or from arrays (q, qd, qdd) whose leading axes broadcast."""
    t = None
    if all(hasattr(given, name) for name in ("t", "q", "qd", "qdd")):
        parts, t = (given.q, given.qd, given.qdd), np.asarray(given.t, dtype=float)
        _check_motion(robot, given)
    elif isinstance(given, (tuple, list)) and len(given) == 3:
        parts = given[0], given[1], given[2]
    else:
        raise ValueError("states are expected as a Motion or as three arrays (q, qd, qdd)")
    widths = (("q", robot.nq), ("qd", robot.n), ("qdd", robot.n))
    arrays = [_array(name, part, width) for (name, width), part in zip(widths, parts, strict=True)]
    along = {"external": external or None, "base_velocity": base_velocity, "base_acceleration": base_acceleration}
    kept = {name: value for name, value in along.items() if value is not None}
    try:
        shape = np.broadcast_shapes(*(array.shape[:-1] for array in arrays), *_shapes(kept))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for (name, _), array in zip(widths, arrays, strict=True))
        raise ValueError(f"batch axes do not go together: {shapes}, and {_shapes(kept)} of what goes along") from None
    count = int(np.prod(shape))
    if count == 0:
        raise ValueError(f"there are no states: the batch has the shape {shape}")
    if t is not None and shape != t.shape:
        raise ValueError(f"what goes along with a motion of {len(t)} samples has the batch shape {shape}")
    rows = [np.broadcast_to(array, (*shape, array.shape[-1])).reshape(count, array.shape[-1]) for array in arrays]
    return States(rows[0], rows[1], rows[2], shape or (1,), t, _weights(t, count), kept)


def _array(name: str, part: Any, width: int) -> Floats:
    array = np.asarray(part, dtype=float)
    if array.ndim == 0 or array.shape[-1] != width:
        raise ValueError(f"{name} has the shape {array.shape}: expected (..., {width})")
    return array


def _check_motion(robot: RobotModel, motion: Any) -> None:
    own = getattr(motion, "robot", None)
    if own is None:
        if np.shape(motion.q)[-1] == robot.nq and np.shape(motion.qd)[-1] == robot.n:
            for telling in outside_limits(robot, motion.t, motion.q, motion.qd):
                warn(telling)
    elif own.dof_names != robot.dof_names:
        raise ValueError(f"the motion is of robot '{own.name}' with {', '.join(own.dof_names)}; robot '{robot.name}' "
                         f"has {', '.join(robot.dof_names)}")  # fmt: skip


def _shapes(along: Mapping[str, Any]) -> list[tuple[int, ...]]:
    """Batch shapes of what goes along with the states."""
    found: list[tuple[int, ...]] = []
    for value in along.values():
        for part in value.values() if isinstance(value, Mapping) else (value,):
            arrays = (part.force, part.torque, part.point) if isinstance(part, Wrench) else (part,)
            found += [np.shape(array)[:-1] for array in arrays]
    return found


def _part(value: Any, rows: slice | int, shape: tuple[int, ...]) -> Any:
    if isinstance(value, Mapping):
        return {name: _part(part, rows, shape) for name, part in value.items()}
    if isinstance(value, Wrench):
        parts = {name: _part(getattr(value, name), rows, shape) for name in ("force", "torque", "point")}
        return replace(value, **parts)
    array = np.asarray(value, dtype=float)
    if array.ndim == 1:
        return array
    return np.broadcast_to(array, (*shape, array.shape[-1])).reshape(-1, array.shape[-1])[rows]


def _weights(t: Floats | None, count: int) -> Floats:
    if t is None:
        return np.full(count, 1 / count)
    steps = np.diff(t) / (t[-1] - t[0])
    weights = np.zeros(count)
    weights[:-1] += steps / 2
    weights[1:] += steps / 2
    return weights
