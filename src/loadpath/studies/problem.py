"""What a study computes of every design: a robot and its states. All of it is data, so that it goes to other
processes; what is compiled is made again where it arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.families.values import rows_of
from loadpath.mobile.families import OF_PLANE, rover_with, wheel_parameters
from loadpath.parts.part import Part
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.parameters import Parameter
from loadpath.scalars.types import Floats
from loadpath.studies.answers import Answer
from loadpath.studies.content import fingerprint
from loadpath.studies.dependent import argument_of
from loadpath.studies.space import Space
from loadpath.studies.states import (
    DURATION,
    SPEED,
    DesignStates,
    at_pace,
    named_states,
    of_motion,
    one_each,
    paces,
)
from loadpath.studies.subjects import arguments_of, is_function, is_robot, on_wheels, parameters_of_subject
from loadpath.studies.values import Columns

_MOST_KEPT = 256
"""Of each that are kept to be used again."""
SEARCHED = 4096
"""Designs among which the first feasible one is looked for."""


@dataclass(eq=False)
class Problem:
    """What is computed of every design."""

    subject: Any
    """A robot or rover, or a function that makes one of parameters."""
    space: Space
    motion: Any
    answers: tuple[Answer, ...]
    hours: float | None = None
    acting: Mapping[str, Any] = field(default_factory=dict)
    """What acts beside the motion: keywords of `robot.verdict` and its kin."""
    bound: dict[str, Any] = field(default_factory=dict)
    """What was found out about it: names of parameters by what they change, groups of robots, axes of answers."""

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def over(self, space: Space, answers: tuple[Answer, ...]) -> Problem:
        """The same of other designs, and of some of the answers; what was made for them is shared."""
        made = replace(self, space=space, answers=answers, bound=dict(self.bound))
        made.__dict__["_made"] = self.__dict__.setdefault("_made", {})
        return made

    def kept(self, what: str, key: Any, of: Any, make: Callable[[], Any]) -> Any:
        """What was made in this process and is used again: families, checks, states, by a key of the objects that they
        are `of`, which live as long. Where wheels differ from design to design there is no end of them: the oldest go.
        """
        table: dict[Any, Any] = self.__dict__.setdefault("_made", {}).setdefault(what, {})
        found = table.get(key)
        if found is None:
            found = table[key] = (of, make())
            for old in list(table)[:-_MOST_KEPT]:
                table.pop(old, None)
        return found[1]

    @property
    def content(self) -> dict[str, Any]:
        """What it is, the same in any process: equal where the answers are."""
        subject: tuple[object, ...] = (self.subject, self.bound["bases"]) if self.makes else (self.subject,)
        asked = [(answer.name, answer.quantity, answer.reduce) for answer in self.answers]
        motion = (self.motion, dict(self.acting)) if self.acting else (self.motion,)
        return {"space": self.space.content, "robots": fingerprint(*subject), "motion": fingerprint(*motion),
                "answers": fingerprint(asked), "hours": self.hours}

    @property
    def makes(self) -> bool:
        """Whether robots come from a function."""
        return not is_robot(self.subject)

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """Parameters that the function takes."""
        return arguments_of(self.subject, self.space.names, "the function that makes a robot")

    @cached_property
    def motion_takes(self) -> tuple[str, ...]:
        """Parameters, and `robot`, that a function takes that makes the motion."""
        return arguments_of(self.motion, ("robot", *self.space.names), "the function that makes a motion") \
            if is_function(self.motion) else ()

    @cached_property
    def names_of_states(self) -> tuple[str, ...]:
        """Parameters that are positions, speeds and accelerations: each design has one state."""
        if self.makes:
            return ()
        return named_states(self.subject, self.space.names)

    @cached_property
    def of_wheels(self) -> tuple[str, ...]:
        """Parameters of a rover that are numbers of its wheels and of friction."""
        if self.makes or not on_wheels(self.subject):
            return ()
        known = wheel_parameters(self.subject)
        return tuple(name for name in self.space.names if name in known and name not in OF_PLANE)

    @cached_property
    def discrete(self) -> tuple[str, ...]:
        """Parameters that change more than numbers of a family: parts, gear ratios of drive trains, wheels."""
        return tuple(name for name in self.space.names
                     if name.endswith((".part", ".gear.ratio")) or name in self.of_wheels)

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Parameters that are numbers of the robot."""
        if self.makes:
            return ()
        known = parameters_of_subject(self.subject)
        return tuple(name for name in self.space.names if name in known and name not in self.of_wheels)

    def states_of(self, robot: Any, motion: Any) -> DesignStates:
        """The states of a motion, under what acts."""
        return of_motion(robot, motion, self.acting)

    # Designs

    def robot_at(self, columns: Columns, k: int) -> Any:
        """The robot of one design."""
        if self.makes:
            return self.subject(**{argument: columns[name][k] for argument, name in
                                   ((argument_of(name), name) for name in self.takes)})
        robot = self.edited(tuple((name, columns[name][k]) for name in self.discrete))
        keys = self.named
        if not keys:
            return robot
        values = {key: _value_of(columns[key][k]) for key in keys}
        return robot.family(values).robot_of(())

    def edited(self, edits: tuple[tuple[str, Any], ...]) -> Any:
        """The robot with other parts and drives."""
        robot = self.subject
        wheels = {name: value for name, value in edits if name in self.of_wheels}
        if wheels:
            known = wheel_parameters(robot)
            rows = rows_of(tuple(known[name] for name in wheels), {name: _value_of(value) for name, value in
                                                                  wheels.items()})
            robot = rover_with(robot, split_by_key(tuple(known[name] for name in wheels), rows))
        for name, value in edits:
            if name in wheels:
                continue
            joint = name.removesuffix(".part").removesuffix(".gear.ratio")
            if name.endswith(".part"):
                if value is None or (isinstance(value, str) and value == ""):
                    continue
                parts = value if isinstance(value, (list, tuple)) else [value]
                for part in parts:
                    if not isinstance(part, Part):
                        raise ValueError(f"'{name}' is {part!r}: expected parts, like lp.StrainWaveGear(...)")
                robot = robot.with_parts({joint: list(parts)})
            else:
                robot = robot.with_drives({joint: Drive(ratio=float(value))})
        return robot

    def motion_at(self, columns: Columns, k: int, robot: Any) -> Any:
        """The motion of one design, at its pace."""
        motion = self.motion
        if is_function(motion):
            given = {argument_of(name): robot if name == "robot" else columns[name][k] for name in self.motion_takes}
            motion = motion(**given)
        if self.names_of_states:
            values = {name: columns[name][k:k + 1] for name in self.names_of_states}
            states = one_each(robot, values, self.acting, self.start(robot))
            q, qd, qdd = states.of(slice(0, 1), slice(0, 1))
            return q[0], qd[0], qdd[0]
        pace = paces(motion, {name: columns[name][k:k + 1] for name in (SPEED, DURATION) if name in columns})
        return at_pace(motion, None if pace is None else float(pace[0]))

    def start(self, robot: Any) -> Any:
        """The state that designs have but for what they name."""
        if self.motion is None:
            return None
        batch = self.states_of(robot, self.motion)
        assert batch.arrays is not None
        if batch.count != 1:
            raise ValueError("study: positions are parameters of the space, so each design has one state: give one "
                             "state (q, qd, qdd) as the motion, for the rest of it, or none")
        return tuple(array[0] for array in batch.arrays)

    def first_motion(self, robot: Any) -> Any:
        """Of the first design that is feasible."""
        columns = self.space.columns(slice(0, min(len(self.space), SEARCHED)))
        return self.motion_at(columns, int(np.argmax(self.space.feasible(columns))), robot)

    @cached_property
    def count_of_states(self) -> int:
        """Of the first design."""
        if self.names_of_states or self.motion is None:
            return 1
        if isinstance(self.motion, Space):
            return len(self.motion)
        motion = self.motion
        if is_function(motion):
            motion = self.first_motion(self.bound["bases"][0])
        if isinstance(motion, tuple):
            return int(np.prod(np.broadcast_shapes(*(np.shape(array)[:-1] for array in motion)), dtype=int))
        if hasattr(motion, "motions"):
            return sum(len(each.t) for each in motion.motions)
        return len(motion.t)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of each answer: its entries, but for those of reductions and quantities that are known with the first."""
        axes = self.bound["axes"]
        return {answer.name: tuple(len(labels) for _, labels in axes.get(answer.name, ())) for answer in self.answers}


def split_by_key(parameters: tuple[Parameter, ...], row: Floats) -> dict[str, list[float]]:
    """The numbers of one design by parameter, flat."""
    found, start = {}, 0
    for parameter in parameters:
        found[parameter.key] = row[start : start + parameter.size].tolist()
        start += parameter.size
    return found


def _value_of(value: Any) -> Any:
    return np.asarray(value, dtype=float) if isinstance(value, (list, tuple, np.ndarray)) else value


def hashed(value: Any) -> Any:
    """A key for a value: objects that have none are known by themselves."""
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value
