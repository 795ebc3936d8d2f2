"""The rows of a verdict for the page, and by which rule it makes each of them again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from loadpath.closure.robot import ClosableRobot
from loadpath.loads.motors.motor_side import at_shaft, motors_of
from loadpath.motion.checks import Track, tracks
from loadpath.parts.fitting import parts_of, place_of
from loadpath.parts.part import JointLoads, MotorSide, Rule
from loadpath.parts.verdict.limits import LABEL
from loadpath.parts.verdict.result import VerdictRow
from loadpath.quantities.carriers import drive_names
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
        if seen[of] < len(parts) and row["sample"] is not None:  # several parts of one name have their rows in order
            row["by"] = parts[seen[of]].get(row["check"])
        seen[of] += 1
    return found


def _row(robot: RobotModel, row: VerdictRow, by_label: Mapping[str, Track], place: Mapping[int, int]) -> dict[str, Any]:
    sample = None if row.at is None else place[row.at.sample]
    return {
        "part": row.part, "joint": row.joint, "check": row.check, "unit": row.unit, "words": row.words,
        "note": row.note, "is_load": row.is_load,
        "demand": _plain(row.demand), "capacity": _plain(row.capacity), "utilisation": _plain(row.utilisation),
        "life_hours": None if row.life_hours is None else _plain(row.life_hours),
        "sample": sample, "time": None if row.at is None else row.at.time, "by": _rule(robot, row, by_label, sample),
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
        found = {}
        for check, rule in getattr(examiner, "rules", {}).items():
            try:
                found[check] = _plain_rule(robot, name, rule)
            except NotRecordedError:
                continue
        yield found


def _plain_rule(robot: ClosableRobot, name: str, rule: Rule) -> dict[str, Any]:
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


# A signal of the loads recorded as an expression: the examiner's own NumPy lines, run on columns that note down what
# is done to them. The page evaluates the expression sample by sample. What the page does not know is refused.
#
# An expression is a name of a load, a number, or a list of an operation and its arguments: `["add", "speed", 1.0]`.

Expression = Any
OPERATIONS = frozenset({"add", "subtract", "multiply", "divide", "power", "absolute", "negative", "sqrt", "maximum",
                        "minimum", "sign", "less", "less_equal", "greater", "greater_equal", "square"})


class NotRecordedError(TypeError):
    """A signal does something that the page cannot repeat."""


class Recorded(NDArrayOperatorsMixin):
    """One number a sample, or three (a vector): expressions in the place of values.

    >>> speed = Recorded(["speed"])
    >>> (2.0 * np.abs(speed)).columns
    [['multiply', 2.0, ['absolute', 'speed']]]
    """

    def __init__(self, columns: list[Expression], spread: bool = False) -> None:
        self.columns = columns
        self.spread = spread or len(columns) > 1
        """Whether it has an axis after that of the samples."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Recorded:
        if method != "__call__" or options:
            raise NotRecordedError(f"{ufunc.__name__}.{method}")
        if ufunc.__name__ == "matmul":
            vectors, factors = inputs
            if not isinstance(vectors, Recorded) or isinstance(factors, Recorded):
                raise NotRecordedError("matmul")
            return Recorded([_sum([_product(c, float(f)) for c, f in zip(vectors.columns, factors, strict=True)])])
        if ufunc.__name__ not in OPERATIONS:
            raise NotRecordedError(ufunc.__name__)
        parts = [_columns(part) for part in inputs]
        width = max(len(part) for part in parts)
        spread = any(isinstance(part, Recorded) and part.spread for part in inputs)
        if width > 1 and any(isinstance(part, Recorded) and not part.spread for part in inputs):
            raise NotRecordedError("samples against a vector")
        wide = [part * width if len(part) == 1 else part for part in parts]
        return Recorded([[ufunc.__name__, *row] for row in zip(*wide, strict=True)], spread)

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Recorded:
        if function is np.where and len(given) == 3:
            (test,), (yes,), (no,) = (_columns(part) for part in given)
            return Recorded([["where", test, yes, no]])
        if function is np.cross:
            (a, b, c), (x, y, z) = (_columns(part) for part in given)
            return Recorded([_less(_product(b, z), _product(c, y)), _less(_product(c, x), _product(a, z)),
                             _less(_product(a, y), _product(b, x))])
        if function is np.linalg.norm and options.get("axis") in (1, -1):
            return Recorded([["sqrt", _sum([_product(c, c) for c in given[0].columns])]])
        raise NotRecordedError(function.__name__)

    def __getitem__(self, key: Any) -> Recorded:
        if key in ((..., None), (slice(None), None)) and not self.spread:
            return Recorded(self.columns, spread=True)
        raise NotRecordedError(f"[{key!r}]")

    def max(self, axis: int | None = None) -> Recorded:
        """Of the entries of each sample; there is one."""
        if axis != 1 or len(self.columns) != 1:
            raise NotRecordedError("max")
        return Recorded(self.columns)


def _columns(part: Any) -> list[Expression]:
    if isinstance(part, Recorded):
        return part.columns
    return [float(value) for value in np.atleast_1d(np.asarray(part, dtype=float))]


def _product(a: Expression, b: Expression) -> Expression:
    if isinstance(a, float) and isinstance(b, float):
        return a * b
    for one, other in ((a, b), (b, a)):
        if isinstance(one, float):
            return 0.0 if one == 0.0 else other if one == 1.0 else ["multiply", one, other]
    return ["multiply", a, b]


def _sum(parts: list[Expression]) -> Expression:
    known = [part for part in parts if not (isinstance(part, float) and part == 0.0)]
    total = known[0] if known else 0.0
    for part in known[1:]:
        total = ["add", total, part]
    return total


def _less(a: Expression, b: Expression) -> Expression:
    if isinstance(b, float) and b == 0.0:
        return a
    return ["negative", b] if isinstance(a, float) and a == 0.0 else ["subtract", a, b]
