"""The rows of a verdict for the page, and by which rule it makes each of them again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from loadpath.closure.robot import ClosableRobot
from loadpath.loads.motors.motor_side import at_shaft, motors_of
from loadpath.motion.checks import Track, tracks
from loadpath.parts.fitting import parts_of, place_of
from loadpath.parts.part import JointLoads, MotorSide, Rule
from loadpath.parts.verdict.limits import LABEL
from loadpath.parts.verdict.result import VerdictRow
from loadpath.quantities.carriers import drive_names, is_closed
from loadpath.report.live.recording import NotRecordedError, Recorded, steps_of
from loadpath.robot.model import RobotModel


def checks_of(
    robot: ClosableRobot, rows: Sequence[VerdictRow], place: Mapping[int, int]
) -> list[dict[str, Any]]:
    """The rows as plain data; `place` is where a sample stands among those of the page."""
    by_label = {track.label: track for track in tracks(robot)}
    found = [_row(robot, row, by_label, place) for row in rows]
    rules: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for (name, part), own in zip(parts_of(robot), part_rules(robot), strict=True):
        rules.setdefault((name, part.label), []).append(own)
    seen: Counter[tuple[str, str, str]] = Counter()
    for row in found:
        parts = rules.get((row["joint"], row["part"]), [])
        of = row["joint"], row["part"], row["check"]
        if not row["case"] and seen[of] < len(parts):  # several parts of one name have their rows in order
            row["by"] = parts[seen[of]].get(row["check"])
        seen[of] += 1
    return found


def _row(robot: RobotModel, row: VerdictRow, by_label: Mapping[str, Track], place: Mapping[int, int]) -> dict[str, Any]:
    sample = None if row.at is None or row.case else place[row.at.sample]  # of another motion
    return {
        "part": row.part, "joint": row.joint, "check": row.named_check, "case": row.case, "unit": row.unit,
        "words": row.words, "note": row.note, "is_load": row.is_load,
        "along": row.along if isinstance(row.along, str) else None,
        "demand": _plain(row.demand), "capacity": _plain(row.capacity), "utilisation": _plain(row.utilisation),
        "life_hours": None if row.life_hours is None else _plain(row.life_hours),
        "sample": sample, "time": None if row.at is None else _plain(row.at.time),
        "by": _rule(robot, row, by_label, sample),
    }


def _plain(value: float) -> float | str | None:
    """As JSON can say it: nothing for what is not a number, a word for infinity."""
    if math.isnan(value):
        return None
    return float(value) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def _rule(
    robot: RobotModel, row: VerdictRow, by_label: Mapping[str, Track], sample: int | None
) -> dict[str, Any] | None:
    if row.part != LABEL or sample is None:
        return None
    track = by_label[row.joint]
    if row.check == "effort":
        return {"rule": "effort", "k": robot.dof_names.index(row.joint)}
    if row.check == "speed":
        return {"rule": "speed", "v": track.v, "multiplier": track.multiplier}
    return {"rule": "position", "sample": sample}


# By which rules the page makes the checks of parts again: each part's own signals, recorded as expressions.

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
        rules: Mapping[str, Rule] = getattr(examiner, "rules", {})
        yield {check: by for check in rules if (by := _recorded(robot, name, check, rules)) is not None}


def _recorded(robot: ClosableRobot, name: str, check: str, rules: Mapping[str, Rule]) -> dict[str, Any] | None:
    """A rule as plain data, with those of the checks that it stands among; nothing of what the page cannot do."""
    try:
        if not rules[check].among:
            return _plain_rule(robot, name, rules[check])
        every = [{**_plain_rule(robot, name, rules[other]), "check": other} for other in rules[check].among]
    except NotRecordedError:
        return None
    return {"rule": "among", "of": every, "check": check, **_place(robot, name)}


def _plain_rule(robot: ClosableRobot, name: str, rule: Rule) -> dict[str, Any]:
    loads = _loads(robot, name)
    found = {"rule": "part", "reduction": rule.reduction, "signal": _steps(rule.signal(loads)), "factor": rule.factor,
             "exponent": rule.exponent, "over_time": rule.over_time, **_place(robot, name)}
    if rule.limit is not None and rule.against is not None:
        found["against"] = _steps(rule.against(loads))
        found["limit"] = _steps(rule.limit(Recorded(["against"])))  # type: ignore[arg-type]
    if rule.thermal is not None:
        found["thermal"] = rule.thermal.plain()
    return found


def _steps(signal: Any) -> list[list[Any]]:
    if not isinstance(signal, Recorded):
        raise NotRecordedError(f"{signal!r}")
    (column,) = signal.columns
    return steps_of(column)


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
    rest: Any = dict.fromkeys(("weight", "position"), unknown)
    rest |= {"t": Recorded(["t"]), "inertia": Recorded(["inertia"]) if driven and not is_closed(robot) else unknown}
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
