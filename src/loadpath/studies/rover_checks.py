"""Utilisations and lives of many rovers at once: those of the robots on a base at rest by their rules; tipping over,
slipping and the ratings of wheels from what the contacts carry.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.ground_checks import SLIP, TIPPING, inner_radius
from loadpath.mobile.wheel_motors import MotorChecks
from loadpath.parts.verdict.limits import OwnLimits
from loadpath.scalars.types import Floats
from loadpath.studies.checks import BlockChecks, OneByOneError, agree
from loadpath.studies.on_ground import OnGround, one_by_one_on
from loadpath.studies.signals import Case, Signals
from loadpath.studies.states import of_motion

_ROUNDING = 1e-9
"""What shares of friction may be beyond their limit, as `Slip.slips` has it."""


class RoverChecks:
    """The checks of a rover that stands, and of all that differ from it in numbers of robots and base."""

    def __init__(self, rover: Any, motion: Any, hours: float | None) -> None:
        reason = one_by_one_on(rover)
        if reason or rover.is_elastic:
            raise OneByOneError(reason or f"rover '{rover.name}' carries beams")
        if any(hasattr(motion, part) for part in ("base_state", "motions")):
            raise OneByOneError("several motions, or one that brings how the base moves")
        if MotorChecks(rover).wheels:
            raise OneByOneError(f"wheels of rover '{rover.name}' have motors")
        robot = rover.on_fixed_base
        self.of_robots = BlockChecks(robot, motion, hours) if robot.parts or OwnLimits(robot) else None
        self._stand(rover)
        self._check_against(rover.verdict(motion, hours=hours), motion)

    def on_other_wheels(self, rover: Any) -> RoverChecks:
        """The same of a rover with the same robots that stands on wheels elsewhere, or with other friction."""
        made = object.__new__(RoverChecks)
        made.of_robots = self.of_robots
        made._stand(rover)
        return made

    def _stand(self, rover: Any) -> None:
        self.rover = rover
        self.radius = inner_radius(rover)
        try:
            self.slides = bool(rover.frictions)
        except ModelError:  # no friction is known, so slip is not checked
            self.slides = False
        self.ratings = dict(rover.ratings)

    @property
    def ruled(self) -> bool:
        """Whether it reads the loads of joints."""
        return self.of_robots is not None and bool(self.of_robots.ruled)

    @property
    def names(self) -> set[str]:
        """Of the rows that there are: joint or contact, and check."""
        found = {f"{self.rover.name}.{TIPPING}"}
        found |= {f"{contact}.{SLIP}" for contact in self.rover.contact_names} if self.slides else set()
        for contact, rating in self.ratings.items():
            found |= {f"{contact}.{check}" for check in _capacities(rating)}
        return found | (set() if self.of_robots is None else self.of_robots.names)

    def of(self, signals: Signals, weights: Floats) -> dict[str, Floats]:
        """`utilisation` and `life` of each design, and the utilisation of each row."""
        count = signals.shape[0]
        nothing = np.full(count, np.nan)
        found = {"utilisation": nothing, "life": nothing} if self.of_robots is None else \
            self.of_robots.of(signals, weights)
        rows = self._on_ground(signals)
        worst = found["utilisation"]
        unknown = np.isnan(worst) if self.of_robots is not None else np.zeros(count, dtype=bool)
        for used in rows.values():
            unknown |= np.isnan(used)
            worst = np.fmax(worst, used)
        return found | {f"row {name}": used for name, used in rows.items()} | {
            "utilisation": np.where(unknown, np.nan, worst)}

    def _on_ground(self, signals: Signals) -> dict[str, Floats]:
        """The largest utilisation over the states, (designs,) each, by row."""
        ground, names = signals.ground, self.rover.contact_names
        least = signals.wide(ground.margin).min(axis=1)
        rows = {f"{self.rover.name}.{TIPPING}": np.where(np.isnan(least), np.nan,
                                                         np.maximum(self.radius - least, 0.0) / self.radius)}
        if self.slides:
            ratio = signals.wide(ground.of("friction_used")).max(axis=1)
            ratio = np.where((ratio > 1.0) & (ratio < 1.0 + _ROUNDING), 1.0, ratio)
            rows |= {f"{name}.{SLIP}": ratio[:, k] for k, name in enumerate(names)}
        for contact, rating in self.ratings.items():
            for check, capacity in _capacities(rating).items():
                demand = _demand(signals, ground, names.index(contact), check)
                rows[f"{contact}.{check}"] = demand / capacity
        return rows

    def _check_against(self, verdict: Any, motion: Any) -> None:
        """One design by rules is as it is by the verdict, or designs are judged one by one."""
        states = of_motion(self.rover, motion, {})
        case = Case(self.rover.on_fixed_base, None, None, states, 1, self.rover)
        every = slice(0, states.count)
        found = self.of(Signals(case, slice(0, 1), every), states.weights_of(every))
        agree(found, verdict)


def _capacities(rating: Any) -> dict[str, float]:
    """What a wheel that does not roll is checked for."""
    given: dict[str, float | None] = {"load": rating.load, "torque": rating.torque, "side force": rating.side_force}
    return {check: float(capacity) for check, capacity in given.items() if capacity is not None}


def _demand(signals: Signals, ground: OnGround, k: int, check: str) -> Floats:
    """The largest over the states, (designs,)."""
    quantity = {"load": "normal", "torque": "drive_torque", "side force": "lateral"}[check]
    values = signals.wide(ground.of(quantity))[..., k]
    largest: Floats = np.maximum(values.max(axis=1), 0.0) if check == "load" else np.abs(values).max(axis=1)
    return largest



Checks: TypeAlias = BlockChecks | RoverChecks
