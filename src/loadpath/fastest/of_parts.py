"""Limits that parts bring: every check of a part that is the largest of a signal over the motion, by the part's own
rules. Signals of the wrench become cones, those of the gear's torque and of speeds limits of magnitudes. Checks of
means and lives have a whole motion to be taken over: `robot.verdict(found.motion)` makes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from loadpath.fastest.cones import Cone, demand_of
from loadpath.fastest.limits import Limits, Magnitudes, Name
from loadpath.fastest.loads import GEAR, SPEED, Model
from loadpath.fastest.motor_torque import limits_of_motor
from loadpath.loads.resultants import resultants
from loadpath.parts.fitting import place_of
from loadpath.parts.motors.motor import Motor
from loadpath.parts.part import JointLoads, MotorSide, Place
from loadpath.scalars.types import Floats

Signal = Callable[[JointLoads], Floats]


class OfParts(NamedTuple):
    """Limits, and in words the checks that are none though they are of the largest of a signal."""

    limits: list[Limits]
    left_out: list[str]


def limits_of_parts(model: Model, share: float, suffix: str = "") -> OfParts:
    """The limits that the parts of a robot bring, each capacity times a share."""
    found = OfParts([], [])
    for joint, part in model.robot.parts:
        if not callable(getattr(part, "examiner", None)):
            continue
        place = place_of(model.robot, joint)
        if isinstance(part, Motor):
            of_motor = _of_motor(model, joint, part, share, suffix)
            found.limits.extend(of_motor or [])
            if of_motor is None:
                found.left_out.append(f"peak torque of {part.label} at '{joint}'")
            continue
        for check, capacity, unit, signal in _largest(part, place):
            name = Name(f"{part.label}, {check},", joint + suffix, share * capacity, unit)
            made = _limit(model, joint, place, name, signal)
            if made is None:
                found.left_out.append(f"{check} of {part.label} at '{joint}'")
            else:
                found.limits.append(made)
    return found


def _of_motor(model: Model, joint: str, motor: Motor, share: float, suffix: str) -> list[Limits] | None:
    """Its torque and speed, where the joint has a drive train that says how it is felt."""
    drive = dict(model.robot.drive_trains).get(joint)
    return None if drive is None else limits_of_motor(model, joint, motor, drive, share, suffix)


def _largest(part: Any, place: Place) -> Iterator[tuple[str, float, str, Signal]]:
    """Checks of the largest of a signal: name, capacity of the signal, unit and signal."""
    examiner = part.examiner(place)
    examiner.add(_loads(place, np.array([[1.0, 2, 3, 4, 5, 6], [2.0, 1, 1, 3, 2, 1]]), np.array([1.0, 2]),
                        np.array([1.0, 2]), np.array([0.1, 0.2])))
    checks = {check.check: check for check in examiner.checks(None)}
    for name, rule in getattr(examiner, "rules", {}).items():
        check = checks.get(name)
        if rule.reduction != "largest" or check is None or not check.checked or not check.capacity > 0:
            continue
        yield name, check.capacity / rule.factor, check.unit, rule.signal


@dataclass(frozen=True, eq=False)
class Alone:
    """A signal of numbers of the one thing that it depends on: wrenches (..., 6), or one of the others of `_loads`."""

    place: Place
    signal: Signal
    which: int

    def __call__(self, part: Floats) -> Floats:
        """(...,)"""
        of_wrench = self.which == 0
        flat = part.reshape(-1, 6) if of_wrench else part.ravel()
        rest = np.ones(len(flat))
        parts = [np.ones((len(flat), 6)), rest, rest, rest]
        parts[self.which] = flat
        found = self.signal(_loads(self.place, *parts))
        return np.asarray(found).reshape(part.shape[:-1] if of_wrench else part.shape)


def _limit(model: Model, joint: str, place: Place, name: Name, signal: Signal) -> Limits | None:
    """A signal as a limit, by what it depends on."""
    rng = np.random.default_rng(1)
    wrench, gear, speed, shaft = rng.normal(size=(8, 6)), *rng.normal(size=(3, 8))

    def depends(*changed: Floats) -> bool:
        """Whether anything else than what is changed counts: everything else stays the same in all samples."""
        return bool(np.ptp(signal(_loads(place, *changed))) > 0)

    same = np.ones(8)
    of_wrench = depends(wrench, same, same, same)
    of_gear = depends(np.ones((8, 6)), gear, same, same)
    of_speed = depends(np.ones((8, 6)), same, speed, same)
    of_shaft = depends(np.ones((8, 6)), same, same, shaft)
    if [of_wrench, of_gear, of_speed, of_shaft].count(True) != 1:
        return None

    alone = Alone(place, signal, [of_wrench, of_gear, of_speed, of_shaft].index(True))
    if of_wrench:
        number = model.robot.closed_joint_names.index(joint)
        demand = demand_of(alone)
        return None if demand is None else Cone.of_joint(model, number, name, demand, name.capacity)
    if joint not in model.robot.dof_names:
        return None
    one, two = (float(alone(np.array([value]))[0]) for value in (1.0, -2.0))
    if not (one > 0 and math.isclose(two, 2 * one, rel_tol=1e-9)) or of_shaft:
        return None
    column, most = model.robot.dof_names.index(joint), name.capacity / one
    return Magnitudes(model, GEAR if of_gear else SPEED, [name], [column],
                      np.array([most if of_gear else most**2]))


def _loads(place: Place, wrench: Floats, gear: Floats, speed: Floats, shaft: Floats) -> JointLoads:
    """Samples of a joint's loads as parts see them; what a rule of the largest does not read is one."""
    force, torque = wrench[:, :3], wrench[:, 3:]
    along = resultants(place.axis[None], force[:, None], torque[:, None])[:, 0]
    count = len(wrench)
    same = np.ones(count)
    return JointLoads(
        motion=0, first=0, t=np.arange(count, dtype=float), weight=same / count, position=same, speed=speed,
        acceleration=same, force=force, torque=torque, axial_force=along[:, 0], radial_force=along[:, 1],
        axial_torque=along[:, 2], tilting_moment=along[:, 3], drive=gear,
        motor=MotorSide(torque=shaft, speed=same, current=same, ratio=1.0), gear=gear, holding=same, inertia=same,
    )
