"""Exact derivatives of a design's answers: parameters are followed through functions of the space, the numbers of the
robot and its motion, the kernels of the family, and the reductions and rules by which answers are made, each of which
runs as it is, on arrays that carry derivatives (`scalars/directional.py`).

Directions are along each parameter, and then against each: a largest value that several states attain has other
derivatives on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.engine.arguments import Variant
from loadpath.scalars.directional import Directional
from loadpath.scalars.types import Floats
from loadpath.studies.answers import JUDGED, Answer, reducing
from loadpath.studies.chunks import Work
from loadpath.studies.grouping import Group, groups_of
from loadpath.studies.passes import Column
from loadpath.studies.problem import Problem
from loadpath.studies.signals import Case, Signals
from loadpath.studies.states import DURATION, SPEED, DesignStates, places_of_states
from loadpath.studies.subjects import on_wheels
from loadpath.studies.together import row_of
from loadpath.studies.values import Columns

_AT_ONCE = 4096
"""States."""
_STEP = 1e-4


class NotExactError(Exception):
    """Nothing of this design is traced."""


class Rates:
    """A design whose parameters carry directions."""

    def __init__(self, problem: Problem, number: int, columns: Columns, names: Sequence[str]) -> None:
        if problem.makes or on_wheels(problem.subject):
            raise NotExactError
        self.problem, self.columns = problem, columns
        unit = np.eye(len(names))
        self.directions = np.concatenate([unit, -unit], axis=1)
        self.moved = self._moved(names)
        others = (*problem.discrete, *problem.motion_takes)
        blocked = [self.moved[name] for name in others if name in self.moved]
        self.exact = {name for k, name in enumerate(names)
                      if not any(_entries(part)[1][:, k].any() for part in blocked)}
        """Parameters that change nothing but numbers of the robot, its pace and its state."""
        if not self.exact:
            raise NotExactError
        work = Work(problem, number, 1, None)
        groups = groups_of(problem, columns, np.zeros(1, dtype=np.intp), work.fail)
        if not groups or groups[0].robots is not None:
            raise NotExactError
        self.group: Group = groups[0]
        self.work = work
        self.base = self.group.base
        self.family = self.base.family(["gravity"]) if self.group.family is None else self.group.family
        self.numbers = self.family.rows[None] if self.group.numbers is None else self.group.numbers
        self.numbers_along = self._numbers_along()

    def of(self, answer: Answer) -> Directional | None:
        """(1, entries...): an answer and its derivatives; None where there are no equations to follow."""
        try:
            if answer.quantity == "mass":
                return self._mass()
            if answer.quantity in JUDGED or isinstance(answer.quantity, tuple):
                return self._judged(answer)
            return self._of_states(answer) if answer.of_states else None
        except (TypeError, NotImplementedError, NotExactError):
            return None

    # From parameters to numbers and states

    def _moved(self, names: Sequence[str]) -> dict[str, Any]:
        """Every parameter that changes with those asked for: with its directions."""
        space = self.problem.space
        found: dict[str, Any] = {name: Directional(np.asarray(float(self.columns[name][0])), self.directions[k])
                                 for k, name in enumerate(names)}
        for name in space.order:
            of = space.dependent[name]
            if any(one in found for one in of.names):
                given = [found.get(one, self.columns[one][0]) for one in of.names]
                try:
                    value = of.function(*given)
                    _entries(value)
                except Exception:  # a function of the user's that takes plain numbers alone
                    value = self._by_differences(of.function, given)
                found[name] = value
        return found

    def _by_differences(self, function: Any, given: Sequence[Any]) -> Any:
        """A function of numbers along each direction, by fourth-order differences."""
        def at(k: int, step: float) -> Floats:
            plain = [one.value + step * one.along[..., k] if isinstance(one, Directional) else one for one in given]
            return np.asarray(function(*(float(one) if np.ndim(one) == 0 and not isinstance(one, (str, bytes)) and
                                         np.asarray(one).dtype.kind == "f" else one for one in plain)), dtype=float)

        try:
            slopes = []
            for k in range(self.directions.shape[1]):
                size = max([abs(float(one.value)) for one in given if isinstance(one, Directional)], default=1.0)
                h = _STEP * (size or 1.0)
                slopes.append((8.0 * (at(k, h) - at(k, -h)) - (at(k, 2 * h) - at(k, -2 * h))) / (12.0 * h))
            return Directional(at(0, 0.0), np.stack(slopes, axis=-1))
        except Exception:
            raise NotExactError from None

    def _numbers_along(self) -> Floats:
        """(numbers, directions): how the numbers of the family change."""
        along, start = np.zeros((self.numbers.shape[-1], self.directions.shape[1])), 0
        for parameter in self.family.parameters:
            if parameter.key in self.moved:
                _, slopes = _entries(self.moved[parameter.key], self.directions.shape[1])
                if len(slopes) != parameter.size:
                    raise NotExactError
                along[start: start + parameter.size] = slopes
            start += parameter.size
        return along

    @cached_property
    def case(self) -> tuple[Case, Any]:
        """The design with its states, whose pace and positions have directions; and its motion."""
        found = self.work.states(self.columns, self.group)
        if not found:
            raise NotExactError
        _, states, motion = found[0]
        pace = self.moved.get(SPEED)
        if DURATION in self.moved:
            pace = float(motion.duration) / self.moved[DURATION]
        if pace is not None:
            states = replace(states, pace=pace.reshape(1))
        return Case(self.base, self.family, self.numbers, states, 1), motion

    def _signals(self, states: slice) -> Signals:
        case, _ = self.case
        return _DirectionalSignals(case, states, self.numbers_along, self._states_along(case.states))

    def _states_along(self, states: DesignStates) -> dict[int, Floats]:
        """Of q, qd, qdd how they change with positions, speeds and accelerations that are parameters."""
        names = [name for name in self.problem.names_of_states if name in self.moved]
        found: dict[int, Floats] = {}
        for name, (which, k) in places_of_states(self.base, names).items():
            assert states.arrays is not None
            if which not in found:
                found[which] = np.zeros((*states.arrays[which].shape, self.directions.shape[1]))
            found[which][0, :, k] = self.moved[name].along
        return found

    # Answers

    def _mass(self) -> Directional:
        along, start = np.zeros(self.directions.shape[1]), 0
        for parameter in self.family.parameters:
            if parameter.key.endswith(".mass"):
                along = along + self.numbers_along[start]
            elif parameter.key.rpartition(".")[2] != "center_of_mass" and self.base.beams:
                raise NotExactError  # a link may be its beams
            start += parameter.size
        return Directional(self.group.masses(), along[None])

    def _judged(self, answer: Answer) -> Directional | None:
        case, motion = self.case
        checks = self.work.checks_of([answer], self.base, motion)
        if checks is None:
            return None
        every = slice(0, case.states.count)
        found = checks.of(self._signals(every), case.states.weights_of(every))
        name = answer.quantity if isinstance(answer.quantity, str) else f"row {row_of(answer)}"
        result = found[str(name)]
        return result if isinstance(result, Directional) else Directional(
            result, np.zeros((1, self.directions.shape[1])))

    def _of_states(self, answer: Answer) -> Directional:
        case, _ = self.case
        column, count = Column(answer, self.base), case.states.count
        reduced: list[Any] = []
        for first in range(0, count, _AT_ONCE):
            states = slice(first, min(first + _AT_ONCE, count))
            signals = self._signals(states)
            weights = case.states.weights_of(states)
            entries = [part[..., k] if part.ndim > 2 else part for part in column.values(signals)
                       for k in range(part.shape[2] if part.ndim > 2 else 1)]
            reduced = reduced or [reducing(answer.reduce, 1) for _ in entries]
            for one, values in zip(reduced, entries, strict=True):
                one.add(values if isinstance(values, Directional) else Directional(
                    values, np.zeros(self.directions.shape[1])), weights, first)
        found: Any = column.joined([one.result() for one in reduced])
        axes = self.problem.bound["axes"].get(answer.name, ())
        return found.reshape(1, *(len(labels) for _, labels in axes)) if axes else found  # type: ignore[no-any-return]


class _DirectionalSignals(Signals):
    """What joints and drives of one design carry, with directions."""

    def __init__(self, case: Case, states: slice, numbers: Floats, moved: dict[int, Floats]) -> None:
        pace = case.states.pace
        plain = replace(case.states, pace=pace.value if isinstance(pace, Directional) else pace)
        super().__init__(replace(case, states=plain), slice(0, 1), states)
        self.case = case
        still = np.zeros(numbers.shape[-1])
        arrays: list[Any] = [Directional(array, still) for array in (self.q, self.qd, self.qdd)]
        for which, along in moved.items():
            arrays[which] = Directional(arrays[which].value, along[:, states])
        if isinstance(pace, Directional):
            rate = (pace / pace.value).reshape(1, 1, 1)
            arrays[1], arrays[2] = arrays[1] * rate, arrays[2] * rate * rate
        self.q, self.qd, self.qdd = arrays
        self._numbers = numbers

    def asked(self, name: str, *arrays: Any, use: str = "") -> Any:
        family = self.case.family
        assert self.case.numbers is not None
        method = getattr(family.with_rows(self.case.numbers[0]), name)
        plain = [array.value if isinstance(array, Directional) else array for array in arrays]
        found = method(*(part[0] for part in plain), **self.keywords)
        values = found if type(found) is tuple else (found.force, found.torque) if hasattr(found, "force") else (found,)
        inputs = [operand.name for operand in method.varied.operands(Variant())[0]]
        steps = []
        for k in range(self._numbers.shape[-1]):
            step = {"design": self._numbers[:, k]}
            step |= {read: array.along[0, ..., k] for read, array in zip(inputs, arrays, strict=False)
                     if isinstance(array, Directional)}
            steps.append(step)
        changes = method.changes([part[0] for part in plain], self.keywords, steps)
        made = tuple(Directional(np.asarray(value)[None], np.stack([change[i] for change in changes], axis=-1)[None])
                     for i, value in enumerate(values[: len(changes[0])]))
        return made if len(made) > 1 else made[0]

    @cached_property
    def wrenches(self) -> tuple[Any, Any]:
        """Force and torque, (1, states, joints, 3) each."""
        force, torque = self.asked("joint_wrenches", self.q, self.qd, self.qdd)
        return force, torque

    @cached_property
    def tau(self) -> Any:
        """(1, states, n)."""
        return self.asked("inverse_dynamics", self.q, self.qd, self.qdd)

    @cached_property
    def holding(self) -> Any:
        """(1, states, n)."""
        still = np.zeros((1, *self.q.shape[1:-1], self.robot.n))
        return self.asked("inverse_dynamics", self.q, still, still, use="at rest")


def _entries(value: Any, directions: int = 0) -> tuple[Floats, Floats]:
    """Numbers of a parameter (size,) and how they change (size, directions)."""
    if isinstance(value, Directional):
        flat = value.reshape(-1)
        return flat.value, np.asarray(flat.along)
    parts = list(value) if isinstance(value, (tuple, list, np.ndarray)) else [value]
    moving = [part for part in parts if isinstance(part, Directional)]
    count = moving[0].along.shape[-1] if moving else directions
    numbers = np.array([float(part.value) if isinstance(part, Directional) else float(part) for part in parts])
    along = np.stack([part.along if isinstance(part, Directional) else np.zeros(count) for part in parts])
    return numbers, along
