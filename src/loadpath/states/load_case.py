"""The load case of states: what acts on a robot in addition to its own motion and gravity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.robot.arrays import array_of, batch_shape
from loadpath.states import carried
from loadpath.states.reading import is_motion

Rows: TypeAlias = slice | int | NDArray[np.intp]
"""Some states of a batch, or one, by their numbers."""

Effort: TypeAlias = ArrayLike | Mapping[str, Any]
"""Numbers over the drives, (..., drives), or by the names of drives (and loops)."""

_PARTS = ("force", "torque", "point")


@dataclass(frozen=True, eq=False)
class LoadCase:
    """External wrenches by the names of their links, and velocity and acceleration (..., 6) of the base, as in
    `inverse_dynamics`: one for all states, or one for each. Of robots with more drives than freedoms also their weights
    and their preload.

    >>> LoadCase(base_velocity=[0, 0, 1, 0, 0, 0]).keywords
    {'base_velocity': [0, 0, 1, 0, 0, 0]}
    """

    external: Mapping[str, Any] | None = None
    base_velocity: ArrayLike | None = None
    base_acceleration: ArrayLike | None = None
    weights: Effort | None = None
    preload: Effort | None = None

    def __post_init__(self) -> None:
        for name in ("base_velocity", "base_acceleration"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, array_of(getattr(self, name), None, f"'{name}'"))
        if self.external is None:
            return
        if not isinstance(self.external, Mapping):
            raise ValueError(f"'external' is a {type(self.external).__name__}: expected a mapping from link names to "
                             "lp.Wrench(force=, torque=)")
        for link, wrench in self.external.items():
            if not all(hasattr(wrench, part) for part in _PARTS):
                raise ValueError(f"external wrench on '{link}' is a {type(wrench).__name__}: expected an lp.Wrench")

    @property
    def keywords(self) -> dict[str, Any]:
        """What there is of it, as keyword arguments."""
        parts = {
            "external": self.external or None,
            "base_velocity": self.base_velocity,
            "base_acceleration": self.base_acceleration,
            **self.effort,
        }
        return {name: value for name, value in parts.items() if value is not None}

    @property
    def base_motion(self) -> dict[str, Any]:
        """What there is of the motion of the base, as keyword arguments."""
        parts = {"base_velocity": self.base_velocity, "base_acceleration": self.base_acceleration}
        return {name: value for name, value in parts.items() if value is not None}

    @property
    def effort(self) -> dict[str, Any]:
        """What there is of weights and preload, as keyword arguments."""
        parts = {"weights": self.weights, "preload": self.preload}
        return {name: value for name, value in parts.items() if value is not None}

    def with_motion_of(self, states: object, robot: Any, caller: str = "") -> LoadCase:
        """The load case of states of a robot as they were handed in: a simulation brings the external wrenches that
        acted in it, that of a rover the motion of its base, too, where these are not given. `external={}` leaves the
        wrenches out. A motion brings what the loads that it carries do to their links, in addition.
        """
        case = self if self.external is not None else replace(self, external=external_of(states))
        own = getattr(states, "base_motion", None)
        if own and (self.base_velocity is None or self.base_acceleration is None):
            case = replace(case, **{**own, **self.base_motion})
        return carried.with_loads(case, robot, states, caller)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Batch shapes of its parts, by names for messages."""
        found = {name: np.shape(value)[:-1] for name, value in self.base_motion.items()}
        for link, wrench in (self.external or {}).items():
            found[f"external on {link}"] = batch_shape(
                {f"{part} on {link}": np.shape(getattr(wrench, part))[:-1] for part in _PARTS}
            )
        for name, value in self.effort.items():
            if not isinstance(value, Mapping):
                found[name] = np.shape(value)[:-1]
                continue
            for at, part in value.items():
                shape = np.shape(part.force)[:-1] if hasattr(part, "force") else np.shape(part)
                found[f"{name} of {at}"] = shape
        return found

    def changed(self, change: Callable[[Any], Any]) -> LoadCase:
        """The load case with each of its arrays (..., k) changed in the same way."""
        external = None
        if self.external is not None:
            external = {link: _changed(wrench, change) for link, wrench in self.external.items()}
        effort = {name: _changed_effort(value, change) for name, value in self.effort.items()}
        return LoadCase(external, **{name: change(value) for name, value in self.base_motion.items()}, **effort)

    def of_states(self, rows: Rows, shape: tuple[int, ...]) -> LoadCase:
        """That of some states of a batch of this shape, or of one state. What all states share stays as it is."""
        if not any(self.shapes.values()):
            return self
        return self.changed(lambda array: rows_of(array, rows, shape) if np.ndim(array) > 1 else array)


def external_of(states: object) -> Mapping[str, Any] | None:
    """The wrenches that acted on the links in a simulation; None of other states."""
    return getattr(states, "external", None) if is_motion(states) else None


def wrenches_over(samples: Sequence[Mapping[str, Any] | None]) -> dict[str, Any] | None:
    """One wrench for each link with samples on its first axis, of wrenches on the same links at every sample."""
    first = samples[0]
    if not first:
        return None

    def over_samples(link: str) -> Any:
        each = [(at or {})[link] for at in samples]
        return replace(each[0], **{part: np.array([getattr(wrench, part) for wrench in each]) for part in _PARTS})

    return {link: over_samples(link) for link in first}


def refuse_external(states: object, caller: str) -> None:
    """Refuse a simulation with external wrenches, where these cannot be taken into account."""
    external = external_of(states)
    if external:
        raise ValueError(f"{caller} takes no external wrenches, and in the simulation there is one on "
                         f"'{next(iter(external))}': simulate without 'external', or give simulation.q, .qd, .qdd and "
                         "forces of the drives without its share")


def refuse_moving_base(states: object, caller: str) -> None:
    """Refuse a simulation of a rover that moves, where the motion of the base cannot be taken into account."""
    if getattr(states, "base_motion", None):
        raise ValueError(f"{caller} takes no motion of the base, and that of the simulation moves: give "
                         "simulation.motion for the joints alone")


def _changed(wrench: Any, change: Callable[[Any], Any]) -> Any:
    changed = replace(wrench, **{part: change(getattr(wrench, part)) for part in _PARTS})
    if hasattr(wrench, "parts"):  # of carried loads
        parts = {name: _changed(part, change) for name, part in wrench.parts.items()}
        return replace(changed, parts=parts, spread=change(wrench.spread))
    return changed


def _changed_effort(value: Any, change: Callable[[Any], Any]) -> Any:
    """Weights or a preload: an array over the drives, or numbers and wrenches by name."""
    if not isinstance(value, Mapping):
        return change(value)
    found = {}
    for name, part in value.items():
        if all(hasattr(part, each) for each in _PARTS):
            found[name] = _changed(part, change)
        else:
            found[name] = change(np.asarray(part)[..., None])[..., 0] if np.ndim(part) else part
    return found


def rows_of(array: Any, rows: Rows, shape: tuple[int, ...]) -> Any:
    """Some states, or one, of an array (..., k) in a batch of this shape; of a broadcast array no more than these are
    written out, and of what lies on a disk no more is read.

    >>> rows_of(np.array([[[1.0]], [[2.0]]]), np.array([0, 3]), (2, 2)).tolist()
    [[1.0], [2.0]]
    """
    if not hasattr(array, "shape"):
        array = np.asarray(array)
    if len(shape) == 1 and len(array.shape) == 2 and array.shape[0] == shape[0]:
        return array[rows]
    whole = np.broadcast_to(array, (*shape, array.shape[-1]))
    if len(shape) == 1:
        return whole[rows]
    count = int(np.prod(shape, dtype=int))
    if array.shape[:-1] == shape and isinstance(array, np.ndarray) and array.flags.c_contiguous:
        return array.reshape(count, array.shape[-1])[rows]
    numbers = np.asarray(np.arange(count)[rows] if isinstance(rows, slice) else rows)
    if not shape:
        return np.broadcast_to(whole, (*numbers.shape, array.shape[-1]))
    return whole[np.unravel_index(numbers, shape)]
