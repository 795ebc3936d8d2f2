"""What an arm does again and again: one motion, or several with how often each comes; and the loads in its sections."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from loadpath.motion.spectrum import DutySpectrum
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import LoadCase, StateBatch, StatesLike, is_motion, read_states

BLOCK = 512
"""States at a time: with a thousand fibres their stresses are 4 MB, and stay near the processor."""


class SectionHistory(NamedTuple):
    """Force (N) and moment (N m) in every section that `arm.stress` looks at, each (samples, sections, 3).

    >>> import loadpath as lp
    >>> import numpy as np
    >>> history = lp.SectionHistory(np.zeros((100, 3, 3)), np.ones((100, 3, 3)), np.linspace(0, 1, 100))
    >>> history.moment.shape
    (100, 3, 3)
    """

    force: Floats
    moment: Floats
    times: Floats | None = None


@runtime_checkable
class HasSectionHistory(Protocol):
    """A result that has the loads of its sections over time, as that of a vibrating arm."""

    def section_history(self, sections: int) -> SectionHistory:
        """With so many sections along each beam."""


Actions: TypeAlias = Callable[[tuple[Floats, ...], LoadCase], tuple[Floats, Floats]]
"""Force and moment of the sections for some states (q, qd, qdd) with their load case."""

DutyCycle: TypeAlias = Sequence[tuple["StatesLike | HasSectionHistory", float]] | DutySpectrum
"""Motions, each with how often it comes in a repetition of the whole; or with shares of time."""


@dataclass(frozen=True, eq=False)
class DutyPart:
    """One motion of a duty cycle, with how often it comes."""

    states: StateBatch | SectionHistory
    repeats: float

    @property
    def samples(self) -> int:
        """How many there are."""
        return len(self.states.force) if isinstance(self.states, SectionHistory) else len(self.states)

    @property
    def duration(self) -> float | None:
        """s; None for states without times."""
        times = self.states.times if isinstance(self.states, SectionHistory) else self.states.t
        return None if times is None else float(times[-1] - times[0])

    def blocks(self, actions: Actions) -> Iterator[tuple[Floats, Floats]]:
        """Force and moment of all sections, block by block."""
        if isinstance(self.states, SectionHistory):
            for first in range(0, self.samples, BLOCK):
                rows = slice(first, first + BLOCK)
                yield self.states.force[rows], self.states.moment[rows]
            return
        for block in self.states.blocks(BLOCK):
            with np.errstate(invalid="ignore"):
                yield actions(block.arrays, block.case)


def is_duty_cycle(given: object) -> bool:
    """Whether it is a list of motions, each with a number.

    >>> is_duty_cycle([[0.0, 1.0], [0.1, 2.0]])
    False
    """
    if not isinstance(given, (list, tuple)) or not given:
        return False
    return all(isinstance(part, (list, tuple)) and len(part) == 2 and _is_history(part[0]) for part in given)


def _is_history(given: object) -> bool:
    return is_motion(given) or isinstance(given, (HasSectionHistory, SectionHistory))


def duty_parts(
    arm: RobotModel, q: Any, qd: ArrayLike | None, qdd: ArrayLike | None, case: LoadCase, sections: int, count: int
) -> tuple[DutyPart, ...]:
    """The parts of a duty cycle; one motion is one part that comes once."""
    if isinstance(q, DutySpectrum):
        q = list(zip(q.motions, q.repeats, strict=True))
    if not is_duty_cycle(q):
        if isinstance(q, (list, tuple)) and any(_is_history(part) for part in q):
            raise ValueError("fatigue: a duty cycle is a list of (motion, repeats), like [(pick, 3), (place, 1)]")
        return (DutyPart(_history(arm, q, qd, qdd, case, sections, count, "the motion"), 1.0),)
    if qd is not None or qdd is not None:
        raise ValueError("fatigue: a duty cycle has its own qd and qdd: leave out 'qd' and 'qdd'")
    parts = []
    for k, (motion, repeats) in enumerate(q):
        times = number(repeats, f"repeats of motion {k} of a duty cycle")
        if not times > 0:
            raise ValueError(f"repeats of motion {k} of a duty cycle is {times:g}: expected more than zero")
        parts.append(DutyPart(_history(arm, motion, None, None, case, sections, count, f"motion {k}"), times))
    return tuple(parts)


def _history(
    arm: RobotModel, q: Any, qd: ArrayLike | None, qdd: ArrayLike | None, case: LoadCase, sections: int, count: int,
    what: str,
) -> StateBatch | SectionHistory:
    if isinstance(q, (HasSectionHistory, SectionHistory)):
        found = q if isinstance(q, SectionHistory) else q.section_history(sections)
        shape = np.shape(found.force)
        if len(shape) != 3 or shape[1:] != (count, 3) or np.shape(found.moment) != shape:
            raise ValueError(f"fatigue: the forces of {what} have the shape {shape}, its moments "
                             f"{np.shape(found.moment)}: expected (samples, {count}, 3), as of "
                             "arm.section_actions(...)")
        if case.given:
            raise ValueError(f"fatigue: {what} has the loads of its sections already: leave out "
                             f"{', '.join(repr(name) for name in case.given)}")
        batch: StateBatch | SectionHistory = SectionHistory(np.asarray(found.force), np.asarray(found.moment),
                                                            found.times)
        size = shape[0]
    else:
        states = read_states(arm, q, qd, qdd, caller="fatigue", at_rest=True, counts_loads=True)
        batch = StateBatch(arm, states, case.with_motion_of(q, arm, "fatigue"), "fatigue")
        if len(batch.shape) != 1:
            raise ValueError(f"fatigue: {what} has the batch shape {batch.shape}: expected states one after the other "
                             "in time, (samples, n), or a motion")
        size = len(batch)
    if size < 2:
        raise ValueError(f"fatigue: {what} has {size} samples: expected two or more, one after the other in time")
    return batch


def known_samples(force: Floats, moment: Floats) -> Bools:
    """(samples,): those whose loads are numbers."""
    finite = np.isfinite(force).all(axis=(1, 2)) & np.isfinite(moment).all(axis=(1, 2))
    return np.asarray(finite)


def shares_of(repeats: Sequence[float]) -> tuple[list[float], float]:
    """How often each motion follows itself, and how often all come one after the other: as often as can be, since
    the change from one to the other is a cycle too, and mostly the largest.

    >>> shares_of([100, 40])
    ([60.0, 0.0], 40.0)
    """
    if len(repeats) == 1:
        return [0.0], float(repeats[0])
    together = min(repeats)
    return [float(each - together) for each in repeats], float(together)


def hours_of(repetitions: Floats | float, per_hour: float | None, duration: float | None) -> Floats:
    """Hours of so many repetitions: by their number an hour, or one after the other without a pause."""
    if per_hour is None and duration is None:
        raise ValueError("fatigue: hours need cycles_per_hour=, or a motion with times")
    return np.asarray(repetitions) / per_hour if per_hour is not None else np.asarray(repetitions) * duration / 3600.0


def duration_of(parts: Sequence[DutyPart]) -> float | None:
    """s of the whole; None where a part has no times."""
    total = 0.0
    for part in parts:
        if part.duration is None:
            return None
        total += part.duration * part.repeats
    return total if math.isfinite(total) else None
