"""The states over which loads are looked at: a motion or a batch, in blocks, each state with its share of the time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import warn
from loadpath.loads.wrench import Wrench
from loadpath.motion.checks import outside_limits
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

BLOCK = 2048
"""States that are computed at once: their wrenches stay in the processor's cache."""


Rows = slice | int | NDArray[np.intp]


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

    def options(self, rows: Rows) -> dict[str, Any]:
        """What goes along with some of the states, or with one."""
        return {name: part_of(value, rows, self.shape) for name, value in self.along.items()}

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
    if is_motion(given):
        check_joints(robot, given)
        parts, t = (given.q, given.qd, given.qdd), times_of(given)
        if t is not None and getattr(given, "robot", None) is None:  # else the motion has told it itself
            for telling in outside_limits(robot, t, given.q, given.qd):
                warn(telling)
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


def is_motion(given: Any) -> bool:
    """Whether states are given as an `lp.Motion`, or as anything else with its arrays, like a simulation."""
    return all(hasattr(given, name) for name in ("q", "qd", "qdd"))


def times_of(motion: Any) -> Floats | None:
    """The times of a motion or of a simulation, if it has them."""
    times = getattr(motion, "t", getattr(motion, "times", None))
    return None if times is None else np.asarray(times, dtype=float)


def check_joints(robot: RobotModel, motion: Any) -> None:
    """Refuse the motion of another robot: other joints, even if they are as many."""
    own, size = getattr(motion, "robot", None), (np.shape(motion.q)[-1], np.shape(motion.qd)[-1])
    if own is not None and own.dof_names != robot.dof_names:
        raise ValueError(f"the motion is of robot '{own.name}' with {', '.join(own.dof_names)}; robot '{robot.name}' "
                         f"has {', '.join(robot.dof_names)}")  # fmt: skip
    if size != (robot.nq, robot.n):
        raise ValueError(f"the motion has {size[0]} coordinates and {size[1]} speeds; robot '{robot.name}' has "
                         f"{robot.nq} and {robot.n}")  # fmt: skip


def _shapes(along: Mapping[str, Any]) -> list[tuple[int, ...]]:
    """Batch shapes of what goes along with the states."""
    found: list[tuple[int, ...]] = []
    for value in along.values():
        for part in value.values() if isinstance(value, Mapping) else (value,):
            arrays = (part.force, part.torque, part.point) if isinstance(part, Wrench) else (part,)
            found += [np.shape(array)[:-1] for array in arrays]
    return found


def part_of(value: Any, rows: Rows, shape: tuple[int, ...]) -> Any:
    """What belongs to some states of a batch of that shape: of an array, a wrench, or wrenches by links."""
    if isinstance(value, Mapping):
        return {name: part_of(part, rows, shape) for name, part in value.items()}
    if isinstance(value, Wrench):
        parts = {name: part_of(getattr(value, name), rows, shape) for name in ("force", "torque", "point")}
        return replace(value, **parts)
    array = value if hasattr(value, "shape") else np.asarray(value)
    if array.ndim <= 1:
        return array
    if len(shape) == 1 and array.shape[0] == shape[0]:
        return array[rows]  # what lies on a disk is read only there
    return np.broadcast_to(array, (*shape, array.shape[-1])).reshape(-1, array.shape[-1])[rows]


def _weights(t: Floats | None, count: int) -> Floats:
    if t is None:
        return np.full(count, 1 / count)
    if count == 1:
        return np.ones(1)
    steps = np.diff(t) / (t[-1] - t[0])
    weights = np.zeros(count)
    weights[:-1] += steps / 2
    weights[1:] += steps / 2
    return weights
