"""The drive train of one speed of a joint: read from its fields, and written to them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loadpath.errors import ModelError
from loadpath.robot.drive_train.drive import Drive, Friction
from loadpath.robot.parts import Joint

if TYPE_CHECKING:
    from loadpath.robot.model import RobotModel


def drive_train(joint: Joint, k: int) -> Drive | None:
    """All that a joint knows of the drive of its speed k; None where there is no gear, rotor or motor.

    >>> import loadpath as lp
    >>> drive_train(lp.catalog.puma560().joint("joint1"), 0).rotor_inertia
    0.0002
    """
    kept = joint.drives[k]
    if kept is None and joint.gear_ratio[k] == 1.0 and not joint.reflected_inertia[k]:
        return None
    ratio = joint.gear_ratio[k] or 1.0
    return replace(
        kept or Drive(),
        ratio=ratio,
        rotor_inertia=(joint.rotor_inertia[k] or joint.armature[k] / ratio**2) or None,
        friction=friction_of(joint, k),
        spring=joint.springs[k] or None,
    )


def has_motor(joint: Joint) -> bool:
    """Whether a drive train was given to the joint, or parts there know more of one than the ratio of a gear."""
    gear_alone = "ratio" in joint.from_parts
    return any(drive is not None and not (gear_alone and drive == Drive(ratio=drive.ratio)) for drive in joint.drives)


def takes_data(joint: Joint) -> bool:
    """Whether parts at the joint can say something of its drive train: it has one freedom, and follows no other."""
    return joint.motion.dof == 1 and joint.mimic is None


def says_ratio(joint: Joint) -> bool:
    """Whether the ratio of a joint with one freedom was given. 1 is what a joint has where nobody said anything, unless
    a drive train says it, or a rotor that did not come with one (of a file) is felt by it.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1)
    >>> says_ratio(arm.joint("joint1")), says_ratio(arm.with_drives({"joint1": lp.Drive(ratio=1)}).joint("joint1"))
    (False, True)
    """
    (ratio,), (rotor,), (drive,) = joint.gear_ratio, joint.rotor_inertia, joint.drives
    said = drive or Drive()
    return ratio != 1.0 or said.ratio is not None or bool(rotor and said.rotor_inertia is None)


def friction_of(joint: Joint, k: int) -> Friction | None:
    """Friction of a speed; None where there is none."""
    viscous, coulomb, more = joint.viscous_friction[k], joint.coulomb_friction[k], joint.stribeck[k]
    if more is not None:
        return Friction(viscous, coulomb, more.static, more.speed, more.exponent)
    return Friction(viscous, coulomb) if viscous or coulomb else None


def with_drive_train(joint: Joint, k: int, drive: Drive) -> Joint:
    """The joint with what the drive gives of its speed k; what it does not give stays."""
    if drive.is_screw and joint.motion.angular[k]:
        raise ModelError(f"its lead, which makes the ratio {drive.ratio:.6g}, is that of a screw, and joint "
                         f"'{joint.name}' turns: give ratio=")
    new: dict[str, Any] = {}
    has_motor = drive.motor_side != Drive() or drive.ratio is not None or drive.rotor_inertia is not None
    if joint.mimic is None and has_motor:  # friction and springs alone are no motor
        said = replace(drive.motor_side, ratio=drive.ratio, rotor_inertia=drive.rotor_inertia)
        new["drives"] = _put(joint.drives, k, (joint.drives[k] or Drive()).changed_by(said))
    elif joint.mimic is not None and drive.motor_side != Drive():
        raise ModelError(f"joint '{joint.name}' follows joint '{joint.mimic.joint}', whose motor and gear move it too: "
                         "give them to that joint; here only friction, springs and a rotor")
    if joint.from_parts:
        new["from_parts"] = tuple(field for field in joint.from_parts if getattr(drive, field) is None)
    if drive.ratio is not None:
        new["gear_ratio"] = _put(joint.gear_ratio, k, drive.ratio)
    if drive.rotor_inertia is not None:
        new["rotor_inertia"] = _put(joint.rotor_inertia, k, drive.rotor_inertia)
        new["armature"] = _put(joint.armature, k, 0.0)
    if drive.friction is not None:
        new["viscous_friction"] = _put(joint.viscous_friction, k, drive.friction.viscous)
        new["coulomb_friction"] = _put(joint.coulomb_friction, k, drive.friction.coulomb)
        new["stribeck"] = _put(joint.stribeck, k, drive.friction.stribeck)
    if drive.spring is not None:
        new["springs"] = _put(joint.springs, k, drive.springs)
    return replace(joint, **new)


def _put(values: tuple[Any, ...], k: int, value: object) -> tuple[Any, ...]:
    return (*values[:k], value, *values[k + 1 :])


# Springs and Stribeck friction where they are not in the equations: refused by name, never left out.


def refuse_springs(robot: RobotModel, what: str, *, lines_only: bool = False) -> None:
    """An error if a joint of the robot has springs (or with `lines_only`, springs on a line between its links).

    >>> import loadpath as lp
    >>> refuse_springs(lp.catalog.planar(2), "equations")
    """
    for joint in robot.joints:
        if any(joint.springs) and (joint.line_springs or not lines_only):
            kind = "a LineSpring" if joint.line_springs else "a TorsionSpring"
            raise ModelError(f"{what} of robot '{robot.name}' know no springs, and joint '{joint.name}' has {kind}: "
                             "take it off with robot.without_springs()")


def refuse_stribeck(robot: RobotModel, what: str) -> None:
    """An error if a joint of the robot has the Stribeck effect.

    >>> import loadpath as lp
    >>> refuse_stribeck(lp.catalog.puma560(), "identification")
    """
    for joint in robot.joints:
        if any(joint.stribeck):
            raise ModelError(f"{what} of robot '{robot.name}' know viscous and Coulomb friction alone, and joint "
                             f"'{joint.name}' has static friction with the Stribeck effect: give it "
                             f"lp.Drive(friction=lp.Friction(viscous=..., coulomb=...))")


def refuse_with_beams(robot: RobotModel, compliant: Collection[str]) -> None:
    """An error where springs and elastic links meet: a spring on a line loads its links at points that beams do not
    know, and one in parallel with a drive takes load off the drive's own compliance.
    """
    refuse_springs(robot, "beams and compliant joints", lines_only=True)
    for name in compliant:
        joint = next((joint for joint in robot.joints if joint.name == name), None)
        if joint is not None and any(joint.springs):
            raise ModelError(f"joint '{name}' of robot '{robot.name}' has a TorsionSpring and a compliance: the spring "
                             "in parallel with the drive would take load off it, which deflections do not count; leave "
                             "one of the two off (robot.without_springs())")
