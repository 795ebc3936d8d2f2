"""The load case of states: what acts on a robot in addition to its own motion and gravity."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath.robot.arrays import array_of, batch_shape
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.states import carried
from loadpath.states.reading import is_motion, times_of

Rows: TypeAlias = slice | int | NDArray[np.intp]
"""Some states of a batch, or one, by their numbers."""

Effort: TypeAlias = ArrayLike | Mapping[str, Any]
"""Numbers over the drives, (..., drives), or by the names of drives (and loops)."""

_PARTS = ("force", "torque", "point")
NO_TIMES = "'gravity' is a function of time, and these states have no times: give a motion, or an array (..., 3)"


Gravity: TypeAlias = ArrayLike | Callable[[float], ArrayLike]
"""Acceleration of gravity (m/s^2, world axes): (..., 3), or a function of time over a motion or a simulation."""

Wrenches: TypeAlias = Mapping[str, Any]
"""An `lp.Wrench`, or what else has force, torque and point, by the name of the link that it acts on."""
Keywords: TypeAlias = dict[str, Any]
Change: TypeAlias = Callable[[Any], Any]

_OF_BASE = ("base_velocity", "base_acceleration")
_EFFORT = ("weights", "preload")


@dataclass(frozen=True, eq=False)
class LoadCase:
    """What acts on a robot beside its motion: external wrenches by the names of their links; velocity and acceleration
    (..., 6) of the base, as in `inverse_dynamics`; gravity (..., 3) in world axes, in place of the robot's own, or a
    function of time; of robots with more drives than freedoms also their weights and their preload. Each is one for all
    states, or one for each.

    Whatever takes these as keywords takes them together by `under=`: `robot.peak_loads(motion, under=case)`. A keyword
    that is given as well replaces that part of the case.

    >>> LoadCase(base_velocity=[0, 0, 1, 0, 0, 0]).keywords
    {'base_velocity': [0, 0, 1, 0, 0, 0]}
    >>> LoadCase(gravity=lambda t: (t, 0.0, -9.81)).gravity_at(2.0).tolist()
    [2.0, 0.0, -9.81]
    """

    external: Wrenches | None = None
    base_velocity: ArrayLike | None = None
    base_acceleration: ArrayLike | None = None
    weights: Effort | None = None
    preload: Effort | None = None
    gravity: Gravity | None = None

    def __post_init__(self) -> None:
        for name in (*_OF_BASE, "gravity"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                object.__setattr__(self, name, array_of(value, None, f"'{name}'"))
        if self.gravity is not None and not callable(self.gravity):
            _check_gravity(self.gravity)
        if self.external is None:
            return
        if not isinstance(self.external, Mapping):
            raise ValueError(f"'external' is a {type(self.external).__name__}: expected a mapping from link names to "
                             "lp.Wrench(force=, torque=)")
        for link, wrench in self.external.items():
            if not all(hasattr(wrench, part) for part in _PARTS):
                raise ValueError(f"external wrench on '{link}' is a {type(wrench).__name__}: expected an lp.Wrench")

    @staticmethod
    def of(given: Keywords, caller: str, takes: Collection[str] = ()) -> LoadCase:
        """The load case that keywords give: one as a whole (`under`), its parts, or both. `takes` are the parts that
        the caller knows; all, unless given.
        """
        parts = {name: value for name, value in given.items() if name != "under" and value is not None}
        whole = given.get("under")
        if whole is None:
            return LoadCase(**parts)
        if not isinstance(whole, LoadCase):
            raise ValueError(f"{caller}: 'under' is a {type(whole).__name__}: expected an lp.LoadCase")
        for part in fields(whole):
            if takes and part.name not in takes and getattr(whole, part.name) is not None:
                raise TypeError(f"{caller} takes no '{part.name}', which the load case of 'under' has")
        return replace(whole, **parts) if parts else whole

    def _those(self, names: Iterable[str]) -> Keywords:
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    @property
    def keywords(self) -> Keywords:
        """What there is of it, as keyword arguments."""
        if callable(self.gravity):
            raise ValueError(NO_TIMES)
        return self.given

    @property
    def given(self) -> Keywords:
        """What there is of it, by name."""
        external = {"external": self.external} if self.external else {}
        return {**external, **self._those((*_OF_BASE, *_EFFORT, "gravity"))}

    @property
    def base_motion(self) -> Keywords:
        """What there is of the motion of the base, as keyword arguments."""
        return self._those(_OF_BASE)

    @property
    def effort(self) -> Keywords:
        """What there is of weights and preload, as keyword arguments."""
        return self._those(_EFFORT)

    @property
    def on_links(self) -> Keywords:
        """What there is of it but for external wrenches, weights and preload, as keyword arguments: what acts on every
        link at once.
        """
        return {name: value for name, value in self.keywords.items() if name in (*_OF_BASE, "gravity")}

    @property
    def at_rest(self) -> LoadCase:
        """The same with a base that stands still."""
        return replace(self, base_velocity=None, base_acceleration=None)

    def gravity_at(self, time: float) -> Floats | None:
        """Gravity (..., 3) at a time of a simulation, be it a function of time or not; None for the robot's own.

        Equations of motion take it as `gravity=` (`forward_dynamics`, `state_derivative`, ...); a result that keeps
        what acted as `.gravity`, (samples, 3), hands it on to all that is computed of it: see `with_motion_of`.
        """
        if not callable(self.gravity):
            return None if self.gravity is None else np.asarray(self.gravity, dtype=float)
        found = np.asarray(self.gravity(float(time)), dtype=float)
        _check_gravity(found)
        return found

    def over(self, times: Floats | None, caller: str = "") -> LoadCase:
        """The same with gravity for each of these times where it is a function of time."""
        if not callable(self.gravity):
            return self
        if times is None:
            raise ValueError(f"{caller}: {NO_TIMES}" if caller else NO_TIMES)
        return replace(self, gravity=np.array([self.gravity_at(float(t)) for t in np.asarray(times, dtype=float)]))

    def with_motion_of(self, states: object, robot: RobotModel, caller: str = "") -> LoadCase:
        """The load case of states of a robot as they were handed in: a simulation brings the external wrenches that
        acted in it, and gravity where it was not the robot's own; that of a rover the motion of its base, too, where
        these are not given. `external={}` leaves the wrenches out. A motion brings what the loads that it carries do to
        their links, in addition, and the times at which gravity is evaluated.
        """
        case = self if self.external is not None else replace(self, external=external_of(states))
        own = getattr(states, "base_motion", None)
        if own and (self.base_velocity is None or self.base_acceleration is None):
            case = replace(case, **{**own, **self.base_motion})
        if is_motion(states):
            if case.gravity is None and getattr(states, "gravity", None) is not None:
                case = replace(case, gravity=states.gravity)  # type: ignore[attr-defined]
            case = case.over(times_of(states), caller)
        elif callable(case.gravity) and not hasattr(states, "motions"):
            case = case.over(None, caller)
        return carried.with_loads(case, robot, states, caller)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Batch shapes of its parts, by names for messages."""
        found = {name: np.shape(value)[:-1] for name, value in self._those((*_OF_BASE, "gravity")).items()}
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

    def changed(self, change: Change) -> LoadCase:
        """The load case with each of its arrays (..., k) changed in the same way."""
        external = None
        if self.external is not None:
            external = {link: _changed(wrench, change) for link, wrench in self.external.items()}
        effort = {name: _changed_effort(value, change) for name, value in self.effort.items()}
        arrays = {name: value if callable(value) else change(value) for name, value in
                  self._those((*_OF_BASE, "gravity")).items()}
        return LoadCase(external, **arrays, **effort)

    def of_states(self, rows: Rows, shape: tuple[int, ...]) -> LoadCase:
        """That of some states of a batch of this shape, or of one state. What all states share stays as it is."""
        if not any(self.shapes.values()):
            return self
        return self.changed(lambda array: rows_of(array, rows, shape) if np.ndim(array) > 1 else array)


def _check_gravity(gravity: Any) -> None:
    shape = np.shape(gravity)
    if not shape or shape[-1] != 3:
        raise ValueError(f"'gravity' has the shape {shape}: expected (..., 3), in world axes, or a function of time")


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
