"""Springs and Stribeck friction where they are not in the equations: refused by name, never left out."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from loadpath.errors import ModelError

if TYPE_CHECKING:
    from loadpath.robot.model import RobotModel


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
