"""The states of each design: those of one motion, of a motion at another pace, of a function of the design, of a space
of states, or one state of the workspace for each design.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loadpath.motion.spectrum import DutySpectrum
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase
from loadpath.states.batch import StateBatch, states_of
from loadpath.studies.space import Space

OF_STATES = ("position", "speed", "acceleration")
"""What a dimension of the workspace is called, after the name of its joint."""
SPEED, DURATION = "motion.speed", "motion.duration"


def named_states(robot: Any, names: Iterable[str]) -> tuple[str, ...]:
    """Those names that are positions, speeds or accelerations of a robot's freedoms."""
    return tuple(name for name in names
                 if name.rpartition(".")[2] in OF_STATES and name.rpartition(".")[0] in robot.dof_names)


@dataclass(frozen=True, eq=False)
class DesignStates:
    """States of some designs: arrays (states, k) that all share, or (designs, states, k)."""

    count: int
    """States of each."""
    arrays: tuple[Floats, Floats, Floats] | None
    """q, qd, qdd; None where they are made block by block."""
    weights: Floats | None
    """(states,): shares of the time; None: all the same."""
    pace: Floats | None = None
    """(designs,): factor of the speed of each."""
    drawn: Callable[[slice], tuple[Floats, Floats, Floats]] | None = None
    """States by their numbers, of a space of them."""
    batch: StateBatch | None = None
    """With what acts on the robot beside the motion."""
    acting: Mapping[str, Any] = field(default_factory=dict)
    """What acts in all states alike, where there is no batch that has it."""

    @property
    def loaded(self) -> bool:
        """Whether more acts than the motion."""
        return bool(self.acting) or (self.batch is not None and bool(self.batch.case.given))

    def keywords(self, states: slice) -> dict[str, Any]:
        """What acts in some of the states, as keywords of compiled quantities."""
        return dict(self.acting) if self.batch is None else self.batch.case_of(states).keywords

    @property
    def own(self) -> bool:
        """Whether each design has states of its own."""
        return self.arrays is not None and self.arrays[0].ndim == 3

    def of(
        self, designs: slice, states: slice, empty: Callable[[str, tuple[int, ...]], Floats] | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """q, qd, qdd of some designs in some of the states: (designs or 1, states, k) each. `empty` has memory for what
        is computed.
        """
        arrays = self.drawn(states) if self.arrays is None and self.drawn is not None else self.arrays
        assert arrays is not None
        cut = states if self.arrays is not None else slice(None)
        q, qd, qdd = (array[None, cut] if array.ndim == 2 else array[designs, cut] for array in arrays)
        if self.pace is not None:
            pace = self.pace[designs, None, None]
            shape = (len(pace), *qd.shape[1:])
            rates = [None if empty is None else empty(name, shape) for name in ("qd", "qdd")]
            qd, qdd = np.multiply(pace, qd, out=rates[0]), np.multiply(pace**2, qdd, out=rates[1])
        return q, qd, qdd

    def weights_of(self, states: slice) -> Floats:
        """(states,)."""
        if self.weights is not None:
            return self.weights[states]
        return np.full(len(range(*states.indices(self.count))), 1.0 / self.count)

    def some(self, designs: Any) -> DesignStates:
        """Those of some of the designs."""
        arrays = self.arrays
        if arrays is not None:
            arrays = tuple(array if array.ndim == 2 else array[designs] for array in arrays)  # type: ignore[assignment]
        pace = None if self.pace is None else self.pace[designs]
        return DesignStates(self.count, arrays, self.weights, pace, self.drawn, self.batch, self.acting)


def of_motion(robot: Any, motion: Any, acting: Mapping[str, Any]) -> DesignStates:
    """The states of one motion, or of a tuple of arrays, under what acts beside it."""
    case = None if robot.on_wheels else LoadCase.of(dict(acting), "study")
    batch = states_of(robot, "study", motion, case=case)
    return DesignStates(len(batch), (batch.q, batch.qd, batch.qdd), np.asarray(batch.weights), None, None, batch)


def of_space(robot: Any, space: Space, acting: Mapping[str, Any]) -> DesignStates:
    """The states of a space of positions, speeds and accelerations; what it does not name is that of the home pose,
    at rest.
    """
    columns = places_of_states(robot, space.names)

    def drawn(states: slice) -> tuple[Floats, Floats, Floats]:
        return _filled(robot, columns, space.columns(states))

    return DesignStates(len(space), None, None, drawn=drawn, acting=acting)


def one_each(
    robot: Any, values: Mapping[str, Any], acting: Mapping[str, Any], start: Any = None
) -> DesignStates:
    """One state for each design, from its columns; what they do not name is that of a state, or home at rest."""
    filled = _filled(robot, places_of_states(robot, list(values)), values, start)
    q, qd, qdd = (array[:, None, :] for array in filled)
    return DesignStates(1, (q, qd, qdd), np.ones(1), acting=acting)


def places_of_states(robot: Any, names: Any) -> dict[str, tuple[int, int]]:
    """Where a position, speed or acceleration stands: 0, 1, 2 for q, qd, qdd, and its column."""
    found = {}
    for name in names:
        joint, _, what = name.rpartition(".")
        if what not in OF_STATES or joint not in robot.dof_names:
            raise ValueError(f"'{name}' is no state of robot '{robot.name}': expected the name of a degree of freedom "
                             f"({', '.join(robot.dof_names[:8])}) and .position, .speed or .acceleration")
        k = robot.dof_names.index(joint)
        if what == "position":
            if joint not in robot.q_slices or robot.q_slices[joint].stop - robot.q_slices[joint].start != 1:
                raise ValueError(f"'{name}': joint '{joint}' has several coordinates, and a position of one freedom is "
                                 "asked for")
            k = robot.q_slices[joint].start
        found[name] = (OF_STATES.index(what), k)
    return found


def _filled(
    robot: Any, columns: Mapping[str, tuple[int, int]], values: Mapping[str, Any], start: Any = None
) -> tuple[Floats, Floats, Floats]:
    size = len(next(iter(values.values())))
    home = start or (robot.home, np.zeros(robot.n), np.zeros(robot.n))
    q, qd, qdd = (np.tile(np.asarray(array, dtype=float), (size, 1)) for array in home)
    arrays = (q, qd, qdd)
    for name, (which, k) in columns.items():
        arrays[which][:, k] = np.asarray(values[name], dtype=float)
    return arrays


def limits_of(robot: Any, name: str) -> tuple[float, float]:
    """Between which bounds a position, speed or acceleration may be, as far as the robot says."""
    joint, _, what = name.rpartition(".")
    for each in robot.joints:
        if each.mimic is None and each.name == joint and each.motion.dof == 1:
            limits = each.limits[0]
            if what == "position":
                return limits.lower, limits.upper
            if what == "speed" and limits.velocity > 0:
                return -limits.velocity, limits.velocity
    return -np.inf, np.inf


def paces(motion: Any, values: Mapping[str, Any]) -> Floats | None:
    """How many times as fast each design moves."""
    if SPEED in values:
        pace = np.asarray(values[SPEED], dtype=float)
    elif DURATION in values:
        pace = float(motion.duration) / np.asarray(values[DURATION], dtype=float)
    else:
        return None
    if not (pace > 0).all():
        raise ValueError("the speed and the duration of a motion are more than zero")
    return np.asarray(pace)


def at_pace(motion: Any, pace: float | None) -> Any:
    """The motion so many times as fast."""
    if pace is None or pace == 1.0:
        return motion
    if isinstance(motion, DutySpectrum):
        every: Any = motion.motions
        return DutySpectrum([(each.scaled(speed=pace), share)
                             for each, share in zip(every, motion.shares, strict=True)], motion.names)
    if isinstance(motion, tuple):
        return motion[0], pace * np.asarray(motion[1]), pace**2 * np.asarray(motion[2])
    return motion.scaled(speed=pace)
