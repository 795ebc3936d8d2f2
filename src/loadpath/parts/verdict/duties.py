"""What a verdict goes through: one motion or batch, or several motions with their shares of all time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.motion import Carried, Motion
from loadpath.scalars.types import ArrayLike, Floats, Ints
from loadpath.states import LoadCase, StateBatch
from loadpath.states.batch import WRENCH_BLOCK, states_of
from loadpath.states.carried import counted, placed, with_wrenches
from loadpath.states.reading import loads_of

if TYPE_CHECKING:
    from loadpath.robot.model import RobotModel


@dataclass(frozen=True, eq=False)
class Duty:
    """A motion of a spectrum: its number, its share of all time, its states."""

    number: int
    share: float
    states: StateBatch
    pace: float = 1.0
    """Factor of its speed: times are divided by it."""
    name: str = ""
    """In a spectrum."""
    given: Any = None
    """The motion, simulation or tuple of arrays as it was handed in."""
    source: Any = None
    """The motion as it was handed in, if it carries loads: these weigh otherwise at another pace, and at rest."""
    case: LoadCase = field(default_factory=LoadCase)
    """What acts in addition to the loads that it carries."""
    carried: tuple[Carried, ...] = ()
    """Loads that it carries, at the times of its states, on links as the robot names them."""
    resting: LoadCase | None = None
    """What acts on a robot whose base stands, but for the loads that it carries: on a rover, the slope does."""

    def __len__(self) -> int:
        return len(self.states)

    @property
    def timed(self) -> bool:
        """Whether its states have times."""
        return self.states.t is not None

    def time_of(self, sample: int) -> float:
        """s; NaN without times."""
        t = self.states.t
        return math.nan if t is None else float(t[0] + (t[sample] - t[0]) / self.pace)

    def state(self, sample: int | Ints) -> tuple[Floats, Floats, Floats, LoadCase]:
        """One state, or some of them, and their load case."""
        q, qd, qdd = (array for array in self.states.rows(sample))
        return q, self.pace * qd, self.pace**2 * qdd, self._paced(self.states.case_of(sample))

    def at_pace(self, robot: RobotModel, pace: float) -> Duty:
        """The same motion so many times as fast."""
        if self.source is None:
            return replace(self, pace=self.pace * pace)
        motion = self.source.scaled(speed=pace)
        case = _faster(self.case, pace)
        states = states_of(robot, "verdict", motion, None, None, case)
        return replace(self, states=states, source=motion, given=motion, case=case,
                       carried=placed(loads_of(motion), robot, motion))

    @property
    def moving(self) -> Any:
        """The motion or states at its pace, as functions of robots take them."""
        if self.pace == 1.0:
            return self.given
        if hasattr(self.given, "scaled"):
            return self.given.scaled(speed=self.pace)
        q, qd, qdd = self.states.q, self.pace * self.states.qd, self.pace**2 * self.states.qdd
        if self.states.t is None:
            return q, qd, qdd
        return Motion.from_checked(self.states.t / self.pace, q, qd, qdd, None)

    def case_at_rest(self, robot: RobotModel, samples: Ints, q: Floats) -> LoadCase:
        """The load case of some samples, (samples, nq), if robot and base stood still there."""
        if self.resting is not None:
            case = self.resting.of_states(samples, self.states.shape)
        else:
            whole = (self.states.case if self.source is None else self.case).of_states(samples, self.states.shape)
            case = whole.at_rest
        if not self.carried:
            return case
        still = np.zeros((len(q), robot.n))
        assert self.states.t is not None
        return with_wrenches(case, robot, self.carried, self.states.t[samples], (q, still, still))

    def blocks(self) -> Iterator[Block]:
        """All states, some at a time."""
        weights = self.states.weights
        for block in self.states.blocks(WRENCH_BLOCK):
            q, qd, qdd = block.arrays
            t = self.states.t
            times = np.full(len(block), np.nan) if t is None else t[0] + (t[block.rows] - t[0]) / self.pace
            case = self._paced(block.case)
            arrays = (q, qd, qdd) if self.pace == 1.0 else (q, self.pace * qd, self.pace**2 * qdd)
            yield Block(self, block.first, times, self.share * weights[block.rows], arrays, case)

    def _paced(self, case: LoadCase) -> LoadCase:
        return _faster(case, self.pace)


def _faster(case: LoadCase, pace: float) -> LoadCase:
    """The load case of a motion at another pace: the base moves faster, too."""
    if pace == 1.0 or not case.base_motion:
        return case
    power = {"base_velocity": pace, "base_acceleration": pace**2}
    moved: dict[str, Any] = {name: np.asarray(value) * power[name] for name, value in case.base_motion.items()}
    return replace(case, **moved)


@dataclass(frozen=True, eq=False)
class Block:
    """Some states of a motion, in the order of time."""

    duty: Duty
    first: int
    t: Floats
    weight: Floats
    """(states,): shares in all time of the spectrum."""
    arrays: tuple[Floats, Floats, Floats]
    case: LoadCase

    def __len__(self) -> int:
        return len(self.t)


def is_spectrum(given: object) -> bool:
    """Whether several motions with their shares are handed in: an `lp.DutySpectrum`, or what else has both."""
    return hasattr(given, "motions") and hasattr(given, "shares")


def duties_of(
    robot: RobotModel,
    caller: str,
    given: Any,
    qd: ArrayLike | None,
    qdd: ArrayLike | None,
    case: LoadCase,
) -> tuple[Duty, ...]:
    """All motions, their states read and checked."""
    if not is_spectrum(given):
        return (_duty(robot, caller, 0, 1.0, given, case, "", qd, qdd),)
    if qd is not None or qdd is not None:
        raise ValueError(f"{caller}: a spectrum has its own speeds and accelerations: leave out qd and qdd")
    if any(case.shapes.values()):
        raise ValueError(f"{caller}: wrenches and base motion that change from sample to sample are of one motion, and "
                         "a spectrum has several: give one value for all, or motions that bring their own")
    motions: Sequence[Any] = given.motions
    shares = [float(share) for share in given.shares]
    names = getattr(given, "names", None) or [f"motion {k + 1}" for k in range(len(motions))]
    return tuple(
        _duty(robot, caller, number, share, motion, case, name)
        for number, (motion, share, name) in enumerate(zip(motions, shares, names, strict=True))
    )


def _duty(
    robot: RobotModel,
    caller: str,
    number: int,
    share: float,
    given: Any,
    case: LoadCase,
    name: str,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
) -> Duty:
    states = states_of(robot, caller, given, qd, qdd, case)
    case = case.over(states.t, caller)
    carries = given if loads_of(given) and not counted(case) else None
    handed = given if qd is None else (given, qd, qdd)
    loads = () if carries is None else placed(loads_of(given), robot, given)
    return Duty(number, share, states, name=name, given=handed, source=carries, case=case, carried=loads)
