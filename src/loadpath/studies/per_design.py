"""Answers of one design, by what robots and rovers have themselves: verdicts, deflections, frequencies, wheels."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from loadpath.robot.model import RobotModel
from loadpath.studies.answers import Answer, split_name

_STATISTICS = {"peak": "magnitude", "max": "maximum", "min": "minimum", "at": "magnitude_at", "mean": "mean",
               "mean_magnitude": "mean_magnitude", "rms": "rms", "cubic_mean": "cubic_mean"}
"""Reductions, as fields of `lp.PeakLoads`."""


class Asked:
    """One design: its robot or rover and its motion. What several answers need is made once."""

    def __init__(self, robot: Any, motion: Any, hours: float | None, acting: Mapping[str, Any]) -> None:
        self.robot, self.motion, self.hours, self.acting = robot, motion, hours, acting
        self._made: dict[str, Any] = {}

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    @property
    def verdict(self) -> Any:
        return self._once("verdict", lambda: self.robot.verdict(self.motion, hours=self.hours, **self.acting))

    @property
    def peaks(self) -> Any:
        return self._once("peaks", lambda: self.robot.peak_loads(self.motion, **self.acting))

    def of(self, answer: Answer) -> float:
        """An answer as a number."""
        quantity = answer.quantity
        if isinstance(quantity, tuple):
            return float(self.verdict[quantity].utilisation)
        if callable(quantity):
            return _called(quantity, self.robot, self.motion)
        if quantity in _OF_DESIGNS:
            return float(_OF_DESIGNS[quantity](self))
        joint, last = split_name(quantity)
        if not isinstance(answer.reduce, str) or answer.reduce not in _STATISTICS:
            raise ValueError(f"answer '{answer.name}' of a rover: expected one of {', '.join(_STATISTICS)}")
        found = self.peaks[joint, last]
        if answer.reduce == "at":
            return float(found.peak.sample)
        return float(getattr(found, _STATISTICS[answer.reduce]))

    def states(self) -> tuple[Any, ...]:
        """As arguments."""
        return self.motion if isinstance(self.motion, tuple) else (self.motion,)

    def extent(self, values: Any, what: str, least: bool = True) -> float:
        """The smallest or largest of what is known."""
        array = np.asarray(values, dtype=float)
        if np.isnan(array).all():
            raise ValueError(f"{what} is not known in any state")
        return float(np.nanmin(array) if least else np.nanmax(array))


def _called(function: Callable[..., Any], robot: Any, motion: Any) -> float:
    found = function(robot, motion) if takes_motion(function) else function(robot)
    try:
        return float(found)
    except (TypeError, ValueError):
        name = getattr(function, "__name__", "a function")
        raise ValueError(f"answer {name!r} gave {found!r}: expected one number") from None


def takes_motion(function: Callable[..., Any]) -> bool:
    """Whether a function has two arguments without values of their own."""
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [one for one in arguments if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return len([one for one in needed if one.default is one.empty]) >= 2 or (
        len(needed) >= 2 and needed[1].name == "motion")


def _mass(asked: Asked) -> float:
    return mass_of(asked.robot)


def mass_of(robot: RobotModel) -> float:
    """kg: of all links, and of the base of a rover."""
    return float(sum(link.inertia.mass for link in robot.links))


def _utilisation(asked: Asked) -> float:
    worst = asked.verdict.worst
    if worst is None:
        raise ValueError("utilisation: nothing could be checked: give the robot limits or parts")
    return float(worst.utilisation)


def _life(asked: Asked) -> float:
    lives = [row.life_hours for row in asked.verdict.checks if row.life_hours is not None]
    if not lives:
        raise ValueError("life: no part has one that is known: give the robot bearings or gears, "
                         "robot.with_parts({'joint1': [...]}), and their ratings")
    return float(min(lives))


def _tip_error(asked: Asked) -> float:
    error = asked.verdict.tip_error
    if error is None:
        raise ValueError("tip_error: no gear of known stiffness moves the tip: give gears their stiffness")
    return float(error.size)


def _deflection(asked: Asked) -> float:
    found = asked.robot.deflection(*asked.states(), **asked.acting)
    return asked.extent(np.linalg.norm(found.tip.displacement, axis=-1), "deflection", least=False)


def _buckling(asked: Asked) -> float:
    found = asked.robot.buckling_safety(*asked.states(), **asked.acting)
    safety = asked.extent(found.safety, "buckling_safety")
    if safety < 1.0:
        raise ValueError(f"a link buckles: buckling safety {safety:.4g}")
    return safety


def _frequency(asked: Asked) -> float:
    q, *rates = asked.states()
    moving = dict(zip(("qd", "qdd"), rates, strict=False))
    found = asked.robot.natural_frequencies(q, count=1, **moving, **asked.acting)
    return asked.extent(found.frequencies, "frequency")


def _wheel_load(asked: Asked) -> float:
    wheels = asked.peaks.wheels
    if wheels is None:
        raise ValueError("wheel_load: this robot stands on no wheels")
    return float(wheels.maximum[:, 0].max())


def _margin(asked: Asked) -> float:
    margin = asked.peaks.margin
    if margin is None:
        raise ValueError("margin: this robot stands on no wheels")
    return float(np.min(margin.minimum))


_OF_DESIGNS: dict[str, Callable[[Asked], float]] = {
    "mass": _mass, "utilisation": _utilisation, "life": _life, "tip_error": _tip_error, "deflection": _deflection,
    "buckling_safety": _buckling, "frequency": _frequency, "wheel_load": _wheel_load, "margin": _margin,
}


def answers_one(
    answers: Sequence[Answer], robot: Any, motion: Any, hours: float | None, acting: Mapping[str, Any]
) -> tuple[dict[str, float], str]:
    """The answers of one design by name, and why it failed, where it did: then they are NaN."""
    asked = Asked(robot, motion, hours, acting)
    found: dict[str, float] = {}
    for answer in answers:
        try:
            value = asked.of(answer)
        except Exception as problem:  # a design that fails does not stop the others
            return dict.fromkeys([one.name for one in answers], math.nan), reason_of(problem)
        if math.isnan(value):
            return dict.fromkeys([one.name for one in answers], math.nan), f"{answer.name} is not a number"
        found[answer.name] = value
    return found, ""


def reason_of(problem: BaseException) -> str:
    """One line."""
    text = " ".join(str(problem).split())
    name = type(problem).__name__
    return f"{name}: {text}"[:500] if name not in ("ModelError", "ValueError") else text[:500]
