"""One case of a batch of simulations: what is done to it, and what comes of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from loadpath.errors import ModelWarning
from loadpath.robot.model import RobotModel
from loadpath.simulate.result import Simulation
from loadpath.simulate.simulation import simulate

Value: TypeAlias = Any
"""What a keyword of `simulate`, or of the caller's function, takes."""
Kept: TypeAlias = Any
"""An `lp.Simulation`, or what the caller's function made of it."""
Case: TypeAlias = Mapping[str, Value]
"""What is particular to one simulation, by name."""
Subject: TypeAlias = RobotModel | Callable[..., Kept]


@dataclass(frozen=True)
class Outcome:
    """What came of one case."""

    result: Any = None
    failed: str = ""
    """Why there is no result."""
    warned: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job:
    """What is done to every case."""

    subject: Subject
    common: Mapping[str, Any]
    keep: Callable[[Simulation], Any] | None

    def check(self) -> None:
        """Refuse what no case could run with."""
        if not isinstance(self.subject, RobotModel) and not callable(self.subject):
            raise ValueError(f"simulations: the subject is {self.subject!r}: expected a robot, or a function that "
                             "makes one, or a simulation, from a case")
        if self.keep is not None and not callable(self.keep):
            raise ValueError(f"simulations: 'keep' is {self.keep!r}: expected a function of a simulation")

    def run(self, case: Case) -> Outcome:
        """One simulation; errors become words."""
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always", ModelWarning)
            try:
                result, failed = self._result(case), ""
            except Exception as problem:
                result, failed = None, f"{type(problem).__name__}: {problem}"
        told = tuple(dict.fromkeys(str(each.message) for each in seen))
        return Outcome(result, failed, told)

    def _result(self, case: Case) -> Any:
        if isinstance(self.subject, RobotModel):
            result: Any = simulate(self.subject, **{**self.common, **case})
        else:
            result = self.subject(**case)
            if isinstance(result, RobotModel):
                result = simulate(result, **self.common)
            elif self.common:
                raise ValueError(f"the function gives back a {type(result).__name__}, no robot, and so has no use for "
                                 f"'{next(iter(self.common))}'")
        return result if self.keep is None else self.keep(result)
