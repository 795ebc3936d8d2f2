"""A robot with other drive trains, limits or springs. Every function returns a new robot of the class it was given."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from loadpath.errors import ModelError, warn
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.drive_train.of_joint import drive_train, says_ratio, takes_data, with_drive_train
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import nearest
from loadpath.robot.parts import Fitted, Joint, Limits
from loadpath.robot.units import drive_hint, questions_of_drive, questions_of_limits

# What parts know of a drive train: a gear its ratio, a motor its rotor and its constants, a brake its torque.
#
# A number counts wherever it is given, in `lp.Drive` or in the part: what the drive train lacks it takes from the part,
# and from there it is in the dynamics. Given in both, the two must agree.


R = TypeVar("R", bound=RobotModel)

_SAME_NUMBER = 1e-6
"""Numbers that differ by less, relative to their size, are the same number, rounded."""
_UNITS = {"ratio": "", "rotor_inertia": " kg m^2", "torque_constant": " N m/A", "resistance": " ohm",
          "brake": " N m"}


def with_data_of_parts(robot: R, names: Iterable[str]) -> R:
    """The robot whose drive trains at the joints of these names have what the parts there know of them; an error where
    they contradict, and a question where a rotor is known and its ratio is not.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=50)})
    >>> arm.with_parts({"joint1": lp.Motor(rotor_inertia=1e-4)}).joint("joint1").reflected_inertia
    (0.25,)
    >>> arm.with_parts({"joint1": lp.Motor(rotor_inertia=1e-4)}).without_parts().joint("joint1").reflected_inertia
    (0.0,)
    """
    names = dict.fromkeys(names)
    changed = {name: _reconciled(robot, robot.joint(name)) for name in names if name in robot.joint_names}
    if any(changed[name] is not robot.joint(name) for name in changed):
        robot = replace(robot, joints=tuple(changed.get(joint.name, joint) for joint in robot.joints))
    for name in names:
        for question in rotors_without_ratio(robot, name):
            warn(question)
    return robot


def rotors_without_ratio(robot: RobotModel, name: str) -> list[str]:
    """What is to be asked of the motors at a joint or loop that know their rotor, where nothing says the ratio by which
    it is felt there. A direct drive says so, ratio=1.

    >>> import loadpath as lp
    >>> rotors_without_ratio(lp.catalog.puma560(), "joint1")
    []
    """
    rotors = [(part, part.drive_data().get("rotor_inertia")) for part in _parts_at(robot, name)]
    problem = _problem_of_ratio(robot, name) if any(rotor for _, rotor in rotors) else ""
    return [f"joint '{name}' of robot '{robot.name}': the rotor of {_label(part)}, {rotor:g}{_UNITS['rotor_inertia']}, "
            f"{problem}" for part, rotor in rotors if rotor and problem]


def _problem_of_ratio(robot: RobotModel, name: str) -> str:
    """Why the ratio of a motor at a joint or loop is not known, and what to do; empty where it is known."""
    ratio = f"{drive_hint(name, 'ratio', 100.0)}, 1 of a direct drive, or fit the gear together with the motor"
    joint = robot.joint(name) if name in robot.joint_names else None
    if joint is not None and takes_data(joint) and drive_train(joint, 0) is not None:
        if says_ratio(joint) or joint.armature[0]:  # the armature is felt by it, and agrees
            return ""
        return f"counts as that of a direct drive: its drive train does not say a ratio, and no gear does; {ratio}"
    left_out = "is not in the dynamics, and the motor is not checked:"
    if joint is None or not joint.motion.dof:
        kind = "it closes a loop" if joint is None else "the joint does not move"
        return f"{left_out} {kind} and has no drive; take the motor off, robot.without_parts({name!r})"
    if takes_data(joint):
        return f"{left_out} no drive train and no gear there says its ratio; {ratio}"
    if joint.mimic is not None:
        return (f"{left_out} the joint follows joint '{joint.mimic.joint}'; fit the motor there, or "
                f"{drive_hint(name, 'rotor_inertia', 1e-5)} with its ratio")
    freedom = f"{name}.{joint.motion.labels[0]}"
    return (f"{left_out} the joint has {joint.motion.dof} degrees of freedom; "
            f"{drive_hint(freedom, 'rotor_inertia', 1e-5)} with its ratio")


def _parts_at(robot: RobotModel, name: str) -> list[Fitted]:
    return [part for where, part in robot.parts if where == name]


def _reconciled(robot: RobotModel, before: Joint) -> Joint:
    """The joint with the data of its parts, and without those of parts that are gone."""
    if not takes_data(before):
        return before
    joint = _without_data(before)
    known = [(part, dict(part.drive_data())) for part in _parts_at(robot, before.name)]
    if len({values["brake"] for _, values in known if "brake" in values}) > 1:
        for _, values in known:  # several brakes: each is examined by itself
            values.pop("brake", None)
    lacking = {} if says_ratio(joint) else _lacking(robot, joint, Drive(), known, ("ratio",))
    made = with_drive_train(joint, 0, Drive(**lacking))  # first, since the rotor of an armature depends on it
    drive = drive_train(made, 0)
    if drive is not None:
        lacking |= _lacking(robot, made, drive, known, _UNITS)
        made = replace(with_drive_train(joint, 0, Drive(**lacking)), from_parts=tuple(lacking))
    return before if made == before else made


def _lacking(
    robot: RobotModel,
    joint: Joint,
    drive: Drive,
    known: Iterable[tuple[Fitted, Mapping[str, float]]],
    fields: Iterable[str],
) -> dict[str, Any]:
    """What the parts know of these fields and the drive does not; refused where two say different things."""
    lacking: dict[str, float] = {}
    source: dict[str, str] = {}
    for part, values in known:
        for field in (field for field in fields if field in values):
            value, other = values[field], lacking.get(field, getattr(drive, field))
            if other is None:
                lacking[field], source[field] = value, _label(part)
            elif abs(abs(value) - abs(other)) > _SAME_NUMBER * abs(other):
                _refuse(robot, joint, part, field, value, float(other), source.get(field, ""))
    return lacking


def _without_data(joint: Joint) -> Joint:
    """The joint without what its drive train took from parts."""
    if not joint.from_parts:
        return joint
    of_parts: dict[str, Any] = dict.fromkeys(joint.from_parts)
    (drive,) = joint.drives
    drive = drive and replace(drive, **of_parts)
    new: dict[str, Any] = {"from_parts": (), "drives": (None if drive == Drive() else drive,)}
    for field, at_joint in (("rotor_inertia", "rotor_inertia"), ("ratio", "gear_ratio")):
        if field in of_parts:
            new[at_joint] = ()
    return replace(joint, **new)


def _refuse(
    robot: RobotModel, joint: Joint, part: Fitted, field: str, value: float, known: float, other: str
) -> None:
    unit = _UNITS[field]
    where = other or "its drive train (lp.Drive, or the robot's file)"
    if field == "rotor_inertia" and joint.armature[0]:
        where = f"its armature of {joint.armature[0]:g} kg m^2 at the joint (with the ratio {joint.gear_ratio[0]:g})"
    remedy = f"give {field} in one of the two places, or the same in both"
    if field == "ratio":
        remedy = f"give both the same, as with_drives({{{joint.name!r}: lp.Drive(ratio={value:g}, ...)}})"
    elif field == "rotor_inertia" and joint.armature[0]:
        ratio = math.sqrt(joint.armature[0] / value)
        remedy = f"both agree with the ratio {ratio:.4g}; lp.Drive(rotor_inertia={value:g}) takes the armature's place"
    phases = getattr(part, "phases", 1)
    if field == "resistance" and phases != 1:
        remedy += f" (a drive train's copper loss is resistance times current squared: {phases} phases count together)"
    named = "torque of the brake" if field == "brake" else field
    raise ModelError(f"joint '{joint.name}' of robot '{robot.name}': {named} is {value:g}{unit} in {_label(part)} and "
                     f"{known:g}{unit} in {where}: {remedy}")


def _label(part: Fitted) -> str:
    kind, name = getattr(part, "kind", "a part"), getattr(part, "name", "")
    return f"{kind} '{name}'" if name else str(kind)


def with_drives(robot: R, drives: Mapping[str, Drive]) -> R:
    """The robot with drive trains, by the names of joints or, where a joint has several freedoms, of its degrees of
    freedom ("joint.x"). What a `Drive` does not give (None) stays as the joint has it.

    >>> from loadpath.robot.catalog import planar
    >>> arm = with_drives(planar(2), {"joint2": Drive(ratio=100, rotor_inertia=2e-5, efficiency=0.7)})
    >>> round(arm.joint("joint2").reflected_inertia[0], 12), arm.drive_trains[0][1].efficiency
    (0.2, (0.7, 0.7))
    """
    if not isinstance(drives, Mapping):
        raise ModelError(f"drives are {drives!r}: expected a dict like {{'joint1': lp.Drive(ratio=100)}}")
    changed = {joint.name: joint for joint in robot.joints}
    touched = []
    for name, drive in drives.items():
        if not isinstance(drive, Drive):
            raise ModelError(f"drive of '{name}' is {drive!r}: expected a Drive like lp.Drive(ratio=100)")
        joint, k = freedom(robot, name)
        touched.append(joint.name)
        try:
            changed[joint.name] = with_drive_train(changed[joint.name], k, drive)
        except ModelError as problem:
            raise ModelError(f"drive of '{name}': {problem}") from None
        for question in questions_of_drive(changed[joint.name], k, drive):
            warn(f"drive of '{name}': {question}")
    return with_data_of_parts(replace(robot, joints=tuple(changed[joint.name] for joint in robot.joints)), touched)


def with_limits(robot: R, limits: Mapping[str, Limits | Mapping[str, float | None]]) -> R:
    """The robot with limits given or changed, by the names of joints or degrees of freedom: a dict changes what it
    names and keeps the rest (None keeps too), `Limits` replace all four.

    >>> from loadpath.robot.catalog import planar
    >>> with_limits(planar(2), {"joint2": {"effort": 40.0}}).joint("joint2").limits
    (Limits(lower=-inf, upper=inf, velocity=inf, effort=40.0),)
    """
    if not isinstance(limits, Mapping):
        raise ModelError(f"limits are {limits!r}: expected a dict like {{'joint1': lp.Limits(effort=50)}}")
    known = [part.name for part in fields(Limits)]
    changed = {joint.name: joint for joint in robot.joints}
    for name, given in limits.items():
        joint, k = freedom(robot, name)
        before = changed[joint.name].limits
        try:
            new = _limits(before[k], given, known)
        except ModelError as problem:
            raise ModelError(f"limits of '{name}': {problem}") from None
        changed[joint.name] = replace(changed[joint.name], limits=(*before[:k], new, *before[k + 1 :]))
        for question in questions_of_limits(new, before[k], joint.motion.angular[k]):
            warn(f"limits of '{name}': {question}")
    return replace(robot, joints=tuple(changed[joint.name] for joint in robot.joints))


def without_springs(robot: R) -> R:
    """The robot without the springs at its joints.

    >>> from loadpath.robot.catalog import planar
    >>> from loadpath.robot.drive_train.drive import TorsionSpring
    >>> without_springs(with_drives(planar(1), {"joint1": Drive(spring=TorsionSpring(5.0))})).joint("joint1").springs
    ((),)
    """
    return replace(robot, joints=tuple(replace(joint, springs=()) for joint in robot.joints))


def _limits(before: Limits, given: object, known: list[str]) -> Limits:
    if isinstance(given, Limits):
        return given
    if not isinstance(given, Mapping):
        raise ModelError(f"{given!r}: expected lp.Limits(...) or a dict like {{'effort': 50.0}}")
    for part in given:
        if part not in known:
            raise ModelError(f"no limit is called '{part}'{nearest(str(part), known)}")
    new: dict[str, Any] = {part: value for part, value in given.items() if value is not None}
    return replace(before, **new)


def freedom(robot: RobotModel, name: str) -> tuple[Joint, int]:
    """The joint and the number of the speed in it, of a degree of freedom or a joint with a single one."""
    for joint in robot.joints:
        if joint.name == name:
            if joint.motion.dof == 1:
                return joint, 0
            if joint.motion.dof == 0:
                raise ModelError(f"joint '{name}' is fixed: it has no drive and no limits")
            of = [f"{name}.{label}" for label in joint.motion.labels]
            raise ModelError(f"joint '{name}' has {joint.motion.dof} degrees of freedom: name one of {', '.join(of)}")
        for k, label in enumerate(joint.motion.labels[: joint.motion.dof]):
            if label and f"{joint.name}.{label}" == name:
                return joint, k
    raise ModelError(f"robot '{robot.name}' has no joint or degree of freedom '{name}'"
                     f"{nearest(str(name), dict.fromkeys((*robot.dof_names, *robot.joint_names)))}")
