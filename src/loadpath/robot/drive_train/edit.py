"""A robot with other drive trains, limits or springs. Every function returns a new robot of the class it was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from loadpath.errors import ModelError, warn
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.drive_train.of_joint import with_drive_train
from loadpath.robot.drive_train.of_parts import with_data_of_parts
from loadpath.robot.model import RobotModel
from loadpath.robot.names import nearest
from loadpath.robot.parts import Joint, Limits
from loadpath.robot.units import questions_of_drive, questions_of_limits

R = TypeVar("R", bound=RobotModel)


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
    >>> from loadpath.robot.drive_train.springs import TorsionSpring
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
