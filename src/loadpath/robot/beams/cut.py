"""The tree of a closed robot with its loops cut: at either side of every cut a link without mass, where the beam of the
link that it is on holds it, and where the wrench of the loop acts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from loadpath.errors import ModelError
from loadpath.robot.beams.beam import Beam
from loadpath.robot.beams.guide import Guide
from loadpath.robot.beams.placement import placed_beams
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.joints import Fixed
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link
from loadpath.robot.tree import model_warnings

SIDES = ("first", "second")

R = TypeVar("R", bound=RobotModel)


def opened_tree(robot: R) -> R:
    """A robot without its loops and couplings; a beam that ended at a loop ends at that point of its link."""
    return _opened(robot, beams=tuple((link, ends_at_points(link, beam, robot.loops)) for link, beam in robot.beams))


def cut_robot(robot: R) -> R:
    """A robot with its loops cut, with a link without mass at either side of every cut, where beams end."""
    links, joints = markers(robot.loops)
    beams = tuple((link, ends_at_welds(link, beam, robot.loops)) for link, beam in robot.beams)
    return _opened(robot, links=(*robot.links, *links), joints=(*robot.joints, *joints), beams=beams)


def _opened(robot: R, **changed: Any) -> R:
    # What holds massless links is cut for the sake of the equations: no reason to warn.
    known = robot.known_faults | frozenset(model_warnings(robot.links, robot.joints))
    of_tree = tuple(entry for entry in robot.joint_compliances if entry[0] not in robot.loop_names)
    nothing: dict[str, Any] = dict.fromkeys(("loops", "couplings", "drives", "near"), ())
    return replace(robot, **nothing, known_faults=known, joint_compliances=of_tree, **changed)


def marker(loop: str, side: str) -> str:
    """Name of the link at a side of a cut.

    >>> marker("pin", "first")
    'pin.first'
    """
    return f"{loop}.{side}"


def weld(loop: str, side: str) -> str:
    """Name of the weld that holds it."""
    return f"{loop}.{side} weld"


def markers(loops: Iterable[Loop]) -> tuple[list[Link], list[Joint]]:
    """The links without mass at all cuts, and their welds."""
    links, joints = [], []
    for loop in loops:
        for side, parent, pose in zip(SIDES, (loop.first, loop.second), (loop.at, loop.on), strict=True):
            links.append(Link(marker(loop.name, side)))
            joints.append(Joint(weld(loop.name, side), parent, marker(loop.name, side), Fixed(), pose))
    return links, joints


def ends_at_welds(link: str, beam: Beam, loops: Sequence[Loop]) -> Beam:
    """A beam that ends at a loop, as one that ends at the weld of the cut on its link."""
    for loop in loops:
        if beam.end == loop.name:
            return replace(beam, end=weld(loop.name, _side(link, loop)))
    return beam


def ends_at_loops(beam: Beam, loops: Sequence[Loop]) -> Beam:
    """The same back."""
    for loop in loops:
        if beam.end in [weld(loop.name, side) for side in SIDES]:
            return replace(beam, end=loop.name)
    return beam


def ends_at_points(link: str, beam: Beam, loops: Sequence[Loop]) -> Beam:
    """A beam that ends at a loop, as one that ends at that point of its link."""
    for loop in loops:
        if beam.end == loop.name:
            pose = loop.at if _side(link, loop) == "first" else loop.on
            return replace(beam, end=pose.translation)
    return beam


def _side(link: str, loop: Loop) -> str:
    if link not in (loop.first, loop.second):
        raise ModelError(f"link '{link}': its beam ends at loop '{loop.name}', which is between '{loop.first}' and "
                         f"'{loop.second}'")
    return "first" if link == loop.first else "second"


def as_joint(loop: Loop) -> Joint:
    """A loop as the joint that it is, from its first link to its second, for what a joint is asked."""
    return Joint(loop.name, loop.first, loop.second, loop.motion, loop.at)


# What is refused as a beam, a compliance or a guide of a robot, wherever it comes from.


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
