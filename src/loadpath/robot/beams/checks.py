"""What is refused as a beam, a compliance or a guide of a robot, wherever it comes from."""

from __future__ import annotations

from typing import TypeVar

from loadpath.errors import ModelError
from loadpath.robot.beams.beam import Beam
from loadpath.robot.beams.cut import ends_at_points
from loadpath.robot.beams.guide import Guide
from loadpath.robot.beams.placement import placed_beams
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.model import RobotModel

T = TypeVar("T")


def checked_beam(robot: RobotModel, link: str, beam: object) -> Beam:
    """A beam of a link that is there."""
    return _checked(f"link '{robot.link(link).name}': its beam", beam, Beam, "")


def checked_compliance(robot: RobotModel, joint: str, compliance: object) -> JointCompliance:
    """A compliance of a joint or a loop that is there."""
    if joint in robot.loop_names:
        example = ", like JointCompliance(radial=1e7)"
        return _checked(f"loop '{joint}': its compliance", compliance, JointCompliance, example)
    example = ", like JointCompliance(drive=2e4)"
    return _checked(f"joint '{robot.joint(joint).name}': its compliance", compliance, JointCompliance, example)


def checked_guide(robot: RobotModel, joint: str, guide: object) -> Guide:
    """A guide of a joint that is there."""
    return _checked(f"joint '{robot.joint(joint).name}': its guide", guide, Guide, ", like Guide(at=0)")


def check_elastic(robot: RobotModel) -> None:
    """Refuse what a robot has that is none of these, or that is on links and joints which are not there."""
    beams = [(link, checked_beam(robot, link, beam)) for link, beam in robot.beams]
    for joint, compliance in robot.joint_compliances:
        checked_compliance(robot, joint, compliance)
    for joint, guide in robot.guides:
        checked_guide(robot, joint, guide)
    if robot.loops:  # their guides are placed on the tree with its loops cut, when they are asked for
        placed_beams(robot, tuple((link, ends_at_points(link, beam, robot.loops)) for link, beam in beams))
    else:
        _ = robot.placed_guides


def _checked(whose: str, value: object, kind: type[T], example: str) -> T:
    if not isinstance(value, kind):
        raise ModelError(f"{whose} is {value!r}: expected a {kind.__name__}{example}")
    return value
