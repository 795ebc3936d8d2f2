"""What parts know of a drive train: a gear its ratio, a motor its rotor and its constants, a brake its torque.

A number counts wherever it is given, in `lp.Drive` or in the part: what the drive train lacks it takes from the part,
and from there it is in the dynamics. Given in both, the two must agree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from loadpath.errors import ModelError
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.drive_train.of_joint import drive_train, with_drive_train
from loadpath.robot.fitted import Fitted
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint

R = TypeVar("R", bound=RobotModel)

_SAME = 1e-6
"""Numbers that differ by less, relative to their size, are the same number, rounded."""
_UNITS = {"ratio": "", "rotor_inertia": " kg m^2", "torque_constant": " N m/A", "resistance": " ohm",
          "brake": " N m"}  # fmt: skip


def with_data_of_parts(robot: R) -> R:
    """The robot whose drive trains have what the parts at their joints know of them; an error where they contradict.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=50)})
    >>> arm.with_parts({"joint1": lp.Motor(rotor_inertia=1e-4)}).joint("joint1").reflected_inertia
    (0.25,)
    >>> arm.with_parts({"joint1": lp.Motor(rotor_inertia=1e-4)}).without_parts().joint("joint1").reflected_inertia
    (0.0,)
    """
    fitted: dict[str, list[Fitted]] = {}
    for name, part in robot.parts:
        fitted.setdefault(name, []).append(part)
    changed = {}
    for joint in robot.joints:
        if joint.name in fitted or joint.from_parts:
            changed[joint.name] = _reconciled(robot, joint, fitted.get(joint.name, []))
    if all(changed[name] is robot.joint(name) for name in changed):
        return robot
    return replace(robot, joints=tuple(changed.get(joint.name, joint) for joint in robot.joints))


def _reconciled(robot: RobotModel, joint: Joint, parts: Iterable[Fitted]) -> Joint:
    """The joint with the data of its parts, and without those of parts that are gone."""
    before, joint = joint, _without_data(joint)
    drive = drive_train(joint, 0) if joint.motion.dof == 1 and joint.mimic is None else None
    if drive is None:
        return joint
    lacking: dict[str, Any] = {}
    source: dict[str, str] = {}
    given = [(part, dict(part.drive_data())) for part in parts]
    brakes = {values["brake"] for _, values in given if "brake" in values}
    for part, values in given:
        if len(brakes) > 1:  # several brakes: each is examined by itself
            values.pop("brake", None)
        for field, value in values.items():
            known = lacking.get(field, getattr(drive, field))
            if known is None:
                lacking[field], source[field] = value, _label(part)
            elif abs(abs(value) - abs(known)) > _SAME * abs(known):
                _refuse(robot, joint, part, field, value, float(known), source.get(field, ""))
    if not lacking:
        return joint
    made = replace(with_drive_train(joint, 0, Drive(**lacking)), from_parts=tuple(lacking))
    return before if made == before else made


def _without_data(joint: Joint) -> Joint:
    """The joint without what its drive train took from parts."""
    if not joint.from_parts:
        return joint
    new: dict[str, Any] = {"from_parts": ()}
    if "rotor_inertia" in joint.from_parts:
        new["rotor_inertia"] = ()
    of_motor: dict[str, Any] = {field: None for field in joint.from_parts if field != "rotor_inertia"}
    new["drives"] = tuple(drive and replace(drive, **of_motor) for drive in joint.drives)
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
        remedy = f"lp.Drive(rotor_inertia={value:g}) takes the place of the armature"
    phases = getattr(part, "phases", 1)
    if field == "resistance" and phases != 1:
        remedy += f" (a drive train's copper loss is resistance times current squared: {phases} phases count together)"
    named = "torque of the brake" if field == "brake" else field
    raise ModelError(f"joint '{joint.name}' of robot '{robot.name}': {named} is {value:g}{unit} in {_label(part)} and "
                     f"{known:g}{unit} in {where}: {remedy}")  # fmt: skip


def _label(part: Fitted) -> str:
    kind, name = getattr(part, "kind", "a part"), getattr(part, "name", "")
    return f"{kind} '{name}'" if name else str(kind)

