"""Which limits a motion shall keep: those of the robot and of its drives, changed and added to by the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadpath.fastest.limits import Limits, Magnitudes, Name
from loadpath.fastest.loads import ACCELERATION, DRIVE, SPEED, Model
from loadpath.loads.resultants import effort_limits
from loadpath.motion.checks import limits_with_followers
from loadpath.motion.via_points import speed_limits
from loadpath.robot.numbers import known, number
from loadpath.scalars.types import ArrayLike, Floats

KINDS = ("torque", "speed", "acceleration")
"""What can be limited, by the keys of `limits`."""

Given = Mapping[str, "ArrayLike | Mapping[str, Any] | bool | None"]


def asked_limits(robots: Sequence[Any], limits: Given | None, factor: float | Mapping[str, float]) -> list[Limits]:
    """The limits of all robots; those of speed and acceleration once."""
    given = dict(limits or {})
    for kind in given:
        known(kind, KINDS, "kind of limit")
    shares = _factors(factor)
    found: list[Limits] = []
    for number_, robot in enumerate(robots):
        model = Model(robot)
        suffix = f" ({number_ + 1})" if len(robots) > 1 else ""
        for kind, load in (("torque", DRIVE), ("speed", SPEED), ("acceleration", ACCELERATION)):
            if kind != "torque" and number_ > 0:
                continue  # of another payload they are the same
            capacity = _capacity(robot, kind, given.get(kind)) * shares.get(kind, 1.0)
            columns = np.flatnonzero(np.isfinite(capacity)).tolist()
            if columns:
                names = [Name(kind, robot.dof_names[k] + suffix, float(capacity[k]), _unit(robot, kind, k))
                         for k in columns]
                there = capacity[columns]
                found.append(Magnitudes(model, load, names, columns, there**2 if load == SPEED else there))
    return found


def _capacity(robot: Any, kind: str, given: Any) -> Floats:
    """(n,): infinite where there is none."""
    none = np.full(robot.n, np.inf)
    if given is False:
        return none
    if kind == "torque":
        own = effort_limits(robot)
    elif kind == "speed":
        velocity = np.array([limit.velocity for limit in limits_with_followers(robot)])
        own = np.where(velocity > 0, velocity, np.inf)
    else:
        own = none
    return own if given is True else speed_limits(given, own, robot.dof_names, kind)


def _unit(robot: Any, kind: str, k: int) -> str:
    turning = [turns for joint in robot.joints if joint.mimic is None for turns in joint.motion.angular][k]
    return {"torque": ("N", "N m"), "speed": ("m/s", "rad/s"), "acceleration": ("m/s^2", "rad/s^2")}[kind][turning]


def _factors(factor: float | Mapping[str, float]) -> dict[str, float]:
    by_kind = dict(factor) if isinstance(factor, Mapping) else dict.fromkeys(KINDS, factor)
    for kind, value in by_kind.items():
        known(kind, KINDS, "kind of limit")
        by_kind[kind] = number(value, f"factor of {kind}")
        if by_kind[kind] <= 0:
            raise ValueError(f"factor of {kind} is {value}: expected more than zero")
    return by_kind
