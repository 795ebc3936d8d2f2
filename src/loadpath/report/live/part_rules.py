"""By which rules the page makes the checks of parts again: each part's own signals, recorded as expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from loadpath.closure.robot import ClosableRobot
from loadpath.loads.motors.motor_side import at_shaft, motors_of
from loadpath.parts.fitting import parts_of, place_of
from loadpath.parts.part import JointLoads, MotorSide, Rule
from loadpath.quantities.carriers import drive_names
from loadpath.report.live.recorded import NotRecordedError, Recorded

VECTORS = {name: [f"{name}_{axis}" for axis in "xyz"] for name in ("force", "torque")}
RESULTANTS = ("axial_force", "radial_force", "axial_torque", "tilting_moment")


class _Unknown:
    """A load that the page does not have: a signal that asks for it is not recorded."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise NotRecordedError("a load that the page does not have")

    __getattr__ = __array__ = __len__ = _refuse


def part_rules(robot: ClosableRobot) -> Iterator[dict[str, dict[str, Any]]]:
    """For every part, in the order of the verdict, its rules by the names of its checks."""
    for name, part in parts_of(robot):
        examiner = part.examiner(place_of(robot, name))
        examiner.checks(1.0)  # which names them; nothing was seen yet
        if getattr(examiner, "ratio", 0.0) is None:  # that of the drive, as the examiner would see it
            motor = _loads(robot, name).motor
            examiner.ratio = abs(motor.ratio) if isinstance(motor, MotorSide) and motor.ratio else None  # type: ignore[attr-defined]
        found = {}
        for check, rule in getattr(examiner, "rules", {}).items():
            try:
                found[check] = _plain(robot, name, rule)
            except NotRecordedError:
                continue
        yield found


def _plain(robot: ClosableRobot, name: str, rule: Rule) -> dict[str, Any]:
    (signal,) = rule.signal(_loads(robot, name)).columns  # type: ignore[attr-defined]
    return {"rule": "part", "reduction": rule.reduction, "signal": signal, "factor": rule.factor,
            "exponent": rule.exponent, **_place(robot, name)}


def _place(robot: ClosableRobot, name: str) -> dict[str, Any]:
    """The joint, and the speed that it moves with, by their numbers."""
    joint = robot.joint(name)
    moves = joint.motion.dof and joint.motion.axis_direction() is not None
    return {"joint": robot.closed_joint_names.index(name), "v": robot.v_slices[name].start if moves else None,
            "multiplier": robot.mimic_of(joint).multiplier if moves else 0.0}


def _loads(robot: ClosableRobot, name: str) -> JointLoads:
    """The loads of a joint by their names; what its drive gives only where it has one of its own."""
    joint, unknown = robot.joint(name), _Unknown()
    one = {key: Recorded([key]) for key in (*RESULTANTS, "speed", "acceleration")}
    driven = joint.motion.dof == 1 and joint.mimic is None and name in drive_names(robot)
    drive = {key: Recorded([key]) if driven else unknown for key in ("drive", "holding")}
    gear = drive["drive"] - joint.reflected_inertia[0] * one["acceleration"] if driven else unknown
    vectors = {key: Recorded(columns) for key, columns in VECTORS.items()}
    rest: Any = dict.fromkeys(("t", "weight", "position", "inertia"), unknown)
    motor = _motor(robot, name, one, drive) if driven else None
    every: Any = {**one, **drive, **vectors, **rest, "gear": gear, "motor": unknown if motor is None else motor}
    return JointLoads(motion=0, first=0, **every)


def _motor(robot: ClosableRobot, name: str, one: dict[str, Any], drive: dict[str, Any]) -> MotorSide | None:
    """The motor's side of a joint, if it has a drive train."""
    motors = motors_of(robot) if robot.drive_trains else None
    if motors is None or name not in motors.drive_names:
        return None
    k = motors.drive_names.index(name)
    ratio, efficiency = float(motors.ratio[k]), (float(motors.forward[k]), float(motors.backward[k]))
    shaft = at_shaft(drive["drive"], one["speed"], one["acceleration"], ratio, float(motors.rotor_inertia[k]),
                     efficiency, float(motors.no_load_torque[k]))
    torque = shaft.gear + shaft.rotor + shaft.idle
    known = np.isfinite(motors.torque_constant[k])
    current: Any = torque / float(motors.torque_constant[k]) if known else _Unknown()
    speed: Any = ratio * one["speed"]
    return MotorSide(torque, speed, current, ratio)
